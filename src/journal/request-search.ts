import { operationIds } from "../contract/operations.ts";
import { contractPoints } from "../contract/points.ts";
import { quoted } from "../rules/errors.ts";
import { globTest } from "../rules/glob.ts";
import { didYouMean } from "../rules/issues.ts";
import { nearest } from "../rules/nearest.ts";
import { companyTest } from "./company-test.ts";
import type { Exchange, Messages } from "./exchange.ts";
import type { JournalEntry, JournalMessage } from "./journal-entry.ts";

/** A search that cannot be read. The message says what is wrong and what is allowed. */
export class InvalidSearch extends Error {}

/**
 * A parsed search: terms that must all match. Texts are searched in two steps, because masking a request takes much
 * longer than searching it, and because a search must not find the secrets that masking hides.
 */
export interface RequestSearch {
  /** Whether a request can match: a fast test, of the unmasked texts if the request has no entry yet. */
  readonly mayMatch: (request: SearchedRequest) => boolean;
  /** Whether the texts match, if `mayMatch` was true. Undefined: they do. */
  readonly matches: ((entry: JournalEntry) => boolean) | undefined;
}

/** A recorded request. It has its messages until its entry is made. */
interface SearchedRequest {
  readonly exchange: Exchange;
  readonly messages: Messages;
  readonly entry: JournalEntry | undefined;
}

interface Term {
  readonly isNegated: boolean;
  readonly test: (exchange: Exchange) => boolean;
}

/** A term about texts: `path` or all texts of a request. */
interface TextTerm {
  readonly isNegated: boolean;
  /** In lower case. */
  readonly text: string;
  readonly onlyPath: boolean;
}

/** The longest search, in characters. */
const longestSearch = 1000;

/** A stream of requests tests each one that is recorded, so a search must stay cheap. */
const mostTerms = 20;

