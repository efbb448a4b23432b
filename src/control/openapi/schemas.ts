import * as z from "zod";
import { dialectInOpenapi } from "../../contract/dialect-file.ts";
import { resources } from "../../contract/openapi/resources.ts";
import { tokenExchangeResponse } from "../../contract/token-exchange.ts";
import { cardDelivery } from "../../contract/webhook-responses.ts";
import { fixtureCompany } from "../../world/fixtures.ts";
import { newApiKey } from "../api-keys.ts";
import { operatorRequest, parcelRequest } from "../cards.ts";
import { timeAdvance, timeChange } from "../clock.ts";
import { accountChange, companyChange, memberChange } from "../companies.ts";
import { mostOfOneKind } from "../create-company.ts";
import { dialectChange } from "../dialects.ts";
import { arming } from "../scenarios.ts";
import {
  newAuthorisation,
  newClearing,
  newFunding,
  newInvoice,
  newRefund,
  newReversal,
} from "../simulator.ts";
import { resetRequest, snapshotRequest } from "../state.ts";
import * as responses from "./responses.ts";

/** An object in the OpenAPI document of the control API. */
export interface ControlSchema {
  readonly schema: z.ZodType;
  readonly description: string;
  /** Descriptions of its fields. */
  readonly notes?: Readonly<Record<string, string>>;
}

const of = (schema: z.ZodType, description: string, notes: ControlSchema["notes"] = {}): ControlSchema => ({
  schema,
  description,
  notes,
});

/** The descriptions of fields and query parameters that mean the same in every operation. */
export const commonNotes: Readonly<Record<string, string>> = {
  company: "A company by its id, slug or `live/SLUG`",
  environment: "`sandbox` or `live`",
};

const elementOf = (list: z.ZodDefault<z.ZodArray<z.ZodObject>>) => list.unwrap().element;
const { members, accounts, cards } = fixtureCompany.shape;
const member = elementOf(members) as ReturnType<(typeof members)["unwrap"]>["element"];
const account = elementOf(accounts) as ReturnType<(typeof accounts)["unwrap"]>["element"];
const newMember = member.omit({ other_companies: true }).partial();
const newAccount = account.partial();
/** As create-company.ts validates it: each field is optional, and a company belongs to no other. */
const newCompany = fixtureCompany.partial().extend({
  members: z.array(newMember).min(1).max(mostOfOneKind).optional(),
  accounts: z.array(newAccount).min(1).max(mostOfOneKind).optional(),
  cards: cards.unwrap().max(mostOfOneKind).optional(),
  dialect: dialectInOpenapi.optional(),
});

const decimalNote = "A decimal above 0 with at most two decimal places, as a string or a number";
const someAmount = `${decimalNote}. Default: the whole amount that the authorization holds`;

