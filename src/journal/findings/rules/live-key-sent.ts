import { environmentOfKey, hasKeyChecksum, keyPrefixes } from "../../../rules/api-key.ts";
import type { Rule } from "../rule.ts";

export const liveKeySent: Rule = {
  severity: "critical",
  title: "Live API key sent to the sandbox",
  why: "A live secret has left production. Anyone who runs the sandbox or reads its logs could order live cards with it.",
  fix: "Revoke the key. Keep live and sandbox keys in separate configurations, and send each key only to the base URL of its environment.",
  spec: "§5.3",
  watch: (report, apiKeys) => ({
    onRequest(request) {
      const { operation } = request.exchange;
      for (const { text, place } of request.possibleKeys) {
        if (environmentOfKey(text) !== "live") continue;
        const endpoint = place === "body" ? operation : undefined;
        // One origin may serve both environments: then the live token endpoint is the right place for a live key.
        if (endpoint === "exchangeLiveKey") continue;
        const holder = apiKeys.holderOf(text);
        const isSecret = !holder && looksRandom(text);
        if (!isSecret && endpoint !== "exchangeSandboxKey") continue;
        report({
          observed: isSecret
            ? `A live key that this sandbox did not issue was sent to the ${endpoint ? "sandbox token endpoint" : "sandbox"}`
            : `A ${holder ? "live key of this sandbox" : "made-up live key"} was sent to the sandbox token endpoint`,
          requests: [request],
          ...(holder && { company: holder }),
          // Such a key gives no access, and a test may cause this 401 on purpose.
          severity: isSecret ? "critical" : "info",
        });
        return;
      }
    },
  }),
};

const madeUp = /abcdef|123456|(.)\1\1\1|test|example|sample|fake|dummy|mock|valid|unknown|wrong|secret/i;

/** Whether a generator made the secret, not a person who needed a key for a test. */
function looksRandom(secret: string): boolean {
  if (hasKeyChecksum(secret)) return true;
  const random = secret.slice(keyPrefixes.live.length);
  const isMixed = /[0-9]/.test(random) && /[A-Za-z]/.test(random);
  return /[A-Za-z0-9]{16}/.test(random) && isMixed && new Set(random).size >= 10 && !madeUp.test(random);
}
