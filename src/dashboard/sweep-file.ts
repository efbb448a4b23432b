import type { Context } from "hono";
import * as z from "zod";
import type { OperationId } from "../contract/operations.ts";
import type { ContractPointId } from "../contract/points.ts";
import { ControlError } from "../control/errors.ts";
import { type SweepReport, verdicts } from "../journal/sweep-report.ts";
import { quoted } from "../rules/errors.ts";
import { usualMessage, withPath } from "../rules/issues.ts";
import { readBytes } from "../runtime/read-bytes.ts";

/** In bytes. */
const largestFile = 8 * 1024 * 1024;
/** The parts of the form around the file, in bytes. */
const largestFrame = 16 * 1024;
const mostItems = 20_000;

/** A list that stops at the first invalid item: a file can have millions of them. */
function list<Schema extends z.ZodType>(schema: Schema) {
  return z
    .array(z.unknown())
    .max(mostItems)
    .transform((items, context) => {
      const valid: z.output<Schema>[] = [];
      for (const [i, item] of items.entries()) {
        const { success, data, error } = schema.safeParse(item, { error: usualMessage });
        if (!success) {
          const { path = [], message = "is invalid" } = error.issues[0] ?? {};
          context.issues.push({ code: "custom", input: item, path: [i, ...path], message });
          return z.NEVER;
        }
        valid.push(data);
      }
      return valid;
    });
}

const text = z.string();
const count = z.number().min(0);
// A later version can have more of them; the page only shows their names.
const operation = text as unknown as z.ZodType<OperationId>;
const point = text.nullable() as unknown as z.ZodType<ContractPointId | null>;
const card = z.custom<Readonly<Record<string, string>>>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((each) => typeof each === "string"),
  "must be an object of strings",
);

/** The report of a later version may have more keys, which are dropped. */
const sweepReport = z.lazy(() => {
  const call = z.object({
    id: text,
    label: text,
    operation,
    ordinal: count,
    point,
    unstable: text.nullable(),
  });
  const request = z.object({
    request: text,
    label: text,
    operation,
    key: text.nullable(),
    status: count.nullable(),
    point,
    fault: text.nullable(),
    outcome: text,
    note: text.nullable(),
  });
  const message = z.object({ headers: z.record(text, text), body: text.nullable() });
  const evidence = z.object({
    id: text,
    method: text,
    path: text,
    query: text,
    status: count.nullable(),
    point,
    time: text,
    request: message.exactOptional(),
    response: message.nullable().exactOptional(),
  });
  const difference = z.object({ label: text, only: z.enum(["reference", "cell"]), times: count, card });
  const cell = z.object({
    id: text,
    label: text,
    operation,
    call: text,
    fault: text,
    verdict: z.enum(verdicts),
    reason: text,
    repeat: text,
    story: list(request),
    evidence: list(evidence).exactOptional(),
    tape: text.exactOptional(),
    replay: text.exactOptional(),
    differences: list(difference),
    findings: list(text),
    output: text.nullable(),
    duration_ms: count,
  });
  return z.object({
    format: z.literal(1),
    version: text,
    client: text,
    exit_code: count,
    fail_on: z.enum(["damaged", "failed"]),
    problem: text.nullable(),
    output: text.nullable(),
    reference: z.object({ calls: count, operations: count, duration_ms: count }),
    calls: list(call),
    cells: list(cell),
    not_run: list(text),
    not_run_reason: text.nullable(),
    left_out: list(z.object({ label: text, fields: list(text) })),
    shortened: list(text),
    totals: z.record(z.enum(verdicts), count),
    accepted: list(text),
    no_longer: list(text),
    evidence_left_out: count.exactOptional(),
    details_left_out: count.exactOptional(),
  }) satisfies z.ZodType<SweepReport>;
});

const howToMake = "Create one with: card-sandbox sweep --report sweep.json -- COMMAND";

/**
 * Reads the report of a sweep from a file.
 * @throws ControlError 400 if it is something else
 */
function readSweepReport(file: string): SweepReport {
  let json: unknown;
  try {
    json = JSON.parse(file);
  } catch {
    throw new ControlError(400, `file: must be the JSON report of a sweep, but is not JSON. ${howToMake}`);
  }
  const { format } = Object(json) as { readonly format?: unknown };
  if (typeof format === "number" && format !== 1) {
    throw new ControlError(
      400,
      `file: has format ${format}, but this version of card-sandbox reads format 1. Open it with the version that created it.`,
    );
  }
  const { success, data, error } = sweepReport.safeParse(json, { error: usualMessage });
  if (success) return data;
  const [issue] = error.issues;
  const problem = issue ? quoted(withPath(issue)) : "it is invalid";
  throw new ControlError(400, `file: must be the JSON report of a sweep, but ${problem}. ${howToMake}`);
}

/**
 * Reads the report in the field `file` of a form. Nothing is kept.
 * @throws ControlError 400 if there is none, 413 if it is too large
 */
export async function sweepReportIn(c: Context): Promise<SweepReport> {
  const type = c.req.header("Content-Type") ?? "";
  if (!/^multipart\/form-data *;/i.test(type)) {
    throw new ControlError(400, `Content-Type: must be multipart/form-data, but is ${quoted(type)}`);
  }
  const bytes = await readBytes(c.req.raw, largestFile + largestFrame);
  const file = bytes && (await fileIn(new Uint8Array(bytes), type));
  if (!bytes || (file && file.size > largestFile)) {
    throw new ControlError(413, "file: must be at most 8 MiB. Sweep fewer operations with --only.");
  }
  if (!file || file.size === 0)
    throw new ControlError(400, `file: choose the report of a sweep. ${howToMake}`);
  return readSweepReport(await file.text());
}

async function fileIn(body: Uint8Array<ArrayBuffer>, type: string): Promise<File | undefined> {
  try {
    const form = await new Response(body, { headers: { "Content-Type": type } }).formData();
    const field = form.get("file");
    return field instanceof File ? field : undefined;
  } catch {
    throw new ControlError(400, "form: must be valid multipart/form-data");
  }
}
