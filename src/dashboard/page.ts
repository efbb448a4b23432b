import { type Child, createContext, useContext } from "hono/jsx";
import type { Environment } from "../contract/identifiers.ts";
import type { ControlServices } from "../control/services.ts";
import type { Fields, Flash } from "./submit.ts";

/** The services that the pages use: those of the control API, and facts about the server. */
export interface DashboardServices extends ControlServices {
  /** The environments that this base URL serves. */
  readonly environments: readonly Environment[];
  /** The port of the live base URL on the same host, if it differs from this one. */
  readonly livePort: number | undefined;
  /**
   * Sends a request to the service as a client of its base URL does. Rejects if the connection is lost.
   * @param environment - the base URL of this environment; default: the one of the page
   */
  readonly send: (request: Request, environment?: Environment) => Promise<Response>;
  /** Makes a new Idempotency-Key. */
  readonly newKey: () => string;
}

/** A request for a page. */
export interface PageRequest {
  readonly services: DashboardServices;
  /** The base URL, without a slash at its end. */
  readonly origin: string;
  /** The live base URL; undefined if it is unknown. */
  readonly liveOrigin: string | undefined;
  /** The page's path and query, to which its forms return. */
  readonly path: string;
  /** The query parameters that are not empty. */
  readonly query: Fields;
  readonly flash: Flash | undefined;
}

export interface Page {
  readonly title: string;
  readonly body: Child;
  /**
   * Whether the script refreshes the parts of the page: those elements with `data-part`, when a request was recorded.
   * A string is the URL of the stream of requests to follow.
   */
  readonly live?: boolean | string;
}

export const PageContext = createContext<PageRequest | undefined>(undefined);

/** The request for the page that is being rendered. */
export function usePage(): PageRequest {
  const page = useContext(PageContext);
  if (!page) throw new Error("this component is rendered outside a page");
  return page;
}

/** The input of a form that was refused, to be corrected; empty for any other form. */
export function useRefusedInput(form: string): Fields {
  const refused = usePage().flash?.refused;
  return refused?.form === form ? refused.fields : {};
}
