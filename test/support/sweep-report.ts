import type {
  StoryRequest,
  SweepCall,
  SweepCell,
  SweepReport,
  Verdict,
} from "../../src/journal/sweep-report.ts";
import { verdicts } from "../../src/journal/sweep-report.ts";

function sweepCall(id: string, fields: Partial<SweepCall> = {}): SweepCall {
  const [, label = "default", operation = "", ordinal = "1"] =
    /^(?:(.+)\/)?([^/#]+)#([0-9]+)$/.exec(id) ?? [];
  return {
    id,
    label,
    operation: operation as SweepCall["operation"],
    ordinal: Number(ordinal),
    point: "order.created",
    unstable: null,
    ...fields,
  };
}

/** @param id - such as `orderPhysicalCard#3:lost-response` */
export function sweepCell(id: string, verdict: Verdict, fields: Partial<SweepCell> = {}): SweepCell {
  const call = id.slice(0, id.lastIndexOf(":"));
  const { label, operation } = sweepCall(call);
  return {
    id,
    label,
    operation,
    call,
    fault: id.slice(id.lastIndexOf(":") + 1),
    verdict,
    reason: verdict === "survived" ? "the same end state" : "2 cards for one order",
    repeat: `card-sandbox sweep --cell ${id} -- npm test`,
    story: [],
    differences: [],
    findings: [],
    output: null,
    duration_ms: 120,
    ...fields,
  };
}

function storyRequest(fields: Partial<StoryRequest> = {}): StoryRequest {
  return {
    request: "POST /developer/cards/physical",
    label: "default",
    operation: "orderPhysicalCard",
    key: "A",
    status: 201,
    point: "order.created",
    fault: null,
    outcome: "201 order.created",
    note: null,
    ...fields,
  };
}

/** A report with these cells; calls and totals follow from them. */
export function sweepReport(cells: readonly SweepCell[], fields: Partial<SweepReport> = {}): SweepReport {
  const calls = [...new Set(cells.map(({ call }) => call))].map((id) => sweepCall(id));
  const count = (verdict: Verdict) => cells.filter((cell) => cell.verdict === verdict).length;
  return {
    format: 1,
    version: "0.1.0",
    client: "npm",
    exit_code: 1,
    fail_on: "damaged",
    problem: null,
    output: null,
    reference: { calls: calls.length, operations: 2, duration_ms: 1900 },
    calls,
    cells,
    not_run: [],
    not_run_reason: null,
    left_out: [],
    shortened: [],
    totals: Object.fromEntries(verdicts.map((each) => [each, count(each)])) as Record<Verdict, number>,
    accepted: [],
    no_longer: [],
    ...fields,
  };
}

/** A story in which a lost response leads to a second card. */
export const twoCards = {
  story: [
    storyRequest({ status: null, fault: "lost-response", outcome: "card created, response lost" }),
    storyRequest({ key: "B", note: "a new key: the first card is a duplicate" }),
  ],
  differences: [
    {
      label: "default",
      only: "cell",
      times: 1,
      card: { account: "operating", type: "physical", spending_limit: "none" },
    },
  ],
  findings: ["IDEM-1 (critical): Retry with a new key"],
  output: "AssertionError: expected 1\n    at order.test.ts:12:5\n",
} satisfies Partial<SweepCell>;

/** Each verdict, a baseline, unstable calls, fields left out, shortened waits and cells that were not run. */
export function variedReport(): SweepReport {
  const report = sweepReport(
    [
      sweepCell("exchangeSandboxKey#1:token-unavailable", "survived"),
      sweepCell("orderPhysicalCard#1:issuer-unavailable", "survived"),
      sweepCell("orderPhysicalCard#2:issuer-unavailable", "failed", { reason: "1 card fewer" }),
      sweepCell("orderPhysicalCard#2:lost-response", "survived"),
      sweepCell("orderPhysicalCard#3:lost-response", "damaged", twoCards),
      sweepCell("orderPhysicalCard#3:silent-response", "hung", { reason: "no timeout within 5 s" }),
      sweepCell("orderPhysicalCard#3:truncated-response", "crashed", { reason: "signal SIGSEGV" }),
      sweepCell("orderPhysicalCard#1:rate-limited+lost-response", "damaged", twoCards),
      sweepCell("orderPhysicalCard#1:token-expired", "not_reached", { reason: "the fault did not fire" }),
      sweepCell("orderPhysicalCard#2:created-but-502", "damaged"),
    ],
    {
      accepted: ["orderPhysicalCard#2:created-but-502"],
      no_longer: ["orderPhysicalCard#1:lost-response"],
      left_out: [{ label: "default", fields: ["name", "address"] }],
      shortened: ["Latency of issuer-slow: 300 ms instead of 3000 ms"],
      not_run: ["orderPhysicalCard#3:issuer-bad-gateway"],
      not_run_reason: "the budget of 10 minutes was used up",
    },
  );
  const unstable = sweepCall("listCards#1", { unstable: "the second reference run does not repeat it" });
  return { ...report, calls: [...report.calls, unstable] };
}

const hostileText =
  "<script>alert(1)</script> \u001b[2J`x` ```| ]]> a|b \u202e\r\n## forged & \"q\" 'q' [a](b)";

/** Text that is dangerous in one of the formats, in each place where a client can put some. */
export function hostileReport(): SweepReport {
  const id = `${hostileText}/${hostileText}#1:${hostileText.replaceAll(":", "")}`;
  const story = storyRequest({
    request: hostileText,
    key: hostileText,
    outcome: hostileText,
    note: hostileText,
  });
  const cell = sweepCell(id, "damaged", {
    label: hostileText,
    operation: hostileText as SweepCell["operation"],
    reason: hostileText,
    repeat: hostileText,
    output: hostileText,
    findings: [hostileText],
    story: [story],
    differences: [{ label: hostileText, only: "cell", times: 1, card: { [hostileText]: hostileText } }],
  });
  return sweepReport(
    [cell, sweepCell("orderPhysicalCard#1:lost-response", "failed", { reason: hostileText })],
    {
      client: hostileText,
      calls: [sweepCall("listCards#1", { label: hostileText, unstable: hostileText })],
      not_run: [hostileText],
      not_run_reason: hostileText,
      left_out: [{ label: hostileText, fields: [hostileText] }],
      shortened: [hostileText],
      accepted: [hostileText],
      no_longer: [hostileText],
    },
  );
}

/** As many cells as a long suite has, each with a story and output. */
export function largeReport(cells = 2000): SweepReport {
  const faults = ["issuer-unavailable", "lost-response", "silent-response", "rate-limited", "own-fault"];
  return sweepReport(
    Array.from({ length: cells }, (_, i) =>
      sweepCell(
        `test ${i % 100}/orderPhysicalCard#${1 + Math.floor(i / 500)}:${faults[i % 5]}`,
        i % 3 === 0 ? "damaged" : "survived",
        {
          ...twoCards,
          story: Array.from({ length: 20 }, () => twoCards.story)
            .flat()
            .slice(0, 20),
        },
      ),
    ),
  );
}
