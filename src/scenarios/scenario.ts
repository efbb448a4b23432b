import * as z from "zod";
import { operationIds, permissions } from "../contract/operations.ts";
import { type ContractPointId, contractPoints } from "../contract/points.ts";
import { accountStatus, companyStatus } from "../rules/company.ts";
import { quoted } from "../rules/errors.ts";
import { didYouMean } from "../rules/issues.ts";
import { leavesOf, neverFiring, pointsOf } from "./step.ts";

const text = () => z.string().trim().min(1);
const yes = () => z.literal(true);
const no = () => z.literal(false);
/** In milliseconds. At most ten minutes: a longer wait is a mistake. */
export const duration = () => z.int().min(1).max(600_000);
/** In seconds, as the Retry-After header has it. */
export const retryAfter = () => z.int().min(0);
const operation = () => z.enum(operationIds);
const point = () => z.enum(Object.keys(contractPoints) as [ContractPointId, ...ContractPointId[]]);

/** The message for `on` if it is neither an operation nor a list of operations. */
function wrongOperations(on: unknown): string {
  const unknown = [on].flat().find((each) => !operationIds.some((id) => id === each));
  return typeof unknown === "string"
    ? `unknown operation ${quoted(unknown)}${didYouMean(unknown, operationIds)}`
    : "must be an operation, or a list of at least one operation";
}

/** The facts that replace those of the world for one request. */
const facts = () =>
  z.strictObject({
    token: z
      .enum(["expired", "refused"])
      .describe("the access token is treated as expired (`expired`) or unknown (`refused`)")
      .optional(),
    key_revoked: yes().describe("the API key is treated as revoked, so it cannot be exchanged").optional(),
    permissions: z
      .array(z.enum(permissions))
      .describe("the permissions of the member who owns the API key; []: none")
      .optional(),
    entitled: no().describe("false: the company is not entitled to the operation").optional(),
    request_valid: no().describe("false: the request is refused as invalid, even if it is valid").optional(),
    account: z
      .enum(["missing", ...accountStatus.exclude(["active"]).options])
      .describe("the status of the account; missing: the company has no such account")
      .optional(),
    change_in_progress: yes()
      .describe("another change that conflicts with the request is in progress")
      .optional(),
    company_status: companyStatus.exclude(["active"]).describe("the status of the company").optional(),
    company_details_complete: no().describe("false: the company's details are incomplete").optional(),
    cardholder_details_complete: no().describe("false: the cardholder's details are incomplete").optional(),
    country_deliverable: no().describe("false: cards cannot be delivered to the country").optional(),
    quota_reached: yes().describe("the company has reached its card quota").optional(),
    used_unreadable: yes().describe("the card's spending cannot be read, so `used` is omitted").optional(),
  });

/** The faults, by the place where they occur. Latencies and holds take real time. */
const faults = () =>
  z.strictObject({
    request: z
      .strictObject({
        latency_ms: duration().describe("delay before the request is processed").optional(),
        dropped: yes().describe("the connection is reset before the request is processed").optional(),
        rate_limited: z
          .strictObject({ retry_after_s: retryAfter().describe("the Retry-After header") })
          .describe("429")
          .optional(),
      })
      .describe("faults before the request is processed")
      .optional(),
    token: z
      .strictObject({
        unavailable: yes().describe("503 from the token endpoint").optional(),
        lifetime_s: z.int().min(1).max(86_400).describe("lifetime of the issued access token").optional(),
      })
      .describe("faults of the token endpoint")
      .optional(),
    issuer: z
      .strictObject({
        latency_ms: duration().describe("delay before the card issuer responds").optional(),
        hold_ms: duration().describe("holds the request until it is released, at most this long").optional(),
        disconnect: yes()
          .describe(
            "the connection is reset as soon as the issuer is asked, which goes on working; needs latency_ms or hold_ms",
          )
          .optional(),
        rejected: text().describe("422: the card issuer rejects the request for this reason").optional(),
        bad_gateway: yes().describe("502: the card issuer returns an invalid response").optional(),
        unavailable: yes().describe("503: the card issuer is down").optional(),
      })
      .describe("faults of the card issuer")
      .optional(),
    webhook: z
      .strictObject({
        duplicate: yes().describe("the event is delivered twice, with the same webhook-id").optional(),
        reorder: yes()
          .describe(
            "the event is delivered after the webhook's next event, or after five seconds if there is none",
          )
          .optional(),
        stale: yes().describe("the first delivery has a timestamp that is ten minutes old").optional(),
        bad_signature: yes().describe("the first delivery has a signature that matches no secret").optional(),
      })
      .describe("faults in the delivery of the events that the request causes")
      .optional(),
    response: z
      .strictObject({
        latency_ms: duration().describe("delay before the response is sent").optional(),
        silent_ms: duration()
          .describe(
            "no byte is sent until the client closes the connection, or for this long; then the connection is reset",
          )
          .optional(),
        truncated: yes().describe("the connection ends in the middle of the response body").optional(),
        reset: yes().describe("the connection is reset after the request is processed").optional(),
        empty: yes()
          .describe("the connection closes without a response after the request is processed")
          .optional(),
        bad_gateway: yes().describe("502, although the card is created").optional(),
      })
      .describe("faults after the request is processed; its changes remain")
      .optional(),
  });

