import type { Behaviour } from "./behaviours/behaviour.ts";
import { cardBehaviours } from "./behaviours/cards.ts";
import { checkOrderBehaviours } from "./behaviours/check-order.ts";
import { credentialBehaviours } from "./behaviours/credentials.ts";
import { gatewayBehaviours } from "./behaviours/gateway.ts";
import { listBehaviours } from "./behaviours/lists.ts";
import { orderBehaviours } from "./behaviours/orders.ts";
import { replacementBehaviours } from "./behaviours/replacements.ts";
import { responseBehaviours } from "./behaviours/responses.ts";
import { validationBehaviours } from "./behaviours/validation.ts";
import { webhookBehaviours } from "./behaviours/webhooks.ts";

export type { Alternative, Behaviour } from "./behaviours/behaviour.ts";

/** By subject. Moves of later groups apply to rows that earlier ones have moved. */
const groups = {
  Credentials: credentialBehaviours,
  Gateway: gatewayBehaviours,
  "Orders and keys": orderBehaviours,
  Lists: listBehaviours,
  Responses: responseBehaviours,
  Cards: cardBehaviours,
  Replacements: replacementBehaviours,
  Webhooks: webhookBehaviours,
  Validation: validationBehaviours,
  "Order of checks": checkOrderBehaviours,
};

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
type Catalogue = Intersection<(typeof groups)[keyof typeof groups]>;

export type BehaviourId = keyof Catalogue;

/** The ids of the alternatives of a behavior. */
export type AlternativeId<Id extends BehaviourId> = Catalogue[Id]["alternatives"][number]["id"];

/** The alternative that is in effect for each behavior. */
export type Choices = { readonly [Id in BehaviourId]: AlternativeId<Id> };

/** All behaviors that the specification leaves open, by id. */
export const behaviours: Readonly<Record<BehaviourId, Behaviour>> = Object.assign(
  {},
  ...Object.values(groups),
);

export const behaviourIds = Object.keys(behaviours) as BehaviourId[];

/** The behaviors by subject. */
export const behaviourGroups: readonly { readonly title: string; readonly ids: readonly BehaviourId[] }[] =
  Object.entries(groups).map(([title, own]) => ({ title, ids: Object.keys(own) as BehaviourId[] }));
