/**
 * The portable entry: wires a sandbox from ports on any engine with web standards and a synchronous SQLite. The entry of
 * the package is node/index.ts, which provides the ports.
 */

export type { Face, Fetch, Sandbox, SandboxPorts } from "./api.ts";
export type { Environment } from "./contract/identifiers.ts";
export type { OnBehalfOfMode } from "./contract/operations.ts";
export { type ContractPoint, contractPoints, type PointId, type Provenance } from "./contract/points.ts";
export type { EventType, WebhookDelivery } from "./contract/webhook.ts";
export type { Guard } from "./control/gate.ts";
export type { CompanyClock, IsolatedCompany } from "./control/isolated-company.ts";
export type { ArmedListing, ArmedScenario, Arming } from "./control/scenarios.ts";
export type { CoverageFilter, CoverageReport, CoverageTotal, PointCoverage } from "./journal/coverage.ts";
export type { Exchange, Messages } from "./journal/exchange.ts";
export type {
  Finding,
  FindingsFilter,
  FindingsReport,
  Occurrence,
  RequestSeen,
  Severity,
} from "./journal/findings/finding.ts";
export type { RuleId } from "./journal/findings/rules.ts";
export type { EntryFilter, JournalFilter, JournalListing } from "./journal/journal.ts";
export type { JournalCaller, JournalEntry, JournalMessage } from "./journal/journal-entry.ts";
export type { Clock } from "./rules/clock.ts";
export { SetupError } from "./rules/errors.ts";
export { wireSandbox } from "./sandbox.ts";
export { Catalogue } from "./scenarios/catalogue.ts";
export { type Scenario, scenarioSchema } from "./scenarios/scenario.ts";
export type { Database, SqlValue } from "./store/database.ts";
export type {
  AccountListing,
  ApiKeyListing,
  CompanyListing,
  MemberListing,
  WorldListing,
} from "./store/world-listing.ts";
export type { Fixtures, SecretsMode } from "./world/open-world.ts";
export { type SeedWorld, seedWorld } from "./world/seed-world.ts";
