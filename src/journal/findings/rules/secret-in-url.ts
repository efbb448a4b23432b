import QuickLRU from "quick-lru";
import type { CompanyNames } from "../../../store/callers.ts";
import { fieldsOf, type ObservedRequest, percentDecoded } from "../request.ts";
import type { Report, Rule } from "../rule.ts";

/** The length of an access token. */
const tokenLength = 43;
const longWord = new RegExp(`[A-Za-z0-9_-]{${tokenLength},}`, "g");
/** A name such as `pin` with four digits: a parameter, or two segments of a path. */
const pinInUrl = /(?:(?<![A-Za-z])pin|Pin|PIN)[=/][0-9]{4}(?![0-9A-Za-z-])/;

/** A URL contains an access token or a PIN, or a card's name contains its PIN. */
export const secretInUrl: Rule = {
  severity: "critical",
  title: "Access token or PIN in a URL",
  why: "Proxies, gateways and browsers log URLs. Anyone who reads such a log can act as the member or use the card.",
  fix: "Send the token in the Authorization header and the PIN in the body. Do not put a PIN into a name.",
  spec: "§5.8",
  watch(report) {
    const issued = new QuickLRU<string, CompanyNames>({ maxSize: 1000 });
    return {
      onRequest(request) {
        const { path, query, operation, caller } = request.exchange;
        const token = request.issuedToken?.token;
        if (token !== undefined && caller) issued.set(token, caller);
        const url = path + query;
        const words = url.length > tokenLength ? (url.match(longWord) ?? []) : [];
        const leaked = words.find((word) => issued.has(word) || word === request.token);
        if (leaked !== undefined) {
          const company = issued.get(leaked);
          const part = words.some((word) => path.includes(word)) ? "path" : "query";
          report({
            observed: `An access token was sent in the ${part} of the URL`,
            requests: [request],
            ...(company && { company }),
          });
        }
        if (
          /pin/i.test(url) &&
          (pinInUrl.test(percentDecoded(path)) || pinInUrl.test(percentDecoded(query)))
        ) {
          report({ observed: "A PIN was sent in the URL", requests: [request] });
        }
        if (operation === "orderPhysicalCard") reportPinInName(request, report);
      },
    };
  },
};

function reportPinInName(request: ObservedRequest, report: Report): void {
  const { pin, name } = fieldsOf(request.json) ?? {};
  if (typeof name !== "string" || typeof pin !== "string" || !/^[0-9]{4}$/.test(pin)) return;
  if (!name.includes(pin) || !new RegExp(`(?<![0-9A-Za-z])${pin}(?![0-9A-Za-z])`).test(name)) return;
  report({
    observed: "The name in an order contains the four digits of its PIN",
    requests: [request],
    // The name may contain these digits by chance.
    severity: "info",
  });
}
