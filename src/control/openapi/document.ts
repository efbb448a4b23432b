import * as z from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from "zod-openapi";
import {
  namedDocument,
  type OpenapiDocument,
  schemaOfParameter,
} from "../../contract/openapi/named-document.ts";
import { companyQuery, worldParameters } from "../companies.ts";
import {
  type ControlOperation,
  type ControlOperationId,
  type ControlTag,
  controlOperationIds,
  controlOperations,
  controlPath,
} from "../operations.ts";
import { coverageQuery, findingsQuery, reportQuery } from "../reports.ts";
import { entryFilter, listQuery, streamQuery } from "../requests.ts";
import { armedQuery, disarmQuery } from "../scenarios.ts";
import { tapeQuery } from "../tape.ts";
import { deliveriesQuery, receivedQuery } from "../webhooks.ts";
import { type ControlSchema, type ControlSchemaName, commonNotes, controlSchemas } from "./schemas.ts";

const tags: Readonly<Record<ControlTag, string>> = {
  sandbox: "Health, contract points and this document",
  companies: "Companies with their members and accounts",
  "api-keys": "Create, list and revoke API keys, and issue access tokens",
  cards: "Change cards as the operator of the service, and move card deliveries forward",
  simulator: "Simulate merchants, banks and the invoices of the service",
  scenarios: "Choose the responses of the service",
  dialect: "How the service behaves where the specification leaves it open",
  clock: "The time of the sandbox and of each company",
  snapshots: "Reset, save and restore the world",
  requests: "The recorded requests to the service, with their responses",
  tape: "Record everything that enters the sandbox, to replay it elsewhere",
  reports: "Contract coverage, findings and webhook deliveries",
};

const description = `The control API of card-sandbox: create companies and API keys, arm scenarios, move the clock, \
simulate payments, and read what the client did. It belongs to the sandbox; the real service has no control API.

By default, the control API accepts only requests from the machine that runs the sandbox. If the sandbox was started with an admin token, send
it as \`Authorization: Bearer TOKEN\`. With \`--no-control\` there is no control API.

Requests with unknown fields return 400. Responses contain only the listed fields.`;

const uuid = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** One example of each request body. */
const bodyExamples = {
  NewCompany: { name: "Acme", card_quota: 2, members: [{ role: "owner" }], accounts: [{ currency: "GBP" }] },
  CompanyChange: { status: "suspended" },
  AccountChange: { status: "closed" },
  MemberChange: { role: "employee" },
  NewApiKey: { member: "northwind-owner", environment: "sandbox" },
  OperatorRequest: { action: "suspend" },
  DeliveryChange: { status: "shipped" },
  NewAuthorisation: { card_id: uuid, amount: "25.50", currency: "EUR", merchant: "Book Shop" },
  NewClearing: { amount: "25.50" },
  NewReversal: { amount: "5.00" },
  NewRefund: { transaction_id: uuid, amount: "5.00" },
  NewFunding: { account_id: uuid, amount: "100.00" },
  NewInvoice: { company: "northwind", net: "10.00" },
  Arming: { company: "northwind", times: 1 },
  ClockChange: { now: "2030-01-01T00:00:00Z" },
  ClockAdvance: { by: "PT15M" },
  DialectChange: { dialect: { "replay.status": "200" }, company: "northwind" },
  ResetRequest: { company: "northwind" },
  NewSnapshot: { name: "before-the-test" },
} as const satisfies Partial<Record<ControlSchemaName, object>>;

/** The objects in the request bodies. */
const bodies: Readonly<Partial<Record<ControlOperationId, keyof typeof bodyExamples>>> = {
  createCompany: "NewCompany",
  changeCompany: "CompanyChange",
  changeAccount: "AccountChange",
  changeMember: "MemberChange",
  createApiKey: "NewApiKey",
  changeCardAsOperator: "OperatorRequest",
  changeCardDelivery: "DeliveryChange",
  simulateAuthorisation: "NewAuthorisation",
  clearAuthorisation: "NewClearing",
  reverseAuthorisation: "NewReversal",
  simulateRefund: "NewRefund",
  simulateTopUp: "NewFunding",
  simulateFee: "NewFunding",
  createInvoice: "NewInvoice",
  armScenario: "Arming",
  changeClock: "ClockChange",
  advanceClock: "ClockAdvance",
  replaceDialect: "DialectChange",
  reset: "ResetRequest",
  createSnapshot: "NewSnapshot",
};

