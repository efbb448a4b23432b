/**
 * The portable entry: creates a sandbox on any engine with web standards and a synchronous SQLite. The entry
 * of the package is node/index.ts.
 */

export type { Fetch, Sandbox, SandboxPorts, ServeOptions } from "./api.ts";
export type { BehaviourId } from "./contract/behaviours.ts";
export type { Environment } from "./contract/identifiers.ts";
export type { OnBehalfOfMode } from "./contract/operations.ts";
export {
  type ContractPoint,
  type ContractPointId,
  contractPoints,
  type Provenance,
} from "./contract/points.ts";
export type { DialectInput } from "./contract/selections.ts";
export type { EventType } from "./contract/webhook.ts";
export type { WebhookDelivery } from "./contract/webhook-responses.ts";
export type { BehaviourListing, DialectListing } from "./control/dialects.ts";
export type { Guard } from "./control/gate.ts";
export type { CompanyClock, IsolatedCompany } from "./control/isolated-company.ts";
export type { ArmedListing, ArmedScenario, Arming } from "./control/scenarios.ts";
export type { CoverageFilter, CoverageReport, CoverageTotal, PointCoverage } from "./journal/coverage.ts";
export type { Exchange, Messages } from "./journal/exchange.ts";
export type {
  Finding,
  FindingRequest,
  FindingsFilter,
  FindingsReport,
  Occurrence,
  Severity,
} from "./journal/findings/finding.ts";
export type { FindingId } from "./journal/findings/rules.ts";
export type { EntryFilter, JournalFilter, JournalListing } from "./journal/journal.ts";
export type { JournalCaller, JournalEntry, JournalMessage } from "./journal/journal-entry.ts";
export type { RunReport, UnusedScenario } from "./journal/suite.ts";
export type { Clock } from "./rules/clock.ts";
export { SetupError } from "./rules/errors.ts";
export { wireSandbox } from "./sandbox.ts";
export { Catalogue } from "./scenarios/catalogue.ts";
export { type Scenario, scenarioSchema } from "./scenarios/scenario.ts";
export type { AnyScenarioName, ScenarioName } from "./scenarios/shipped.ts";
export type { Database, SqlValue } from "./store/database.ts";
export type {
  AccountListing,
  ApiKeyListing,
  CompanyListing,
  MemberListing,
  WorldListing,
} from "./store/world-listing.ts";
export { type FixtureWorld, fixturesSchema } from "./world/fixtures.ts";
export type { Fixtures, SecretsMode } from "./world/open-world.ts";
