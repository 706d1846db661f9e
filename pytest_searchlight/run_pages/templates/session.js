// The list of runs: filters, order and page stand in the address, so that a view can be passed on.
"use strict";

(() => {
  const PAGE_ROWS = 100;
  const DASH = "–";
  const FILTERS = {
    task: "all tasks",
    setup: "all setups",
    agent: "all agents",
    outcome: "all outcomes",
    status: "all statuses",
  };
  const OUTCOMES = { pass: "passed", fail: "failed", uncounted: "not counted" };
  const SIGNS = { pass: "✓", fail: "✗", uncounted: DASH };
  const HEADINGS = [
    ["task", "Task"], ["setup", "Setup"], ["outcome", "Outcome"], ["agent", "Agent"], ["repetition", "Rep."],
    ["checks_passed", "Checks"], ["tokens", "Tokens"], ["cost_usd", "Cost"], ["calls", "Calls"],
    ["duration_s", "Time"], ["note", "Why"],
  ];
  const TEXTS = new Set(["task", "setup", "agent", "outcome", "note"]);

  const data = JSON.parse(document.getElementById("data").textContent);
  const runs = data.rows.map((row) => {
    const run = {};
    data.columns.forEach((column, place) => {
      run[column] = column in data.names ? data.names[column][row[place]] : row[place];
    });
    run.text = [run.id, run.task, run.setup, run.agent, run.status, run.note].join("\n").toLowerCase();
    return run;
  });
  const form = document.getElementById("filters");
  const list = document.querySelector("#runs tbody");
  const matrix = document.getElementById("matrix");
  let state = readState();
  let selected = [];

  // --- state and address -----------------------------------------------------------------------------------

  function readState() {
    const given = new URLSearchParams(location.hash.slice(1));
    const found = { page: Number(given.get("page")) || 1 };
    for (const name of [...Object.keys(FILTERS), "text", "sort"]) found[name] = given.get(name) ?? "";
    return found;
  }

  function writeState(wanted) {
    const said = new URLSearchParams();
    for (const [name, value] of Object.entries(wanted)) {
      if (value && !(name === "page" && value === 1)) said.set(name, value);
    }
    return `#${said}`;
  }

  function change(changes) {
    state = { ...state, page: 1, ...changes };
    history.replaceState(null, "", writeState(state));
    show();
  }

  // --- selection -------------------------------------------------------------------------------------------

  function select() {
    const names = Object.keys(FILTERS).filter((name) => state[name]);
    const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = runs.filter(
      (run) => names.every((name) => run[name] === state[name]) && words.every((word) => run.text.includes(word)),
    );
    return state.sort ? sort(found) : found;
  }

  function readOrder() {
    const down = state.sort.startsWith("-");
    return { column: down ? state.sort.slice(1) : state.sort, down };
  }

  /** What is unknown comes last in either order; equals stay in the plan's order. */
  function sort(found) {
    const { column, down } = readOrder();
    const order = TEXTS.has(column) ? new Intl.Collator("en", { numeric: true }).compare : (a, b) => a - b;
    return [...found].sort((a, b) => {
      const [left, right] = [a[column] ?? null, b[column] ?? null];
      if (left === null || right === null) return (left === null) - (right === null);
      return down ? order(right, left) : order(left, right);
    });
  }

  function countOutcomes(found) {
    const counts = { pass: 0, fail: 0, uncounted: 0 };
    for (const run of found) counts[run.outcome] += 1;
    return counts;
  }

  // --- drawing ---------------------------------------------------------------------------------------------

  function make(tag, content, attributes = {}) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...[content].flat());
    return element;
  }

  const number = (value) => (value === null ? DASH : value.toLocaleString("en"));
  const fixed = (value, digits) =>
    value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

  /** As the pages of runs write it. */
  function dollars(value) {
    if (value === null) return DASH;
    if (value > 0 && value < 0.001) return "< $0.001";
    return `$${fixed(value, value > 0 && value < 1 ? 3 : 2)}`;
  }

  function seconds(value) {
    if (value === null) return DASH;
    if (value > 0 && value < 0.001) return "< 1 ms";
    if (value < 0.1) return `${fixed(1000 * value, 0)} ms`;
    return `${fixed(value, value < 10 ? 1 : 0)} s`;
  }

  function drawMark(run) {
    const word = run.status === "graded" ? OUTCOMES[run.outcome] : nameChoice("status", run.status);
    const sign = make("span", SIGNS[run.outcome], { "aria-hidden": "true" });
    return make("span", [sign, ` ${word}`], { class: `mark ${run.outcome}` });
  }

  /** Catalog and task, with a place to break the line between them. */
  function nameTask(task) {
    const cut = task.indexOf("/") + 1;
    return [task.slice(0, cut), document.createElement("wbr"), task.slice(cut)];
  }

  function drawRun(run) {
    const link = make("a", nameTask(run.task), { href: `runs/${encodeURIComponent(run.id)}.html` });
    return make("tr", [
      make("th", link, { scope: "row" }),
      make("td", run.setup, { class: "text" }),
      make("td", drawMark(run), { class: "text" }),
      make("td", run.agent, { class: "text" }),
      make("td", number(run.repetition)),
      make("td", run.checks ? `${run.checks_passed}/${run.checks}` : DASH),
      make("td", number(run.tokens)),
      make("td", dollars(run.cost_usd)),
      make("td", number(run.calls)),
      make("td", seconds(run.duration_s)),
      make("td", run.note, { class: "text long", dir: "auto" }),
    ]);
  }

  function drawNothing() {
    const text = runs.length
      ? "No run is like that. “Show all runs” takes the filters away."
      : "No run is planned yet. Load the page again when the session has begun.";
    return make("tr", make("td", text, { class: "text", colspan: HEADINGS.length }));
  }

  function drawHeadings() {
    const cells = HEADINGS.map(([column, label]) => {
      const button = make("button", label, { type: "button", "data-sort": column });
      return make("th", button, { scope: "col", class: TEXTS.has(column) ? "text" : "number" });
    });
    document.querySelector("#runs thead tr").replaceChildren(...cells);
  }

  function markSorted() {
    const { column, down } = readOrder();
    for (const button of document.querySelectorAll("#runs thead button")) {
      const heading = button.parentElement;
      if (button.dataset.sort === column) heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    }
  }

  function nameChoice(name, value) {
    if (name === "outcome") return OUTCOMES[value];
    return name === "status" ? value.replaceAll("_", " ") : value;
  }

  function drawChoices() {
    for (const [name, all] of Object.entries(FILTERS)) {
      const counts = new Map();
      for (const run of runs) counts.set(run[name], (counts.get(run[name]) ?? 0) + 1);
      const choices = [...counts].map(([value, count]) =>
        make("option", `${nameChoice(name, value)} (${number(count)})`, { value }),
      );
      form.elements[name].replaceChildren(make("option", all, { value: "" }), ...choices);
    }
  }

  /** The selected runs by task and setup; under the task "" stand those of all tasks. */
  function groupRuns() {
    const tasks = new Map([["", new Map()]]);
    for (const run of selected) {
      if (!tasks.has(run.task)) tasks.set(run.task, new Map());
      for (const setups of [tasks.get(""), tasks.get(run.task)]) {
        if (!setups.has(run.setup)) setups.set(run.setup, []);
        setups.get(run.setup).push(run);
      }
    }
    return tasks;
  }

  function drawMatrix() {
    const tasks = groupRuns();
    const setups = data.names.setup.filter((setup) => tasks.get("").has(setup));
    const rows = ["", ...data.names.task].filter((task) => tasks.has(task)).map((task) => {
      const cells = setups.map((setup) => drawCell(tasks.get(task).get(setup), task ? { task, setup } : { setup }));
      return make("tr", [make("th", task || "all tasks", { scope: "row" }), ...cells]);
    });
    const heads = ["Task", ...setups].map((name) => make("th", name, { scope: "col", class: "text" }));
    const caption = make("caption", "Passes of the runs that count; what is not counted stands behind a plus");
    const table = make("table", [caption, make("thead", make("tr", heads)), make("tbody", rows)]);
    matrix.querySelector("div").replaceChildren(table);
  }

  function drawCell(found, place) {
    if (!found) return make("td", DASH, { class: "text" });
    const counts = countOutcomes(found);
    const counted = counts.pass + counts.fail;
    const outcome = !counted ? "uncounted" : counts.fail ? (counts.pass ? "mixed" : "fail") : "pass";
    const more = counts.uncounted ? ` +${counts.uncounted}` : "";
    const link = make("a", (counted ? `${counts.pass}/${counted}` : DASH) + more, {
      href: writeState({ ...state, ...place, page: 1 }),
    });
    return make("td", link, { class: `text ${outcome}` });
  }

  function show() {
    selected = select();
    const pages = Math.max(1, Math.ceil(selected.length / PAGE_ROWS));
    state.page = Math.min(Math.max(1, state.page), pages);
    const first = (state.page - 1) * PAGE_ROWS;
    const shown = selected.slice(first, first + PAGE_ROWS);
    list.replaceChildren(...(shown.length ? shown.map(drawRun) : [drawNothing()]));
    markSorted();
    if (matrix.open) drawMatrix();
    tellCounts(first, shown.length);
    for (const button of document.querySelectorAll("#pages button")) {
      const page = state.page + Number(button.dataset.step);
      button.disabled = page < 1 || page > pages;
    }
  }

  function tellCounts(first, shown) {
    const counts = countOutcomes(selected);
    document.getElementById("count").textContent =
      `${number(selected.length)} of ${number(runs.length)} runs: ${number(counts.pass)} passed, ` +
      `${number(counts.fail)} failed, ${number(counts.uncounted)} not counted`;
    document.getElementById("range").textContent = shown
      ? `${number(first + 1)} to ${number(first + shown)} of ${number(selected.length)}`
      : "no runs";
  }

  function fillForm() {
    for (const name of [...Object.keys(FILTERS), "text"]) form.elements[name].value = state[name];
  }

  // --- what the user does ----------------------------------------------------------------------------------

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => change({ [event.target.name]: event.target.value }));
  document.getElementById("reset").addEventListener("click", () => {
    location.hash = "";
  });
  document.querySelector("#runs thead").addEventListener("click", (event) => {
    const column = event.target.closest("button")?.dataset.sort;
    if (column) change({ sort: state.sort === column ? `-${column}` : column });
  });
  document.getElementById("pages").addEventListener("click", (event) => {
    const step = Number(event.target.dataset.step);
    if (!step) return;
    change({ page: state.page + step });
    document.getElementById("count").scrollIntoView();
  });
  matrix.addEventListener("toggle", () => matrix.open && drawMatrix());
  addEventListener("hashchange", () => {
    state = readState();
    fillForm();
    show();
  });

  drawHeadings();
  drawChoices();
  fillForm();
  show();
})();
