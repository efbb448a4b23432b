import type { MiddlewareHandler } from "hono";
import { companyId } from "../../contract/identifiers.ts";
import { actFor } from "../../core/authenticate.ts";
import { SandboxError } from "../../core/errors.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";

/** The company acted for, after 401 and before 403 (spec §5.7). Without the header: the company of the key. */
export function onBehalfOf(services: HttpServices): MiddlewareHandler<HttpEnv> {
  if (services.onBehalfOf === "off") return (_c, next) => next();
  return (c, next) => {
    const header = c.req.header("X-On-Behalf-Of");
    if (header === undefined) {
      if (services.onBehalfOf === "optional") return next();
      throw new SandboxError(
        "on_behalf_of.required",
        "X-On-Behalf-Of: is required; send the UUID of the company acted for",
      );
    }
    const company = companyId.safeParse(header);
    if (!company.success) {
      throw new SandboxError("on_behalf_of.invalid", "X-On-Behalf-Of: must be the UUID of a company");
    }
    const caller = actFor(services, c.get("caller"), company.data);
    c.set("caller", caller);
    c.set("clockOffsetMs", caller.clockOffsetMs);
    c.set("generation", services.generations.of(caller.companyPk));
    return next();
  };
}
