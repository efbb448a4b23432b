import { checkConformance, type Observed } from "../support/openapi-conformance.ts";
import type { FuzzRequest } from "./target.ts";

/** The outcome of a request. */
export interface Outcome {
  /** Undefined if the connection was lost. */
  readonly status: number | undefined;
  readonly headers: Headers;
  readonly text: string;
  /** The exchanges that the sandbox recorded for it. */
  readonly exchanges: readonly Observed[];
}

/** A stack trace, or the path of a source file; that of a schema is in the YAML of scenarios. */
const internals = /^ {4}at |node_modules(?!\/card-sandbox\/schema\/)|\.tsx?:\d/m;

/** All problems of a response that do not depend on the request. */
export function problemsIn(sent: FuzzRequest, outcome: Outcome): string[] {
  const { status, headers, text, exchanges } = outcome;
  const found: string[] = [];
  const isForced = exchanges.some(({ scenario }) => scenario !== undefined);
  if (status === undefined && !isForced) found.push("the connection was lost without a scenario");
  if (status !== undefined && status >= 500 && !isForced) found.push(`${status} without a scenario`);
  for (const { defect } of exchanges) if (defect) found.push(`a defect: ${defect.stack}`);
  if (internals.test(text)) found.push(`it shows internals: ${text.slice(0, 500)}`);
  try {
    checkConformance(exchanges);
  } catch (error) {
    found.push((error as Error).message);
  }
  if (status === undefined || sent.method === "HEAD") return found;
  const { pathname } = new URL(`http://sandbox${sent.target}`);
  const isStartPage = pathname === "/" && sent.method === "GET";
  const type = headers.get("Content-Type") ?? "none";
  if (/^\/_sandbox\/ui(\/|$)/.test(pathname)) {
    if (sent.method in Object.prototype) return found;
    const isPage = /^(text\/(html|css|javascript)|image\/svg\+xml)\b/.test(type);
    if (!isPage && ![301, 302, 303].includes(status)) found.push(`a page is ${status} ${type}`);
  } else if (/^\/_sandbox(\/|$)/.test(pathname)) {
    if (status >= 400 && !isRefusal(text))
      found.push(`an error without an explanation: ${text.slice(0, 200)}`);
  } else if (!isStartPage && !/^\/(openapi\.json|docs)/.test(pathname) && exchanges.length !== 1) {
    found.push(`${exchanges.length} exchanges were recorded`);
  }
  return found;
}

/** Whether a body has the form of the control API's errors. */
function isRefusal(text: string): boolean {
  try {
    const body = JSON.parse(text);
    return Object.keys(body).join() === "error" && typeof body.error === "string" && body.error !== "";
  } catch {
    return false;
  }
}
