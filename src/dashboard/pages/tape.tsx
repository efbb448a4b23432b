import { type ContractPointId, contractPoints } from "../../contract/points.ts";
import { ControlError } from "../../control/errors.ts";
import type { Replay, TapeEntry } from "../../control/replay.ts";
import type { DashboardServices, Page, PageRequest } from "../page.ts";
import { shortened } from "../parts/changes.tsx";
import { Badge, Empty, Facts, Head, Point, Section, Status, Table, Tabs, Time } from "../parts/elements.tsx";
import { Action } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";
import { type FormAction, integer } from "../submit.ts";

/** @throws ControlError 404 if the sandbox plays no tape */
export function replayOf({ replay }: DashboardServices): Replay {
  if (replay) return replay;
  throw new ControlError(404, "this sandbox plays no tape. Play one with: card-sandbox replay FILE --serve");
}

/** The action of the form on the pages of the tape. */
export function tapeActions(services: DashboardServices): Record<string, FormAction> {
  return {
    "/tape/go": async (fields) => {
      await replayOf(services).goTo(integer(fields, "events") ?? 0);
      return { text: "The served world is replaced." };
    },
  };
}

const columns = [
  "Event",
  "Response",
  { name: "Company", class: "widest" },
  "Decision",
  { name: "Time (UTC)", class: "wide" },
  "Difference",
];

/** The events of the tape, in order. */
export function tape({ services, query }: PageRequest): Page {
  const replay = replayOf(services);
  const only = query.only === "different" ? "different" : undefined;
  const from = /^[0-9]{1,9}$/.test(query.from ?? "") ? Number(query.from) : 0;
  const { entries, previous, next } = replay.page(from, only !== undefined);
  const link = (position: number) => pathTo("/tape", { only, from: String(position) });
  const body = (
    <>
      <Head title="Tape" badge={replay.differences > 0 && <Badge tone="bad">differs</Badge>} />
      <Section id="played" title="Replay" panel>
        <Summary of={replay} version={services.version} />
      </Section>
      <Tabs
        label="Events"
        name="only"
        options={[
          { value: "", label: "All events" },
          { value: "different", label: "Differences" },
        ]}
        current={only ?? ""}
      />
      {entries.length === 0 ? (
        <Empty title={only ? "No response differs." : "No more events."} />
      ) : (
        <Table caption="Events, in the order in which they were decided" captionUnseen columns={columns}>
          {entries.map((entry) => (
            <Row entry={entry} />
          ))}
        </Table>
      )}
      <nav class="pages" aria-label="More events">
        {previous !== null && <a href={link(previous)}>Earlier</a>}
        {next !== null && <a href={link(next)}>Later</a>}
      </nav>
    </>
  );
  return { title: "Tape", body };
}

function Summary({ of: replay, version }: { of: Replay; version: string }) {
  const isAtEnd = replay.position >= replay.events;
  return (
    <>
      <Facts
        of={[
          ["File", <code>{replay.file}</code>],
          ["Requests", String(replay.requests)],
          ["Events", String(replay.events)],
          [
            "Differences",
            replay.differences === 0 ? "none so far" : <Badge tone="bad">{replay.differences}</Badge>,
          ],
          replay.version !== version && ["Recorded by", `card-sandbox ${replay.version}`],
          !replay.isComplete && ["Not complete", "The recording was killed. Its last second may be missing."],
          [
            "Served world",
            isAtEnd
              ? "after the last event"
              : `after ${replay.position} events${replay.request === null ? "" : `, request ${replay.request}`}`,
          ],
        ]}
      />
      {!isAtEnd && (
        <Action to={pathTo("/tape/go")} with={{ events: String(replay.events) }} tone="primary">
          Play on to the end
        </Action>
      )}
    </>
  );
}

function Row({ entry }: { entry: TapeEntry }) {
  const { request, kind, what, company, status, decision, time, difference } = entry;
  return (
    <tr>
      <th scope="row">
        {request === null ? (
          <span class="path">{shortened(what)}</span>
        ) : (
          <a href={pathTo(`/tape/${request}`)}>
            <span class="remark">{request}</span> <span class="path">{shortened(what)}</span>
          </a>
        )}
      </th>
      <td>
        {kind !== "request" ? (
          <Badge>{kind}</Badge>
        ) : request === null ? (
          <Badge tone="warn">none</Badge>
        ) : (
          <Status of={status} />
        )}
      </td>
      <td class="widest">{company}</td>
      <td>{kind === "request" ? <Decision of={decision} /> : decision && shortened(decision)}</td>
      <td class="wide">
        <Time at={time} date={false} />
      </td>
      <td>{difference && <Badge tone="bad">{difference.field}</Badge>}</td>
    </tr>
  );
}

/** A contract point, which another version may have named. */
export function Decision({ of }: { of: string | null }) {
  if (of === null) return "none";
  return Object.hasOwn(contractPoints, of) ? <Point id={of as ContractPointId} /> : <code>{of}</code>;
}
