/** What a user lets this tab do; in sessionStorage, which a reload keeps and another tab does not see. */

import { recall, remember } from "./storage.js";

/** The name under which the tab is offered, or null. */
export const keptName = () => recall("tab", null, sessionStorage);

export const keepName = (name) => remember("tab", name, sessionStorage);

/** Whether the tab may tell where it is. */
export const keptLocation = () => recall("sharesLocation", false, sessionStorage);

export const keepLocation = () => remember("sharesLocation", true, sessionStorage);

/** Whoever signs in next in this tab is asked anew. */
export function forgetConsent() {
  for (const name of ["tab", "sharesLocation"]) remember(name, null, sessionStorage);
}
