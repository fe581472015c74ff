/** Pictures inside JSON values: where a call's result holds some, and text without their bytes. */

const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const DATA_URL = /^data:(?:image\/(?:png|jpeg|gif|webp));base64,/i;
const TRACE = /data:image\/(?:png|jpeg|gif|webp);base64,|"type"\s*:\s*"image"/i;
const MOST = 24; // pictures of one result
const BYTES = /(data:image\/[\w.+-]+;base64,|"data"\s*:\s*")([A-Za-z0-9+/]{400,}={0,2})/g;
const KEPT = 40; // characters of bytes left out

/**
 * Addresses of the pictures in a JSON value, each a `data:` URL of a PNG, JPEG, GIF or WebP. A picture is such an
 * address or `{"type": "image", "mimeType", "data" (Base64)}`, alone, in a list, or in an object's field or list.
 */
export function imagesOf(value) {
  return partsOf(value).map(address).filter(Boolean).slice(0, MOST);
}

function partsOf(value) {
  if (Array.isArray(value)) return value;
  return isObject(value) ? [value, ...Object.values(value).flat()] : [value];
}

function address(part) {
  if (typeof part === "string") return DATA_URL.test(part) ? part : null;
  const { type, mimeType, data } = isObject(part) ? part : {};
  const known = type === "image" && TYPES.includes(mimeType) && typeof data === "string";
  return known ? `data:${mimeType};base64,${data}` : null;
}

function isObject(value) {
  return value !== null && typeof value === "object";
}

/** Whether JSON text, or the beginning of it, looks as if it held pictures. */
export function mayHoldImages(text) {
  return TRACE.test(text);
}

/** JSON text in which the bytes of pictures are cut short. */
export function withoutBytes(text) {
  return text.replace(BYTES, (_, before, bytes) => `${before}${bytes.slice(0, KEPT)}… (${bytes.length} characters)`);
}
