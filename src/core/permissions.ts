import * as z from "zod";
import type { Permission } from "../contract/operations.ts";

/** Company roles; only owner and employee are named by the spec (§5.6). */
export const role = z.enum(["owner", "admin", "accountant", "employee"]);
export type Role = z.output<typeof role>;

/** Permissions follow the company role of the member who owns the key (spec §5.6). */
const permissionsOfRole: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ["issue_cards"],
  admin: ["issue_cards"],
  accountant: [],
  employee: [],
};

/** Whether a role carries a permission. */
export function hasPermission(role: Role, permission: Permission): boolean {
  return permissionsOfRole[role].includes(permission);
}
