import type { Child } from "hono/jsx";
import { contractPoints, type PointId } from "../../contract/points.ts";

/** What a colour says; the word beside it says the same. */
export type Tone = "good" | "warn" | "bad" | "plain";

/** A state in a word. */
export function Badge({ tone = "plain", children }: { tone?: Tone; children?: Child }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const toneOfState: Readonly<Record<string, Tone>> = {
  active: "good",
  open: "good",
  completed: "good",
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

/** The tone of an HTTP status; of none, where the connection was lost. */
function toneOfStatus(status: number | null): Tone {
  if (status === null || status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

/** What was answered. */
export function Status({ of }: { of: number | null }) {
  return <Badge tone={toneOfStatus(of)}>{of ?? "lost"}</Badge>;
}

/** Whether the specification says so. */
export function ProvenanceMark({ of }: { of: string }) {
  return <span class={`provenance ${of}`}>{of}</span>;
}

/** A contract point by its id, with what it says. */
export function Point({ id }: { id: PointId }) {
  return (
    <code class="point" title={`${contractPoints[id].title} (${contractPoints[id].spec})`}>
      {id}
    </code>
  );
}
