/** What goes wrong with the deliveries of the events that a request causes. */
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
