import type { CoverageTotal } from "../../journal/coverage.ts";
import type { Finding } from "../../journal/findings/finding.ts";
import { type ReportFormat, reportFormats } from "../../journal/formats/formatted.ts";
import { Badge, type Tone } from "../parts/badges.tsx";
import { CompanyFilter } from "../parts/companies.tsx";
import { CoverageGrid } from "../parts/coverage-grid.tsx";
import { Action } from "../parts/fields.tsx";
import { Bar, Empty, Facts } from "../parts/shown.tsx";
import { pathTo } from "../paths.ts";
import type { Page, Visit } from "../visit.ts";

/** Which parts of the contract the client's requests have met, and what it does wrong. */
export function report(visit: Visit): Page {
  const { services, query } = visit;
  const coverage = services.coverage.report({ company: query.company });
  const { findings } = services.findings.report({ company: query.company });
  const body = (
    <>
      <h1>Report</h1>
      <CompanyFilter visit={visit} label="Requests of" />
      <section aria-labelledby="findings">
        <h2 id="findings">Findings</h2>
        {findings.length === 0 ? (
          <Empty title="No mistake of the client was seen.">
            <p>
              The sandbox watches for what the service would punish later, such as a retry under a new{" "}
              <code>Idempotency-Key</code>.
            </p>
          </Empty>
        ) : (
          <ul class="findings">
            {findings.map((finding) => (
              <One finding={finding} />
            ))}
          </ul>
        )}
      </section>
      <section aria-labelledby="coverage">
        <h2 id="coverage">Coverage</h2>
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
      </section>
      <Exports visit={visit} />
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

function One({ finding }: { finding: Finding }) {
  const { id, severity, title, why, mend, spec, times, occurrences } = finding;
  return (
    <li>
      <div class="head">
        <Badge tone={toneOf[severity]}>{severity}</Badge>
        <h3>{title}</h3>
        <code>{id}</code>
      </div>
      <p>{why}</p>
      <p>
        <strong>How to mend it:</strong> {mend}
      </p>
      <p class="remark">
        Specification {spec}; seen {times} {times === 1 ? "time" : "times"}
      </p>
      <ul>
        {occurrences.map(({ seen, company, requests }) => (
          <li>
            {seen}
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

const endings: Readonly<Record<ReportFormat, string>> = {
  json: "json",
  markdown: "md",
  junit: "xml",
  html: "html",
};

function Exports({ visit }: { visit: Visit }) {
  const { company } = visit.query;
  const ofCompany = company ? `&${new URLSearchParams({ company })}` : "";
  return (
    <section aria-labelledby="export">
      <h2 id="export">Export</h2>
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
        <summary>Begin anew</summary>
        <p>
          Forgets every request, what it met and what was found, of all companies. The world stays as it is.
        </p>
        <Action visit={visit} to={pathTo("/requests/forget")} tone="danger">
          Forget them
        </Action>
      </details>
    </section>
  );
}
