export type {
  AccountListing,
  ApiKeyListing,
  ArmedListing,
  ArmedScenario,
  Arming,
  CompanyClock,
  CompanyListing,
  ContractPoint,
  EntryFilter,
  Environment,
  EventType,
  Exchange,
  Face,
  Fetch,
  Guard,
  IsolatedCompany,
  JournalCaller,
  JournalEntry,
  JournalFilter,
  JournalListing,
  JournalMessage,
  MemberListing,
  OnBehalfOfMode,
  PointId,
  Provenance,
  WebhookDelivery,
  WorldListing,
} from "../index.ts";
export { contractPoints, SetupError } from "../index.ts";
export { createSandbox, type Sandbox, type SandboxOptions } from "./create-sandbox.ts";
export type { Tls } from "./listen.ts";
export { type StartedSandbox, type StartOptions, startSandbox } from "./start-sandbox.ts";
