import { raw } from "hono/html";
import { sweepHtml } from "../../journal/formats/sweep-html.ts";
import type { SweepReport } from "../../journal/sweep-report.ts";
import type { Page } from "../page.ts";
import { Empty, Head } from "../parts/elements.tsx";
import { Notice } from "../parts/forms.tsx";
import { pathTo } from "../paths.ts";

/** A form for a report file, and the report that was sent with it, or why it was refused. */
export function sweep({ report, problem }: { report?: SweepReport; problem?: string } = {}): Page {
  const body = (
    <>
      <Head title={`Sweep${report ? `: ${report.client.slice(0, 200)}` : ""}`} />
      {problem !== undefined && <Notice flash={{ kind: "problem", text: problem }} />}
      <form
        method="post"
        action={pathTo("/sweep")}
        enctype="multipart/form-data"
        class="row filter"
        aria-label="Report file"
      >
        <div class="field file">
          <label for="file">Report file (JSON)</label>
          <input id="file" name="file" type="file" accept=".json,application/json" required />
        </div>
        <button type="submit" class={report ? "" : "primary"}>
          Show report
        </button>
      </form>
      {report ? (
        <div class="sweep">{raw(sweepHtml(report))}</div>
      ) : (
        <Empty title="No report is open.">
          <p>
            A sweep breaks each call of your client, one at a time, and shows what the client leaves behind.
            Its report is shown here; the sandbox does not keep it.
          </p>
          <p>
            <code>card-sandbox sweep --report sweep.json -- npm test</code>
          </p>
        </Empty>
      )}
    </>
  );
  return { title: "Sweep", body };
}
