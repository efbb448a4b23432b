import fc from "fast-check";
import { endpoints, exchange } from "../exchange.ts";
import type { History } from "../history.ts";
import { anyOf, pick, steps } from "../step.ts";
import { nameOf } from "../world.ts";

const at = fc.constantFrom<("sandbox" | "live")[]>("sandbox", "sandbox", "sandbox", "live");

async function exchangeKey(history: History, values: { key: number; at: "sandbox" | "live" }): Promise<void> {
  const keys = history.world.companies.flatMap((company) =>
    company.keys.filter(({ secret }) => secret).map((key) => ({ company, key })),
  );
  const chosen = pick(keys, values.key);
  if (chosen) await exchange(history, chosen.company, chosen.key, values.at);
}

const bad = {
  "an unknown key": [401, "token.key_unknown", { api_key: "sk_sandbox_nobody_has_this_one" }],
  "no key": [400, "token.invalid_request", {}],
  "no JSON": [400, "token.invalid_request", "{"],
} as const;

async function exchangeBad(history: History, { what }: { what: keyof typeof bad }): Promise<void> {
  const [status, point, body] = bad[what];
  await history.expectReply({ status, point }, "POST", endpoints.sandbox, { body });
}

const maxKeys = 5;

async function createKey(history: History, values: { company: number; member: number }): Promise<void> {
  const company = pick(history.world.companies, values.company);
  const member = company && pick(company.members, values.member);
  if (!company || !member) return;
  const body = { member: member.slug, environment: company.environment, company: nameOf(company) };
  if (company.keys.filter(({ status }) => status === "active").length >= maxKeys) {
    await history.expectReply({ status: 409 }, "POST", "/_sandbox/api-keys", { body });
    return;
  }
  const expected = { status: 201, body: { status: "active", environment: company.environment } };
  const { json } = await history.expectReply(expected, "POST", "/_sandbox/api-keys", { body });
  company.keys.push({ id: json.id, secret: json.secret, memberId: member.id, status: "active" });
}

async function revokeKey(history: History, values: { key: number }): Promise<void> {
  const key = pick(
    history.world.companies.flatMap(({ keys }) => keys),
    values.key,
  );
  if (!key) return;
  key.status = "revoked";
  await history.expectReply(
    { status: 200, body: { status: "revoked" } },
    "DELETE",
    `/_sandbox/api-keys/${key.id}`,
  );
}

export const exchangeSteps = steps("exchange a key", { key: anyOf, at }, exchangeKey);
export const badExchangeSteps = steps(
  "exchange an invalid key",
  { what: fc.constantFrom(...(Object.keys(bad) as (keyof typeof bad)[])) },
  exchangeBad,
);
export const createKeySteps = steps("create a key", { company: fc.nat(3), member: fc.nat(3) }, createKey);
export const revokeKeySteps = steps("revoke a key", { key: anyOf }, revokeKey);
