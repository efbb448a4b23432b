import { entryOf, type RecordedRequest } from "../journal.ts";
import type { JournalEntry } from "../journal-entry.ts";
import { maskPath, maskQuery } from "../masking.ts";
import type { FindingRequest } from "./finding.ts";

/** A request with its headers and bodies. */
export function evidenceOf(recorded: RecordedRequest): FindingRequest {
  return evidenceIn(entryOf(recorded));
}

/** The same of a journal entry. */
export function evidenceIn(entry: JournalEntry): FindingRequest {
  const { id, method, path, query, status, point, time, request, response } = entry;
  return { id, method, path, query, status, point, time, request, response };
}

/** The latest of some requests, at most ten, three to each operation, oldest first. */
export function latestOf<Request>(
  newestFirst: Iterable<Request>,
  operationOf: (request: Request) => string | null | undefined,
): Request[] {
  const found: Request[] = [];
  const counts = new Map<string | null | undefined, number>();
  for (const request of newestFirst) {
    if (found.length === 10) break;
    const operation = operationOf(request);
    const count = counts.get(operation) ?? 0;
    counts.set(operation, count + 1);
    if (count < 3) found.unshift(request);
  }
  return found;
}

/** A request without its headers and bodies. */
export function withoutMessages({ id, exchange }: Pick<RecordedRequest, "id" | "exchange">): FindingRequest {
  const { method, path, query, status, point, atMs } = exchange;
  return {
    id: String(id),
    method,
    path: maskPath(path),
    query: maskQuery(query),
    status: status ?? null,
    point: point ?? null,
    time: new Date(atMs).toISOString(),
  };
}
