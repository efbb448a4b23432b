import type { Caller, Known } from "./caller.ts";
import { addNewest, type Ordered, shown } from "./cards.ts";
import type { History } from "./history.ts";
import { type ScenarioName, turnAt } from "./scenarios.ts";
import { type Check, judge } from "./verdict.ts";
import type { Card, Made } from "./world.ts";

/** A request that makes a card under a key, or gets the one that the key made. */
interface Issuing {
  readonly operation: string;
  readonly family: "order" | "cards";
  readonly path: string;
  /** The point of its success. */
  readonly created: string;
  readonly by: Known;
  /** Undefined: none is sent. */
  readonly key: string | undefined;
  readonly body: unknown;
  readonly contentType?: string;
  /** What it chooses in its header, and, farther, in its body. */
  readonly scenario: ScenarioName | undefined;
  readonly scenarioInBody?: ScenarioName | undefined;
  readonly checks: (caller: Caller) => Iterable<Check>;
  readonly ordered: (caller: Caller) => Ordered;
  /** Distinguishes it from another with the same key. */
  readonly meaning?: string;
  /** What else comes of it. */
  readonly made?: (card: Card) => void;
}

/** The object that a key created: a key is unique for a company, a member and an operation. */
export function madeBefore(
  { company, member }: Caller,
  operation: string,
  key: string | undefined,
): Made | undefined {
  const named = key?.toLowerCase();
  return company.made.find(
    (each) => each.operation === operation && each.memberId === member.id && each.key === named,
  );
}

/** Sends it, and expects what is judged: a refusal, the original card, or a new one, whose answer may be lost. */
export async function issue(history: History, asked: Issuing): Promise<void> {
  const { operation, family, path, by, key, body, scenario } = asked;
  const headers = {
    ...by.headers,
    "Content-Type": asked.contentType ?? "application/json",
    ...(key !== undefined && { "Idempotency-Key": key }),
    ...(scenario && { "Sandbox-Scenario": scenario }),
  };
  const { caller } = by;
  if (!caller) return history.refuses({ point: by.refused ?? "" }, "POST", path, { headers, body });

  const choice = { scenario: scenario ?? asked.scenarioInBody, key: key?.toLowerCase() ?? "" };
  const turn = turnAt(history.world, caller.company, operation, choice);
  const { point, isForced } = judge(asked.checks(caller), turn, family);
  const forced = isForced ? turn?.name : undefined;
  const original = madeBefore(caller, operation, key)?.card;
  if (point?.startsWith(`${family}.replayed`) && original) {
    const expected = { status: 201, point, body: shown(history, caller.company, original) };
    await history.meet(expected, "POST", path, { headers, body });
    return;
  }
  if (point) return history.refuses({ point, scenario: forced }, "POST", path, { headers, body });
  await make(history, asked, caller, { headers, loses: turn?.effect.loses, forced });
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
  if (loses === "answer") {
    history.same("the answer", reply?.status, undefined);
  } else if (loses === "card") {
    history.meets(reply, { status: 502, point: `${family}.issuer_bad_gateway`, scenario: forced });
  } else {
    history.meets(reply, { status: 201, point: created, body: shown(history, caller.company, card) });
  }
}
