import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SuiteReport } from "../../src/journal/suite.ts";
import { run, startCommandLine, temporaryFolder } from "../support/command-line.ts";
import { suiteOf } from "../support/suite.ts";

/** A client and a company for one test, made with the functions of `suiteOf`. */
const start = `
const company = async (slug) => {
  const made = await (await post("/_sandbox/companies", { slug })).json();
  const token = await exchange(made.members[0].api_keys[0].secret);
  const headers = { Authorization: "Bearer " + token, "Content-Type": "application/json" };
  const body = {
    account_id: made.accounts[0].id, pin: "4821", delivery_method: "express",
    delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
  };
  return {
    id: made.id,
    order: (key, more) => post("/developer/cards/physical", { ...body, ...more }, { ...headers, "Idempotency-Key": key }),
    get: (path) => fetch(url + path, { headers }),
  };
};
`;

const tests = [
  `const a = await company("first"); const key = crypto.randomUUID();
   await a.order(key); await a.order(key, { name: "another" }); await a.get("/developer/cards");`,
  `const b = await company("second"); await arm("quota-reached", { company: b.id, times: 1 });
   await b.order(crypto.randomUUID()); await arm("lost-response", { company: b.id });`,
  `const c = await company("third"); const same = crypto.randomUUID();
   for (const name of ["one", "two", "three"]) await c.order(same, { name });
   await c.get("/developer/transactions?from=2026-01-01T00:00:00");`,
  `const d = await company("fourth"); await d.get("/developer/cards/none"); await d.get("/nothing");
   await fetch(url + "/developer/accounts", { headers: { Authorization: "Bearer none" } });`,
];

const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as SuiteReport;

/** Without what differs between two runs: ids of requests, times, drawn ids, keys, and the names of reports. */
function comparable(report: SuiteReport) {
  const text = JSON.stringify(report, (name, value) =>
    ["source", "sources", "body", "headers"].includes(name) ? undefined : value,
  );
  return JSON.parse(
    text
      .replace(/"(request_id|id)":"[0-9]+"/g, '"$1":"…"')
      .replace(/[0-9-]+T[0-9:.]+Z/g, "…")
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "…"),
  );
}

test("four runs of exec, merged by report, equal one run of all their tests", async () => {
  const folder = temporaryFolder();
  const exec = async (name: string, codes: readonly string[]) => {
    const file = join(folder, `${name}.json`);
    const options = ["--scenario", "used-unreadable", "--allow-unused-scenarios", "--report", file];
    const { ended, output } = run(["exec", ...options, "--", ...suiteOf(start + codes.join("\n"))]);
    expect((await ended).code, output.stderr).toBe(0);
    return file;
  };
  const report = async (name: string, files: readonly string[]) => {
    const file = join(folder, `${name}.json`);
    const gates = ["--fail-on", "warn", "--require", "order.*", "--exclude", "order.issuer_*"];
    const { ended } = run(["report", ...gates, "--report", file, ...files]);
    expect((await ended).code).toBe(1);
    return comparable(read(file));
  };
  const shards = [];
  for (const [n, code] of tests.entries()) shards.push(await exec(`shard-${n + 1}`, [code]));
  const one = await exec("one", tests);
  const merged = await report("merged", shards);
  expect(merged).toEqual(await report("all", [one]));
  expect(merged.findings.findings.length).toBeGreaterThan(1);
  const unused = merged.unused_scenarios.map(({ name }: { name: string }) => name);
  expect(unused).toEqual(["used-unreadable", "lost-response"]);
});

test("report trusts the certificate in NODE_EXTRA_CA_CERTS", async () => {
  const folder = temporaryFolder();
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const made = ["-keyout", key, "-out", cert, "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync("openssl", ["req", "-x509", ...made, ...subject], { stdio: "ignore" });
  const { url } = await startCommandLine(["--tls-cert", cert, "--tls-key", key]);
  const report = ["report", "--allow-no-requests", url];
  const trusted = run(report, { NODE_EXTRA_CA_CERTS: cert });
  expect((await trusted.ended).code, trusted.output.stderr).toBe(0);
  const unknown = run(report);
  expect((await unknown.ended).code).toBe(3);
  expect(unknown.output.stderr).toContain("To trust its certificate, set NODE_EXTRA_CA_CERTS.");
});
