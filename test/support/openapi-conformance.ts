import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type Contract, defaultContract } from "../../src/contract/dialect.ts";
import { openapiDocument } from "../../src/contract/openapi/document.ts";
import { operations } from "../../src/contract/operations.ts";
import { pointsOfNoOperation } from "../../src/contract/responses.ts";
import type { Exchange, Messages } from "../../src/journal/exchange.ts";

/** An exchange with its messages. */
export type Observed = Exchange & Messages;

/** A response of the OpenAPI document. */
interface Described {
  /** Refers to a response that several operations have. */
  readonly $ref?: string;
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  /** By media type; absent for a response without a body. */
  readonly content?: Readonly<Record<string, object>>;
  readonly "x-contract-points": readonly { readonly id: string }[];
}

interface Description {
  readonly webhooks: Record<string, object>;
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Described> }>>;
  readonly components: {
    readonly parameters: Record<string, { readonly name: string }>;
    readonly responses: Record<string, Described>;
    readonly headers: Record<string, { readonly required?: boolean }>;
  };
}

interface OpenedDocument {
  readonly description: Description;
  readonly ajv: Ajv2020;
}

const opened = new WeakMap<Contract, OpenedDocument>();

/** The OpenAPI document of a contract, made once per test file, with a validator. */
function document(contract: Contract): OpenedDocument {
  const known = opened.get(contract);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const description = openapiDocument(undefined, contract) as unknown as Description;
  ajv.addSchema(description, "openapi.json");
  const made = { description, ajv };
  opened.set(contract, made);
  return made;
}

/** The response of an exchange in the OpenAPI document, and the JSON pointer to it. */
function answerFor(exchange: Observed): { readonly answer: Described | undefined; readonly pointer: string } {
  const { operation, point = "", status, contract } = exchange;
  const { paths, components } = document(contract).description;
  if (pointsOfNoOperation.some((each) => each === point)) {
    const name = point.slice("gateway.".length);
    return { answer: components.responses[name], pointer: `/components/responses/${name}` };
  }
  // Under /developer, 401 is decided before the operation is known.
  const id = operation ?? (point.startsWith("auth.") ? "orderPhysicalCard" : undefined);
  if (!id) return { answer: undefined, pointer: "" };
  const path = operations[id].path.replace(/:([a-z]+)/g, "{$1}");
  const method = operations[id].method.toLowerCase();
  const answer = paths[path]?.[method]?.responses[String(status)];
  const shared = answer?.$ref?.split("/").at(-1);
  return shared === undefined
    ? { answer, pointer: `/paths/${escaped(path)}/${method}/responses/${status}` }
    : { answer: components.responses[shared], pointer: `/components/responses/${shared}` };
}

const escaped = (path: string) => encodeURIComponent(path.replaceAll("~", "~0").replaceAll("/", "~1"));

/** A request to the receiver of a webhook. */
export interface SentEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @throws Error if a response or an event breaks the OpenAPI document, which fails every test that opened a sandbox */
export function checkConformance(exchanges: readonly Observed[], events: readonly SentEvent[] = []): void {
  const contract = exchanges.at(-1)?.contract ?? defaultContract;
  const ofEvents = events.flatMap((event) => eventBreaches(contract, event));
  const found = new Set([...exchanges.flatMap(breaches), ...ofEvents]);
  if (found.size > 0) throw new Error(`breaks /openapi.json:\n${[...found].join("\n")}`);
}

/** The parameters of the OpenAPI document that each event sends as headers. */
const webhookHeaders = ["WebhookId", "WebhookTimestamp", "WebhookSignature"];

