import type { Guard } from "../../src/control/gate.ts";
import { openSandbox, type TestOptions } from "./open-sandbox.ts";

const origin = "http://localhost:4242";

/** What a browser got for a page, or for a form that it sent. */
export interface Visited {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The page's text, without its markup. */
  readonly text: string;
  /** Where it leads, where it is a redirect. */
  readonly location: string | null;
}

/** A sandbox, and its dashboard as a browser on this machine sees it. */
export function openDashboard(options: TestOptions = {}, guard: Guard = { kind: "loopback" }) {
  const sandbox = openSandbox(options);
  const fetch = sandbox.serve({ environments: ["sandbox", "live"], control: guard });

  const visit = async (path: string, init: RequestInit = {}): Promise<Visited> => {
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

  /** Sends a form from one of the dashboard's own pages, and does not follow where it leads. */
  const send = (path: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    visit(path, { method: "POST", body: new URLSearchParams(form), headers: { Origin: origin, ...headers } });

  /** Sends a form, and sees what it leads to. */
  const submit = async (path: string, form: Record<string, string> = {}): Promise<Visited> => {
    const { status, location, text } = await send(path, form);
    if (status !== 303 || location === null) throw new Error(`${path} leads nowhere: ${status} ${text}`);
    return visit(location);
  };

  return { ...sandbox, origin, visit, send, submit };
}

/** What is read of a page. */
function textOf(html: string): string {
  return html
    .replace(/<(template|head)[\s\S]*?<\/\1>/g, "")
    .replace(/<\/(td|th|p|li|dt|dd|h[1-6]|option|label|a|button|code|span)>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => characters[name] ?? "")
    .replace(/\s+/g, " ");
}

const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" };
