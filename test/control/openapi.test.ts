import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { createControl } from "../../src/control/app.ts";
import { limits } from "../../src/control/errors.ts";
import { Gate } from "../../src/control/gate.ts";
import { controlDocument } from "../../src/control/openapi/document.ts";
import {
  type ControlOperation,
  type ControlOperationId,
  controlOperationIds,
  controlOperations,
  controlPath,
} from "../../src/control/operations.ts";
import type { ControlServices } from "../../src/control/services.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { cardOf, openSandbox } from "../support/open-sandbox.ts";

const document = JSON.parse(JSON.stringify(controlDocument()));
const unknownId = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** A sandbox, and the operations that were called on it with their statuses. */
function openWalk() {
  const sandbox = openSandbox();
  const met = new Set<string>();
  const call = async (id: ControlOperationId, status: number, name = "", body?: unknown) => {
    const { method } = controlOperations[id];
    const [path = "", query = ""] = name.split("?");
    const url = controlPath(id).replace(/\{[a-z]+\}/, encodeURIComponent(path)) + (query && `?${query}`);
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const reply = await sandbox.request(url, { method, ...sent });
    expect([id, reply.status, reply.text]).toEqual([id, status, expect.anything()]);
    met.add(`${id} ${status}`);
    return reply.json;
  };
  return { ...sandbox, met, call };
}
type Walk = ReturnType<typeof openWalk>;

async function walkCompanies({ call }: Walk): Promise<void> {
  await call("getWorld", 200, "?limit=2&environment=sandbox");
  await call("getWorld", 400, "?limit=0");
  await call("getWorld", 404, "?company=nobody");
  const { id, accounts, members } = await call("createCompany", 201, "", { slug: "acme" });
  await call("createCompany", 400, "", { card_quota: -1 });
  await call("createCompany", 409, "", { slug: "acme" });
  await call("changeCompany", 200, "live/northwind", { status: "suspended" });
  await call("changeCompany", 400, id, { status: "asleep" });
  await call("changeCompany", 404, "nobody", {});
  await call("changeAccount", 200, accounts[0].id, { status: "closed" });
  await call("changeAccount", 400, accounts[0].id, {});
  await call("changeAccount", 404, unknownId, { status: "closed" });
  await call("changeMember", 200, members[2].slug, { role: "accountant" });
  await call("changeMember", 400, members[2].slug, { role: "king" });
  await call("changeMember", 404, "nobody", {});
  await call("deleteCompany", 204, id);
  await call("deleteCompany", 404, id);
  await call("listApiKeys", 200, "?company=northwind");
  await call("listApiKeys", 404, "?company=nobody");
  const key = { member: "halfway-owner", environment: "sandbox" };
  const made = await call("createApiKey", 201, "", key);
  await call("issueAccessToken", 201, made.id);
  await call("issueAccessToken", 404, unknownId);
  await call("createApiKey", 400, "", {});
  await call("createApiKey", 404, "", { ...key, member: "nobody" });
  await call("changeMember", 200, "halfway-owner", { status: "inactive" });
  await call("createApiKey", 409, "", key);
  await call("revokeApiKey", 200, made.id);
  await call("issueAccessToken", 409, made.id);
  await call("revokeApiKey", 404, unknownId);
}

async function walkCards({ call, order }: Walk): Promise<void> {
  const { id, account_id } = cardOf(await order());
  await call("getCardDelivery", 200, id);
  await call("getCardDelivery", 404, unknownId);
  await call("changeCardDelivery", 200, id, { status: "shipped" });
  await call("changeCardDelivery", 400, id, { status: "lost" });
  await call("changeCardDelivery", 404, unknownId, { status: "shipped" });
  await call("changeCardDelivery", 409, id, { status: "produced" });
  await walkPayments(call, id, account_id);
  await call("changeCardAsOperator", 200, id, { action: "lock" });
  await call("changeCardAsOperator", 400, id, {});
  await call("changeCardAsOperator", 404, unknownId, { action: "lock" });
  await call("changeCardAsOperator", 409, id, { action: "activate" });
  await call("expireCard", 200, id);
  await call("expireCard", 404, unknownId);
  await call("expireCard", 409, id);
}

