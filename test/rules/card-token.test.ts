import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cardToken, lastFour } from "../../src/rules/card-token.ts";
import { numberedUuidOf, opaqueTokenOf, seededRandom, uuidOf } from "../../src/rules/random.ts";

const keyOf = (seed: number) => seededRandom(seed).block("card_token", "a-company", 0);

describe("a card's token", () => {
  test("never repeats within a company, over a million cards", () => {
    const key = keyOf(1);
    const seen = new Uint8Array(1_000_000_000 / 8);
    for (let n = 1; n <= 1_000_000; n++) {
      const token = Number(cardToken(n, key));
      const [byte, bit] = [token >> 3, 1 << (token & 7)];
      if ((seen[byte] ?? 0) & bit) throw new Error(`card ${n} has a token that an earlier card has`);
      seen[byte] = (seen[byte] ?? 0) | bit;
    }
  });

  test("differs for different cards under any key", () => {
    const number = fc.integer({ min: 1, max: 999_999_999 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), number, number, (key, a, b) => {
        fc.pre(a !== b);
        expect(cardToken(a, key)).not.toBe(cardToken(b, key));
      }),
    );
  });

  test("is nine digits, and reveals neither the card's number nor the next token", () => {
    const tokens = [1, 2, 3, 4, 5].map((n) => cardToken(n, keyOf(1)));
    for (const token of tokens) expect(token).toMatch(/^[0-9]{9}$/);
    const steps = tokens.slice(1).map((token, i) => Number(token) - Number(tokens[i]));
    expect(new Set(steps).size).toBe(4);
  });

  test("stays the same for these numbers and keys", () => {
    expect([1, 2, 3, 999_999_999].map((n) => cardToken(n, keyOf(1)))).toEqual([
      "846943489",
      "375113550",
      "745472250",
      "592319541",
    ]);
  });

  test("depends on the company", () => {
    const tokens = ["a-company", "b-company"].map((company) =>
      cardToken(1, seededRandom(1).block("card_token", company, 0)),
    );
    expect(tokens[0]).not.toBe(tokens[1]);
  });

  test("depends on the seed", () => {
    expect(cardToken(1, keyOf(1))).not.toBe(cardToken(1, keyOf(2)));
  });
});

test("the last four digits are spread over all ten thousand", () => {
  const random = seededRandom(1);
  const seen = new Set<string>();
  for (let n = 0; n < 50_000; n++) seen.add(lastFour(random.block("card", "a-company", n)));
  expect(seen.size).toBeGreaterThan(9_900);
  for (const digits of seen) expect(digits).toMatch(/^[0-9]{4}$/);
});

test("access tokens are base64url, and encode every bit of their block", () => {
  const block = new Uint8Array(32).fill(0xfb);
  expect(opaqueTokenOf(block)).toBe(Buffer.from(block).toString("base64url"));
  block.fill(0xff);
  expect(opaqueTokenOf(block)).toBe(Buffer.from(block).toString("base64url"));
});

const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("ids are version 4 UUIDs, and differ", () => {
  const random = seededRandom(1);
  const ids = Array.from({ length: 1000 }, (_, n) => uuidOf(random.block("card", "a-company", n)));
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(version4);
});

test("the ids of a company's cards are in the order of their numbers, and unique among companies", () => {
  const random = seededRandom(1);
  const numbers = [1, 2, 9, 10, 255, 256, 65_535, 65_536, 999_999_999, 2 ** 32 - 1];
  const [ids = [], others = []] = ["a0b1c2d3-one", "a0b1ffff-other"].map((company) =>
    numbers.map((n) => numberedUuidOf(company, n, random.block("card", company, n))),
  );
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set([...ids, ...others]).size).toBe(2 * numbers.length);
  for (const id of ids) expect(id).toMatch(version4);
});