const bodies = {
  NewCompany: of(newCompany, "A company as in a fixtures file. All fields are optional.", {
    slug: "Default: `company-N` with the next free number N",
    name: "Default: a random company name that depends on the seed",
    country_code: "ISO 3166-1 alpha-2. Default: `GB`",
    members: "The first member must be an owner. Default: an owner, an admin and an employee",
    accounts: "The first account must be active. Default: an account in GBP and one in EUR",
    dialect: "Alternatives of behaviors that can differ between companies, as in `PUT /_sandbox/dialect`",
    cards: "Cards that exist from the start. They name their member and account by slug",
  }),
  NewMember: of(newMember, "A member of a new company", {
    role: "Default: `owner` for the first member, `employee` for the others",
    api_keys: "API keys with secrets of your choice",
  }),
  NewAccount: of(newAccount, "An account of a new company", {
    balance: "Default: a random amount that depends on the seed",
    currency: "ISO 4217 code. Default: `GBP`",
  }),
  CompanyChange: of(companyChange, "The changes to a company. Absent fields stay as they are.", {
    card_quota: "Maximum number of cards that are not ended",
    details_complete: "`false`: orders are refused because company details are missing",
    entitlements: "The areas of the service that the company can use",
  }),
  AccountChange: of(accountChange, "The change to an account", {
    company: "The company of the account; required if the account is named by its slug",
  }),
  MemberChange: of(memberChange, "The changes to a member. Absent fields stay as they are.", {
    details_complete: "`false`: orders are refused because cardholder details are missing",
    company: "The company in which to change the member. Default: the member's first company",
  }),
  NewApiKey: of(newApiKey, "The owner of a new API key", {
    member: "A member by id or slug",
    company: "The company for which the key acts. Default: the member's first company",
    label: "A label that helps you recognize the key",
  }),
  OperatorRequest: of(operatorRequest, "An action of the operator of the service", {
    action: "`lift` ends a suspension, a lock or a block",
  }),
  DeliveryChange: of(parcelRequest, "The next delivery status"),
  NewAuthorisation: of(newAuthorisation, "A card payment or a cash withdrawal", {
    amount: decimalNote,
    currency: "ISO 4217 code. Default: the currency of the account",
    merchant: "The name of the merchant, or an object with the fields of the merchant",
    mcc: "Merchant category code, ISO 18245",
    channel: "`atm`: a cash withdrawal",
  }),
  NewClearing: of(newClearing, "The amount that the merchant captures", {
    amount: someAmount,
    final: "`true`: the rest of the authorization is released",
  }),
  NewReversal: of(newReversal, "The amount that is released", { amount: someAmount }),
  NewRefund: of(newRefund, "A refund of a completed payment", {
    transaction_id: "The payment",
    amount: `${decimalNote}. Default: the whole payment`,
  }),
  NewFunding: of(newFunding, "An amount that moves to or from an account", { amount: decimalNote }),
  NewInvoice: of(newInvoice, "An invoice of the service to a company", {
    currency: "ISO 4217 code",
    net: "A decimal with at most two decimal places, as a string or a number",
    vat: "A decimal with at most two decimal places, as a string or a number. Default: 20 % of `net`",
  }),
  Arming: of(
    arming,
    "The requests on which an armed scenario fires, and its waiting times. Default: all requests to the operations of the scenario, with the times in its file.",
    {
      company: "Only requests of this company: its id, slug or `live/SLUG`",
      times:
        "Number of times that the scenario runs through its steps. Default: no limit, until it is disarmed",
      operation: "Only requests to this operation, instead of the operations in the scenario",
      api_key_id: "Only requests made with this API key",
      retry_after_s: "The Retry-After header of the scenario's rate limit, in seconds",
      latency_ms: "Each delay of the scenario, in milliseconds",
      hold_ms: "How long the scenario holds a request at most, in milliseconds",
    },
  ),
  ClockChange: of(timeChange, "A change of the clock", {
    now: "An ISO 8601 timestamp with a UTC offset, such as 2026-03-10T00:00:00Z. It must not be before the current time",
    frozen: "`true` stops the clock of the sandbox; `false` starts it again. Not allowed with `company`",
    company: "Only the clock of this company: its id, slug or `live/SLUG`",
  }),
  ClockAdvance: of(timeAdvance, "A duration", {
    by: "An ISO 8601 duration, such as `PT15M`. Days, weeks, months and years follow the UK calendar",
    company: "Only the clock of this company: its id, slug or `live/SLUG`",
  }),
  DialectChange: of(dialectChange, "A new dialect", {
    dialect: "By behavior, the id of an alternative, or `use` with its provenance",
    company: "Only for this company: its id, slug or `live/SLUG`",
  }),
  ResetRequest: of(resetRequest, "The scope of the reset", {
    company: "Only this company: its id, slug or `live/SLUG`. Default: the whole world",
  }),
  NewSnapshot: of(snapshotRequest, "The name of a snapshot"),
} satisfies Record<string, ControlSchema>;

