import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tools } from "../src/node/mcp/tools.ts";
import { run, startCommandLine, temporaryFolder } from "./support/command-line.ts";
import { adminToken, leaks, type Outputs, readOutputs } from "./support/secret-outputs.ts";
import { type Fetch, sendSecrets } from "./support/secret-traffic.ts";

const clock = ["--clock", "2026-03-10T09:30:00Z"];

/** The database file of a sandbox, with the files that SQLite keeps beside it. */
function databaseOf(file: string): Outputs {
  return Object.fromEntries(
    ["", "-wal", "-shm", "-journal"]
      .filter((end) => existsSync(file + end))
      .map((end) => [`database${end}`, readFileSync(file + end)]),
  );
}

/** What the tools for agents return of a sandbox. */
async function toolOutputs(url: string): Promise<Outputs> {
  const sandbox = { url, adminToken };
  const { requests } = (await tools.list_requests.run(sandbox, { limit: 100 })) as {
    requests: { id: string }[];
  };
  const explained = requests.map(({ id }) => tools.explain_request.run(sandbox, { id }));
  return {
    "the world for agents": JSON.stringify(await tools.get_world.run(sandbox, { limit: 50 })),
    "requests for agents": JSON.stringify(requests),
    "explained requests": JSON.stringify(await Promise.all(explained)),
    "findings for agents": JSON.stringify(await tools.get_findings.run(sandbox, { final: true })),
    "coverage for agents": JSON.stringify(await tools.get_coverage.run(sandbox, {})),
  };
}

test("exec reveals no secret in its log, reports, journal, pages, tools for agents or file", {
  timeout: 60_000,
}, async () => {
  const folder = temporaryFolder();
  const db = join(folder, "sandbox.db");
  const reports = ["json", "md", "xml", "html"].map((end) => join(folder, `report.${end}`));
  const { received: environment, end, url: gate } = await openGate();
  const child = `const r = await fetch(process.argv[1], { method: "POST", body: process.env.CARD_SANDBOX_URL }); await r.text();`;
  const suite = run([
    ...["exec", "--log", "json", "--journal", "5000", "--db", db, "--admin-token", adminToken, ...clock],
    ...reports.flatMap((file) => ["--report", file]),
    ...["--", process.execPath, "--input-type=module", "-e", child, gate],
  ]);
  const url = await environment;
  const fetchPath: Fetch = (path, init) => fetch(url + path, { redirect: "manual", ...init });
  const traffic = await sendSecrets(fetchPath, adminToken);
  const outputs = { ...(await readOutputs(fetchPath)), ...(await toolOutputs(url)), ...databaseOf(db) };
  end();
  expect((await suite.ended).code).toBe(0);
  Object.assign(outputs, {
    log: suite.output.stderr,
    "standard output": suite.output.stdout,
    ...Object.fromEntries(
      reports.map((file) => [`the report ${file.slice(folder.length)}`, readFileSync(file)]),
    ),
    "database at the end": readFileSync(db),
  });
  expect(suite.output.stderr.split("\n").length).toBeGreaterThan(400);
  expect(leaks(outputs, traffic)).toEqual([]);
});

/** A server that receives one text from a child process, which then waits until it may end. */
async function openGate() {
  let end = () => {};
  const mayEnd = new Promise<void>((resolve) => {
    end = resolve;
  });
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const received = once(server, "request").then(async ([request, response]) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    void mayEnd.then(() => response.end());
    return text;
  });
  return { received, end, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("a started sandbox reveals no secret in its log or, after a restart, its file", {
  timeout: 60_000,
}, async () => {
  const db = join(temporaryFolder(), "sandbox.db");
  const { url, output, child, ended } = await startCommandLine([
    ...["--log", "pretty", "--journal", "5000", "--db", db, "--admin-token", adminToken, ...clock],
  ]);
  const lines = output.stdout;
  const traffic = await sendSecrets(
    (path, init) => fetch(url + path, { redirect: "manual", ...init }),
    adminToken,
  );
  child.kill("SIGTERM");
  await ended;
  const log = output.stdout.slice(lines.length);
  expect(log.split("\n").length).toBeGreaterThan(400);
  const outputs = { "start-up lines": lines, log, errors: output.stderr, ...databaseOf(db) };
  const again = await startCommandLine(["--db", db, "--admin-token", adminToken]);
  expect(leaks({ ...outputs, "start-up lines anew": again.output.stdout }, traffic)).toEqual([]);
});
