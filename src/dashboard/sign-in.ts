import type { Handler, MiddlewareHandler } from "hono";
import { ControlError } from "../control/errors.ts";
import type { Gate } from "../control/gate.ts";
import { refuseOtherPages, refuseOtherSites } from "../control/gate.ts";
import { readForm } from "./form.ts";
import type { ShowPage } from "./frame.tsx";
import { signInPage } from "./pages/sign-in.tsx";
import { base, isOwnPath, pathTo } from "./paths.ts";

/** Who may see the pages: whoever may use the sandbox's own API, by a cookie in the admin token's place. */
export function createSignIn(gate: Gate, page: ShowPage) {
  const { guard } = gate;
  return {
    /** Guards the static files and the sign-in page, which `letIn` does not. */
    refuseOtherSites: ((c, next) => {
      if (guard.kind !== "open") refuseOtherSites(c);
      return next();
    }) satisfies MiddlewareHandler,

    /** Forms are taken from the dashboard's own pages alone. */
    refuseOtherPages: ((c, next) => {
      if (guard.kind !== "open") refuseOtherPages(c);
      return next();
    }) satisfies MiddlewareHandler,

    /** Leads whoever has not signed in to where that is done. */
    letIn: (async (c, next) => {
      try {
        await gate.admit(c);
      } catch (error) {
        if (!(error instanceof ControlError && error.status === 401)) throw error;
        const next = c.req.method === "GET" ? c.req.url.slice(new URL(c.req.url).origin.length) : base;
        return c.redirect(pathTo("/sign-in", { next }), 303);
      }
      return await next();
    }) satisfies MiddlewareHandler,

    ask: ((c) => {
      if (guard.kind !== "token") return c.redirect(base, 303);
      return page(c, signInPage({ next: nextPage(c.req.query("next")), isWrong: false }), { nobody: true });
    }) satisfies Handler,

    signIn: (async (c) => {
      if (guard.kind !== "token") return c.redirect(base, 303);
      const { token = "", next } = await readForm(c);
      if (!(await gate.signIn(c, token))) {
        return page(c, signInPage({ next: nextPage(next), isWrong: true }), { status: 401, nobody: true });
      }
      return c.redirect(nextPage(next), 303);
    }) satisfies Handler,

    signOut: ((c) => {
      gate.signOut(c);
      return c.redirect(base, 303);
    }) satisfies Handler,
  };
}

/** An address may lead anywhere, and only pages of the dashboard are gone on to. */
function nextPage(next: string | undefined): string {
  return next !== undefined && isOwnPath(next) ? next : base;
}
