import type * as z from "zod";

/** A client mends them one by one; a body of 64 KiB may have thirty thousand. */
const mostTold = 20;

/**
 * What does not fit, each with the path to it: the first twenty, and how many more there are.
 * @param told - says one in place of its path and message
 */
export function issuesTold(
  issues: readonly z.core.$ZodIssue[],
  told: (issue: z.core.$ZodIssue) => string = withPath,
): string {
  const messages = issues.slice(0, mostTold).map(told);
  const more = issues.length - messages.length;
  return [...messages, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** One that does not fit, after the path to it. */
export function withPath({ path, message }: Pick<z.core.$ZodIssue, "path" | "message">): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
