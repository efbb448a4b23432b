import * as z from "zod";
import { dialectSchema } from "../../contract/dialect-file.ts";
import { quoted, SetupError } from "../../rules/errors.ts";
import { usualMessage, withPath } from "../../rules/issues.ts";
import { type Scenario, scenarioSchema } from "../../scenarios/scenario.ts";
import { storedRowsProblem } from "../../store/stored-rows.ts";
import type { Tape, TapeEvent, TapeHead } from "../../tape/tape.ts";

const text = z.string();
const count = z.int().min(0);
/** In milliseconds since the epoch, as far as JavaScript counts. */
const instant = z.int().min(0).max(8.64e15);
const headers = z.record(text, text).refine(
  (names) => {
    try {
      new Headers(names);
      return true;
    } catch {
      return false;
    }
  },
  { error: "must be headers of HTTP" },
);
/** As `fetch` has it: `http://HOST/PATH`. */
const url = text.refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), {
  error: "must be a URL",
});

/** The known scenarios by their text: a sweep forces the same few on many requests. */
const known = new Map<string, boolean>();
const mostKnown = 1000;
const scenario = z.custom<Scenario>((value) => {
  const name = JSON.stringify(value);
  const isKnown = known.get(name) ?? scenarioSchema().safeParse(value).success;
  if (known.size === mostKnown) known.clear();
  known.set(name, isKnown);
  return isKnown;
}, "is a scenario that this version does not know");

/** The schema of fixtures is that of a file, whose values the world has in another form. */
const fixtures = z.looseObject({
  world: z.looseObject({
    card_limits: z.record(text, z.number()),
    companies: z.array(
      z.looseObject({
        slug: text,
        environment: z.enum(["sandbox", "live"]),
        accounts: z.array(z.looseObject({ slug: text })),
        members: z.array(z.looseObject({ slug: text, api_keys: z.array(z.looseObject({})) })),
        cards: z.array(z.looseObject({})),
      }),
    ),
  }),
  digest: text,
});

const head = z.looseObject({
  version: text.max(100),
  at: instant,
  seed: count,
  clock: text.nullable(),
  fixtures,
  dialect: z.record(text, z.unknown()),
  scenarios: z.array(z.looseObject({ name: text })),
  options: z.looseObject({
    assumed: z.boolean(),
    sandboxHeaders: z.boolean(),
    fixtureKeys: z.boolean(),
    scenario: text.nullable(),
    allowWebhookHosts: z.array(text),
    waits: z.union([z.object({ atMostMs: count }), z.object({ times: z.number().min(0).max(1) })]).nullable(),
  }),
  rows: z.record(text, z.array(z.array(z.unknown()))).nullable(),
  after: count,
});

const response = z.looseObject({
  id: count,
  company: text.nullable(),
  operation: text.nullable(),
  point: text.nullable(),
  scenario: text.nullable(),
  fault: text.nullable(),
  status: z.int().min(100).max(999).nullable(),
  headers,
  body: text.nullable(),
});

const at = z.int().min(-8.64e15).max(8.64e15);
const event = z.discriminatedUnion("do", [
  z.looseObject({
    do: z.literal("request"),
    at,
    n: count,
    method: text.min(1),
    url,
    headers,
    body: text.optional(),
    unreadable: z.enum(["too large", "not UTF-8", "cut off", "not JSON"]).optional(),
    environment: z.enum(["sandbox", "live"]).optional(),
    known: z.object({ standIn: text, sha256: z.string().regex(/^[0-9a-f]{64}$/) }).optional(),
    forced: scenario.optional(),
    response: response.optional(),
  }),
  z.looseObject({ do: z.literal("response"), at, n: count, forced: scenario.optional(), response }),
  z.looseObject({ do: z.literal("gone"), at, n: count }),
  z.looseObject({ do: z.literal("timer"), at, ms: z.number() }),
  z.looseObject({
    do: z.literal("delivery"),
    at,
    url: text,
    n: count,
    status: z.int().min(200).max(599).nullable(),
    error: text.optional(),
    code: text.optional(),
  }),
  z.looseObject({
    do: z.literal("control"),
    at,
    call: text,
    args: z.array(z.unknown()),
    error: text.optional(),
  }),
  z.looseObject({ do: z.literal("inputs"), at }),
]);

/**
 * Checks a tape that someone else may have made, or another version.
 * @returns the tape, with defaults for what an older version did not know
 * @throws SetupError with one sentence
 */
export function checkTape(path: string, tape: Tape): Tape {
  const { version } = Object(tape.head) as TapeHead;
  const refused = (problem: string) => {
    const from = typeof version === "string" ? ` card-sandbox ${quoted(version)}` : "";
    return new SetupError(
      `tape: ${path} cannot be played by this version: ${problem}. Play it with the version that recorded it${from && `,${from}`}.`,
    );
  };
  const parsed = <Schema extends z.ZodType>(schema: Schema, value: unknown, place: string) => {
    const { success, data, error } = schema.safeParse(value, { error: usualMessage });
    if (success) return data;
    const [issue] = error.issues;
    throw refused(`${place}: ${issue ? withPath(issue) : "is invalid"}`);
  };
  const inputs = <Inputs extends Partial<Pick<TapeHead, "dialect" | "scenarios">>>(
    from: Inputs,
    place: string,
  ): Inputs => ({
    ...from,
    ...(from.dialect && { dialect: parsed(dialectSchema(), from.dialect, `${place}, dialect`) }),
    ...(from.scenarios && {
      scenarios: from.scenarios.map((each) =>
        parsed(scenarioSchema(), each, `${place}, scenario ${quoted(String(each.name))}`),
      ),
    }),
  });
  parsed(head, tape.head, "its first line");
  const checked = inputs(tape.head, "its first line");
  const problem = checked.rows && storedRowsProblem(checked.rows);
  if (problem) throw refused(problem);
  const events = tape.events.map((each, position): TapeEvent => {
    const place = `event ${position + 1}`;
    parsed(event, each, place);
    if (each.do !== "inputs") return each;
    parsed(head.pick({ fixtures: true, scenarios: true, dialect: true }).partial(), each, place);
    return inputs(each, place);
  });
  return { ...tape, head: checked, events };
}
