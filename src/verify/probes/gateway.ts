import { probe } from "../probe.ts";
import { envelopeOf, tokenPath } from "../replies.ts";

/** Requests without an operation. */
export const gatewayProbes = [
  probe("unknown_path.status", "read", async (target) => {
    const { status } = await target.send({ method: "GET", path: `/developer/${target.uuid()}` });
    if (status === 404) return "404";
    return status === 403 ? "403" : { unexplained: `status ${status}` };
  }),
  probe("unknown_path.envelope", "read", async (target) => {
    const envelope = envelopeOf(await target.send({ method: "GET", path: `/developer/${target.uuid()}` }));
    if (envelope === "gateway" || envelope === "card" || envelope === "problem") return envelope;
    return { unexplained: "an unknown path has another body" };
  }),
  probe("method_not_allowed.status", "read", async (target) => {
    const { status } = await target.send({ method: "GET", path: tokenPath(target.apiKey), token: null });
    if (status === 405) return "405";
    return status === 404 ? "404" : { unexplained: `status ${status}` };
  }),
];
