// Writes the generated parts of the documentation: `npm run docs`. Each stands between two comments,
// <!-- generated: NAME --> and <!-- /generated -->; everything else in a page is written by hand.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command, Option } from "commander";
import { parse } from "yaml";
import { type BehaviourId, behaviourGroups, behaviours } from "../src/contract/behaviours.ts";
import { defaultContract } from "../src/contract/dialect.ts";
import { operationIds, operations } from "../src/contract/operations.ts";
import type { ContractPointId } from "../src/contract/points.ts";
import { byStatus, pointsOf, provenanceOf } from "../src/contract/responses.ts";
import { controlDocument } from "../src/control/openapi/document.ts";
import { ruleIds, rules } from "../src/journal/findings/rules.ts";
import { clientVariables } from "../src/node/client-variables.ts";
import { commands } from "../src/node/commands/commands.ts";
import { readShippedScenarios } from "../src/node/input-files.ts";
import { toolNames, tools } from "../src/node/mcp/tools.ts";

const root = resolve(import.meta.dirname, "..");
const region = /(?<=^<!-- generated: ([a-z-]+) -->\n)[\s\S]*?(?=^<!-- \/generated -->$)/gm;

/** The generated parts of the pages, by name. */
const generators: Readonly<Record<string, () => string | Promise<string>>> = {
  options: async () => optionsTable(await optionsOf("start")),
  "exec-options": async () => optionsTable(await ownOptionsOf("exec")),
  "sweep-options": async () => optionsTable(await ownOptionsOf("sweep")),
  "contrary-options": async () => optionsTable(await ownOptionsOf("contrary")),
  "exec-variables": execVariables,
  commands: commandsTable,
  "command-options": commandOptions,
  "exit-codes": () => table(["Exit code", "Meaning"], exitCodes),
  action: actionTable,
  scenarios: scenariosTable,
  "service-operations": serviceOperations,
  "control-operations": controlOperations,
  "contract-points": contractPointTables,
  behaviors: behaviourSections,
  findings: findingSections,
  "mcp-tools": mcpTools,
};

/** @returns the page with its generated parts made anew */
export async function withGeneratedParts(page: string): Promise<string> {
  const parts = await Promise.all(
    [...page.matchAll(region)].map(async ([, name = ""]) => {
      const generate = generators[name];
      if (!generate)
        throw new Error(`<!-- generated: ${name} -->: no such part; known: ${Object.keys(generators)}`);
      return generate();
    }),
  );
  return page.replace(region, () => parts.shift() ?? "");
}

/** The names of the generated parts in a page. */
export function partsIn(page: string): string[] {
  return [...page.matchAll(region)].map(([, name = ""]) => name);
}

export const partNames = Object.keys(generators);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return line(head) + line(head.map(() => "---")) + rows.map(line).join("");
}

async function commandOf(name: string): Promise<Command> {
  const command = await commands[name]?.load();
  if (!command) throw new Error(`${name}: no such command`);
  return command.define();
}

/** The options of a command, without --help and --version. */
async function optionsOf(name: string): Promise<readonly Option[]> {
  return (await commandOf(name)).options.filter(({ long }) => long !== "--version");
}

/** The options of a command that `start` does not have, or has with another value. */
async function ownOptionsOf(name: string): Promise<readonly Option[]> {
  const ofStart = (await optionsOf("start")).map(({ flags }) => flags);
  return (await optionsOf(name)).filter(({ flags }) => !ofStart.includes(flags));
}

function optionsTable(options: readonly Option[]): string {
  const rows = options.map((option) => [
    `\`${option.flags}\``,
    option.envVar === undefined ? "" : `\`${option.envVar}\``,
    defaultOf(option),
    [sentence(option.description), choicesOf(option)].filter((text) => text !== "").join(" "),
  ]);
  const hasVariable = options.some(({ envVar }) => envVar !== undefined);
  return hasVariable
    ? table(["Option", "Variable", "Default", "Meaning"], rows)
    : table(
        ["Option", "Meaning"],
        rows.map(([flags = "", , value = "", text = ""]) => [
          flags,
          value === "" ? text : `${text} Default: ${value}.`,
        ]),
      );
}

function defaultOf({ defaultValue, defaultValueDescription, negate }: Option): string {
  if (negate) return "";
  return defaultValueDescription ?? (defaultValue === undefined ? "" : `\`${defaultValue}\``);
}

function choicesOf({ argChoices }: Option): string {
  return argChoices ? `One of ${argChoices.map((choice) => `\`${choice}\``).join(", ")}.` : "";
}

function sentence(text: string): string {
  const capital = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

function commandsTable(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [
    `\`card-sandbox ${name}\``,
    sentence(summary),
  ]);
  return table(["Command", "Use"], rows);
}

/** The options of each command that starts no sandbox. */
async function commandOptions(): Promise<string> {
  const names = Object.keys(commands).filter(
    (name) => !["start", "exec", "sweep", "contrary"].includes(name),
  );
  const ofStart = await optionsOf("start");
  const sections = await Promise.all(
    names.map(async (name) => sectionsOf(await commandOf(name), `card-sandbox ${name}`, ofStart)),
  );
  return sections.flat().join("\n");
}

