import { checkOutcomes, decisionsOf } from "../../contract/decisions.ts";
import { type ContractPoint, contractPoints, type Provenance } from "../../contract/points.ts";
import type { Finding } from "../../journal/findings/finding.ts";
import type { JournalEntry, JournalMessage } from "../../journal/journal-entry.ts";

/** The most characters of a body that are shown. */
const shownBody = 4000;

const provenanceTexts: Readonly<Record<Provenance, string>> = {
  specified: "the specification contains this rule",
  variant: "the specification describes this rule as one of two alternatives",
  assumed: "the specification does not show this rule; the sandbox assumes it",
  observed: "the specification does not show this rule; it was observed on the real service",
};

/** Why a request got its response, and what to do. */
export function explanation(
  entry: JournalEntry,
  findings: readonly Finding[],
  scenario: { readonly name: string; readonly title: string } | undefined,
) {
  const { id, time, method, path, query, operation, caller, idempotency_key, status, fault, defect } = entry;
  const own = findings.filter(({ occurrences }) =>
    occurrences.some(({ requests }) => requests.some((each) => each.id === id)),
  );
  const possible = findings.filter((each) => !own.includes(each) && each.times > each.occurrences.length);
  return {
    id,
    time,
    request: `${method} ${path}${query}`,
    status: status ?? "no response was delivered",
    decided_by: deciding(entry),
    checks:
      entry.point && operation
        ? checksInWords(checkOutcomes(decisionsOf(operation), operation, entry.point))
        : {},
    ...(entry.scenario !== null && { scenario: scenario ?? { name: entry.scenario } }),
    ...(fault !== null && { fault }),
    ...(defect !== undefined && { internal_error: defect }),
    what_to_do: advice(entry, own, possible),
    findings: own.map(({ id, severity, title, why, fix }) => ({ id, severity, title, why, fix })),
    operation,
    caller: caller && {
      company: caller.company,
      environment: caller.environment,
      member: caller.member,
      role: caller.role,
      api_key: `${caller.api_key}…`,
      api_key_id: caller.api_key_id,
    },
    idempotency_key,
    sent: messageOf(entry.request),
    received: messageOf(entry.response),
  };
}

/** The contract point; null if the connection was dropped before a decision. */
function deciding({ point }: JournalEntry) {
  if (point === null) return null;
  // The sandbox may have another version, with other contract points.
  const known: ContractPoint | undefined = contractPoints[point];
  if (known === undefined) return { point };
  const { title, provenance, spec } = known;
  return { point, title, provenance: `${provenance}: ${provenanceTexts[provenance]}`, spec };
}

/** The ids of the checks, by outcome, in the order in which the service makes them. */
function checksInWords(checks: ReturnType<typeof checkOutcomes>) {
  const ids = (outcome: (typeof checks)[number]["outcome"]) =>
    checks.filter((each) => each.outcome === outcome).map(({ id }) => id);
  return { passed: ids("passed"), decided: ids("decided")[0] ?? null, not_reached: ids("not-reached") };
}

/** @param possible - findings with more occurrences than they list */
function advice(entry: JournalEntry, findings: readonly Finding[], possible: readonly Finding[]): string[] {
  const { status, scenario } = entry;
  const message = status !== null && status >= 400 ? messageIn(entry.response?.body ?? null) : undefined;
  return [
    ...(scenario === null ? [] : [howToStop(entry.request, scenario)]),
    ...(message === undefined ? [] : [message]),
    ...(status === null
      ? [
          "The outcome is unknown to the client. Retry with the same Idempotency-Key if the operation takes one.",
        ]
      : []),
    ...findings.map(({ id, fix }) => `${id}: ${fix}`),
    ...possible.map(
      ({ id, times }) =>
        `${id}: may concern this request: it occurred ${times} times, and lists only the first occurrences. get_findings shows it.`,
    ),
    ...(entry.defect === undefined
      ? []
      : ["This is a bug in card-sandbox. The log of the sandbox has the cause."]),
  ];
}

function howToStop(request: JournalMessage, scenario: string): string {
  const choice = choiceIn(request);
  const remedy =
    choice === undefined ? "disarm it: call reset with the scope armed_scenarios" : `omit ${choice}`;
  return `The scenario ${scenario} forced this outcome. To get the response of the world instead, ${remedy}.`;
}

/** How the request itself chose its scenario, in the order in which the service looks; undefined: it is armed. */
function choiceIn({ headers, body }: JournalMessage): string | undefined {
  if (headers["sandbox-scenario"] !== undefined) return "the header Sandbox-Scenario";
  if (/\b(?:example\s*=|code\s*=\s*"?[13-9])/i.test(headers.prefer ?? "")) return "the header Prefer";
  return /"name"\s*:\s*"scenario:/.test(body ?? "") ? "the scenario in the field name" : undefined;
}

/** The message in the body of an error, of the service or of its gateway. */
function messageIn(body: string | null): string | undefined {
  let error: unknown;
  try {
    error = (JSON.parse(body ?? "") as { error?: unknown }).error;
  } catch {
    return undefined;
  }
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return typeof message === "string" ? message : undefined;
}

function messageOf(message: JournalMessage | null) {
  if (message === null) return null;
  const { headers, body } = message;
  if (body === null || body.length <= shownBody) return { headers, body };
  return { headers, body: `${body.slice(0, shownBody)}… (${body.length} characters in total)` };
}
