import type { TapeListing } from "../../control/tape.ts";
import { usePage } from "../page.ts";
import { pathTo } from "../paths.ts";
import { Badge, Copyable, Facts, Section, Time } from "./elements.tsx";
import { Action } from "./forms.tsx";

/** What is recorded, and the buttons that begin and end a recording. */
export function RecordingSection() {
  if (usePage().services.replay) return null;
  const { recording, since, requests, bytes, file, problem } = usePage().services.tape.read();
  return (
    <Section id="recording" title="Recording">
      {since === null ? (
        <>
          <p>
            A tape has everything that enters this sandbox, and every response. With it, a colleague can
            replay a failing request on another machine. Secrets are replaced.
          </p>
          <Begin />
        </>
      ) : (
        <>
          {problem && (
            <p class="notice problem" role="alert">
              <strong>The recording ended.</strong> {problem} The tape up to then can be saved.
            </p>
          )}
          <Facts
            of={[
              ["State", <Badge tone={recording ? "good" : "bad"}>{recording ? "recording" : "ended"}</Badge>],
              ["Since (UTC)", <Time at={since} />],
              ["Requests", requests],
              ["Size", `${(bytes / 1024).toFixed(1)} KiB`],
              ["File", file === null ? "none: the tape is in memory" : <code>{file}</code>],
            ]}
          />
          <div class="actions">
            <Save />
            {problem ? <Begin label="Begin a new recording" /> : <End isInMemory={file === null} />}
          </div>
        </>
      )}
    </Section>
  );
}

/** Whether the tape that is recorded has a request. */
export function isOnTape({ first_request_id: first, last_request_id: last }: TapeListing, id: string) {
  return first !== null && last !== null && Number(id) >= Number(first) && Number(id) <= Number(last);
}

/** Saves a tape that ends with a request, or says how to get one. */
export function BugReport({ id }: { id: string }) {
  if (usePage().services.replay) return null;
  const tape = usePage().services.tape.read();
  const { recording, since } = tape;
  return (
    <Section id="bug-report" title="Bug report" panel>
      {isOnTape(tape, id) ? (
        <>
          <p>
            The tape has everything that entered this sandbox up to this request, with secrets replaced.
            Attach it to a bug report. To look at the request, a colleague runs:
          </p>
          <Copyable
            text={`npx card-sandbox replay card-sandbox-request-${id}.tape --until ${id} --serve`}
            label="the command"
          />
          <Save until={id} />
        </>
      ) : (
        <>
          <p>
            {since === null
              ? "Nothing is recorded, so there is no tape with this request. Begin a recording, then send the request again."
              : recording
                ? "This request is not on the tape: it was sent before the recording began. Send it again."
                : "This request is not on the tape: the recording had ended. Begin a new recording, then send it again."}
          </p>
          <p class="remark">
            While a tape is recorded, this page can also show the state before and after a request.
          </p>
          {!recording && <Begin />}
        </>
      )}
    </Section>
  );
}

function Save({ until }: { until?: string }) {
  return (
    <form method="get" action="/_sandbox/tape/file" class="action">
      {until !== undefined && <input type="hidden" name="until" value={until} />}
      <button type="submit" class="primary">
        Save as tape
      </button>
    </form>
  );
}

function Begin({ label = "Begin recording" }: { label?: string }) {
  return <Action to={pathTo("/recording")}>{label}</Action>;
}

function End({ isInMemory }: { isInMemory: boolean }) {
  return (
    <Action to={pathTo("/recording/end")} tone="danger">
      {isInMemory ? "End recording and delete the tape" : "End recording"}
    </Action>
  );
}
