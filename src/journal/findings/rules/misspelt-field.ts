import { operations } from "../../../contract/operations.ts";
import { misnamedFields } from "../field-names.ts";
import type { Rule } from "../rule.ts";

/** A field is sent by a name that the service does not know, and nobody says so. */
export const val3: Rule = {
  severity: "warn",
  title: "Misspelt field that was ignored",
  why: "Unknown fields are ignored: the request succeeds without what the field was to say, such as a card without its spending limit.",
  mend: "Name the field as the service does, and check bodies against its schema in your own tests.",
  spec: "§2, §4 (that unknown fields are ignored is assumed)",
  watch(found) {
    return {
      see(request) {
        const { operation, point } = request.exchange;
        // Where the request was refused, somebody was told.
        if (operation === undefined || point !== operations[operation].success) return;
        if (request.exchange.method === "GET") return;
        const misnamed = misnamedFields(operation, request.json);
        if (misnamed.length === 0) return;
        const names = misnamed.map(
          ({ sent, meant, within }) => `${sent} in place of ${meant}${within ? ` in ${within}` : ""}`,
        );
        found({ seen: `The request succeeded without ${names.join(", ")}`, requests: [request] });
      },
    };
  },
};
