import { CannotProbe, type ProbeReply, probe, type Target } from "../probe.ts";
import { byStatus, idIn, isSuccess, listRows, objectIn } from "../replies.ts";

const path = "/developer/webhooks";

/** A webhook whose events reach nobody. */
const create = (target: Target) =>
  target.send({ method: "POST", path, body: { url: "https://localhost/hooks", events: ["card.created"] } });

const remove = (target: Target, own: string) => target.send({ method: "DELETE", path: own });

/** The id of the object at a path. */
const idAt = async (target: Target, at: string) =>
  idIn((await target.send({ method: "GET", path: at })).json);

/** @returns the path of a new webhook, which the target shows */
async function newWebhook(target: Target): Promise<string> {
  await target.control("unknown webhook", async () => {
    const { status } = await target.send({ method: "GET", path: `${path}/${target.uuid()}` });
    if (isSuccess({ status })) throw new CannotProbe("the target shows any webhook");
  });
  const made = await create(target);
  const id = idIn(made.json);
  const isShown = id !== undefined && (await idAt(target, `${path}/${id}`)) === id;
  if (isShown) return `${path}/${id}`;
  throw new CannotProbe(`a webhook could not be created: status ${made.status}`);
}

/** Asks for a test event, and deletes the webhook. */
async function sendTest(target: Target, own: string): Promise<ProbeReply> {
  const reply = await target.send({ method: "POST", path: `${own}/test` });
  await remove(target, own);
  return reply;
}

/** One more than the highest limit that a dialect knows. */
const tooMany = 17;

/** Creates webhooks up to the limit of the company, and deletes them. */
async function reachLimit(target: Target): Promise<{ readonly limit: number; readonly refusal: ProbeReply }> {
  const existing = (await listRows(target, path)).length;
  const own: string[] = [];
  let refusal: ProbeReply | undefined;
  while (!refusal && existing + own.length < tooMany) {
    const made = await create(target);
    const id = idIn(made.json);
    if (isSuccess(made) && id !== undefined) own.push(`${path}/${id}`);
    else refusal = made;
  }
  for (const each of own) await remove(target, each);
  if (refusal && own.length > 0) return { limit: existing + own.length, refusal };
  throw new CannotProbe(
    refusal ? `a webhook could not be created: status ${refusal.status}` : "no limit was reached",
  );
}

/** Webhooks. */
export const webhookProbes = [
  probe("webhooks.delete_status", "write", async (target) => {
    const own = await newWebhook(target);
    const reply = await remove(target, own);
    if ((await idAt(target, own)) !== undefined) throw new CannotProbe("a webhook could not be deleted");
    return byStatus(reply, "204", "200");
  }),
  probe("webhooks.action_status", "write", async (target) => {
    const reply = await sendTest(target, await newWebhook(target));
    if (!isSuccess(reply)) throw new CannotProbe(`a webhook could not be tested: status ${reply.status}`);
    return byStatus(reply, "200", "202");
  }),
  probe("webhooks.disabled_status", "write", async (target) => {
    const own = await newWebhook(target);
    const tested = await target.send({ method: "POST", path: `${own}/test` });
    const changed = await target.send({ method: "PATCH", path: own, body: { status: "disabled" } });
    const shown = objectIn((await target.send({ method: "GET", path: own })).json)?.status;
    const { status } = await sendTest(target, own);
    if (!isSuccess(tested) || !isSuccess(changed) || shown !== "disabled") {
      throw new CannotProbe(
        `a webhook could not be tested and disabled: status ${tested.status}, ${changed.status}`,
      );
    }
    return byStatus({ status }, "400", "409", "422");
  }),
  probe("webhooks.limit", "write", async (target) => {
    const { limit } = await reachLimit(target);
    return limit === 10 || limit === 16 ? `${limit}` : { unexplained: "the limit is another one" };
  }),
  probe("webhooks.limit_status", "write", async (target) => {
    const { status } = (await reachLimit(target)).refusal;
    return byStatus({ status }, "400", "409", "422");
  }),
];
