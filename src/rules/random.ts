import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64urlnopad } from "@scure/base";

/** The only source of randomness: 32 bytes that depend on the seed, purpose, scope and number. */
export interface Random {
  block(purpose: string, scope: string, n: number): Uint8Array;
  /** 32 bytes for a secret. If the database has a private secret, nobody can compute them without it. */
  secret(purpose: string, scope: string, n: number): Uint8Array;
}

/**
 * Random bytes as a function of the seed: the same seed, purpose, scope and number give the same bytes.
 * @param privateSecret - mixed into every secret; without it, secrets derive from the seed like everything else
 */
export function seededRandom(seed: number, privateSecret?: string): Random {
  const key = privateSecret === undefined ? undefined : utf8ToBytes(privateSecret);
  const textOf = (purpose: string, scope: string, n: number) =>
    utf8ToBytes(`${seed}/${purpose}/${scope}/${n}`);
  const block: Random["block"] = (purpose, scope, n) => sha256(textOf(purpose, scope, n));
  return {
    block,
    secret: key ? (purpose, scope, n) => hmac(sha256, key, textOf(purpose, scope, n)) : block,
  };
}

/** The HMAC-SHA256 of a text. */
export function hmacOf(secret: string, text: string): Uint8Array {
  return hmac(sha256, utf8ToBytes(secret), utf8ToBytes(text));
}

// Each order makes several UUIDs. This takes half the time of bytesToHex and the slices of its result.
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** A version 4 UUID from a block's first 16 bytes. */
export function uuidOf(block: Uint8Array): string {
  let text = "";
  for (let i = 0; i < 16; i++) {
    let byte = block[i] ?? 0;
    if (i === 6) byte = (byte & 0x0f) | 0x40;
    if (i === 8) byte = (byte & 0x3f) | 0x80;
    text += hexOfByte[byte];
    if (i === 3 || i === 5 || i === 7 || i === 9) text += "-";
  }
  return text;
}

/**
 * A UUID that begins with the start of its owner's id and then its number. The UUIDs of one owner are consecutive, so an
 * index of them grows at one place; random ones would change a page each.
 * @param number - below 2³²
 */
export function numberedUuidOf(owner: string, number: number, block: Uint8Array): string {
  const digits = number.toString(16).padStart(8, "0");
  return `${owner.slice(0, 4)}${digits.slice(0, 4)}-${digits.slice(4)}${uuidOf(block).slice(13)}`;
}

/** A block as 43 base64url characters. */
export function opaqueTokenOf(block: Uint8Array): string {
  return base64urlnopad.encode(block);
}

/** A secret's hash: the only form in which keys and tokens are stored. */
export function hashOfSecret(secret: string): Uint8Array {
  return sha256(utf8ToBytes(secret));
}