function eventBreaches(contract: Contract, { headers, body }: SentEvent): string[] {
  const { webhooks, components } = document(contract).description;
  const { type } = JSON.parse(body);
  if (!webhooks[type]) return [`the document has no event ${type}`];
  const found = schemaBreaches(
    contract,
    `/webhooks/${escaped(type)}/post/requestBody/content/application~1json/schema`,
    JSON.parse(body),
  );
  for (const parameter of webhookHeaders) {
    const name = components.parameters[parameter]?.name;
    // The timestamp can be part of the signature.
    if (name === undefined) continue;
    const value = headers[name];
    if (value === undefined) found.push(`the header ${name} is missing`);
    else found.push(...headerValueBreaches(contract, name, `#/components/parameters/${parameter}`, value));
  }
  if (headers["content-type"] !== "application/json") found.push("the content type is not application/json");
  return found.map((breach) => `event ${type}: ${breach}`);
}

/** The parts of a response that the document does not declare: status, point, header, content type, field. */
function breaches(exchange: Observed): string[] {
  const { operation, method, path, status, point, contract, fault, responseHeaders, responseBody } = exchange;
  // There was no response, or the control API failed, which the document does not describe.
  if (status === undefined || path.startsWith("/_sandbox/")) return [];
  const what = `${operation ?? `${method} ${path}`} ${status} (${point})`;
  const { answer, pointer } = answerFor(exchange);
  if (!answer) return [`${what}: the document has no such response`];
  const found: string[] = [];
  // A gateway that loses a response has a point of its own.
  const isDecided = fault !== "response.bad_gateway";
  if (isDecided && !answer["x-contract-points"].some(({ id }) => id === point)) {
    found.push("the document names no such point there");
  }
  found.push(...headerBreaches(contract, answer, responseHeaders));
  if (fault !== "response.truncated")
    found.push(...bodyBreaches(contract, pointer, responseHeaders["Content-Type"], responseBody));
  return found.map((breach) => `${what}: ${breach}`);
}

/** Headers that Node sets, or that belong to the body. */
const ofTransport = new Set(["content-type", "content-length"]);

function headerBreaches(
  contract: Contract,
  { headers, content = {} }: Described,
  sent: Readonly<Record<string, string>>,
): string[] {
  const { components } = document(contract).description;
  const names = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  const has = new Set(Object.keys(sent).map((name) => name.toLowerCase()));
  const undeclared = [...has].filter((name) => !names.has(name) && !ofTransport.has(name));
  const missing = [...names].filter(([name, declared]) => {
    const component = headers[declared]?.$ref.split("/").at(-1) ?? "";
    return components.headers[component]?.required && !has.has(name);
  });
  const type = sent["Content-Type"];
  const isDeclared = type === undefined ? Object.keys(content).length === 0 : type in content;
  return [
    ...undeclared.map((name) => `the document declares no header ${name}`),
    ...missing.map(([, name]) => `the header ${name} is missing`),
    ...Object.entries(headers).flatMap(([name, { $ref }]) =>
      headerValueBreaches(contract, name, $ref, sent[name]),
    ),
    ...(isDeclared ? [] : [`the document declares no content type ${type}`]),
  ];
}

function headerValueBreaches(
  contract: Contract,
  name: string,
  $ref: string,
  value: string | undefined,
): string[] {
  if (value === undefined) return [];
  return schemaBreaches(contract, `${$ref.slice(1)}/schema`, value).map(
    (breach) => `the header ${name} ${breach}`,
  );
}

function bodyBreaches(
  contract: Contract,
  pointer: string,
  type: string | undefined,
  body: string | undefined,
): string[] {
  if (type === undefined) return body ? ["there is a body without a content type"] : [];
  try {
    return schemaBreaches(contract, `${pointer}/content/${escaped(type)}/schema`, JSON.parse(body ?? ""));
  } catch (error) {
    if (error instanceof SyntaxError) return ["the body is not JSON"];
    throw error;
  }
}

function schemaBreaches(contract: Contract, pointer: string, value: unknown): string[] {
  const validate = document(contract).ajv.getSchema(`openapi.json#${pointer}`) as
    | ValidateFunction
    | undefined;
  if (!validate) return [`${pointer} is not in the document`];
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath || "the body"} ${message} ${JSON.stringify(params)}`.trim(),
  );
}
