import type { JournalMessage } from "../../journal/journal-entry.ts";
import { Copyable } from "./elements.tsx";

interface MessageProps {
  readonly of: JournalMessage;
  /** Completes the name of the copy button, such as `the body of the response`. */
  readonly label: string;
  /** Shown if the body is null. */
  readonly without?: string;
}

/** The body of a request or a response, with its headers folded away. */
export function Message({ of: { headers, body }, label, without = "No body was read." }: MessageProps) {
  const names = Object.keys(headers);
  return (
    <>
      {body ? (
        <Copyable text={indented(body)} label={label} />
      ) : (
        <p class="remark">{body === null ? without : "No body."}</p>
      )}
      <details>
        <summary>
          {names.length} {names.length === 1 ? "header" : "headers"}
        </summary>
        <dl class="headers">
          {names.map((name) => (
            <div>
              <dt>{name}</dt>
              <dd>{headers[name]}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

/** JSON with indentation; other text unchanged. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
