import { limits, setLimit } from "../controls.ts";
import { CannotProbe, type ProbeReply, probe, type Target } from "../probe.ts";
import { byStatus, isSuccess, messageIn, unexplained } from "../replies.ts";

/**
 * Sends an order with some fields replaced; a text is added to the body.
 * @throws CannotProbe if the target orders no cards, or refuses the order with a status that a valid order has too, such
 * as 422 when the quota is reached
 */
async function order(
  target: Target,
  fields: object,
  { headers = {}, padding = "", token }: { headers?: object; padding?: string; token?: string } = {},
): Promise<ProbeReply> {
  await target.sharedOrder();
  const reply = await target.send({
    method: "POST",
    path: "/developer/cards/physical",
    headers: { "Idempotency-Key": target.uuid(), ...headers },
    body: JSON.stringify({ ...(await target.order()), ...fields }) + padding,
    token,
  });
  if (reply.status === 422) await target.newCard();
  return reply;
}

/** @throws CannotProbe if an order with these fields does not have this status */
async function needs(target: Target, status: number, fields: object): Promise<void> {
  const reply = await order(target, fields);
  if (reply.status !== status) throw new CannotProbe(`an order to compare with returned ${reply.status}`);
}

const address = { line1: "1 High Street", city: "London", post_code: "SW1A 1AA", country_code: "GB" };

/** The rules of a country, which alternatives refuse with either status. */
const violatesRule = ({ status }: ProbeReply) => status === 400 || status === 422;

