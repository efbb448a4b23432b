import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SuiteReport } from "../../src/journal/suite.ts";
import { type StartOptions, startSandbox } from "../../src/node/start-sandbox.ts";
import { freePort, outcomeOf, temporaryFolder } from "../support/command-line.ts";
import { httpClient, type OrderOptions } from "../support/http-client.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const verdictOf = (text: string) => text.slice(text.lastIndexOf("\ncard-sandbox: ") + 1);

async function startedSandbox(options: StartOptions = {}) {
  const sandbox = await startSandbox({ port: 0, ...options });
  onTestFinished(() => sandbox.close());
  const { order } = httpClient(sandbox.url);
  const accountId = sandbox.world().companies[0]?.accounts[0]?.id;
  return { ...sandbox, order: (more: OrderOptions = {}) => order(accountId, { key, ...more }) };
}

/** Makes IDEM-2, a critical finding. */
async function withReusedKey(options: StartOptions = {}) {
  const sandbox = await startedSandbox(options);
  await sandbox.order();
  await sandbox.order({ fields: { name: "another" } });
  return sandbox;
}

/** A file with this text. */
function fileOf(text: string, name = "file.json"): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

describe("card-sandbox report", () => {
  test("judges a running sandbox by the gates of exec", async () => {
    const { url } = await withReusedKey();
    const passed = await outcomeOf(["report", "--require", "order.created", url]);
    expect(verdictOf(passed.stdout)).toBe("card-sandbox: passed\n");
    expect(passed.code).toBe(0);
    const failed = await outcomeOf(["report", "--fail-on", "warn", "--min-coverage", "50", url]);
    expect(failed.code).toBe(1);
    expect(verdictOf(failed.stdout)).toMatch(
      /^card-sandbox: failed, exit code 1\n {2}✗ --min-coverage 50: .*\n {2}✗ --fail-on warn: findings of severity warn or higher: IDEM-2\n$/,
    );
  });

  test("uses CARD_SANDBOX_URL by default, and writes reports", async () => {
    const { url } = await withReusedKey();
    const names = ["json", "html", "xml", "md"].map((type) => join(temporaryFolder(), `report.${type}`));
    const { code } = await outcomeOf(
      ["report", "--fail-on", "warn", ...names.flatMap((name) => ["--report", name])],
      { CARD_SANDBOX_URL: url },
    );
    expect(code).toBe(1);
    const [json = "", ...others] = names.map((name) => readFileSync(name, "utf8"));
    expect(JSON.parse(json)).toMatchObject({
      format: 1,
      exit_code: 1,
      commands: [],
      sources: [url],
      requests: 4,
      findings: { totals: { critical: 1 } },
    });
    for (const text of others) expect(text).toContain("IDEM-2");
    for (const text of [others[0], others[2]]) expect(text).toMatch(/Of: http:/);
  });

  test("shows the requests of a gate that failed, with the sandbox of each if there are several", async () => {
    const [one, other] = [await withReusedKey(), await withReusedKey()];
    const file = join(temporaryFolder(), "report.json");
    const evidenceFrom = async (...urls: string[]) => {
      await outcomeOf(["report", ...urls, "--require", "order.forbidden", "--report", file]);
      const { gates } = JSON.parse(readFileSync(file, "utf8")) as SuiteReport;
      return gates.find(({ name }) => name === "--require")?.evidence;
    };
    const evidence = await evidenceFrom(one.url);
    expect(evidence?.map(({ id, point }) => [id, point])).toEqual([
      ["2", "order.created"],
      ["4", "order.replayed_with_other_body"],
    ]);
    expect(evidence?.[1]?.request?.body).toContain('"name":"another"');
    const sources = (await evidenceFrom(one.url, other.url))?.map(({ id, source }) => [id, source]);
    expect(sources).toEqual([one, other].flatMap(({ url }) => ["2", "4"].map((id) => [id, url])));
  });

  test("names the command that shows a finding on the tape of its sandbox", async () => {
    const tape = join(temporaryFolder(), "run.tape");
    const { url } = await withReusedKey({ tape });
    const { url: untaped } = await withReusedKey();
    const file = join(temporaryFolder(), "report.json");
    await outcomeOf(["report", url, untaped, "--report", file]);
    const { findings } = JSON.parse(readFileSync(file, "utf8")) as SuiteReport;
    expect(findings.findings[0]?.occurrences.map(({ replay }) => replay)).toEqual([
      `card-sandbox replay ${tape} --until 4`,
      undefined,
    ]);
  });

  test("merges a sandbox and a report", async () => {
    const [one, other] = [await withReusedKey(), await withReusedKey()];
    const file = join(temporaryFolder(), "one.json");
    const all = join(temporaryFolder(), "all.json");
    await outcomeOf(["report", one.url, "--report", file]);
    const { code, stdout } = await outcomeOf(["report", file, other.url, "--report", all]);
    expect(code).toBe(0);
    expect(stdout).toContain("IDEM-2  Idempotency-Key reused for a different order (2 times)");
    expect(stdout).toContain(`company northwind; ${file})`);
    const { sources, requests } = JSON.parse(readFileSync(all, "utf8"));
    expect({ sources, requests }).toEqual({ sources: [file, other.url], requests: 8 });
  });

  test("accepts the findings of a baseline, and names those that no longer occur", async () => {
    const { url } = await withReusedKey();
    const known = join(temporaryFolder(), "known.json");
    const report = join(temporaryFolder(), "report.json");
    const written = await outcomeOf(["report", url, "--write-baseline", known, "--report", report]);
    expect(written.code).toBe(0);
    const { format, findings } = JSON.parse(readFileSync(known, "utf8"));
    expect({ format, findings }).toEqual({ format: 1, findings: ["IDEM-2 critical orderPhysicalCard"] });
    for (const baseline of [known, report]) {
      const accepted = await outcomeOf(["report", url, "--fail-on", "info", "--baseline", baseline]);
      expect(accepted.stdout).toContain(
        "  Accepted by the baseline:\n    IDEM-2 critical orderPhysicalCard\n",
      );
      expect(accepted.code).toBe(0);
    }
    const repaired = await startedSandbox();
    await repaired.order();
    const none = await outcomeOf(["report", repaired.url, "--fail-on", "info", "--baseline", known]);
    expect(none.stdout).toContain(
      "  In the baseline, but no longer so; write it again with --write-baseline:\n    IDEM-2 critical orderPhysicalCard\n",
    );
    expect(none.code).toBe(0);
  });

  test("fails on a sandbox without requests", async () => {
    const { url } = await startedSandbox();
    const { code, stdout } = await outcomeOf(["report", url]);
    expect(code).toBe(1);
    expect(verdictOf(stdout)).toContain("✗ requests: the sandbox received no requests. Make the client use");
    expect((await outcomeOf(["report", url, "--allow-no-requests"])).code).toBe(0);
  });

  test("sends the admin token", async () => {
    const { url, order } = await startedSandbox({ adminToken: "correct-horse" });
    await order();
    expect((await outcomeOf(["report", url], { CARD_SANDBOX_ADMIN_TOKEN: "correct-horse" })).code).toBe(0);
    const refused = await outcomeOf(["report", url, "--admin-token", "wrong"]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: `card-sandbox: --admin-token: does not match the admin token of ${url}. Set this option or CARD_SANDBOX_ADMIN_TOKEN to its admin token.\n`,
    });
  });

  test("reads a report under a dialect with observed behaviors", async () => {
    const dialect = { "order.key_reused": { use: "409", provenance: "observed" } } as const;
    const { url, order } = await startedSandbox({ dialect });
    await order();
    const file = join(temporaryFolder(), "report.json");
    expect((await outcomeOf(["report", url, "--report", file])).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain('"provenance": "observed"');
    expect((await outcomeOf(["report", file])).code).toBe(0);
  });

  test("explains which source it cannot judge", async () => {
    const { url, order } = await startedSandbox();
    await order();
    const report = join(temporaryFolder(), "report.json");
    await outcomeOf(["report", url, "--report", report]);
    const saved = JSON.parse(readFileSync(report, "utf8"));
    const old = fileOf(JSON.stringify({ ...saved, version: "0.0.9" }));
    const broken = fileOf(JSON.stringify({ ...saved, findings: { findings: [{ id: "IDEM-2" }] } }));
    const text = fileOf("<html>", "report.html");
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const problems: readonly (readonly [args: readonly string[], code: number, message: string])[] = [
      [[nobody], 3, `${nobody}: no response (ECONNREFUSED). Check that the URL is correct`],
      [[nobody, "none.json"], 2, 'none.json: cannot read "none.json": ENOENT'],
      [["none.json"], 2, 'none.json: cannot read "none.json": ENOENT'],
      [[text], 2, `${text}: cannot read "${text}": Unexpected token`],
      [[fileOf("[]")], 2, "is not a report of exec. Write one with exec --report FILE.json."],
      [[fileOf("null")], 2, "is not a report of exec."],
      [[broken], 2, `${broken}: is not a report of exec.`],
      [[old], 2, `${old}: is of card-sandbox "0.0.9", but this is ${saved.version}. Use the same version`],
      [[report, report], 2, `${report}: is given twice. Name each source once.`],
      [["http://user@localhost"], 2, "url: must be a base URL such as"],
      [[url, "--baseline", report], 2, "--baseline: requires --fail-on SEVERITY, because findings fail"],
      [[url, "--fail-on", "warn", "--baseline", fileOf("{}")], 2, "has no findings of exec or report."],
      [[url, "--report", "report.pdf"], 2, "--report: must end in one of .md, .json, .xml, .html"],
      [[url, "--write-baseline", temporaryFolder()], 3, "it exists, but is not a file"],
    ];
    for (const [args, code, message] of problems) {
      const outcome = await outcomeOf(["report", ...args]);
      expect(outcome.stderr).toContain(message);
      expect(outcome).toMatchObject({ code, stdout: "" });
    }
  });
});