async function walkPayments(call: Walk["call"], card_id: string, account_id: string): Promise<void> {
  const authorise = () =>
    call("simulateAuthorisation", 201, "", { card_id, amount: "20.00", merchant: "Shop" });
  await call("simulateAuthorisation", 400, "", { card_id, amount: "-1" });
  await call("simulateAuthorisation", 404, "", { card_id: unknownId, amount: "1.00" });
  const { id } = await authorise();
  await call("clearAuthorisation", 200, id, { amount: 5 });
  await call("clearAuthorisation", 400, id, { amount: "none" });
  await call("clearAuthorisation", 404, unknownId);
  await call("reverseAuthorisation", 400, id, { amount: true });
  await call("reverseAuthorisation", 404, unknownId);
  await call("reverseAuthorisation", 200, id, { amount: "1.00" });
  const { id: completed } = await call("clearAuthorisation", 200, id);
  await call("clearAuthorisation", 409, id);
  await call("reverseAuthorisation", 409, id);
  await call("expireAuthorisation", 200, (await authorise()).id);
  await call("expireAuthorisation", 404, unknownId);
  await call("expireAuthorisation", 409, id);
  const refund = { transaction_id: completed, amount: "1.00" };
  await call("simulateRefund", 201, "", refund);
  await call("simulateRefund", 400, "", {});
  await call("simulateRefund", 404, "", { transaction_id: unknownId });
  await call("simulateRefund", 409, "", { ...refund, amount: "1000.00" });
  for (const id of ["simulateTopUp", "simulateFee"] as const) {
    await call(id, 201, "", { account_id, amount: "10.00" });
    await call(id, 400, "", { account_id });
    await call(id, 404, "", { account_id: unknownId, amount: "10.00" });
  }
}

async function walkInvoices({ call, account, database }: Walk): Promise<void> {
  const closed = { account_id: account("northwind", "closed").id, amount: "1.00" };
  await call("simulateTopUp", 409, "", closed);
  await call("simulateFee", 409, "", closed);
  const issue = (status: number, body: object) => call("createInvoice", status, "", body);
  const [paid, voided] = [
    await issue(201, { company: "northwind" }),
    await issue(201, { company: "northwind" }),
  ];
  await issue(400, {});
  await issue(404, { company: "nobody" });
  for (const [id, invoice] of [
    ["payInvoice", paid],
    ["voidInvoice", voided],
  ] as const) {
    await call(id, 200, invoice.id);
    await call(id, 404, unknownId);
    await call(id, 409, invoice.id);
  }
  database.run("UPDATE invoices SET position = ? WHERE id = ?", limits.invoices, paid.id);
  await issue(409, { company: "northwind" });
}

async function walkScenarios({ call, control }: Walk): Promise<void> {
  await call("listScenarios", 200);
  const { id } = await call("armScenario", 201, "quota-reached", { company: "northwind", times: 1 });
  await call("armScenario", 400, "quota-raeched");
  await call("armScenario", 404, "quota-reached", { company: "nobody" });
  await call("getArmedScenario", 200, id);
  await call("getArmedScenario", 404, unknownId);
  await call("releaseRequests", 200, id);
  await call("releaseRequests", 404, unknownId);
  await call("listArmedScenarios", 200);
  await call("listArmedScenarios", 400, "?compny=northwind");
  await call("listArmedScenarios", 404, "?company=nobody");
  await call("disarmScenario", 204, id);
  await call("disarmScenario", 404, id);
  for (let n = 0; n < limits.armedScenarios; n++) control.scenarios.arm("quota-reached");
  await call("armScenario", 409, "quota-reached");
  await call("disarmScenarios", 204, "?company=halfway");
  await call("disarmScenarios", 400, "?compny=northwind");
  await call("disarmScenarios", 404, "?company=nobody");
  await call("disarmScenarios", 204);
  await call("listUnusedScenarios", 200);
}

