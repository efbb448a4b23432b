import * as z from "zod";
import type { ZodOpenApiParameterObject } from "zod-openapi";
import { companyId, idempotencyKey, uuid } from "../identifiers.ts";
import { cardFilters, invoiceFilters, paging, transactionFilters } from "../list.ts";
import { type OnBehalfOfMode, type OperationId, operations, requiresOnBehalfOf } from "../operations.ts";
import type { Provenance } from "../points.ts";

/** A filter of a list, as `once` and `several` make them. */
type Filter = z.ZodOptional<z.ZodPipe<z.ZodType, z.ZodType>>;

const filtersOf: Partial<Record<OperationId, Readonly<Record<string, Filter>>>> = {
  listCards: { ...cardFilters, ...paging },
  listAccounts: paging,
  listCompanies: paging,
  listTransactions: { ...transactionFilters, ...paging },
  listInvoices: { ...invoiceFilters, ...paging },
  listWebhooks: paging,
  listWebhookDeliveries: paging,
};

const notes: Readonly<Record<string, string>> = {
  tokens: "Card tokens, repeated or parted by commas",
  account_id: "Of this account alone",
  card_id: "Of this card alone",
  user_id: "Of this cardholder alone",
  status: "Of these statuses, repeated or parted by commas",
  type: "Of this type; of several, repeated or parted by commas, where it is a list",
  direction: "In this direction alone",
  from: "Not before: included",
  to: "Before: not included",
  min_amount: "Decimal in the account's currency",
  max_amount: "Decimal in the account's currency",
  limit: "How many, 50 unless said otherwise",
  cursor: "The `next_cursor` of the page before, with the same filters",
};

/** The operations that the caller repeats with the same `Idempotency-Key`, and who says so. */
const keyed: Partial<Record<OperationId, Provenance>> = {
  orderPhysicalCard: "specified",
  replaceCard: "assumed",
  orderVirtualCard: "assumed",
};

interface Said {
  readonly description: string;
  readonly "x-provenance"?: Provenance;
  readonly "x-spec"?: string;
  readonly "x-sandbox"?: true;
}

const parameter = (place: "path" | "query" | "header", name: string, schema: z.ZodType, said: Said) =>
  schema.meta({ param: { name, in: place, ...said } });

/** Where a client may choose a scenario; the service itself knows neither header. */
const sandboxHeaders = {
  SandboxScenario: parameter("header", "Sandbox-Scenario", z.string().optional(), {
    description: "The scenario to force on this request; `GET /_sandbox/scenarios` lists them",
    "x-sandbox": true,
  }),
  Prefer: parameter("header", "Prefer", z.string().optional(), {
    description:
      "`example=NAME` or `code=503`: the same, by the scenario's name or by the status it leads to",
    "x-sandbox": true,
  }),
};

/** `X-On-Behalf-Of` in each mode. In mode `off` it is ignored, so it is not listed as a parameter. */
function actingHeaders(mode: OnBehalfOfMode) {
  if (mode === "off") return {};
  const header = (id: OperationId, said: Said) => {
    const schema = requiresOnBehalfOf(mode, id) ? companyId : companyId.optional();
    return parameter("header", "X-On-Behalf-Of", schema, said);
  };
  return {
    OnBehalfOf: header("listCards", {
      description: "The company to act for; the member must belong to it (a variant that the spec describes)",
      "x-provenance": "variant",
      "x-spec": "§5.7",
    }),
    OrderOnBehalfOf: header("orderPhysicalCard", {
      description: "The company to act for; the spec does not show whether the header applies to the order",
      "x-provenance": "assumed",
      "x-spec": "§5.7",
    }),
  };
}

/** Parameters of several operations. */
export function sharedParametersOf(mode: OnBehalfOfMode): Readonly<Record<string, z.ZodType>> {
  return { ...sandboxHeaders, ...actingHeaders(mode) };
}

/** The parameters of an operation. */
export function parametersOf(
  id: OperationId,
  { OnBehalfOf, OrderOnBehalfOf }: ReturnType<typeof sharedParametersOf>,
): ZodOpenApiParameterObject[] {
  const { path } = operations[id];
  const inPath = [...path.matchAll(/:([a-z]+)/g)].map(([, name = ""]) =>
    parameter("path", name, uuid, pathSaid(id, name)),
  );
  const inQuery = Object.entries(filtersOf[id] ?? {}).map(([name, filter]) =>
    queryParameter(id, name, filter),
  );
  const key = keyed[id] && keyParameter(keyed[id]);
  const acting = id === "orderPhysicalCard" ? OrderOnBehalfOf : OnBehalfOf;
  return [
    ...inPath,
    ...inQuery,
    ...(key ? [key] : []),
    ...(path.startsWith("/developer/") && acting ? [acting] : []),
    ...Object.values(sandboxHeaders),
  ];
}

function pathSaid(id: OperationId, name: string): Said {
  const noun = name === "did" ? "delivery" : (/\/([a-z]+)\/:id/.exec(operations[id].path)?.[1] ?? "");
  return {
    description: `The id of the ${noun.replace(/s$/, "")}`,
    "x-provenance": "assumed",
    "x-spec": "§4",
  };
}

function keyParameter(provenance: Provenance): z.ZodType {
  return parameter("header", "Idempotency-Key", idempotencyKey, {
    description: "A new UUID for each order, and the same one on a retry",
    "x-provenance": provenance,
    "x-spec": "§4",
  });
}

function queryParameter(id: OperationId, name: string, filter: Filter): z.ZodType {
  const specified = id === "listCards" && name === "tokens";
  return parameter("query", name, readAs(filter.unwrap()).optional(), {
    description: notes[name] ?? "",
    "x-provenance": specified ? "specified" : "assumed",
    "x-spec": specified ? "§2" : "§4",
  });
}

/** What a parameter's text is read as; where it is turned into something else, the text itself. */
function readAs(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodPipe)) return schema;
  const { in: before, out: after } = schema as z.ZodPipe<z.ZodType, z.ZodType>;
  return after instanceof z.ZodTransform ? before : readAs(after);
}
