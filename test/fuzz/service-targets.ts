import fc from "fast-check";
import { readShippedScenarios } from "../../src/node/input-files.ts";
import { jsonOf, mutated, written } from "./json.ts";
import { type Known, type Schema, textFrom, valueFrom } from "./schema-values.ts";
import type { Target } from "./target.ts";
import type { World } from "./world.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly schema?: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly "application/json": {
        readonly schema: Schema;
        readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
      };
    };
  };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Known["schemas"] };
}

/** The operations of the service in the OpenAPI document. */
export async function serviceTargets({ request, ids, tokens }: World): Promise<Target[]> {
  const { paths, components }: Description = (await request("/openapi.json")).json;
  const known: Known = { schemas: components.schemas, ids: Object.values(ids).flat() };
  const token = fc.oneof(
    { weight: 12, arbitrary: fc.constant(tokens.owner) },
    { weight: 3, arbitrary: fc.constantFrom(...Object.values(tokens)) },
  );
  const authorization = ["Authorization", token.map((text) => `Bearer ${text}`)] as const;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Target => {
      const { operationId, parameters = [], requestBody } = operation;
      const own = parameters.filter(({ $ref }) => !$ref);
      const content = requestBody?.content["application/json"];
      return {
        id: operationId,
        method: method.toUpperCase(),
        path,
        ids: idsOf(path, ids),
        query: own
          .filter((each) => each.in === "query")
          .map(({ name = "", schema = {} }) => [name, queryValue(schema, known)]),
        headers: [
          ...(path.startsWith("/auth/") ? [] : [authorization]),
          ...(content ? [["Content-Type", fc.constant("application/json")] as const] : []),
          ...own.filter((each) => each.in === "header").map(({ name = "" }) => [name, fc.uuid()] as const),
          ["Sandbox-Scenario", chosen] as const,
        ],
        bodies: content && bodiesOf(content, validBodies[operationId] ?? [], known),
      };
    }),
  );
}

/** Further valid bodies: the examples of the OpenAPI document may not fit this world. */
const validBodies: Readonly<Record<string, readonly unknown[]>> = {
  exchangeLiveKey: [{ api_key: "sk_live_northwind_owner" }],
};

/** Few requests choose a scenario. */
const chosen = fc.oneof(
  { weight: 30, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(...readShippedScenarios().map(({ name }) => name)) },
);

function idsOf(path: string, ids: World["ids"]): readonly string[] {
  if (path.includes("/deliveries/")) return [...ids.deliveries, ...ids.webhooks];
  const [, , kind] = path.split("/");
  if (kind === "cards" || kind === "accounts" || kind === "transactions" || kind === "webhooks")
    return ids[kind];
  return ids.invoices;
}

/** A value of a query parameter; lists are comma-separated. */
function queryValue(schema: Schema, known: Known): fc.Arbitrary<string> {
  if (schema.type === "integer") return fc.integer({ min: 1, max: 100 }).map(String);
  if (schema.type !== "array") return textFrom(schema, known);
  return fc
    .array(textFrom(schema.items ?? {}, known), { minLength: 1, maxLength: 3 })
    .map((list) => list.join(","));
}

function bodiesOf(
  { schema, examples }: NonNullable<Operation["requestBody"]>["content"]["application/json"],
  more: readonly unknown[],
  known: Known,
): fc.Arbitrary<string> {
  const shown = [...Object.values(examples).map(({ value }) => value), ...more];
  const example = fc.constantFrom(...shown.map(jsonOf));
  const made = valueFrom(schema, known);
  return fc
    .oneof(
      { weight: 2, arbitrary: example },
      { weight: 2, arbitrary: made },
      { weight: 4, arbitrary: mutated(example) },
      { weight: 2, arbitrary: mutated(made) },
    )
    .map(written);
}
