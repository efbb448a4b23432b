import type { OperationId } from "../operations.ts";
import type { PointId, Provenance } from "../points.ts";

const text = { type: "string" } as const;
const assumed = { "x-provenance": "assumed" as Provenance, "x-spec": "§4" };
/** The sandbox's own, which the service does not send. */
const own = { "x-sandbox": true as const };

/** The headers of answers. */
export const headers = {
  Date: {
    description: "When it was answered, by the clock that the company goes by",
    required: true,
    schema: text,
    ...assumed,
  },
  SandboxContractPoint: {
    description: "The contract point that decided, and its provenance; `--no-sandbox-headers` leaves it out",
    schema: { ...text, pattern: "^[a-z_.]+; provenance=(specified|variant|assumed)$" },
    ...own,
  },
  SandboxScenario: { description: "The scenario that struck", schema: text, ...own },
  IdempotentReplayed: {
    description: "`true` where the key was used before, and the original card came back",
    schema: { ...text, const: "true" },
    ...assumed,
  },
  RetryAfter: {
    description: "In how many seconds to come back",
    required: true,
    schema: { ...text, pattern: "^[0-9]+$" },
    ...assumed,
    "x-spec": "§8",
  },
  Authenticate: {
    description:
      "The scheme and, if an access token was sent, the error; the token endpoint sends only its realm",
    required: true,
    schema: text,
    ...assumed,
    "x-spec": "§7",
  },
  NotKept: {
    description: "A secret is shown once, and kept by nobody on the way",
    required: true,
    schema: { ...text, const: "no-store" },
    ...assumed,
  },
  Allow: {
    description: "What the path serves",
    required: true,
    schema: text,
    ...assumed,
    "x-spec": "§4, §7",
  },
};

const ref = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });
/** What answers with a secret. */
const secret: readonly OperationId[] = [
  "exchangeSandboxKey",
  "exchangeLiveKey",
  "createWebhook",
  "rotateWebhookSecret",
];

/** The headers of the answer with this status, to which these points lead. */
export function headersOf(points: readonly PointId[], status: number, id?: OperationId) {
  const isSuccess = status < 300;
  return {
    Date: ref("Date"),
    ...(points.some((point) => /\.replayed(_|$)/.test(point)) && {
      "Idempotent-Replayed": ref("IdempotentReplayed"),
    }),
    ...(isSuccess && id && secret.includes(id) && { "Cache-Control": ref("NotKept") }),
    ...(status === 401 && { "WWW-Authenticate": ref("Authenticate") }),
    ...(status === 405 && { Allow: ref("Allow") }),
    ...(status === 429 && { "Retry-After": ref("RetryAfter") }),
    "Sandbox-Contract-Point": ref("SandboxContractPoint"),
    "Sandbox-Scenario": ref("SandboxScenario"),
  };
}
