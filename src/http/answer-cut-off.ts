import { ConnectionLost } from "../rules/errors.ts";

/** An answer, before it goes on its way. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The connection is lost amid an answer: the client gets its head, and half of its body. */
export class AnswerCutOff extends ConnectionLost {
  /** What the client gets: `Content-Length` still tells of the whole body. */
  readonly sent: Answer;

  constructor({ status, headers, text }: Answer) {
    super("empty");
    const length = String(new TextEncoder().encode(text).length);
    this.sent = {
      status,
      headers: { ...headers, "Content-Length": length },
      text: text.slice(0, text.length / 2),
    };
  }
}
