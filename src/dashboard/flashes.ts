/** What a page tells once, on top: what became of the form that led to it. */
export interface Flash {
  readonly kind: "done" | "problem";
  readonly text: string;
  /** New API keys, whose secrets are shown this once. */
  readonly secrets?: readonly NewSecret[];
  /** The form that was refused, and what was typed into it. */
  readonly refused?: {
    readonly form: string;
    readonly typed: Readonly<Record<string, string>>;
    /** It has fields, and tells beside them what is wrong. */
    readonly tellsItself: boolean;
  };
}

export interface NewSecret {
  /** Whose key it is. */
  readonly label: string;
  readonly secret: string;
}

/** More than so many wait for no reader that will come. */
const kept = 100;

/**
 * Carries what became of a form over the redirect that answers it, in memory: an address would keep a secret in
 * the browser's history.
 */
export class Flashes {
  readonly #waiting = new Map<string, Flash>();
  #last = 0;

  /** @returns the name to take it by */
  leave(flash: Flash): string {
    const name = String(++this.#last);
    this.#waiting.set(name, flash);
    this.#waiting.delete(String(this.#last - kept));
    return name;
  }

  /** Once: whoever asks again gets nothing. */
  take(name: string | undefined): Flash | undefined {
    if (name === undefined) return undefined;
    const flash = this.#waiting.get(name);
    this.#waiting.delete(name);
    return flash;
  }
}
