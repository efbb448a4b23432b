import * as z from "zod";
import { type Permission, permissions } from "../contract/operations.ts";

/** Company roles; only owner and employee are named by the spec (§5.6). */
export const role = z.enum(["owner", "admin", "accountant", "employee"]);
export type Role = z.output<typeof role>;

/** Over what a permission reaches: all that is the company's, or what is the member's own. */
export type Reach = "all" | "own";

const everything = Object.fromEntries(permissions.map((each) => [each, "all"])) as Record<Permission, Reach>;

/**
 * Permissions follow the company role of the member who owns the key (spec §5.6). That an owner reaches
 * everything, and an employee the least, is the spec's; the rest is assumed.
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

/** How far a role's permission reaches; undefined where the role lacks it. */
export function reachOf(role: Role, permission: Permission): Reach | undefined {
  return reachOfRole[role][permission];
}

/** Whether a role carries a permission. */
export function hasPermission(role: Role, permission: Permission): boolean {
  return reachOf(role, permission) !== undefined;
}
