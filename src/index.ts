/** The portable face: what runs on any engine with web standards and a synchronous SQLite. */
export type { Environment } from "./contract/identifiers.ts";
export type { PointId, Provenance } from "./contract/points.ts";
export { contractPoints } from "./contract/points.ts";
export { SetupError } from "./core/errors.ts";
export type { Clock, Database, SqlValue } from "./core/ports.ts";
export type { Exchange, OnBehalfOfMode } from "./http/http-services.ts";
export type { Fetch, Sandbox as PortableSandbox } from "./sandbox.ts";
export type {
  AccountListing,
  ApiKeyListing,
  CompanyListing,
  MemberListing,
  WorldListing,
} from "./store/world-listing.ts";
