/** A program that uses the published types, correctly and not. */
export const typed = `
import { type ContractPoint, contractPoints, createSandbox, type Sandbox, startSandbox } from "card-sandbox";
import { type SweepCell, type SweepOptions, type SweepReport, type SweepRun, sweep, type Verdict } from "card-sandbox";

const sandbox: Sandbox = createSandbox({ seed: 7 });
const point: ContractPoint = contractPoints["order.created"];
const status: number = point.status;
const answer: Promise<Response> = sandbox.fetch("http://sandbox/developer/cards");
const url: Promise<string> = startSandbox({ port: 0 }).then((started) => started.url);
// @ts-expect-error a seed is a number
createSandbox({ seed: "7" });
sandbox.isolatedCompany({ card_quota: 2, members: [{ role: "owner" }], accounts: [{ currency: "EUR" }] });
// @ts-expect-error a company has no such field
sandbox.isolatedCompany({ quota: 2 });
const run: SweepRun = async ({ sandbox, company, scenario, clock }) => {
  scenario("rate-limited");
  await clock.advance("PT1S");
  await sandbox.fetch("http://sandbox/developer/cards", { headers: { Authorization: company.apiKey } });
};
const options: SweepOptions = { depth: 2, only: ["orderPhysicalCard"], failOn: "failed", seed: 7 };
const report: Promise<SweepReport> = sweep(run, options);
const verdict: Promise<Verdict | undefined> = report.then(({ cells: [cell] }) => cell?.verdict);
const damaged: Promise<number> = report.then(({ totals }) => totals.damaged);
const story: (cell: SweepCell) => string[] = (cell) => cell.story.map(({ outcome }) => outcome);
// @ts-expect-error a sandbox of a sweep has no database file
sweep(run, { db: "cards.db" });
// @ts-expect-error a depth is 1 or 2
sweep(run, { depth: 3 });
export { answer, damaged, status, story, url, verdict };
`;
