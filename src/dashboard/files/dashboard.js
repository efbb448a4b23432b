// What the pages gain where scripts run: copy buttons, and requests as they come. They work without it.

/** How many rows the live list keeps. */
const rowsKept = 200;

/** How long what came is gathered before it is read out. */
const saidAfterMs = 2000;

for (const button of document.querySelectorAll("button[data-copy]")) offerToCopy(button);
for (const live of document.querySelectorAll("[data-live]")) follow(live);
for (const field of document.querySelectorAll("[data-find]")) find(field);
for (const clock of document.querySelectorAll('[data-clock="running"] time')) tick(clock);

/** @param {Element} button beside the text to copy */
function offerToCopy(button) {
  const text = button.parentElement?.querySelector("code")?.textContent ?? "";
  const [label] = button.childNodes;
  // A browser has no clipboard for pages that came unencrypted from another machine.
  if (!navigator.clipboard || !label) return;
  button.removeAttribute("hidden");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    label.textContent = "Copied";
    setTimeout(() => {
      label.textContent = "Copy";
    }, 2000);
  });
}

/**
 * Leaves of a list what holds every word that is typed.
 * @param {Element} field
 */
function find(field) {
  const list = document.querySelector(field.getAttribute("data-find") ?? "");
  const input = field.querySelector("input");
  const said = field.querySelector("[role=status]");
  if (!list || !input || !said) return;
  field.removeAttribute("hidden");
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    let found = 0;
    for (const item of list.children) {
      const text = item.textContent.toLowerCase();
      const fits = words.every((word) => text.includes(word));
      item.toggleAttribute("hidden", !fits);
      if (fits) found++;
    }
    said.textContent = `${found} of ${list.children.length}`;
  });
}

/**
 * Lets a clock go on from what the page says.
 * @param {Element} clock
 */
function tick(clock) {
  const startedMs = performance.now();
  const fromMs = Date.parse(clock.getAttribute("datetime") ?? "");
  setInterval(() => {
    const now = new Date(fromMs + performance.now() - startedMs);
    clock.textContent = now.toISOString().slice(0, 19).replace("T", " ");
  }, 1000);
}

/**
 * Adds the requests that come to the table, the newest first.
 * @param {Element} live says what to follow, and what has come
 */
function follow(live) {
  const table = document.querySelector("#requests");
  const said = live.querySelector("[data-said]");
  const pause = live.querySelector("[data-pause]");
  if (!table || !said || !pause) return;
  live.removeAttribute("hidden");
  /** @type {any[]} Those that came while the list stood still. */
  let waiting = [];
  /** @type {any[]} Those that are yet to be read out. */
  let unsaid = [];
  let isPaused = false;
  let isGathering = false;

  const show = () => {
    document.querySelector("[data-some]")?.removeAttribute("hidden");
    document.querySelector("[data-none]")?.remove();
    // What would be cut off at once is not made.
    for (const entry of waiting.slice(-rowsKept)) table.prepend(rowOf(entry));
    while (table.children.length > rowsKept) table.lastElementChild?.remove();
    waiting = [];
  };
  const say = () => {
    isGathering = false;
    if (isPaused) said.textContent = `Paused; ${waiting.length} new`;
    else if (unsaid.length > 0) said.textContent = summaryOf(unsaid);
    unsaid = [];
  };
  pause.addEventListener("click", () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    live.classList.toggle("waiting", isPaused);
    said.textContent = isPaused ? "Paused" : "Following new requests";
    if (!isPaused) show();
  });

  const stream = new EventSource(live.getAttribute("data-live") ?? "");
  stream.addEventListener("request", ({ data }) => {
    const entry = JSON.parse(data);
    waiting.push(entry);
    unsaid.push(entry);
    if (waiting.length === 1 && !isPaused) requestAnimationFrame(() => !isPaused && show());
    if (!isGathering) setTimeout(say, saidAfterMs);
    isGathering = true;
  });
  stream.addEventListener("open", () => {
    if (isPaused) return;
    live.classList.remove("waiting");
    said.textContent = "Following new requests";
  });
  stream.addEventListener("error", () => {
    live.classList.add("waiting");
    const isOver = stream.readyState === EventSource.CLOSED;
    said.textContent = isOver
      ? "The sandbox refuses to tell of requests: load this page anew"
      : "The sandbox does not answer; trying again";
  });
}

/** @param {any[]} entries */
function summaryOf(entries) {
  const last = entries[entries.length - 1];
  const one = `${last.method} ${last.path}, ${last.status ?? "connection lost"}`;
  return entries.length === 1 ? one : `${entries.length} new requests, the latest ${one}`;
}

/**
 * A row of the table, of a request as the stream tells it. Whatever came from outside goes in as text.
 * @param {any} entry
 */
function rowOf(entry) {
  const template = /** @type {HTMLTemplateElement} */ (document.querySelector("#request-row"));
  const row = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  /** @param {string} name @param {string} text */
  const fill = (name, text) => {
    const place = /** @type {Element} */ (row.querySelector(`[data-of="${name}"]`));
    place.textContent = text;
    return place;
  };
  fill("method", entry.method);
  fill("path", entry.path);
  row.querySelector("a")?.setAttribute("href", `/_sandbox/ui/requests/${Number(entry.id)}`);
  fill("status", String(entry.status ?? "lost")).classList.add(toneOf(entry.status));
  fill("company", entry.caller?.company ?? "");
  fill("point", entry.point ?? "nothing: the connection was dropped");
  fill("provenance", entry.provenance ?? "").classList.add(entry.provenance ?? "none");
  fill("scenario", entry.scenario ?? "");
  fill("time", entry.time.slice(11, -1)).setAttribute("datetime", entry.time);
  fill("duration", `${entry.duration_ms} ms`);
  row.firstElementChild?.classList.add("new");
  return row;
}

/** @param {number | null} status */
function toneOf(status) {
  if (status === null || status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}
