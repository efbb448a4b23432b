import { type Finding, type FindingsReport, type Occurrence, severities } from "../findings/finding.ts";

/** `1 critical, 0 high, 2 warn, 0 info` */
export function findingTotals({ totals }: FindingsReport): string {
  return severities.map((severity) => `${totals[severity]} ${severity}`).join(", ");
}

export function timesSeen({ times }: Pick<Finding, "times">): string {
  return times === 1 ? "once" : `${times} times`;
}

/** Where it was seen: the request that made it a mistake, and the company that it was for. */
export function placeOf({ requests, company }: Occurrence): string {
  const request = requests.at(-1);
  const places = [
    ...(request
      ? [`request ${request.id}: ${request.method} ${request.path}, ${request.status ?? "no answer"}`]
      : []),
    ...(company === null ? [] : [`company ${company}`]),
  ];
  return places.join("; ");
}
