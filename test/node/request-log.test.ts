import { describe, expect, test } from "vitest";
import { controlDefect } from "../../src/journal/exchange.ts";
import { databaseLog, logFormats, requestLog } from "../../src/node/request-log.ts";
import { DatabaseUnusable } from "../../src/rules/errors.ts";

const dangerous = "a\n12:00:00.000 200 GET /forged\r\u001b[2J\u0000\u007f\u009b31m\u2028\u202e";
const raw = /(?!\n)[\p{Cc}\u2028\u2029\u202e]/u;

describe.each(logFormats.filter((format) => format !== "silent"))("the log as %s", (format) => {
  const lineOf = (defect: Error, path = "/_sandbox/ui") => {
    let log = "";
    const write = requestLog(format, (line) => {
      log += line;
    });
    write?.(controlDefect(defect, "GET", path, 0));
    return log;
  };

  test("logs an error with control characters in one line, escaped", () => {
    const log = lineOf(new Error(dangerous));
    expect(log.split("\n")).toHaveLength(2);
    expect(log).not.toMatch(raw);
    expect(log).toContain("\\u001b[2J\\u0000\\u007f\\u009b31m\\u2028\\u202e");
  });

  test("logs a path with control characters in one line, escaped", () => {
    const log = lineOf(new Error("a"), `/_sandbox/ui/${dangerous}`);
    expect(log).not.toMatch(raw);
    expect(log).toContain("/_sandbox/ui/a%0A12:00:00.000%20200%20GET%20/forged%0D%1B");
  });

  test("logs a failure of the database in one line, escaped", () => {
    const log = lineOf(new DatabaseUnusable(dangerous));
    expect(log.split("\n")).toHaveLength(2);
    expect(log).not.toMatch(raw);
  });
});

test("a JSON line with control characters parses to the original text", () => {
  let log = "";
  const write = requestLog("json", (line) => {
    log += line;
  });
  write?.(controlDefect(new DatabaseUnusable(dangerous), "GET", "/_sandbox/ui", 0));
  expect(JSON.parse(log).defect).toBe(dangerous);
});

test("databaseLog writes one line, escaped", () => {
  let log = "";
  const write = databaseLog((line) => {
    log += line;
  });
  write(controlDefect(new DatabaseUnusable(dangerous), "GET", "/_sandbox/ui", 0));
  expect(log.split("\n")).toHaveLength(2);
  expect(log).not.toMatch(raw);
});
