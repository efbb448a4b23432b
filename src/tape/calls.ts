import type { ControlServices } from "../control/services.ts";

type Methods<Service> = {
  [Name in keyof Service]: Service[Name] extends (...args: never[]) => unknown ? Name : never;
}[keyof Service];

/** The operations of the control services that change something. All others only read, and are not recorded. */
const changingCalls = {
  companies: ["create", "change", "delete", "changeAccount", "changeMember"],
  cards: ["operate", "actAsCaller", "expire", "moveDelivery"],
  apiKeys: ["create", "revoke", "issueToken"],
  invoices: ["create", "settle"],
  simulator: ["authorise", "clear", "reverse", "expire", "refund", "topUp", "charge"],
  scenarios: ["arm", "release", "drain", "disarm", "disarmAll"],
  time: ["change", "advance"],
  state: ["reset", "resetCompany", "snapshot", "restore", "deleteSnapshot"],
  dialect: ["replace", "select", "remove"],
  requests: ["clear"],
  webhooks: ["settled", "create", "change", "delete", "test", "resend"],
} as const satisfies {
  readonly [Group in keyof ControlServices]?: readonly Methods<ControlServices[Group]>[];
};

export type Call = (...args: unknown[]) => unknown;

/** Calls `visit` with each operation that changes something, bound to its service, and puts its result in the place of the operation. */
export function replaceCalls(services: ControlServices, visit: (name: string, call: Call) => Call): void {
  for (const [group, names] of Object.entries(changingCalls)) {
    const service = services[group as keyof typeof changingCalls] as unknown as Record<string, Call>;
    for (const name of names)
      service[name] = visit(`${group}.${name}`, (service[name] as Call).bind(service));
  }
}
