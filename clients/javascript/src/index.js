/** What a program imports to talk to a Remotes server. */
export { Connection } from "./connection.js";
export { RemotesError } from "./errors.js";
export { Remote } from "./remote.js";
