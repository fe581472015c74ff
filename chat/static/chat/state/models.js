/** The models that a thread may choose. */

import { signal } from "../vendor.js";
import { request } from "./session.js";

/** `{models: [{id, name, endpoint, default}], errors: [sentence]}`; empty where the server tells none. */
export const offer = signal({ models: [], errors: [] });

/** Read the list; one that is the same changes nothing, so that an open picker stays as it is. */
export async function loadModels() {
  try {
    const next = await request("model-list", {});
    if (JSON.stringify(next) !== JSON.stringify(offer.peek())) offer.value = next;
  } catch (error) {
    if (error.code !== "disconnected") offer.value = { models: [], errors: [] };
  }
}