async function walkState({ call, snapshot }: Walk): Promise<void> {
  await call("getClock", 200, "?company=northwind");
  await call("getClock", 404, "?company=nobody");
  await call("changeClock", 200, "", { frozen: true });
  await call("changeClock", 400, "", { now: "tomorrow" });
  await call("changeClock", 404, "", { company: "nobody", now: "2030-01-01T00:00:00Z" });
  await call("changeClock", 409, "", { now: "2000-01-01T00:00:00Z" });
  await call("advanceClock", 200, "", { by: "PT15M" });
  await call("advanceClock", 400, "", { by: "15 minutes" });
  await call("advanceClock", 404, "", { by: "PT15M", company: "nobody" });
  await call("createSnapshot", 201, "", { name: "before" });
  await call("createSnapshot", 400, "", { name: "" });
  for (let n = 1; n < limits.snapshots; n++) snapshot(`s${n}`);
  await call("createSnapshot", 409, "", { name: "one-more" });
  await call("listSnapshots", 200);
  await call("restoreSnapshot", 200, "before");
  await call("restoreSnapshot", 404, "nothing");
  await call("deleteSnapshot", 204, "before");
  await call("deleteSnapshot", 404, "before");
  await call("reset", 200, "", { company: "northwind" });
  await call("reset", 400, "", { compny: "northwind" });
  await call("reset", 404, "", { company: "nobody" });
  await call("reset", 200);
}

async function walkDialect({ call }: Walk): Promise<void> {
  await call("listContractPoints", 404, "?company=nobody");
  await call("getDialect", 200, "?company=northwind");
  await call("getDialect", 404, "?company=nobody");
  await call("replaceDialect", 200, "", { dialect: { "replay.status": "200" } });
  await call("replaceDialect", 400, "", { dialect: { "replay.status": "300" } });
  await call("replaceDialect", 404, "", { dialect: {}, company: "nobody" });
  await call("removeDialect", 204);
  await call("removeDialect", 404, "?company=nobody");
}

async function walkTape({ call, order, fetch, met }: Walk): Promise<void> {
  await call("getTape", 200);
  await call("endTape", 404);
  await call("beginTape", 201);
  await call("beginTape", 409);
  await order();
  const { last_request_id: last } = await call("getTape", 200);
  const file = await fetch(`http://sandbox.test/_sandbox/tape/file?until=${last}`);
  expect([file.status, file.headers.get("Content-Type")]).toEqual([200, "application/gzip"]);
  expect(file.headers.get("Content-Disposition")).toContain(`card-sandbox-request-${last}.tape`);
  met.add("getTapeFile 200");
  await call("getTapeFile", 400, "?until=last");
  await call("getTapeFile", 404, "?until=999999");
  await call("endTape", 204);
}

async function walkReports({ call, order, fetch, met }: Walk): Promise<void> {
  await order({ headers: { "Sandbox-Scenario": "issuer-unavailable" } });
  const { requests } = await call("listRequests", 200, "?operation=orderPhysicalCard");
  await call("listRequests", 400, "?limit=many");
  await call("getRequest", 200, requests[0].id);
  await call("getRequest", 404, "999999");
  const stream = await fetch("http://sandbox.test/_sandbox/requests/stream");
  expect(stream.headers.get("Content-Type")).toBe("text/event-stream");
  await stream.body?.cancel();
  met.add("streamRequests 200");
  await call("streamRequests", 400, "?point=order.made");
  for (const id of ["getCoverage", "getFindings"] as const) {
    await call(id, 200);
    await call(id, 400, "?format=xml");
  }
  await call("getReport", 200);
  await call("getReport", 400, "?company=northwind");
  await call("listDeliveries", 200);
  await call("listDeliveries", 400, "?compny=northwind");
  await call("listDeliveries", 404, "?company=nobody");
  await call("listReceived", 200);
  await call("listReceived", 400, "?receiver=inbox");
  await call("clearRequests", 204);
}

