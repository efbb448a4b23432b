import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { codeFor } from "../../src/dashboard/parts/copy-as.tsx";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { httpClient } from "../support/http-client.ts";

const AsyncFunction = (async () => {}).constructor as new (
  ...code: string[]
) => (...args: unknown[]) => Promise<void>;

const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" };

/** A sandbox that received an order, which forced a scenario by a header, and the code of its page. */
async function openOrdered(headers: Record<string, string> = {}) {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const { exchange, order } = httpClient(sandbox.url);
  const account = sandbox.world().companies[0]?.accounts[0]?.id;
  const fields = { name: 'Team "travel" & more, it\'s $5' };
  await order(account, {
    fields,
    headers,
    token: await exchange(),
    key: "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
  });
  const [ordered] = sandbox.requests.list().requests;
  const codeIn = async (language: string) => {
    const page = await fetch(`${sandbox.url}/_sandbox/ui/requests/${ordered?.id}?as=${language}`);
    const code = /id="copy-as"[\s\S]*?<pre[^>]*><code>([\s\S]*?)<\/code>/.exec(await page.text())?.[1] ?? "";
    return code.replace(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => characters[name] ?? "");
  };
  const latest = () => sandbox.requests.list({ limit: 1 }).requests[0];
  return { sandbox, ordered, codeIn, latest };
}

test("the JavaScript of a request sends it again", async () => {
  const { ordered, codeIn, latest } = await openOrdered();
  const printed: unknown[] = [];
  await new AsyncFunction("console", await codeIn("fetch"))({
    log: (...args: unknown[]) => printed.push(...args),
  });
  const [status, body] = printed;
  expect(status).toBe(201);
  expect(body).toBe(ordered?.response?.body);
  expect(latest()).toMatchObject({
    request: { body: ordered?.request.body },
    idempotency_key: ordered?.idempotency_key,
  });
});

test("the test of a request expects the recorded status, with the scenario that fired", async () => {
  const { ordered, codeIn, latest } = await openOrdered({ "Sandbox-Scenario": "quota-reached" });
  const code = await codeIn("test");
  expect(code).toMatch(/^import { expect, test } from "vitest";\n/);
  const test = (_: string, work: () => Promise<void>) => work();
  const run = new AsyncFunction("expect", "test", `return ${code.slice(code.indexOf("test("))}`);
  await run(expect, test);
  expect(ordered?.status).toBe(422);
  expect(latest()).toMatchObject({ status: 422, scenario: "quota-reached" });
  expect(latest()?.id).not.toBe(ordered?.id);
});

test("the curl commands of a request send it again", async ({ skip }) => {
  const { ordered, codeIn, latest } = await openOrdered();
  const code = await codeIn("curl");
  const { stdout } = await promisify(execFile)("sh", ["-c", code]).catch((error) => {
    if (/curl: not found/.test(error.stderr)) return skip("curl is not installed");
    throw error;
  });
  expect(stdout).toContain(ordered?.response?.body);
  expect(latest()).toMatchObject({ request: { body: ordered?.request.body }, status: 201 });
});

test("curl sends a query with brackets as it was", () => {
  const sample = { origin: "http://localhost", method: "GET", headers: {}, as: "curl" } as const;
  expect(codeFor({ ...sample, path: "/cards?ids[]=1" })).toMatch(/^curl -sgi -X GET /);
  expect(codeFor({ ...sample, path: "/cards?ids=1" })).toMatch(/^curl -si -X GET /);
});
