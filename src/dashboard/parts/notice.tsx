import type { Flash } from "../flashes.ts";
import { Copyable } from "./shown.tsx";

/** What became of a form; the focus goes there first, so that it is read out. */
export function Notice({ flash: { kind, text, secrets } }: { flash: Flash }) {
  return (
    <section class={`notice ${kind}`} id="notice" tabindex={-1} autofocus aria-label="What became of it">
      <p>
        <strong>{kind === "done" ? "Done." : "Not done."}</strong> {text}
      </p>
      {secrets && secrets.length > 0 && (
        <>
          {secrets.map(({ label, secret }) => (
            <div class="secret">
              <p>{label}</p>
              <Copyable text={secret} label={`the secret of ${label}`} />
            </div>
          ))}
          <p>Copy it now: it is shown this once, and the sandbox keeps only its hash.</p>
        </>
      )}
    </section>
  );
}
