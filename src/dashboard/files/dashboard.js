// Adds copy buttons, a search, a running clock and live requests. The pages work without it.

/** How many rows the live list keeps. */
const rowsKept = 200;

/** Screen readers read one summary of the new requests per interval. */
const summaryIntervalMs = 2000;

for (const button of document.querySelectorAll("button[data-copy]")) showCopyButton(button);
for (const live of document.querySelectorAll("[data-live]")) showLiveRequests(live);
for (const field of document.querySelectorAll("[data-search]")) search(field);
for (const clock of document.querySelectorAll('[data-clock="running"] time')) tick(clock);

/** @param {Element} button - the text to copy is in the same element */
function showCopyButton(button) {
  const text = button.parentElement?.querySelector("code")?.textContent ?? "";
  const [label] = button.childNodes;
  // Browsers offer no clipboard to pages that another machine served over plain HTTP.
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
 * Hides the items of a list that do not contain every typed word.
 * @param {Element} field
 */
function search(field) {
  const list = document.querySelector(field.getAttribute("data-search") ?? "");
  const input = field.querySelector("input");
  const message = field.querySelector("[role=status]");
  if (!list || !input || !message) return;
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
    message.textContent = `${found} of ${list.children.length}`;
  });
}

/**
 * Advances a displayed clock every second.
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
 * Adds new requests to the table, newest first.
 * @param {Element} live - has the stream's URL, the status message and the pause button
 */
function showLiveRequests(live) {
  const table = document.querySelector("#requests");
  const message = live.querySelector("[data-message]");
  const pause = live.querySelector("[data-pause]");
  if (!table || !message || !pause) return;
  live.removeAttribute("hidden");
  /** @type {any[]} Not yet in the table. */
  let waiting = [];
  /** @type {any[]} Not yet in a summary. */
  let unannounced = [];
  let isPaused = false;
  let isScheduled = false;

  const show = () => {
    document.querySelector("[data-list]")?.removeAttribute("hidden");
    document.querySelector("[data-empty]")?.remove();
    // Older rows would be removed at once.
    for (const entry of waiting.slice(-rowsKept)) table.prepend(rowOf(entry));
    while (table.children.length > rowsKept) table.lastElementChild?.remove();
    waiting = [];
  };
  const announce = () => {
    isScheduled = false;
    if (isPaused) message.textContent = `Paused: ${waiting.length} new`;
    else if (unannounced.length > 0) message.textContent = summaryOf(unannounced);
    unannounced = [];
  };
  pause.addEventListener("click", () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    live.classList.toggle("waiting", isPaused);
    message.textContent = isPaused ? "Paused" : "New requests appear here";
    if (!isPaused) show();
  });

  const stream = new EventSource(live.getAttribute("data-live") ?? "");
  stream.addEventListener("request", ({ data }) => {
    const entry = JSON.parse(data);
    waiting.push(entry);
    unannounced.push(entry);
    if (waiting.length === 1 && !isPaused) requestAnimationFrame(() => !isPaused && show());
    if (!isScheduled) setTimeout(announce, summaryIntervalMs);
    isScheduled = true;
  });
  stream.addEventListener("open", () => {
    if (isPaused) return;
    live.classList.remove("waiting");
    message.textContent = "New requests appear here";
  });
  stream.addEventListener("error", () => {
    live.classList.add("waiting");
    const isOver = stream.readyState === EventSource.CLOSED;
    message.textContent = isOver
      ? "No new requests appear: reload this page"
      : "The sandbox does not respond: trying again";
  });
}

/** @param {any[]} entries */
function summaryOf(entries) {
  const last = entries[entries.length - 1];
  const one = `${last.method} ${last.path}, ${last.status ?? "connection lost"}`;
  return entries.length === 1 ? one : `${entries.length} new requests, latest: ${one}`;
}

/**
 * The table row of a request. Values are inserted as text, never as markup.
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
  fill("point", entry.point ?? "none: connection dropped");
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