const results = {
  ContractPointId: of(responses.pointId, "The id of a contract point"),
  OperationId: of(responses.operation, "An operation of the service"),
  Error: of(responses.error, "The error body of the control API", {
    error: "The problem, the allowed values, and the next step",
  }),
  Paths: of(responses.paths, "The main paths of the sandbox"),
  Health: of(responses.health, "The status of the sandbox", {
    version: "The version of card-sandbox",
    now: "The time of the sandbox",
    seed: "Present only if the request is allowed to use the control API",
  }),
  OpenapiDocument: of(responses.document, "An OpenAPI 3.1 document"),
  ContractPoint: of(responses.contractPoint, "A behavior of the service that a client can observe", {
    provenance:
      "`specified`: in the specification; `variant`: one of two alternatives in it; `assumed`: not in it",
    spec: "The section of the specification",
    operations: "`developer`: all operations under `/developer`; `any`: all requests",
    code: "The code in the error body",
  }),
  ContractPointList: of(responses.contractPointList, "All contract points"),
  World: of(responses.world, "A page of companies", {
    has_more:
      "`true` if there are more companies. To get the next page, send the id of the last one as `after`",
  }),
  Company: of(responses.company, "A company with its members, API keys and accounts", {
    card_quota: "Maximum number of cards that are not ended",
    live_cards: "The number of cards that are not ended",
  }),
  Member: of(responses.member, "A member of a company"),
  MemberKey: of(responses.companyKey, "An API key of a member", {
    secret: "Present only for fixture keys, which are public, and in the response that creates the key",
  }),
  CompanyAccount: of(responses.account, "An account of a company"),
  ApiKey: of(responses.apiKey, "An API key without its secret", {
    member: "The slug of the member",
    company: "The slug of the company",
  }),
  ApiKeyList: of(responses.apiKeyList, "API keys in the order of their creation", {
    has_more: "`true` if there are more than 1,000 keys. To list the others, send `company`",
  }),
  CreatedApiKey: of(responses.createdKey, "A new API key", {
    secret: "Only this response contains the secret",
  }),
  AccessToken: of(tokenExchangeResponse, "An access token of an API key", {
    access_token: "Only this response contains the token",
    expires_at: "By the clock of the company",
  }),
  CardDelivery: of(cardDelivery, "The delivery of a physical card", {
    updated_at: "The time of the last change, by the clock of the company",
  }),
  Scenario: of(responses.scenario, "A scenario as its file defines it"),
  ScenarioList: of(responses.scenarioList, "All scenarios"),
  ArmedScenario: of(responses.armedScenario, "An armed scenario", {
    known: "`false`: no scenario file defines it any more, so it does nothing",
    company: "`null` if it is armed for all companies",
    operation: "`null` if the operations in the scenario apply",
    times: "Number of times that it runs through its steps; `null` if it runs until it is disarmed",
    retry_after_s: "Replaces the Retry-After header of its rate limit; `null`: as in its file",
    latency_ms: "Replaces each of its delays; `null`: as in its file",
    hold_ms: "Replaces the longest time for which it holds a request; `null`: as in its file",
    fired: "The number of requests on which it fired",
    spent: "Whether its `times` are used up",
    held: "The number of requests that it holds until they are released",
    armed_at: "The time by the clock of the sandbox",
  }),
  ArmedScenarioList: of(
    responses.armedScenarioList,
    "Armed scenarios in the order in which they were armed",
    {
      unused: "The ids of the unused scenarios, which never fired",
    },
  ),
  UnusedScenario: of(responses.unusedScenario, "An unused scenario: it was armed and never fired", {
    company: "`null` if it is armed for all companies",
    operation: "`null` if the operations in the scenario apply",
    armed_at: "The time by the clock of the sandbox",
    from_start: "Whether the option `--scenario` armed it",
  }),
  UnusedScenarioList: of(responses.unusedScenarioList, "Unused scenarios: they were armed and never fired"),
  ReleasedRequests: of(responses.released, "The result of a release", { released: "The number of requests" }),
  Dialect: of(responses.dialect, "All behaviors that the specification leaves open"),
  Behavior: of(responses.behaviour, "A behavior that the specification leaves open", {
    scope: "`company`: companies can have different alternatives; `sandbox`: all have the same",
    points: "The contract points that it is about",
    use: "The alternative that is in effect",
    is_default: "Whether this alternative is also in effect without a dialect",
    date: "When it was observed",
    note: "Who or what says so",
    alternatives: "The default first",
  }),
  Alternative: of(responses.alternative, "One way in which the real service may behave", {
    title: "Continues the title of the behavior",
    reason: "Why it is plausible",
  }),
  Clock: of(responses.clock, "The time of the sandbox or of a company"),
  Snapshot: of(responses.snapshot, "A snapshot of the world", {
    made_at: "The time by the clock of the sandbox",
  }),
  SnapshotList: of(responses.snapshotList, "Snapshots"),
  Caller: of(responses.caller, "The caller at the time of the request", {
    company: "The slug of the company",
    member: "The slug of the member",
    api_key: "The prefix of the API key",
  }),
  RecordedMessage: of(responses.recordedMessage, "Headers and body with masked secrets", {
    headers: "The headers, by their names in lower case",
    body: "`null` if the body was not read or is not text",
  }),
  RecordedRequest: of(
    responses.recordedRequest,
    "A request to the service and its response, secrets masked",
    {
      id: "A number that counts up from 1",
      time: "The time of the response by the clock of the company",
      duration_ms: "Duration in milliseconds by the system clock",
      query: "The query string with its question mark; empty if there is none",
      operation: "`null` if the path and the method belong to no operation",
      caller: "`null` if the request was refused before its caller was identified",
      status: "`null` if no response was delivered",
      response: "`null` if no response was delivered",
      point:
        "The contract point of the response; `null` if the connection was dropped before the request was processed",
      checks: "The checks that the request passed, in order",
      scenario: "The scenario that fired",
      fault: "The fault that changed the delivered response",
      defect: "An internal error of the sandbox (a bug in card-sandbox)",
    },
  ),
  RecordedRequestList: of(responses.recordedRequestList, "A page of recorded requests, newest first", {
    has_more:
      "`true` if there are more requests. To get the next page, send the id of the last one as `after`",
  }),
  Tape: of(responses.tape, "The recording of a tape", {
    since: "When it began, by the clock of the sandbox; `null` if there is no tape",
    requests: "The number of requests on the tape",
    first_request_id: "`null` if no request on the tape has a response yet",
    last_request_id: "`null` if no request on the tape has a response yet",
    bytes: "The compressed size, which grows once a second",
    file: "The absolute path of the file; `null` if the tape is in memory",
    problem: "Why the recording ended by itself; the tape up to then can still be read",
  }),
  Coverage: of(responses.coverage, "The contract points that requests met", {
    by_operation: "For each operation, the points that its own requests met",
  }),
  CoverageTotal: of(responses.coverageTotal, "A number of contract points", {
    met: "The number of points that requests met",
  }),
  CoveredPoint: of(responses.coveredPoint, "The coverage of one contract point", {
    met_by: "The operations whose requests met it",
    times: "The number of requests that met it",
    first: "The first request that met it",
    excluded: "Whether it is left out of the totals",
  }),
  Findings: of(responses.findings, "The findings, most severe first", {
    totals: "The number of findings of each severity",
    evidence_left_out:
      "The number of requests without headers and bodies, so that the report stays below 2 MB; missing: none",
    findings_left_out: "The number of findings left out for the same reason; missing: none",
  }),
  Finding: of(responses.finding, "A finding: a mistake of the client", {
    why: "Why it matters in production",
    fix: "How to fix it",
    spec: "The section of the specification that the rule is based on",
    times: "The number of occurrences",
    by_operation:
      "The occurrences by the operation of their last request; `none`: no request of an operation makes the mistake",
    occurrences: "The first five occurrences",
  }),
  Occurrence: of(responses.occurrence, "One occurrence of a finding", {
    observed: "Description of this occurrence",
    company: "The slug of the company; `null` if the caller was not identified",
    requests: "The requests of this occurrence, in order; empty if no request caused it",
    replay: "The command that shows it, if a tape was recorded",
  }),
  FindingRequest: of(responses.findingRequest, "A request of an occurrence; secrets are masked", {
    path: "Without the query",
    query: "With the question mark; empty if the URL has no query",
    status: "`null` if no response was delivered",
    point: "The contract point of the response; `null` if the connection was dropped before a decision",
    request: "Missing with `evidence=false`, and if the sandbox no longer has it",
    response: "`null` if no response was delivered; missing as `request`",
  }),
  RunReport: of(responses.runReport, "Everything that `card-sandbox report` judges", {
    dialect: "The behaviors that the dialect switches, with their alternatives",
    tape: "The path of the tape that is being recorded; missing if none is",
    scenario: "The scenario of the option `--scenario`",
    requests: "The number of requests that the service received since it started",
  }),
  DeliveryList: of(responses.deliveryList, "Webhook deliveries, newest first"),
  ReceivedList: of(responses.receivedList, "Messages of the built-in receiver, newest first"),
} satisfies Record<string, ControlSchema>;

/**
 * Every object of the control API by its name in the OpenAPI document: those of the service, such as `Card`, and its own.
 */
export const controlSchemas = { ...resources, ...bodies, ...results };
export type ControlSchemaName = keyof typeof controlSchemas;