/** A term: the minus sign, the field, and a value that may be in quotation marks. */
const termPattern = /(-?)(?:([A-Za-z_]+):)?(?:"((?:[^"\\]|\\.)*)("?)|(\S*))/sy;

/**
 * Parses a search such as `status:4xx company:northwind -point:auth.* "Trainline"`.
 * @throws InvalidSearch
 */
export function parseSearch(search: string): RequestSearch {
  if (search.length > longestSearch) {
    throw new InvalidSearch(`must have at most ${longestSearch} characters`);
  }
  const terms: Term[] = [];
  const texts: TextTerm[] = [];
  const text = search.trim();
  termPattern.lastIndex = 0;
  while (termPattern.lastIndex < text.length) {
    const [, minus, field, inQuotes, end, word = ""] = termPattern.exec(text) ?? [];
    if (inQuotes !== undefined && end === "") {
      throw new InvalidSearch(`the quotation mark before ${quoted(inQuotes)} is not closed`);
    }
    const isNegated = minus === "-";
    const value = inQuotes?.replace(/\\(.)/gs, "$1") ?? word;
    const onlyPath = field?.toLowerCase() === "path";
    if (field === undefined || onlyPath) {
      if (value === "") throw new InvalidSearch(`${field ?? "text"}: must not be empty`);
      texts.push({ isNegated, text: value.toLowerCase(), onlyPath });
    } else terms.push({ isNegated, test: fieldTest(field, value) });
    if (terms.length + texts.length > mostTerms) {
      throw new InvalidSearch(`must have at most ${mostTerms} terms`);
    }
    skipSpace(text);
  }
  const isOfTerms = (exchange: Exchange) =>
    terms.every(({ isNegated, test }) => test(exchange) !== isNegated);
  if (texts.length === 0) return { mayMatch: ({ exchange }) => isOfTerms(exchange), matches: undefined };
  const wanted = texts.filter(({ isNegated }) => !isNegated);
  return {
    mayMatch: ({ exchange, messages, entry }) =>
      isOfTerms(exchange) &&
      (entry !== undefined || wanted.every((term) => isInMessages(term, exchange, messages))),
    matches: (entry) => texts.every((term) => isInEntry(term, entry) !== term.isNegated),
  };
}

function skipSpace(text: string): void {
  while (/\s/.test(text.charAt(termPattern.lastIndex))) termPattern.lastIndex++;
}

type FieldTest = (value: string) => (exchange: Exchange) => boolean;

const fields: Readonly<Record<string, FieldTest>> = {
  status: statusTest,
  company: (value) => companyTest(value.toLowerCase()),
  point: (pattern) => {
    const isPoint = knownGlob("point", "contract point", pattern, Object.keys(contractPoints));
    return ({ point }) => point !== undefined && isPoint(point);
  },
  operation: (pattern) => {
    const isOperation = knownGlob("operation", "operation", pattern, operationIds);
    return ({ operation }) => operation !== undefined && isOperation(operation);
  },
  scenario: (pattern) => {
    const isScenario = globTest([pattern]);
    return ({ scenario }) => scenario !== undefined && isScenario(scenario);
  },
  key: (prefix) => {
    const start = prefix.toLowerCase();
    return ({ idempotencyKey }) => idempotencyKey?.startsWith(start) ?? false;
  },
  method: (name) => {
    const method = name.toUpperCase();
    return (exchange) => exchange.method === method;
  },
  member: (name) => {
    const id = name.toLowerCase();
    return ({ caller }) => caller?.memberSlug === id || caller?.memberId === id;
  },
};

/** The fields of a search. */
const searchFields: readonly string[] = [...Object.keys(fields), "path"];

function fieldTest(name: string, value: string): (exchange: Exchange) => boolean {
  const field = name.toLowerCase();
  const test = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (!test) {
    const hint = "To search for the text itself, put it in quotation marks";
    throw new InvalidSearch(`unknown field ${quoted(name)}${didYouMean(field, searchFields)}. ${hint}`);
  }
  if (value === "") throw new InvalidSearch(`${field}: must not be empty`);
  return test(value);
}

function statusTest(value: string): (exchange: Exchange) => boolean {
  if (/^[1-5][0-9]{2}$/.test(value)) return ({ status }) => status === Number(value);
  if (/^[1-5]xx$/i.test(value)) {
    return ({ status }) => status !== undefined && Math.floor(status / 100) === Number(value.charAt(0));
  }
  if (/^lost$/i.test(value)) return ({ status }) => status === undefined;
  throw new InvalidSearch(
    `status: must be a status code such as 422, a class such as 4xx, or lost, but is ${quoted(value)}`,
  );
}

/** A pattern of names that matches at least one known name, in any letter case. */
function knownGlob(field: string, kind: string, pattern: string, known: readonly string[]) {
  const test = globTest([pattern.toLowerCase()]);
  const names = new Set(known.filter((name) => test(name.toLowerCase())));
  if (names.size > 0) return (name: string) => names.has(name);
  const meant = nearest(pattern, known);
  const hint = meant === undefined ? "Use * for any text" : `Did you mean "${meant}"?`;
  throw new InvalidSearch(`${field}: no ${kind} matches ${quoted(pattern)}. ${hint}`);
}

function isInMessages({ text, onlyPath }: TextTerm, exchange: Exchange, messages: Messages): boolean {
  const has = (part: string | undefined) => part?.toLowerCase().includes(text) ?? false;
  if (has(exchange.path)) return true;
  if (onlyPath) return false;
  if (has(exchange.query) || has(messages.requestBody) || has(messages.responseBody)) return true;
  // Most texts have no colon, and joining the names and values of all headers takes long.
  const isIn = (name: string, value: string) =>
    text.includes(":") ? has(`${name}: ${value}`) : has(name) || has(value);
  for (const name in exchange.responseHeaders) {
    if (isIn(name, exchange.responseHeaders[name] ?? "")) return true;
  }
  let found = false;
  messages.requestHeaders.forEach((value, name) => {
    found ||= isIn(name, value);
  });
  return found;
}

function isInEntry({ text, onlyPath }: TextTerm, { path, query, request, response }: JournalEntry): boolean {
  const has = (part: string | null) => part?.toLowerCase().includes(text) ?? false;
  const isIn = ({ headers, body }: JournalMessage) =>
    has(body) || Object.entries(headers).some(([name, value]) => has(`${name}: ${value}`));
  return has(path) || (!onlyPath && (has(query) || isIn(request) || (response !== null && isIn(response))));
}
