import type { Child } from "hono/jsx";
import type { ContractPointId } from "../../contract/points.ts";
import { usePage } from "../page.ts";

interface HeadProps {
  readonly title: Child;
  /** The name and path of the page above. */
  readonly trail?: readonly [string, string];
  readonly badge?: Child;
  /** Whether the title is code. */
  readonly mono?: boolean;
  /** Actions of the whole page. */
  readonly children?: Child;
}

/** The heading of a page. */
export function Head({ title, trail, badge, mono, children }: HeadProps) {
  return (
    <div class="page-head">
      {trail && (
        <p class="trail">
          <a href={trail[1]}>{trail[0]}</a>
        </p>
      )}
      <h1 {...(mono && { class: "mono" })}>
        {title} {badge}
      </h1>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

interface SectionProps {
  readonly id: string;
  readonly title: Child;
  /** Whether it has a surface of its own. */
  readonly panel?: boolean;
  /** At the right of the heading. */
  readonly aside?: Child;
  /** Whether the script replaces the section when its content changed. */
  readonly isLive?: boolean;
  readonly children?: Child;
}

/** A section with its heading, whose id is the given one; that of the section ends in `-section`. */
export function Section({ id, title, panel, aside, isLive, children }: SectionProps) {
  return (
    <section
      aria-labelledby={id}
      {...(panel && { class: "panel" })}
      {...(isLive && { id: `${id}-section`, "data-part": "" })}
    >
      {aside ? (
        <div class="section-head">
          <h2 id={id}>{title}</h2>
          <div class="remark">{aside}</div>
        </div>
      ) : (
        <h2 id={id}>{title}</h2>
      )}
      {children}
    </section>
  );
}

interface TabsProps {
  readonly label: string;
  /** The query parameter that selects a tab. */
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly current: string;
  /** The id of the element to show after a tab is opened. */
  readonly at?: string;
}

/** Links that change one query parameter of the page. */
export function Tabs({ label, name, options, current, at }: TabsProps) {
  const { path } = usePage();
  const link = (value: string) => {
    const url = new URL(path, "http://sandbox");
    url.searchParams.set(name, value);
    return url.pathname + url.search + (at ? `#${at}` : "");
  };
  return (
    <nav class="tabs" aria-label={label}>
      {options.map((each) => (
        <a href={link(each.value)} {...(each.value === current && { "aria-current": "true" })}>
          {each.label}
        </a>
      ))}
    </nav>
  );
}

/** One line of code with a button that copies it, which the script shows. */
export function Secret({ text, label }: { text: string; label: string }) {
  return (
    <span class="copy-line">
      <code>{text}</code>
      <button type="button" class="quiet" data-copy hidden>
        Copy<span class="unseen"> {label}</span>
      </button>
    </span>
  );
}

/** A timestamp in UTC. */
export function Time({ at, date = true }: { at: string; date?: boolean }) {
  const [day = "", clock = ""] = at.replace(/Z$/, "").split("T");
  const time = date ? clock.replace(/\.[0-9]+$/, "") : clock;
  return (
    <time datetime={at} title={`${day} ${clock} UTC`}>
      {date ? `${day} ${time}` : time}
    </time>
  );
}

/** Text with a button that copies it; the script shows the button. */
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

/** Shown instead of an empty list, with the next step. */
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
  /** Whether only screen readers read the caption, because it repeats the heading above. */
  readonly captionUnseen?: boolean;
  /** The column headings; columns of class `wide` are hidden on narrow screens. */
  readonly columns: readonly (string | { readonly name: string; readonly class: string })[];
  readonly children?: Child;
  readonly id?: string;
}

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

/** The used part of a limit. */
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

/** The colour of a badge. It only repeats the text. */
export type Tone = "good" | "warn" | "bad" | "plain";

/** A word with a coloured background. */
export function Badge({ tone = "plain", children }: { tone?: Tone; children?: Child }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const toneOfState: Readonly<Record<string, Tone>> = {
  active: "good",
  open: "good",
  completed: "good",
  delivered: "good",
  failed: "bad",
  pending: "warn",
  frozen: "warn",
  inactive: "warn",
  suspended: "bad",
  locked: "bad",
  blocked: "bad",
  declined: "bad",
};

/** The state of a company, a member, an account, a key, a card or a transaction. */
export function State({ of }: { of: string }) {
  return <Badge tone={toneOfState[of] ?? "plain"}>{of}</Badge>;
}

const toneOfSeverity: Readonly<Record<string, Tone>> = { critical: "bad", high: "bad", warn: "warn" };

/** The severity of a finding. */
export function Severity({ of }: { of: string }) {
  return <Badge tone={toneOfSeverity[of] ?? "plain"}>{of}</Badge>;
}

/** The tone of an HTTP status; null: the connection was lost. */
function toneOfStatus(status: number | null): Tone {
  if (status === null || status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

/** The HTTP status of a response; null: the connection was lost. */
export function Status({ of }: { of: number | null }) {
  return <Badge tone={toneOfStatus(of)}>{of ?? "lost"}</Badge>;
}

/** The provenance of a contract point: specified, variant or assumed. */
export function ProvenanceMark({ of }: { of: string }) {
  return <span class={`provenance ${of}`}>{of}</span>;
}

/** The id of a contract point, with its title in the contract that is in effect. */
export function Point({ id }: { id: ContractPointId }) {
  const { title, spec } = usePage().services.contract().points[id];
  return (
    <code class="point" title={`${title} (${spec})`}>
      {id}
    </code>
  );
}
