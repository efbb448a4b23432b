/** The faults for the events of one request. */
export interface EventFaults {
  readonly faults: WebhookFaults;
  /** Whether they struck an event. `webhooks/events.ts` sets it, and the request's step claim reads it. */
  struck: boolean;
}

/** Faults in the delivery of an event. */
export interface WebhookFaults {
  /** It arrives twice, under the same `webhook-id`. */
  readonly duplicate?: true | undefined;
  /** It arrives after the webhook's next event, or after five seconds of the sandbox's time where none comes. */
  readonly reorder?: true | undefined;
  /** It arrives with a timestamp that is ten minutes old, properly signed. */
  readonly stale?: true | undefined;
  /** It arrives with a signature that fits no secret. */
  readonly badSignature?: true | undefined;
}