/** Statuses that the walk does not cause. */
const left = ["deleteCompany 409", "removeDialect 409", "reset 409"];

test("each operation responds with each of its documented statuses", async () => {
  const walk = openWalk();
  for (const id of ["getPaths", "getHealth", "getControlDocument", "listContractPoints"] as const) {
    await walk.call(id, 200);
  }
  for (const part of [
    walkCompanies,
    walkCards,
    walkInvoices,
    walkScenarios,
    walkState,
    walkDialect,
    walkTape,
    walkReports,
  ]) {
    await part(walk);
  }
  const documented = controlOperationIds.flatMap((id) => {
    const { success, errors }: ControlOperation = controlOperations[id];
    return [success, ...errors].map((status) => `${id} ${status}`);
  });
  expect([...walk.met, ...left].toSorted()).toEqual(documented.toSorted());
});

test("every route is an operation of the document", () => {
  const clock = { now: () => 0, ticks: () => 0, after: () => () => {} };
  const gate = new Gate({ kind: "open" }, clock, () => new Uint8Array(32));
  const { routes } = createControl({} as ControlServices, gate);
  const served = routes
    .filter(({ method }) => method !== "ALL")
    .map(
      ({ method, path }) => `${method} ${path.replace(/:([a-z]+)(\{[^}]*\})?/g, "{$1}").replace(/\/$/, "")}`,
    );
  const documented = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(served.toSorted()).toEqual(documented.toSorted());
  expect(documented).toHaveLength(controlOperationIds.length);
});

describe.each(controlOperationIds)("%s", (id) => {
  const operation = document.paths[controlPath(id)][controlOperations[id].method.toLowerCase()];

  test("has a summary without a full stop, and a description of each parameter", () => {
    expect(operation.operationId).toBe(id);
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
    for (const { name, description } of operation.parameters ?? []) {
      expect([name, description]).toEqual([name, expect.stringMatching(/./)]);
    }
  });
});

test("each example of a request body fits its schema", () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, "control.json");
  for (const id of controlOperationIds) {
    const { requestBody } = document.paths[controlPath(id)][controlOperations[id].method.toLowerCase()];
    const { schema, example } = requestBody?.content["application/json"] ?? {};
    if (schema)
      expect([id, ajv.validate(`control.json${schema.$ref}`, example), ajv.errors]).toEqual([id, true, null]);
  }
});

test("each object has a description", () => {
  for (const [name, { description }] of Object.entries<{ description?: string }>(
    document.components.schemas,
  )) {
    expect([name, description]).toEqual([name, expect.stringMatching(/./)]);
  }
});

test("responds without an admin token, and contains the origin", async () => {
  const { serve } = openSandbox();
  const fetch = serve({ environments: ["sandbox"], control: { kind: "token", token: "correct-horse" } });
  const response = await fetch(new Request("http://qa.test:4242/_sandbox/openapi.json"));
  const { openapi, servers } = JSON.parse(await response.text());
  expect([response.status, openapi, servers[0].url]).toEqual([200, "3.1.1", "http://qa.test:4242"]);
  const foreign = new Request("http://qa.test:4242/_sandbox/openapi.json", {
    headers: { Origin: "http://evil.test" },
  });
  expect((await fetch(foreign)).status).toBe(403);
});

test("Redocly finds nothing wrong with it", () => {
  const file = join(temporaryFolder(), "control.json");
  writeFileSync(file, JSON.stringify(document));
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const redocly = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));
  const options = ["lint", file, "--config", join(root, "redocly.yaml"), "--format", "json"];
  const printed = execFileSync(process.execPath, [redocly, ...options], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  });
  expect(JSON.parse(printed).totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});
