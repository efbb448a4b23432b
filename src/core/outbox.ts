/** Events wait in the store until they are delivered; the deliverer learns of changes here. */
export class Outbox {
  #listener: (webhookPk?: number) => void = () => {};

  onStir(listener: (webhookPk?: number) => void): void {
    this.#listener = listener;
  }

  #watcher: (webhookWasCreated: boolean) => void = () => {};

  onWatch(watcher: (webhookWasCreated: boolean) => void): void {
    this.#watcher = watcher;
  }

  /** A company with webhooks may have a card more, or one with cards has a webhook more. */
  watch(webhookWasCreated: boolean): void {
    this.#watcher(webhookWasCreated);
  }

  /**
   * Deliveries were added or changed, or time was moved. The transaction that did so need not be over.
   * @param webhookPk - whose deliveries; absent: any
   */
  stir(webhookPk?: number): void {
    this.#listener(webhookPk);
  }
}
