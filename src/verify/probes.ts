import type { Probe } from "./probe.ts";
import { cardProbes } from "./probes/cards.ts";
import { credentialProbes } from "./probes/credentials.ts";
import { gatewayProbes } from "./probes/gateway.ts";
import { listProbes } from "./probes/lists.ts";
import { orderProbes } from "./probes/orders.ts";
import { responseProbes } from "./probes/responses.ts";
import { validationProbes } from "./probes/validation.ts";
import { webhookProbes } from "./probes/webhooks.ts";

/** All probes. Each behavior that can be observed from outside has one. */
export const probes: readonly Probe[] = [
  ...credentialProbes,
  ...gatewayProbes,
  ...orderProbes,
  ...listProbes,
  ...responseProbes,
  ...cardProbes,
  ...validationProbes,
  ...webhookProbes,
];
