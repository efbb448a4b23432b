import * as z from "zod";
import type { Provenance } from "../../contract/points.ts";
import type { TimeListing } from "../../control/clock.ts";
import type { ArmedListing, ArmedListings } from "../../control/scenarios.ts";
import type { CoverageReport, PointCoverage } from "../../journal/coverage.ts";
import type { FindingsReport } from "../../journal/findings/finding.ts";
import type { JournalListing } from "../../journal/journal.ts";
import type { JournalEntry } from "../../journal/journal-entry.ts";
import { quoted, SetupError } from "../../rules/errors.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import type { CompanyListing, WorldListing } from "../../store/world-listing.ts";
import { clientVariables } from "../client-variables.ts";
import { callControl, type RunningSandbox } from "../running-sandbox.ts";
import { explanation } from "./explanation.ts";

/** The most of each kind in one result, because an agent pays for each character that it reads. */
const most = { companies: 50, inCompany: 20, armed: 20, requests: 100, missing: 40, path: 200 };

const text = (description: string) => {
  const error = mustBe("a non-empty string");
  return z.string({ error }).min(1, { error }).describe(description);
};
const flag = (description: string) => z.boolean({ error: mustBe("true or false") }).describe(description);
const integer = (min: number, max: number, description: string) => {
  const error = mustBe(`an integer from ${min} to ${max}`);
  return z.int({ error }).min(min, { error }).max(max, { error }).describe(description);
};
const oneOf = <const Value extends string>(values: readonly Value[], description: string) =>
  z.enum(values, { error: mustBe(`one of ${values.join(", ")}`) }).describe(description);

function mustBe(allowed: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => {
    if (input === undefined) return `is required and must be ${allowed}`;
    return `must be ${allowed}, but is ${typeof input === "string" ? quoted(input) : JSON.stringify(input)}`;
  };
}

const input = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys"
        ? `unknown input ${(keys as string[]).map(quoted).join(", ")}. Allowed: ${Object.keys(shape).join(", ")}`
        : undefined,
  });

const companyNames = "its id, its slug, or live/SLUG";
const company = text(`Only this company: ${companyNames}`).optional();
const operation = text("Only this operation, such as orderPhysicalCard").optional();

/** The input of each tool. */
const inputs = {
  get_world: input({
    company,
    scenarios: flag("Also list the scenarios that arm_scenario can arm").optional(),
    limit: integer(1, most.companies, "Maximum number of companies. Default: 10").optional(),
    after: text("Continue after the company with this id, if has_more is true").optional(),
  }),
  arm_scenario: input({
    name: text("Name of the scenario, such as issuer-unavailable. get_world lists all with scenarios: true"),
    times: integer(
      1,
      1_000_000,
      "Number of times that it runs through its steps. Default: no limit",
    ).optional(),
    company: text(`Only for requests of this company: ${companyNames}`).optional(),
    operation: text(
      "Only for this operation, such as orderPhysicalCard, instead of those of the scenario",
    ).optional(),
    api_key_id: text("Only for requests made with the API key that has this id").optional(),
    retry_after_s: integer(
      0,
      86_400,
      "Its Retry-After header in seconds, instead of that in its file",
    ).optional(),
    latency_ms: integer(1, 600_000, "Each of its delays in ms, instead of those in its file").optional(),
    hold_ms: integer(
      1,
      600_000,
      "How long it holds a request in ms, instead of the time in its file",
    ).optional(),
  }),
  advance_clock: input({
    by: text("ISO 8601 duration, such as PT15M or P1D"),
    company: text(`Only the clock of this company: ${companyNames}`).optional(),
  }),
  list_requests: input({
    company,
    operation,
    status: integer(100, 599, "Only this status code").optional(),
    point: text("Only this contract point, such as order.quota_reached").optional(),
    scenario: text("Only requests on which this scenario fired").optional(),
    idempotency_key: text("Only this Idempotency-Key").optional(),
    limit: integer(1, most.requests, "Maximum number of requests. Default: 20").optional(),
    after: text("Continue after the request with this id, if has_more is true").optional(),
  }),
  explain_request: input({
    id: text("Id of a recorded request, from list_requests. Default: the latest request").optional(),
  }),
  get_findings: input({
    company,
    final: flag("true: the client sends no more requests, so omissions count. Default: false").optional(),
  }),
  get_coverage: input({ company, operation }),
  reset: input({
    scope: oneOf(
      ["world", "armed_scenarios", "requests"],
      "world: companies, cards, clock and armed scenarios; armed_scenarios: only these; requests: the recorded " +
        "requests with their findings and coverage, which a reset of the world keeps",
    ),
    company: text(`Reset only this company, or disarm only its scenarios: ${companyNames}`).optional(),
  }),
};

