import { replayHeaders } from "../behaviours/orders.ts";
import type { Contract } from "../dialect.ts";
import type { OperationId } from "../operations.ts";
import type { ContractPointId, Provenance } from "../points.ts";

const text = { type: "string" } as const;
const assumed = { "x-provenance": "assumed" as Provenance, "x-spec": "§4" };
/** Marks a header that only the sandbox sends. */
const sandboxOnly = { "x-sandbox": true as const };

/** The headers of responses. */
export const headers = {
  Date: {
    description: "Time of the response, according to the company's clock",
    required: true,
    schema: text,
    ...assumed,
  },
  SandboxContractPoint: {
    description:
      "Contract point of the response, and its provenance. The option `--no-sandbox-headers` omits this header.",
    schema: { ...text, pattern: "^[a-z_.]+; provenance=(specified|variant|assumed|observed)$" },
    ...sandboxOnly,
  },
  SandboxScenario: { description: "Scenario that fired for this request", schema: text, ...sandboxOnly },
  IdempotentReplayed: {
    description: "`true` if the Idempotency-Key was already used and the response is the original card",
    schema: { ...text, const: "true" },
    ...assumed,
  },
  RetryAfter: {
    description: "Number of seconds to wait before a retry",
    required: true,
    schema: { ...text, pattern: "^[0-9]+$" },
    ...assumed,
    "x-spec": "§8",
  },
  Authenticate: {
    description:
      "Authentication scheme and realm. Also contains the error if the request had an access token, except at the token endpoints.",
    required: true,
    schema: text,
    ...assumed,
    "x-spec": "§7",
  },
  CacheControl: {
    description: "Prevents caches from storing the response, because it contains a secret",
    required: true,
    schema: { ...text, const: "no-store" },
    ...assumed,
  },
  Allow: {
    description: "Methods that the path supports",
    required: true,
    schema: text,
    ...assumed,
    "x-spec": "§4, §7",
  },
};

/** The headers of responses under a contract. */
export function headersUnder({ choices }: Contract) {
  const { Authenticate, RetryAfter } = headers;
  return {
    ...headers,
    ...(choices["unauthorized.challenge"] === "realm" && {
      Authenticate: { ...Authenticate, description: "Authentication scheme and realm" },
    }),
    ...(choices["rate_limit.retry_after"] === "http_date" && {
      RetryAfter: {
        ...RetryAfter,
        description: "Time before which a retry is refused, as an HTTP date by the company's clock",
        schema: { ...text, pattern: "^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$" },
      },
    }),
  };
}

const ref = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });
/** The operations whose response shows a secret. */
const showsSecret: readonly OperationId[] = [
  "exchangeSandboxKey",
  "exchangeLiveKey",
  "createWebhook",
  "rotateWebhookSecret",
];

/** The headers of the response with this status code and these points. */
export function headersOf(
  { choices }: Contract,
  points: readonly ContractPointId[],
  status: number,
  id?: OperationId,
) {
  const isSuccess = status < 300;
  const replayed = replayHeaders[choices["replay.header"]];
  return {
    Date: ref("Date"),
    ...(replayed !== undefined &&
      points.some((point) => /\.replayed(_|$)/.test(point)) && { [replayed]: ref("IdempotentReplayed") }),
    ...(isSuccess && id && showsSecret.includes(id) && { "Cache-Control": ref("CacheControl") }),
    ...(status === 401 &&
      choices["unauthorized.challenge"] !== "none" && { "WWW-Authenticate": ref("Authenticate") }),
    ...(status === 405 && { Allow: ref("Allow") }),
    ...(status === 429 &&
      choices["rate_limit.retry_after"] !== "none" && { "Retry-After": ref("RetryAfter") }),
    "Sandbox-Contract-Point": ref("SandboxContractPoint"),
    "Sandbox-Scenario": ref("SandboxScenario"),
  };
}
