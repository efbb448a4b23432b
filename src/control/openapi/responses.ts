import * as z from "zod";
import type { CreatedKey } from "../../access/create-api-key.ts";
import { signedDecimal } from "../../contract/amount.ts";
import { behaviourIds } from "../../contract/behaviours.ts";
import { environment, uuid } from "../../contract/identifiers.ts";
import { areas, type OperationId, operationIds } from "../../contract/operations.ts";
import { type ContractPoint, type ContractPointId, envelopes } from "../../contract/points.ts";
import { webhookDelivery } from "../../contract/webhook-responses.ts";
import type { CoverageReport, CoverageTotal, PointCoverage } from "../../journal/coverage.ts";
import {
  type Finding,
  type FindingRequest,
  type FindingsReport,
  type Occurrence,
  severities,
} from "../../journal/findings/finding.ts";
import { ruleIds } from "../../journal/findings/rules.ts";
import type { JournalListing } from "../../journal/journal.ts";
import type { JournalCaller, JournalEntry } from "../../journal/journal-entry.ts";
import type { RunReport, UnusedScenario } from "../../journal/suite.ts";
import { accountStatus, companyStatus, keyStatus, memberStatus, role } from "../../rules/company.ts";
import { scenarioSchema } from "../../scenarios/scenario.ts";
import type { ListedKey } from "../../store/api-keys.ts";
import type { SnapshotListing } from "../../store/snapshots.ts";
import type {
  AccountListing,
  ApiKeyListing,
  CompanyListing,
  MemberListing,
  WorldListing,
} from "../../store/world-listing.ts";
import type { ReceivedMessage } from "../../webhooks/receiver.ts";
import type { KeyListing } from "../api-keys.ts";
import type { Health, Paths } from "../app.ts";
import type { TimeListing } from "../clock.ts";
import type { AlternativeListing, BehaviourListing, DialectListing } from "../dialects.ts";
import { entryFilter } from "../requests.ts";
import type { ArmedListing, ArmedListings } from "../scenarios.ts";
import type { TapeListing } from "../tape.ts";

// Each schema is checked against the type of the response when it compiles, and against real responses in the tests.

const instant = z.iso.datetime();
const text = z.string();
/** The same schemas as in query parameters, so that the document lists their values once. */
export const pointId = entryFilter.point.unwrap();
export const operation = entryFilter.operation.unwrap();
const provenance = z.enum(["specified", "variant", "assumed", "observed"]);

export const error = z.object({ error: text });

export const paths = z.object({
  dashboard: text,
  health: text,
  world: text,
  scenarios: text,
  contract: text,
  dialect: text,
  requests: text,
  coverage: text,
  findings: text,
  tape: text,
  control_description: text,
  description: text,
  reference: text,
}) satisfies z.ZodType<Paths>;

export const health = z.object({
  status: z.literal("ok"),
  version: text,
  now: instant,
  seed: z.int().exactOptional(),
}) satisfies z.ZodType<Health>;

export const document = z.record(text, z.unknown());

export const contractPoint = z.object({
  id: pointId,
  status: z.int(),
  provenance,
  spec: text,
  title: text,
  operations: z.union([z.enum(["developer", "any"]), z.array(operation)]),
  code: text.exactOptional(),
  envelope: z.enum(envelopes).exactOptional(),
  open: z.array(z.enum(["status", "envelope"])).exactOptional(),
}) satisfies z.ZodType<ContractPoint & { readonly id: ContractPointId }>;
export const contractPointList = z.object({ points: z.array(contractPoint) });

export const companyKey = z.object({
  id: uuid,
  environment,
  prefix: text,
  status: keyStatus,
  secret: text.exactOptional(),
}) satisfies z.ZodType<ApiKeyListing>;

export const member = z.object({
  id: uuid,
  slug: text,
  name: text,
  role,
  status: memberStatus,
  details_complete: z.boolean(),
  api_keys: z.array(companyKey),
}) satisfies z.ZodType<MemberListing>;

