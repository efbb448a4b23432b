import type { Child } from "hono/jsx";
import type { Environment } from "../contract/identifiers.ts";
import type { ControlServices } from "../control/app.ts";
import type { Flash } from "./flashes.ts";

/** What the pages read from, and what they act on: the same as the sandbox's own API. */
export interface DashboardServices extends ControlServices {
  /** The environments whose base address this is. */
  readonly environments: readonly Environment[];
  /** Where live has a base address of its own: its port on the same host. */
  readonly livePort: number | undefined;
  /** Whether orders need the header `X-On-Behalf-Of`. */
  readonly onBehalfOfRequired: boolean;
}

/** Somebody opens a page. */
export interface Visit {
  readonly services: DashboardServices;
  /** The base address, without a slash at its end. */
  readonly origin: string;
  /** The live base address; undefined where it is not known. */
  readonly liveOrigin: string | undefined;
  /** The page's path and parameters, for forms to lead back to. */
  readonly here: string;
  /** What stands in the address, without what is empty. */
  readonly query: Readonly<Record<string, string>>;
  readonly flash: Flash | undefined;
}

export interface Page {
  readonly title: string;
  readonly body: Child;
}

/** What was typed into a form that was refused, to be mended and sent again. */
export function typedInto({ flash }: Visit, form: string): Readonly<Record<string, string>> {
  return flash?.refused?.form === form ? flash.refused.typed : {};
}
