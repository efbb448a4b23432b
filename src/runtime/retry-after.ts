import { companyNow } from "../rules/clock.ts";
import type { Caller } from "../store/callers.ts";
import type { Services } from "./services.ts";

/** The header of a 429. A date is by the company's clock, as that in `Date`, and rounded up. */
export function retryAfter(
  { clock, dialects }: Pick<Services, "clock" | "dialects">,
  { companyPk, clockOffsetMs }: Caller,
  seconds: number,
): Readonly<Record<string, string>> | undefined {
  const form = dialects.of(companyPk).choices["rate_limit.retry_after"];
  if (form === "none") return undefined;
  const at = new Date(Math.ceil(companyNow(clock, clockOffsetMs) / 1000 + seconds) * 1000);
  return { "Retry-After": form === "seconds" ? String(seconds) : at.toUTCString() };
}
