import type { CoverageTotal, PointCoverage } from "../../journal/coverage.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { type Page, type PageRequest, usePage } from "../page.ts";
import { CompanyFilter } from "../parts/companies.tsx";
import { Bar, Facts, Head, ProvenanceMark, Section, Status, Table, Tabs } from "../parts/elements.tsx";
import { SearchField } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

const filters = [
  { value: "all", label: "All" },
  { value: "met", label: "Met" },
  { value: "unmet", label: "Not met" },
];

/** Lists the contract points by area, and how often requests met each. */
export function contract({ services, query }: PageRequest): Page {
  const { company, show = "all" } = query;
  const coverage = services.coverage.report({ company });
  const points = coverage.points.filter(({ times }) => show !== (times > 0 ? "unmet" : "met"));
  const scenarios = services.scenarios.all();
  const body = (
    <>
      <Head title="Contract" />
      <p>
        A contract point is one behavior of the service that a client can observe. It is met when a request
        gets it.
      </p>
      <CoverageTotals coverage={coverage} />
      <div class="row filter">
        <CompanyFilter button="Show" />
        <SearchField of="#points" placeholder="order, 422, quota" />
      </div>
      <Tabs label="Contract points" name="show" options={filters} current={show} />
      <div class="groups" id="points">
        {[...new Set(points.map(({ id }) => areaOf(id)))].map((area) => (
          <Area name={area} points={points.filter(({ id }) => areaOf(id) === area)} scenarios={scenarios} />
        ))}
        {points.length === 0 && <p>{show === "met" ? "No contract point is met." : "All are met."}</p>}
      </div>
    </>
  );
  return { title: "Contract", body };
}

interface TotalsProps {
  readonly coverage: {
    readonly total: CoverageTotal;
    readonly by_provenance: Readonly<Record<string, CoverageTotal>>;
  };
}

/** Meters of the contract points that were met, in all and by provenance. */
export function CoverageTotals({ coverage: { total, by_provenance } }: TotalsProps) {
  const provenances = Object.entries(by_provenance).filter(([, { points }]) => points > 0);
  return (
    <Facts
      class="totals"
      of={[["All" as string, total] as const, ...provenances].map(([name, { met, points }]) => [
        name,
        <Bar label={`${name}: contract points met`} used={met} of={points}>
          {met} of {points}
        </Bar>,
      ])}
    />
  );
}

function areaOf(id: string): string {
  return id.slice(0, id.indexOf("."));
}

interface AreaProps {
  readonly name: string;
  readonly points: readonly PointCoverage[];
  readonly scenarios: readonly Scenario[];
}

function Area({ name, points, scenarios }: AreaProps) {
  const met = points.filter(({ times }) => times > 0).length;
  const title = name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll("_", " ");
  return (
    <Section id={`area-${name}`} title={title} aside={`${met} of ${points.length} met`}>
      <Table
        caption={`Contract points: ${title}`}
        captionUnseen
        columns={[
          "Status",
          "Contract point",
          "Met",
          { name: "Provenance", class: "wide" },
          { name: "Specification", class: "wide" },
          { name: "Scenario", class: "wide" },
        ]}
      >
        {points.map((point) => (
          <Row
            point={point}
            scenario={
              scenarios.find((each) => each.points[0] === point.id) ??
              scenarios.find((each) => each.points.includes(point.id))
            }
          />
        ))}
      </Table>
    </Section>
  );
}

function Row({ point, scenario }: { point: PointCoverage; scenario: Scenario | undefined }) {
  const { id, status, provenance, spec, title, times } = point;
  const { company } = usePage().query;
  const q = `point:${id}${company ? ` company:${company}` : ""}`;
  return (
    <tr id={id} class={times > 0 ? "item met" : "item"}>
      <td>
        <Status of={status} />
      </td>
      <th scope="row">
        <code class="point">{id}</code>
        <p class="remark">{title}</p>
      </th>
      <td>
        {times > 0 ? (
          <a href={pathTo("/requests", { q })}>
            {times}×<span class="unseen"> {id}</span>
          </a>
        ) : (
          <span class="remark">not met</span>
        )}
      </td>
      <td class="wide">
        <ProvenanceMark of={provenance} />
      </td>
      <td class="wide">{spec}</td>
      <td class="wide">
        {scenario && <a href={pathTo(`/scenarios/${scenario.name}`, { company })}>{scenario.name}</a>}
      </td>
    </tr>
  );
}
