import * as z from "zod";
import { operationIds, permissions } from "../contract/operations.ts";
import { contractPoints, type PointId } from "../contract/points.ts";
import { accountStatus, companyStatus } from "../rules/company.ts";
import { leavesOf, neverFiring, pointsOf } from "./step.ts";

const text = () => z.string().trim().min(1);
const yes = () => z.literal(true);
const no = () => z.literal(false);
/** At most ten minutes: a longer wait is a mistake. */
const duration = () => z.int().min(1).max(600_000);
const operation = () => z.enum(operationIds);
const point = () => z.enum(Object.keys(contractPoints) as [PointId, ...PointId[]]);

/** The facts of a request, in place of those of the world. */
const facts = () =>
  z.strictObject({
    token: z.enum(["expired", "refused"]).optional(),
    key_revoked: yes().optional(),
    permissions: z.array(z.enum(permissions)).describe("what the member may do").optional(),
    entitled: no().describe("whether the company is entitled to the operation").optional(),
    request_valid: no().describe("false: refused as invalid, for a reason of the service's own").optional(),
    account: z.enum(["missing", ...accountStatus.exclude(["active"]).options]).optional(),
    change_in_progress: yes().optional(),
    company_status: companyStatus.exclude(["active"]).optional(),
    company_details_complete: no().optional(),
    cardholder_details_complete: no().optional(),
    country_deliverable: no().optional(),
    quota_reached: yes().optional(),
    used_unreadable: yes().describe("what the card has spent cannot be read, and is omitted").optional(),
  });

/** The faults, by the place where they strike. Latencies and holds take real time. */
const faults = () =>
  z.strictObject({
    request: z
      .strictObject({
        latency_ms: duration().optional(),
        dropped: yes().describe("the connection dies before anything happens").optional(),
        rate_limited: z.strictObject({ retry_after_s: z.int().min(0) }).optional(),
      })
      .optional(),
    token: z
      .strictObject({
        unavailable: yes().optional(),
        lifetime_s: z.int().min(1).max(86_400).optional(),
      })
      .optional(),
    issuer: z
      .strictObject({
        latency_ms: duration().optional(),
        hold_ms: duration().describe("until it is released, or so long").optional(),
        rejected: text().describe("the reason").optional(),
        bad_gateway: yes().optional(),
        unavailable: yes().optional(),
      })
      .optional(),
    webhook: z
      .strictObject({
        duplicate: yes().describe("it arrives twice, under the same webhook-id").optional(),
        reorder: yes()
          .describe("it arrives after the webhook's next event, or after five seconds where none comes")
          .optional(),
        stale: yes().describe("its first attempt has a timestamp that is ten minutes old").optional(),
        bad_signature: yes().describe("its first attempt has a signature that fits no secret").optional(),
      })
      .describe("what becomes of the events that the request causes")
      .optional(),
    response: z
      .strictObject({
        latency_ms: duration().optional(),
        truncated: yes().describe("the connection dies amid the body").optional(),
        reset: yes().describe("the connection is reset once the work is done").optional(),
        empty: yes().describe("the connection closes without a byte once the work is done").optional(),
        bad_gateway: yes().describe("502, though the card was made").optional(),
      })
      .optional(),
  });

/** What one request meets. With `pass`, nothing is forced. */
const step = () =>
  z.strictObject({ facts: facts().optional(), faults: faults().optional(), pass: yes().optional() });
export type StepFile = z.output<ReturnType<typeof step>>;

/** One request of a scenario's example, and its expected outcome. */
const exampleRequest = () =>
  z.strictObject({
    operation: operation().describe("default: the first that the scenario is on").optional(),
    key: z.string().describe("which Idempotency-Key: the same name, the same key").default("first"),
    body: z.record(z.string(), z.unknown()).describe("fields that differ from a plain request").optional(),
    /** The next requests are sent while this one waits. At the end, all waiting requests are released. */
    meanwhile: z.boolean().default(false),
    after: z.iso.duration().describe("time that passes before it").optional(),
    expect: z.strictObject({
      connection: z.enum(["answered", "reset", "empty", "truncated"]).default("answered"),
      status: z.int().optional(),
      point: point().optional(),
      body: z
        .record(z.string(), z.unknown())
        .describe("fields of the answer's body, each as a whole")
        .optional(),
      headers: z.record(z.string(), z.string()).optional(),
      /** How many cards the company has that it did not have before the example. */
      cards: z.int().optional(),
      /** The deliveries to a webhook by then, in order. Its receiver responds with 400 to those that it must refuse. */
      deliveries: z
        .array(
          z.strictObject({
            of: z.int().min(1).describe("which of the example's requests caused it, from 1"),
            fails: z.enum(["stale", "signature"]).optional(),
          }),
        )
        .optional(),
    }),
  });
export type ExampleRequest = z.output<ReturnType<typeof exampleRequest>>;

const make = () =>
  z
    .strictObject({
      name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be in kebab-case, and the file's name"),
      title: text(),
      description: text(),
      spec: z.array(z.string().regex(/^§[1-9]/, 'must name a section, such as "§7"')).min(1),
      points: z.array(point()).min(1),
      on: z
        .union([operation(), z.array(operation()).min(1)])
        .default("orderPhysicalCard")
        .transform((on) => (typeof on === "string" ? [on] : on)),
      steps: z.array(step()).min(1),
      then: z.literal("pass").describe("after the last step; absent: it repeats").optional(),
      example: z
        .array(exampleRequest(), { error: "is required: requests, and what becomes of each" })
        .min(1, "must hold a request, and what becomes of it"),
    })
    .superRefine(({ on, points, steps }, context) => {
      const refuse = (path: (string | number)[], message: string) =>
        context.addIssue({ code: "custom", path, message });
      for (const [i, step] of steps.entries()) {
        const says = [...leavesOf(step)].length > 0;
        if (says === (step.pass === true)) refuse(["steps", i], "must hold facts or faults, or pass alone");
        for (const { path, why } of neverFiring(step, on)) refuse(["steps", i, ...path], why);
        for (const point of pointsOf(step, on)) {
          if (!points.includes(point)) refuse(["points"], `must name ${point}, to which step ${i + 1} leads`);
        }
      }
      const leads = steps.flatMap((step) => pointsOf(step, on));
      if (points[0] && leads.length > 0 && !leads.includes(points[0])) {
        refuse(["points", 0], `must be one to which a step leads: ${leads.join(", ")}`);
      }
      if (steps.every(({ pass }) => pass)) refuse(["steps"], "can never fire: it only passes");
    });
export type Scenario = z.output<ReturnType<typeof make>>;

let made: ReturnType<typeof make> | undefined;

/** The schema of a scenario file. It is made on first use, so that a start without scenario files does not wait for it. */
export function scenarioSchema(): ReturnType<typeof make> {
  made ??= make();
  return made;
}
