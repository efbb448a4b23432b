import * as z from "zod";
import type { ZodOpenApiParameterObject } from "zod-openapi";
import type { Contract } from "../dialect.ts";
import { companyId, idempotencyKey, uuid } from "../identifiers.ts";
import {
  cardFilters,
  defaultLimit,
  greatestLimit,
  invoiceFilters,
  noFilters,
  pagingParameters,
  transactionFilters,
} from "../list.ts";
import { type OnBehalfOfMode, type OperationId, operations, requiresOnBehalfOf } from "../operations.ts";
import type { Provenance } from "../points.ts";
import { schemaOfParameter } from "./named-document.ts";

/** A filter of a list, as `once` and `several` make them. */
type Filter = z.ZodOptional<z.ZodPipe<z.ZodType, z.ZodType>>;

const filtersOf: Partial<Record<OperationId, Readonly<Record<string, Filter>>>> = {
  listCards: cardFilters,
  listAccounts: noFilters,
  listCompanies: noFilters,
  listTransactions: transactionFilters,
  listInvoices: invoiceFilters,
  listWebhooks: noFilters,
  listWebhookDeliveries: noFilters,
};

/** By the name of the parameter, or by the operation and the name. */
const filterTexts = (contract: Contract): Readonly<Record<string, string>> => ({
  tokens:
    "Only cards with one of these card tokens. Separate several values with commas, or repeat the parameter.",
  account_id: "Only results of this account",
  card_id: "Only results of this card",
  user_id: "Only cards of this cardholder",
  status:
    "Only results with one of these statuses. Separate several values with commas, or repeat the parameter.",
  type: "Only results of this type",
  "listTransactions.type":
    "Only transactions of one of these types. Separate several values with commas, or repeat the parameter.",
  direction: "Only transactions in this direction",
  from: "Start of the period, inclusive",
  to: `End of the period, ${contract.choices["lists.period_end"]}`,
  min_amount: "Smallest amount, a decimal in the currency of the account",
  max_amount: "Largest amount, a decimal in the currency of the account",
  limit: sizeText(contract),
  cursor: "The `next_cursor` of the previous page. Send the same filters as for that page.",
  offset: "Number of results before the page. Default: 0",
  per_page: sizeText(contract),
  page: "Number of the page, from 1. Default: 1",
});

function sizeText(contract: Contract): string {
  const isClamped = contract.choices["lists.limit_over_maximum"] === "clamped";
  const most = isClamped ? `. A greater number than ${greatestLimit} counts as ${greatestLimit}` : "";
  return `Maximum number of results on the page. Default: ${defaultLimit(contract)}${most}`;
}

/** The operations that take an `Idempotency-Key`, with the provenance of this header. */
const keyed: Partial<Record<OperationId, Provenance>> = {
  orderPhysicalCard: "specified",
  replaceCard: "assumed",
  orderVirtualCard: "assumed",
};

interface ParameterText {
  readonly description: string;
  readonly "x-provenance"?: Provenance;
  readonly "x-spec"?: string;
  readonly "x-sandbox"?: true;
}

const parameter = (
  place: "path" | "query" | "header",
  name: string,
  schema: z.ZodType,
  text: ParameterText,
) => schema.meta({ param: { name, in: place, ...text } });

/** The headers that select a scenario. The service does not have them. */
const sandboxHeaders = {
  SandboxScenario: parameter("header", "Sandbox-Scenario", z.string().optional(), {
    description:
      "Name of the scenario to use for this request. `GET /_sandbox/scenarios` lists all scenarios.",
    "x-sandbox": true,
  }),
  Prefer: parameter("header", "Prefer", z.string().optional(), {
    description:
      "Selects a scenario by its name (`example=NAME`) or by the status code that it forces (`code=503`)",
    "x-sandbox": true,
  }),
};

/** `X-On-Behalf-Of` in each mode. In mode `off` it is ignored, so it is not listed as a parameter. */
function actingHeaders(mode: OnBehalfOfMode) {
  if (mode === "off") return {};
  const header = (id: OperationId, text: ParameterText) => {
    const schema = requiresOnBehalfOf(mode, id) ? companyId : companyId.optional();
    return parameter("header", "X-On-Behalf-Of", schema, text);
  };
  return {
    OnBehalfOf: header("listCards", {
      description:
        "Company to act for. The member must belong to it. The specification describes this header as a variant.",
      "x-provenance": "variant",
      "x-spec": "§5.7",
    }),
    OrderOnBehalfOf: header("orderPhysicalCard", {
      description:
        "Company to act for. The specification does not show whether this header applies to the order.",
      "x-provenance": "assumed",
      "x-spec": "§5.7",
    }),
  };
}

/** Parameters of several operations. */
export function sharedParametersOf({ choices }: Contract): Readonly<Record<string, z.ZodType>> {
  return { ...sandboxHeaders, ...actingHeaders(choices["on_behalf_of.mode"]) };
}

/** The parameters of an operation. */
export function parametersOf(
  contract: Contract,
  id: OperationId,
  { OnBehalfOf, OrderOnBehalfOf }: ReturnType<typeof sharedParametersOf>,
): ZodOpenApiParameterObject[] {
  const { path } = operations[id];
  const inPath = [...path.matchAll(/:([a-z]+)/g)].map(([, name = ""]) =>
    parameter("path", name, uuid, pathText(id, name)),
  );
  const filters = filtersOf[id] && { ...filtersOf[id], ...pagingParameters(contract) };
  const texts = filterTexts(contract);
  const inQuery = Object.entries(filters ?? {}).map(([name, filter]) =>
    queryParameter(id, name, filter, texts[`${id}.${name}`] ?? texts[name] ?? ""),
  );
  const key = keyed[id] && keyParameter(contract, keyed[id]);
  const acting = id === "orderPhysicalCard" ? OrderOnBehalfOf : OnBehalfOf;
  return [
    ...inPath,
    ...inQuery,
    ...(key ? [key] : []),
    ...(path.startsWith("/developer/") && acting ? [acting] : []),
    ...Object.values(sandboxHeaders),
  ];
}

function pathText(id: OperationId, name: string): ParameterText {
  const noun = name === "did" ? "delivery" : (/\/([a-z]+)\/:id/.exec(operations[id].path)?.[1] ?? "");
  return {
    description: `Id of the ${noun.replace(/s$/, "")}`,
    "x-provenance": "assumed",
    "x-spec": "§4",
  };
}

function keyParameter({ choices }: Contract, provenance: Provenance): z.ZodType {
  const isQuoted = choices["key.format"] === "quoted";
  const schema = isQuoted
    ? z.union([idempotencyKey, z.string().regex(/^"[0-9A-Fa-f-]{36}"$/)])
    : idempotencyKey;
  return parameter("header", "Idempotency-Key", schema, {
    description: `Send a new UUID for each order, and the same UUID when you retry it${isQuoted ? ". It may be in double quotes." : ""}`,
    "x-provenance": provenance,
    "x-spec": "§4",
  });
}

function queryParameter(id: OperationId, name: string, filter: Filter, description: string): z.ZodType {
  const specified = id === "listCards" && name === "tokens";
  return parameter("query", name, schemaOfParameter(filter.unwrap()).optional(), {
    description,
    "x-provenance": specified ? "specified" : "assumed",
    "x-spec": specified ? "§2" : "§4",
  });
}