type WithJson = {
  [Id in ControlOperationId]: (typeof controlOperations)[Id]["success"] extends 204 ? never : Id;
}[Exclude<ControlOperationId, "streamRequests" | "getTapeFile">];

/** The objects in the responses of success. */
const results: Readonly<Record<WithJson, ControlSchemaName>> = {
  getPaths: "Paths",
  getHealth: "Health",
  getControlDocument: "OpenapiDocument",
  listContractPoints: "ContractPointList",
  getWorld: "World",
  createCompany: "Company",
  changeCompany: "Company",
  changeAccount: "CompanyAccount",
  changeMember: "Member",
  listApiKeys: "ApiKeyList",
  createApiKey: "CreatedApiKey",
  revokeApiKey: "ApiKey",
  issueAccessToken: "AccessToken",
  changeCardAsOperator: "Card",
  expireCard: "Card",
  getCardDelivery: "CardDelivery",
  changeCardDelivery: "CardDelivery",
  simulateAuthorisation: "Transaction",
  clearAuthorisation: "Transaction",
  reverseAuthorisation: "Transaction",
  expireAuthorisation: "Transaction",
  simulateRefund: "Transaction",
  simulateTopUp: "Transaction",
  simulateFee: "Transaction",
  createInvoice: "Invoice",
  payInvoice: "Invoice",
  voidInvoice: "Invoice",
  listScenarios: "ScenarioList",
  armScenario: "ArmedScenario",
  listUnusedScenarios: "UnusedScenarioList",
  listArmedScenarios: "ArmedScenarioList",
  getArmedScenario: "ArmedScenario",
  releaseRequests: "ReleasedRequests",
  getClock: "Clock",
  changeClock: "Clock",
  advanceClock: "Clock",
  getDialect: "Dialect",
  replaceDialect: "Dialect",
  reset: "Clock",
  listSnapshots: "SnapshotList",
  createSnapshot: "Snapshot",
  restoreSnapshot: "Clock",
  listRequests: "RecordedRequestList",
  getRequest: "RecordedRequest",
  getTape: "Tape",
  beginTape: "Tape",
  getCoverage: "Coverage",
  getFindings: "Findings",
  getReport: "RunReport",
  listDeliveries: "DeliveryList",
  listReceived: "ReceivedList",
};

/** The query parameters. */
const queries: Readonly<Partial<Record<ControlOperationId, z.ZodLazy<z.ZodObject>>>> = {
  getWorld: worldParameters,
  listApiKeys: companyQuery,
  listContractPoints: companyQuery,
  getClock: companyQuery,
  getDialect: companyQuery,
  removeDialect: companyQuery,
  listArmedScenarios: armedQuery,
  disarmScenarios: disarmQuery,
  listRequests: listQuery,
  streamRequests: streamQuery,
  getTapeFile: tapeQuery,
  getCoverage: coverageQuery,
  getFindings: findingsQuery,
  getReport: reportQuery,
  listDeliveries: deliveriesQuery,
  listReceived: receivedQuery,
};

const queryNotes: Readonly<Record<string, string>> = {
  ...commonNotes,
  company: "Only this company: its id, slug or `live/SLUG`",
  environment: "Only companies of this environment",
  search: "Only companies whose name, slug or id contains this text",
  limit: "Maximum number of items in the response",
  after: "The id of the last item of the previous page",
  operation: "Only requests to this operation",
  status: "Only responses with this status code",
  point: "Only requests whose response belongs to this contract point",
  scenario: "Only requests on which this scenario fired",
  idempotency_key: "Only requests with this `Idempotency-Key`",
  last_event_id: "The id of the last received event, for clients that cannot send the header `Last-Event-ID`",
  until: "The id of the last request on the tape. Default: all that was recorded",
  exclude: "Comma-separated contract points to leave out of the totals; `*` matches any text",
  finished: "`true`: only scenarios whose `times` are used up",
  final: "`true`: the client has finished, so the report includes findings about missing requests",
  evidence: "`false`: the requests of findings have no headers and no bodies. Default: `true`",
  name: "Only this receiver: the last part of its URL",
  format: "The format of the report. Default: `json`",
};

