import { describe, expect, test } from "vitest";
import { rules } from "../../../src/journal/findings/rules.ts";
import { formatFindings } from "../../../src/journal/formats/findings.ts";
import { openSandbox } from "../../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** The findings, in a format, of a client that reused a key for another order and after a refusal. */
async function text(format: string) {
  const sandbox = openSandbox();
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  await sandbox.order({ token, key });
  await sandbox.order({ token, key, body: { name: "another" } });
  await sandbox.order({ token, key: key.replace("30", "31"), body: { pin: "12" } });
  await sandbox.order({ token, key: key.replace("30", "31") });
  const response = await sandbox.fetch(`http://sandbox/_sandbox/findings?format=${format}`);
  return { type: response.headers.get("Content-Type"), body: await response.text() };
}

describe("the formats of GET /_sandbox/findings", () => {
  test("JSON is the default", async () => {
    const { type, body } = await text("json");
    expect(type).toBe("application/json");
    expect(JSON.parse(body).totals).toMatchObject({ critical: 1, info: 1 });
  });

  test("Markdown has a section for each finding, with its occurrences and how to fix it", async () => {
    const { type, body } = await text("markdown");
    expect(type).toBe("text/markdown; charset=utf-8");
    expect(body).toContain("1 critical, 0 high, 0 warn, 1 info.");
    expect(body).toContain("## critical: IDEM-2 Idempotency-Key reused for a different order");
    expect(body).toContain(`- Idempotency-Key ${key} was sent with two different orders`);
    expect(body).toContain(`How to fix it: ${rules["IDEM-2"].fix}`);
  });

  test("JUnit has a case for each rule: an info finding is skipped", async () => {
    const { type, body } = await text("junit");
    expect(type).toBe("application/xml; charset=utf-8");
    expect(body).toMatch(
      /<testcase name="IDEM-2 [^"]+" classname="card-sandbox\.findings\.critical"><failure message="critical, once\. /,
    );
    expect(body).toMatch(
      /<testcase name="IDEM-2 [^"]+" classname="card-sandbox\.findings\.info"><skipped message="info, once\. /,
    );
    expect(body).toContain(
      `<testcase name="AUTH-2 ${rules["AUTH-2"].title}" classname="card-sandbox.findings"/>`,
    );
    expect(body).toMatch(/<testsuite name="findings" tests="[0-9]+" failures="1" skipped="1">/);
  });

  test("HTML is one page without external resources, with a heading for each finding", async () => {
    const { type, body } = await text("html");
    expect(type).toBe("text/html; charset=utf-8");
    expect(body).toContain(
      '<article class="critical">\n<h2><span class="badge critical">critical</span>IDEM-2 ',
    );
    expect(body).toContain("default-src 'none'");
    expect(body).not.toMatch(/<script|https?:|src=|href=/);
  });

  test("an unknown format gets 400", async () => {
    const { request } = openSandbox();
    const reply = await request("/_sandbox/findings?format=pdf");
    expect([reply.status, reply.json.error]).toEqual([
      400,
      'format: must be one of "json", "markdown", "junit", "html", but is "pdf"',
    ]);
  });

  test("escapes the markup in values that clients sent", () => {
    const seen = "A *name* | <b>&\u0000 [link](x)\nsecond";
    const { why, fix, spec, title, severity } = rules["IDEM-2"];
    const occurrences = [{ observed: seen, company: null, requests: [] }];
    const finding = {
      id: "IDEM-2" as const,
      severity,
      title,
      why,
      fix,
      spec,
      times: 9,
      by_operation: {},
      occurrences,
    };
    const report = { totals: { critical: 1, high: 0, warn: 0, info: 0 }, findings: [finding] };
    const as = (format: "markdown" | "junit" | "html") => formatFindings(report, format).text;
    expect(as("markdown")).toContain("A \\*name\\* \\| \\<b\\>&\\\\u0000 \\[link\\](x) second");
    expect(as("junit")).toContain("A *name* | &lt;b&gt;&amp; [link](x)");
    expect(as("html")).toContain("A *name* | &lt;b&gt;&amp; [link](x)");
    expect(as("html")).toContain("<li>and 8 more</li>");
  });
});