/** The options that `start` has too have their entry there. */
function sectionsOf(command: Command, name: string, ofStart: readonly Option[]): string[] {
  const usage = [
    name,
    ...command.registeredArguments.map((each) => {
      const argument = `${each.name()}${each.variadic ? "…" : ""}`;
      return each.required ? `<${argument}>` : `[${argument}]`;
    }),
  ];
  const isShared = ({ long }: Option) => ofStart.some((each) => each.long === long);
  const own = command.options.filter((option) => !isShared(option));
  const shared = command.options.filter(isShared).map(({ long }) => `\`${long}\``);
  const parts = [
    `### \`${usage.join(" ")}\`\n`,
    `${sentence(command.description())}\n`,
    ...(own.length === 0 ? [] : [optionsTable(own)]),
    ...(shared.length === 0 ? [] : [`It also takes ${shared.join(", ")}, as \`start\` does.\n`]),
  ];
  const inner = command.commands.flatMap((each) => sectionsOf(each, `${name} ${each.name()}`, ofStart));
  return [parts.join("\n"), ...inner];
}

const exitCodes = [
  ["`0`", "Success; `start` was stopped by a signal."],
  [
    "`1`",
    "A check failed: a gate of `exec`, a cell of `sweep` or `contrary`, the sandbox's `health`, a file that `validate` read, a server that differs from the report of `verify --check`.",
  ],
  ["`2`", "Usage error: an unknown option, a bad value, a file that cannot be used."],
  [
    "`3`",
    "It could not run: the port is in use, no sandbox responds, `exec`, `sweep` or `contrary` could not start its command or write a report, the server of `verify` did not respond or did not accept the API key, better-sqlite3 has no binary for this Node.",
  ],
  [
    "other",
    "`exec`: the exit code of the command if it failed; 128 plus the signal's number if a signal ended it. `sweep`, `contrary`, `verify`: 128 plus the number of the signal that interrupted it.",
  ],
] as const;

interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string }>>;
}

function actionTable(): string {
  const { inputs, outputs } = parse(readFileSync(join(root, "action.yml"), "utf8")) as ActionFile;
  return table(
    ["Input or output", "Meaning"],
    [
      ...Object.entries(inputs).map(([name, { description, required }]) => [
        `\`${name}\`${required ? ", required" : ""}`,
        sentence(description),
      ]),
      ...Object.entries(outputs).map(([name, { description }]) => [
        `\`${name}\`, output`,
        sentence(description),
      ]),
    ],
  );
}

const variableTexts: Readonly<Record<string, string>> = {
  URL: "base URL",
  API_KEY: "API key of the first member who can order a card; unset if no member can",
  COMPANY_ID: "the company of that member",
  MEMBER_ID: "that member",
  ACCOUNT_ID: "an account of that company to order from",
  ADMIN_TOKEN: "admin token of the control API; unset if it needs none",
};

function execVariables(): string {
  const addresses = { url: "", liveUrl: "", adminToken: undefined };
  const rows = Object.keys(clientVariables(addresses, [])).map((variable) => {
    const isLive = variable.startsWith("CARD_SANDBOX_LIVE_");
    const text = variableTexts[variable.replace(/^CARD_SANDBOX_(LIVE_)?/, "")];
    if (text === undefined) throw new Error(`${variable}: describe it in build/docs.ts`);
    return [`\`${variable}\``, sentence(isLive ? `live environment: ${text}` : text)];
  });
  return table(["Variable", "Value"], rows);
}

function scenariosTable(): string {
  const rows = readShippedScenarios().map(({ name, title, description }) => [
    `\`${name}\``,
    title,
    description,
  ]);
  return table(["Scenario", "Forces", "Details"], rows);
}

/** An asterisk marks a status that the specification does not show for the operation. */
function serviceOperations(): string {
  const rows = operationIds.map((id) => {
    const { method, path, provenance } = operations[id];
    const statuses = [...byStatus(defaultContract, pointsOf(id))].map(([status, points]) =>
      provenanceOf(defaultContract, points) === "specified" ? `${status}` : `${status}*`,
    );
    return [`\`${method} ${path.replace(/:([a-z]+)/g, "{$1}")}\``, provenance, statuses.join(", ")];
  });
  return table(["Operation", "Provenance", "Statuses"], rows);
}

/** What the tables read of the OpenAPI document of the control API. */
interface ControlPaths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ControlOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, BodySchema>> };
}
interface ControlOperation {
  readonly summary: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: { readonly $ref: string } } };
  };
}
interface BodySchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

function controlOperations(): string {
  const { paths, components } = controlDocument() as unknown as ControlPaths;
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const input = inputOf(operation, components.schemas);
      return [`\`${method.toUpperCase()} ${path}\``, input, sentence(operation.summary)];
    }),
  );
  return table(["Operation", "Input", "Use"], rows);
}

