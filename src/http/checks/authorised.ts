import type { Area, Permission } from "../../contract/operations.ts";
import type { ErrorPointId } from "../../contract/points.ts";
import { hasPermission } from "../../rules/company.ts";
import { SandboxError } from "../../rules/errors.ts";
import type { Check } from "../in-order.ts";

/** 403: the member's role carries the permission, and the company is entitled to the area (spec §5.6). */
export function authorised(
  { permission, area }: { readonly permission: Permission; readonly area?: Area },
  points: { readonly forbidden: ErrorPointId; readonly notEntitled: ErrorPointId },
): Check {
  return (c) => {
    const { role, entitlements } = c.get("caller");
    const { facts } = c.get("overlay");
    if (!(facts.permissions?.includes(permission) ?? hasPermission(role, permission))) {
      throw new SandboxError(
        points.forbidden,
        `The member who owns the API key, with the role ${role}, lacks the permission ${permission}`,
      );
    }
    if (area !== undefined && !(facts.entitled ?? entitlements.includes(area))) {
      throw new SandboxError(points.notEntitled, `The company is not entitled to ${area}`);
    }
  };
}
