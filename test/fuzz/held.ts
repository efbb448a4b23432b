import type { Observed } from "../support/openapi-conformance.ts";
import { checkConformance } from "../support/openapi-conformance.ts";
import type { Sent } from "./sent.ts";

/** What became of a request. */
export interface Answered {
  /** Undefined where the connection was lost. */
  readonly status: number | undefined;
  readonly headers: Headers;
  /** As far as it came. */
  readonly text: string;
  /** What was told of it meanwhile. */
  readonly exchanges: readonly Observed[];
}

/** A stack, or where the sources lie. */
const innards = /^ {4}at |node_modules|\.tsx?:\d/m;

/** What no request may be answered with, whatever it is. */
export function wrongs(sent: Sent, answered: Answered): string[] {
  const { status, headers, text, exchanges } = answered;
  const found: string[] = [];
  const isForced = exchanges.some(({ scenario }) => scenario !== undefined);
  if (status === undefined && !isForced) found.push("the connection was lost, and no scenario asked for it");
  if (status !== undefined && status >= 500 && !isForced)
    found.push(`${status}, and no scenario asked for it`);
  for (const { defect } of exchanges) if (defect) found.push(`a defect: ${defect.stack}`);
  if (innards.test(text)) found.push(`it shows its innards: ${text.slice(0, 500)}`);
  try {
    checkConformance(exchanges);
  } catch (error) {
    found.push((error as Error).message);
  }
  if (status === undefined || sent.method === "HEAD") return found;
  const { pathname } = new URL(`http://sandbox${sent.target}`);
  const type = headers.get("Content-Type") ?? "none";
  if (/^\/_sandbox\/ui(\/|$)/.test(pathname)) {
    if (sent.method in Object.prototype) return found;
    const isPage = /^text\/(html|css|javascript)\b/.test(type);
    if (!isPage && ![301, 302, 303].includes(status)) found.push(`a page is ${status} ${type}`);
  } else if (/^\/_sandbox(\/|$)/.test(pathname)) {
    if (status >= 400 && !isRefusal(text))
      found.push(`a refusal that does not say why: ${text.slice(0, 200)}`);
  } else if (!/^\/(openapi\.json|docs)/.test(pathname) && exchanges.length !== 1) {
    found.push(`it was told of ${exchanges.length} times`);
  }
  return found;
}

/** Whether it is as the sandbox's own API refuses. */
function isRefusal(text: string): boolean {
  try {
    const body = JSON.parse(text);
    return Object.keys(body).join() === "error" && typeof body.error === "string" && body.error !== "";
  } catch {
    return false;
  }
}
