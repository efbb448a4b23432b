import type { oas31, ZodOpenApiOperationObject } from "zod-openapi";
import { type Contract, defaultContract } from "../dialect.ts";
import type { Environment } from "../identifiers.ts";
import { recordedPage } from "../list-page.ts";
import { type OperationId, operationIds, operations, shownPath } from "../operations.ts";
import type { ContractPointId } from "../points.ts";
import { presented, presentedEvent } from "../presentation.ts";
import { errorBody, pointsOfNoOperation } from "../responses.ts";
import { examples } from "./examples.ts";
import { headersUnder } from "./headers.ts";
import { namedDocument, type OpenapiDocument } from "./named-document.ts";
import { descriptionOf, operationTexts } from "./operation-texts.ts";
import { parametersOf, sharedParametersOf } from "./parameters.ts";
import { withPresentation } from "./presentation.ts";
import { withRequests } from "./requests.ts";
import { type Resource, type ResourceName, resources } from "./resources.ts";
import { contentOf, responseOf, responsesOf } from "./responses.ts";
import { withSharedResponses } from "./shared-responses.ts";
import { webhookParameters, webhookRequests } from "./webhooks.ts";

/** The origin at which each environment is served. */
export type Origins = Partial<Record<Environment, string>>;

/** The version of the service's interface (spec §9), which is not the version of the sandbox. */
const interfaceVersion = "0.1.0";

const defaultOrigin = "http://127.0.0.1:4242";

const description = `The company-card API, as card-sandbox emulates it. Exchange an API key for an access token, order cards, and read
accounts, transactions and invoices.

The specification of the service does not show every detail. The field \`x-provenance\` of each operation, response,
parameter and schema shows where it comes from:

| \`x-provenance\` | Meaning |
|---|---|
| \`specified\` | The specification describes it, in the section \`x-spec\`. |
| \`variant\` | The specification describes it as one of two alternatives. |
| \`assumed\` | The specification does not show it, so the sandbox assumes it. The real service can behave differently. |
| \`observed\` | The specification does not show it, but someone observed it on the real service and recorded it in a dialect. |

- \`x-contract-points\` lists the contract points (behaviors of the service) that lead to a response. Each has an example, recorded from the sandbox.
- \`x-sandbox\` marks parameters, headers and responses that only the sandbox has.

Responses have only the listed fields. The sandbox ignores unknown fields in requests.`;

const tagTexts: Readonly<Record<string, string>> = {
  tokens: "Exchange an API key for an access token",
  cards: "Order, list, freeze and replace cards, and set spending limits",
  accounts: "Read currency accounts and their balances",
  transactions: "Read the transaction history, with filters and running balances",
  companies: "List the companies that the member belongs to",
  invoices: "Read the invoices of the company",
  webhooks: "Receive events such as changes of cards and transactions",
};

/**
 * The OpenAPI document of the service, made from the schemas that validate requests and from the contract points. The
 * same origins and the same dialect give the same bytes.
 * @param contract - under a dialect; default: without one
 */
