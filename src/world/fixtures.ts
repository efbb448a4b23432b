import * as z from "zod";
import { decimalExpected, decimalInput } from "../contract/amount.ts";
import { cardStatus, cardType } from "../contract/card.ts";
import { countryCodes } from "../contract/delivery-address.ts";
import { mustBe } from "../contract/expected.ts";
import { environment } from "../contract/identifiers.ts";
import { areas } from "../contract/operations.ts";
import { activeKeysAllowed, type KeyQuota, keyPrefixes } from "../rules/api-key.ts";
import { accountStatus, companyStatus, keyStatus, memberStatus, role } from "../rules/company.ts";
import { quoted } from "../rules/errors.ts";
import { parseDecimal } from "../rules/money.ts";

/** Longer than real names, and short enough for every list and page that shows it. */
const name = z
  .string(mustBe("a string"))
  .min(1, "must not be empty")
  .max(200, "must have at most 200 characters");

const slug = z
  .string(mustBe("a string"))
  .max(100, "must have at most 100 characters")
  .regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    mustBe("lowercase letters and digits joined by hyphens, such as my-company"),
  )
  .refine((text) => !z.guid().safeParse(text).success, "must not be a UUID. Use a slug such as my-company.");

const money = z
  .string('must be a decimal in quotes, such as "250.00"')
  .regex(decimalInput, decimalExpected)
  .transform((text) => Number(parseDecimal(text)));

/** The limits of every card (spec §2); the defaults are assumed. */
export const fixtureCardLimits = z.strictObject({
  max_per_purchase: money.prefault("10000.00"),
  daily: money.prefault("10000.00"),
  rolling_32_days: money.prefault("50000.00"),
});

const account = z.strictObject({
  slug,
  name,
  currency: z.string(mustBe("a string")).regex(/^[A-Z]{3}$/, mustBe("an ISO 4217 code such as GBP")),
  status: accountStatus.default("active"),
  balance: money.prefault("0.00"),
});

const apiKey = z.strictObject({
  secret: z
    .string("must be a string")
    .regex(/^[A-Za-z0-9_]{12,200}$/, "must have 12 to 200 letters, digits or underscores"),
  status: keyStatus.default("active"),
});

const member = z.strictObject({
  slug,
  name,
  role,
  status: memberStatus.default("active"),
  details_complete: z.boolean(mustBe("true or false")).default(true),
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
  .refine((list) => new Set(list).size === list.length, "must not contain the same area twice");

/** A company of the fixtures. */
export const fixtureCompany = z.strictObject({
  slug,
  environment: environment.default("sandbox"),
  name,
  country_code: z
    .string(mustBe("a string"))
    .refine((code) => countryCodes.has(code), mustBe("an ISO 3166-1 alpha-2 code such as GB")),
  status: companyStatus.default("active"),
  details_complete: z.boolean(mustBe("true or false")).default(true),
  card_quota: z.int(mustBe("an integer")).min(0, "must be at least 0").default(20),
  entitlements: entitlements.default([...areas]),
  accounts: z.array(account).default([]),
  members: z.array(member).default([]),
  cards: z.array(card).default([]),
});

/** The schema of a fixtures file. Its validity depends on how active keys are counted. */
export function fixturesSchemaFor(keyQuota: KeyQuota) {
  return z
    .strictObject({
      card_limits: fixtureCardLimits.prefault({}),
      companies: z.array(fixtureCompany).min(1, "must contain at least one company"),
    })
    .superRefine((world, context) => {
      for (const { path, message } of inconsistencies(world, keyQuota)) {
        context.addIssue({ code: "custom", path, message });
      }
    });
}
export const fixturesSchema = fixturesSchemaFor("company");
export type FixtureWorld = z.output<typeof fixturesSchema>;
export type FixtureCompany = FixtureWorld["companies"][number];

interface Inconsistency {
  readonly path: (string | number)[];
  readonly message: string;
}

/** Contradictions between parts of the fixtures: taken or unknown names, keys of the wrong environment, and too many
 * active keys. */
export function* inconsistencies(
  world: { readonly companies: readonly FixtureCompany[] },
  keyQuota: KeyQuota,
): Generator<Inconsistency> {
  const taken = new Set<string>();
  const unlessNew = function* (kind: string, value: string, path: (string | number)[]) {
    const shown = kind === "API key" ? "" : `${quoted(value)} `;
    if (taken.has(`${kind} ${value}`)) {
      yield { path, message: `${shown}is already used by another ${kind}` };
    }
    taken.add(`${kind} ${value}`);
  };
  const companyNames = new Set(world.companies.map((each) => `${each.environment} ${each.slug}`));

  for (const [c, { environment, ...company }] of world.companies.entries()) {
    const at = ["companies", c];
    yield* unlessNew(`${environment} company`, company.slug, [...at, "slug"]);
    for (const [a, account] of company.accounts.entries()) {
      yield* unlessNew(`account of the ${environment} company ${company.slug}`, account.slug, [
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
        yield* unlessNew("API key", secret, path);
        if (!secret.startsWith(keyPrefixes[environment])) {
          yield { path, message: `must start with ${keyPrefixes[environment]} in a ${environment} company` };
        }
      }
      for (const [o, other] of member.other_companies.entries()) {
        const path = [...here, "other_companies", o, "company"];
        yield* unlessNew(`membership of the ${environment} member ${member.slug}`, other.company, path);
        if (companyNames.has(`${environment} ${other.company}`) && other.company !== company.slug) continue;
        yield {
          path,
          message: `must be the slug of another ${environment} company in this file, but is ${quoted(other.company)}`,
        };
      }
    }
    for (const [k, card] of company.cards.entries()) {
      for (const [field, one, list] of [
        ["member", "a member", company.members],
        ["account", "an account", company.accounts],
      ] as const) {
        if (list.some((each) => each.slug === card[field])) continue;
        const message = `must be the slug of ${one} of this company, but is ${quoted(card[field])}`;
        yield { path: [...at, "cards", k, field], message };
      }
    }
  }
}

/** Active keys that exceed the limit of a company or of a member (spec §5.5). */
function* excessKeys(
  { slug, members }: Pick<FixtureCompany, "slug" | "members">,
  keyQuota: KeyQuota,
  at: readonly (string | number)[],
): Generator<Inconsistency> {
  let active = 0;
  for (const [m, member] of members.entries()) {
    if (keyQuota === "member") active = 0;
    for (const [k, { status }] of member.api_keys.entries()) {
      if (status !== "active" || ++active <= activeKeysAllowed) continue;
      const whose = keyQuota === "member" ? `the member ${member.slug}` : `the company ${slug}`;
      const remedies =
        keyQuota === "member"
          ? "Remove it, or set its status to revoked."
          : "Remove it, set its status to revoked, or count API keys per member with --key-quota member.";
      yield {
        path: [...at, "members", m, "api_keys", k],
        message: `is the active API key number ${active} of ${whose}, but at most ${activeKeysAllowed} are allowed. ${remedies}`,
      };
    }
  }
}