export type ToolName = keyof typeof inputs;
export const toolNames = Object.keys(inputs) as ToolName[];
type Input<Name extends ToolName> = z.output<(typeof inputs)[Name]>;

/** A tool of the MCP server. Its result is sent as JSON. */
export interface Tool<Name extends ToolName = ToolName> {
  readonly title: string;
  readonly description: string;
  /** `reads`: it changes nothing; `changes`: it adds to the world; `destroys`: it removes something. */
  readonly effect: "reads" | "changes" | "destroys";
  readonly input: (typeof inputs)[Name];
  readonly run: (sandbox: RunningSandbox, input: Input<Name>) => Promise<unknown>;
}

/** The tools, by name. */
export const tools: { readonly [Name in ToolName]: Tool<Name> } = {
  get_world: {
    title: "Get the world",
    description:
      "Shows the sandbox: clock, armed scenarios, and companies with their members, API keys and accounts. " +
      "client_variables has a URL, an API key and ids that work for a first order.",
    effect: "reads",
    input: inputs.get_world,
    run: world,
  },
  arm_scenario: {
    title: "Arm a scenario",
    description:
      "Forces a response or a fault (quota reached, issuer down, response lost) on the next matching requests. It " +
      "stays armed until its times are used up, or until reset disarms it.",
    effect: "changes",
    input: inputs.arm_scenario,
    run: (sandbox, { name, ...arming }) =>
      callControl<ArmedListing>(sandbox, "POST", `/scenarios/${encodeURIComponent(name)}/arm`, arming),
  },
  advance_clock: {
    title: "Advance the clock",
    description:
      "Moves the virtual time forward, for example until an access token or a card expires. The clock cannot move back, " +
      "except by a reset.",
    effect: "changes",
    input: inputs.advance_clock,
    run: (sandbox, input) => callControl<TimeListing>(sandbox, "POST", "/clock/advance", input),
  },
  list_requests: {
    title: "List the latest requests",
    description:
      "Lists the latest requests of the app to the service, newest first, each with its status and its contract point " +
      "(the rule that decided the response). explain_request shows one in detail.",
    effect: "reads",
    input: inputs.list_requests,
    run: requests,
  },
  explain_request: {
    title: "Explain a request",
    description:
      "Explains why a request got its response: the check that decided, the contract point with its section of the " +
      "specification, the scenario that forced it, findings, and what to do. Secrets are masked.",
    effect: "reads",
    input: inputs.explain_request,
    run: explain,
  },
  get_findings: {
    title: "Get the findings",
    description:
      "Reports mistakes of the client that cause harm with the real service even if each request succeeds, such as a " +
      "retry with a new Idempotency-Key or a leaked PIN. Each has its reason and its fix.",
    effect: "reads",
    input: inputs.get_findings,
    run: findings,
  },
  get_coverage: {
    title: "Get the coverage",
    description:
      "Reports which contract points (behaviors of the service) requests met, and which are missing, with the scenarios " +
      "that force them.",
    effect: "reads",
    input: inputs.get_coverage,
    run: coverage,
  },
  reset: {
    title: "Reset",
    description:
      "Resets the world to its state at startup, disarms scenarios, or deletes the recorded requests.",
    effect: "destroys",
    input: inputs.reset,
    run: reset,
  },
};

