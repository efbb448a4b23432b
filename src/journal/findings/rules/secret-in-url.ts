import type { CompanyNames } from "../../../store/callers.ts";
import { tokenIssued, tokenSent } from "../access-token.ts";
import { percentRead } from "../keys-sent.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";

/** As long as an access token, or longer. */
const longWord = /[A-Za-z0-9_-]{43,}/g;
/** A parameter whose name is a PIN's, or such a segment of a path and the one behind it, with four digits. */
const pinInUrl = /(?:(?<![A-Za-z])pin|Pin|PIN)[=/][0-9]{4}(?![0-9A-Za-z-])/;

/** An access token or a PIN stands where it is logged or shown. */
export const auth7: Rule = {
  severity: "critical",
  title: "Access token or PIN in a URL",
  why: "URLs are kept in the logs of proxies, gateways and browsers: whoever reads them can act as the member, or use the card.",
  mend: "Send the token in the Authorization header and a PIN in the body, and keep PINs out of names.",
  spec: "§5.8",
  watch(found) {
    const issued = new Recent<string, CompanyNames>(2000);
    return {
      see(request) {
        const { path, query, operation } = request.exchange;
        const token = tokenIssued(request)?.token;
        if (token !== undefined && request.exchange.caller) issued.set(token, request.exchange.caller);
        const url = path + query;
        const words = url.length > 43 ? (url.match(longWord) ?? []) : [];
        const leaked = words.find((word) => issued.get(word) || word === tokenSent(request));
        if (leaked !== undefined) {
          const company = issued.get(leaked);
          found({
            seen: `An access token was sent ${inPart(words, path)}`,
            requests: [request],
            ...(company && { company }),
          });
        }
        if (/pin/i.test(url) && (pinInUrl.test(percentRead(path)) || pinInUrl.test(percentRead(query)))) {
          found({ seen: "A PIN was sent in the URL", requests: [request] });
        }
        if (operation === "orderPhysicalCard" && isPinInName(request)) {
          // Four digits may stand there by chance.
          found({
            seen: "The name of an order has the four digits of its PIN",
            requests: [request],
            severity: "info",
          });
        }
      },
    };
  },
};

function inPart(words: readonly string[], path: string): string {
  return words.some((word) => path.includes(word)) ? "in the URL's path" : "in the URL's query";
}

function isPinInName({ json }: Seen): boolean {
  const { pin, name } = (json ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || typeof pin !== "string" || !/^[0-9]{4}$/.test(pin)) return false;
  return new RegExp(`(?<![0-9A-Za-z])${pin}(?![0-9A-Za-z])`).test(name);
}
