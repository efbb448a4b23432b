import type { Child } from "hono/jsx";

/** An instant, in UTC. */
export function Time({ at, date = true }: { at: string; date?: boolean }) {
  const [day = "", clock = ""] = at.replace(/Z$/, "").split("T");
  const time = date ? clock.replace(/\.[0-9]+$/, "") : clock;
  return (
    <time datetime={at} title={`${day} ${clock} UTC`}>
      {date ? `${day} ${time}` : time}
    </time>
  );
}

/** Text to paste somewhere; the button is the script's. */
export function Copyable({ text, label }: { text: string; label: string }) {
  return (
    <div class="copyable">
      <pre>
        <code>{text}</code>
      </pre>
      <button type="button" data-copy hidden>
        Copy<span class="unseen"> {label}</span>
      </button>
    </div>
  );
}

/** What stands where there is nothing yet, and the next step. */
export function Empty({ title, children }: { title: string; children?: Child }) {
  return (
    <div class="empty">
      <p class="lead">{title}</p>
      {children}
    </div>
  );
}

interface TableProps {
  readonly caption: string;
  /** Where the heading above says the same. */
  readonly captionUnseen?: boolean;
  /** The columns' headings; those that are `wide` are left out where the screen is narrow. */
  readonly columns: readonly (string | { readonly name: string; readonly class: string })[];
  readonly children?: Child;
  readonly id?: string;
}

/** A table; what it says first in a row names it. */
export function Table({ caption, captionUnseen, columns, children, id }: TableProps) {
  return (
    <div class="table">
      <table>
        <caption class={captionUnseen ? "unseen" : ""}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) =>
              typeof column === "string" ? (
                <th scope="col">{column}</th>
              ) : (
                <th scope="col" class={column.class}>
                  {column.name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody {...(id && { id })}>{children}</tbody>
      </table>
    </div>
  );
}

interface BarProps {
  readonly label: string;
  readonly used: number;
  readonly of: number;
  readonly children?: Child;
}

/** How much of something is used. */
export function Bar({ label, used, of, children }: BarProps) {
  const share = of === 0 ? 1 : used / of;
  const kind = share >= 1 ? "full" : share >= 0.8 ? "nearly" : "";
  return (
    <div class="bar">
      <span>{children ?? `${used} of ${of}`}</span>
      <meter
        aria-label={label}
        class={kind}
        min={0}
        max={of === 0 ? 1 : of}
        value={of === 0 ? 1 : Math.min(used, of)}
      />
    </div>
  );
}

interface FactsProps {
  readonly of: readonly (readonly [string, Child] | false)[];
  readonly class?: string;
}

/** Facts, each with its name. */
export function Facts({ of, class: kind = "" }: FactsProps) {
  return (
    <dl class={kind}>
      {of.map(
        (each) =>
          each && (
            <div>
              <dt>{each[0]}</dt>
              <dd>{each[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
