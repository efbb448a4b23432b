import type { CoverageTotal, PointCoverage } from "../../journal/coverage.ts";
import type { Finding } from "../../journal/findings/finding.ts";
import { type ReportFormat, reportFormats } from "../../journal/formats/formatted.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { type Page, type PageRequest, usePage } from "../page.ts";
import { CompanyFilter } from "../parts/companies.tsx";
import { Badge, Bar, Empty, Facts, Section, type Tone } from "../parts/elements.tsx";
import { Action } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

/** Findings and contract coverage. */
export function report({ services, query }: PageRequest): Page {
  const coverage = services.coverage.report({ company: query.company });
  const { findings } = services.findings.report({ company: query.company, evidence: false });
  const body = (
    <>
      <h1>Report</h1>
      <CompanyFilter />
      <Section id="findings" title="Findings">
        {findings.length === 0 ? (
          <Empty title="No findings.">
            <p>
              A finding is a client mistake that can cause harm in production, such as a retry with a new{" "}
              <code>Idempotency-Key</code>.
            </p>
          </Empty>
        ) : (
          <ul class="findings">
            {findings.map((finding) => (
              <FindingItem finding={finding} />
            ))}
          </ul>
        )}
      </Section>
      <Section id="coverage" title="Coverage">
        <Facts
          class="totals"
          of={[
            ["Contract points met", <Total of={coverage.total} label="All" />],
            ["Specified", <Total of={coverage.by_provenance.specified} label="Specified" />],
            ["Variant", <Total of={coverage.by_provenance.variant} label="Variant" />],
            ["Assumed", <Total of={coverage.by_provenance.assumed} label="Assumed" />],
          ]}
        />
        <CoverageGrid points={coverage.points} scenarios={services.scenarios.all()} />
      </Section>
      <Exports />
    </>
  );
  return { title: "Report", body };
}

function Total({ of: { met, points }, label }: { of: CoverageTotal; label: string }) {
  return (
    <Bar label={`${label}: contract points met`} used={met} of={points}>
      {met} of {points}
    </Bar>
  );
}

const toneOf: Readonly<Record<Finding["severity"], Tone>> = {
  critical: "bad",
  high: "bad",
  warn: "warn",
  info: "plain",
};

function FindingItem({ finding }: { finding: Finding }) {
  const { id, severity, title, why, fix, spec, times, occurrences } = finding;
  return (
    <li>
      <div class="head">
        <Badge tone={toneOf[severity]}>{severity}</Badge>
        <h3>{title}</h3>
        <code>{id}</code>
      </div>
      <p>{why}</p>
      <p>
        <strong>Fix:</strong> {fix}
      </p>
      <p class="remark">
        Specification {spec}; observed {times} {times === 1 ? "time" : "times"}
      </p>
      <ul>
        {occurrences.map(({ observed, company, requests }) => (
          <li>
            {observed}
            {company && ` (${company})`}
            {requests.map(({ id, method, path }) => (
              <>
                {", "}
                <a href={pathTo(`/requests/${id}`)} title={`${method} ${path}`}>
                  request {id}
                </a>
              </>
            ))}
          </li>
        ))}
      </ul>
    </li>
  );
}

interface GridProps {
  readonly points: readonly PointCoverage[];
  readonly scenarios: readonly Scenario[];
}

/** Every contract point as a tile. A point that was not met links to the scenario that leads to it. */
function CoverageGrid({ points, scenarios }: GridProps) {
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
            title={`Scenario ${scenario.name} leads to this contract point`}
          >
            arm<span class="unseen"> {scenario.name}</span>
          </a>
        )}
      </span>
    </li>
  );
}

const endings: Readonly<Record<ReportFormat, string>> = {
  json: "json",
  markdown: "md",
  junit: "xml",
  html: "html",
};

function Exports() {
  const { company } = usePage().query;
  const ofCompany = company ? `&${new URLSearchParams({ company })}` : "";
  return (
    <Section id="export" title="Export">
      {(["coverage", "findings"] as const).map((report) => (
        <p class="actions">
          <span class="export">{report}</span>
          {reportFormats.map((format) => (
            <a
              href={`/_sandbox/${report}?format=${format}${ofCompany}`}
              download={`${report}.${endings[format]}`}
            >
              <span class="unseen">{report}, </span>
              {format}
            </a>
          ))}
        </p>
      ))}
      <details>
        <summary>Delete recorded requests</summary>
        <p>
          Deletes all recorded requests with their coverage and findings, for all companies. The world does
          not change.
        </p>
        <Action to={pathTo("/requests/delete")} tone="danger">
          Delete requests
        </Action>
      </details>
    </Section>
  );
}
