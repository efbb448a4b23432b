import { environmentOfKey, hasKeyChecksum, keyPrefixes } from "../../../rules/api-key.ts";
import type { Rule } from "../rule.ts";

export const liveKeySent: Rule = {
  severity: "critical",
  title: "Live API key sent to the sandbox",
  why: "A live secret has left production: whoever runs or logs the sandbox could order live cards with it. Revoke it.",
  mend: "Keep live and sandbox keys in separate configurations, and send each to its own base address.",
  spec: "§5.3",
  watch: (report, apiKeys) => ({
    onRequest(request) {
      const { operation } = request.exchange;
      for (const { text, place } of request.possibleKeys) {
        if (environmentOfKey(text) !== "live") continue;
        const endpoint = place === "body" ? operation : undefined;
        // One origin may serve both environments, and then a live key belongs here.
        if (endpoint === "exchangeLiveKey") continue;
        const holder = apiKeys.holderOf(text);
        const isSecret = !holder && looksRandom(text);
        if (!isSecret && endpoint !== "exchangeSandboxKey") continue;
        report({
          seen: isSecret
            ? `A live key that is none of this sandbox's own was sent ${endpoint ? "to the sandbox token endpoint" : "to the sandbox"}`
            : `A live key that is ${holder ? "this sandbox's own" : "made up"} was sent to the sandbox token endpoint`,
          requests: [request],
          ...(holder && { company: holder }),
          // Such a key gives access to nothing, and a test may provoke this 401.
          severity: isSecret ? "critical" : "info",
        });
        return;
      }
    },
  }),
};

const madeUp = /abcdef|123456|(.)\1\1\1|test|example|sample|fake|dummy|mock|valid|unknown|wrong|secret/i;

/** Whether a generator made the secret, and not a person who needed a key for a test. */
function looksRandom(secret: string): boolean {
  if (hasKeyChecksum(secret)) return true;
  const random = secret.slice(keyPrefixes.live.length);
  const isMixed = /[0-9]/.test(random) && /[A-Za-z]/.test(random);
  return /[A-Za-z0-9]{16}/.test(random) && isMixed && new Set(random).size >= 10 && !madeUp.test(random);
}
