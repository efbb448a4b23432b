/** Where events wait in the store until they are delivered; whoever delivers them listens here. */
export class Outbox {
  #listener: () => void = () => {};

  onPut(listener: () => void): void {
    this.#listener = listener;
  }

  /** Something was put in, or may have fallen due. The transaction that did so need not be over yet. */
  stir(): void {
    this.#listener();
  }
}
