import * as z from "zod";
import { decimalExpected, decimalInput } from "../contract/amount.ts";
import { cardStatus, cardType } from "../contract/card.ts";
import { countryCodes } from "../contract/delivery-address.ts";
import { environment } from "../contract/identifiers.ts";
import { areas } from "../contract/operations.ts";
import { activeKeysAllowed, type KeyQuota, keyPrefixes } from "../rules/api-key.ts";
import { accountStatus, companyStatus, keyStatus, memberStatus, role } from "../rules/company.ts";
import { parseDecimal } from "../rules/money.ts";

/** Longer than real names, and short enough for every list and page that shows it. */
const name = z.string().min(1).max(200, "must be up to 200 characters");

const slug = z
  .string()
  .max(100, "must be up to 100 characters")
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lower-case letters and digits, joined by hyphens")
  .refine((text) => !z.guid().safeParse(text).success, "must not look like an id");

const money = z
  .string('must be a decimal in quotes, such as "250.00"')
  .regex(decimalInput, decimalExpected)
  .transform((text) => Number(parseDecimal(text)));

/** The limits of every card (spec §2); the defaults are assumed. */
export const seedCardLimits = z.strictObject({
  max_per_purchase: money.prefault("10000.00"),
  daily: money.prefault("10000.00"),
  rolling_32_days: money.prefault("50000.00"),
});

const account = z.strictObject({
  slug,
  name,
  currency: z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code, such as GBP"),
  status: accountStatus.default("active"),
  balance: money.prefault("0.00"),
});

const apiKey = z.strictObject({
  secret: z.string().regex(/^[A-Za-z0-9_]{12,200}$/, "must be 12 to 200 letters, digits and underscores"),
  status: keyStatus.default("active"),
});

const member = z.strictObject({
  slug,
  name,
  role,
  status: memberStatus.default("active"),
  details_complete: z.boolean().default(true),
  api_keys: z.array(apiKey).default([]),
  other_companies: z.array(z.strictObject({ company: slug, role })).default([]),
});

const card = z.strictObject({
  member: slug,
  account: slug,
  type: cardType.default("physical"),
  status: cardStatus.default("active"),
  name: name.optional(),
});

/** The areas of the service that a company may use. */
export const entitlements = z
  .array(z.enum(areas))
  .refine((list) => new Set(list).size === list.length, "must name each area once");

/** A company of the fixtures. */
export const seedCompany = z.strictObject({
  slug,
  environment: environment.default("sandbox"),
  name,
  country_code: z.string().refine((code) => countryCodes.has(code), "must be an ISO 3166-1 alpha-2 code"),
  status: companyStatus.default("active"),
  details_complete: z.boolean().default(true),
  card_quota: z.int().min(0).default(20),
  entitlements: entitlements.default([...areas]),
  accounts: z.array(account).default([]),
  members: z.array(member).default([]),
  cards: z.array(card).default([]),
});

/** The schema of a fixtures file. Its validity depends on how active keys are counted. */
export function seedWorldFor(keyQuota: KeyQuota) {
  return z
    .strictObject({
      card_limits: seedCardLimits.prefault({}),
      companies: z.array(seedCompany).min(1),
    })
    .superRefine((world, context) => {
      for (const { path, message } of inconsistencies(world, keyQuota)) {
        context.addIssue({ code: "custom", path, message });
      }
    });
}
export const seedWorld = seedWorldFor("company");
export type SeedWorld = z.output<typeof seedWorld>;
export type SeedCompany = SeedWorld["companies"][number];

interface Inconsistency {
  readonly path: (string | number)[];
  readonly message: string;
}

/** Contradictions between parts of the fixtures: taken or unknown names, keys of the wrong environment, and too many
 * active keys. */
export function* inconsistencies(
  world: { readonly companies: readonly SeedCompany[] },
  keyQuota: KeyQuota,
): Generator<Inconsistency> {
  const taken = new Set<string>();
  const unlessNew = function* (kind: string, name: string, path: (string | number)[]) {
    if (taken.has(`${kind} ${name}`)) yield { path, message: `is taken: another ${kind} has it` };
    taken.add(`${kind} ${name}`);
  };
  const companyNames = new Set(world.companies.map((each) => `${each.environment} ${each.slug}`));

  for (const [c, { environment, ...company }] of world.companies.entries()) {
    const at = ["companies", c];
    yield* unlessNew(`${environment} company`, company.slug, [...at, "slug"]);
    for (const [a, account] of company.accounts.entries()) {
      yield* unlessNew(`account of ${environment} ${company.slug}`, account.slug, [
        ...at,
        "accounts",
        a,
        "slug",
      ]);
    }
    yield* excessKeys(company, keyQuota, at);
    for (const [m, member] of company.members.entries()) {
      const here = [...at, "members", m];
      yield* unlessNew(`${environment} member`, member.slug, [...here, "slug"]);
      for (const [k, { secret }] of member.api_keys.entries()) {
        const path = [...here, "api_keys", k, "secret"];
        yield* unlessNew("key", secret, path);
        if (!secret.startsWith(keyPrefixes[environment])) {
          yield { path, message: `must start with ${keyPrefixes[environment]} in a ${environment} company` };
        }
      }
      for (const [o, other] of member.other_companies.entries()) {
        const path = [...here, "other_companies", o, "company"];
        yield* unlessNew(`company of ${environment} ${member.slug}`, other.company, path);
        if (companyNames.has(`${environment} ${other.company}`) && other.company !== company.slug) continue;
        yield {
          path,
          message: `must name another ${environment} company of this file`,
        };
      }
    }
    for (const [k, card] of company.cards.entries()) {
      for (const [field, list] of [
        ["member", company.members],
        ["account", company.accounts],
      ] as const) {
        if (list.some((each) => each.slug === card[field])) continue;
        yield { path: [...at, "cards", k, field], message: `must name ${field} of this company by its slug` };
      }
    }
  }
}

/** Active keys that exceed the limit of a company or of a member (spec §5.5). */
function* excessKeys(
  { slug, members }: Pick<SeedCompany, "slug" | "members">,
  keyQuota: KeyQuota,
  at: readonly (string | number)[],
): Generator<Inconsistency> {
  let active = 0;
  for (const [m, member] of members.entries()) {
    if (keyQuota === "member") active = 0;
    for (const [k, { status }] of member.api_keys.entries()) {
      if (status !== "active" || ++active <= activeKeysAllowed) continue;
      const whose = keyQuota === "member" ? `the member ${member.slug}` : `the company ${slug}`;
      const variant = keyQuota === "company" ? ", or count them per member with --key-quota member" : "";
      yield {
        path: [...at, "members", m, "api_keys", k],
        message: `is active key ${active} of ${whose}, which may have up to ${activeKeysAllowed}: remove it, or set its status to revoked${variant}`,
      };
    }
  }
}