export const account = z.object({
  id: uuid,
  slug: text,
  currency: text,
  status: accountStatus,
  balance: signedDecimal,
}) satisfies z.ZodType<AccountListing>;

export const company = z.object({
  id: uuid,
  slug: text,
  environment,
  name: text,
  status: companyStatus,
  country_code: text,
  details_complete: z.boolean(),
  entitlements: z.array(z.enum(areas)),
  card_quota: z.int(),
  live_cards: z.int(),
  members: z.array(member),
  accounts: z.array(account),
}) satisfies z.ZodType<CompanyListing>;

export const world = z.object({
  companies: z.array(company),
  has_more: z.boolean(),
}) satisfies z.ZodType<WorldListing>;

export const apiKey = z.object({
  id: uuid,
  environment,
  prefix: text,
  status: keyStatus,
  label: text.nullable(),
  member: text,
  company: text,
}) satisfies z.ZodType<ListedKey>;

export const apiKeyList = z.object({
  api_keys: z.array(apiKey),
  has_more: z.boolean(),
}) satisfies z.ZodType<KeyListing>;

export const createdKey = z.object({
  id: uuid,
  environment,
  prefix: text,
  status: z.literal("active"),
  secret: text,
}) satisfies z.ZodType<CreatedKey>;

/** A scenario as its file holds it, with the defaults filled in. */
export const scenario = scenarioSchema().safeExtend({ on: z.array(operation) });
export const scenarioList = z.object({ scenarios: z.array(scenario) });

export const armedScenario = z.object({
  id: uuid,
  name: text,
  known: z.boolean(),
  company: text.nullable(),
  company_id: uuid.nullable(),
  operation: text.nullable(),
  api_key_id: uuid.nullable(),
  times: z.int().nullable(),
  retry_after_s: z.int().nullable(),
  latency_ms: z.int().nullable(),
  hold_ms: z.int().nullable(),
  steps_taken: z.int(),
  fired: z.int(),
  spent: z.boolean(),
  held: z.int(),
  armed_at: instant,
}) satisfies z.ZodType<ArmedListing>;

export const armedScenarioList = z.object({
  armed: z.array(armedScenario),
  unused: z.array(uuid),
}) satisfies z.ZodType<ArmedListings>;

export const unusedScenario = z.object({
  name: text,
  company: text.nullable(),
  operation: text.nullable(),
  api_key_id: uuid.nullable(),
  times: z.int().nullable(),
  armed_at: instant,
  from_start: z.boolean(),
}) satisfies z.ZodType<UnusedScenario>;
export const unusedScenarioList = z.object({ unused_scenarios: z.array(unusedScenario) });

export const released = z.object({ released: z.int() });

export const clock = z.object({ now: instant, frozen: z.boolean() }) satisfies z.ZodType<TimeListing>;

export const snapshot = z.object({ name: text, made_at: instant }) satisfies z.ZodType<SnapshotListing>;
export const snapshotList = z.object({ snapshots: z.array(snapshot) });

export const caller = z.object({
  company: text,
  company_id: uuid,
  environment,
  member: text,
  member_id: uuid,
  role,
  api_key: text,
  api_key_id: uuid,
}) satisfies z.ZodType<JournalCaller>;

export const recordedMessage = z.object({ headers: z.record(text, text), body: text.nullable() });

export const recordedRequest = z.object({
  id: text,
  time: instant,
  duration_ms: z.number(),
  method: text,
  path: text,
  query: text,
  operation: operation.nullable(),
  caller: caller.nullable(),
  idempotency_key: text.nullable(),
  request: recordedMessage,
  status: z.int().nullable(),
  response: recordedMessage.nullable(),
  point: pointId.nullable(),
  provenance: provenance.nullable(),
  checks: z.array(text),
  scenario: text.nullable(),
  fault: text.nullable(),
  defect: text.exactOptional(),
}) satisfies z.ZodType<JournalEntry>;

export const recordedRequestList = z.object({
  requests: z.array(recordedRequest),
  has_more: z.boolean(),
}) satisfies z.ZodType<JournalListing>;

