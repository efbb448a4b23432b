import * as z from "zod";
import type { WebhookDelivery } from "../contract/webhook-responses.ts";
import { type Coverage, countedPoints } from "../journal/coverage.ts";
import type { FindingsFilter } from "../journal/findings/finding.ts";
import type { Findings } from "../journal/findings/findings.ts";
import { formatCoverage } from "../journal/formats/coverage.ts";
import { formatFindings } from "../journal/formats/findings.ts";
import { reportFormats } from "../journal/formats/formatted.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import type { RunReport } from "../journal/suite.ts";
import { globTest } from "../rules/glob.ts";
import { findCompany } from "../store/companies.ts";
import type { Database } from "../store/database.ts";
import { deliveriesOfIds, latestDeliveries } from "../store/webhook-deliveries.ts";
import type { Deliverer } from "../webhooks/deliverer.ts";
import { deliveryOf } from "../webhooks/webhooks.ts";
import { canChange, idsOf, isAfter, jsonOf } from "./effects.ts";
import { flag, parse, readQuery } from "./input.ts";
import { optionalCompanyPk } from "./lookup.ts";
import type { ControlHandlers } from "./operations.ts";
import { entryFilter, unknownPoint } from "./requests.ts";

const { company } = entryFilter;
const format = z.enum(reportFormats).default("json");

const pointPatterns = z.array(z.string()).superRefine((patterns, check) => {
  const unmatched = patterns.find((pattern) => !countedPoints.some(globTest([pattern])));
  if (unmatched !== undefined) check.addIssue(unknownPoint(unmatched));
});

/** Filter of a coverage report for callers in the same process. */
export const coverageFilter = z.lazy(() => z.strictObject({ company, exclude: pointPatterns.optional() }));

export const coverageQuery = z.lazy(() =>
  z.strictObject({
    company,
    exclude: z
      .string()
      .transform((list) => list.split(",").map((pattern) => pattern.trim()))
      .pipe(pointPatterns)
      .optional(),
    format,
  }),
);

/** Filter of a findings report for callers in the same process. */
export const findingsFilter = z.lazy(() =>
  z.strictObject({
    company,
    final: z.boolean("must be true or false").optional(),
    evidence: z.boolean("must be true or false").optional(),
  }),
);

export const findingsQuery = z.lazy(() =>
  z.strictObject({
    company,
    final: flag(),
    evidence: flag(),
    format,
  }),
);

/** Filter of a report for callers in the same process. */
export const reportFilter = z.lazy(() =>
  z.strictObject({ final: z.boolean("must be true or false").optional() }),
);

export const reportQuery = z.lazy(() => z.strictObject({ final: flag() }));

export const deliveriesQuery = z.lazy(() => z.strictObject({ company: z.string().optional() }));

/** Maximum number of deliveries in one response; the service's own list has pages. */
const mostListed = 1000;

/** Webhook deliveries with their attempts. */
export class Webhooks {
  readonly #database: Database;
  readonly #deliverer: Pick<Deliverer, "settled">;

  constructor(database: Database, deliverer: Pick<Deliverer, "settled">) {
    this.#database = database;
    this.#deliverer = deliverer;
  }

  /** Lists the latest deliveries with their attempts, newest first, of one company or of all. */
  deliveries(query: z.input<typeof deliveriesQuery> = {}): WebhookDelivery[] {
    const companyPk = optionalCompanyPk(this.#database, parse(deliveriesQuery, query).company);
    return latestDeliveries(this.#database, companyPk, mostListed).map(deliveryOf);
  }

  /**
   * The deliveries of the events that a request caused, at most 20: those that were created while it was processed, and
   * that are about an object which it names or made.
   * @internal
   */
  causedBy(entry: JournalEntry): WebhookDelivery[] {
    const company = entry.caller && findCompany(this.#database, entry.caller.company_id);
    if (!company || !canChange(entry)) return [];
    const toMs = Date.parse(entry.time);
    const during = [Math.floor(toMs - entry.duration_ms) - 1, toMs] as const;
    const ids = idsOf(this.#database, entry);
    const state = jsonOf(entry.response);
    return deliveriesOfIds(this.#database, company.pk, during, ids, 20)
      .map(deliveryOf)
      .filter(({ payload }) => isAfter(payload.data, state));
  }

  /** Resolves when every delivery that is due by now was attempted. */
  settled(): Promise<void> {
    return this.#deliverer.settled();
  }
}

/** @internal */
export function reportHandlers(
  coverage: Coverage,
  findings: Findings,
  webhooks: Webhooks,
  report: (filter: FindingsFilter) => RunReport,
): ControlHandlers<"getCoverage" | "getFindings" | "getReport" | "listDeliveries"> {
  return {
    getCoverage: (c) => {
      const { format, ...filter } = readQuery(c, coverageQuery);
      const { text, type } = formatCoverage(coverage.report(filter), format);
      return c.body(text, 200, { "Content-Type": type });
    },
    getFindings: (c) => {
      const { format, ...filter } = readQuery(c, findingsQuery);
      const { text, type } = formatFindings(findings.report(filter), format);
      return c.body(text, 200, { "Content-Type": type });
    },
    getReport: (c) => c.json(report(readQuery(c, reportQuery))),
    listDeliveries: (c) => c.json({ deliveries: webhooks.deliveries(readQuery(c, deliveriesQuery)) }),
  };
}
