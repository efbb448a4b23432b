import { environmentOfKey, hasKeyChecksum, keyPrefixes } from "../../../rules/api-key.ts";
import type { Rule } from "../rule.ts";

/** A live key is sent to the sandbox. */
export const auth2: Rule = {
  severity: "critical",
  title: "Live API key sent to the sandbox",
  why: "A live secret has left production: whoever runs or logs the sandbox could order live cards with it. Revoke it.",
  mend: "Keep live and sandbox keys in separate configurations, and send each to its own base address.",
  spec: "§5.3",
  watch(found, known) {
    return {
      see(request) {
        if (request.keysSent.length === 0) return;
        const { operation } = request.exchange;
        for (const { text, place } of request.keysSent) {
          if (environmentOfKey(text) !== "live") continue;
          const inExchange = place === "body" ? operation : undefined;
          // One origin may serve both environments: this is where a live key belongs.
          if (inExchange === "exchangeLiveKey") continue;
          const holder = known.holderOf(text);
          const isSecret = !holder && looksDrawn(text);
          if (!isSecret && inExchange !== "exchangeSandboxKey") continue;
          found({
            seen: isSecret
              ? `A live key that is none of this sandbox's own was sent ${inExchange ? "to the sandbox token endpoint" : "to the sandbox"}`
              : `A live key that is ${holder ? "this sandbox's own" : "made up"} was sent to the sandbox token endpoint`,
            requests: [request],
            ...(holder && { company: holder }),
            // It opens nothing, and a suite may look at this 401 on purpose.
            severity: isSecret ? "critical" : "info",
          });
          return;
        }
      },
    };
  },
};

const madeUp = /abcdef|123456|(.)\1\1\1|test|example|sample|fake|dummy|mock|valid|unknown|wrong|secret/i;

/** Whether chance drew the secret, rather than somebody who needed a key for a test. */
function looksDrawn(secret: string): boolean {
  if (hasKeyChecksum(secret)) return true;
  const drawn = secret.slice(keyPrefixes.live.length);
  const isMixed = /[0-9]/.test(drawn) && /[A-Za-z]/.test(drawn);
  return /[A-Za-z0-9]{16}/.test(drawn) && isMixed && new Set(drawn).size >= 10 && !madeUp.test(drawn);
}
