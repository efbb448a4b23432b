import { raw } from "hono/html";
import type { Finding } from "../../journal/findings/finding.ts";
import { evidenceHtml } from "../../journal/formats/evidence.ts";
import { type ReportFormat, reportFormats } from "../../journal/formats/formatted.ts";
import { leftOutText, Room } from "../../journal/formats/room.ts";
import { type GateResult, suiteReport } from "../../journal/suite.ts";
import { type DashboardServices, type Page, type PageRequest, usePage } from "../page.ts";
import { CompanyFilter } from "../parts/companies.tsx";
import { Badge, Empty, Head, Section, Severity } from "../parts/elements.tsx";
import { Action } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";
import { CoverageTotals } from "./contract.tsx";

/** In bytes: the headers and bodies that the page shows. */
const largestEvidence = 400_000;

/** The verdict about all clients, their findings with evidence, the totals of the coverage, and exports. */
export function report({ services, query: { company } }: PageRequest): Page {
  const { findings } = services.findings.report({ company });
  const room = new Room(0, largestEvidence);
  // Rendered here, so that `room` has counted all of it below.
  const shown = findings.map((finding) => ({
    finding,
    evidence: finding.occurrences.map((each) => evidenceHtml(each, room)),
  }));
  const leftOut = leftOutText(room, ["finding", "findings"]);
  const body = (
    <>
      <Head title="Report" />
      <CompanyFilter />
      {company === undefined && <Verdict gates={gatesOf(services)} />}
      <Section id="findings" title="Findings">
        {shown.length === 0 ? (
          <Empty title="No findings.">
            <p>
              A finding is a client mistake that can cause harm in production, such as a retry with a new{" "}
              <code>Idempotency-Key</code>.
            </p>
          </Empty>
        ) : (
          <ul class="items">
            {shown.map((each) => (
              <FindingItem {...each} />
            ))}
          </ul>
        )}
        {leftOut !== "" && <p class="remark">{leftOut}</p>}
      </Section>
      <Section
        id="coverage"
        title="Coverage"
        aside={<a href={pathTo("/contract", { company })}>All contract points</a>}
      >
        <CoverageTotals coverage={services.coverage.report({ company })} />
      </Section>
      <Exports />
    </>
  );
  return { title: "Report", body };
}

/** The results of the default gates of `card-sandbox report`, and of one about findings. */
function gatesOf({ report }: DashboardServices): readonly GateResult[] {
  const gates = { minCoverage: undefined, require: [], failOn: "warn", baseline: undefined } as const;
  const strict = { ...gates, allowUnused: false, allowNoRequests: false };
  return suiteReport(strict, { ...report({ evidence: false }), commands: [], sources: [] }).gates;
}

function Verdict({ gates }: { gates: readonly GateResult[] }) {
  return (
    <Section
      id="gates"
      title="Gates"
      aside={<code>card-sandbox report --fail-on warn {usePage().origin}</code>}
    >
      <ul class="items">
        {gates.map(({ name, passed, message }) => (
          <li class="gate">
            <Badge tone={passed ? "good" : "bad"}>{passed ? "passed" : "failed"}</Badge>
            <strong>{name}</strong>
            <span class="remark">{message}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface FindingProps {
  readonly finding: Finding;
  /** The masked requests of each occurrence, as HTML. */
  readonly evidence: readonly string[];
}

function FindingItem({ finding, evidence }: FindingProps) {
  const { id, severity, title, why, fix, spec, times, occurrences } = finding;
  return (
    <li id={id} class="finding">
      <div class="head">
        <Severity of={severity} />
        <h3>{title}</h3>
        <code>{id}</code>
        <span class="remark">
          {times} {times === 1 ? "time" : "times"}; specification {spec}
        </span>
      </div>
      <p>{why}</p>
      <p>
        <strong>Fix:</strong> {fix}
      </p>
      <ul class="occurrences">
        {occurrences.map(({ observed, company, requests }, i) => (
          <li>
            <p>
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
            </p>
            {raw(evidence[i] ?? "")}
          </li>
        ))}
      </ul>
      {times > occurrences.length && <p class="remark">and {times - occurrences.length} more</p>}
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
      <p class="actions">
        <span class="export">report</span>
        <a href="/_sandbox/report" download="report.json">
          <span class="unseen">report, </span>json
        </a>
        <span class="remark">
          of all companies; other formats with <code>card-sandbox report --report report.html</code>
        </span>
      </p>
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
