import type { Authentication, Caller } from "./authentication.ts";
import { addNewest, cardResponse, type Ordered } from "./cards.ts";
import { type Check, judge } from "./checks.ts";
import type { History } from "./history.ts";
import { claimStep, type ScenarioName } from "./scenarios.ts";
import type { Card, Made } from "./world.ts";

/** A request that makes a card, or replays the card of its Idempotency-Key. */
interface Issuing {
  readonly operation: string;
  readonly family: "order" | "cards";
  readonly path: string;
  /** The contract point of success. */
  readonly created: string;
  readonly by: Authentication;
  /** Undefined if none is sent. */
  readonly key: string | undefined;
  readonly body: unknown;
  readonly contentType?: string;
  /** Chosen in the header, which takes precedence over the body. */
  readonly scenario: ScenarioName | undefined;
  readonly scenarioInBody?: ScenarioName | undefined;
  readonly checks: (caller: Caller) => Iterable<Check>;
  readonly ordered: (caller: Caller) => Ordered;
  /** Distinguishes it from other requests with the same key. */
  readonly meaning?: string;
  /** Applies further effects. */
  readonly made?: (card: Card) => void;
}

/** The card that a key made: keys are unique per company, member and operation. */
export function cardOfKey(
  { company, member }: Caller,
  operation: string,
  key: string | undefined,
): Made | undefined {
  const named = key?.toLowerCase();
  return company.made.find(
    (each) => each.operation === operation && each.memberId === member.id && each.key === named,
  );
}

/** Sends the request and expects a refusal, the original card, or a new card, whose response may be lost. */
export async function issue(history: History, issuing: Issuing): Promise<void> {
  const { operation, family, path, by, key, body, scenario } = issuing;
  const headers = {
    ...by.headers,
    "Content-Type": issuing.contentType ?? "application/json",
    ...(key !== undefined && { "Idempotency-Key": key }),
    ...(scenario && { "Sandbox-Scenario": scenario }),
  };
  const { caller } = by;
  if (!caller) return history.expectRefusal({ point: by.refused ?? "" }, "POST", path, { headers, body });

  const choice = { scenario: scenario ?? issuing.scenarioInBody, key: key?.toLowerCase() ?? "" };
  const claim = claimStep(history.world, caller.company, operation, choice);
  const { point, isForced } = judge(issuing.checks(caller), claim, family);
  const forced = isForced ? claim?.name : undefined;
  const original = cardOfKey(caller, operation, key)?.card;
  if (point?.startsWith(`${family}.replayed`) && original) {
    const expected = { status: 201, point, body: cardResponse(history, caller.company, original) };
    await history.expectReply(expected, "POST", path, { headers, body });
    return;
  }
  if (point) return history.expectRefusal({ point, scenario: forced }, "POST", path, { headers, body });
  await make(history, issuing, caller, { headers, loses: claim?.effect.loses, forced });
}

async function make(
  history: History,
  { operation, family, path, created, key = "", body, ordered, meaning, made }: Issuing,
  caller: Caller,
  {
    headers,
    loses,
    forced,
  }: { headers: Record<string, string>; loses: string | undefined; forced: string | undefined },
): Promise<void> {
  const reply = await history.send("POST", path, { headers, body });
  const card = addNewest(history, caller, ordered(caller));
  caller.company.made.push({ operation, memberId: caller.member.id, key: key.toLowerCase(), card, meaning });
  made?.(card);
  if (loses === "response") {
    history.checkEqual("the response", reply?.status, undefined);
  } else if (loses === "card") {
    history.checkReply(reply, { status: 502, point: `${family}.issuer_bad_gateway`, scenario: forced });
  } else {
    history.checkReply(reply, {
      status: 201,
      point: created,
      body: cardResponse(history, caller.company, card),
    });
  }
}