/** The fields of the body, and the query parameters, which are all optional. */
function inputOf(
  { parameters = [], requestBody }: ControlOperation,
  schemas: ControlPaths["components"]["schemas"],
): string {
  const query = parameters.flatMap((each) => (each.in === "query" ? [`\`?${each.name}=\``] : []));
  if (!requestBody) return query.join(" ");
  const name = requestBody.content["application/json"].schema.$ref.replace(/.*\//, "");
  const { properties, required = [] } = schemas[name] ?? { properties: {} };
  const fields = Object.keys(properties).map((field) => (required.includes(field) ? field : `${field}?`));
  return [...query, `\`{${fields.join(", ")}}\``].join(" ");
}

function contractPointTables(): string {
  const { unreachable } = defaultContract;
  const points = Object.entries(defaultContract.points);
  const families = new Set(points.map(([id]) => id.replace(/\..*/, "")));
  return [...families]
    .map((family) => {
      const own = points.filter(([id]) => id.startsWith(`${family}.`));
      const rows = own.map(([id, { status, provenance, spec, title }]) => [
        `\`${id}\``,
        String(status),
        provenance,
        spec,
        unreachable.has(id as ContractPointId) ? `${title} (only under a [dialect](dialects.md))` : title,
      ]);
      return `## ${family}\n\n${table(["Point", "Status", "Provenance", "Spec", "Behavior"], rows)}`;
    })
    .join("\n");
}

function behaviourSections(): string {
  const links = behaviourGroups.map(
    ({ title }) => `[${title}](#${title.toLowerCase().replaceAll(" ", "-")})`,
  );
  const sections = behaviourGroups.map(
    ({ title, ids }) => `### ${title}\n\n${ids.map(behaviourSection).join("\n")}`,
  );
  return [`${links.join(", ")}\n`, ...sections].join("\n");
}

function behaviourSection(id: BehaviourId): string {
  const { title, spec, scope, unobservable, alternatives } = behaviours[id];
  const outside = unobservable === undefined ? "" : ` A client cannot observe it: ${unobservable}.`;
  const rows = alternatives.map((each) => [`\`${each.id}\``, each.title, each.reason]);
  const facts = `${title} (specification ${spec}, scope \`${scope}\`).${outside}`;
  return `#### \`${id}\`\n\n${facts}\n\n${table(["Alternative", "Behavior", "Reason"], rows)}`;
}

function findingSections(): string {
  const sections = ruleIds.map((id) => {
    const { severity, title, why, fix, spec } = rules[id];
    return [
      `<a id="${id.toLowerCase()}"></a>`,
      `### ${id}: ${title}`,
      `\`${severity}\`, specification ${spec}`,
      `**Why it matters:** ${why}`,
      `**How to fix it:** ${fix}\n`,
    ].join("\n\n");
  });
  return sections.join("\n");
}

function mcpTools(): string {
  const rows = toolNames.map((name) => {
    const { description, input } = tools[name];
    const inputs = Object.entries(input.shape).map(([key, schema]) =>
      schema.safeParse(undefined).success ? `${key}?` : key,
    );
    return [`\`${name}\``, `\`{${inputs.join(", ")}}\``, description];
  });
  return table(["Tool", "Input", "Use"], rows);
}

/** The text of llms.txt (https://llmstxt.org): the index of the documentation, and the other files of the package. */
export function llmsText(): string {
  const { name, description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const index = readFileSync(join(root, "docs/README.md"), "utf8");
  const sections = index.slice(index.indexOf("\n## ")).replaceAll("](", "](docs/");
  const intro =
    "Start a sandbox with `npx card-sandbox`, and control it over HTTP under `/_sandbox`, or with the tools of the MCP " +
    "server `npx card-sandbox mcp`. Each response names its contract point, the rule that decided it.";
  const links = Object.entries(otherFiles).map(([path, text]) => `- [${path}](${path}): ${text}`);
  return `# ${name}\n\n> ${description}\n\n${intro}\n${sections}\n## Files\n\n${links.join("\n")}\n`;
}

const otherFiles = {
  "schema/openapi.json": "OpenAPI document of the service.",
  "schema/control.json": "OpenAPI document of the control API.",
  "schema/scenario.json": "JSON Schema of scenario files.",
  "schema/fixtures.json": "JSON Schema of fixtures files.",
  "schema/dialect.json": "JSON Schema of dialect files.",
  "arazzo.yaml": "workflows that span several requests.",
  "fixtures/default.yaml": "the default world.",
  "examples/careful-client.mjs": "a client without findings.",
};

if (process.argv[1] === import.meta.filename) {
  for (const name of readdirSync(join(root, "docs")).filter((each) => each.endsWith(".md"))) {
    const file = join(root, "docs", name);
    writeFileSync(file, await withGeneratedParts(readFileSync(file, "utf8")));
  }
  writeFileSync(join(root, "llms.txt"), llmsText());
}
