import * as z from "zod";
import { idempotencyKey } from "../contract/identifiers.ts";
import { operationIds } from "../contract/operations.ts";
import { contractPoints } from "../contract/points.ts";
import { behaviours, type Coverage, pointTest } from "../journal/coverage.ts";
import type { Findings } from "../journal/findings/findings.ts";
import { reportFormats } from "../journal/formats/formatted.ts";
import type { Journal, JournalFilter, JournalListing } from "../journal/journal.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { quoted } from "../rules/errors.ts";
import { issuesTold, withPath } from "../rules/issues-told.ts";
import { knownKeys } from "../rules/known-keys.ts";
import { nearest } from "../rules/nearest.ts";
import { ControlError } from "./control-error.ts";
import { parsed } from "./read-json.ts";

const pointIds = Object.keys(contractPoints) as (keyof typeof contractPoints)[];

export const wholeNumber = (min: number, max: number, error: string) =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error));

const entryId = z.string().regex(/^[1-9][0-9]{0,14}$/, "must be the id of a request");

const entryFilter = {
  company: z.string().min(1, "must be a company's id, its slug, or live/SLUG").optional(),
  operation: z.enum(operationIds, `must be one of ${operationIds.join(", ")}`).optional(),
  status: wholeNumber(100, 599, "must be an HTTP status, such as 422").optional(),
  point: z.enum(pointIds, { error: ({ input }) => noPoint(String(input)) }).optional(),
  scenario: z.string().min(1, "must be the name of a scenario").optional(),
  idempotency_key: idempotencyKey.optional(),
};

/** Which requests to list, as query parameters. */
export const listQuery = z.strictObject({
  ...entryFilter,
  limit: wholeNumber(1, 1000, "must be a whole number from 1 to 1000").optional(),
  after: entryId.optional(),
});

/** Which requests to follow, as query parameters; `last_event_id` for whoever cannot send the header. */
export const streamQuery = z.strictObject({
  ...entryFilter,
  last_event_id: wholeNumber(0, Number.MAX_SAFE_INTEGER, "must be the id of a request").optional(),
});

const reportFormat = z.enum(reportFormats, `must be one of ${reportFormats.join(", ")}`).default("json");

const pointPatterns = z.array(z.string()).superRefine((patterns, check) => {
  const vain = patterns.find((pattern) => !behaviours.some(pointTest([pattern])));
  if (vain !== undefined) check.addIssue(`${quoted(vain)} ${noPoint(vain)}`);
});

/** Which requests to list, within a test process. */
const listFilter = z.strictObject({
  ...entryFilter,
  status: z.int("must be an HTTP status, such as 422").optional(),
  idempotency_key: z.string().optional(),
  limit: z.int().min(1, "must be a whole number from 1").optional(),
  after: entryId.optional(),
});

/** Which findings to report, within a test process. */
export const findingsFilter = z.strictObject({
  company: entryFilter.company,
  final: z.boolean("must be true or false").optional(),
});

/** Of which requests the coverage is told within a test process. */
export const coverageFilter = z.strictObject({
  company: entryFilter.company,
  exclude: pointPatterns.optional(),
});

/** Of which requests the coverage is told, and how, as query parameters. */
export const coverageQuery = z.strictObject({
  company: entryFilter.company,
  exclude: z
    .string()
    .transform((list) => list.split(",").map((pattern) => pattern.trim()))
    .pipe(pointPatterns)
    .optional(),
  format: reportFormat,
});

/** Which findings are told, and how, as query parameters. */
export const findingsQuery = z.strictObject({
  company: entryFilter.company,
  final: z
    .enum(["true", "false"], "must be true or false")
    .transform((word) => word === "true")
    .optional(),
  format: reportFormat,
});

function noPoint(word: string): string {
  const meant = nearest(word, pointIds);
  return `is no contract point: ${meant === undefined ? "" : `did you mean ${meant}? `}GET /_sandbox/contract lists them all`;
}

/**
 * Reads a request's query parameters, each of which may stand there once.
 * @param headers - what a header says in place of a parameter
 * @throws ControlError 400 that names what is wrong
 */
export function readQuery<Schema extends z.ZodType>(
  queries: Readonly<Record<string, readonly string[]>>,
  schema: Schema,
  headers: Readonly<Record<string, string | undefined>> = {},
): z.output<Schema> {
  const sent = Object.entries(queries);
  const twice = sent.find(([, values]) => values.length > 1)?.[0];
  if (twice !== undefined) throw new ControlError(400, `${twice}: is given more than once`);
  const query = Object.fromEntries(sent.map(([name, [value]]) => [name, value]));
  const said = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  const result = schema.safeParse({ ...query, ...said });
  if (result.success) return result.data;
  throw new ControlError(
    400,
    issuesTold(result.error.issues, (issue) =>
      issue.code === "unrecognized_keys"
        ? `${issue.keys[0]}: is no parameter here: use ${knownKeys(schema).join(", ")}`
        : withPath(issue),
    ),
  );
}

/** The requests that the service was sent, and what became of them: the latest ones, secrets masked. */
export class Requests {
  readonly #journal: Journal;
  readonly #coverage: Coverage;
  readonly #findings: Findings;

  constructor(journal: Journal, coverage: Coverage, findings: Findings) {
    this.#journal = journal;
    this.#coverage = coverage;
    this.#findings = findings;
  }

  /** The newest first, 50 of them unless `limit` says otherwise; `after` the last one's id come older ones. */
  list(filter: JournalFilter = {}): JournalListing {
    return this.#journal.list(parsed(listFilter, filter));
  }

  /** Undefined where it is no longer kept, or never was. */
  get(id: string): JournalEntry | undefined {
    return this.#journal.get(id);
  }

  /** Forgets them all, what they met and what was found; a reset of the world does not. */
  clear(): void {
    this.#journal.clear();
    this.#coverage.clear();
    this.#findings.clear();
  }
}
