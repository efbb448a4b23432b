const tokens = 1_000_000_000;
const halfBits = 15;
const halfMask = (1 << halfBits) - 1;
const rounds = 4;

/**
 * The token of a company's n-th card: nine digits. A keyed permutation of n (a Feistel network on 30 bits,
 * walked until it lands below 10⁹), so that no two cards of a company have the same token.
 * @param n - 1 for the company's first card
 * @param key - at least 16 bytes that belong to the company
 */
export function cardToken(n: number, key: Uint8Array): string {
  let value = n % tokens;
  do value = permute(value, key);
  while (value >= tokens);
  return value.toString().padStart(9, "0");
}

function permute(value: number, key: Uint8Array): number {
  let left = value >>> halfBits;
  let right = value & halfMask;
  for (let round = 0; round < rounds; round++) {
    const next = left ^ (scramble(right, roundKey(key, round)) & halfMask);
    left = right;
    right = next;
  }
  // Without the last swap; any order of the halves is a permutation.
  return (right << halfBits) | left;
}

function roundKey(key: Uint8Array, round: number): number {
  const at = round * 4;
  return (key[at] ?? 0) | ((key[at + 1] ?? 0) << 8) | ((key[at + 2] ?? 0) << 16) | ((key[at + 3] ?? 0) << 24);
}

/** Mixes each bit of a half into the whole word (the finaliser of MurmurHash3). */
function scramble(half: number, key: number): number {
  let word = half ^ key;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}

/** The last digits of a card's number. The rest of the number does not exist. */
export function lastFour(block: Uint8Array): string {
  const word = (block[16] ?? 0) | ((block[17] ?? 0) << 8) | ((block[18] ?? 0) << 16);
  return (word % 10_000).toString().padStart(4, "0");
}