/** The facts and faults of one request. With `pass`, nothing is forced. */
const step = () =>
  z.strictObject({
    facts: facts().describe("state to assume for this request instead of the state of the world").optional(),
    faults: faults().describe("faults that affect the request or its response").optional(),
    pass: yes().describe("changes nothing; the request is processed as usual").optional(),
  });
export type StepFile = z.output<ReturnType<typeof step>>;

/** One request of a scenario's example, and its expected outcome. */
const exampleRequest = () =>
  z.strictObject({
    operation: operation().describe("default: the first operation in `on`").optional(),
    key: z
      .string()
      .describe("a name for the Idempotency-Key; requests with the same name use the same key")
      .default("first"),
    body: z.record(z.string(), z.unknown()).describe("fields to change in a valid request").optional(),
    meanwhile: z
      .boolean()
      .describe(
        "sends the next requests while this request is held; releases this request after the last one",
      )
      .default(false),
    after: z.iso.duration().describe("advances the clock before the request, such as PT61S").optional(),
    expect: z.strictObject({
      connection: z
        .enum(["answered", "reset", "empty", "truncated", "silent"])
        .describe("silent: no byte arrives until the client closes the connection")
        .default("answered"),
      status: z.int().optional(),
      point: point().optional(),
      body: z
        .record(z.string(), z.unknown())
        .describe("fields of the response body; other fields are ignored")
        .optional(),
      headers: z.record(z.string(), z.string()).optional(),
      cards: z
        .int()
        .describe(
          "increase in the company's number of cards that are not ended, since the start of the example",
        )
        .optional(),
      // The receiver of the webhook responds with 400 to the deliveries that it must refuse.
      deliveries: z
        .array(
          z.strictObject({
            of: z.int().min(1).describe("number of the request that caused the event, from 1"),
            fails: z
              .enum(["stale", "signature"])
              .describe("reason for which the receiver rejects the delivery")
              .optional(),
          }),
        )
        .describe("all deliveries to a webhook up to this request, in order")
        .optional(),
    }),
  });
export type ExampleRequest = z.output<ReturnType<typeof exampleRequest>>;

const make = () =>
  z
    .strictObject({
      name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be in kebab-case, such as "issuer-slow"'),
      title: text().describe("the response that the scenario forces, in a few words"),
      description: text().describe("the behavior that the client observes, and how the client should react"),
      spec: z
        .array(z.string().regex(/^§[1-9]/, 'must be a section of the specification, such as "§7"'))
        .min(1)
        .describe("sections of the specification"),
      points: z.array(point()).min(1).describe("contract points that the steps lead to, the main one first"),
      on: z
        .union([operation(), z.array(operation()).min(1)], { error: ({ input }) => wrongOperations(input) })
        .describe("the operations on which the scenario fires")
        .default("orderPhysicalCard")
        .transform((on) => (typeof on === "string" ? [on] : on)),
      steps: z
        .array(step())
        .min(1)
        .describe("one step for each request; the last step repeats, except with `then: pass`"),
      then: z
        .literal("pass")
        .describe("after the last step, requests are processed as usual; default: the last step repeats")
        .optional(),
      example: z
        .array(exampleRequest(), { error: "must be a list of requests, each with its expected response" })
        .min(1, "must contain at least one request")
        .describe("requests that show the scenario, each with its expected response"),
    })
    .superRefine(({ on, points, steps }, context) => {
      const refuse = (path: (string | number)[], message: string) =>
        context.addIssue({ code: "custom", path, message });
      for (const [i, step] of steps.entries()) {
        const hasEffects = [...leavesOf(step)].length > 0;
        if (hasEffects === (step.pass === true)) {
          refuse(["steps", i], "must contain facts, faults or both; or only pass: true");
        }
        for (const { path, why } of neverFiring(step, on)) refuse(["steps", i, ...path], why);
        const { disconnect, latency_ms, hold_ms } = step.faults?.issuer ?? {};
        if (disconnect && latency_ms === undefined && hold_ms === undefined) {
          const why =
            "needs latency_ms or hold_ms beside it: the time that the issuer goes on working after the connection is lost";
          refuse(["steps", i, "faults", "issuer", "disconnect"], why);
        }
        for (const point of pointsOf(step, on)) {
          if (!points.includes(point))
            refuse(["points"], `must include ${point}, because step ${i + 1} leads to it`);
        }
      }
      const leads = steps.flatMap((step) => pointsOf(step, on));
      if (points[0] && leads.length > 0 && !leads.includes(points[0])) {
        refuse(
          ["points", 0],
          `must be one of the contract points that the steps lead to: ${leads.join(", ")}`,
        );
      }
      if (steps.every(({ pass }) => pass))
        refuse(["steps"], "can never fire, because every step only passes. Add a step with facts or faults.");
    });
export type Scenario = z.output<ReturnType<typeof make>>;

let made: ReturnType<typeof make> | undefined;

/** The schema of a scenario file. It is made on first use, so that a start without scenario files does not wait for it. */
export function scenarioSchema(): ReturnType<typeof make> {
  made ??= make();
  return made;
}
