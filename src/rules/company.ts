import * as z from "zod";
import { account } from "../contract/account.ts";
import type { Choices } from "../contract/behaviours.ts";
import { type Permission, permissions } from "../contract/operations.ts";

/** The spec does not show the fields of the records around a card (§2), so these statuses are assumed. */
export const companyStatus = z.enum(["active", "suspended", "closed"]);
export type CompanyStatus = z.output<typeof companyStatus>;

export const accountStatus = account.shape.status;
export type AccountStatus = z.output<typeof accountStatus>;

export const memberStatus = z.enum(["active", "inactive"]);
export type MemberStatus = z.output<typeof memberStatus>;

export const keyStatus = z.enum(["active", "revoked"]);
export type KeyStatus = z.output<typeof keyStatus>;

/** Company roles; only owner and employee are named by the spec (§5.6). */
export const role = z.enum(["owner", "admin", "accountant", "employee"]);
export type Role = z.output<typeof role>;

/** The scope of a permission: everything of the company, or only the member's own. */
export type Reach = "all" | "own";

const everything = Object.fromEntries(permissions.map((each) => [each, "all"])) as Record<Permission, Reach>;

/**
 * Permissions follow the company role of the member who owns the key (spec §5.6). The spec gives an owner all
 * permissions and an employee the fewest; the rest is assumed.
 */
const reachOfRole: Readonly<Record<Role, Readonly<Partial<Record<Permission, Reach>>>>> = {
  owner: everything,
  admin: everything,
  accountant: {
    view_companies: "all",
    view_accounts: "all",
    view_transactions: "all",
    view_cards: "all",
    view_invoices: "all",
  },
  employee: {
    view_companies: "own",
    view_transactions: "own",
    view_cards: "own",
    freeze_cards: "own",
  },
};

/** The permissions of roles that dialects decide. */
const openPermissions: {
  readonly [R in Role]?: { readonly [P in Permission]?: (choices: Choices) => boolean };
} = {
  admin: { issue_cards: (choices) => choices["roles.admin_orders"] === "allowed" },
  accountant: { issue_cards: (choices) => choices["roles.accountant_orders"] === "allowed" },
  employee: { freeze_cards: (choices) => choices["roles.employee_freezes"] === "allowed" },
};

/** The scope of a role's permission, if it has it; undefined if it never does. */
export function reachOf(role: Role, permission: Permission): Reach | undefined {
  return reachOfRole[role][permission];
}

/** Whether a role has a permission under a dialect. */
export function hasPermission(role: Role, permission: Permission, choices: Choices): boolean {
  return openPermissions[role]?.[permission]?.(choices) ?? reachOf(role, permission) !== undefined;
}

/** So that the slugs of the members, which begin with the company's, are valid too. */
const longestSlug = 60;

/** The slug of a company that is made for a test, from the name of the test. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longestSlug)
    .replace(/^-|-$/g, "");
  return slug || "test";
}
