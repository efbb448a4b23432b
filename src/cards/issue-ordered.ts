import type { CardType } from "../contract/card.ts";
import type { OperationId } from "../contract/operations.ts";
import type { SpendingLimit } from "../rules/spending-limit.ts";
import type { Services } from "../runtime/services.ts";
import { type CardRecord, insertCard } from "../store/cards.ts";
import { emit } from "../webhooks/events.ts";
import { cardOf, makeCard } from "./card.ts";
import type { JudgedFacts } from "./checks.ts";
import { type IssuingRequest, scopeOf } from "./issue-once.ts";

/** What an order says of the card itself. */
export interface OrderedCard {
  readonly name: string | undefined;
  readonly autoConvert: boolean;
  readonly spendingLimit: SpendingLimit | null;
}

/** Makes the caller's card, `active` at once (spec §3), with its idempotency record in the same row. */
export function issueOrdered(
  services: Services,
  request: IssuingRequest,
  operation: OperationId,
  type: CardType,
  { name, autoConvert, spendingLimit }: OrderedCard,
  facts: JudgedFacts,
  orderDigest?: string,
): CardRecord {
  const { database, random } = services;
  const { companyId, companyPk, memberId, memberPk } = request.caller;
  const number = facts.cardsMade + 1;
  const card = makeCard(random, {
    companyId,
    number,
    accountId: facts.account.id,
    memberId,
    type,
    designId: facts.designId,
    status: "active",
    name,
    autoConvert,
    spendingLimit,
    currency: facts.account.currency,
    limits: facts.limits,
    createdAtMs: facts.nowMs,
  });
  insertCard(database, card, {
    companyPk,
    accountPk: facts.account.pk,
    memberPk,
    number,
    idempotency: scopeOf(request, operation),
    orderDigest,
  });
  const faults = request.overlay.webhook;
  emit(services, { companyPk, type: "card.created", data: () => cardOf(card), faults });
  return card;
}
