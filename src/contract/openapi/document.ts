import * as z from "zod";
import { createDocument, type oas31, type ZodOpenApiOperationObject } from "zod-openapi";
import type { Environment } from "../identifiers.ts";
import { type OnBehalfOfMode, type OperationId, operationIds, operations } from "../operations.ts";
import { contractPoints, type PointId } from "../points.ts";
import { pointsOfNoOperation } from "../responses.ts";
import { examples } from "./examples.ts";
import { headers } from "./headers.ts";
import { operationTexts } from "./operation-texts.ts";
import { parametersOf, sharedParametersOf } from "./parameters.ts";
import { type Resource, type ResourceName, resources } from "./resources.ts";
import { contentOf, responseOf, responsesOf } from "./responses.ts";
import { webhookParameters, webhookRequests } from "./webhooks.ts";

/** The origin at which each environment is served. */
export type Origins = Partial<Record<Environment, string>>;

/** The version of the service's interface (spec §9), which is not the sandbox's own. */
const interfaceVersion = "0.1.0";

const usualOrigin = "http://127.0.0.1:4242";

const description = `The company-card service as card-sandbox serves it.

\`x-provenance\` says of each operation, answer, parameter and field whether the service's specification shows it:
\`specified\`, it does; \`variant\`, it describes two ways; \`assumed\`, it does not, and this is the sandbox's guess.
\`x-spec\` is the section. \`x-contract-points\` are the behaviours that lead to an answer; each has an example under its
id, taken from the sandbox. What is marked \`x-sandbox\` is the sandbox's own, and never the service's.

Objects of answers are closed: the sandbox sends no field that is not listed. Fields of requests that are not listed
are ignored.`;

const tagTexts: Readonly<Record<string, string>> = {
  tokens: "API key to access token",
  cards: "Issue, list, freeze, replace, set spending limits",
  accounts: "Currency accounts and available balances",
  transactions: "History with filters, pagination and running balances",
  companies: "The companies that the member belongs to",
  invoices: "What the service charges the company",
  webhooks: "Be told of what happens",
};

/**
 * The description of the service's interface, made of the schemas that validate requests and of the contract's
 * table of points. The same origins and the same mode give the same bytes.
 * @param onBehalfOf - which operations require the header `X-On-Behalf-Of`
 */
export function openapiDocument(origins?: Origins, onBehalfOf: OnBehalfOfMode = "optional"): OpenapiDocument {
  const sharedParameters = sharedParametersOf(onBehalfOf);
  // By its name each object is rendered once, and as it is used: open in requests, closed in answers. The registry is
  // every schema's in the process, so the names are removed again, and the other metadata of each schema is restored.
  const named = Object.entries(resources).map(([id, { schema }]) => {
    const known = z.globalRegistry.get(schema);
    z.globalRegistry.add(schema, { ...known, id });
    return { schema, known };
  });
  const document = createDocument(
    {
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
      paths: paths(sharedParameters),
      webhooks: webhookRequests(),
      components: {
        parameters: { ...sharedParameters, ...webhookParameters },
        headers,
        examples: Object.fromEntries(
          (Object.keys(contractPoints) as PointId[]).map((point) => [
            point,
            { summary: contractPoints[point].title, value: examples[point].answer },
          ]),
        ),
        responses: Object.fromEntries(
          pointsOfNoOperation.map((point) => [
            point.slice("gateway.".length),
            responseOf(contractPoints[point].status, [point]),
          ]),
        ),
        securitySchemes: {
          accessToken: {
            type: "http",
            scheme: "bearer",
            description: "The `access_token` of the token exchange, for about 15 minutes",
            "x-provenance": "specified",
            "x-spec": "§5",
          },
        },
      },
    },
    { override: ({ jsonSchema }) => tidy(jsonSchema) },
  );
  for (const { schema, known } of named) {
    z.globalRegistry.remove(schema);
    if (known) z.globalRegistry.add(schema, known);
  }
  return withProvenance(document);
}

/** The servers of the description: the base addresses of both environments, or those that are served. */
export function serversAt(
  origins: Origins = { sandbox: usualOrigin, live: usualOrigin },
): oas31.ServerObject[] {
  const server = (variable: string, environment: string, origin: string | undefined) =>
    origin === undefined
      ? []
      : [
          {
            url: `{${variable}}`,
            description: `The ${environment} base address`,
            variables: { [variable]: { default: origin, description: "Without a slash at its end" } },
          },
        ];
  return [
    ...server("sandbox_base_url", "sandbox", origins.sandbox),
    ...server("base_url", "live", origins.live),
  ];
}

type SharedParameters = ReturnType<typeof sharedParametersOf>;

function paths(shared: SharedParameters): Record<string, Record<string, ZodOpenApiOperationObject>> {
  const byPath: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const id of operationIds) {
    const path = operations[id].path.replace(/:([a-z]+)/g, "{$1}");
    byPath[path] = { ...byPath[path], [operations[id].method.toLowerCase()]: operationOf(id, shared) };
  }
  return byPath;
}

function operationOf(id: OperationId, shared: SharedParameters): ZodOpenApiOperationObject {
  const { provenance, spec, success, ...rest } = operations[id];
  const { summary, description = "", takes } = operationTexts[id];
  const permission = "permission" in rest ? `Requires permission \`${rest.permission}\`.` : "";
  const said =
    provenance === "specified"
      ? `Specified (${spec}).`
      : `Assumed (${spec}): the specification does not show this operation.`;
  const area = "area" in rest ? rest.area : id === "listCompanies" ? "companies" : "tokens";
  return {
    operationId: id,
    tags: [area],
    summary,
    description: [description, permission, said].filter(Boolean).join(" "),
    parameters: parametersOf(id, shared),
    ...(takes && { requestBody: bodyOf(takes, success) }),
    responses: responsesOf(id),
    ...(area === "tokens" && { security: [] }),
    "x-provenance": provenance,
    "x-spec": spec,
  };
}

function bodyOf(takes: readonly ResourceName[], success: PointId) {
  const value = examples[success].request;
  return {
    required: true,
    content: {
      "application/json": {
        ...contentOf(takes),
        examples: { [success]: { summary: "As it is taken", value } },
      },
    },
  };
}

/** Leaves out what says nothing: a pattern that spells out its format, and bounds that are JavaScript's own. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format !== undefined && schema.format !== "uri") delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** An OpenAPI 3.1 description. */
export type OpenapiDocument = oas31.OpenAPIObject;

/** A JSON Schema, as far as fields are found in it. */
interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  description?: string;
  "x-provenance"?: string;
  "x-spec"?: string;
}

/** Says of each object of the description, and of each field of it, who says so; changes it in place. */
function withProvenance(document: OpenapiDocument): OpenapiDocument {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const [name, resource] of Object.entries<Resource>(resources)) {
    const schema = schemas[name];
    if (!schema) throw new Error(`the description has no object ${name}`);
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