const searchNote =
  "Only requests that match all of these terms, such as `status:4xx company:northwind point:order.* key:3f0c " +
  '"text"`; `-` before a term negates it';

/** The path parameters, by the first part of the path. */
const pathNotes: Readonly<Record<string, string>> = {
  companies: "A company by its id, slug or `live/SLUG`",
  accounts: "An account by its id, or by its slug with `company` in the body",
  members: "A member by id or slug",
  "api-keys": "The id of an API key",
  cards: "The id of a card",
  simulate: "The id of the payment",
  invoices: "The id of an invoice",
  scenarios: "The name of a scenario",
  armed: "The id of an armed scenario",
  snapshots: "The name of a snapshot",
  requests: "The id of a recorded request",
};

const errorTexts = {
  400: "The request is invalid",
  401: "The admin token is missing or wrong",
  403: "The request has a host name that is not allowed, or comes from another web page or from a webhook delivery",
  404: "An object that the request names does not exist",
  409: "The state of an object, or a limit of the sandbox, does not allow the change",
  413: "The body is larger than 1 MiB",
  500: "Internal error of the sandbox (a bug in card-sandbox). Its log shows the cause",
  503: "The database cannot be used at the moment",
} as const;
type ErrorStatus = keyof typeof errorTexts;

/** Operations that need no admin token. */
const open: readonly ControlOperationId[] = ["getHealth", "getControlDocument"];

let made: OpenapiDocument | undefined;

/**
 * The OpenAPI document of the control API, made of the table of operations and of the schemas that validate its requests.
 * @param origin - where it is served
 */
export function controlDocument(origin = "http://127.0.0.1:4242"): OpenapiDocument {
  made ??= makeDocument();
  return { ...made, servers: [{ url: origin, description: "The sandbox" }] };
}

function makeDocument(): OpenapiDocument {
  const schemas = Object.fromEntries(
    Object.entries(controlSchemas).map(([name, { schema }]) => [name, schema]),
  );
  const document = namedDocument(schemas, {
    openapi: "3.1.1",
    info: {
      title: "card-sandbox control API",
      version: "0.1.0",
      description,
      license: { name: "MIT", identifier: "MIT" },
    },
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{}, { adminToken: [] }],
    paths: paths(),
    components: {
      responses: Object.fromEntries(
        Object.entries(errorTexts).map(([status, description]) => [
          `Error${status}`,
          errorResponse(description),
        ]),
      ),
      securitySchemes: {
        adminToken: {
          type: "http",
          scheme: "bearer",
          description: "The admin token, if the sandbox was started with one",
        },
      },
    },
  });
  removeParameterMetadata(document);
  describeFields(document);
  return document;
}

function paths(): Record<string, Record<string, ZodOpenApiOperationObject>> {
  const byPath: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const id of controlOperationIds) {
    const path = controlPath(id);
    byPath[path] = { ...byPath[path], [controlOperations[id].method.toLowerCase()]: operationOf(id) };
  }
  return byPath;
}

function operationOf(id: ControlOperationId): ZodOpenApiOperationObject {
  const { tag, summary, description }: ControlOperation = controlOperations[id];
  const body = bodies[id];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    parameters: [...pathParameters(id), ...queryParameters(id)],
    ...(body && { requestBody: bodyOf(body) }),
    responses: responsesOf(id),
    ...(open.includes(id) && { security: [] }),
  };
}

/** A body may be left out if an empty object is valid. */
function bodyOf(name: keyof typeof bodyExamples) {
  const { schema } = controlSchemas[name];
  const required = !schema.safeParse({}).success;
  return { required, content: { "application/json": { schema, example: bodyExamples[name] } } };
}

function pathParameters(id: ControlOperationId): z.ZodType[] {
  const path = controlPath(id);
  const [, kind = ""] = /^\/_sandbox\/([^/]+)/.exec(path) ?? [];
  const description = pathNotes[kind] ?? "";
  const names = [...path.matchAll(/\{([a-z]+)\}/g)].map(([, name = ""]) => name);
  return names.map((name) => z.string().meta({ param: { name, in: "path", description } }));
}

