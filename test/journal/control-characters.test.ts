import { describe, expect, test } from "vitest";
import type { FindingsReport } from "../../src/journal/findings/finding.ts";
import { escapeControls, escapeMarkdown, escapeMarkup, oneLine } from "../../src/journal/formats/escape.ts";
import { formatFindings } from "../../src/journal/formats/findings.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const dangerous = "a\u001b[2J\u0000\u007f\u009b31m\u2028\u202eb\r\nforged";
const raw = /(?!\n)[\p{Cc}\u2028\u202e]/u;

test("escapes control characters in text for a log", () => {
  expect(escapeControls(dangerous)).toBe(
    "a\\u001b[2J\\u0000\\u007f\\u009b31m\\u2028\\u202eb\\u000d\\u000aforged",
  );
  expect(escapeControls("Zoë → 10 £, \\u0041")).toBe("Zoë → 10 £, \\u0041");
});

test("joins the lines of a message", () => {
  expect(oneLine("a\n  b\u001b\n")).toBe("a b\\u001b ");
});

describe("a report of findings with control characters in its text", () => {
  const report = async (): Promise<FindingsReport> => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
    await sandbox.order({ token, key });
    await sandbox.order({ token, key, body: { name: "another" } });
    const { findings, ...rest } = sandbox.findings();
    return {
      ...rest,
      findings: findings.map((finding) => ({
        ...finding,
        occurrences: finding.occurrences.map((each) => ({ ...each, observed: dangerous })),
      })),
    };
  };

  test.each(["markdown", "junit", "html"] as const)("contains none of them as %s", async (format) => {
    const { text } = formatFindings(await report(), format);
    expect(text).toContain("forged");
    expect(text).not.toMatch(/(?![\n\r])\p{Cc}/u);
  });

  test("keeps each occurrence on one line as Markdown", async () => {
    const { text } = formatFindings(await report(), "markdown");
    expect(text).toMatch(/^- a.*forged \(/m);
    expect(escapeMarkdown(dangerous)).not.toMatch(raw);
    expect(escapeMarkup("a\u007f\u009bb")).toBe("ab");
  });
});