/** The validation of requests, and the order of checks. */
export const validationProbes = [
  probe("content_type.status", "write", async (target) => {
    const reply = await order(target, {}, { headers: { "Content-Type": "text/plain" } });
    return byStatus(reply, "400", "415");
  }),
  probe("body_too_large.status", "write", async (target) => {
    const unknown = { account_id: target.uuid() };
    await needs(target, 404, unknown);
    const reply = await order(target, unknown, { padding: " ".repeat(70_000) });
    return byStatus(reply, "400", "413");
  }),
  probe("json.unknown_fields", "write", async (target) => {
    const reply = await order(target, { nickname: "Travel" });
    return isSuccess(reply) ? "ignored" : byStatus(reply, "400");
  }),
  probe("json.null_fields", "write", async (target) => {
    const reply = await order(target, { name: null });
    return isSuccess(reply) ? "absent" : byStatus(reply, "400");
  }),
  probe("card.name_blank", "write", async (target) => {
    const reply = await order(target, { name: " " });
    return isSuccess(reply) ? "default" : byStatus(reply, "400");
  }),
  probe("card.name_length", "write", async (target) => {
    const bounds = { 101: "unlimited", 31: "100", 25: "30" } as const;
    for (const length of [101, 31, 25] as const) {
      const reply = await order(target, { name: "n".repeat(length) });
      if (isSuccess(reply)) return bounds[length];
      if (reply.status !== 400) return unexplained(reply);
    }
    return "24";
  }),
  probe("address.blank_line1", "write", async (target) => {
    const reply = await order(target, { delivery_address: { ...address, line1: " " } });
    return isSuccess(reply) ? "accepted" : byStatus(reply, "400");
  }),
  probe("country_code.case", "write", async (target) => {
    const reply = await order(target, { delivery_address: { ...address, country_code: "gb" } });
    if (isSuccess(reply)) return "any-case";
    return reply.status === 400 ? "capitals" : unexplained(reply);
  }),
  probe("error.messages", "write", async (target) => {
    const one = await order(target, { delivery_method: "pigeon" });
    if (isSuccess(one)) return unexplained(one);
    if (messageIn(one.json) === "") throw new CannotProbe("errors have no message");
    const other = await order(target, { delivery_method: "owl" });
    if (messageIn(one.json) === messageIn(other.json)) return "constant";
    const both = messageIn((await order(target, { delivery_method: "pigeon", auto_convert: "yes" })).json);
    return both.includes("delivery_method") && both.includes("auto_convert") ? "every-field" : "first-field";
  }),
  probe("pin.weak", "write", async (target) => {
    const reply = await order(target, { pin: "1111" });
    return isSuccess(reply) ? "accepted" : byStatus(reply, "400", "422");
  }),
  probe("address.country_rules", "write", async (target) => {
    const reply = await order(target, { delivery_address: { ...address, city: undefined } });
    return byStatus(reply, "400", "422");
  }),
  probe("address.state", "write", async (target) => {
    const madrid = { line1: "Calle Mayor 1", city: "Madrid", post_code: "28013", country_code: "ES" };
    const reply = await order(target, { delivery_address: madrid, delivery_method: "express" });
    if (isSuccess(reply)) return "optional";
    return violatesRule(reply) ? "required" : unexplained(reply);
  }),
  probe("post_code.status", "write", async (target) => {
    const reply = await order(target, { delivery_address: { ...address, post_code: "1" } });
    return byStatus(reply, "400", "422");
  }),
  probe("post_code.form", "write", async (target) => {
    const reply = await order(target, { delivery_address: { ...address, post_code: "sw1a 1aa" } });
    if (isSuccess(reply)) return "any-case";
    return violatesRule(reply) ? "capitals" : unexplained(reply);
  }),
  probe("delivery_method.not_offered", "write", async (target) => {
    const reply = await order(target, { delivery_method: "international" });
    return isSuccess(reply) ? "accepted" : byStatus(reply, "400", "422");
  }),
  probe("delivery.countries", "write", async (target) => {
    const nairobi = { line1: "1 Moi Avenue", city: "Nairobi", post_code: "00100", country_code: "KE" };
    const reply = await order(target, { delivery_address: nairobi, delivery_method: "international" });
    if (isSuccess(reply)) return "worldwide";
    return reply.status === 422 ? "europe" : unexplained(reply);
  }),
  probe("country.order", "write", async (target) => {
    const pyongyang = { line1: "1 Sungri Street", city: "Pyongyang", country_code: "KP" };
    const unknown = { account_id: target.uuid() };
    const undeliverable = { delivery_address: pyongyang, delivery_method: "international" };
    await needs(target, 404, unknown);
    await needs(target, 422, undeliverable);
    const reply = await order(target, { ...unknown, ...undeliverable });
    if (reply.status === 404) return "after-account";
    return reply.status === 422 ? "before-account" : unexplained(reply);
  }),
  probe("card.order", "write", async (target) => {
    const { card } = await target.sharedOrder();
    await limits(target);
    const refused = await setLimit(target, card, "yearly");
    const unknown = { id: target.uuid() };
    const missing = await setLimit(target, unknown);
    if (refused.status !== 400 || missing.status !== 404) {
      throw new CannotProbe(`the errors of limits have status ${refused.status} and ${missing.status}`);
    }
    const reply = await setLimit(target, unknown, "yearly");
    if (reply.status === 400) return "after-body";
    return reply.status === 404 ? "before-body" : unexplained(reply);
  }),
  probe("account.order", "write", async (target) => {
    const unknown = { account_id: target.uuid() };
    await needs(target, 404, unknown);
    await needs(target, 400, { pin: "12" });
    const malformed = await order(target, { ...unknown, pin: "12" });
    if (malformed.status === 404) return "before-body";
    const invalid = await order(target, { ...unknown, delivery_address: { ...address, post_code: "1" } });
    if (invalid.status === 404) return "after-body";
    return violatesRule(invalid) ? "after-rules" : unexplained(invalid);
  }),
  probe("permission.order", "write", async (target) => {
    const token = await target.employeeToken();
    await needs(target, 400, { pin: "12" });
    const valid = await order(target, {}, { token });
    if (valid.status !== 403) throw new CannotProbe(`an order of the employee returned ${valid.status}`);
    const reply = await order(target, { pin: "12" }, { token });
    if (reply.status === 403) return "before-body";
    return reply.status === 400 ? "after-body" : unexplained(reply);
  }),
];
