import { listAt, unknownPath } from "../controls.ts";
import { type ProbeReply, probe, type Target } from "../probe.ts";
import { byStatus, envelopeOf, tokenPath } from "../replies.ts";

/** Another status than 404 may be that of every path, unless one works. */
async function unknown(target: Target): Promise<ProbeReply> {
  const reply = await unknownPath(target);
  if (reply.status !== 404) await listAt(target, "/developer/accounts");
  return reply;
}

/** Requests without an operation. */
export const gatewayProbes = [
  probe("unknown_path.status", "read", async (target) => byStatus(await unknown(target), "404", "403")),
  probe("unknown_path.envelope", "read", async (target) => {
    const envelope = envelopeOf(await unknown(target));
    if (envelope === "gateway" || envelope === "card" || envelope === "problem") return envelope;
    return { unexplained: "an unknown path has another body" };
  }),
  probe("method_not_allowed.status", "read", async (target) => {
    await target.token();
    const reply = await target.send({ method: "GET", path: tokenPath(target.apiKey), token: null });
    return byStatus(reply, "405", "404");
  }),
];
