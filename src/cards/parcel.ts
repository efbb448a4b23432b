import type { ParcelStatus } from "../contract/delivery-address.ts";

/** Where a parcel may go from where it is: forward alone, and over what lies between. */
const onward: Readonly<Record<ParcelStatus, readonly ParcelStatus[]>> = {
  ordered: ["produced", "shipped", "delivered", "returned", "failed"],
  produced: ["shipped", "delivered", "returned", "failed"],
  shipped: ["delivered", "returned", "failed"],
  failed: ["returned"],
  delivered: [],
  returned: [],
};

/** Why a parcel cannot go there; undefined where it can. */
export function parcelViolation(from: ParcelStatus, to: ParcelStatus): string | undefined {
  const next = onward[from];
  if (next.includes(to)) return undefined;
  const remedy = next.length === 0 ? "it goes no farther" : `it goes on to ${next.join(", ")}`;
  return `The card's parcel is ${from}, and cannot become ${to}: ${remedy}`;
}
