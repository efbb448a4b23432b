// Adds live parts, a search in lists, keys, a running clock and copy buttons. The pages work without it.

/** How many children a list keeps. */
const mostKept = 500;

/** The least time between two refreshes, and the longest while the page is visible. */
const refreshMs = { least: 1000, most: 5000 };

for (const button of document.querySelectorAll("button[data-copy]")) showCopyButton(button);
for (const field of document.querySelectorAll("[data-search]")) search(field);
showCurrentPage();
tick();
follow();
document.addEventListener("keydown", onKey);

/** Scrolls the menu of a narrow window to the current page. */
function showCurrentPage() {
  const link = document.querySelector("header nav [aria-current]");
  const menu = link?.closest("ul");
  if (menu && link instanceof HTMLElement) menu.scrollLeft = link.offsetLeft - menu.clientWidth / 3;
}

/** @param {Element} button - the text to copy is in the same element */
function showCopyButton(button) {
  // Browsers offer no clipboard to pages that another machine served over plain HTTP.
  if (!navigator.clipboard) return;
  button.removeAttribute("hidden");
  button.addEventListener("click", async () => {
    const [label] = button.childNodes;
    await navigator.clipboard.writeText(button.parentElement?.querySelector("code")?.textContent ?? "");
    if (!label) return;
    label.textContent = "Copied";
    setTimeout(() => {
      label.textContent = "Copy";
    }, 2000);
  });
}

/**
 * Hides the items of a list that do not contain every typed word, and the sections without an item that is left.
 * @param {Element} field
 */
function search(field) {
  const list = document.querySelector(field.getAttribute("data-search") ?? "");
  const input = field.querySelector("input");
  const message = field.querySelector("[role=status]");
  if (!list || !input || !message) return;
  field.removeAttribute("hidden");
  const update = () => {
    const words = input.value.toLowerCase().split(/\s+/);
    const marked = list.querySelectorAll(".item");
    const items = marked.length > 0 ? [...marked] : [...list.children];
    const found = items.filter((item) => {
      const text = item.textContent.toLowerCase();
      const fits = words.every((word) => text.includes(word));
      item.toggleAttribute("hidden", !fits);
      return fits;
    });
    for (const section of list.querySelectorAll("section")) {
      section.toggleAttribute("hidden", !section.querySelector(".item:not([hidden])"));
    }
    message.textContent = input.value.trim() === "" ? "" : `${found.length} of ${items.length}`;
  };
  input.addEventListener("input", update);
  if (input.value !== "") update();
}

/** Advances the displayed clock every second. A refresh may replace it. */
function tick() {
  let shown = "";
  let startedMs = 0;
  setInterval(() => {
    const clock = document.querySelector('[data-clock="running"] time');
    const from = clock?.getAttribute("datetime") ?? "";
    if (from !== shown) {
      shown = from;
      startedMs = performance.now();
    }
    if (!clock) return;
    const now = new Date(Date.parse(from) + performance.now() - startedMs);
    clock.textContent = now.toISOString().slice(0, 19).replace("T", " ");
  }, 1000);
}

/** Refreshes the parts of the page when the sandbox recorded a request, and from time to time. */
function follow() {
  const live = document.querySelector("main")?.getAttribute("data-live");
  if (!live) return;
  const bar = document.querySelector(".live");
  const message = bar?.querySelector("[data-message]");
  const pause = bar?.querySelector("[data-pause]");
  bar?.removeAttribute("hidden");
  let isPaused = false;
  let waiting = 0;
  let isRefreshing = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let lastMs = performance.now();

  /** @param {string} text @param {boolean} isWaiting */
  const say = (text, isWaiting) => {
    bar?.classList.toggle("waiting", isWaiting);
    if (message && message.textContent !== text) message.textContent = text;
  };
  const refresh = async () => {
    timer = undefined;
    if (isPaused || isRefreshing || document.hidden) return;
    isRefreshing = true;
    lastMs = performance.now();
    const fresh = await pageAt(location.href);
    isRefreshing = false;
    if (fresh && !isPaused) replaceParts(fresh);
  };
  const schedule = () => {
    if (timer === undefined)
      timer = setTimeout(refresh, Math.max(0, lastMs + refreshMs.least - performance.now()));
  };
  pause?.addEventListener("click", () => {
    isPaused = !isPaused;
    waiting = 0;
    pause.setAttribute("aria-pressed", String(isPaused));
    say(isPaused ? "Paused" : "New requests appear here", isPaused);
    schedule();
  });
  document.addEventListener("visibilitychange", schedule);
  setInterval(schedule, refreshMs.most);

  const stream = new EventSource(live);
  stream.addEventListener("request", () => {
    if (isPaused) say(`Paused: ${++waiting} new`, true);
    else schedule();
  });
  stream.addEventListener("open", () => {
    if (!isPaused) say("New requests appear here", false);
  });
  stream.addEventListener("error", () => {
    const isOver = stream.readyState === EventSource.CLOSED;
    say(
      isOver ? "No new requests appear: reload this page" : "The sandbox does not respond: trying again",
      true,
    );
  });
}

/**
 * Undefined if the sandbox does not respond with the page. A request by `XMLHttpRequest` parses markup without running it.
 * @param {string} url
 * @returns {Promise<Document | undefined>}
 */
