import { describe, expect, test } from "vitest";
import type { Finding } from "../../../src/journal/findings/finding.ts";
import { formatFindings } from "../../../src/journal/formats/findings.ts";
import { reportFormats } from "../../../src/journal/formats/formatted.ts";
import { formatSuite } from "../../../src/journal/formats/suite.ts";
import { type Gates, type SuiteReport, suiteReport } from "../../../src/journal/suite.ts";
import { openSandbox } from "../../support/open-sandbox.ts";
import { SecretFinder } from "../../support/secret-finder.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const apiKey = "sk_sandbox_northwind_owner";
const pin = "4821";

const gates: Gates = {
  minCoverage: 90,
  require: ["order.created", "order.quota_reached"],
  failOn: "warn",
  baseline: undefined,
  allowUnused: false,
  allowNoRequests: false,
};

/** The report on a client that reused a key, on a sandbox whose journal shows nothing. */
async function reported(tape?: string) {
  const sandbox = openSandbox({ journal: 0 });
  const token = await sandbox.exchange(apiKey);
  sandbox.scenario("conflict", { operation: "freezeCard" });
  await sandbox.order({ token, key, body: { pin } });
  await sandbox.order({ token, key, body: { pin, name: `Team ${pin} </pre>` } });
  await sandbox.request(`/developer/cards?secret=${pin}&api_key=${apiKey}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const { scenarios } = sandbox.control;
  const judged = {
    ...sandbox.report({ final: true }),
    ...(tape !== undefined && { tape }),
    commands: [{ name: "npm", exit_code: 1 }],
    sources: [],
  };
  const report = suiteReport(gates, judged, {
    latest: (operations, company) => sandbox.requests.latest(operations, company),
    operationsOf: (name) => scenarios.all().find((each) => each.name === name)?.on ?? [],
  });
  return { report, token };
}

const gateOf = ({ gates }: SuiteReport, name: string) => gates.find((gate) => gate.name.startsWith(name));
const idsOf = (report: SuiteReport, name: string) => gateOf(report, name)?.evidence?.map(({ id }) => id);

describe("the evidence of a run", () => {
  test("is in JSON with each finding and each gate that failed", async () => {
    const { report } = await reported();
    const json: SuiteReport = JSON.parse(formatSuite(report, gates, "json").text);
    const reused = json.findings.findings.find(({ id }) => id === "IDEM-2");
    expect(reused?.occurrences[0]?.requests.map(({ id, point }) => [id, point])).toEqual([
      ["2", "order.created"],
      ["3", "order.replayed_with_other_body"],
    ]);
    expect(reused?.occurrences[0]?.requests[1]?.request?.headers["idempotency-key"]).toBe(key);
    expect(idsOf(json, "--fail-on")).toEqual(expect.arrayContaining(["2", "3"]));
    expect(idsOf(json, "--require")).toEqual(["2", "3"]);
    expect(idsOf(json, "--min-coverage")).toEqual(["1", "2", "3", "4"]);
    // Nothing was sent to the operation of the scenario.
    expect(idsOf(json, "unused")).toBeUndefined();
    expect(idsOf(json, "npm")).toEqual(["1", "2", "3", "4"]);
    expect(idsOf(json, "requests")).toBeUndefined();
    expect(json).not.toHaveProperty("evidence_left_out");
    expect(json).not.toHaveProperty("tape");
  });

  test("names the replay command if there is a tape", async () => {
    const { report } = await reported("my run.tape");
    const replay = "card-sandbox replay 'my run.tape' --until 3";
    expect(report.tape).toBe("my run.tape");
    expect(report.findings.findings.map(({ occurrences: [first] }) => first?.replay)).toContain(replay);
    expect(gateOf(report, "--require")?.replay).toBe(replay);
    const shown = reportFormats.map((format) => formatSuite(report, gates, format).text);
    expect(shown[0]).toContain(`"replay": "${replay}"`);
    expect(shown[1]).toContain(`Replay: ${replay}`);
    expect(shown[2]).toContain(`Replay: ${replay.replaceAll("'", "&#39;")}`);
    expect(shown[3]).toContain(`<code>Replay: ${replay.replaceAll("'", "&#39;")}</code>`);
  });

  test("is collapsed in HTML and Markdown, and escaped", async () => {
    const { report } = await reported();
    const title =
      "Request 3: POST /developer/cards/physical → 201 order.replayed_with_other_body, 2026-03-10T09:30:00.000Z";
    const html = formatSuite(report, gates, "html").text;
    expect(html).toContain(`<details class="evidence"><summary>${title}</summary><pre tabindex="0">&gt; `);
    expect(html).toContain("&gt; idempotency-key: ");
    expect(html).toContain("&lt; idempotent-replayed: true");
    expect(html).not.toContain("Team … </pre>");
    const markdown = formatSuite(report, gates, "markdown").text;
    expect(markdown).toContain(`<details><summary>${title}</summary>\n\n    > `);
    expect(markdown).toContain("    < idempotent-replayed: true");
  });

  test("is the text of a failed and of a skipped case in JUnit", async () => {
    const { report } = await reported();
    const xml = formatSuite(report, gates, "junit").text;
    expect(xml).toMatch(/<failure message="findings of [^>]+>Request 2: POST /);
    expect(xml).toMatch(/name="IDEM-2 [^>]+><failure [^>]+>Request 2: POST /);
  });

  test.each(reportFormats)("contains no secret in %s", async (format) => {
    const { report, token } = await reported("run.tape");
    const secrets = new SecretFinder([
      { kind: "API key", label: "sent", text: apiKey },
      { kind: "access token", label: "issued", text: token },
      { kind: "PIN", label: "of the card", text: pin },
    ]);
    expect(secrets.leaksIn(formatSuite(report, gates, format).text)).toEqual([]);
    expect(secrets.leaksIn(formatFindings(report.findings, format).text)).toEqual([]);
  });
});

describe("a report of at most 2 MB", () => {
  const limits = { json: 2e6, markdown: 4e5, junit: 2e6, html: 2e6 };

  /** The finding of a run, with bodies of a size, a number of times. */
  async function many(times: number, size: number): Promise<SuiteReport> {
    const { report } = await reported();
    const [finding] = report.findings.findings as readonly [Finding];
    const body = `"${"<é>&".repeat(size / 4)}"`;
    const occurrences = finding.occurrences.map((each) => ({
      ...each,
      requests: each.requests.map((request) => ({ ...request, request: { headers: {}, body } })),
    }));
    const findings = Array.from({ length: times }, () => ({ ...finding, occurrences }));
    return { ...report, findings: { ...report.findings, findings } };
  }

  test.each(reportFormats)("leaves evidence out of %s first, and says how much", async (format) => {
    const report = await many(100, 16_000);
    const { text } = formatSuite(report, gates, format);
    const size = new TextEncoder().encode(text).length;
    expect(size).toBeLessThanOrEqual(limits[format]);
    expect(size).toBeGreaterThan(limits[format] * 0.8);
    expect(text).toMatch(
      format === "json"
        ? /"evidence_left_out": [0-9]+/
        : /this report leaves out the evidence of [0-9]+ requests/,
    );
    expect(text).not.toContain("findings_left_out");
  });

  test.each(reportFormats)("leaves findings out of %s, and says how many", async (format) => {
    const report = await many(6000, 16_000);
    for (const { text } of [formatSuite(report, gates, format), formatFindings(report.findings, format)]) {
      const size = new TextEncoder().encode(text).length;
      expect(size).toBeLessThanOrEqual(limits[format]);
      expect(size).toBeGreaterThan(limits[format] * 0.8);
      expect(text).toMatch(
        format === "json"
          ? /"findings_left_out": ?[0-9]+/
          : /this report leaves out [0-9]+ findings and the evidence of [0-9]+ requests/,
      );
    }
  });
});