export function openapiDocument(origins?: Origins, contract = defaultContract): OpenapiDocument {
  const sharedParameters = sharedParametersOf(contract);
  const shown = Object.entries<Resource>(resources).filter(([name]) =>
    isUsed(contract, name as ResourceName),
  );
  const schemas = Object.fromEntries(shown.map(([name, { schema }]) => [name, schema]));
  const points = (Object.keys(contract.points) as ContractPointId[]).filter(
    (point) => !contract.unreachable.has(point),
  );
  const document = namedDocument(schemas, {
    openapi: "3.1.1",
    info: {
      title: "Company card service",
      version: interfaceVersion,
      description,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: serversAt(origins),
    tags: Object.entries(tagTexts).map(([name, description]) => ({ name, description })),
    security: [{ accessToken: [] }],
    paths: paths(contract, sharedParameters),
    webhooks: webhookRequests(contract),
    components: {
      parameters: { ...sharedParameters, ...webhookParameters(contract) },
      headers: headersUnder(contract),
      examples: Object.fromEntries(
        points.map((point) => [
          point,
          { summary: contract.points[point].title, value: exampleOf(contract, point) },
        ]),
      ),
      responses: Object.fromEntries(
        pointsOfNoOperation.map((point) => [
          point.slice("gateway.".length),
          responseOf(contract, contract.points[point].status, [point]),
        ]),
      ),
      securitySchemes: {
        accessToken: {
          type: "http",
          scheme: "bearer",
          description: "The `access_token` of the token exchange, valid for about 15 minutes",
          "x-provenance": "specified",
          "x-spec": "§5",
        },
      },
    },
  });
  const presented = withPresentation(withProvenance(document), contract);
  return withSharedResponses(withRequests(presented, contract));
}

/** The base URLs of the environments that are served; by default both. */
export function serversAt(
  origins: Origins = { sandbox: defaultOrigin, live: defaultOrigin },
): oas31.ServerObject[] {
  const server = (variable: string, environment: string, origin: string | undefined) =>
    origin === undefined
      ? []
      : [
          {
            url: `{${variable}}`,
            description: `Base URL of the ${environment} environment`,
            variables: { [variable]: { default: origin, description: "Base URL without a trailing slash" } },
          },
        ];
  return [
    ...server("sandbox_base_url", "sandbox", origins.sandbox),
    ...server("base_url", "live", origins.live),
  ];
}

type SharedParameters = ReturnType<typeof sharedParametersOf>;

/** The bodies that no response has are left out: those of errors that only other dialects use, and those of a 204. */
function isUsed({ points }: Contract, name: ResourceName): boolean {
  if (name === "DeletedWebhook") return points["webhooks.deleted"].status !== 204;
  const envelope = { OAuthError: "oauth", ProblemDetails: "problem" }[name as string];
  return envelope === undefined || Object.values(points).some((point) => point.envelope === envelope);
}

/** The recorded response of a point; an error in the envelope that it has under the contract. */
function exampleOf(contract: Contract, point: ContractPointId): unknown {
  const { points } = contract;
  const { response } = examples[point];
  if (points[point].status < 400) {
    const lists = operationIds.find((id) => operations[id].success === point);
    // The event of a delivery is shown as it was sent, so it is changed as if it had been sent under this contract.
    const sent = JSON.parse(JSON.stringify(response), (name, value) =>
      name === "payload" ? presentedEvent(contract, value) : value,
    );
    return presented(contract, point, recordedPage(contract, lists ? operations[lists].path : "", sent));
  }
  const { error } = response as { error: string | { message: string } };
  return errorBody(contract, point, typeof error === "string" ? error : error.message);
}

function paths(
  contract: Contract,
  shared: SharedParameters,
): Record<string, Record<string, ZodOpenApiOperationObject>> {
  const byPath: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const id of operationIds) {
    const path = shownPath(operations[id]);
    byPath[path] = {
      ...byPath[path],
      [operations[id].method.toLowerCase()]: operationOf(contract, id, shared),
    };
  }
  return byPath;
}

function operationOf(
  contract: Contract,
  id: OperationId,
  shared: SharedParameters,
): ZodOpenApiOperationObject {
  const { provenance, spec, success, ...rest } = operations[id];
  const { summary, request } = operationTexts[id];
  const permission = "permission" in rest ? `Requires the permission \`${rest.permission}\`.` : "";
  const source =
    provenance === "specified"
      ? `Specified in ${spec}.`
      : `Assumed: the specification names this area in ${spec}, but does not show the operation.`;
  const area = "area" in rest ? rest.area : id === "listCompanies" ? "companies" : "tokens";
  return {
    operationId: id,
    tags: [area],
    summary,
    description: [descriptionOf(id, contract), permission, source].filter(Boolean).join(" "),
    parameters: parametersOf(contract, id, shared),
    ...(request && { requestBody: bodyOf(request, success) }),
    responses: responsesOf(contract, id),
    ...(area === "tokens" && { security: [] }),
    "x-provenance": provenance,
    "x-spec": spec,
  };
}

function bodyOf(alternatives: readonly ResourceName[], success: ContractPointId) {
  const value = examples[success].request;
  return {
    required: true,
    content: {
      "application/json": {
        ...contentOf(alternatives),
        examples: { [success]: { summary: "A valid request", value } },
      },
    },
  };
}

/** The parts of a JSON Schema that contain fields. */
interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  description?: string;
  "x-provenance"?: string;
  "x-spec"?: string;
}

/** Adds the provenance to each object and to each of its fields, in place. */
function withProvenance(document: OpenapiDocument): OpenapiDocument {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const [name, resource] of Object.entries<Resource>(resources)) {
    const schema = schemas[name];
    if (!schema) continue;
    mark(schema, resource, resource.description);
    markFields(schema, resource);
  }
  return document;
}

function markFields(schema: Schema, resource: Resource): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    mark(field, resource, resource.notes?.[name]);
    markFields(field, resource);
  }
  for (const part of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    if (part) markFields(part, resource);
  }
}

function mark(schema: Schema, { provenance, spec }: Resource, description: string | undefined): void {
  if (description !== undefined) schema.description = description;
  schema["x-provenance"] = provenance;
  schema["x-spec"] = spec;
}