export const tape = z.object({
  recording: z.boolean(),
  since: instant.nullable(),
  requests: z.int(),
  first_request_id: text.nullable(),
  last_request_id: text.nullable(),
  bytes: z.int(),
  file: text.nullable(),
  problem: text.nullable(),
}) satisfies z.ZodType<TapeListing>;

const behaviourId = z.enum(behaviourIds);
export const alternative = z.object({
  id: text,
  title: text,
  reason: text,
}) satisfies z.ZodType<AlternativeListing>;
export const behaviour = z.object({
  id: behaviourId,
  title: text,
  spec: text,
  scope: z.enum(["company", "sandbox"]),
  points: z.array(pointId),
  use: text,
  is_default: z.boolean(),
  provenance: z.enum(["variant", "assumed", "observed"]),
  date: text.nullable(),
  note: text.nullable(),
  alternatives: z.array(alternative),
}) satisfies z.ZodType<BehaviourListing>;
export const dialect = z.object({ behaviors: z.array(behaviour) }) satisfies z.ZodType<DialectListing>;

export const coverageTotal = z.object({ points: z.int(), met: z.int() }) satisfies z.ZodType<CoverageTotal>;

export const coveredPoint = z.object({
  id: pointId,
  status: z.int(),
  provenance,
  spec: text,
  title: text,
  operations: z.array(operation),
  met_by: z.array(operation),
  times: z.int(),
  first: z
    .object({ request_id: text, method: text, path: text, time: instant, source: text.exactOptional() })
    .nullable(),
  excluded: z.boolean(),
}) satisfies z.ZodType<PointCoverage>;

export const coverage = z.object({
  total: coverageTotal,
  by_provenance: z.object({
    specified: coverageTotal,
    variant: coverageTotal,
    assumed: coverageTotal,
    observed: coverageTotal,
  }),
  by_operation: z.object(
    Object.fromEntries(operationIds.map((id) => [id, coverageTotal])) as Record<
      OperationId,
      typeof coverageTotal
    >,
  ),
  points: z.array(coveredPoint),
}) satisfies z.ZodType<CoverageReport>;

export const findingRequest = z.object({
  id: text,
  method: text,
  path: text,
  query: text,
  status: z.int().nullable(),
  point: pointId.nullable(),
  time: instant,
  request: recordedMessage.exactOptional(),
  response: recordedMessage.nullable().exactOptional(),
  source: text.exactOptional(),
}) satisfies z.ZodType<FindingRequest>;

export const occurrence = z.object({
  observed: text,
  company: text.nullable(),
  requests: z.array(findingRequest),
  replay: text.exactOptional(),
}) satisfies z.ZodType<Occurrence>;

export const finding = z.object({
  id: z.enum(ruleIds),
  severity: z.enum(severities),
  title: text,
  why: text,
  fix: text,
  spec: text,
  times: z.int(),
  by_operation: z.partialRecord(z.enum([...operationIds, "none"]), z.int()),
  occurrences: z.array(occurrence),
}) satisfies z.ZodType<Finding>;

export const findings = z.object({
  totals: z.object({ critical: z.int(), high: z.int(), warn: z.int(), info: z.int() }),
  findings: z.array(finding),
  evidence_left_out: z.int().exactOptional(),
  findings_left_out: z.int().exactOptional(),
}) satisfies z.ZodType<FindingsReport>;

export const runReport = z.object({
  version: text,
  dialect: z.record(text, text),
  tape: text.exactOptional(),
  scenario: text.nullable(),
  requests: z.int(),
  findings,
  unused_scenarios: z.array(unusedScenario),
  coverage,
}) satisfies z.ZodType<RunReport>;

export const deliveryList = z.object({ deliveries: z.array(webhookDelivery) });

export const receivedList = z.object({
  messages: z.array(
    z.object({
      id: z.string(),
      receiver: z.string(),
      received_at: z.iso.datetime(),
      delivery_id: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.string(),
      status: z.int(),
      signature: z.enum(["valid", "invalid"]),
      problem: z.string().nullable(),
    }),
  ),
}) satisfies z.ZodType<{ messages: ReceivedMessage[] }>;
