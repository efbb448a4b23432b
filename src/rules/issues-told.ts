import type * as z from "zod";

/** How many issues a message lists, and about how many characters they take together. */
const most = { issues: 20, characters: 1500 };

/**
 * Lists the issues, each with the path to it: the first few, and how many more there are. A client fixes them one by
 * one, and a body can have tens of thousands.
 * @param told - describes one of them; default: its path and message
 */
export function issuesTold(
  issues: readonly z.core.$ZodIssue[],
  told: (issue: z.core.$ZodIssue) => string = withPath,
): string {
  const all = issues.flatMap(oneKeyEach);
  const messages: string[] = [];
  let characters = 0;
  for (const issue of all.slice(0, most.issues)) {
    const message = told(issue);
    characters += message.length;
    if (messages.length > 0 && characters > most.characters) break;
    messages.push(message);
  }
  const more = all.length - messages.length;
  return [...messages, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** Splits an issue about several unknown keys into one for each key. */
export function oneKeyEach(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  return issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue];
}

/** An issue's message, after the path to it. */
export function withPath({ path, message }: Pick<z.core.$ZodIssue, "path" | "message">): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
