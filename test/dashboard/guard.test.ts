import { describe, expect, test } from "vitest";
import type { Guard } from "../../src/control/gate.ts";
import { openDashboard } from "../support/open-dashboard.ts";

const withToken: Guard = { kind: "token", token: "correct-horse" };

/** Signs in, and returns the cookie as a browser sends it. */
async function signedIn() {
  const dashboard = openDashboard({}, withToken);
  const { headers } = await dashboard.send("/sign-in", { token: "correct-horse" });
  return { ...dashboard, cookie: headers.get("Set-Cookie")?.split(";")[0] ?? "" };
}

describe("pages have security headers", () => {
  test.each(["", "/requests", "/nothing", "/sign-in"])("%s", async (path) => {
    const { visit } = openDashboard({}, path === "/sign-in" ? withToken : undefined);
    const { headers } = await visit(path);
    const policy = headers.get("Content-Security-Policy") ?? "";
    for (const each of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]) {
      expect(policy.split("; ")).toContain(each);
    }
    expect(policy).not.toContain("unsafe");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  test("pages have no inline style or script", async () => {
    const { visit } = openDashboard();
    for (const path of [
      "",
      "/requests",
      "/scenarios",
      "/scenarios/in-flight",
      "/assumptions",
      "/contract",
      "/world",
      "/cards",
      "/report",
      "/sweep",
    ]) {
      const { html } = await visit(path);
      expect(html).not.toMatch(/<style|<script(?! src="\/_sandbox\/ui\/dashboard\.js)|\sstyle=|\son[a-z]+=/);
      expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    }
  });

  test("serves its own stylesheet and script", async () => {
    const { visit } = openDashboard({}, withToken);
    expect((await visit("/dashboard.css")).headers.get("Content-Type")).toBe("text/css; charset=utf-8");
    expect((await visit("/dashboard.js")).html).toContain("EventSource");
  });
});

describe("on loopback", () => {
  test("handles a path of many slashes in linear time", async () => {
    const { visit } = openDashboard();
    const startedMs = performance.now();
    expect((await visit(`/cards${"/".repeat(40_000)}x/`)).status).toBe(302);
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });

  test("redirects a path with a trailing slash to the page", async () => {
    const { visit } = openDashboard();
    expect((await visit("/?flash=1")).location).toBe("/_sandbox/ui?flash=1");
    expect((await visit("/requests/")).location).toBe("/_sandbox/ui/requests");
  });

  test("needs no sign-in", async () => {
    const { visit } = openDashboard();
    const { status, html } = await visit("");
    expect(status).toBe(200);
    expect(html).not.toContain("Sign out");
    expect((await visit("/sign-in")).location).toBe("/_sandbox/ui");
  });

  test("refuses a foreign host and a page of another site without any effect", async () => {
    const { visit, send, clock } = openDashboard();
    expect((await visit("http://evil.test/_sandbox/ui")).status).toBe(403);
    const before = clock.read().now;
    for (const headers of [
      { Origin: "http://localhost:3000" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
    ]) {
      expect((await send("/clock/advance", { by: "P1D" }, headers)).status).toBe(403);
    }
    expect(clock.read().now).toBe(before);
  });
});

describe("with an admin token", () => {
  test("redirects to the sign-in page, and from there back", async () => {
    const { visit, send } = openDashboard({}, withToken);
    const { status, location } = await visit("/requests?status=422");
    expect(status).toBe(303);
    const signIn = await visit(location ?? "");
    expect(signIn.text).toContain("Admin token");
    expect(signIn.html).not.toContain('<nav aria-label="Dashboard"');
    const next = new URL(location ?? "", "http://localhost").searchParams.get("next") ?? "";
    const entered = await send("/sign-in", { token: "correct-horse", next });
    expect([entered.status, entered.location]).toEqual([303, "/_sandbox/ui/requests?status=422"]);
  });

  test("the cookie is HttpOnly, SameSite and not the token", async () => {
    const { send } = openDashboard({}, withToken);
    const cookie = (await send("/sign-in", { token: "correct-horse" })).headers.get("Set-Cookie") ?? "";
    expect(cookie).toMatch(
      /^card_sandbox_session_4242=[\w-]{43}; Path=\/_sandbox; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie).not.toContain("correct-horse");
    const secure = await send(
      "https://qa.test/_sandbox/ui/sign-in",
      { token: "correct-horse" },
      { Origin: "https://qa.test" },
    );
    expect(secure.headers.get("Set-Cookie")).toContain("; Secure");
  });

  test("refuses a wrong token with 401 and no cookie", async () => {
    const { send } = openDashboard({}, withToken);
    for (const token of ["wrong", "", "correct-horse-"]) {
      const { status, headers, text } = await send("/sign-in", { token });
      expect([status, headers.get("Set-Cookie")]).toEqual([401, null]);
      expect(text).toContain("The admin token is wrong");
    }
  });

  test.each([
    "https://evil.test",
    "//evil.test",
    "/_sandbox/ui//evil.test",
    "/elsewhere",
    "/_sandbox/ui\\evil",
    "/_sandbox/ui/../../docs",
    "/_sandbox/ui/%2e%2e/%2e%2e/docs",
  ])("signing in does not lead on to %s", async (next) => {
    const { send } = openDashboard({}, withToken);
    expect((await send("/sign-in", { token: "correct-horse", next })).location).toBe("/_sandbox/ui");
  });

  test("a session has access to pages, stream and exports", async () => {
    const { visit, cookie } = await signedIn();
    const headers = { Cookie: cookie };
    expect((await visit("", { headers })).text).toContain("Sign out");
    expect((await visit("/_sandbox/coverage?format=junit", { headers })).status).toBe(200);
    expect((await visit("/_sandbox/requests", { headers })).status).toBe(200);
    expect((await visit("/_sandbox/requests", { headers: { Cookie: `${cookie}x` } })).status).toBe(401);
  });

  test("refuses the cookie with forms of other pages", async () => {
    const { send, cookie, clock } = await signedIn();
    const before = clock.read().now;
    const refused: readonly Record<string, string>[] = [
      { Origin: "http://localhost:3000" },
      { Origin: "null" },
      { Origin: "" },
      { "Sec-Fetch-Site": "same-site" },
    ];
    for (const headers of refused) {
      for (const path of ["/clock/advance", "/_sandbox/clock/advance", "/sign-in"]) {
        const { status } = await send(path, { by: "P1D" }, { Cookie: cookie, ...headers });
        expect([path, headers, status]).toEqual([path, headers, 403]);
      }
    }
    expect(clock.read().now).toBe(before);
    expect((await send("/clock/advance", { by: "P1D" }, { Cookie: cookie })).status).toBe(303);
  });

  test("two sandboxes on one host use different cookies", async () => {
    const { send } = openDashboard({}, withToken);
    const cookies = await Promise.all(
      ["http://localhost:4902", "http://localhost:4906"].map(async (origin) => {
        const url = `${origin}/_sandbox/ui/sign-in`;
        const { headers } = await send(url, { token: "correct-horse" }, { Origin: origin });
        return headers.get("Set-Cookie")?.split("=")[0];
      }),
    );
    expect(cookies).toEqual(["card_sandbox_session_4902", "card_sandbox_session_4906"]);
  });

  test("refuses a form that is too large", async () => {
    const { send } = openDashboard({}, withToken);
    const { status, text } = await send("/sign-in", { token: "x".repeat(65 * 1024) });
    expect([status, text]).toEqual([413, expect.stringContaining("form: must be at most 64 KiB")]);
  });

  test("signing out ends only this session", async () => {
    const { send, visit, cookie } = await signedIn();
    const other = await send("/sign-in", { token: "correct-horse" });
    const otherCookie = other.headers.get("Set-Cookie")?.split(";")[0] ?? "";
    expect(otherCookie).not.toBe(cookie);
    await send("/sign-out", {}, { Cookie: cookie });
    const status = async (path: string, Cookie: string) =>
      (await visit(path, { headers: { Cookie } })).status;
    for (const path of ["", "/_sandbox/world", "/_sandbox/requests/stream"]) {
      expect([path, await status(path, cookie)]).toEqual([path, path === "" ? 303 : 401]);
    }
    expect(await status("/_sandbox/world", otherCookie)).toBe(200);
    const acted = await send("/clock/advance", { by: "P1D" }, { Cookie: cookie });
    expect(acted.location).toContain("/sign-in");
  });

  test("signing out ends the session's streams of requests", async () => {
    const { send, visit, cookie } = await signedIn();
    const streamed = visit("/_sandbox/requests/stream", { headers: { Cookie: cookie } });
    await new Promise(setImmediate);
    await send("/sign-out", {}, { Cookie: cookie });
    expect(await streamed).toMatchObject({ status: 200 });
  });

  test("keeps 100 sessions: the next one ends the oldest", async () => {
    const { send, visit, cookie: oldest } = await signedIn();
    const second = (await send("/sign-in", { token: "correct-horse" })).headers.get("Set-Cookie");
    for (let n = 0; n < 99; n++) await send("/sign-in", { token: "correct-horse" });
    const status = async (Cookie: string) => (await visit("/_sandbox/world", { headers: { Cookie } })).status;
    expect(await status(oldest)).toBe(401);
    expect(await status(second?.split(";")[0] ?? "")).toBe(200);
  });

  test("signing in again ends the browser's earlier session", async () => {
    const { send, visit, cookie } = await signedIn();
    await send("/sign-in", { token: "correct-horse" }, { Cookie: cookie });
    expect((await visit("/_sandbox/world", { headers: { Cookie: cookie } })).status).toBe(401);
  });

  test("signing out deletes the cookie", async () => {
    const { send, cookie } = await signedIn();
    const { headers, location } = await send("/sign-out", {}, { Cookie: cookie });
    expect(headers.get("Set-Cookie")).toMatch(/^card_sandbox_session_4242=; Max-Age=0; Path=\/_sandbox/);
    expect(location).toBe("/_sandbox/ui");
  });

  describe("delays wrong tokens", () => {
    const guesses = {
      "at the sign-in form": (dashboard: Dashboard) => dashboard.send("/sign-in", { token: "wrong" }),
      "as a Bearer token": (dashboard: Dashboard) => withBearer(dashboard, "/_sandbox/world", "wrong"),
      "on a page": (dashboard: Dashboard) => withBearer(dashboard, "", "wrong"),
      "at health": (dashboard: Dashboard) => withBearer(dashboard, "/_sandbox/health", "wrong"),
      "from another site": ({ visit }: Dashboard) =>
        visit("/_sandbox/world", {
          headers: { Authorization: "Bearer wrong", "Sec-Fetch-Site": "cross-site" },
        }),
    };
    type Dashboard = ReturnType<typeof openDashboard>;
    const withBearer = ({ visit }: Dashboard, path: string, token: string) =>
      visit(path, { headers: { Authorization: `Bearer ${token}` } });

    test.each(Object.entries(guesses))("%s: from the sixth on, up to three seconds", async (_, guess) => {
      const dashboard = openDashboard({}, withToken);
      for (let n = 0; n < 12; n++) await guess(dashboard);
      expect(dashboard.clockOfTest.waited).toEqual([1000, 2000, 3000, 3000, 3000, 3000, 3000]);
    });

    test("counted together, as a header and at sign-in", async () => {
      const dashboard = openDashboard({}, withToken);
      for (const guess of Object.values(guesses)) await guess(dashboard);
      expect(dashboard.clockOfTest.waited).toEqual([]);
      await guesses["at the sign-in form"](dashboard);
      expect(dashboard.clockOfTest.waited).toEqual([1000]);
    });

    test("but not the right token, a session or a request without a token", async () => {
      const dashboard = await signedIn();
      for (let n = 0; n < 20; n++) await guesses["as a Bearer token"](dashboard);
      const { clockOfTest, visit, send } = dashboard;
      clockOfTest.waited.length = 0;
      expect((await withBearer(dashboard, "/_sandbox/world", "correct-horse")).status).toBe(200);
      expect((await send("/sign-in", { token: "correct-horse" })).status).toBe(303);
      const headers = { Cookie: dashboard.cookie, Authorization: "Bearer wrong" };
      expect((await visit("/_sandbox/world", { headers })).status).toBe(200);
      expect((await visit("/_sandbox/world")).status).toBe(401);
      expect(clockOfTest.waited).toEqual([]);
    });

    test("until some seconds pass without one", async () => {
      const dashboard = openDashboard({}, withToken);
      for (let n = 0; n < 1000; n++) await guesses["as a Bearer token"](dashboard);
      dashboard.clockOfTest.waited.length = 0;
      dashboard.clockOfTest.advance(10_000);
      for (let n = 0; n < 5; n++) await guesses["as a Bearer token"](dashboard);
      expect(dashboard.clockOfTest.waited).toEqual([]);
    });

    test("without a timer for a client that closes its connection", async () => {
      const dashboard = openDashboard({}, withToken);
      for (let n = 0; n < 5; n++) await guesses["as a Bearer token"](dashboard);
      const abort = new AbortController();
      const headers = { Authorization: "Bearer wrong" };
      const reply = dashboard.visit("/_sandbox/world", { headers, signal: abort.signal });
      // A wait of the test clock ends after the current task, so it is checked before.
      for (let n = 0; n < 1000; n++) await Promise.resolve();
      expect(dashboard.clockOfTest.waits).toEqual([1000]);
      abort.abort();
      expect(dashboard.clockOfTest.waits).toEqual([]);
      await reply;
    });
  });

  test("a form without a session has no effect", async () => {
    const { send, clock } = openDashboard({}, withToken);
    const before = clock.read().now;
    expect((await send("/clock/advance", { by: "P1D" })).location).toContain("/sign-in");
    expect(clock.read().now).toBe(before);
  });
});
