import { createHmac, hash } from "node:crypto";

// The build replaces the portable hash functions with these of Node. They are faster and need no warm-up.
// They allocate no ArrayBuffer, each of which the garbage collector would have to free separately.

/** In the memory pool that small buffers share. */
export function utf8ToBytes(text: string): Uint8Array {
  return Buffer.from(text);
}

export function bytesToHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** @returns 32 bytes */
export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = hash("sha256", bytes, "binary");
  const copy = new Uint8Array(digest.length);
  for (let i = 0; i < copy.length; i++) copy[i] = digest.charCodeAt(i);
  return copy;
}

/** HMAC-SHA-256; the portable function takes the hash as its first parameter. */
export function hmac(_hash: unknown, key: Uint8Array, message: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac("sha256", key).update(message).digest());
}
