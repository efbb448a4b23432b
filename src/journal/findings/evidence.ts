import { entryOf, type RecordedRequest } from "../journal.ts";
import { maskPath, maskQuery } from "../masking.ts";
import type { FindingRequest } from "./finding.ts";

/** A request with its headers and bodies. */
export function evidenceOf(recorded: RecordedRequest): FindingRequest {
  const { id, method, path, query, status, point, time, request, response } = entryOf(recorded);
  return { id, method, path, query, status, point, time, request, response };
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
