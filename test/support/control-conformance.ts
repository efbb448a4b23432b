import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { controlDocument } from "../../src/control/openapi/document.ts";
import {
  type ControlOperationId,
  controlOperationIds,
  controlOperations,
  controlPath,
} from "../../src/control/operations.ts";

/** A response of the control API. */
export interface ControlReply {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

interface Described {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, object>>;
}

let opened: { readonly paths: Paths; readonly responses: Record<string, Described>; readonly ajv: Ajv2020 };
type Paths = Record<string, Record<string, { readonly responses: Record<string, Described> }>>;

/** The document, made once per test file, with a validator. */
function document() {
  if (opened) return opened;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const made = JSON.parse(JSON.stringify(controlDocument()));
  ajv.addSchema(made, "control.json");
  opened = { paths: made.paths, responses: made.components.responses, ajv };
  return opened;
}

/** The operation that serves a request; undefined if there is none. */
function controlOperationOf(method: string, path: string): ControlOperationId | undefined {
  const wanted = method === "HEAD" ? "GET" : method;
  return controlOperationIds.find((id) => {
    const name = id === "changeCompany" || id === "deleteCompany" ? ".+" : "[^/]+";
    const pattern = controlPath(id).replace(/\{[a-z]+\}/g, name);
    return controlOperations[id].method === wanted && new RegExp(`^${pattern}/?$`).test(path);
  });
}

/** @throws Error if a response breaks the OpenAPI document, which fails every test that opened a sandbox */
export function checkControlReplies(replies: readonly ControlReply[]): void {
  const found = new Set(replies.flatMap(breaches));
  if (found.size > 0)
    throw new Error(`breaks /_sandbox/openapi.json:\n${[...found].slice(0, 20).join("\n")}`);
}

function breaches({ method, path, status, type, text }: ControlReply): string[] {
  const id = controlOperationOf(method, path);
  const what = `${id ?? `${method} ${path}`} ${status}`;
  // A request that belongs to no operation is an error as any other.
  if (id === undefined)
    return schemaBreaches("/components/schemas/Error", text).map((each) => `${what}: ${each}`);
  const openapiPath = controlPath(id);
  const operation = controlOperations[id].method.toLowerCase();
  const described = document().paths[openapiPath]?.[operation]?.responses[`${status}`];
  if (!described) return [`${what}: the document has no such response`];
  const name = described.$ref?.split("/").at(-1);
  const { content = {} } = name === undefined ? described : (document().responses[name] ?? {});
  const at =
    name === undefined
      ? `/paths/${escaped(openapiPath)}/${operation}/responses/${status}`
      : `/components/responses/${name}`;
  if (text === "" && (method === "HEAD" || Object.keys(content).length === 0)) return [];
  const media = type?.split(";")[0] ?? "";
  if (!content[media]) return [`${what}: the document has no content type ${type}`];
  if (media !== "application/json") return [];
  return schemaBreaches(`${at}/content/application~1json/schema`, text).map((each) => `${what}: ${each}`);
}

const escaped = (path: string) => encodeURIComponent(path.replaceAll("~", "~0").replaceAll("/", "~1"));

function schemaBreaches(pointer: string, text: string): string[] {
  const validate = document().ajv.getSchema(`control.json#${pointer}`) as ValidateFunction | undefined;
  if (!validate) return [`${pointer} is not in the document`];
  if (validate(JSON.parse(text))) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath || "the body"} ${message} ${JSON.stringify(params)}`.trim(),
  );
}
