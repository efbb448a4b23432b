import { companyNow, type SandboxClock } from "../rules/clock.ts";
import { quoted } from "../rules/errors.ts";
import type { Message, SendMessage } from "./attempt.ts";
import { signatureProblem } from "./signing.ts";
import { isLoopbackHost } from "./target.ts";

/** A message that the built-in receiver got. */
export interface ReceivedMessage {
  /** Counts the messages since the start. */
  readonly id: string;
  /** The name in the webhook's URL. */
  readonly receiver: string;
  /** By the clock of the company, like the times of attempts. */
  readonly received_at: string;
  /** The id of the delivery, which is also in the header `webhook-id`. */
  readonly delivery_id: string;
  readonly headers: Readonly<Record<string, string>>;
  /** At most 64 KiB of it. */
  readonly body: string;
  /** The status that the receiver returned. */
  readonly status: number;
  readonly signature: "valid" | "invalid";
  /** Why the signature is invalid; null if it is valid. */
  readonly problem: string | null;
}

const mostMessages = 200;
const longestBody = 64 * 1024;

/** The path of the receivers; a name follows. */
export const receiverPath = "/_sandbox/receiver/";

/** The name of the built-in receiver that a webhook's URL leads to: any loopback host and port. */
export function receiverNameOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, pathname } = new URL(url);
  const name =
    isLoopbackHost(hostname) && pathname.startsWith(receiverPath) && pathname.slice(receiverPath.length);
  return name && /^[A-Za-z0-9._-]{1,100}$/.test(name) ? name : undefined;
}

/** Receives webhooks in this process, without a socket, and keeps the latest messages in memory. */
export class Receiver {
  readonly #clock: SandboxClock;
  #kept: { readonly companyPk: number; readonly message: ReceivedMessage }[] = [];
  #count = 0;

  constructor(clock: SandboxClock) {
    this.#clock = clock;
  }

  /**
   * Receives the messages to its own URLs; `send` sends all others.
   * @param now - real time, with which receivers compare the timestamp of a message
   */
  inFrontOf(send: SendMessage, now: () => number): SendMessage {
    return (url, init, message) => {
      const name = receiverNameOf(url);
      return name === undefined ? send(url, init, message) : this.#receive(name, init, message, now());
    };
  }

  /** The latest messages, newest first. */
  messages(name?: string): ReceivedMessage[] {
    const messages = this.#kept.map(({ message }) => message);
    return name === undefined ? messages : messages.filter(({ receiver }) => receiver === name);
  }

  /** Drops the messages to a company's webhooks; undefined: all. */
  clear(companyPk?: number): void {
    this.#kept = companyPk === undefined ? [] : this.#kept.filter((each) => each.companyPk !== companyPk);
  }

  async #receive(receiver: string, init: RequestInit, message: Message, nowMs: number): Promise<Response> {
    const headers = new Headers(init.headers);
    const { choices, body, secrets, id, url, companyPk, clockOffsetMs } = message;
    const problem = await signatureProblem(choices, headers, body, secrets, nowMs);
    const wanted = wantedStatus(url);
    // As every receiver should. Otherwise, the sandbox would report that the receiver accepts forged events.
    const status = problem !== null && wanted < 400 ? 401 : wanted;
    const received: ReceivedMessage = {
      id: String(++this.#count),
      receiver,
      received_at: new Date(companyNow(this.#clock, clockOffsetMs)).toISOString(),
      delivery_id: id,
      headers: Object.fromEntries(headers),
      body: body.slice(0, longestBody),
      status,
      signature: problem === null ? "valid" : "invalid",
      problem,
    };
    this.#kept = [{ companyPk, message: received }, ...this.#kept.slice(0, mostMessages - 1)];
    return new Response(null, { status });
  }
}

const possibleStatus = /^[2-5][0-9]{2}$/;

/** Why the built-in receiver cannot respond as a URL asks it to; undefined: it can, or the URL is not its own. */
export function receiverProblem(url: string): string | undefined {
  const status = receiverNameOf(url) === undefined ? null : new URL(url).searchParams.get("status");
  if (status === null || possibleStatus.test(status)) return undefined;
  return `status must be from 200 to 599 for the built-in receiver, but is ${quoted(status)}`;
}

/** The status that the query parameter `status` asks for; default 204. */
function wantedStatus(url: string): number {
  const wanted = new URL(url).searchParams.get("status") ?? "";
  return possibleStatus.test(wanted) ? Number(wanted) : 204;
}
