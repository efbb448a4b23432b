import { expect, test } from "vitest";
import { hasKeyChecksum, makeSecret } from "../../src/rules/api-key.ts";
import { seededRandom } from "../../src/rules/random.ts";

const secret = makeSecret("live", seededRandom(1).block("api_key_secret", "test", 1));

test.each(["sandbox", "live"] as const)("a new secret has a valid checksum: %s", (environment) => {
  for (let n = 0; n < 20; n++) {
    expect(hasKeyChecksum(makeSecret(environment, seededRandom(n).block("api_key_secret", "test", n)))).toBe(
      true,
    );
  }
});

test.each([
  ["a key with one character changed", secret.replace(/.$/, (last) => (last === "a" ? "b" : "a"))],
  ["a key that was cut", secret.slice(0, -1)],
  ["a key with more behind it", `${secret}x`],
  ["a key with more before it", `x${secret}`],
  ["a key of the default world", "sk_sandbox_northwind_owner"],
  ["what merely begins as one", "sk_test"],
  ["a prefix alone", "sk_live_"],
  ["nothing", ""],
])("no checksum: %s", (_, text) => expect(hasKeyChecksum(text)).toBe(false));
