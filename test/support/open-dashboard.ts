import type { Guard } from "../../src/control/gate.ts";
import { openSandbox, type TestOptions } from "./open-sandbox.ts";

const origin = "http://localhost:4242";

/** The response to a page or a form. */
export interface PageReply {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The text of the page, without markup. */
  readonly text: string;
  /** The target of a redirect. */
  readonly location: string | null;
}

/** Opens a sandbox, and its dashboard as a browser on this machine gets it. */
export function openDashboard(options: TestOptions = {}, guard: Guard = { kind: "loopback" }) {
  const sandbox = openSandbox(options);
  const fetch = sandbox.serve({ environments: ["sandbox", "live"], control: guard });

  const visit = async (path: string, init: RequestInit = {}): Promise<PageReply> => {
    const url = path.startsWith("http")
      ? path
      : `${origin}${path.startsWith("/_sandbox") ? "" : "/_sandbox/ui"}${path}`;
    const response = await fetch(new Request(url, init));
    const html = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      html,
      text: textOf(html),
      location: response.headers.get("Location"),
    };
  };

  /** Sends a form of the dashboard, and does not follow the redirect. */
  const send = (path: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    visit(path, { method: "POST", body: new URLSearchParams(form), headers: { Origin: origin, ...headers } });

  /** Sends a form, and follows the redirect. */
  const submit = async (path: string, form: Record<string, string> = {}): Promise<PageReply> => {
    const { status, location, text } = await send(path, form);
    if (status !== 303 || location === null) throw new Error(`${path} did not redirect: ${status} ${text}`);
    return visit(location);
  };

  return { ...sandbox, origin, visit, send, submit };
}

/** The visible text of a page. */
function textOf(html: string): string {
  return html
    .replace(/<(template|head)[\s\S]*?<\/\1>/g, "")
    .replace(/<\/(td|th|p|li|dt|dd|h[1-6]|option|label|a|button|code|span)>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => characters[name] ?? "")
    .replace(/\s+/g, " ");
}

const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" };
