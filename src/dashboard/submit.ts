import type { Context, Handler } from "hono";
import { ControlError } from "../control/errors.ts";
import { readText } from "../control/input.ts";
import { quoted } from "../rules/errors.ts";
import { base, isOwnPath } from "./paths.ts";

/** The fields of a form that are not empty, trimmed. */
export type Fields = Readonly<Record<string, string>>;

/** In bytes; larger than any form of the dashboard. */
const largestForm = 64 * 1024;

/** @throws ControlError 400 for another content type, 413 for a body that is too large */
export async function readForm(c: Context): Promise<Fields> {
  const type = c.req.header("Content-Type") ?? "";
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(type)) {
    throw new ControlError(
      400,
      `Content-Type: must be application/x-www-form-urlencoded, but is ${quoted(type)}`,
    );
  }
  const text = await readText(c, largestForm, "form: must be at most 64 KiB");
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) if (value.trim() !== "") fields[name] = value.trim();
  return fields;
}

/** @throws ControlError 400 if the field is not an integer */
export function integer(fields: Fields, name: string): number | undefined {
  const text = fields[name];
  if (text === undefined) return undefined;
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new ControlError(400, `${name}: must be an integer, but is ${quoted(text)}`);
}

/** @throws ControlError 400 if the field is empty */
export function required(fields: Fields, name: string): string {
  const text = fields[name];
  if (text !== undefined) return text;
  throw new ControlError(400, `${name}: is required`);
}

/** @throws ControlError 400 if the field is neither true nor false */
export function yesOrNo(fields: Fields, name: string): boolean | undefined {
  const text = fields[name];
  if (text === undefined) return undefined;
  if (text === "true" || text === "false") return text === "true";
  throw new ControlError(400, `${name}: must be true or false, but is ${quoted(text)}`);
}

/** The input of a method that validates it, without the fields that are undefined. */
export function inputOf<Input>(fields: Readonly<Record<string, unknown>>): Input {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Input;
}

/** A new API key, whose secret is shown only once. */
export interface NewSecret {
  readonly label: string;
  readonly secret: string;
}

/** The result of a form, which the next page shows once. */
export interface Flash {
  readonly kind: "done" | "problem";
  readonly text: string;
  readonly secrets?: readonly NewSecret[];
  /** The path and the input of a form that was refused. */
  readonly refused?: {
    readonly form: string;
    readonly fields: Fields;
    /** Whether the form itself shows the message, above its fields. */
    readonly showsMessage: boolean;
  };
}

/** Older flashes are dropped: their redirects were not followed. */
const flashesKept = 100;

/** Keeps flashes in memory until the redirect is followed: in the URL, a secret would stay in the browser's history. */
export class Flashes {
  readonly #waiting = new Map<string, Flash>();
  #last = 0;

  /** @returns the id for `take` */
  add(flash: Flash): string {
    const id = String(++this.#last);
    this.#waiting.set(id, flash);
    this.#waiting.delete(String(this.#last - flashesKept));
    return id;
  }

  /** Returns a flash once; undefined after that. */
  take(id: string | undefined): Flash | undefined {
    if (id === undefined) return undefined;
    const flash = this.#waiting.get(id);
    this.#waiting.delete(id);
    return flash;
  }
}

/** A message for the user, with new secrets and the next page. */
export interface ActionResult {
  readonly text: string;
  readonly secrets?: readonly NewSecret[];
  /** The page to show; default: the one with the form. */
  readonly to?: string;
}

/** Performs the action of a form. `param` returns a parameter of the form's path. */
export type FormAction = (
  fields: Fields,
  param: (name: string) => string,
) => ActionResult | Promise<ActionResult>;

/** Responds to a form with a redirect to a page that shows the result, so that a reload does not send it again. */
export function submit(flashes: Flashes, action: FormAction): Handler {
  return async (c) => {
    const { back, show_message: showMessage, ...fields } = await readForm(c);
    let flash: Flash & Pick<ActionResult, "to">;
    try {
      flash = { kind: "done", ...(await action(fields, (name) => c.req.param(name) ?? "")) };
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      const refused = { form: c.req.path, fields, showsMessage: showMessage !== undefined };
      flash = { kind: "problem", text: error.message, refused };
    }
    const { to = back !== undefined && isOwnPath(back) ? back : base, ...shown } = flash;
    return c.redirect(`${to}${to.includes("?") ? "&" : "?"}flash=${flashes.add(shown)}`, 303);
  };
}
