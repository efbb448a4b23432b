import type { Context } from "hono";

/** The groups of operations in the OpenAPI document. */
export type ControlTag =
  | "sandbox"
  | "companies"
  | "api-keys"
  | "cards"
  | "simulator"
  | "scenarios"
  | "clock"
  | "dialect"
  | "snapshots"
  | "requests"
  | "tape"
  | "reports";

/** One operation of the control API. */
export interface ControlOperation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_sandbox`, as Hono reads it. */
  readonly path: `/${string}`;
  readonly tag: ControlTag;
  /** One sentence without its full stop. */
  readonly summary: string;
  readonly description?: string;
  /** The status of its success. */
  readonly success: 200 | 201 | 204;
  /** The statuses of its own errors, beyond those of every operation. */
  readonly errors: readonly (400 | 404 | 409)[];
}

const row = <
  const Method extends ControlOperation["method"],
  const Path extends ControlOperation["path"],
  const Rest extends Omit<ControlOperation, "method" | "path">,
>(
  method: Method,
  path: Path,
  rest: Rest,
) => ({ method, path, ...rest });

/**
 * The operations of the control API, by operation id. The routes, the OpenAPI document and the documentation are made of
 * this table. Of two paths that match a request, the first one serves it.
 */
export const controlOperations = {
  getPaths: row("GET", "/", {
    tag: "sandbox",
    summary: "List the main paths of the sandbox",
    description: "Redirects a browser (`Accept: text/html`) to the dashboard.",
    success: 200,
    errors: [],
  }),
  getHealth: row("GET", "/health", {
    tag: "sandbox",
    summary: "Check that the sandbox is running",
    description:
      "Needs no admin token. Contains the seed only if the request is allowed to use the control API.",
    success: 200,
    errors: [],
  }),
  getControlDocument: row("GET", "/openapi.json", {
    tag: "sandbox",
    summary: "Get the OpenAPI document of the control API",
    description: "Needs no admin token.",
    success: 200,
    errors: [],
  }),
  listContractPoints: row("GET", "/contract", {
    tag: "sandbox",
    summary: "List all contract points, under the dialect of the sandbox or of a company",
    success: 200,
    errors: [404],
  }),

  getWorld: row("GET", "/world", {
    tag: "companies",
    summary: "List companies with their members, API keys and accounts",
    description: "In the order of their creation, up to 500 on a page.",
    success: 200,
    errors: [400, 404],
  }),
  createCompany: row("POST", "/companies", {
    tag: "companies",
    summary: "Create an isolated company",
    description:
      "All fields are optional: send `{}` for a company with an owner, an admin, an employee and two accounts. Each " +
      "active member receives an API key, up to the limit of active keys. Only this response contains the secrets of " +
      "the keys.",
    success: 201,
    errors: [400, 409],
  }),
  changeCompany: row("PATCH", "/companies/:name{.+}", {
    tag: "companies",
    summary: "Change a company",
    success: 200,
    errors: [400, 404],
  }),
  deleteCompany: row("DELETE", "/companies/:name{.+}", {
    tag: "companies",
    summary: "Delete a company with everything that belongs to it",
    success: 204,
    errors: [404, 409],
  }),
  changeAccount: row("PATCH", "/accounts/:name", {
    tag: "companies",
    summary: "Change the status of an account",
    success: 200,
    errors: [400, 404],
  }),
  changeMember: row("PATCH", "/members/:name", {
    tag: "companies",
    summary: "Change a member",
    description:
      "The API keys of an inactive member can no longer be exchanged. Access tokens that were already issued stay valid " +
      "until they expire.",
    success: 200,
    errors: [400, 404],
  }),

  listApiKeys: row("GET", "/api-keys", {
    tag: "api-keys",
    summary: "List API keys",
    description: "The first 1,000 keys, without their secrets.",
    success: 200,
    errors: [404],
  }),
  createApiKey: row("POST", "/api-keys", {
    tag: "api-keys",
    summary: "Create an API key for an active member",
    description: "Only this response contains the secret of the key.",
    success: 201,
    errors: [400, 404, 409],
  }),
  revokeApiKey: row("DELETE", "/api-keys/:id", {
    tag: "api-keys",
    summary: "Revoke an API key",
    description:
      "The key can no longer be exchanged. Access tokens that were already issued stay valid until they expire.",
    success: 200,
    errors: [404],
  }),
  issueAccessToken: row("POST", "/api-keys/:id/token", {
    tag: "api-keys",
    summary: "Issue an access token for an API key, without its secret",
    description: "The token is the same as one that the service issues for the key. No scenario acts on it.",
    success: 201,
    errors: [404, 409],
  }),

  changeCardAsOperator: row("POST", "/cards/:id/operator", {
    tag: "cards",
    summary:
      "Suspend, lock, block, terminate or activate a card, or lift its hold, as the operator of the service",
    success: 200,
    errors: [400, 404, 409],
  }),
  expireCard: row("POST", "/cards/:id/expire", {
    tag: "cards",
    summary: "Expire a card before its expiry date",
    success: 200,
    errors: [404, 409],
  }),
  getCardDelivery: row("GET", "/cards/:id/delivery", {
    tag: "cards",
    summary: "Get the delivery status of a physical card",
    success: 200,
    errors: [404],
  }),
  changeCardDelivery: row("POST", "/cards/:id/delivery", {
    tag: "cards",
    summary: "Move the delivery of a physical card forward",
    success: 200,
    errors: [400, 404, 409],
  }),

  simulateAuthorisation: row("POST", "/simulate/authorisations", {
    tag: "simulator",
    summary: "Simulate a card payment or a cash withdrawal",
    description: "Returns the payment, which is `pending` or `declined`.",
    success: 201,
    errors: [400, 404],
  }),
  clearAuthorisation: row("POST", "/simulate/authorisations/:id/clear", {
    tag: "simulator",
    summary:
      "Clear a pending payment: the merchant captures the authorized amount, a smaller or a larger one",
    success: 200,
    errors: [400, 404, 409],
  }),
  reverseAuthorisation: row("POST", "/simulate/authorisations/:id/reverse", {
    tag: "simulator",
    summary: "Reverse a pending payment, or a part of it",
    success: 200,
    errors: [400, 404, 409],
  }),
  expireAuthorisation: row("POST", "/simulate/authorisations/:id/expire", {
    tag: "simulator",
    summary: "Expire a pending payment that the merchant never clears",
    success: 200,
    errors: [404, 409],
  }),
  simulateRefund: row("POST", "/simulate/refunds", {
    tag: "simulator",
    summary: "Refund a completed payment, or a part of it",
    success: 201,
    errors: [400, 404, 409],
  }),
  simulateTopUp: row("POST", "/simulate/topups", {
    tag: "simulator",
    summary: "Top up an account",
    success: 201,
    errors: [400, 404, 409],
  }),
  simulateFee: row("POST", "/simulate/fees", {
    tag: "simulator",
    summary: "Charge a fee to an account",
    success: 201,
    errors: [400, 404, 409],
  }),
  createInvoice: row("POST", "/invoices", {
    tag: "simulator",
    summary: "Issue an invoice of the service to a company",
    success: 201,
    errors: [400, 404, 409],
  }),
  payInvoice: row("POST", "/invoices/:id/pay", {
    tag: "simulator",
    summary: "Mark an invoice as paid",
    success: 200,
    errors: [404, 409],
  }),
  voidInvoice: row("POST", "/invoices/:id/void", {
    tag: "simulator",
    summary: "Void an invoice",
    success: 200,
    errors: [404, 409],
  }),

  listScenarios: row("GET", "/scenarios", {
    tag: "scenarios",
    summary: "List all scenarios",
    success: 200,
    errors: [],
  }),
  armScenario: row("POST", "/scenarios/:name/arm", {
    tag: "scenarios",
    summary: "Arm a scenario",
    description: "It fires on matching requests until its `times` are used up, or until it is disarmed.",
    success: 201,
    errors: [400, 404, 409],
  }),
  listUnusedScenarios: row("GET", "/unused-scenarios", {
    tag: "scenarios",
    summary: "List unused scenarios, which were armed since startup and never fired",
    description: "Includes scenarios that are no longer armed.",
    success: 200,
    errors: [],
  }),
  listArmedScenarios: row("GET", "/armed", {
    tag: "scenarios",
    summary: "List armed scenarios",
    success: 200,
    errors: [400, 404],
  }),
  disarmScenarios: row("DELETE", "/armed", {
    tag: "scenarios",
    summary: "Disarm all scenarios, the scenarios of one company, or those that are used up",
    success: 204,
    errors: [400, 404],
  }),
  getArmedScenario: row("GET", "/armed/:id", {
    tag: "scenarios",
    summary: "Get an armed scenario",
    success: 200,
    errors: [404],
  }),
  disarmScenario: row("DELETE", "/armed/:id", {
    tag: "scenarios",
    summary: "Disarm a scenario",
    success: 204,
    errors: [404],
  }),
  releaseRequests: row("POST", "/armed/:id/release", {
    tag: "scenarios",
    summary: "Release the requests that an armed scenario holds",
    success: 200,
    errors: [404],
  }),

  getClock: row("GET", "/clock", {
    tag: "clock",
    summary: "Get the time of the sandbox or of a company",
    success: 200,
    errors: [404],
  }),
  changeClock: row("PUT", "/clock", {
    tag: "clock",
    summary: "Set, freeze or unfreeze the clock",
    description: "A clock only moves forward.",
    success: 200,
    errors: [400, 404, 409],
  }),
  advanceClock: row("POST", "/clock/advance", {
    tag: "clock",
    summary: "Advance the clock by a duration",
    success: 200,
    errors: [400, 404],
  }),

  getDialect: row("GET", "/dialect", {
    tag: "dialect",
    summary: "List all behaviors that the specification leaves open, with their alternatives",
    description: "With `company`, as they apply to this company.",
    success: 200,
    errors: [404],
  }),
  replaceDialect: row("PUT", "/dialect", {
    tag: "dialect",
    summary: "Select alternatives for the sandbox or for a company",
    description:
      "Replaces the whole dialect: behaviors that it does not name have their default or, for a company, the alternative " +
      "of the sandbox. A reset restores the dialect of the start; snapshots contain the dialect.",
    success: 200,
    errors: [400, 404],
  }),
  removeDialect: row("DELETE", "/dialect", {
    tag: "dialect",
    summary: "Restore the dialect of the start, or remove the dialect of a company",
    success: 204,
    errors: [404, 409],
  }),

  reset: row("POST", "/reset", {
    tag: "snapshots",
    summary: "Reset the world to its state at startup, or one company to its state at creation",
    description:
      "A reset of the world keeps snapshots and recorded requests. Returns the time after the reset.",
    success: 200,
    errors: [400, 404, 409],
  }),
  listSnapshots: row("GET", "/snapshots", {
    tag: "snapshots",
    summary: "List snapshots",
    success: 200,
    errors: [],
  }),
  createSnapshot: row("POST", "/snapshots", {
    tag: "snapshots",
    summary: "Save the world as a snapshot",
    description: "Replaces the snapshot that has this name.",
    success: 201,
    errors: [400, 409],
  }),
  restoreSnapshot: row("POST", "/snapshots/:name/restore", {
    tag: "snapshots",
    summary: "Restore the world from a snapshot",
    description: "Returns the time after the restore.",
    success: 200,
    errors: [404],
  }),
  deleteSnapshot: row("DELETE", "/snapshots/:name", {
    tag: "snapshots",
    summary: "Delete a snapshot",
    success: 204,
    errors: [404],
  }),

  listRequests: row("GET", "/requests", {
    tag: "requests",
    summary: "List recorded requests, newest first",
    description: "50 on a page, unless `limit` is given.",
    success: 200,
    errors: [400],
  }),
  clearRequests: row("DELETE", "/requests", {
    tag: "requests",
    summary: "Delete all recorded requests with their coverage and findings",
    success: 204,
    errors: [],
  }),
  streamRequests: row("GET", "/requests/stream", {
    tag: "requests",
    summary: "Follow the recorded requests as server-sent events",
    description:
      "Events have the type `request`. The event id is the id of the recorded request; the data is the recorded " +
      "request. To resume, send the id of the last event in the header `Last-Event-ID` or in `last_event_id`.",
    success: 200,
    errors: [400],
  }),
  getRequest: row("GET", "/requests/:id", {
    tag: "requests",
    summary: "Get a recorded request",
    success: 200,
    errors: [404],
  }),

  getTape: row("GET", "/tape", {
    tag: "tape",
    summary: "Get the state of the recording",
    success: 200,
    errors: [],
  }),
  beginTape: row("POST", "/tape", {
    tag: "tape",
    summary: "Begin to record a tape in memory",
    description:
      "The tape begins with the world as it is. It cannot begin while a scenario delays or holds a request, or while a " +
      "webhook receiver has not responded.",
    success: 201,
    errors: [409],
  }),
  endTape: row("DELETE", "/tape", {
    tag: "tape",
    summary: "End the recording",
    description: "Deletes a tape in memory: get its file first. The file of `--tape` stays.",
    success: 204,
    errors: [404],
  }),
  getTapeFile: row("GET", "/tape/file", {
    tag: "tape",
    summary: "Get the tape as a file, for `card-sandbox replay`",
    success: 200,
    errors: [400, 404],
  }),

  getCoverage: row("GET", "/coverage", {
    tag: "reports",
    summary: "Report the contract points that requests met",
    success: 200,
    errors: [400],
  }),
  getFindings: row("GET", "/findings", {
    tag: "reports",
    summary: "Report findings (mistakes of the client)",
    success: 200,
    errors: [400],
  }),
  getReport: row("GET", "/report", {
    tag: "reports",
    summary: "Get everything that `card-sandbox report` judges",
    description: "Coverage, findings, unused scenarios and the number of requests, of all companies.",
    success: 200,
    errors: [400],
  }),
  listDeliveries: row("GET", "/webhooks/deliveries", {
    tag: "reports",
    summary: "List the latest webhook deliveries with their attempts, newest first",
    description: "Up to 1,000 deliveries.",
    success: 200,
    errors: [400, 404],
  }),
  listReceived: row("GET", "/receiver", {
    tag: "reports",
    summary: "List the messages that the built-in receiver of webhooks got, newest first",
    description:
      "Up to 200 messages since the start or the last reset. To use the receiver, create a webhook with the URL `http://localhost/_sandbox/receiver/NAME`.",
    success: 200,
    errors: [400],
  }),
} satisfies Record<string, ControlOperation>;

export type ControlOperationId = keyof typeof controlOperations;
export const controlOperationIds = Object.keys(controlOperations) as ControlOperationId[];

/** The path of an operation as OpenAPI writes it, such as `/_sandbox/armed/{id}`. */
export function controlPath(id: ControlOperationId): string {
  const { path } = controlOperations[id];
  return `/_sandbox${path === "/" ? "" : path.replace(/:([a-z]+)(\{[^}]*\})?/g, "{$1}")}`;
}

// biome-ignore lint/suspicious/noExplicitAny: Hono's own default for a context without variables
type Handler<Path extends string> = (c: Context<any, Path>) => Response | Promise<Response>;

/** The handlers of some operations. Together, the parts of the control API have one for each operation. */
export type ControlHandlers<Id extends ControlOperationId> = {
  readonly [Each in Id]: Handler<(typeof controlOperations)[Each]["path"]>;
};
