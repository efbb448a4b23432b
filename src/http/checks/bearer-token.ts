import { authenticate } from "../../access/authenticate.ts";
import type { HttpServices } from "../http-services.ts";
import type { Check } from "../in-order.ts";
import { sentHeader } from "../sent-header.ts";

/** 401: finds the caller behind the access token (spec §5). The scheme is named in any letter case. */
export function bearerToken(services: HttpServices): Check {
  return (c) => {
    const credentials = /^bearer +([^ ]+) *$/i.exec(sentHeader(c, "Authorization") ?? "");
    const caller = authenticate(services, credentials?.[1], services.served);
    c.set("caller", caller);
    c.set("clockOffsetMs", caller.clockOffsetMs);
    c.set("generation", services.generations.of(caller.companyPk));
  };
}
