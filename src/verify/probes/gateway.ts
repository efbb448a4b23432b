import { probe } from "../probe.ts";
import { byStatus, envelopeOf, tokenPath } from "../replies.ts";

/** Requests without an operation. */
export const gatewayProbes = [
  probe("unknown_path.status", "read", async (target) => {
    return byStatus(await target.send({ method: "GET", path: `/developer/${target.uuid()}` }), "404", "403");
  }),
  probe("unknown_path.envelope", "read", async (target) => {
    const envelope = envelopeOf(await target.send({ method: "GET", path: `/developer/${target.uuid()}` }));
    if (envelope === "gateway" || envelope === "card" || envelope === "problem") return envelope;
    return { unexplained: "an unknown path has another body" };
  }),
  probe("method_not_allowed.status", "read", async (target) => {
    return byStatus(
      await target.send({ method: "GET", path: tokenPath(target.apiKey), token: null }),
      "405",
      "404",
    );
  }),
];
