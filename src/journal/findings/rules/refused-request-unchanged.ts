import { cardOrderOf, isKeyed, shortened } from "../card-order.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { instanceOf, programOf } from "../senders.ts";

const statuses: ReadonlySet<number | undefined> = new Set([400, 403, 404, 422]);
/** With the first. */
const tooManyAttempts = 3;
/** Whoever comes back later may know that something was put right. */
const windowMs = 60_000;
const shown = 5;
/** One more than is too many: it is told once. */
const kept = tooManyAttempts + 1;

interface Program {
  refused: number;
  readonly repeated: (readonly Seen[])[];
  repeatedCount: number;
}

/**
 * A request that was refused for what it says is sent again as it is, three times within a minute each. Tests repeat a
 * provoked error too, here and there; a client that retries whatever fails does so with all that it meets. So it is
 * a mistake where a program repeats two requests and more, and at least half of all that were refused. A retry has
 * the same Idempotency-Key, or follows without another request of that client between; and it is refused by the same
 * contract point, with nothing armed or disarmed meanwhile. 409 may pass, and so may a GET that finds nothing yet.
 */
export const retry3: Rule = {
  severity: "warn",
  title: "Refused request retried unchanged",
  why: "400, 403, 404 and 422 stay what they are until something is changed: the retries hide the error, and count as load.",
  mend: "Retry 429, 502, 503, lost connections and 409 alone; report the error of any other status at once.",
  spec: "§4, §7",
  watch() {
    const refused = new Recent<string, readonly Seen[]>(2000);
    const latest = new Recent<string, Seen>(1000);
    const programs = new Recent<string, Program>(1000);
    return {
      see(request) {
        const { method, path, query, operation, caller } = request.exchange;
        if (!caller || operation === "exchangeSandboxKey" || operation === "exchangeLiveKey") return;
        const instance = instanceOf(request);
        const previous = latest.get(instance);
        latest.set(instance, request);
        if (!isToBeLeft(request)) return;
        const order = cardOrderOf(request);
        // An order without a proper key is IDEM-6's.
        if (isKeyed(operation) && !order) return;
        const sender = order ? `${request.scope} ${caller.memberPk} ${order.key}` : instance;
        const name = `${sender} ${method} ${path}${query} ${shortened(request.messages.requestBody ?? "")}`;
        const before = refused.get(name) ?? [];
        const last = before.at(-1);
        const isRepeated = last !== undefined && repeats(last, request);
        const isInARow = order !== undefined || previous === last;
        const attempts = isRepeated && isInARow ? [...before, request].slice(-kept) : [request];
        refused.set(name, attempts);
        const program = programs.get(programOf(request)) ?? { refused: 0, repeated: [], repeatedCount: 0 };
        programs.set(programOf(request), program);
        if (!isRepeated) program.refused++;
        if (attempts.length !== tooManyAttempts) return;
        program.repeatedCount++;
        if (program.repeated.length < shown) program.repeated.push(attempts);
      },
      standing(_moment, found) {
        for (const { refused, repeated, repeatedCount } of programs.values()) {
          const isPolicy = repeatedCount >= 2 && repeatedCount * 2 >= refused;
          for (const requests of repeated) {
            const status = requests[0]?.exchange.status;
            const seen = `A request that met ${status} was sent three times and more, unchanged`;
            found({ seen, requests, severity: isPolicy ? "warn" : "info" });
          }
        }
      },
    };
  },
};

/** Soon after, with nothing else to stop it. */
function repeats(before: Seen, request: Seen): boolean {
  return (
    request.startedMs >= before.endedMs &&
    request.startedMs - before.endedMs <= windowMs &&
    request.exchange.atMs - before.exchange.atMs <= windowMs &&
    request.armings === before.armings &&
    request.exchange.point === before.exchange.point
  );
}

/** The client is to leave it as it is. */
function isToBeLeft({ muted, exchange: { method, status, point } }: Seen): boolean {
  if (muted || !statuses.has(status)) return false;
  return point !== "gateway.scenario_unknown" && !(method === "GET" && status === 404);
}
