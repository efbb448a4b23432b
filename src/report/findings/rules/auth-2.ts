import type { Rule } from "../rule.ts";

/** A live key is sent to the sandbox. */
export const auth2: Rule = {
  severity: "critical",
  title: "Live API key sent to the sandbox",
  why: "A live secret has left production: whoever runs or logs the sandbox could order live cards with it. Revoke it.",
  mend: "Keep live and sandbox keys in separate configurations, and send each to its own base address.",
  spec: "§5.3",
  watch(found) {
    return {
      see(request) {
        if (request.exchange.point !== "token.environment_mismatch") return;
        if (request.exchange.operation !== "exchangeSandboxKey") return;
        found({
          seen: "A key that starts with sk_live_ was sent to the sandbox token endpoint",
          requests: [request],
        });
      },
    };
  },
};
