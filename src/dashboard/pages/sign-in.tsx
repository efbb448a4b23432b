import { Field } from "../parts/fields.tsx";
import { pathTo } from "../paths.ts";
import type { Page } from "../visit.ts";

/** Asks for the admin token. */
export function signInPage({ next, isWrong }: { next: string; isWrong: boolean }): Page {
  const body = (
    <section class="sign-in" aria-labelledby="sign-in">
      <h1 id="sign-in">Sign in</h1>
      {isWrong && (
        <p class="notice problem" role="alert">
          <strong>Not signed in.</strong> That is not the admin token of this sandbox.
        </p>
      )}
      <form method="post" action={pathTo("/sign-in")} class="stack">
        <input type="hidden" name="next" value={next} />
        <Field
          label="Admin token"
          name="token"
          type="password"
          required
          hint="The sandbox prints it when it starts, or was given it by --admin-token or CARD_SANDBOX_ADMIN_TOKEN."
        />
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </section>
  );
  return { title: "Sign in", body };
}
