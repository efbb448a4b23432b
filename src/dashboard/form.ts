import type { Context } from "hono";
import { ControlError } from "../control/errors.ts";
import { readText } from "../control/input.ts";
import { quoted } from "../rules/errors.ts";

/** What a form says, by the names of its fields; one that is empty is absent. */
export type Form = Readonly<Record<string, string>>;

/** No form of the dashboard's holds as much. */
const largestForm = 64 * 1024;

/**
 * Reads a form as it was sent.
 * @throws ControlError 400 where it is sent in another form than the dashboard's own are, 413 where it is too large
 */
export async function readForm(c: Context): Promise<Form> {
  const type = c.req.header("Content-Type") ?? "";
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(type)) {
    throw new ControlError(400, "the form cannot be read: send it as application/x-www-form-urlencoded");
  }
  const text = await readText(c, largestForm, "a form of the dashboard holds up to 64 KiB");
  const form: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(text)) if (value.trim() !== "") form[name] = value.trim();
  return form;
}

/**
 * A field that holds a whole number.
 * @throws ControlError 400 where it holds something else
 */
export function wholeNumber(form: Form, name: string): number | undefined {
  const text = form[name];
  if (text === undefined) return undefined;
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new ControlError(400, `${name}: must be a whole number; got ${quoted(text)}`);
}

/**
 * A field that has to be filled in.
 * @throws ControlError 400 where it is not
 */
export function required(form: Form, name: string): string {
  const text = form[name];
  if (text !== undefined) return text;
  throw new ControlError(400, `${name}: is required`);
}

/**
 * A field that says true or false.
 * @throws ControlError 400 where it says something else
 */
export function yesOrNo(form: Form, name: string): boolean | undefined {
  const text = form[name];
  if (text === undefined) return undefined;
  if (text === "true" || text === "false") return text === "true";
  throw new ControlError(400, `${name}: must be true or false; got ${quoted(text)}`);
}

/** What a form asks of a method that checks it; what the form leaves out is no field of it. */
export function asked<Asked>(fields: Readonly<Record<string, unknown>>): Asked {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Asked;
}
