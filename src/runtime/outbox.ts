/** Events wait in the store until they are delivered; here the deliverer is notified of changes. */
export class Outbox {
  #listener: (webhookPk?: number) => void = () => {};

  onStir(listener: (webhookPk?: number) => void): void {
    this.#listener = listener;
  }

  #watcher: (webhookWasCreated: boolean) => void = () => {};

  onWatch(watcher: (webhookWasCreated: boolean) => void): void {
    this.#watcher = watcher;
  }

  /** Call it when a company with webhooks may get a card, or a company with cards gets a webhook. */
  watch(webhookWasCreated: boolean): void {
    this.#watcher(webhookWasCreated);
  }

  /**
   * Call it when deliveries were added or changed, or time was moved. The transaction may still be open.
   * @param webhookPk - the webhook of the deliveries; absent: any webhook
   */
  stir(webhookPk?: number): void {
    this.#listener(webhookPk);
  }
}
