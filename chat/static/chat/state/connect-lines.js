/** The ready-to-paste lines that connect a program. */

const { connectLines } = document.body.dataset;

function cookie(name) {
  return document.cookie.match(new RegExp(`(?:^|; )${name}=([^;]*)`))?.[1] ?? "";
}

/** The token against forged requests that forms and POSTs carry. */
export function csrfToken() {
  return cookie("csrftoken");
}

/** `{token, name, server, posix, windows}`, with a token made just now; rejects with an Error in words. */
export async function fetchConnectLines() {
  let response;
  try {
    response = await fetch(connectLines, { method: "POST", headers: { "X-CSRFToken": csrfToken() } });
  } catch {
    throw new Error("The server can't be reached right now.");
  }
  const signedOut = response.redirected || response.status === 403;
  if (signedOut) throw new Error("You are no longer signed in; load the page again.");
  if (!response.ok) throw new Error(`The server could not make a line (HTTP ${response.status}).`);
  return response.json();
}
