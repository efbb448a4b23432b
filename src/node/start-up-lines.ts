import { escapeControls, shellQuoted } from "../journal/formats/escape.ts";
import type { ApiKeyListing, CompanyListing, MemberListing } from "../store/world-listing.ts";
import { firstOrderer, orderCommand, tokenCommand } from "../world/first-order.ts";
import type { StartedSandbox } from "./start-sandbox.ts";

export interface StartUpOptions {
  readonly version: string;
  /** The file of the certificate; undefined without HTTPS. */
  readonly tlsCert: string | undefined;
  /** Whether the control API and the dashboard are served. */
  readonly control: boolean;
}

const secretsHelp = {
  reproducible:
    "reproducible: anyone who knows the seed can compute the API keys, tokens and webhook secrets",
  private: "private: the API keys, tokens and webhook secrets depend on a random secret in the database",
} as const;

/** The lines that `start` prints: base URLs, API keys, and the commands of a first order. */
export function startUpLines(sandbox: StartedSandbox, options: StartUpOptions): string {
  const { companies } = sandbox.world();
  return [
    `card-sandbox ${options.version}`,
    "",
    `Sandbox base URL  ${sandbox.url}`,
    `Live base URL     ${sandbox.liveUrl}`,
    ...(options.control ? [`Dashboard         ${sandbox.url}/_sandbox/ui`] : []),
    ...(options.tlsCert
      ? []
      : ["Protocol          plain HTTP; the real service requires HTTPS (see --tls-cert and --tls-key)"]),
    ...(sandbox.generatedAdminToken === undefined
      ? []
      : [`Admin token       ${sandbox.generatedAdminToken}`]),
    `Secrets           ${secretsHelp[sandbox.secrets]}`,
    ...(sandbox.tape === undefined ? [] : [`Tape              ${escapeControls(sandbox.tape)}`]),
    ...dialectLines(sandbox),
    ...armedLines(sandbox),
    "",
    "API keys",
    ...keyLines(companies, options),
    "",
    ...orderLines(sandbox, companies, options),
    "Ready.",
    "",
  ].join("\n");
}

/** The behaviors that differ from their default. */
function dialectLines({ control }: StartedSandbox): string[] {
  const changed = control.dialect.list().behaviors.filter((each) => !each.is_default);
  if (changed.length === 0) return [];
  const shown = changed.slice(0, mostBehaviours).map(({ id, use }) => `${id} ${use}`);
  const more = changed.length > shown.length ? `, and ${changed.length - shown.length} more` : "";
  return [`Dialect           ${shown.join(", ")}${more}`];
}

/** The most behaviors in the line of the dialect. */
const mostBehaviours = 5;

/** The armed scenarios, of this start or an earlier one, because the first order may claim a step. */
function armedLines({ control }: StartedSandbox): string[] {
  return control.scenarios
    .armed()
    .armed.filter(({ spent }) => !spent)
    .map(({ name, company, known }) => {
      const scope = company === null ? "all companies" : `the company ${company}`;
      const effect = known ? "" : " (never fires, because no scenario file defines it)";
      return escapeControls(`Armed for ${scope}: ${name}${effect}`);
    });
}

function keyLines(companies: readonly CompanyListing[], { control }: StartUpOptions): string[] {
  const rows = companies.flatMap((company) =>
    company.members.flatMap((member) =>
      member.api_keys.map((key) => ({
        company: company.slug,
        environment: company.environment,
        role: member.role,
        secret: key.secret ?? `${key.prefix}… (shown only when it was created)`,
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

/** Commands that order a card, for the first member who can order one; empty if there is none. */
function orderLines(
  { url, control }: StartedSandbox,
  companies: readonly CompanyListing[],
  { tlsCert }: StartUpOptions,
): string[] {
  const order = firstOrderer(companies, "sandbox");
  if (!order) return [];
  const mode = control.dialect.list().behaviors.find(({ id }) => id === "on_behalf_of.mode")?.use;
  const curl = `curl -s${tlsCert ? ` --cacert ${shellQuoted(tlsCert)}` : ""}`;
  return [
    "Order a card (run these commands twice: the second request returns the same card)",
    "",
    tokenCommand(url, order.secret, curl),
    orderCommand(url, order, { curl, onBehalfOf: mode === "required" }),
    "",
  ];
}
