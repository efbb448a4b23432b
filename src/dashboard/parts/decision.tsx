import { checksOf } from "../../contract/decisions.ts";
import { contractPoints, type PointId } from "../../contract/points.ts";
import type { JournalEntry } from "../../journal/journal-entry.ts";
import { pathTo } from "../paths.ts";
import { ProvenanceMark } from "./badges.tsx";

/** Which checks a request passed, which one decided, and where the specification says so. */
export function Decision({ entry }: { entry: JournalEntry }) {
  const { point, operation } = entry;
  if (!point) return <p>None: the connection was dropped before anything was decided.</p>;
  const { title, spec } = contractPoints[point];
  return (
    <>
      <p class="verdict">
        <a href={pathTo("/requests", { point })} title="Every request that this point decided">
          <code class="point">{point}</code>
        </a>{" "}
        <ProvenanceMark of={contractPoints[point].provenance} />
      </p>
      <p>
        {title}. <span class="remark">Specification {spec}</span>
      </p>
      {operation && (
        <ol class="checks">
          {stepsOf(checksOf(operation), entry.checks, point).map(({ id, outcome }) => (
            <li class={outcome}>
              <span class="unseen">
                {outcome === "decided"
                  ? "Decided here:"
                  : outcome === "passed"
                    ? "Passed:"
                    : "Not reached:"}{" "}
              </span>
              {id.replaceAll("_", " ")}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

interface Step {
  readonly id: string;
  readonly outcome: "passed" | "decided" | "ahead";
}

/** Each check of the operation in order. A point that is of no check could strike anywhere: then none decided. */
function stepsOf(
  all: readonly { readonly id: string; readonly points: readonly PointId[] }[],
  passed: readonly string[],
  point: PointId,
): Step[] {
  return all.map(({ id, points }, i) => {
    if (i < passed.length) return { id, outcome: "passed" };
    return { id, outcome: points.includes(point) && i === passed.length ? "decided" : "ahead" };
  });
}
