import { checksTokens, listAt } from "../controls.ts";
import { CannotProbe, probe, type Target } from "../probe.ts";
import { byStatus, envelopeOf, isSuccess, tokenPath } from "../replies.ts";

/** A call that needs nothing but an access token. */
const call = (
  target: Target,
  rest: { token?: string | null; headers?: Record<string, string | undefined> } = {},
) => target.send({ method: "GET", path: "/developer/cards", ...rest });

/** Exchanges an API key, as the target can; `body` replaces the valid one. */
const exchange = async (target: Target, body: object = { api_key: target.apiKey }, headers = {}) => {
  await target.token();
  return target.send({ method: "POST", path: tokenPath(target.apiKey), token: null, body, headers });
};

/** An exchange with an API key of the right environment that does not exist. */
const exchangeUnknownKey = (target: Target) =>
  exchange(target, {
    api_key: target.apiKey.replace(/^(sk_[a-z]+_).*/, `$1${target.uuid().replaceAll("-", "")}`),
  });

const accounts = "/developer/accounts";

/** @throws CannotProbe if the server ignores X-On-Behalf-Of */
async function statusForForeignCompany(target: Target) {
  await listAt(target, accounts);
  const reply = await target.send({
    method: "GET",
    path: accounts,
    headers: { "X-On-Behalf-Of": target.uuid() },
  });
  if (isSuccess(reply)) throw new CannotProbe("the server ignores X-On-Behalf-Of");
  return byStatus(reply, "403", "404");
}

/** The token endpoints, access tokens and X-On-Behalf-Of. */
export const credentialProbes = [
  // Only a target that requires the header needs an order, which is refused without --write.
  probe("on_behalf_of.mode", "read", async (target) => {
    const list = async (company: string | undefined) =>
      isSuccess(
        await target.send({
          method: "GET",
          path: accounts,
          headers: { "X-On-Behalf-Of": company },
        }),
      );
    await listAt(target, accounts);
    if (await list(undefined)) return (await list(target.uuid())) ? "off" : "optional";
    const { request } = await target.sharedOrder();
    const replay = await target.send({
      ...request,
      headers: { ...request.headers, "X-On-Behalf-Of": undefined },
    });
    return isSuccess(replay) ? "required-except-order" : "required";
  }),
  probe("on_behalf_of.foreign_company", "read", statusForForeignCompany),
  probe("token.status", "read", async (target) => byStatus(await exchange(target), "200", "201")),
  probe("token.malformed_status", "read", async (target) =>
    byStatus(await exchange(target, {}), "400", "401", "422"),
  ),
  probe("token.refused_status", "read", async (target) =>
    byStatus(await exchangeUnknownKey(target), "401", "400", "403"),
  ),
  probe("token.error_envelope", "read", async (target) => {
    return envelopeOf(await exchangeUnknownKey(target)) ?? { unexplained: "the error has another body" };
  }),
  probe("token.content_type", "read", async (target) => {
    const body = { api_key: target.apiKey };
    return isSuccess(await exchange(target, body, { "Content-Type": "text/plain" })) ? "any" : "json";
  }),
  probe("token.lifetime", "read", async (target) => {
    const { headers, json } = await exchange(target);
    if (!headers.has("Date")) throw new CannotProbe("the response has no Date");
    const seconds = (Date.parse(json?.expires_at) - Date.parse(headers.get("Date") ?? "")) / 1000;
    // A response has its Date in whole seconds, and takes its time.
    const found = (["900", "840", "960"] as const).find((each) => Math.abs(Number(each) - seconds) < 10);
    return found ?? { unexplained: "expires_at shows another lifetime" };
  }),
  probe("auth.scheme", "read", async (target) => {
    await checksTokens(target);
    const Authorization = `bearer ${await target.token()}`;
    const { status } = await call(target, { token: null, headers: { Authorization } });
    return status === 401 ? "exact" : "any_case";
  }),
  probe("unauthorized.envelope", "read", async (target) => {
    return envelopeOf(await checksTokens(target)) ?? { unexplained: "the 401 has another body" };
  }),
  probe("unauthorized.challenge", "read", async (target) => {
    const challenge = (await checksTokens(target)).headers.get("WWW-Authenticate");
    if (challenge === null) return "none";
    return /\berror=/.test(challenge) ? "described" : "realm";
  }),
];
