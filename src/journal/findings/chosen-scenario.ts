import type { Seen } from "./seen.ts";

/**
 * What the request itself says to choose a scenario by, in a header or in its body's name; empty where it says
 * nothing. A client that repeats a request repeats this with it.
 */
export function chosenScenario({ messages, json }: Seen): string {
  const { requestHeaders } = messages;
  const name = (json as { name?: unknown } | null | undefined)?.name;
  return [
    requestHeaders.get("Sandbox-Scenario") ?? "",
    requestHeaders.get("Prefer") ?? "",
    typeof name === "string" && name.startsWith("scenario:") ? name : "",
  ]
    .join(" ")
    .trim();
}
