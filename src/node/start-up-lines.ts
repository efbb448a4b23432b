import type { OnBehalfOfMode } from "../contract/operations.ts";
import { escapeControls, shellQuoted } from "../journal/formats/escape.ts";
import type { ApiKeyListing, CompanyListing, MemberListing } from "../store/world-listing.ts";
import { firstOrderer, orderCommand, tokenCommand } from "../world/first-order.ts";
import type { StartedSandbox } from "./start-sandbox.ts";

export interface StartUpOptions {
  readonly version: string;
  /** The certificate's file; undefined without HTTPS. */
  readonly tlsCert: string | undefined;
  readonly onBehalfOf: OnBehalfOfMode | undefined;
  /** Whether the control API and the dashboard are served. */
  readonly control: boolean;
}

const secretsTold = {
  reproducible: "reproducible: anyone who knows the seed can compute API keys, tokens and webhook secrets",
  private: "private: API keys, tokens and webhook secrets depend on a random secret in the database",
} as const;

/** The lines that `start` prints: addresses, API keys, and a first order to paste. */
export function startUpLines(sandbox: StartedSandbox, options: StartUpOptions): string {
  const { companies } = sandbox.world();
  return [
    `card-sandbox ${options.version}`,
    "",
    `Sandbox base address  ${sandbox.url}`,
    `Live base address     ${sandbox.liveUrl}`,
    ...(options.control ? [`Dashboard             ${sandbox.url}/_sandbox/ui`] : []),
    ...(options.tlsCert
      ? []
      : ["Plain HTTP: the service itself is HTTPS only (--tls-cert and --tls-key serve it so)."]),
    ...(sandbox.generatedAdminToken === undefined
      ? []
      : [`Admin token for /_sandbox  ${sandbox.generatedAdminToken}`]),
    `Secrets               ${secretsTold[sandbox.secrets]}`,
    ...armedLines(sandbox),
    "",
    "API keys",
    ...keyLines(companies, options),
    "",
    ...orderLines(sandbox.url, companies, options),
    "Ready.",
    "",
  ].join("\n");
}

/** The armed scenarios, from the start or an earlier run, because the first order may claim one. */
function armedLines({ control }: StartedSandbox): string[] {
  return control.scenarios
    .armed()
    .armed.filter(({ spent }) => !spent)
    .map(({ name, company, known }) => {
      const whom = company === null ? "for all" : `for ${company}`;
      return escapeControls(
        `Armed ${whom}: ${name}${known ? "" : " (no scenario file has it: it forces nothing)"}`,
      );
    });
}

function keyLines(companies: readonly CompanyListing[], { control }: StartUpOptions): string[] {
  const rows = companies.flatMap((company) =>
    company.members.flatMap((member) =>
      member.api_keys.map((key) => ({
        company: company.slug,
        environment: company.environment,
        role: member.role,
        secret: key.secret ?? `${key.prefix}… (shown once, when it was made)`,
        remarks: remarksOn(company, member, key),
      })),
    ),
  );
  if (rows.length === 0) {
    return [control ? "  none; create one: card-sandbox keys create --member MEMBER" : "  none"];
  }
  const columns = ["company", "environment", "role", "secret"] as const;
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => {
    const cells = columns.map((column, c) => row[column].padEnd(widths[c] ?? 0));
    return escapeControls(`  ${cells.join("  ")}  ${row.remarks}`.trimEnd());
  });
}

function remarksOn(company: CompanyListing, member: MemberListing, key: ApiKeyListing): string {
  const remarks = [
    key.status === "active" ? "" : key.status,
    member.status === "active" ? "" : `member ${member.status}`,
    company.status === "active" ? "" : `company ${company.status}`,
    company.details_complete ? "" : "company details missing",
    member.details_complete ? "" : "cardholder details missing",
    company.live_cards >= company.card_quota ? "card quota reached" : "",
  ];
  return remarks.filter((remark) => remark !== "").join(", ");
}

/** Commands that order a card for the first company and member that can; empty if none can. */
function orderLines(
  url: string,
  companies: readonly CompanyListing[],
  { tlsCert, onBehalfOf }: StartUpOptions,
): string[] {
  const order = firstOrderer(companies, "sandbox");
  if (!order) return [];
  const curl = `curl -s${tlsCert ? ` --cacert ${shellQuoted(tlsCert)}` : ""}`;
  return [
    "Order a card (paste it twice: the second time the same card comes back)",
    "",
    tokenCommand(url, order.secret, curl),
    orderCommand(url, order, { curl, onBehalfOf: onBehalfOf === "required" }),
    "",
  ];
}
