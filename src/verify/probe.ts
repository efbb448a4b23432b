import type { AlternativeId, BehaviourId } from "../contract/behaviours.ts";

/** A request of a probe. `token: null` sends no access token; the default is one of the owner. */
export interface ProbeRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly token?: string | null | undefined;
  /**
   * Added to those of every request. `undefined` drops one: a target that requires `X-On-Behalf-Of` gets it with each
   * request under `/developer`.
   */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Sent as JSON with its Content-Type; a string is sent as it is. */
  readonly body?: unknown;
}

/** A response that was read. */
export interface ProbeReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: probes look into bodies of any shape
  readonly json: any;
}

/** The server that is probed, and what a probe may use there. Every request counts against the budget. */
export interface Target {
  /** @throws CannotProbe if the request may not be sent, or no usable response arrives */
  send(request: ProbeRequest): Promise<ProbeReply>;
  /** The API key of the owner, who may order cards. */
  readonly apiKey: string;
  /** An access token of the owner, which probes share. */
  token(): Promise<string>;
  /**
   * An access token of an employee, who may not order cards.
   * @throws CannotProbe if no API key of an employee was given
   */
  employeeToken(): Promise<string>;
  /**
   * The id of the owner's company.
   * @throws CannotProbe if none was given and none is listed
   */
  companyId(): Promise<string>;
  /**
   * The id of an active account of the owner's company.
   * @throws CannotProbe if none was given and none is listed
   */
  accountId(): Promise<string>;
  /** A valid body of an order of a physical card. */
  order(): Promise<Readonly<Record<string, unknown>>>;
  /**
   * The order of an active physical card, with its key and the card in its response, without the controls of
   * `sharedOrder`.
   * @throws CannotProbe if the order fails
   */
  firstOrder(): Promise<SharedOrder>;
  /**
   * The first order, which probes share. Leave the card active, and as it was.
   * @throws CannotProbe if the order fails, or if the target does not look at orders: it must refuse an empty one, and
   * return another card for another key
   */
  sharedOrder(): Promise<SharedOrder>;
  /**
   * Orders a new card of its own for the probe. A company has a quota of cards: use the shared one if you can.
   * @throws CannotProbe as `sharedOrder`
   */
  // biome-ignore lint/suspicious/noExplicitAny: a card of any service
  newCard(): Promise<any>;
  /** A new random UUID. */
  uuid(): string;
  /** Makes a control request, or takes its result if it was made before: `src/verify/controls.ts` has them. */
  control<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
}

/** An order that succeeded. Sent again, `request` is a replay. */
export interface SharedOrder {
  readonly request: ProbeRequest;
  readonly reply: ProbeReply;
  // biome-ignore lint/suspicious/noExplicitAny: a card of any service
  readonly card: any;
}

/** The alternative that explains the observation of a probe, or a description of one that none explains. */
export type Seen<Id extends BehaviourId> = AlternativeId<Id> | { readonly unexplained: string };

/** Finds out which alternative of a behavior a server has, without looking at the headers of the sandbox. */
export interface Probe<Id extends BehaviourId = BehaviourId> {
  readonly behaviour: Id;
  /** `read`: it changes nothing, whatever the server does; `write`: it may order or change cards. */
  readonly effect: "read" | "write";
  /** A description must contain no value of a response except its status: it is kept in reports. */
  observe(target: Target): Promise<Seen<Id>>;
}

export function probe<const Id extends BehaviourId>(
  behaviour: Id,
  effect: Probe["effect"],
  observe: (target: Target) => Promise<Seen<Id>>,
): Probe<Id> {
  return { behaviour, effect, observe };
}

/** The probe lacks something: the behavior cannot be observed on this target. */
export class CannotProbe extends Error {}
