import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SuiteReport } from "../../src/journal/suite.ts";
import { type Run, run, temporaryFolder } from "./command-line.ts";

/** Stands before the code of each suite: functions that exchange the key and order cards. */
const prelude = `
const { CARD_SANDBOX_URL: url, CARD_SANDBOX_API_KEY: api_key, CARD_SANDBOX_ACCOUNT_ID: account_id } = process.env;
const post = (path, body, headers) => fetch(url + path, { method: "POST", body: JSON.stringify(body), headers });
const arm = (name, body = {}) => post("/_sandbox/scenarios/" + name + "/arm", body);
const exchange = async (key = api_key) => (await (await post("/auth/v1/sandbox/token", { api_key: key })).json()).access_token;
const order = async (key = crypto.randomUUID(), more = {}) => post("/developer/cards/physical", {
  account_id, pin: "4821", delivery_method: "express",
  delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" }, ...more,
}, { Authorization: "Bearer " + (await exchange()), "Content-Type": "application/json", "Idempotency-Key": key });
`;

/** The command that runs a suite with this code. */
export function suiteOf(code: string): string[] {
  return [process.execPath, "--input-type=module", "--eval", prelude + code];
}

/** Runs a suite with this code under `exec`. */
export function exec(options: readonly string[], code: string, env: NodeJS.ProcessEnv = {}): Run {
  return run(["exec", ...options, "--", ...suiteOf(code)], env);
}

export interface ReportedRun extends Run {
  /** Reads the report, once it is written. */
  report(): SuiteReport;
}

/** Starts a run with a report. */
export function reportOf(start: (options: readonly string[]) => Run): ReportedRun {
  const file = join(temporaryFolder(), "report.json");
  return {
    ...start(["--report", file]),
    report: () => JSON.parse(readFileSync(file, "utf8")) as SuiteReport,
  };
}
