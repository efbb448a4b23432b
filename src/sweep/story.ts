import type { StoryRequest } from "../journal/sweep-report.ts";
import type { RecordedCall } from "./recording.ts";

const mostRequests = 20;

const losses: Readonly<Record<string, string>> = {
  "response.reset": "response lost",
  "response.empty": "connection closed without a response",
  "response.truncated": "response truncated",
  "response.silent": "no response sent",
  "request.dropped": "request dropped",
  "issuer.disconnect": "connection lost while the issuer worked",
};

/** The calls of a label from the one with the first fault on, at most 20. */
export function callsOfStory(calls: readonly RecordedCall[], label: string): RecordedCall[] {
  const first = calls.findIndex(({ fault }) => fault !== undefined);
  if (first < 0) return [];
  return calls
    .slice(first)
    .filter((call) => call.label === label)
    .slice(0, mostRequests);
}

export function storyOf(told: readonly RecordedCall[]): StoryRequest[] {
  const keys = new Map<string, string>();
  for (const { key } of told) if (key !== undefined && !keys.has(key)) keys.set(key, nameOfKey(keys.size));
  return told.map((call, i) => ({
    request: `${call.method} ${withoutIds(call.path)}`,
    label: call.label,
    operation: call.operation,
    key: keys.get(call.key ?? "") ?? null,
    status: call.status,
    point: call.point,
    fault: call.fault ?? null,
    outcome: outcomeOf(call),
    note: noteOn(call, told.slice(0, i)),
  }));
}

/** A, B, …, Z, A2, B2, … */
function nameOfKey(n: number): string {
  const letter = String.fromCharCode(65 + (n % 26));
  return n < 26 ? letter : `${letter}${Math.floor(n / 26) + 1}`;
}

/** Ids and keys can differ between runs. */
export function withoutIds(text: string): string {
  return text.replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/gi, "{id}");
}

function outcomeOf({ hasEnded, cardId, loss, status, isAbandoned, point }: RecordedCall): string {
  const created = cardId === undefined ? "" : "card created, ";
  const lost = losses[loss ?? ""] ?? (isAbandoned ? "the client closed the connection" : undefined);
  if (lost) return created + lost;
  if (!hasEnded) return `${created}no response until the end of the run`;
  return loss === "response.bad_gateway" ? `${created}${status} instead` : `${status} ${point ?? ""}`.trim();
}

function noteOn(call: RecordedCall, before: readonly RecordedCall[]): string | null {
  if (call.cardId === undefined || call.key === undefined) return null;
  const isRetry = before.some(
    ({ operation, cardId }) => operation === call.operation && cardId !== undefined,
  );
  if (!isRetry || before.some(({ key }) => key === call.key)) return null;
  return "a new key: if this is a retry, the first card is a duplicate";
}