function pageAt(url) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.responseType = "document";
    request.onload = () => resolve(request.status === 200 ? (request.responseXML ?? undefined) : undefined);
    request.onerror = () => resolve(undefined);
    request.send();
  });
}

/** @param {Document} fresh */
function replaceParts(fresh) {
  const [anchor, topPx] = readersPlace();
  let added = 0;
  for (const part of document.querySelectorAll("[data-part]")) {
    const found = fresh.getElementById(part.id);
    if (!found) continue;
    const next = prepared(found);
    if (part.hasAttribute("data-keyed")) added += merge(part, next);
    else if (!part.isEqualNode(next) && !isInUse(part)) part.replaceWith(next);
  }
  if (anchor?.isConnected) scrollBy(0, anchor.getBoundingClientRect().top - topPx);
  if (added > 0) announce(added);
}

/**
 * The first row that the reader sees below the top of the page, and where it is.
 * @returns {[Element | undefined, number]}
 */
function readersPlace() {
  if (scrollY < 40) return [undefined, 0];
  const rows = document.querySelectorAll("[data-keyed] > *, [data-part] > *");
  const anchor = [...rows].find((row) => row.getBoundingClientRect().top >= 0);
  return [anchor, anchor?.getBoundingClientRect().top ?? 0];
}

/**
 * Whether the reader types in it, selects it or has opened something in it.
 * @param {Element} part
 */
function isInUse(part) {
  const selection = getSelection();
  const isSelected = selection && !selection.isCollapsed && selection.containsNode(part, true);
  return isSelected || part.contains(document.activeElement) || part.querySelector("details[open]") !== null;
}

/**
 * An element of another document for this one.
 * @param {Element} element
 */
function prepared(element) {
  const adopted = document.importNode(element, true);
  for (const button of adopted.querySelectorAll("button[data-copy]")) showCopyButton(button);
  return adopted;
}

/**
 * Inserts and replaces children by their ids. Those that are gone stay, so that the reader's place does.
 * @param {Element} list
 * @param {Element} fresh
 * @returns {number} the number of new children
 */
function merge(list, fresh) {
  let added = 0;
  const known = new Map([...list.children].map((child) => [child.id, child]));
  const children = [...fresh.children];
  if (!children.some(({ id }) => known.has(id))) {
    if (scrollY < 40) list.replaceChildren();
    else if (children.length > 1 && known.size >= children.length) list.prepend(gapIn(list));
  }
  let after = list.firstElementChild;
  for (const child of children.reverse()) {
    const old = known.get(child.id);
    if (old?.parentElement === list) {
      if (old.classList.contains("new")) child.classList.add("new");
      after = old;
      if (old.isEqualNode(child) || old.contains(document.activeElement)) continue;
      old.replaceWith(child);
    } else {
      child.classList.add("new");
      list.insertBefore(child, after);
      added++;
    }
    after = child;
  }
  while (list.children.length > mostKept && scrollY < 40) list.lastElementChild?.remove();
  return added;
}

/**
 * A row for the items that are on none of the fetched pages.
 * @param {Element} list
 */
function gapIn(list) {
  const row = document.createElement(list.localName === "tbody" ? "tr" : "li");
  const cell = row instanceof HTMLTableRowElement ? row.insertCell() : row;
  if (cell instanceof HTMLTableCellElement) cell.colSpan = 99;
  cell.className = "remark";
  cell.textContent = "Too many came at once to show them all. Reload the page to see the ones missing here.";
  return row;
}

/**
 * Screen readers read a summary. A reader who has scrolled down sees how many rows are new.
 * @param {number} added
 */
function announce(added) {
  const message = document.querySelector(".live [data-message]");
  if (message) message.textContent = added === 1 ? "1 new request" : `${added} new requests`;
  const up = document.querySelector("[data-new]");
  if (!up || scrollY < 40) return;
  const sum = Number(up.getAttribute("data-new")) + added;
  up.setAttribute("data-new", String(sum));
  up.textContent = `${sum} new ↑`;
  up.removeAttribute("hidden");
  addEventListener("scroll", function hide() {
    if (scrollY > 40) return;
    up.setAttribute("hidden", "");
    up.setAttribute("data-new", "0");
    removeEventListener("scroll", hide);
  });
}

/**
 * `/` goes to the search field; j and k to the next and previous row, or page; r to the button that repeats a request.
 * @param {KeyboardEvent} event
 */
function onKey(event) {
  const at = document.activeElement;
  if (event.ctrlKey || event.metaKey || event.altKey || at?.matches("input, select, textarea")) return;
  const target = /** @type {HTMLElement | null} */ (
    document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)
  );
  if (target) {
    event.preventDefault();
    if (event.key === "/") target.focus();
    // A key that is held down would repeat a request on each page that follows.
    else if (!event.repeat) target.click();
  } else if (event.key === "j" || event.key === "k") {
    const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".row-link")]);
    const index = at ? links.indexOf(/** @type {HTMLElement} */ (at)) : -1;
    const next = links[event.key === "j" ? index + 1 : Math.max(0, index - 1)];
    next?.focus();
  }
}
