import type { Caller } from "./caller.ts";
import { addNewest, type Ordered, shown } from "./cards.ts";
import type { History } from "./history.ts";
import type { Turn } from "./scenarios.ts";
import { statusOf, type Verdict } from "./verdict.ts";
import type { Card } from "./world.ts";

export const idempotencyKeys = [
  "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
  "0d1f7a52-58c3-4f0e-8a6b-2b9e4c7d1a11",
  "5b8e0a52-7d3b-4a46-9f2e-2f6f0f1f7c10",
];

/** A request that makes a card under a key, or gets the one that it made. */
export interface Issuing {
  readonly operation: string;
  readonly family: "order" | "cards";
  readonly path: string;
  readonly created: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
  readonly key: string;
}

interface Judged {
  readonly verdict: Verdict;
  readonly turn: Turn | undefined;
  readonly ordered: Ordered;
  /** What else comes of it. */
  readonly made?: (card: Card) => void;
}

export function madeBefore({ company, member }: Caller, operation: string, key: string): Card | undefined {
  const named = key.toLowerCase();
  return company.made.find(
    (each) => each.operation === operation && each.memberId === member.id && each.key === named,
  )?.card;
}

/** Sends it, and expects what was judged: a refusal, the original card, or a new one, whose answer may be lost. */
export async function issue(
  history: History,
  caller: Caller,
  { operation, family, path, created, headers, body, key }: Issuing,
  { verdict, turn, ordered, made }: Judged,
): Promise<void> {
  const { point, isForced } = verdict;
  const scenario = isForced ? turn?.name : undefined;
  const sent = { headers, body };
  const original = madeBefore(caller, operation, key);
  if (point === `${family}.replayed` && original) {
    const { company } = caller;
    await history.meet({ status: 201, point, body: shown(history, company, original) }, "POST", path, sent);
    return;
  }
  if (point) {
    await history.meet({ status: statusOf(point), point, scenario }, "POST", path, sent);
    return;
  }
  const reply = await history.send("POST", path, sent);
  const card = addNewest(history, caller, ordered);
  caller.company.made.push({ operation, memberId: caller.member.id, key: key.toLowerCase(), card });
  made?.(card);
  const loses = isForced ? turn?.effect.loses : undefined;
  if (loses === "answer") {
    history.same("the connection", reply?.status, undefined);
  } else if (loses === "card") {
    const expected = { status: 502, point: `${family}.issuer_bad_gateway`, scenario };
    history.meets(reply, expected);
  } else {
    history.meets(reply, { status: 201, point: created, body: shown(history, caller.company, card) });
  }
}
