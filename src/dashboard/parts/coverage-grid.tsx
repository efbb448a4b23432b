import type { PointCoverage } from "../../journal/coverage.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { pathTo } from "../paths.ts";

interface GridProps {
  readonly points: readonly PointCoverage[];
  readonly scenarios: readonly Scenario[];
}

/** Every contract point as a tile; one that was not met says which scenario leads there. */
export function CoverageGrid({ points, scenarios }: GridProps) {
  const areas = [...new Set(points.map(({ id }) => areaOf(id)))];
  return (
    <div class="coverage">
      {areas.map((area) => {
        const own = points.filter(({ id }) => areaOf(id) === area);
        return (
          <section aria-labelledby={`area-${area}`}>
            <h3 id={`area-${area}`}>
              {area.replaceAll("_", " ")}{" "}
              <small>
                {own.filter(({ times }) => times > 0).length} of {own.length}
              </small>
            </h3>
            <ul>
              {own.map((point) => (
                <Tile point={point} scenario={scenarios.find((each) => each.points[0] === point.id)} />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function areaOf(id: string): string {
  return id.slice(0, id.indexOf("."));
}

function Tile({ point, scenario }: { point: PointCoverage; scenario: Scenario | undefined }) {
  const { id, status, provenance, spec, title, times } = point;
  const name = id.slice(id.indexOf(".") + 1).replaceAll("_", " ");
  const isMet = times > 0;
  return (
    <li class={`tile ${isMet ? "met" : "unmet"}`} title={`${title} (${provenance}, ${spec})`}>
      <span class="unseen">{isMet ? "Met:" : "Not met:"}</span>
      <span class="tile-name">{isMet ? <a href={pathTo("/requests", { point: id })}>{name}</a> : name}</span>
      <span class="tile-foot">
        {status} <span class={`provenance ${provenance}`}>{provenance}</span>
        {isMet && <span>{times}×</span>}
        {!isMet && scenario && (
          <a
            href={`${pathTo("/scenarios")}#${scenario.name}`}
            title={`The scenario ${scenario.name} leads there`}
          >
            arm<span class="unseen"> {scenario.name}</span>
          </a>
        )}
      </span>
    </li>
  );
}
