import type { PlayedRequest, ReplayDifference, ShownResponse } from "../../control/replay.ts";
import type { Page, PageRequest } from "../page.ts";
import { Changes, shortened } from "../parts/changes.tsx";
import { Badge, Facts, Head, Section, Status } from "../parts/elements.tsx";
import { Action } from "../parts/forms.tsx";
import { Message } from "../parts/message.tsx";
import { pathTo } from "../paths.ts";
import { Decision, replayOf } from "./tape.tsx";

/** A request of the tape: its responses, and the rows that it changed. */
export async function tapedRequest({ services }: PageRequest, id: string): Promise<Page> {
  const replay = replayOf(services);
  const played = await replay.inspect(id);
  const { entry, previous, next, events } = played;
  const after = String(entry.position + events);
  const body = (
    <>
      <Head
        title={
          <>
            {id}: <span class="path">{entry.what}</span>
          </>
        }
        trail={["Tape", pathTo("/tape", { from: String(entry.position - (entry.position % 100)) })]}
        badge={<Status of={entry.status} />}
        mono
      >
        <nav class="pages" aria-label="Other requests">
          {previous !== null && (
            <a href={pathTo(`/tape/${previous}`)} data-key="k">
              Previous request
            </a>
          )}
          {next !== null && (
            <a href={pathTo(`/tape/${next}`)} data-key="j">
              Next request
            </a>
          )}
        </nav>
      </Head>
      <div class="actions">
        <Action to={pathTo("/tape/go")} with={{ events: after }} tone="primary">
          Go to this request
        </Action>
        <Action to={pathTo("/tape/go")} with={{ events: String(entry.position) }}>
          Go to the world before it
        </Action>
      </div>
      <p class="remark">
        This replaces the served world. Requests that were sent to it since are lost.
        {replay.position === Number(after) && " The served world is the one after this request."}
      </p>
      {entry.difference && <DifferenceNotice of={entry.difference} />}
      <Section id="changes" title="State before and after" panel>
        <Changes of={played} />
      </Section>
      <div class="split">
        <Section id="request" title="Request">
          <Message
            of={played}
            label="the body of the request"
            without="The tape does not have the body, because it could not be parsed."
          />
        </Section>
        <Responses of={played} />
      </div>
    </>
  );
  return { title: `Request ${id} of the tape`, body };
}

function DifferenceNotice({ of: { field, tape, now } }: { of: ReplayDifference }) {
  return (
    <section class="notice problem" aria-label="Difference">
      <p>
        <strong>The response differs:</strong> <code>{field}</code>
      </p>
      <Facts
        of={[
          ["On the tape", <code>{shortened(JSON.stringify(tape) ?? "nothing")}</code>],
          ["Now", <code>{shortened(JSON.stringify(now) ?? "nothing")}</code>],
        ]}
      />
    </section>
  );
}

function Responses({ of: { entry, tape, now } }: { of: PlayedRequest }) {
  if (!entry.difference && now) return <Answer id="response" title="Response, as on the tape" of={now} />;
  return (
    <div>
      <Answer id="on-tape" title="Response on the tape" of={tape} />
      <Answer id="now" title="Response now" of={now} />
    </div>
  );
}

function Answer({ id, title, of }: { id: string; title: string; of: ShownResponse | null }) {
  return (
    <Section id={id} title={title}>
      {of ? (
        <>
          <Facts
            of={[
              ["Status", <Status of={of.status} />],
              ["Contract point", <Decision of={of.point} />],
              of.scenario !== null && ["Scenario", <Badge>{of.scenario}</Badge>],
              of.fault !== null && ["Fault", <code>{of.fault}</code>],
            ]}
          />
          <Message of={of} label={`the body of the ${title.toLowerCase()}`} without="No body." />
        </>
      ) : (
        <p>None.</p>
      )}
    </Section>
  );
}
