import { actFor } from "../../access/authenticate.ts";
import { actingPoints } from "../../contract/decisions.ts";
import { companyId } from "../../contract/identifiers.ts";
import { type OperationId, requiresOnBehalfOf } from "../../contract/operations.ts";
import { SandboxError } from "../../rules/errors.ts";
import type { HttpServices } from "../http-services.ts";
import type { Check } from "../in-order.ts";
import { sentHeader } from "../sent-header.ts";

/** The company acted for, after 401 and before 403 (spec §5.7). Without the header: the company of the key. */
export function onBehalfOf(services: HttpServices, operation: OperationId): Check {
  if (services.onBehalfOf === "off") return () => {};
  const isRequired = requiresOnBehalfOf(services.onBehalfOf, operation);
  const [required, invalid, notAMember] = actingPoints(operation);
  return (c) => {
    const header = sentHeader(c, "X-On-Behalf-Of");
    if (header === undefined) {
      if (!isRequired) return;
      throw new SandboxError(
        required,
        "X-On-Behalf-Of: is required; send the UUID of the company to act for",
      );
    }
    const company = companyId.safeParse(header);
    if (!company.success) {
      throw new SandboxError(invalid, "X-On-Behalf-Of: must be the UUID of a company");
    }
    const caller = actFor(services, c.get("caller"), company.data, notAMember);
    c.set("caller", caller);
    c.set("clockOffsetMs", caller.clockOffsetMs);
    c.set("generation", services.generations.of(caller.companyPk));
  };
}
