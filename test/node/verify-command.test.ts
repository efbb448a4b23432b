import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { freePort, outcomeOf, temporaryFolder } from "../support/command-line.ts";

const key = "sk_sandbox_northwind_owner";
const live = "sk_live_northwind_owner";

/** Runs `verify` in this process. */
const verify = (target: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  outcomeOf(["verify", "--target", target, "--api-key-env", "KEY", ...args], { KEY: key, ...env });

async function sandboxWith(dialect: Record<string, string> = {}): Promise<string> {
  const { url, close } = await startSandbox({ port: 0, dialect });
  onTestFinished(close);
  return url;
}

async function serverWith(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((bound) => server.listen(0, "127.0.0.1", bound));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const only = ["--only", "replay.status,order.created"];

describe("reports", () => {
  test("are written, compared, and turned into a dialect", async () => {
    const folder = temporaryFolder();
    const file = (name: string) => join(folder, name);
    const [before, after, dialect] = [file("before.json"), file("after.json"), file("observed.yaml")];

    const first = await verify(await sandboxWith(), ["--write", ...only, "--report", before]);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain("behaviors:     1 confirmed, 0 contradicted, 0 unreachable\n");
    const report = JSON.parse(readFileSync(before, "utf8"));
    expect(report).toMatchObject({
      format: 1,
      specification: [{ id: "order.created", outcome: "confirmed", problem: null }],
      behaviours: [{ id: "replay.status", outcome: "confirmed", alternative: "201", reason: null }],
      cards: { ordered: 2, left: 0 },
    });
    expect(report.behaviours[0].requests).toContainEqual({
      method: "POST",
      path: "/developer/cards/physical",
      headers: ["authorization", "content-type", "idempotency-key"],
      status: 201,
      response_headers: expect.arrayContaining(["content-type"]),
      shape: expect.objectContaining({
        id: "string",
        auto_convert: "boolean",
        card_limits: expect.any(Object),
      }),
    });

    const changed = await sandboxWith({ "replay.status": "200" });
    const drifted = await verify(changed, [
      ...["--write", ...only, "--report", after, "--check", before, "--write-dialect", dialect],
    ]);
    expect(drifted).toMatchObject({
      code: 1,
      stderr: "card-sandbox: --check: replay.status: was 201, is 200\n",
    });
    expect(drifted.stdout).toContain("replay.status: 200. Status of a replayed request");
    expect(await verify(changed, ["--write", ...only, "--check", after])).toMatchObject({ code: 0 });

    expect(await outcomeOf(["validate", dialect])).toMatchObject({
      code: 0,
      stdout: `${dialect}: valid (dialect)\n`,
    });
    const expected = await verify(changed, ["--write", ...only, "--dialect", dialect]);
    expect(expected.stdout).toContain("behaviors:     1 confirmed, 0 contradicted, 0 unreachable\n");
  });
});

describe("a target that cannot be used", () => {
  const html: RequestListener = (_request, response) => {
    response.setHeader("Content-Type", "text/html").end("<!doctype html><h1>sk_sandbox_secret</h1>");
  };
  const endless: RequestListener = (_request, response) => {
    const chunk = "x".repeat(65_536);
    const write = () => {
      if (!response.destroyed) response.write(chunk, write);
    };
    write();
  };
  const broken: RequestListener = (_request, response) => {
    response.writeHead(200, { "Content-Length": "100" }).write("{");
    setImmediate(() => response.destroy());
  };
  test.each<[string, RequestListener, string]>([
    [
      "a page",
      html,
      "the API key was not accepted: POST /auth/v1/sandbox/token returned 200 without an access_token",
    ],
    ["an endless body", endless, "POST /auth/v1/sandbox/token: the response is larger than 1 MiB"],
    ["a broken body", broken, "POST /auth/v1/sandbox/token: no response (UND_ERR_SOCKET)"],
    ["a slow response", () => {}, "POST /auth/v1/sandbox/token: no complete response within 1 s"],
    [
      "an error",
      (_request, response) => void response.writeHead(401).end('{"error":"sk_sandbox_x is unknown"}'),
      "the API key was not accepted: POST /auth/v1/sandbox/token returned 401 without an access_token",
    ],
    [
      "no body",
      (_request, response) => void response.writeHead(204).end(),
      "the API key was not accepted: POST /auth/v1/sandbox/token returned 204 without an access_token",
    ],
  ])("because of %s: 3", async (_name, listener, problem) => {
    const url = await serverWith(listener);
    expect(await verify(url, ["--timeout", "1"])).toEqual({
      code: 3,
      stdout: "",
      stderr: `card-sandbox: ${url}: ${problem}\n`,
    });
  });

  test("because of a redirect, which gets no key: 3", async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere = await serverWith((request, response) => {
      seen.push(request.url);
      response.end("{}");
    });
    const url = await serverWith((_request, response) => {
      response.writeHead(307, { Location: `${elsewhere}/auth/v1/sandbox/token` }).end();
    });
    const { code, stderr } = await verify(url);
    expect(code).toBe(3);
    expect(stderr).toContain("POST /auth/v1/sandbox/token: redirected (307). verify follows no redirect");
    expect(seen).toEqual([]);
  });

  test("because nothing listens: 3", async () => {
    const { code, stderr } = await verify(`http://127.0.0.1:${await freePort()}`);
    expect(code).toBe(3);
    expect(stderr).toContain("POST /auth/v1/sandbox/token: no response (ECONNREFUSED)");
  });

  test("although it gives a token: the rest is unreachable", async () => {
    const url = await serverWith((request, response) => {
      if (request.url?.startsWith("/auth/")) response.end('{"access_token":"t"}');
      else response.writeHead(500, { "Content-Type": "text/html" }).end("<h1>Sorry</h1>");
    });
    const { code, stdout, stderr } = await verify(url, ["--write"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("auth.token_missing: returned 500 instead of 401");
    expect(stdout).not.toMatch(/TypeError|at .*\.ts:/);
  });
});

describe("usage errors", () => {
  test.each<[string, string[], NodeJS.ProcessEnv, string]>([
    ["http elsewhere", ["--target", "http://cards.example.com"], {}, "--target: must use https"],
    ["a query", ["--target", "https://cards.example.com?a=b"], {}, "--target: must be a base URL"],
    ["a user name", ["--target", "https://me:secret@cards.example.com"], {}, "--target: must be a base URL"],
    ["no key", [], { KEY: "" }, "--api-key-env: the environment variable KEY is not set"],
    ["another secret", [], { KEY: "ghp_secret" }, "--api-key-env: the variable KEY must have an API key"],
    ["a live key", [], { KEY: live }, "--api-key-env: the variable KEY has a live API key"],
    [
      "the key itself",
      ["--api-key-env", key],
      {},
      "--api-key-env: must be the name of an environment variable",
    ],
    ["an unknown behavior", ["--only", "replay.statu"], {}, "Did you mean replay.status?"],
    ["a rate of 0", ["--rate", "0"], {}, "--rate: must be a number above 0"],
    ["a budget of 0", ["--budget", "0"], {}, "--budget: must be at least 1"],
    ["a company", ["--company-id", "northwind"], {}, "--company-id: must be a UUID"],
    ["a report in another format", ["--report", "r.html"], {}, "--report: must end in .json"],
    [
      "no earlier report",
      ["--check", "package.json"],
      {},
      '--check: "package.json" is not a report of verify',
    ],
    ["a dialect that is missing", ["--dialect", "no.yaml"], {}, "no.yaml: cannot read the dialect file"],
  ])("%s: 2", async (_name, args, env, problem) => {
    const { code, stdout, stderr } = await verify("http://127.0.0.1:9", args, env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(stderr).not.toMatch(/secret|sk_(sandbox|live)_northwind/);
  });

  test("a report that cannot be written: 3, before a request is sent", async () => {
    const { code, stderr } = await verify("http://127.0.0.1:9", ["--report", "/no/such/folder/r.json"]);
    expect(code).toBe(3);
    expect(stderr).toContain('--report: cannot write "/no/such/folder/r.json"');
  });

  test("a damaged earlier report", async () => {
    const file = join(temporaryFolder(), "report.json");
    for (const text of [
      "",
      "[1",
      "[]",
      '{"format":1}',
      '{"format":1,"behaviours":[{}],"specification":[]}',
    ]) {
      writeFileSync(file, text);
      expect((await verify("http://127.0.0.1:9", ["--check", file])).code).toBe(2);
    }
  });
});

test("a live key needs --live, and gets a warning", async () => {
  const { liveUrl, close } = await startSandbox({ port: 0 });
  onTestFinished(close);
  const { code, stdout, stderr } = await verify(liveUrl, ["--live"], { KEY: live });
  expect(code).toBe(0);
  expect(stderr).toContain("warning: --live: this uses the live environment. verify only reads");
  expect(stdout).not.toContain("Not as specified");
});