function queryParameters(id: ControlOperationId): z.ZodType[] {
  const fields = Object.entries<z.ZodType>(queries[id]?.unwrap().shape ?? {}).map(([name, field]) => {
    const schema = parameterSchema(field).optional();
    const list = schema.unwrap() instanceof z.ZodArray && { style: "form" as const, explode: false };
    const note = (field === entryFilter.search && searchNote) || (queryNotes[name] ?? "");
    return schema.meta({ param: { name, in: "query", description: note, ...list } });
  });
  const description = "The id of the last received event";
  const lastEventId = z
    .string()
    .optional()
    .meta({ param: { name: "Last-Event-ID", in: "header", description } });
  return id === "streamRequests" ? [...fields, lastEventId] : fields;
}

function parameterSchema(field: z.ZodType): z.ZodType {
  const isWrapped = field instanceof z.ZodOptional || field instanceof z.ZodDefault;
  return isWrapped ? parameterSchema(field.unwrap() as z.ZodType) : schemaOfParameter(field);
}

function responsesOf(id: ControlOperationId): ZodOpenApiOperationObject["responses"] {
  const { success, errors }: ControlOperation = controlOperations[id];
  const statuses: ErrorStatus[] = [
    ...errors,
    ...(open.includes(id) ? [] : [401 as const]),
    403,
    ...(bodies[id] ? [413 as const] : []),
    500,
    503,
  ];
  return {
    [`${success}`]: successOf(id),
    ...(id === "getPaths" && { "303": { description: "For browsers: a redirect to the dashboard" } }),
    ...Object.fromEntries(
      statuses.map((status) => [`${status}`, { $ref: `#/components/responses/Error${status}` }]),
    ),
  };
}

function successOf(id: ControlOperationId): ZodOpenApiResponseObject {
  const text = { schema: z.string() };
  if (id === "streamRequests") return { description: "The events", content: { "text/event-stream": text } };
  if (id === "getTapeFile") {
    const file = z.string().meta({ format: "binary" });
    return { description: "The file", content: { "application/gzip": { schema: file } } };
  }
  const name = id in results ? results[id as WithJson] : undefined;
  if (name === undefined) return { description: "Done" };
  const { schema, description } = controlSchemas[name];
  const isReport = id === "getCoverage" || id === "getFindings";
  return {
    description,
    content: {
      "application/json": { schema },
      ...(isReport && { "text/markdown": text, "application/xml": text, "text/html": text }),
    },
  };
}

function errorResponse(description: string): ZodOpenApiResponseObject {
  return { description, content: { "application/json": { schema: controlSchemas.Error.schema } } };
}

/** Removes metadata that zod-openapi leaves in the schema of a parameter that is a component; changes the document in place. */
function removeParameterMetadata(document: OpenapiDocument): void {
  for (const { parameters = [] } of Object.values(document.paths ?? {}).flatMap((path) =>
    Object.values(path),
  )) {
    for (const { schema } of parameters) delete schema?.param;
  }
}

/** Describes each object and its fields; changes the document in place. */
function describeFields(document: OpenapiDocument): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Described>;
  for (const [name, schema] of Object.entries(schemas)) {
    const { description, notes }: ControlSchema = controlSchemas[name as ControlSchemaName];
    schema.description = description;
    for (const [field, property] of Object.entries(schema.properties ?? {})) {
      const note = notes?.[field] ?? commonNotes[field];
      if (note !== undefined) property.description ??= note;
    }
    describeDefaults(schema);
  }
}

/** Writes defaults into descriptions: generators of clients make a field with a default a required one. */
function describeDefaults(schema: Described): void {
  for (const property of [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
  ]) {
    if (property.default !== undefined) {
      const text = `Default: \`${JSON.stringify(property.default)}\``;
      property.description = property.description ? `${property.description}. ${text}` : text;
      delete property.default;
    }
    describeDefaults(property);
  }
}

interface Described {
  description?: string;
  default?: unknown;
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, Described>>;
}
