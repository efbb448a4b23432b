import type { Environment } from "../contract/identifiers.ts";
import { type Orderer, orderCommand, tokenCommand } from "../world/first-order.ts";

/** What a base URL shows about itself. */
export interface StartPageOptions {
  /** The environments that this base URL serves. */
  readonly environments: readonly Environment[];
  /** The port of the live base URL if it is a different one. */
  readonly livePort: number | undefined;
  /** Whether this base URL serves the control API and the dashboard, and whether these need the admin token. */
  readonly control: "none" | "open" | "admin token";
  readonly onBehalfOfRequired: boolean;
  readonly version: string;
  /** The member whose API key the first order uses; undefined: there is none, or the client may not know the key. */
  readonly orderer: Orderer | undefined;
}

/** The text of `GET /`: where to begin. */
export function startPage(origin: string, options: StartPageOptions): string {
  const { environments, livePort, control, version, orderer } = options;
  const live = new URL(origin);
  if (livePort !== undefined) live.port = String(livePort);
  const hasLive = livePort !== undefined || environments.includes("live");
  const needed = control === "admin token" ? " (needs the admin token)" : "";
  return [
    `card-sandbox ${version}: the company-card API on your machine`,
    "",
    ...(environments.includes("sandbox") ? [`Sandbox base URL  ${origin}`] : []),
    ...(hasLive ? [`Live base URL     ${live.origin}`] : []),
    ...(control === "none"
      ? []
      : [
          `Dashboard         ${origin}/_sandbox/ui${needed}`,
          `Control API       ${origin}/_sandbox${needed}`,
        ]),
    `API reference     ${origin}/docs`,
    "Documentation     README.md and docs/ in the package",
    "",
    ...(orderer ? orderLines(origin, orderer, options) : tokenLines(origin, environments)),
    "",
  ].join("\n");
}

function orderLines(origin: string, orderer: Orderer, { onBehalfOfRequired }: StartPageOptions): string[] {
  return [
    "Order a card (run these commands twice: the second request returns the same card)",
    "",
    tokenCommand(origin, orderer.secret),
    orderCommand(origin, orderer, { onBehalfOf: onBehalfOfRequired }),
  ];
}

function tokenLines(origin: string, environments: readonly Environment[]): string[] {
  const path = environments.includes("sandbox") ? "/auth/v1/sandbox/token" : "/auth/v1/token";
  return [
    "Exchange one of your API keys for an access token",
    "",
    `curl -s ${origin}${path} -d '{"api_key":"YOUR_API_KEY"}'`,
  ];
}
