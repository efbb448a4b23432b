import { type Contract, defaultContract } from "../dialect.ts";
import { defaultLimit } from "../list.ts";
import { nameOfRows } from "../list-page.ts";
import { type OperationId, operationIds, operations, shownPath } from "../operations.ts";
import { amountFields, nameOf, wrapperOf } from "../presentation.ts";
import type { OpenapiDocument } from "./named-document.ts";
import { operationTexts } from "./operation-texts.ts";

/** The parts of a JSON Schema that a dialect changes. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly [keyword: string]: unknown;
}
type Properties = Readonly<Record<string, Schema>>;

interface Described {
  readonly components: { readonly schemas: Record<string, Schema>; readonly headers: { Link?: object } };
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, DescribedResponse> }>>;
}
interface DescribedResponse {
  readonly headers: { Link?: object };
  readonly content: Record<string, { schema: Schema }>;
}

const assumed = { "x-provenance": "assumed", "x-spec": "§4" };
const integer: Schema = { type: "integer", minimum: 0, ...assumed };

/** The objects of responses, and their areas. */
const areas: Readonly<Record<string, string>> = {
  Card: "cards",
  Account: "accounts",
  Company: "companies",
  Transaction: "transactions",
  Invoice: "invoices",
  Webhook: "webhooks",
  WebhookWithSecret: "webhooks",
  WebhookDelivery: "webhooks",
  DeletedWebhook: "webhooks",
};

/** Describes responses as the contract shows them, in place. Without a dialect nothing changes. */
export function withPresentation(document: OpenapiDocument, contract: Contract): OpenapiDocument {
  if (contract === defaultContract) return document;
  const described = document as unknown as Described;
  const { schemas, headers } = described.components;
  for (const [name, area] of Object.entries(areas)) {
    const schema = schemas[name];
    if (schema) schemas[name] = objectSchema(contract, area, schema);
  }
  for (const id of operationIds) {
    const { path, success } = operations[id];
    const name = operationTexts[id].response;
    const response = responseOf(described, contract, id);
    if (!response) continue;
    if (name.endsWith("List") && schemas[name]) {
      schemas[name] = listSchema(contract, path, schemas[name]);
      if (contract.choices["lists.envelope"] === "array") {
        headers.Link = link;
        response.headers.Link = { $ref: "#/components/headers/Link" };
      }
    }
    const area = success.slice(0, success.indexOf("."));
    const wrapper = success === `${area}.shown` ? wrapperOf(contract, area) : undefined;
    const content = response.content["application/json"];
    if (wrapper !== undefined && content) content.schema = closed({ [wrapper]: content.schema });
  }
  return document;
}

const link = {
  description: 'URL of the next page, with `rel="next"` (RFC 8288). Absent on the last page.',
  schema: { type: "string" },
  ...assumed,
};

/** The success of an operation; undefined if it has no body. */
function responseOf(
  { paths }: Described,
  { points }: Contract,
  id: OperationId,
): DescribedResponse | undefined {
  const { method, success } = operations[id];
  const described = paths[shownPath(operations[id])]?.[method.toLowerCase()];
  const response = described?.responses[points[success].status];
  return response?.content && response;
}

function closed(properties: Properties, keywords: Schema = {}): Schema {
  const required = Object.keys(properties);
  return { ...keywords, type: "object", properties, required, additionalProperties: false };
}

function listSchema(contract: Contract, path: string, { properties = {}, ...list }: Schema): Schema {
  const { data, ...continued } = properties;
  const isReversed = contract.choices["lists.order"] === "oldest_first";
  const rows = { ...data, description: isReversed ? "Oldest first" : "Newest first" };
  const position = positionProperties(contract, continued);
  switch (contract.choices["lists.envelope"]) {
    case "data":
      return closed({ data: rows, ...position }, list);
    case "items":
      return closed({ items: rows, pagination: closed(position, assumed) }, list);
    case "named":
      return closed({ [nameOfRows(path)]: rows, meta: closed(position, assumed) }, list);
    case "array":
      return { ...rows, description: `${list.description}. ${rows.description}` };
  }
}

function positionProperties(contract: Contract, continued: Properties): Properties {
  const total = { ...integer, description: "Number of results on all pages" };
  switch (contract.choices["lists.paging"]) {
    case "cursor":
      return continued;
    case "offset":
      return { total_count: total, limit: integer, offset: integer };
    case "page":
      return {
        current_page: integer,
        next_page: { ...integer, type: ["integer", "null"], description: "`null` on the last page" },
        total_pages: integer,
        total_count: total,
        per_page: { ...integer, description: `Default: ${defaultLimit(contract)}` },
      };
  }
}

function objectSchema(contract: Contract, area: string, schema: Schema): Schema {
  const { choices } = contract;
  const optional = new Set<string>();
  const entries = Object.entries(schema.properties ?? {}).map(([name, field]): [string, Schema] => {
    if (area === "cards") return [name, field];
    const isOmitted = choices["responses.null_fields"] === "omitted" && isNullable(field);
    const shown = nameOf(choices, name);
    if (isOmitted) optional.add(shown);
    const amount = amountFields[area]?.includes(name) ? amountSchema(contract, name, field) : field;
    return [shown, isOmitted ? withoutNull(amount) : amount];
  });
  const own = Object.keys(schema.properties ?? {}).filter((name) => !schema.required?.includes(name));
  if (choices["responses.extra_fields"] === "metadata") {
    entries.push(["metadata", { type: "object", description: "Further information", ...assumed }]);
  }
  const required = entries.map(([name]) => name).filter((name) => !optional.has(name) && !own.includes(name));
  return { ...schema, properties: Object.fromEntries(entries), required };
}

function amountSchema({ choices }: Contract, name: string, field: Schema): Schema {
  const { "x-provenance": provenance, "x-spec": spec } = field;
  const rounding = { half_up: "half up", half_even: "half to even", down: "down" }[choices["money.rounding"]];
  const text = field.description?.replace("half up", rounding);
  const marks = {
    ...(text !== undefined && { description: text }),
    "x-provenance": provenance,
    "x-spec": spec,
  };
  const nullable = (schema: Schema): Schema =>
    isNullable(field) ? { anyOf: [schema, { type: "null" }], ...marks } : { ...schema, ...marks };
  switch (choices["responses.amounts"]) {
    case "decimal": {
      const isSigned = choices["transactions.debit_sign"] === "negative" && name.endsWith("amount");
      return { ...field, ...marks, ...(isSigned && { pattern: "^-?[0-9]+\\.[0-9]{2}$" }) };
    }
    case "number":
      return nullable({ type: "number" });
    case "object":
      return nullable(
        closed({ value: { type: "integer", description: "In minor units" }, currency: { type: "string" } }),
      );
  }
}

function isNullable({ type, anyOf }: Schema): boolean {
  return (Array.isArray(type) && type.includes("null")) || (anyOf ?? []).some((each) => each.type === "null");
}

function withoutNull({ type, anyOf, ...rest }: Schema): Schema {
  if (Array.isArray(type)) return { ...rest, type: type.filter((each) => each !== "null") };
  return { ...rest, anyOf: (anyOf ?? []).filter((each) => each.type !== "null") };
}
