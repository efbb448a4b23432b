import type { PlayedRequest } from "../../control/replay.ts";
import { formatMinor } from "../../rules/money.ts";
import { changedColumns, type RowChange } from "../../store/row-changes.ts";
import type { WorldTable } from "../../store/schema.ts";
import { Badge, Table, Time } from "./elements.tsx";

type Row = NonNullable<RowChange["after"]>;

/** The longest value in a cell, in characters. */
const longest = 200;

export function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const words = (value: unknown) => String(value).replaceAll("_", " ");

interface Subject {
  readonly name: (row: Row) => string;
  /** The columns of which the summary shows the difference, with their labels. */
  readonly shows?: Readonly<Record<string, string>>;
}

/** How the summary names the rows of a table, and in which order. Rows of other tables are only in the details. */
const subjects: { readonly [Table in WorldTable]?: Subject } = {
  cards: {
    name: ({ name, last_four }) => `Card ${name} ···· ${last_four}`,
    shows: {
      status: "status",
      name: "name",
      limit_amount_minor: "spending limit",
      limit_period: "period of the limit",
      parcel_status: "delivery",
    },
  },
  accounts: {
    name: ({ currency, slug }) => `Account ${currency} ${slug}`,
    shows: { balance_minor: "balance", held_minor: "held", status: "status" },
  },
  transactions: {
    name: ({ type, amount_minor, merchant }) =>
      `Transaction ${words(type)} of ${money(amount_minor)}${merchant === null ? "" : `, ${merchant}`}`,
    shows: { status: "status" },
  },
  companies: {
    name: ({ name }) => `Company ${name}`,
    shows: { status: "status", card_quota: "card quota" },
  },
  card_counts: {
    name: ({ expires_at_ms }) => `Cards that expire on ${isoOf(Number(expires_at_ms) - 1).slice(0, 10)}`,
    shows: { made: "made", not_ended: "counted by the quota" },
  },
  counters: { name: ({ kind }) => `Counter of ${words(kind)}`, shows: { value: "" } },
  replacements: { name: () => "Replacement of a card" },
  access_tokens: { name: () => "Access token" },
  armed_scenarios: { name: ({ scenario }) => `Armed scenario ${scenario}`, shows: { fired: "fired" } },
  webhooks: { name: ({ url }) => `Webhook ${url}`, shows: { status: "status", url: "URL" } },
  webhook_deliveries: { name: ({ event }) => `Delivery of ${event}`, shows: { status: "status" } },
  webhook_attempts: { name: () => "Attempt of a delivery" },
};

const isoOf = (ms: number) => new Date(ms).toISOString();

function money(minor: unknown): string {
  return formatMinor(Number(minor)).replace(/\B(?=(?:\d{3})+\.)/g, ",");
}

/** Keys of fixtures and hashes of credentials. */
const isSecret = (column: string) => column === "public_secret" || column === "hash";

/** The state before a request, the state after it, and the difference: in words, then row by row. */
export function Changes({ of }: { of: Pick<PlayedRequest, "changes" | "moreChanges" | "events"> }) {
  const { moreChanges, events } = of;
  // When a tape uses a secret for the first time, playing it stores the hash of a replacement: the request did not do that.
  const changes = of.changes.filter((change) => !changedColumns(change).every(isSecret));
  if (changes.length === 0) return <p>None: the state after the request is the state before it.</p>;
  const count = changes.length + moreChanges;
  return (
    <>
      {events > 1 && (
        <p class="remark">
          {events - 1} other {events === 2 ? "event" : "events"} of the tape came before its response, and may
          have changed some of these rows.
        </p>
      )}
      <Summary of={changes} />
      <details>
        <summary>{count === 1 ? "The changed row" : `All ${count} changed rows`}, before and after</summary>
        {changes.map((change) => (
          <Rows of={change} />
        ))}
        {moreChanges > 0 && <p>And {moreChanges} more rows.</p>}
      </details>
    </>
  );
}

function Summary({ of: changes }: { of: readonly RowChange[] }) {
  const lines = Object.entries(subjects).flatMap(([table, subject]) =>
    changes.filter((change) => change.table === table).map((change) => ({ change, subject })),
  );
  if (lines.length === 0) return null;
  return (
    <ul class="plain-list">
      {lines.map(({ change, subject: { name, shows = {} } }) => {
        const differences = Object.entries(shows).flatMap(([column, label]) =>
          differenceOf(change, column, label),
        );
        const row = change.after ?? change.before ?? {};
        if (differences.length === 0 && change.before && change.after) return null;
        return (
          <li>
            <span>
              <strong>{shortened(name(row))}</strong>:{" "}
              {[kindOf(change), ...differences].filter(Boolean).join(", ")}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

const kindOf = ({ before, after }: RowChange) => (before === null ? "new" : after === null ? "deleted" : "");

/** Such as `status active → frozen`; of a new row, such as `status active`. */
function differenceOf({ before, after }: RowChange, column: string, label: string): string[] {
  if (!after || before?.[column] === after[column]) return [];
  const shown = (row: Row) =>
    row[column] === null ? "none" : column.endsWith("_minor") ? money(row[column]) : words(row[column]);
  if (!before && (after[column] === null || column === "name" || column === "url")) return [];
  return [`${label} ${before ? `${shown(before)} → ` : ""}${shown(after)}`.trim()];
}

function Rows({ of: change }: { of: RowChange }) {
  const name = nameOf(change);
  return (
    <>
      <h3>
        {name} <Badge>{kindOf(change) || "changed"}</Badge>
      </h3>
      <Table caption={name} captionUnseen columns={["Column", "Before", "After"]}>
        {changedColumns(change).map((column) => (
          <tr>
            <th scope="row">
              <code>{column}</code>
            </th>
            <td>
              <Value of={change} column={column} side="before" />
            </td>
            <td>
              <Value of={change} column={column} side="after" />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** Such as `cards, pk 7`. */
function nameOf({ table, key }: RowChange): string {
  return [table, ...Object.entries(key).map(([name, value]) => `${name} ${value}`)].join(", ");
}

function Value({ of, column, side }: { of: RowChange; column: string; side: "before" | "after" }) {
  const row = of[side];
  const value = row?.[column];
  if (!row) return <span class="remark">no row</span>;
  if (value === null || value === undefined) return <span class="remark">null</span>;
  if (isSecret(column)) return "…";
  const isTime = column.endsWith("_ms") && typeof value === "number" && value > 1e11 && value < 8.64e15;
  return (
    <>
      <code>{shortened(String(value))}</code>
      {isTime && (
        <>
          {" "}
          <Time at={isoOf(value)} />
        </>
      )}
    </>
  );
}
