"use strict";
(() => {
  const page = JSON.parse(document.getElementById("data").textContent);
  const unpacked = (groups) => groups.flatMap(([keys, columns]) => columns[0].map((_, row) =>
    Object.fromEntries(keys.map((key, at) => [key, columns[at][row]]))));
  const datasets = new Map(page.datasets.map(([key, groups]) => [key, unpacked(groups)]));
  const narrow = window.matchMedia("(max-width: 40rem)").matches;

  function made(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  // ---- charts -------------------------------------------------------------------------------
  const refuse = () => Promise.reject(new Error("this page loads nothing"));
  const loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };
  const config = narrow
    ? { ...page.config,
        legend: { ...page.config.legend, orient: "bottom", columns: 1, labelLimit: 280,
          layout: { bottom: { anchor: "start", direction: "vertical" } } },
        axis: { ...page.config.axis, labelLimit: 165,
          labelExpr: "length(datum.label) > 25 ? slice(datum.label, 0, 11) + '…' + slice(datum.label, -11) : datum.label" },
        axisX: { titleAnchor: "end" }, axisY: {} }
    : page.config;
  const options = {
    ast: true, mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, loader,
    tooltip: { disableDefaultStyle: true, theme: "page" },
  };

  function prepared(chart) {
    const spec = { ...chart.spec, datasets: Object.create(null) };
    for (const key of chart.data) spec.datasets[key] = datasets.get(key);
    spec.datasets = { ...spec.datasets };
    const width = widthOf(boxOf(chart));
    if (!("facet" in spec)) {
      spec.width = width;
      spec.autosize = { type: "fit-x", contains: "padding" };
    } else {
      spec.columns = columnsOf(chart.spec);
      spec.spec = { ...spec.spec, width: Math.floor((width - AXIS) / spec.columns) - GAP };
      const count = spec.facet.sort.length;  // no axis stands below a gap
      const axis = count > spec.columns && count % spec.columns ? "independent" : "shared";
      spec.resolve = { ...spec.resolve, axis: { ...spec.resolve?.axis, x: axis } };
      if (spec.resolve.scale?.x === "independent") delete spec.resolve.axis;
    }
    return spec;
  }

  // Small charts stand beside one another as far as there is room for them.
  const AXIS = 70, GAP = 24, SMALLEST = 130;
  function columnsOf({ columns, facet, spec }) {
    const room = Math.floor((document.querySelector("main").clientWidth - AXIS) / (SMALLEST + GAP));
    const asked = spec.width > 2 * SMALLEST ? Math.ceil(room / 2) : room;
    return Math.max(1, Math.min(columns, asked, facet.sort.length));
  }

  // What is closed has no width yet: it will be as wide as the text beside it.
  function widthOf(box) {
    const main = document.querySelector("main");
    return Math.floor(box.clientWidth || main.clientWidth);
  }

  // A chart keeps the width of its box, which changes when it is opened and when the window does.
  const sized = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const view = target.acumenView;
      const width = Math.floor(contentRect.width);
      if (!view || !width || target.dataset.facets || Math.abs(view.width() - width) < 2) continue;
      run(target, view.width(width));
    }
  });

  // Vega makes room for the words that a chart had before. Narrower, it may have others at its end, or its
  // legend more lines: then it is laid out once more, from the size it has now.
  async function run(box, view) {
    await view.runAsync();
    for (let rounds = 0; rounds < 3; rounds += 1) {
      const { width, height } = box.querySelector("svg").viewBox.baseVal;
      const [x, y] = view.origin(), { x2, y2 } = view.scenegraph().root.bounds;
      if (x + x2 <= width && y + y2 <= height) break;
      await view.resize().runAsync();
    }
    quiet(box);
  }

  // A chart is one picture with a name: what it is made of says nothing by itself. Where its marks
  // lead to cases, they are buttons: one of them is reached by Tab, the others by arrows.
  function quiet(box) {
    const picture = box.querySelector("svg");
    for (const part of picture.querySelectorAll("[role]")) {
      for (const word of ["role", "aria-roledescription", "aria-label", "aria-hidden"]) part.removeAttribute(word);
    }
    picture.setAttribute("role", box.acumenLead ? "group" : "img");
    picture.setAttribute("aria-label", box.getAttribute("aria-label"));
    if (box.acumenLead) enlist(box);
  }

  const LEADING = ".mark-symbol.role-mark path, .mark-rect.role-mark path";
  const faint = (mark) => mark.__data__.opacity !== undefined && mark.__data__.opacity < 0.5 && mark.__data__.mark.marktype === "symbol";
  function marksOf(box) {
    return [...box.querySelectorAll(LEADING)].filter((mark) => mark.__data__?.datum && box.acumenLead.can(mark.__data__.datum));
  }

  function enlist(box) {
    const marks = marksOf(box);
    for (const mark of marks) {
      const { tooltip } = mark.__data__;
      const words = Object.entries(tooltip ?? {}).map(([what, value]) => `${what} ${value}`).join(", ");
      mark.setAttribute("role", "button");
      mark.setAttribute("tabindex", "-1");
      mark.setAttribute("aria-label", words || "cases");
    }
    (marks.find((mark) => !faint(mark)) ?? marks[0])?.setAttribute("tabindex", "0");
  }

  function step(box, event) {
    const marks = marksOf(box).filter((mark) => !faint(mark));
    const at = marks.indexOf(document.activeElement);
    if (at < 0) return;
    const ways = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -at, End: marks.length - 1 - at };
    if (event.key === "Enter" || event.key === " ") box.acumenLead.go(marks[at].__data__.datum);
    else if (event.key in ways) {
      const next = marks[Math.min(marks.length - 1, Math.max(0, at + ways[event.key]))];
      marks[at].setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    } else return;
    event.preventDefault();
  }

  const boxOf = (chart) => document.getElementById(chart.id);

  async function draw(chart) {
    const box = boxOf(chart);
    if (box.dataset.drawn) return;
    box.dataset.drawn = "begun";
    const { picks, cases } = chart.spec.usermeta ?? {};
    const legend = { ...config.legend };
    if (picks && Object.values(picks).every((colour) => colour)) {  // the chooser has the legend
      legend.disable = true;
      for (const { encoding } of chart.spec.layer ?? []) delete encoding?.color?.legend;
    }
    try {
      const settings = { ...options, config: { ...config, legend } };
      const { view } = await window.vegaEmbed(box, prepared(chart), settings);
      box.acumenView = view;
      if ("facet" in chart.spec) box.dataset.facets = "yes";
      await run(box, view);
      sized.observe(box);
      takeChart(box, view);
      if (cases && box.closest("article").querySelector(".cases")) lead(box, view, cases);
      if (picks) await chooserOf(box).join(box, view, chart);
      box.dataset.drawn = "yes";
    } catch (error) {
      box.textContent = "This chart could not be drawn; the table below has its numbers.";
      box.dataset.drawn = "no";
      console.error(chart.id, error);
    }
    box.style.minHeight = "";
    settle();
  }

  // A link leads to its place even while charts above it are still growing, until the reader moves.
  let moved = false;
  for (const act of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    window.addEventListener(act, () => { moved = true; }, { once: true, passive: true });
  }
  window.addEventListener("hashchange", () => { moved = false; reveal(goal()); settle(); });
  const goal = () => document.getElementById(decodeURIComponent(window.location.hash.slice(1).split("?")[0]));
  function settle() {
    const target = goal();
    if (target && !moved) target.scrollIntoView({ behavior: "instant" });
  }

  // What a link points to is opened, and everything around it.
  function reveal(target) {
    if (target?.tagName === "ARTICLE") target.querySelector("details.study")?.setAttribute("open", "");
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  }
  document.addEventListener("click", ({ target }) => {
    const link = target.closest?.('a[href^="#"]');
    if (link) reveal(document.getElementById(link.hash.slice(1)));
  });

  // The height of a chart is kept free before it is drawn, so that a link lands where it points.
  for (const chart of page.charts) {
    const { height, facet, spec } = chart.spec;
    const rows = facet ? Math.ceil(facet.sort.length / columnsOf(chart.spec)) : 1;
    boxOf(chart).style.minHeight = `${rows * ((height ?? spec?.height ?? 300) + 60)}px`;
  }

  // Charts near the window are drawn first, the others while nothing else happens; those of what
  // is closed beneath a chart when it is opened.
  const waiting = new Map(page.charts.map((chart) => [boxOf(chart), chart]));
  const isKept = (box) => box.closest("details.more:not([open]), details.appendix:not([open])") !== null;
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      draw(waiting.get(target));
    }
  }, { rootMargin: "800px" });
  const pause = () => new Promise((resume) => {
    if (window.requestIdleCallback) window.requestIdleCallback(resume, { timeout: 200 });
    else setTimeout(resume, 20);
  });

  // The library travels compressed; the content policy lets its text run, by its hash.
  async function load() {
    const packed = document.getElementById("library");
    const bytes = Uint8Array.from(atob(packed.textContent), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    packed.replaceWith(made("script", { textContent: await new Response(stream).text() }));
  }

  async function drawIn(part) {
    for (const chart of page.charts) {
      const box = boxOf(chart);
      if (box.dataset.drawn || isKept(box) || !part.contains(box)) continue;
      await pause();
      await draw(chart);
    }
  }

  async function drawAll() {
    await load().catch(console.error);
    for (const box of waiting.keys()) near.observe(box);
    await drawIn(document);
    document.addEventListener("toggle", ({ target }) => { if (target.open) drawIn(target); }, true);
    while (page.charts.some((chart) => boxOf(chart).dataset.drawn === "begun")) await pause();
    document.documentElement.dataset.ready = "yes";
  }

  // ---- cases --------------------------------------------------------------------------------
  const PAGE = 50;
  const tables = [];

  function cellText(column, row) {
    if (column.names) return column.names[column.codes[row]];
    const value = column.values[row];
    return value === null ? "–" : value.toFixed(column.digits);
  }

  function digitsOf(values) {
    const decimals = (value) => (String(Number(value.toFixed(4))).split(".")[1] ?? "").length;
    return Math.max(0, ...values.map((value) => (value === null ? 0 : decimals(value))));
  }

  // What is missing stands last, whichever way the rest is sorted.
  function compared(column, a, b, sign) {
    if (column.names) return sign * (column.order[column.codes[a]] - column.order[column.codes[b]]);
    const x = column.values[a], y = column.values[b];
    if (x === null || y === null) return (x === null) - (y === null);
    return sign * (x - y);
  }

  function ordered(names) {
    const sorter = new Intl.Collator(undefined, { numeric: true });
    const places = names.map((_, i) => i).sort((a, b) => sorter.compare(names[a], names[b]));
    const order = new Float64Array(names.length);
    places.forEach((name, place) => { order[name] = place; });
    return order;
  }

  // What was chosen stands in the address, so that it can be sent to somebody.
  function write(parameters, key) {
    for (const other of [...tables, ...choosers.values()]) {
      if (other.key !== key) other.state().forEach(([k, v]) => parameters.set(`${other.key}.${k}`, v));
    }
    const text = parameters.toString();
    const bare = window.location.hash.split("?")[0];
    const hash = text ? `${bare || `#${key}`}?${text}` : bare;
    if (hash !== window.location.hash) {
      try { history.replaceState(null, "", hash || window.location.pathname); } catch { /* a sandbox */ }
    }
  }

  function caseTable(box, data) {
    const [search, count] = [box.querySelector(".search"), box.querySelector(".count")];
    const [previous, next] = [box.querySelector(".previous"), box.querySelector(".next")];
    const selects = [...box.querySelectorAll("select[data-key]")];
    const chips = box.querySelector(".chips");
    const heads = [...box.querySelectorAll("th")];
    const listed = data.columns.filter((column) => !column.apart);
    const all = Int32Array.from({ length: data.n }, (_, i) => i);
    const key = box.id;
    let rows = all, start = 0, by = -1, falling = false, range = null, open = -1;

    for (const column of data.columns) {
      if (typeof column.codes === "string") column.codes = Uint8Array.from(column.codes, Number);
      if (column.names) column.lower = column.names.map((name) => name.toLowerCase());
      else column.digits = digitsOf(column.values);
    }
    // what is the same for all systems belongs to each of them
    const columnOf = (wanted, system) => data.columns.find((column) =>
      column.key === wanted && (column.system ?? system) === system);

    function isWrong(row, system = data.systems[0]) {
      const column = columnOf("outcome", system);
      return column !== undefined && column.names[column.codes[row]] === "wrong";
    }

    function lines(first, last) {
      const body = document.createDocumentFragment();
      for (const row of rows.slice(first, last)) {
        const line = made("tr", { className: data.systems.length < 2 && isWrong(row) ? "wrong" : "" });
        listed.forEach((column, at) => {
          const cell = made("td");
          if (column.key === "prediction" && column.system && isWrong(row, column.system)) cell.classList.add("wrong");
          const text = cellText(column, row);
          if (at === 0) cell.append(opener(row, text));
          else cell.textContent = text;
          if (!column.names) cell.classList.add("n");
          line.append(cell);
        });
        body.append(line);
      }
      box.querySelector("tbody").replaceChildren(body);
    }

    function tell(first, last) {
      const place = rows.length ? `${first + 1}–${last} of ${rows.length}` : "0";
      count.textContent = `${place} rows${rows.length < data.n ? ` (of ${data.n} in all)` : ""}`;
    }

    function show() {
      const end = Math.min(start + PAGE, rows.length);
      lines(start, end);
      tell(start, end);
      previous.disabled = start === 0;
      next.disabled = end >= rows.length;
    }

    // Every word of the search must stand somewhere in the row, numbers as they are shown.
    function holds(row, words) {
      return words.every((word) => data.columns.some((column) => (column.names
        ? column.lower[column.codes[row]].includes(word)
        : column.values[row] !== null && cellText(column, row).includes(word))));
    }

    function inRange(column, row) {
      const value = column?.values[row] ?? null;
      if (value === null) return range.low === null;
      return (range.low === null || value >= range.low - 1e-9) &&
        (range.high === null || (range.closed ? value <= range.high + 1e-9 : value < range.high));
    }

    // What is asked of a row, system by system: it must hold of one and the same system.
    function tests() {
      const asked = new Map(selects.filter((select) => select.value).map((s) => [s.dataset.key, s.value]));
      const systems = asked.has("system") ? [asked.get("system")] : data.systems;
      asked.delete("system");
      return systems.map((system) => {
        const codes = [...asked].map(([wanted, text]) => {
          const column = columnOf(wanted, system);
          const parts = column.parts ?? column.names.map((name) => [name]);  // a panel's answers
          return [column.codes, new Set(parts.flatMap((own, code) => (own.includes(text) ? [code] : [])))];
        });
        const sure = range && columnOf(`function ${range.function}`, system);
        return (row) => codes.every(([own, wanted]) => wanted.has(own[row])) && (!range || inRange(sure, row));
      });
    }

    function choose() {
      const words = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
      const asked = tests();
      rows = all.filter((row) => asked.some((test) => test(row)) && holds(row, words));
      if (by >= 0) {
        const column = listed[by];
        if (column.names && !column.order) column.order = ordered(column.names);
        rows.sort((a, b) => compared(column, a, b, falling ? -1 : 1) || a - b);
      }
      start = 0;
      show();
      tellRange();
      remember();
    }

    // What rows are chosen by, each to be taken away again; and all of it at once.
    function tellRange() {
      const entries = selects.filter((select) => select.value).map((select) =>
        [`${select.parentElement.firstChild.textContent.trim().toLowerCase()}: ${select.value}`, () => { select.value = ""; }]);
      const text = search.value.trim();
      if (text) entries.unshift([`“${text}”`, () => { search.value = ""; }]);
      if (range) {
        const ends = [range.low, range.high].map((end) => (end === null ? "" : String(Number(end.toFixed(4)))));
        const high = ends[1] ? `${range.closed ? "up to" : "below"} ${ends[1]}` : "";
        const words = ends[0] ? [`from ${ends[0]}`, high].filter(Boolean).join(" ") : high;
        entries.push([`${range.function} ${words}`, () => { range = null; }]);
      }
      const all = [...entries.map(([words, drop]) => [`${words} ×`, `show all again, not only ${words}`, drop]),
        ...(entries.length > 1 ? [["clear all", "clear all filters", () => entries.forEach(([, drop]) => drop())]] : [])];
      chips.replaceChildren(...all.map(([words, label, drop]) => {
        const button = made("button", { type: "button" }, made("bdi", { textContent: words }));
        button.setAttribute("aria-label", label);
        button.addEventListener("click", () => { drop(); choose(); (chips.querySelector("button") ?? search).focus(); });
        return button;
      }));
      if (typed) {
        if (range) typed.which.value = range.function;
        typed.low.value = range?.low ?? "";
        typed.high.value = range?.high ?? "";
      }
    }

    // A range of a confidence can be typed.
    const functions = [...new Set(data.columns.filter((c) => c.key.startsWith("function ") && c.values).map((c) => c.key.slice(9)))];
    const typed = functions.length ? {
      which: made("select", { className: "which" }, ...functions.map((name) => made("option", { textContent: name, value: name }))),
      low: made("input", { type: "number", step: "any", className: "low" }),
      high: made("input", { type: "number", step: "any", className: "high" }),
    } : null;
    if (typed) {
      box.querySelector(".pages").before(made("label", {}, "Confidence ", typed.which), made("label", {}, "from ", typed.low),
        made("label", {}, "to ", typed.high));
      const end = ({ value }) => (value === "" || !Number.isFinite(Number(value)) ? null : Number(value));
      for (const part of Object.values(typed)) {
        part.addEventListener("change", () => {
          const [low, high] = [end(typed.low), end(typed.high)];
          range = low === null && high === null ? null : { function: typed.which.value, low, high, closed: true };
          choose();
        });
      }
    }

    // ---- the panel of one case: all there is of it, system by system
    function opener(row, text) {
      const button = made("button", { type: "button", className: "open" }, made("bdi", { textContent: text }));
      button.setAttribute("aria-haspopup", "dialog");
      button.dataset.row = row;
      button.addEventListener("click", () => view(row));
      return button;
    }

    function view(row) {
      open = row;
      const shared = data.columns.filter((column) => !column.system && !(data.systems.length < 2 && own(column)));
      const title = shared.filter((column) => ["case", "item"].includes(column.key)).map((column) => cellText(column, row));
      const facts = made("dl");
      for (const column of shared.filter((one) => !["case", "item"].includes(one.key))) {
        facts.append(made("dt", { textContent: column.title }), made("dd", {}, made("bdi", { textContent: cellText(column, row) })));
      }
      const keys = new Map(data.columns.filter(own).map((column) => [column.key, column.title]));
      const head = made("tr", {}, made("th", { scope: "col", textContent: "what" }),
        ...data.systems.map((name) => made("th", { scope: "col" }, made("bdi", { textContent: name || "value" }))));
      const body = [...keys].map(([wanted, name]) => made("tr", {}, made("th", { scope: "row", textContent: name }),
        ...data.systems.map((system) => {
          const column = columnOf(wanted, system);
          return made("td", { textContent: column ? cellText(column, row) : "–" });
        })));
      const at = rows.indexOf(row);
      panel.show(title.join(", "), facts, made("table", {}, made("thead", {}, head), made("tbody", {}, ...body)),
        [at > 0 ? () => view(rows[at - 1]) : null, at >= 0 && at + 1 < rows.length ? () => view(rows[at + 1]) : null],
        () => { open = -1; remember(); box.querySelector(`.open[data-row="${row}"]`)?.focus(); });
      remember();
    }
    const own = (column) => column.system !== undefined ||
      (data.systems.length < 2 && !["case", "item", "truth"].includes(column.key));

    // The choice stands in the address, so that it can be sent to somebody.
    function state() {
      const entries = [["q", search.value], ...selects.map((select) => [select.dataset.key, select.value])];
      if (by >= 0) entries.push(["sort", `${falling ? "-" : ""}${heads[by].textContent}`]);
      if (range) entries.push(["range", JSON.stringify(range)]);
      if (open >= 0) entries.push(["case", String(open)]);
      return entries.filter(([, value]) => value);
    }

    function remember() {
      const parameters = new URLSearchParams(state().map(([k, value]) => [`${key}.${k}`, value]));
      write(parameters, key);
    }

    function pick(wanted) {
      for (const select of selects) {
        const text = wanted(select.dataset.key);
        const option = [...select.options].find((o) => o.value !== "" && o.value === String(text));
        select.value = option ? option.value : "";
      }
    }

    function recall(parameters) {
      search.value = parameters.get(`${key}.q`) ?? "";
      pick((wanted) => parameters.get(`${key}.${wanted}`));
      const sort = parameters.get(`${key}.sort`) ?? "";
      falling = sort.startsWith("-");
      by = heads.findIndex((head) => sort && head.textContent === sort.replace(/^-/, ""));
      if (by >= 0) heads[by].setAttribute("aria-sort", falling ? "descending" : "ascending");
      try {
        const read = JSON.parse(parameters.get(`${key}.range`) ?? "null");
        const end = (value) => (typeof value === "number" ? value : null);
        range = read && typeof read.function === "string"
          ? { function: read.function, low: end(read.low), high: end(read.high), closed: read.closed === true }
          : null;
      } catch { range = null; }
      const row = parameters.get(`${key}.case`) ?? "";
      choose();
      if (/^\d+$/.test(row) && Number(row) < data.n) view(Number(row));
    }

    // The rows behind a mark of a chart: those, and no other filter.
    function filter(wanted) {
      search.value = "";
      pick((what) => wanted[what]);
      const name = wanted.function;
      const low = wanted["at least"] ?? null, high = wanted.below ?? wanted["up to"] ?? null;
      const closed = wanted["up to"] !== undefined;
      range = name && data.columns.some((column) => column.key === `function ${name}`) && (low !== null || high !== null)
        ? { function: name, low, high, closed } : null;
      choose();
      box.scrollIntoView({ block: "start" });
      box.querySelector(".scroll").focus({ preventScroll: true });
    }

    search.addEventListener("input", choose);
    for (const select of selects) select.addEventListener("change", choose);
    previous.addEventListener("click", () => { start = Math.max(0, start - PAGE); show(); });
    next.addEventListener("click", () => { start += PAGE; show(); });
    heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
      falling = by === place && !falling;
      by = place;
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      choose();
    }));
    const texts = () => [data.columns.map((column) => (column.system ? `${column.title}, ${column.system}` : column.title)),
      ...Array.from(rows, (row) => data.columns.map((column) => cellText(column, row)))];
    // How many rows of a system are accepted at a cut, and how many of them are wrong.
    function accepted(name, low, system) {
      const column = columnOf(`function ${name}`, system);
      if (!column) return null;
      const rest = all.filter((row) => column.values[row] !== null && column.values[row] >= low - 1e-9);
      return { n: rest.length, wrong: rest.filter((row) => isWrong(row, system)).length };
    }
    tables.push({ box, key, filter, recall, state, texts, accepted });
    show();
  }

  const panel = (() => {
    const title = made("h2", { id: "panel-title", tabIndex: -1 });
    const [before, after, close] = ["Previous", "Next", "Close"].map((text) => made("button", { type: "button", textContent: text }));
    const content = made("div");
    const box = made("dialog", { className: "panel" }, made("p", {}, before, " ", after, " ", close), title, content);
    box.setAttribute("aria-labelledby", title.id);
    document.body.append(box);
    let steps = [], leave = () => {};
    const shut = () => { if (box.open) { box.close(); leave(); } };
    before.addEventListener("click", () => steps[0]());
    after.addEventListener("click", () => steps[1]());
    close.addEventListener("click", shut);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") shut(); });
    return {
      show(name, facts, table, ways, done) {
        title.textContent = name;
        content.replaceChildren(facts, table);
        [steps, leave] = [ways, done];
        [before.disabled, after.disabled] = ways.map((way) => !way);
        if (!box.open) box.show();
        title.focus();
      },
    };
  })();

  // ---- one choice of the confidence function for a study: every chart of it follows
  const choosers = new Map();
  const chooserOf = (part) => choosers.get(part.closest("article").id);

  function chooser(article, charts) {
    const key = article.id;
    const colours = Object.assign({}, ...charts.map((chart) => chart.spec.usermeta.picks));
    for (const chart of charts) {
      for (const [name, colour] of Object.entries(chart.spec.usermeta.picks)) if (colour) colours[name] = colour;
    }
    const names = Object.keys(colours);
    const first = charts[0].spec.params.find((one) => one.name === "picked").value;
    const option = (value, textContent) => made("option", { value, textContent });
    const [which, beside] = [made("select", { className: "function" }), made("select", { className: "beside" })];
    which.append(...names.map((name) => option(name, name)));
    beside.append(option("none", "nothing"), option("all", "all others"), ...names.map((name) => option(` ${name}`, name)));
    const bar = made("div", { className: "chooser", role: "group" },
      made("label", {}, "Confidence function ", which), made("label", {}, "beside it ", beside));
    bar.setAttribute("aria-label", "Confidence function of every chart");
    const members = [];
    which.value = first[0];
    if (first.length > 1) beside.value = "all";

    const picked = () => {
      const [one, other] = [which.value, beside.value];
      if (other === "all") return [one, ...names.filter((name) => name !== one)];
      return other === "none" || other.slice(1) === one ? [one] : [one, other.slice(1)];
    };

    async function apply({ box, view, legend, tops }) {
      const own = picked();
      view.signal("picked", own);
      if (tops) view.signal("top", Math.max(...own.filter((name) => name in tops).map((name) => tops[name]), 1e-9));
      legend?.replaceChildren(...own.map((name) => {
        const swatch = made("span", { className: "swatch" });
        swatch.style.background = colours[name];
        return made("span", {}, swatch, made("bdi", { textContent: name }));
      }));
      await run(box, view);
    }

    async function follow() {
      for (const member of members) await apply(member);
      cut?.tell();
      write(new URLSearchParams(state().map(([k, value]) => [`${key}.${k}`, value])), key);
    }
    const state = () => [["function", which.value === first[0] ? "" : which.value],
      ["beside", beside.value === (first.length > 1 ? "all" : "none") ? "" : beside.value.trim()]].filter(([, value]) => value);
    function recall(parameters) {
      const [one, other] = ["function", "beside"].map((k) => parameters.get(`${key}.${k}`));
      if (names.includes(one)) which.value = one;
      if (["none", "all"].includes(other)) beside.value = other;
      else if (names.includes(other)) beside.value = ` ${other}`;
    }
    async function join(box, view, { spec }) {
      const { picks, tops } = spec.usermeta;
      const coloured = names.length > 1 && Object.values(picks).every((colour) => colour);
      const legend = coloured ? made("p", { className: "legend" }) : null;
      if (legend) box.before(legend);
      members.push({ box, view, legend, tops });
      await apply(members.at(-1));
      if (cut?.box === box) cut.show(view);
    }
    for (const select of [which, beside]) select.addEventListener("change", follow);
    if (names.length > 1) article.querySelector(".screen").before(bar);
    const curve = charts.find((chart) => chart.id.endsWith("-chart-risk-coverage"));
    const cut = curve ? slider(article, curve, () => which.value) : null;
    return { key, join, state, recall };
  }

  // ---- the cut: what is kept, how wrong it is, and the command that promises it for new cases
  function slider(article, chart, chosen) {
    const box = boxOf(chart);
    const rows = chart.data.flatMap((name) => datasets.get(name)).filter((row) => row.k === "c");
    const systems = [...new Set(rows.map((row) => row.s))];
    const range = made("input", { type: "range", min: "0", step: "1" });
    const typed = made("input", { type: "number", step: "any", className: "at" });
    const body = made("tbody");
    const commands = made("div");
    const table = tables.find((one) => article.contains(one.box));
    const heads = [...(systems.length > 1 ? ["system"] : []), "kept", "error", "wrong answers"];
    const head = made("tr", {}, ...heads.map((text) => made("th", { scope: "col", textContent: text })));
    const panel = made("div", { className: "cut", role: "group" },
      made("p", {}, made("label", {}, "Accept answers from confidence ", typed), " ", range),
      made("table", {}, made("caption", { className: "said", textContent: "what is kept at this cut" }), made("thead", {}, head), body),
      made("p", { className: "quiet", textContent: "On these very cases. What is promised for new ones is found by:" }), commands);
    panel.setAttribute("aria-label", "Where to cut");
    range.setAttribute("aria-label", "where to cut, from the surest answers to all");
    let view = null, cuts = [], low = null;

    const shares = (value) => `${(100 * value).toFixed(1)}%`;
    const quotedWord = (word) => (/^[\w.,:=@%+/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\"'\"'")}'`);
    const fewest = 0.01;
    // what may be allowed is a little more than what was seen
    const allowed = (risk) => String(Math.max(fewest, Math.ceil(risk * 100 - 1e-9) / 100));
    const point = (system) => rows.filter((row) => row.s === system && row.f === chosen() && row.t >= low - 1e-9).at(-1);

    function cases(text, system, more) {
      const button = made("button", { type: "button", textContent: text });
      button.addEventListener("click", () => table.filter({ function: chosen(), ...(systems.length > 1 ? { system } : {}), ...more }));
      return button;
    }

    function line(system) {
      const at = point(system), found = table?.accepted(chosen(), low, system);
      const cells = systems.length > 1 ? [made("th", { scope: "row" }, made("bdi", { textContent: system }))] : [];
      const kept = made("td", {}, at ? `${shares(at.c)} ` : "0% ");
      const wrong = made("td", { textContent: found ? "" : "–" });
      if (found) {
        kept.append(cases(`${found.n} rows`, system, { "at least": low }));
        wrong.append(cases(String(found.wrong), system, { "at least": low, outcome: "wrong" }));
      }
      return made("tr", {}, ...cells, kept, made("td", { textContent: at ? at.r.toFixed(4) : "–" }), wrong);
    }

    function tell() {
      const before = low;
      const own = rows.filter((row) => row.f === chosen() && row.t !== null);
      cuts = [...new Set(own.map((row) => row.t))].sort((a, b) => b - a);
      panel.hidden = !cuts.length;
      if (!cuts.length) return;
      range.max = String(cuts.length - 1);
      const known = before !== null && own.some((row) => row.t === before);
      move(known ? before : cuts[Math.floor(cuts.length / 2)]);
    }

    function move(to) {
      low = to;
      const place = cuts.findIndex((cut) => cut <= to + 1e-9);
      range.value = String(place < 0 ? cuts.length - 1 : place);
      range.setAttribute("aria-valuetext", `accept from ${to}`);
      typed.value = String(to);
      body.replaceChildren(...systems.map(line));
      const told = systems.filter((system) => chart.commands?.[system] && point(system));
      commands.replaceChildren(...told.map((system) => {
        const words = `${chart.commands[system]} --confidence ${quotedWord(chosen())} --risk ${allowed(point(system).r)}`;
        const text = made("p", {}, made("code", { textContent: words }), " ");
        copier(text, "the command", words);
        return text;
      }));
      commands.previousSibling.hidden = !told.length;
      if (view) run(box, view.signal("cut", systems.map((system) => `${system} ${point(system)?.t}`)));
    }

    range.addEventListener("input", () => move(cuts[Number(range.value)]));
    typed.addEventListener("change", () => { if (typed.value !== "") move(Number(typed.value)); });
    return {
      box, tell,
      show(own) {
        view = own;
        box.closest("figure").querySelector(".caption").after(panel);
        tell();
      },
    };
  }

  document.querySelectorAll(".cases").forEach((box, at) => caseTable(box, page.cases[at]));
  for (const article of document.querySelectorAll("article")) {
    const charts = page.charts.filter((chart) => chart.spec.usermeta?.picks && article.contains(boxOf(chart)));
    if (charts.length) choosers.set(article.id, chooser(article, charts));
  }
  const remembered = window.location.hash.split("?")[1];
  if (remembered) {
    const parameters = new URLSearchParams(remembered);
    for (const keeper of [...choosers.values(), ...tables]) keeper.recall(parameters);
    document.getElementById(window.location.hash.slice(1).split("?")[0])?.scrollIntoView();
  }

  // From a mark of a chart to the rows it stands for.
  function lead(box, view, fields) {
    const own = tables.filter((table) => table.box.closest("article") === box.closest("article"));
    box.classList.add("leads");
    const can = (datum) => Object.keys(fields).some((field) => datum[field] !== undefined);
    box.acumenLead = { can, go };
    quiet(box);
    box.addEventListener("keydown", (event) => step(box, event));
    box.closest("figure").querySelector(".caption").append(made("span", { className: "act", textContent: " Choose a mark to see its cases." }));
    view.addEventListener("click", (event, item) => { if (item?.datum && can(item.datum)) go(item.datum); });
    function go(datum) {
      const wanted = {};
      for (const [field, what] of Object.entries(fields)) {
        if (datum[field] !== undefined && datum[field] !== null) wanted[what] = datum[field];
      }
      own[0].filter(wanted);
    }
  }

  // ---- take away ----------------------------------------------------------------------------
  function save(name, type, content) {
    const link = made("a", { download: name, href: URL.createObjectURL(new Blob([content], { type })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  const quoted = (text) => (/^[=+\-@＝＋－＠\t\r]/.test(text) && !/^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text)
    ? `'${text}` : text);
  const csv = (rows) => rows.map((row) => row.map((text) =>
    (/[",\n\r]/.test(quoted(text)) ? `"${quoted(text).replaceAll('"', '""')}"` : quoted(text))).join(",")).join("\r\n");
  const markdown = ([head, ...rows]) => [head, head.map(() => "---"), ...rows].map((row) =>
    `| ${row.map((text) => text.replace(/[\\`*_{}[\]<>()#+!|~&$]/g, "\\$&").replace(/\s+/g, " ")).join(" | ")} |`).join("\n");
  const TEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
    "≥": "$\\geq$", "≤": "$\\leq$", "−": "$-$", "✓": "$\\surd$", "δ": "$\\delta$", "ε": "$\\varepsilon$", "α": "$\\alpha$", "κ": "$\\kappa$" };
  const latex = (rows) => `\\begin{tabular}{${"l".repeat(rows[0].length)}}\n${rows.map((row) =>
    row.map((text) => text.replace(/[\\~^{}#$%&_≥≤−✓δεακ]/g, (c) => TEX[c] ?? `\\${c}`).replace(/\s+/g, " ")).join(" & ")
  ).join(" \\\\\n")} \\\\\n\\end{tabular}\n`;
  const FORMATS = [["CSV", "csv", "text/csv", csv], ["Markdown", "md", "text/markdown", markdown],
    ["LaTeX", "tex", "application/x-tex", latex]];

  const fileName = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60) || "table";

  function buttons(what, entries) {
    const bar = made("p", { className: "take" }, made("span", { textContent: "Save as " }));
    for (const [title, act] of entries) {
      const button = made("button", { type: "button", textContent: title });
      button.setAttribute("aria-label", `save ${what} as ${title}`);
      button.addEventListener("click", act);
      bar.append(button);
    }
    return bar;
  }

  function takeTable(element, name, rows) {
    element.after(buttons(name, FORMATS.map(([title, end, type, text]) =>
      [title, () => save(`${fileName(name)}.${end}`, type, text(rows()))])));
  }

  // A value and the ends of its interval are columns of their own.
  function rowsOf(table) {
    const rows = [...table.rows], ends = (cell) => cell?.querySelector(".ends");
    const width = Math.max(...rows.map((row) => row.cells.length));
    const bounded = [...Array(width).keys()].map((at) => rows.some((row) => ends(row.cells[at])?.dataset.low !== undefined));
    return rows.map((row) => [...row.cells].flatMap((cell, at) => {
      const text = textOf(cell, bounded[at]);
      if (!bounded[at]) return [text];
      if (cell.closest("thead")) return [text, `${text}, low`, `${text}, high`];
      return [text, ends(cell)?.dataset.low ?? "", ends(cell)?.dataset.high ?? ""];
    }));
  }

  function textOf(cell, isBare) {
    const value = cell.querySelector("data");
    if (value && (isBare || !cell.querySelector("br"))) return value.value;
    const copy = cell.cloneNode(true);
    copy.querySelectorAll(isBare ? ".said, .ends" : ".said").forEach((hidden) => hidden.remove());
    copy.querySelectorAll("br").forEach((end) => end.replaceWith(" "));
    return copy.textContent.trim().replace(/\s+/g, " ");
  }

  for (const table of document.querySelectorAll(".scroll > table")) {
    const own = tables.find((one) => one.box.contains(table));
    takeTable(table.parentElement, table.caption.textContent, own ? own.texts : () => rowsOf(table));
  }

  function takeChart(box, view) {
    const name = document.getElementById(box.parentElement.getAttribute("aria-labelledby")).textContent;
    const ink = (svg) => svg.replaceAll("currentColor", "#000");
    box.after(buttons(name, [
      ["SVG", async () => save(`${fileName(name)}.svg`, "image/svg+xml", ink(await view.toSVG()))],
      ["PNG", async () => {
        const canvas = await view.toCanvas(3);
        const paper = made("canvas", { width: canvas.width, height: canvas.height });
        const pen = paper.getContext("2d");
        pen.fillStyle = "#fff";
        pen.fillRect(0, 0, paper.width, paper.height);
        pen.drawImage(canvas, 0, 0);
        paper.toBlob((blob) => save(`${fileName(name)}.png`, "image/png", blob));
      }],
    ]));
  }

  for (const head of document.querySelectorAll("tbody th")) {
    if (head.textContent === "command" && head.nextElementSibling.textContent !== "–") head.nextElementSibling.dataset.copy = "the command";
  }
  for (const element of document.querySelectorAll("[data-copy]")) {
    copier(element, element.dataset.copy, element.textContent);
  }

  function copier(element, what, text) {
    const button = made("button", { type: "button", className: "copy", textContent: "Copy" });
    button.setAttribute("aria-label", `copy ${what}`);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    });
    element.append(" ", button);
  }

  // ---- terms: what one means, or why there is no value, while it is pointed at or has the focus
  const tip = made("div", { id: "tip", hidden: true });
  tip.setAttribute("role", "tooltip");
  document.querySelector("main").append(tip);
  let explained = null;
  function explain(term) {
    explained = term;
    tip.textContent = page.terms[term.textContent] ?? term.querySelector(".said").textContent.slice(2, -1);
    tip.hidden = false;
    term.setAttribute("aria-describedby", tip.id);
    const { left, bottom, top } = term.getBoundingClientRect();
    const low = bottom + tip.offsetHeight + 8 > window.innerHeight;
    tip.style.left = `${Math.max(8, Math.min(left, window.innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${window.scrollY + (low ? top - tip.offsetHeight - 4 : bottom + 4)}px`;
  }
  const hush = () => { tip.hidden = true; };
  for (const act of ["mouseover", "focusin"]) {
    document.addEventListener(act, ({ target }) => {
      if (target.matches?.(".term, .why")) explain(target);
      // what has the focus keeps its meaning, also while the page glides below a mouse at rest
      else if (target !== tip && (act === "focusin" || explained !== document.activeElement)) hush();
    });
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hush(); });

  // ---- where one is -------------------------------------------------------------------------
  const contents = document.querySelector(".contents");
  const links = new Map([...contents.querySelectorAll("a")].map((a) => [a.hash.slice(1), a]));
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      const link = links.get(target.id);
      if (!isIntersecting) link.removeAttribute("aria-current");
      else {
        link.setAttribute("aria-current", "true");
        contents.scrollLeft = link.offsetLeft - 40;
      }
      link.parentElement.classList.toggle("here", isIntersecting);
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  for (const id of links.keys()) {
    const target = document.getElementById(id);
    if (target) seen.observe(target);
  }

  // ---- print: every study, and what stands in it open; what is closed beneath it is named -----
  let undo = [];
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details.study:not([open]), .warnings details:not([open])")) {
      details.open = true;
      undo.push(() => { details.open = false; });
    }
  });
  window.addEventListener("afterprint", () => {
    undo.forEach((act) => act());
    undo = [];
  });

  reveal(goal());
  drawAll();
})();
