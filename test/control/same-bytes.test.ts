import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sameBytes } from "../../src/control/gate.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

test.each([
  [bytes(1, 2, 3), bytes(1, 2, 3), true],
  [bytes(1, 2, 3), bytes(1, 2, 4), false],
  [bytes(9, 2, 3), bytes(1, 2, 3), false],
  [bytes(1, 2), bytes(1, 2, 0), false],
  [bytes(1, 2, 0), bytes(1, 2), false],
  [bytes(), bytes(0), false],
])("%j and %j: %s", (a, b, same) => expect(sameBytes(a, b)).toBe(same));

test.each([0, 15, 31])("compares every byte, also if the one at %i differs", (at) => {
  const looked: number[] = [];
  const b = new Proxy(new Uint8Array(32), {
    get(of, name) {
      if (typeof name === "string" && /^[0-9]+$/.test(name)) looked.push(Number(name));
      return Reflect.get(of, name, of);
    },
  });
  const a = new Uint8Array(32);
  a[at] = 1;
  expect(sameBytes(a, b)).toBe(false);
  expect(looked).toEqual(Array.from({ length: 32 }, (_, n) => n));
});

/** What is held against what was shown, by its last word: `guard.token`, `sessionOf(token)`. */
const secret = /(?:token|secret|session(?:Of)?|signature|credential|password|cookie)s?(?:\(.*\))?$/i;
const constant = /^(?:undefined|null|"[^"]*")/;

/** Comparisons of a line in which one side is a secret, and the other no constant. */
function comparisons(line: string): string[] {
  const operand = String.raw`([\w.?[\]]+(?:\([^()]*\))?|"[^"]*")`;
  return [...line.matchAll(new RegExp(`${operand} [!=]==? ${operand}`, "g"))].flatMap(
    ([whole, left = "", right = ""]) =>
      (secret.test(left) || secret.test(right)) && !constant.test(right) && !constant.test(left)
        ? [whole]
        : [],
  );
}

describe("secrets are compared with sameBytes only", () => {
  test("finds a comparison that is not constant-time", () => {
    expect(comparisons("if (shown === guard.token) return;")).toEqual(["shown === guard.token"]);
    expect(comparisons("return cookie !== sessionOf(token);")).toEqual([
      "cookie !== sessionOf(token);".slice(0, -1),
    ]);
    expect(comparisons('if (token === undefined || kind === "token") return;')).toEqual([]);
  });

  test.each(["control", "dashboard"])("src/%s has none", (folder) => {
    const root = new URL(`../../src/${folder}/`, import.meta.url);
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.tsx?$/.test(name),
    );
    expect(files.length).toBeGreaterThan(10);
    const found = files.flatMap((name) =>
      readFileSync(new URL(name, root), "utf8")
        .split("\n")
        .flatMap((line) => comparisons(line).map((each) => `${name}: ${each}`)),
    );
    expect(found).toEqual([]);
  });
});
