import type { Context, Handler } from "hono";
import { ControlError } from "../control/errors.ts";
import type { Flash, Flashes, NewSecret } from "./flashes.ts";
import { type Form, readForm } from "./form.ts";
import { base, isOwnPath } from "./paths.ts";

/** What a form did, in a sentence; and what else is to be shown of it. */
export interface Done {
  readonly text: string;
  readonly secrets?: readonly NewSecret[];
  /** The page that shows it; absent: the one that the form stood on. */
  readonly to?: string;
}

/** Does what a form asks. `of` is a parameter of its path. */
export type Work = (form: Form, of: (name: string) => string) => Done | Promise<Done>;

/** Answers a form by leading to a page that tells what became of it, so that reloading sends nothing again. */
export function acting(flashes: Flashes, work: Work): Handler {
  return async (c) => {
    const form = await readForm(c);
    const back = form.back !== undefined && isOwnPath(form.back) ? form.back : base;
    const { to = back, ...flash } = await outcome(c, form, work);
    const name = flashes.leave(flash);
    return c.redirect(`${to}${to.includes("?") ? "&" : "?"}flash=${name}`, 303);
  };
}

async function outcome(c: Context, form: Form, work: Work): Promise<Flash & Pick<Done, "to">> {
  try {
    return { kind: "done", ...(await work(form, (name) => c.req.param(name) ?? "")) };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const { back: _, tells, ...typed } = form;
    const refused = { form: c.req.path, typed, tellsItself: tells !== undefined };
    return { kind: "problem", text: error.message, refused };
  }
}
