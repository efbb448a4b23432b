import fc from "fast-check";
import { type Json, jsonOf, leaf } from "./json.ts";

/** The part of JSON Schema that the request bodies of the OpenAPI document use. */
export interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Known {
  readonly schemas: Readonly<Record<string, Schema>>;
  /** All ids of the world. */
  readonly ids: readonly string[];
}

const amounts = fc.constantFrom("0.01", "12.5", "250.00", "9999.99", "10000.01", "9999999999999.99");

/** Valid strings. */
export function textFrom(
  { enum: words, format, pattern, minLength = 0, maxLength = 40 }: Schema,
  { ids }: Known,
) {
  if (words) return fc.constantFrom(...words);
  if (format === "uuid") return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, fc.uuid());
  if (format === "date-time" || format === "date") {
    const days = fc.date({ min: new Date(0), max: new Date(8e12), noInvalidDate: true });
    return days.map((day) => (format === "date" ? day.toISOString().slice(0, 10) : day.toISOString()));
  }
  // Only the pattern of decimals has a lookahead.
  if (pattern?.includes("(?!")) return amounts;
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 60) });
}

/** Valid values; optional fields may be absent. */
export function valueFrom(schema: Schema, known: Known): fc.Arbitrary<Json> {
  if (schema.$ref) return valueFrom(named(schema.$ref, known), known);
  if (schema.anyOf && schema.type === undefined)
    return fc.oneof(...schema.anyOf.map((each) => valueFrom(each, known)));
  switch (schema.type) {
    case "object": {
      const fields = Object.entries(schema.properties ?? {}).map(([name, each]) => {
        const value = valueFrom(each, known).map((json) => [[name, json] as const]);
        return schema.required?.includes(name) ? value : fc.option(value, { nil: [] });
      });
      return fc.tuple(...fields).map((each): Json => ({ kind: "object", fields: each.flat() }));
    }
    case "array":
      return fc
        .array(valueFrom(schema.items ?? {}, known), { minLength: 1, maxLength: 4 })
        .map((items): Json => ({ kind: "list", items }));
    case "string":
      return textFrom(schema, known).map(jsonOf);
    case "boolean":
      return fc.boolean().map(jsonOf);
    case "number":
    case "integer":
      return fc
        .oneof(fc.nat(20_000), fc.double({ min: 0.01, noNaN: true }))
        .map((number) => leaf(String(number)));
    default:
      throw new Error(`unsupported schema: ${JSON.stringify(schema)}`);
  }
}

function named($ref: string, { schemas }: Known): Schema {
  const schema = schemas[$ref.slice("#/components/schemas/".length)];
  if (!schema) throw new Error(`the document has no ${$ref}`);
  return schema;
}
