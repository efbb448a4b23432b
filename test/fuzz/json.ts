import fc from "fast-check";

/** The text of JSON as a tree: names may occur twice, and leaves may be invalid. */
export type Json =
  | { readonly kind: "leaf"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly Json[] }
  | { readonly kind: "object"; readonly fields: readonly (readonly [name: string, value: Json])[] };

export const leaf = (text: string): Json => ({ kind: "leaf", text });

export function jsonOf(value: unknown): Json {
  if (Array.isArray(value)) return { kind: "list", items: value.map(jsonOf) };
  if (value === null || typeof value !== "object") return leaf(JSON.stringify(value));
  return { kind: "object", fields: Object.entries(value).map(([name, each]) => [name, jsonOf(each)]) };
}

/** The text of a tree. */
export function written(json: Json): string {
  if (json.kind === "leaf") return json.text;
  if (json.kind === "list") return `[${json.items.map(written).join(",")}]`;
  return `{${json.fields.map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`).join(",")}}`;
}

const depth = 10_000;

/** Values in the wrong place. */
const oddTexts = [
  ..."null true false 0 -0 -1 1.5 1e400 -1e400 1e-400 1e3 4821 0.1 0.30000000000000004 10.005".split(" "),
  ..."9007199254740993 99999999999999999999999999 NaN Infinity undefined 01 +1 0x10 .5 1. '' [ { ] }".split(
    " ",
  ),
  ...'[] {} [null] [[]] [{}] [1,2] [1,] {"a":1,} {"__proto__":{"pin":"4821"}} /**/ // , :'.split(" "),
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\ud83d\\ud83d"',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\u0000"',
  '"\u0001\u001f\u007f"',
  '"a\nb"',
  '"\\x41"',
  '"unclosed',
  '"\\',
  '"\\u12"',
  '"\u202e\u200b\ufeff"',
  '"\u{1f4b3}"',
  '"İstanbul"',
  '""',
  '" "',
  '"\\t\\r\\n"',
  '"0"',
  '"-0"',
  '"0.00"',
  '"-1"',
  '"1e3"',
  '"1e400"',
  '"0x10"',
  '"1,5"',
  '"٤٨٢١"',
  '"４８２１"',
  '"250.001"',
  '"99999999999999.99"',
  '"true"',
  '"null"',
  '"UK"',
  '"gb"',
  '"__proto__"',
  '"constructor"',
  '"hasOwnProperty"',
  '"toString"',
  '"\' OR 1=1 --"',
  '"%s%n%00"',
  '"<script>alert(1)</script>"',
  '"{{7*7}}"',
  '"scenario:"',
  '"scenario:quota-reached"',
  '"scenario:no-such"',
  '"sk_sandbox_"',
  '"00000000-0000-0000-0000-000000000000"',
  '"2026-02-30"',
  '"2026-03-10T09:30:00"',
  '"-271821-04-20T00:00:00Z"',
  '"+275760-09-13T00:00:00Z"',
  '"PT0S"',
  '"-P1D"',
  '"P999999999Y"',
  '"http://[::1"',
  '"http://user:secret@localhost/"',
  '"file:///etc/passwd"',
];

/** Large values, which are rarer. */
const large = [
  () => `"${"x".repeat(70_000)}"`,
  () => `"${"\u{1f4b3}".repeat(10_000)}"`,
  () => "9".repeat(5000),
  () => `0.${"1".repeat(5000)}`,
  () => "[".repeat(depth) + "]".repeat(depth),
  () => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
  () => "[".repeat(depth),
  () => `[${"1,".repeat(15_000)}1]`,
  () => `{${Array.from({ length: 3000 }, (_, i) => `"k${i}":${i}`).join(",")}}`,
];

export const oddValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...oddTexts).map(leaf) },
  { weight: 1, arbitrary: fc.constantFrom(...large).map((text) => leaf(text())) },
  {
    weight: 8,
    arbitrary: fc.string({ unit: "binary", maxLength: 30 }).map((text) => leaf(JSON.stringify(text))),
  },
  { weight: 4, arbitrary: fc.double().map((number) => leaf(String(number))) },
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }).map(jsonOf) },
);

const oddName = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "length", "then"),
  fc.constantFrom("", " ", "\u0000", "\ud800", "postcode", "countryCode", "PIN", "id", "$ref", "0"),
  fc.string({ unit: "binary", maxLength: 12 }),
);

const edit = fc.record({
  at: fc.nat(1000),
  how: fc.constantFrom("replace", "replace", "replace", "remove", "double", "rename", "add", "nest"),
  value: oddValue,
  name: oddName,
} as const);
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

/** Removes, doubles, renames, adds or replaces parts. */
export function mutated(valid: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .tuple(valid, fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([json, edits]) => edits.reduce(edited, json));
}

/** Counts nodes in the order of the text, and edits the one with the number. */
function edited(json: Json, { at, how, value, name }: Edit): Json {
  let left = at % nodesOf(json);
  const walk = (node: Json): Json[] => {
    if (left-- === 0) return replaced(node);
    if (node.kind === "leaf") return [node];
    if (node.kind === "list") return [{ kind: "list", items: node.items.flatMap(walk) }];
    const fields = node.fields.flatMap(([field, each]): (readonly [string, Json])[] => {
      const isHit = left === 0;
      return walk(each).map((one) => [isHit && how === "rename" ? name : field, one]);
    });
    return [{ kind: "object", fields }];
  };
  const replaced = (node: Json): Json[] => {
    if (how === "remove") return [];
    if (how === "double") return [node, value];
    if (how === "rename") return [node];
    if (how === "nest") return [{ kind: "list", items: [node] }];
    if (how === "add" && node.kind === "object")
      return [{ ...node, fields: [...node.fields, [name, value]] }];
    if (how === "add" && node.kind === "list") return [{ ...node, items: [...node.items, value] }];
    return [value];
  };
  return walk(json)[0] ?? leaf("");
}

function nodesOf(json: Json): number {
  if (json.kind === "leaf") return 1;
  const inner = json.kind === "list" ? json.items : json.fields.map(([, value]) => value);
  return inner.reduce((sum, each) => sum + nodesOf(each), 1);
}
