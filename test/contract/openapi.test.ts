import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { defaultContract, reachablePoints } from "../../src/contract/dialect.ts";
import { openapiDocument } from "../../src/contract/openapi/document.ts";
import { resources } from "../../src/contract/openapi/resources.ts";
import { operationIds, operations } from "../../src/contract/operations.ts";
import { type ContractPointId, contractPoints } from "../../src/contract/points.ts";
import { byStatus, pointsOf, pointsOfNoOperation, sandboxErrorsOf } from "../../src/contract/responses.ts";
import { eventType } from "../../src/contract/webhook.ts";
import { temporaryFolder } from "../support/command-line.ts";

/** Without the error bodies that only dialects use. */
const shownResources = Object.entries(resources).filter(
  ([name]) => !["OAuthError", "ProblemDetails"].includes(name),
);

// biome-ignore lint/suspicious/noExplicitAny: the tests read all parts of the document
const document: any = openapiDocument();

/** An operation, with the responses that it shares with others. */
const operationOf = (id: (typeof operationIds)[number]) => {
  const { method, path } = operations[id];
  const operation = document.paths[path.replace(/:([a-z]+)/g, "{$1}")][method.toLowerCase()];
  const responses = Object.entries<{ $ref?: string }>(operation.responses).map(([status, response]) => {
    const name = response.$ref?.split("/").at(-1);
    return [status, name === undefined ? response : document.components.responses[name]];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
};

test("responses that several operations have are components, and are in the document once", () => {
  const { components, paths } = document;
  const shared = Object.entries(components.responses).filter(([name]) => name.startsWith("Response"));
  const text = JSON.stringify(paths);
  for (const [name, response] of shared) {
    expect(text.split(`"#/components/responses/${name}"`).length).toBeGreaterThan(2);
    expect(text).not.toContain(JSON.stringify(response));
  }
  expect(shared.length).toBeGreaterThan(15);
});

test("the document has the same bytes each time", () => {
  expect(JSON.stringify(openapiDocument())).toBe(JSON.stringify(document));
});

test("the document has the version of the interface, both base URLs and the Bearer scheme", () => {
  expect(document.openapi).toBe("3.1.1");
  expect(document.info.version).toBe("0.1.0");
  expect(document.servers.map(({ url }: { url: string }) => url)).toEqual([
    "{sandbox_base_url}",
    "{base_url}",
  ]);
  expect(document.components.securitySchemes.accessToken).toMatchObject({ type: "http", scheme: "bearer" });
  const unsecured = operationIds.filter((id) => operationOf(id).security?.length === 0);
  expect(unsecured).toEqual(["exchangeSandboxKey", "exchangeLiveKey"]);
});

describe.each(operationIds)("%s", (id) => {
  const operation = operationOf(id);

  test("has its provenance, its section of the specification, a tag and a summary", () => {
    expect(operation.operationId).toBe(id);
    expect(operation["x-provenance"]).toBe(operations[id].provenance);
    expect(operation["x-spec"]).toBe(operations[id].spec);
    expect(operation.tags).toHaveLength(1);
    expect(operation.summary).not.toBe("");
  });

  test("lists exactly its contract points, by status code and with an example", () => {
    const expected = [...byStatus(defaultContract, [...pointsOf(id), ...sandboxErrorsOf(id)])].map(
      ([status, points]) => [String(status), points.toSorted()],
    );
    const listed = Object.entries<ResponseObject>(operation.responses).map(([status, response]) => [
      status,
      response["x-contract-points"].map((point) => point.id).toSorted(),
    ]);
    expect(listed).toEqual(expected);
    for (const response of Object.values<ResponseObject>(operation.responses)) {
      const ids = response["x-contract-points"].map((point) => point.id);
      expect(Object.keys(response.content["application/json"].examples)).toEqual(ids);
      for (const { id, title, provenance, spec } of response["x-contract-points"]) {
        expect({ title, provenance, spec }).toEqual({
          title: contractPoints[id].title,
          provenance: contractPoints[id].provenance,
          spec: contractPoints[id].spec,
        });
      }
    }
  });
});

interface ResponseObject {
  readonly "x-contract-points": readonly {
    readonly id: ContractPointId;
    readonly title: string;
    readonly provenance: string;
    readonly spec: string;
  }[];
  readonly content: {
    readonly "application/json": { readonly examples: Record<string, unknown>; readonly schema: object };
  };
}

test("every contract point is in the document; points raised before the operation is known are components", () => {
  const ofOperations = operationIds.flatMap((id) => [...pointsOf(id), ...sandboxErrorsOf(id)]);
  const reachable = reachablePoints(defaultContract).map((point) => point.id);
  expect(new Set([...ofOperations, ...pointsOfNoOperation])).toEqual(new Set(reachable));
  const ofNoOperation = Object.keys(document.components.responses).filter((name) => !/^Response/.test(name));
  expect(ofNoOperation).toEqual([
    "bad_request",
    "request_timeout",
    "content_too_large",
    "expectation_failed",
    "headers_too_large",
    "not_found",
    "method_not_allowed",
  ]);
  expect(Object.keys(document.components.examples)).toEqual(reachable);
});

test("the order has the headers, the limits and the bodies of the specification", () => {
  const { parameters, requestBody, responses } = operationOf("orderPhysicalCard");
  expect(parameters[0]).toMatchObject({ name: "Idempotency-Key", in: "header", required: true });
  expect(requestBody.required).toBe(true);
  const { PhysicalCardOrder, DeliveryAddress } = document.components.schemas;
  expect(PhysicalCardOrder.required).toEqual(["account_id", "pin", "delivery_address", "delivery_method"]);
  expect(PhysicalCardOrder.properties.pin.pattern).toBe("^[0-9]{4}$");
  const { line1, line2, line3, city, state, post_code } = DeliveryAddress.properties;
  const lengths = [line1, line2, line3, city, state, post_code].map(({ maxLength }) => maxLength);
  expect(lengths).toEqual([100, 100, 50, 50, 50, 10]);
  const bodies = ["201", "400", "403", "404", "409", "422", "502", "503"].map(
    (status) => responses[status].content["application/json"].schema.$ref,
  );
  const [card, cardError, forbidden] = ["Card", "CardError", "GatewayError"].map(
    (name) => `#/components/schemas/${name}`,
  );
  expect(bodies).toEqual([card, cardError, forbidden, ...Array(5).fill(cardError)]);
});

describe.each(eventType.options)("the event %s", (type) => {
  const { post } = document.webhooks[type];

  test("has its own closed payload and the headers of Standard Webhooks", () => {
    const name = post.requestBody.content["application/json"].schema.$ref.split("/").at(-1);
    const schema = document.components.schemas[name];
    expect(schema.properties.type.const).toBe(type);
    expect(schema.required).toEqual(expect.arrayContaining(["type", "timestamp", "data"]));
    const data = document.components.schemas[schema.properties.data.$ref.split("/").at(-1)];
    expect([schema.additionalProperties, data.additionalProperties]).toEqual([false, false]);
    const headers = post.parameters.map(
      ({ $ref }: { $ref: string }) => document.components.parameters[$ref.split("/").at(-1) ?? ""],
    );
    expect(
      headers.map(({ name, required }: { name: string; required: boolean }) => [name, required]),
    ).toEqual([
      ["webhook-id", true],
      ["webhook-timestamp", true],
      ["webhook-signature", true],
    ]);
    expect([post["x-provenance"], post["x-spec"]]).toEqual(["assumed", "§6"]);
  });
});

test("the document describes exactly the events of the contract", () => {
  expect(Object.keys(document.webhooks)).toEqual(eventType.options);
});

test("a list has its filters, a limit and a cursor", () => {
  const names = (id: (typeof operationIds)[number]) =>
    operationOf(id)
      .parameters.filter((each: { in: string }) => each.in === "query")
      .map((each: { name: string }) => each.name);
  expect(names("listCards")).toEqual([
    "tokens",
    "account_id",
    "user_id",
    "status",
    "type",
    "limit",
    "cursor",
  ]);
  expect(names("listInvoices")).toEqual(["status", "from", "to", "limit", "cursor"]);
  expect(names("listWebhookDeliveries")).toEqual(["limit", "cursor"]);
  const tokens = operationOf("listCards").parameters[0];
  expect([tokens["x-provenance"], tokens["x-spec"]]).toEqual(["specified", "§2"]);
});

describe("each object and each of its fields has its provenance", () => {
  const fieldsOf = (schema: Field): Field[] => [
    ...Object.values(schema.properties ?? {}).flatMap((field) => [field, ...fieldsOf(field)]),
    ...[schema.items, ...(schema.anyOf ?? [])].flatMap((part) => (part ? fieldsOf(part) : [])),
  ];

  test.each(shownResources)("%s", (name, { provenance, spec }) => {
    const schema = document.components.schemas[name];
    for (const field of [schema, ...fieldsOf(schema)]) {
      expect([field["x-provenance"], field["x-spec"]]).toEqual([provenance, spec]);
    }
  });

  test("the document has no other objects", () => {
    expect(Object.keys(document.components.schemas).toSorted()).toEqual(
      shownResources.map(([name]) => name).toSorted(),
    );
  });
});

interface Field {
  readonly properties?: Record<string, Field>;
  readonly items?: Field;
  readonly anyOf?: readonly Field[];
  readonly "x-provenance"?: string;
  readonly "x-spec"?: string;
}

test("each example matches its schema", () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, "openapi.json");
  const valid = (schema: object, value: unknown) => {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi.json#/'));
    const validate = ajv.compile(absolute);
    return validate(value) ? [] : [{ value, errors: validate.errors }];
  };
  const all = operationIds.map(operationOf);
  const responses = all.flatMap(({ responses }) => Object.values<ResponseObject>(responses));
  for (const { content } of [...responses, ...Object.values<ResponseObject>(document.components.responses)]) {
    const { schema, examples } = content["application/json"];
    for (const point of Object.keys(examples)) {
      expect(valid(schema, document.components.examples[point].value)).toEqual([]);
    }
  }
  const bodies = all.flatMap(({ requestBody }) => requestBody?.content["application/json"] ?? []);
  expect(bodies).toHaveLength(operationIds.filter((id) => operationOf(id).requestBody).length);
  for (const { schema, examples } of bodies) {
    for (const { value } of Object.values<{ value: unknown }>(examples)) {
      expect(value).toBeDefined();
      expect(valid(schema, value)).toEqual([]);
    }
  }
});

test("Redocly reports no errors and no warnings", () => {
  const file = join(temporaryFolder(), "openapi.json");
  writeFileSync(file, JSON.stringify(document));
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const printed = execFileSync(
    process.execPath,
    [
      fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js")),
      "lint",
      file,
      "--config",
      join(root, "redocly.yaml"),
      "--format",
      "json",
    ],
    {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    },
  );
  expect(JSON.parse(printed).totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});
