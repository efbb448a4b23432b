import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../src/node/create-sandbox.ts";
import { requestLog } from "../src/node/request-log.ts";
import { SecretFinder } from "./support/secret-finder.ts";
import { adminToken, leaks, readOutputs } from "./support/secret-outputs.ts";
import { type Fetch, sendSecrets } from "./support/secret-traffic.ts";

describe("the search for secrets", () => {
  const secret = { kind: "API key", label: "", text: "sk_sandbox_a+b" } as const;
  const leaksIn = (text: string) => new SecretFinder([secret]).leaksIn(text).map(({ form }) => form);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  test.each([
    ["in clear", "…sk_sandbox_a+b…"],
    ["URL-encoded", "?a=sk_sandbox_a%2Bb"],
    ["percent-encoded", "%73%6B%5f%73%61%6e%64%62%6f%78%5f%61%2b%62"],
    [
      "as JSON's escapes",
      "\\u0073\\u006b\\u005f\\u0073\\u0061\\u006e\\u0064\\u0062\\u006f\\u0078\\u005f\\u0061\\u002b\\u0062",
    ],
    ["in hex", Buffer.from("…sk_sandbox_a+b").toString("hex").toUpperCase()],
    ["in base64", base64(secret.text)],
    ["in base64", base64(`1${secret.text}:x`)],
    ["in base64", base64(`me:12${secret.text}:x`)],
  ])("finds %s: %s", (form, text) => expect(leaksIn(text)).toEqual([form]));

  test.each([
    ["in clear", '"pin":"4821"'],
    ["in clear", "4821 "],
    ["in base64", base64("4821:")],
    ["in hex", "34383231"],
  ])("a PIN %s: %s", (form, text) => {
    const finder = new SecretFinder([{ kind: "PIN", label: "", text: "4821" }]);
    expect(finder.leaksIn(text).map((leak) => leak.form)).toEqual([form]);
    expect(finder.leaksIn("14821 4821-9a14 :4821 1.4821")).toEqual([]);
  });
});

test("a sandbox in process reveals no secret", { timeout: 60_000 }, async () => {
  let log = "";
  const write = requestLog("pretty", (line) => {
    log += line;
  });
  const sandbox = createSandbox({ clock: "2026-03-10T09:30:00Z", journal: 5000, observe: write });
  onTestFinished(() => sandbox.close());
  const fetch: Fetch = (path, init) => sandbox.fetch(new Request(`http://sandbox${path}`, init));
  const traffic = await sendSecrets(fetch, adminToken);
  const outputs = {
    ...(await readOutputs(fetch)),
    log,
    requests: JSON.stringify(sandbox.requests.list({ limit: 1000 })),
    coverage: JSON.stringify(sandbox.coverage()),
    findings: JSON.stringify(sandbox.findings({ final: true })),
    unused: JSON.stringify(sandbox.control.scenarios.unused()),
  };
  expect(leaks(outputs, traffic)).toEqual([]);
});
