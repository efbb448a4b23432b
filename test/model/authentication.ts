import fc from "fast-check";
import { exchange } from "./exchange.ts";
import type { History } from "./history.ts";
import { anyOf, pick, seldom } from "./step.ts";
import type { Company, Member } from "./world.ts";

const onOwnBehalf = fc.record({
  by: fc.oneof(
    { weight: 24, arbitrary: fc.record({ key: fc.constant(0) }) },
    { weight: 10, arbitrary: fc.record({ key: fc.nat(9) }) },
    { weight: 3, arbitrary: fc.record({ token: anyOf }) },
    { weight: 1, arbitrary: fc.constantFrom("no token", "another-token", "an API key") },
  ),
  /** X-On-Behalf-Of. */
  actsFor: seldom(fc.oneof(fc.nat(2), fc.constant("no UUID"))),
});
/** The second key belongs to the member of the first two companies, and is used in both. */
const forEither = fc.record({ by: fc.constant({ key: 1 }), actsFor: fc.nat(1) });

/** How requests authenticate: with a new or current token of a member, an earlier token, or an invalid one. */
export const authentications = fc.oneof(
  { weight: 5, arbitrary: onOwnBehalf },
  { weight: 1, arbitrary: forEither },
);
type Choice = typeof authentications extends fc.Arbitrary<infer Value> ? Value : never;

export interface Caller {
  readonly company: Company;
  readonly member: Member;
}

/** The result of authentication: the caller, or the contract point of the refusal. */
export interface Authentication {
  readonly headers: Record<string, string>;
  readonly caller?: Caller;
  readonly refused?: string;
}

export async function authenticate(
  history: History,
  { by, actsFor }: Choice,
  area: "order" | "cards" | "others",
): Promise<Authentication> {
  const { companies } = history.world;
  const headers: Record<string, string> = {};
  if (by === "no token") return { headers, refused: "auth.token_missing" };
  const token = typeof by === "string" ? by : await tokenOf(history, by);
  if (token === undefined) return { headers, refused: "auth.token_missing" };
  headers.Authorization = `Bearer ${token === "an API key" ? "sk_sandbox_acme_owner" : token}`;
  if (token === "an API key") return { headers, refused: "auth.api_key_as_bearer" };

  const issued = history.world.tokens.find(({ value }) => value === token);
  if (!issued) return { headers, refused: "auth.token_invalid" };
  const home = history.company(issued.companyId);
  if (history.nowMs(home) >= issued.expiresMs) return { headers, refused: "auth.token_expired" };

  if (actsFor === "no UUID") {
    headers["X-On-Behalf-Of"] = "acme";
    return { headers, refused: area === "others" ? "on_behalf_of.invalid" : `${area}.on_behalf_of_invalid` };
  }
  const company = actsFor === undefined ? home : (pick(companies, actsFor) ?? home);
  if (actsFor !== undefined) headers["X-On-Behalf-Of"] = company.id;
  const member = company.members.find(({ id }) => id === issued.memberId);
  return member
    ? { headers, caller: { company, member } }
    : {
        headers,
        refused: area === "order" ? "order.on_behalf_of_not_a_member" : "on_behalf_of.not_a_member",
      };
}

/** A token, perhaps of a world that was reset. */
async function tokenOf(
  history: History,
  by: { key: number } | { token: number },
): Promise<string | undefined> {
  const { companies, tokens } = history.world;
  if ("token" in by) return pick(history.tokensEver, by.token);
  const keys = companies.flatMap((company) =>
    company.keys
      .filter(({ status, secret }) => status === "active" && secret)
      .map((key) => ({ company, key })),
  );
  const chosen = pick(keys, by.key);
  if (!chosen) return undefined;
  const { company, key } = chosen;
  const nowMs = history.nowMs(company);
  const fresh = tokens.find(
    ({ companyId, memberId, expiresMs }) =>
      companyId === company.id && memberId === key.memberId && nowMs < expiresMs,
  );
  return (fresh ?? (await exchange(history, company, key)))?.value;
}
