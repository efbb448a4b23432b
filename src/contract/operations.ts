/** What a caller needs beyond a valid access token; only `issue_cards` is named by the spec (§4). */
export const permissions = ["issue_cards"] as const;
export type Permission = (typeof permissions)[number];

/** What a company must be entitled to (spec §5.6): the functional areas of spec §1. */
export const areas = ["accounts", "transactions", "cards", "invoices", "webhooks"] as const;
export type Area = (typeof areas)[number];

/** One operation of the service. */
interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly spec: string;
  readonly permission?: Permission;
  readonly area?: Area;
}

/** The operations that the spec specifies (§4), by id. */
export const operations = {
  exchangeSandboxKey: { method: "POST", path: "/auth/v1/sandbox/token", spec: "§4" },
  exchangeLiveKey: { method: "POST", path: "/auth/v1/token", spec: "§4" },
  orderPhysicalCard: {
    method: "POST",
    path: "/developer/cards/physical",
    spec: "§4",
    permission: "issue_cards",
    area: "cards",
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;
export const operationIds = Object.keys(operations) as OperationId[];

const idOfPath = new Map(operationIds.map((id) => [`${operations[id].method} ${operations[id].path}`, id]));

/** The operation that a method and a path name. */
export function operationOf(method: string, path: string): OperationId | undefined {
  return idOfPath.get(`${method} ${path}`);
}
