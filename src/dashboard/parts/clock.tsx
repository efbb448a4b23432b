import type { TimeListing } from "../../control/clock.ts";
import { endOfDay, londonDate } from "../../rules/uk-calendar.ts";
import { type DashboardServices, usePage, useRefusedInput } from "../page.ts";
import { pathTo } from "../paths.ts";
import type { Fields, FormAction } from "../submit.ts";
import { Badge, Time } from "./elements.tsx";
import { Action, Field, Form } from "./forms.tsx";

const minuteMs = 60_000;
const daySeconds = 86_400;
const units = [
  ["day", daySeconds],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** How far a clock is ahead, in up to two units, from a week on in days: "1 hour 15 minutes ahead", "31 days ahead". */
export function offsetInWords(offsetMs: number): string {
  const seconds = Math.round(offsetMs / 1000);
  // A month that the change to summer time shortens by an hour has 31 days for a reader.
  let left = seconds < 7 * daySeconds ? seconds : Math.round(seconds / daySeconds) * daySeconds;
  const parts: string[] = [];
  for (const [unit, length] of units) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
  }
  return parts.length === 0 ? "less than a second ahead" : `${parts.slice(0, 2).join(" ")} ahead`;
}

/** One minute before the month ends in the UK, when monthly limits reset; within that minute, before the next month ends. */
function endOfMonth({ now }: TimeListing): string {
  const [year = 0, month = 0] = londonDate(Date.parse(now) + minuteMs)
    .split("-")
    .map(Number);
  const lastDay = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return new Date(endOfDay(lastDay) - minuteMs).toISOString();
}

interface ClockProps {
  /** Default: the clock of the sandbox. */
  readonly company?: { readonly id: string; readonly name: string };
  /** Whether the field that sets the clock to a timestamp is left out. */
  readonly isBrief?: boolean;
}

/** A clock: its time, how far it is ahead, and the buttons and fields that move it. */
export function ClockControls({ company, isBrief }: ClockProps) {
  const { time } = usePage().services;
  const read = time.read(company?.id);
  const form = pathTo(company ? `/companies/${company.id}/clock` : "/clock");
  const advance = `${form}/advance`;
  const id = company ? `${company.id}-` : "";
  return (
    <>
      <p class="clock">
        <span data-clock={read.frozen ? "frozen" : "running"}>
          <Time at={read.now} />
        </span>{" "}
        UTC {company ? <OffsetBadge of={company.id} /> : <RunningBadge frozen={read.frozen} />}
      </p>
      <div class="actions">
        {presets.map(([by, name]) => (
          <Action to={advance} with={{ by }} of={company?.name ?? ""}>
            {name}
          </Action>
        ))}
        {!isBrief && (
          <Action to={form} with={{ now: endOfMonth(read) }} of={company?.name ?? ""}>
            To the end of the month
          </Action>
        )}
        {!company && (
          <Action to={form} with={{ frozen: String(!read.frozen) }}>
            {read.frozen ? "Unfreeze clock" : "Freeze clock"}
          </Action>
        )}
      </div>
      <Form to={advance}>
        <Field
          label="Advance by"
          name="by"
          id={`${id}by`}
          value={useRefusedInput(advance).by}
          placeholder="PT2H30M"
          hint="ISO 8601 duration"
          short
        />
        <button type="submit">Advance clock</button>
      </Form>
      {!isBrief && (
        <>
          <Form to={form}>
            <Field
              label="Set to"
              name="now"
              id={`${id}now`}
              value={useRefusedInput(form).now}
              placeholder="2030-01-01T00:00:00Z"
              hint="ISO 8601 timestamp"
            />
            <button type="submit">Set clock</button>
          </Form>
          <p class="remark">
            Clocks move forward only. To turn one back, reset {company ? "the company" : "everything"}.
          </p>
        </>
      )}
    </>
  );
}

const presets = [
  ["PT15M", "+ 15 minutes"],
  ["P1D", "+ 1 day"],
  ["P1M", "+ 1 month"],
] as const;

function RunningBadge({ frozen }: Pick<TimeListing, "frozen">) {
  return <Badge tone={frozen ? "warn" : "good"}>{frozen ? "frozen" : "running"}</Badge>;
}

/** How far the clock of a company is ahead of the sandbox's; nothing if they agree. */
export function OffsetBadge({ of }: { of: string }) {
  const offsetMs = usePage().services.time.offsetOf(of);
  return offsetMs === 0 ? null : <Badge tone="warn">{offsetInWords(offsetMs)}</Badge>;
}

export function clockActions({ time }: DashboardServices): Record<string, FormAction> {
  const advance = async ({ by = "" }: Fields, company?: string) => {
    const { now } = await time.advance({ by, company });
    return { text: `${nameOfClock(company)} is now at ${now}.` };
  };
  return {
    "/clock/advance": (fields) => advance(fields, fields.company),
    "/companies/:id/clock/advance": (fields, param) => advance(fields, param("id")),
    "/clock": ({ frozen, now, company }) => {
      const read = time.change(frozen === undefined ? { now, company } : { frozen: frozen === "true" });
      return {
        text: `The clock ${frozen === undefined ? "is now" : read.frozen ? "is frozen" : "runs again"} at ${read.now}.`,
      };
    },
    "/companies/:id/clock": ({ now }, param) => {
      const company = param("id");
      return { text: `${nameOfClock(company)} is now at ${time.change({ now, company }).now}.` };
    },
  };
}

function nameOfClock(company: string | undefined): string {
  return company === undefined ? "The clock" : "The clock of this company";
}
