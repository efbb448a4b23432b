import type { Handler, MiddlewareHandler } from "hono";
import { ControlError } from "../control/errors.ts";
import { type Gate, refuseOtherPages, refuseOtherSites } from "../control/gate.ts";
import type { Render } from "./layout.tsx";
import type { Page } from "./page.ts";
import { Field } from "./parts/forms.tsx";
import { base, isOwnPath, pathTo } from "./paths.ts";
import { readForm } from "./submit.ts";

/** Access to the pages: the rules of the control API, with a session cookie instead of the admin token. */
export function createSignIn(gate: Gate, render: Render) {
  const { guard } = gate;
  return {
    /** Guards the static files and the sign-in page, which `requireSignIn` does not. */
    refuseOtherSites: ((c, next) => {
      if (guard.kind !== "open") refuseOtherSites(c);
      return next();
    }) satisfies MiddlewareHandler,

    /** Accepts forms from the dashboard's own pages only. */
    refuseOtherPages: ((c, next) => {
      if (guard.kind !== "open") refuseOtherPages(c);
      return next();
    }) satisfies MiddlewareHandler,

    /** Redirects visitors who are not signed in to the sign-in page. */
    requireSignIn: (async (c, next) => {
      try {
        await gate.admit(c);
      } catch (error) {
        if (!(error instanceof ControlError && error.status === 401)) throw error;
        const next = c.req.method === "GET" ? c.req.url.slice(new URL(c.req.url).origin.length) : base;
        return c.redirect(pathTo("/sign-in", { next }), 303);
      }
      return await next();
    }) satisfies MiddlewareHandler,

    showForm: ((c) => {
      if (guard.kind !== "token") return c.redirect(base, 303);
      const page = signInPage({ next: nextPage(c.req.query("next")), isWrong: false });
      return render(c, page, { signedOut: true });
    }) satisfies Handler,

    signIn: (async (c) => {
      if (guard.kind !== "token") return c.redirect(base, 303);
      const { token = "", next } = await readForm(c);
      if (await gate.signIn(c, token)) return c.redirect(nextPage(next), 303);
      const page = signInPage({ next: nextPage(next), isWrong: true });
      return render(c, page, { status: 401, signedOut: true });
    }) satisfies Handler,

    signOut: ((c) => {
      gate.signOut(c);
      return c.redirect(base, 303);
    }) satisfies Handler,
  };
}

/** A link can contain any URL; after signing in, only pages of the dashboard are opened. */
function nextPage(next: string | undefined): string {
  return next !== undefined && isOwnPath(next) ? next : base;
}

function signInPage({ next, isWrong }: { next: string; isWrong: boolean }): Page {
  const body = (
    <section class="sign-in" aria-labelledby="sign-in">
      <h1 id="sign-in">Sign in</h1>
      {isWrong && (
        <p class="notice problem" role="alert">
          <strong>Not signed in.</strong> The admin token is wrong.
        </p>
      )}
      <form method="post" action={pathTo("/sign-in")} class="stack">
        <input type="hidden" name="next" value={next} />
        <Field
          label="Admin token"
          name="token"
          type="password"
          required
          hint="Set with --admin-token or CARD_SANDBOX_ADMIN_TOKEN, or printed when the sandbox starts."
        />
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </section>
  );
  return { title: "Sign in", body };
}
