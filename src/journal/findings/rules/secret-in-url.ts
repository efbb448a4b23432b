import QuickLRU from "quick-lru";
import type { CompanyNames } from "../../../store/callers.ts";
import { fieldsOf, type ObservedRequest, percentDecoded } from "../request.ts";
import type { Report, Rule } from "../rule.ts";

/** The length of an access token. */
const tokenLength = 43;
const longWord = new RegExp(`[A-Za-z0-9_-]{${tokenLength},}`, "g");
/** A PIN's name with four digits: a parameter, or two segments of a path. */
const pinInUrl = /(?:(?<![A-Za-z])pin|Pin|PIN)[=/][0-9]{4}(?![0-9A-Za-z-])/;

/** An access token or a PIN is in a URL, or a PIN in a name. */
export const secretInUrl: Rule = {
  severity: "critical",
  title: "Access token or PIN in a URL",
  why: "URLs are kept in the logs of proxies, gateways and browsers: whoever reads them can act as the member, or use the card.",
  mend: "Send the token in the Authorization header and a PIN in the body, and keep PINs out of names.",
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
            seen: `An access token was sent in the URL's ${part}`,
            requests: [request],
            ...(company && { company }),
          });
        }
        if (
          /pin/i.test(url) &&
          (pinInUrl.test(percentDecoded(path)) || pinInUrl.test(percentDecoded(query)))
        ) {
          report({ seen: "A PIN was sent in the URL", requests: [request] });
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
    seen: "The name of an order has the four digits of its PIN",
    requests: [request],
    // The name may contain these digits by chance.
    severity: "info",
  });
}
