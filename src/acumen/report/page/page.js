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
        axisX: { titleAnchor: "end" } }
    : page.config;
  const options = {
    ast: true, mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, loader,
    tooltip: { disableDefaultStyle: true, theme: "page" },
  };

  function prepared(chart) {
    const spec = { ...chart.spec, datasets: Object.create(null) };
    for (const key of chart.data) spec.datasets[key] = datasets.get(key);
    spec.datasets = { ...spec.datasets };
    if (!("facet" in spec)) {
      spec.width = widthOf(boxOf(chart));
      spec.autosize = { type: "fit-x", contains: "padding" };
    } else if (narrow) spec.columns = 1;
    return spec;
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
      view.width(width).runAsync().then(() => quiet(target));
    }
  });

  // Names to single out stand above their chart as buttons. A choice shows that name alone;
  // with Shift it is added or taken away. When nothing is left, all are shown.
  function offer(box, view, picks) {
    const every = Object.keys(picks);
    const coloured = every.some((name) => picks[name] !== null);
    const bar = made("div", { className: "picks", role: "group" });
    bar.setAttribute("aria-label", "single out");
    const buttons = every.map((name) => {
      const button = made("button", { type: "button" }, made("bdi", { textContent: name }));
      if (coloured) {
        const swatch = made("span", { className: "swatch" });
        swatch.style.background = picks[name];
        button.prepend(swatch);
      }
      button.addEventListener("click", (event) => {
        let chosen = view.signal("picked");
        const alone = chosen.length === 1 && chosen[0] === name;
        if (event.shiftKey) {
          chosen = chosen.includes(name) ? chosen.filter((n) => n !== name) : [...chosen, name];
        } else {
          chosen = alone ? every : [name];
        }
        view.signal("picked", chosen.length ? chosen : every).run();
        tell();
      });
      bar.append(button);
      return button;
    });
    const tell = () => buttons.forEach((button, at) =>
      button.setAttribute("aria-pressed", view.signal("picked").includes(every[at])));
    tell();
    if (every.length > 1) box.before(bar);
  }

  // A chart is one picture with a name: what it is made of says nothing by itself.
  function quiet(box) {
    const picture = box.querySelector("svg");
    for (const part of picture.querySelectorAll("[role]")) {
      for (const word of ["role", "aria-roledescription", "aria-label", "aria-hidden"]) part.removeAttribute(word);
    }
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", box.getAttribute("aria-label"));
  }

  const boxOf = (chart) => document.getElementById(chart.id);

  async function draw(chart) {
    const box = boxOf(chart);
    if (box.dataset.drawn) return;
    box.dataset.drawn = "begun";
    const { picks, cases } = chart.spec.usermeta ?? {};
    const legend = { ...config.legend };
    if (picks && Object.values(picks).every((colour) => colour)) legend.disable = true;
    try {
      const settings = { ...options, config: { ...config, legend } };
      const { view } = await window.vegaEmbed(box, prepared(chart), settings);
      box.acumenView = view;
      if ("facet" in chart.spec) box.dataset.facets = "yes";
      quiet(box);
      sized.observe(box);
      if (picks) offer(box, view, picks);
      if (cases && box.closest("article").querySelector(".cases")) lead(box, view, cases);
      takeChart(box, view);
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
    const { height, columns, facet, spec } = chart.spec;
    const rows = facet ? Math.ceil(facet.sort.length / (narrow ? 1 : columns)) : 1;
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
      if (column.names) column.lower = column.names.map((name) => name.toLowerCase());
      else column.digits = digitsOf(column.values);
    }
    // what is the same for all systems belongs to each of them
    const columnOf = (wanted, system) => data.columns.find((column) =>
      column.key === wanted && (column.system ?? system) === system);

    function lines(first, last) {
      const body = document.createDocumentFragment();
      for (const row of rows.slice(first, last)) {
        const line = made("tr");
        listed.forEach((column, at) => {
          const cell = made("td");
          const text = cellText(column, row);
          if (at === 0) cell.append(opener(row, text));
          else cell.textContent = text;
          if (!column.names) cell.className = "n";
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

    function tellRange() {
      chips.replaceChildren();
      if (!range) return;
      const ends = [range.low, range.high].map((end) => (end === null ? "" : String(Number(end.toFixed(4)))));
      const words = ends[1] ? `from ${ends[0]} ${range.closed ? "to" : "to below"} ${ends[1]}` : `at least ${ends[0]}`;
      const drop = made("button", { type: "button", textContent: `${range.function} ${words} ×` });
      drop.setAttribute("aria-label", `show all again, not only ${range.function} ${words}`);
      drop.addEventListener("click", () => { range = null; choose(); });
      chips.append(drop);
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
        ...data.systems.map((name) => made("th", { scope: "col" }, made("bdi", { textContent: name }))));
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
      for (const other of tables) {
        if (other.key !== key) other.state().forEach(([k, v]) => parameters.set(`${other.key}.${k}`, v));
      }
      const text = parameters.toString();
      const bare = window.location.hash.split("?")[0];
      const hash = text ? `${bare || `#${key}`}?${text}` : bare;
      if (hash !== window.location.hash) {
        try { history.replaceState(null, "", hash || window.location.pathname); } catch { /* a sandbox */ }
      }
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
      range = name && data.columns.some((column) => column.key === `function ${name}`) && (low !== null || high !== null)
        ? { function: name, low, high, closed: wanted["up to"] !== undefined } : null;
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
    tables.push({ box, key, filter, recall, state, texts });
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

  document.querySelectorAll(".cases").forEach((box, at) => caseTable(box, page.cases[at]));
  const remembered = window.location.hash.split("?")[1];
  if (remembered) {
    const parameters = new URLSearchParams(remembered);
    for (const table of tables) table.recall(parameters);
    document.getElementById(window.location.hash.slice(1).split("?")[0])?.scrollIntoView();
  }

  // From a mark of a chart to the rows it stands for.
  function lead(box, view, fields) {
    const own = tables.filter((table) => table.box.closest("article") === box.closest("article"));
    box.classList.add("leads");
    view.addEventListener("click", (event, item) => {
      const datum = item?.datum;
      if (!datum || !Object.keys(fields).some((field) => datum[field] !== undefined)) return;
      const wanted = {};
      for (const [field, what] of Object.entries(fields)) {
        if (datum[field] !== undefined && datum[field] !== null) wanted[what] = datum[field];
      }
      own[0].filter(wanted);
    });
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
  const TEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
  const latex = (rows) => `\\begin{tabular}{${"l".repeat(rows[0].length)}}\n${rows.map((row) =>
    row.map((text) => text.replace(/[\\~^{}#$%&_]/g, (c) => TEX[c] ?? `\\${c}`).replace(/\s+/g, " ")).join(" & ")
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

  function rowsOf(table) {
    return [...table.rows].map((row) => [...row.cells].map((cell) => {
      const value = cell.querySelector("data");
      if (value && !cell.querySelector("br")) return value.value;
      const copy = cell.cloneNode(true);
      copy.querySelectorAll(".said").forEach((hidden) => hidden.remove());
      copy.querySelectorAll("br").forEach((end) => end.replaceWith(" "));
      return copy.textContent.trim().replace(/\s+/g, " ");
    }));
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
    const text = element.textContent;
    const button = made("button", { type: "button", className: "copy", textContent: "Copy" });
    button.setAttribute("aria-label", `copy ${element.dataset.copy}`);
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
