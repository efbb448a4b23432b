import { hash } from "node:crypto";

/**
 * Node's own, which the build puts in place of the portable one: twice as fast, and no start has to warm it up.
 * @returns 32 bytes
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = hash("sha256", bytes, "buffer");
  // No Buffer: its slices share memory.
  return new Uint8Array(buffer, byteOffset, length);
}
