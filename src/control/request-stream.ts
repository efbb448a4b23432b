import {
  type EntryFilter,
  entryOf,
  entryTest,
  type Journal,
  type RecordedRequest,
} from "../journal/journal.ts";
import type { Clock } from "../rules/clock.ts";

/** Tells whatever stands between that the connection lives. */
const pingMs = 15_000;

/** The most that waits for a slow reader. Beyond it the stream ends, and the reader resumes from the last id it read. */
const waitingAllowed = { entries: 1000, bytes: 16 * 1024 * 1024 };

export interface StreamRequest {
  readonly filter: EntryFilter;
  /** The entry after which to begin; undefined: with what is yet to come. */
  readonly lastId: number | undefined;
  /** Ends the stream, as does whoever cancels it. */
  readonly signal: AbortSignal;
}

/** The journal as server-sent events: what is kept since an entry, then each new one, none twice. */
export function requestStream(
  journal: Journal,
  clock: Clock,
  { filter, lastId, signal }: StreamRequest,
): ReadableStream<Uint8Array> {
  const fits = entryTest(filter);
  const waiting = lastId === undefined ? [] : journal.since(lastId, filter);
  let bytes = bytesOf(waiting);
  const allowed = { entries: waiting.length + waitingAllowed.entries, bytes: bytes + waitingAllowed.bytes };
  const utf8 = new TextEncoder();
  // The first comment lets the headers out, and says that nothing is missed from here on.
  let comment: string | undefined = ": following\n\n";
  let isOver = false;
  let cancelPing = () => {};
  let wake = () => {};

  const stop = () => {
    isOver = true;
    unsubscribe();
    cancelPing();
    signal.removeEventListener("abort", abandon);
    wake();
  };
  const abandon = () => {
    waiting.length = 0;
    stop();
  };
  const ping = () => {
    comment ??= ": ping\n\n";
    cancelPing = clock.after(pingMs, ping);
    wake();
  };
  // Nothing is recorded between here and `since`: no gap, and nothing twice.
  const unsubscribe = journal.subscribe({
    recorded(request) {
      if (!fits(request.exchange)) return;
      waiting.push(request);
      bytes += request.bytes;
      if (waiting.length > allowed.entries || bytes > allowed.bytes) abandon();
      wake();
    },
    ended: stop,
  });
  signal.addEventListener("abort", abandon);
  if (signal.aborted) abandon();
  else cancelPing = clock.after(pingMs, ping);

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (comment === undefined && waiting.length === 0 && !isOver) {
          await new Promise<void>((woken) => {
            wake = woken;
          });
        }
        const next = waiting.splice(0, 100);
        bytes -= bytesOf(next);
        const text = (comment ?? "") + next.map(eventOf).join("");
        comment = undefined;
        if (text !== "") controller.enqueue(utf8.encode(text));
        if (isOver && waiting.length === 0) controller.close();
      },
      cancel: abandon,
    },
    { highWaterMark: 0 },
  );
}

function bytesOf(requests: readonly RecordedRequest[]): number {
  return requests.reduce((sum, { bytes }) => sum + bytes, 0);
}

function eventOf(request: RecordedRequest): string {
  const entry = entryOf(request);
  return `event: request\nid: ${entry.id}\ndata: ${JSON.stringify(entry)}\n\n`;
}