/** The query of a URL, without the values that are undefined. */
function query(values: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(Object.fromEntries(given))}`;
}

async function world(
  sandbox: RunningSandbox,
  { scenarios, limit = 10, after, company }: Input<"get_world">,
): Promise<unknown> {
  const search = query({ company, limit, after });
  const { companies, has_more } = await callControl<WorldListing>(sandbox, "GET", `/world${search}`);
  const clock = await callControl<TimeListing>(sandbox, "GET", `/clock${query({ company })}`);
  const { armed } = await callControl<ArmedListings>(sandbox, "GET", `/armed${query({ company })}`);
  const { url } = sandbox;
  return {
    // Without the admin token: the server sends it, the agent needs none.
    client_variables: clientVariables({ url, liveUrl: url, adminToken: undefined }, companies),
    clock,
    ...limited("armed", most.armed, armed),
    companies: companies.map(companyOf),
    has_more,
    ...(scenarios && { scenarios: (await allScenarios(sandbox)).map(scenarioOf) }),
  };
}

function companyOf({ members, accounts, ...company }: CompanyListing) {
  const shown = members.map(({ id, slug, role, status, details_complete, api_keys }) => {
    const keys = api_keys.map(({ id, environment, status, prefix, secret }) => ({
      id,
      environment,
      status,
      // Only a fixture key has a secret here, which is public.
      key: secret ?? `${prefix}…`,
    }));
    return { id, slug, role, status, details_complete, ...limited("api_keys", most.inCompany, keys) };
  });
  return {
    ...company,
    ...limited("members", most.inCompany, shown),
    ...limited("accounts", most.inCompany, accounts),
  };
}

async function allScenarios(sandbox: RunningSandbox): Promise<readonly Scenario[]> {
  return (await callControl<{ scenarios: Scenario[] }>(sandbox, "GET", "/scenarios")).scenarios;
}

function scenarioOf({ name, title, on, points }: Scenario) {
  return { name, title, on, points };
}

async function requests(
  sandbox: RunningSandbox,
  { limit = 20, ...filter }: Input<"list_requests">,
): Promise<unknown> {
  const search = query({ limit, ...filter });
  const { requests, has_more } = await callControl<JournalListing>(sandbox, "GET", `/requests${search}`);
  if (requests.length === 0) await requireCompany(sandbox, filter.company);
  return { requests: requests.map(requestOf), has_more };
}

function requestOf(entry: JournalEntry) {
  const { id, time, method, operation, caller, idempotency_key } = entry;
  const { status, point, provenance, scenario, fault } = entry;
  const path = entry.path + entry.query;
  return {
    id,
    time,
    request: `${method} ${path.length > most.path ? `${path.slice(0, most.path)}…` : path}`,
    operation,
    company: companyOfCaller(caller),
    idempotency_key,
    status,
    point,
    provenance,
    scenario,
    fault,
  };
}

/** As `companyNames` describes it; null: the caller is unknown. */
function companyOfCaller(caller: JournalEntry["caller"]): string | null {
  return caller && (caller.environment === "live" ? `live/${caller.company}` : caller.company);
}

async function explain(sandbox: RunningSandbox, { id }: Input<"explain_request">): Promise<unknown> {
  const entry =
    id === undefined
      ? (await callControl<JournalListing>(sandbox, "GET", "/requests?limit=1")).requests[0]
      : await callControl<JournalEntry>(sandbox, "GET", `/requests/${encodeURIComponent(id)}`);
  if (!entry) {
    throw new SetupError(`no request is recorded yet. Send one to ${sandbox.url}, then explain it.`);
  }
  const company = companyOfCaller(entry.caller) ?? undefined;
  const { findings } = await callControl<FindingsReport>(
    sandbox,
    "GET",
    `/findings${query({ company, evidence: false })}`,
  );
  const scenarios = entry.scenario === null ? [] : await allScenarios(sandbox);
  const scenario = scenarios.find(({ name }) => name === entry.scenario);
  return explanation(entry, findings, scenario && scenarioOf(scenario));
}

async function findings(sandbox: RunningSandbox, input: Input<"get_findings">): Promise<unknown> {
  const report = await callControl<FindingsReport>(
    sandbox,
    "GET",
    `/findings${query({ ...input, evidence: false })}`,
  );
  if (report.findings.length === 0) await requireCompany(sandbox, input.company);
  return report;
}

/**
 * Reports of unknown companies are empty, because requests outlive the companies that a reset removes.
 * @throws SetupError if a company is given that does not exist
 */
async function requireCompany(sandbox: RunningSandbox, company: string | undefined): Promise<void> {
  if (company !== undefined) await callControl(sandbox, "GET", `/clock${query({ company })}`);
}

async function coverage(
  sandbox: RunningSandbox,
  { company, operation }: Input<"get_coverage">,
): Promise<unknown> {
  const report = await callControl<CoverageReport>(sandbox, "GET", `/coverage${query({ company })}`);
  if (report.total.met === 0) await requireCompany(sandbox, company);
  const operations = Object.entries(report.by_operation);
  const ids = operations.map(([id]) => id);
  if (operation !== undefined && !ids.includes(operation)) {
    throw new SetupError(`operation: must be one of ${ids.join(", ")}, but is ${quoted(operation)}`);
  }
  const scenarios = await allScenarios(sandbox);
  const points = report.points.filter(
    ({ operations }) => operation === undefined || operations.some((id) => id === operation),
  );
  const met = points.filter(({ times }) => times > 0);
  const missing = points
    .filter(({ times }) => times === 0)
    .toSorted((a, b) => importance[a.provenance] - importance[b.provenance]);
  return {
    total: report.total,
    by_provenance: report.by_provenance,
    by_operation: Object.fromEntries(
      operations.filter(([id, { met }]) => (operation === undefined ? met > 0 : id === operation)),
    ),
    met: met.map(({ id, status, times, first }) => ({ id, status, times, first_request: first?.request_id })),
    ...limited(
      "missing",
      most.missing,
      missing.map((point) => missingPoint(point, scenarios)),
    ),
  };
}

/** Missing points with the lowest number come first. */
const importance: Readonly<Record<Provenance, number>> = {
  specified: 0,
  observed: 1,
  variant: 2,
  assumed: 3,
};

function missingPoint({ id, status, provenance, title }: PointCoverage, scenarios: readonly Scenario[]) {
  const forcing = scenarios.flatMap(({ name, points }) => (points.includes(id) ? [name] : []));
  return { id, status, provenance, title, ...(forcing.length > 0 && { scenarios: forcing }) };
}

/** The first items, and the number of the others as `NAME_not_shown`. */
function limited(name: string, count: number, items: readonly unknown[]): Record<string, unknown> {
  const others = items.length - count;
  return { [name]: items.slice(0, count), ...(others > 0 && { [`${name}_not_shown`]: others }) };
}

async function reset(sandbox: RunningSandbox, { scope, company }: Input<"reset">): Promise<unknown> {
  if (scope === "world") return callControl<TimeListing>(sandbox, "POST", "/reset", { company });
  if (scope === "armed_scenarios") await callControl(sandbox, "DELETE", `/armed${query({ company })}`);
  else if (company === undefined) await callControl(sandbox, "DELETE", "/requests");
  else {
    throw new SetupError(
      `company: is not allowed with the scope requests, but is ${quoted(company)}. Omit it to delete all recorded requests.`,
    );
  }
  return { done: true };
}
