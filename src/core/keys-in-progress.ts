import type { IdempotencyScope } from "./ports.ts";

/** An order that waits for the issuer. */
export interface Ticket {
  readonly name: string;
  readonly companyPk: number;
  /** The world was put back meanwhile: the order belongs to none that exists. */
  cancelled: boolean;
}

/** The idempotency keys whose first order waits for a slow issuer; in memory, so that a crash forgets them. */
export class KeysInProgress {
  readonly #tickets = new Map<string, Ticket>();

  has(scope: IdempotencyScope): boolean {
    return this.#tickets.size > 0 && this.#tickets.has(nameOf(scope));
  }

  begin(scope: IdempotencyScope): Ticket {
    const ticket = { name: nameOf(scope), companyPk: scope.companyPk, cancelled: false };
    this.#tickets.set(ticket.name, ticket);
    return ticket;
  }

  end(ticket: Ticket): void {
    if (this.#tickets.get(ticket.name) === ticket) this.#tickets.delete(ticket.name);
  }

  /** Cancels what waits, of one company or of all. */
  cancel(companyPk?: number): void {
    for (const ticket of this.#tickets.values()) {
      if (companyPk !== undefined && ticket.companyPk !== companyPk) continue;
      ticket.cancelled = true;
      this.#tickets.delete(ticket.name);
    }
  }
}

function nameOf({ environment, companyPk, memberPk, operation, key }: IdempotencyScope): string {
  return `${environment}/${companyPk}/${memberPk}/${operation}/${key}`;
}
