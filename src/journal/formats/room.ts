/** In bytes: a report file stays below 2 MB. */
export const largestReport = 1_950_000;
/** In bytes. The job summary of GitHub holds 1 MiB, for all steps of a job. */
export const largestMarkdown = 400_000;

/** In bytes: line feeds, indentation and the like. */
const betweenItems = 20;

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** What fits into a report, in bytes. Items have priority over evidence. */
export class Room {
  #items: number;
  #evidence: number;
  /** How many items did not fit. */
  itemsLeftOut = 0;
  /** The evidence of how many requests did not fit. */
  evidenceLeftOut = 0;

  constructor(items: number, evidence: number) {
    this.#items = items;
    this.#evidence = evidence;
  }

  get leavesOut(): boolean {
    return this.itemsLeftOut > 0 || this.evidenceLeftOut > 0;
  }

  /**
   * Writes the items that have room, the first ones first.
   * @param write - writes an item with the evidence that has room; without evidence if there is no room
   * @param bytesOf - the size of a written item
   */
  fill<Item, Written>(
    items: readonly Item[],
    write: (item: Item, room?: Room) => Written,
    bytesOf: (written: Written) => number,
  ): Written[] {
    const fitting = items.filter((item) => {
      const bytes = bytesOf(write(item)) + betweenItems;
      if (bytes > this.#items) {
        this.itemsLeftOut++;
        return false;
      }
      this.#items -= bytes;
      return true;
    });
    return fitting.map((item) => write(item, this));
  }

  /** Writes the evidence of one request, if it has room. After the first that has none, no other has. */
  evidence<Written>(write: () => Written, bytesOf: (written: Written) => number): Written | undefined {
    if (this.evidenceLeftOut === 0) {
      const written = write();
      const bytes = bytesOf(written) + betweenItems;
      if (bytes <= this.#evidence) {
        this.#evidence -= bytes;
        return written;
      }
    }
    this.evidenceLeftOut++;
    return undefined;
  }
}

/**
 * Writes a report that is not too large: whole, or first the items that fit and then their evidence.
 * @param write - leaves out what has no room, in the same order each time
 */
export function fitted(write: (room: Room) => string, largest: number = largestReport): string {
  const room = new Room(largest, largest);
  const whole = write(room);
  if (!room.leavesOut && byteLength(whole) <= largest) return whole;
  const items = largest - byteLength(write(new Room(0, 0)));
  return write(new Room(items, largest - byteLength(write(new Room(items, 0)))));
}

/** Such as `To limit its size, this report leaves out 3 findings and the evidence of 12 requests.`; empty: nothing. */
export function leftOutText(
  { itemsLeftOut, evidenceLeftOut }: Pick<Room, "itemsLeftOut" | "evidenceLeftOut">,
  items: readonly [one: string, many: string],
): string {
  const count = (n: number, [one, many]: readonly [string, string]) => `${n} ${n === 1 ? one : many}`;
  const parts = [
    ...(itemsLeftOut > 0 ? [count(itemsLeftOut, items)] : []),
    ...(evidenceLeftOut > 0 ? [`the evidence of ${count(evidenceLeftOut, ["request", "requests"])}`] : []),
  ];
  return parts.length === 0 ? "" : `To limit its size, this report leaves out ${parts.join(" and ")}.`;
}
