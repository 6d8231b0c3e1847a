"use strict";
(() => {
  const page = JSON.parse(document.getElementById("data").textContent);
  const datasets = new Map(page.datasets);
  const narrow = window.matchMedia("(max-width: 40rem)").matches;

  // ---- charts -------------------------------------------------------------------------------
  const refuse = () => Promise.reject(new Error("this page loads nothing"));
  const loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse };
  const config = narrow
    ? { ...page.config,
        legend: { ...page.config.legend, orient: "bottom", columns: 1, labelLimit: 280,
          layout: { bottom: { anchor: "start", direction: "vertical" } } },
        axis: { ...page.config.axis, labelLimit: 165 }, axisX: { titleAnchor: "end" } }
    : page.config;
  const options = {
    ast: true, mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, config, loader,
    tooltip: { disableDefaultStyle: true, theme: "page" },
  };

  function prepared(chart) {
    const spec = { ...chart.spec, datasets: Object.create(null) };
    for (const key of chart.data) spec.datasets[key] = datasets.get(key);
    spec.datasets = { ...spec.datasets };
    if (!("facet" in spec)) {
      spec.width = "container";
      spec.autosize = { type: "fit-x", contains: "padding" };
    }
    return spec;
  }

  // The names in a legend that singles out can be reached and chosen with the keyboard, and say
  // whether they are. Other legends only explain: nothing in them is a button.
  function reachable(box, view, spec) {
    if (!JSON.stringify(spec).includes('"bind":"legend"')) return;
    const functions = new Set(view.scale("color").domain());
    const entries = new Map();
    for (const entry of box.querySelectorAll(".role-legend-entry .role-scope > g")) {
      const label = entry.querySelector("text");
      const named = label?.__data__?.datum?.value;
      if (!functions.has(named) || !entry.querySelector(".role-legend-symbol path")) continue;
      entries.set(named, entry);
      entry.setAttribute("tabindex", "0");
      entry.setAttribute("role", "button");
      entry.setAttribute("aria-label", `single out ${named}`);
      entry.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        const place = label.getBoundingClientRect();
        label.dispatchEvent(new MouseEvent("click", {
          bubbles: true, view: window, clientX: place.x + 2, clientY: place.y + 2,
        }));
      });
    }
    const tell = () => {
      const chosen = new Set(view.data("picked_store").map((choice) => choice.values[0]));
      for (const [named, entry] of entries) entry.setAttribute("aria-pressed", chosen.has(named));
    };
    view.addDataListener("picked_store", tell);
    tell();
  }

  async function draw(chart) {
    const box = document.getElementById(chart.id);
    try {
      const { view } = await window.vegaEmbed(box, prepared(chart), options);
      box.acumenView = view;
      reachable(box, view, chart.spec);
      box.dataset.drawn = "yes";
    } catch (error) {
      box.textContent = "This chart could not be drawn; the table below has its numbers.";
      box.dataset.drawn = "no";
      console.error(chart.id, error);
    }
  }

  async function drawAll() {
    for (const chart of page.charts) {
      await draw(chart);
      await new Promise((resume) => setTimeout(resume));
    }
    document.documentElement.dataset.ready = "yes";
  }

  // ---- cases --------------------------------------------------------------------------------
  const PAGE = 50;

  function cellText(column, row) {
    if (column.names) return column.names[column.codes[row]];
    const value = column.values[row];
    return value === null ? "–" : String(Number(value.toFixed(4)));
  }

  function compared(column, a, b) {
    if (column.names) return column.order[column.codes[a]] - column.order[column.codes[b]];
    const x = column.values[a], y = column.values[b];
    if (x === null || y === null) return (x === null) - (y === null);
    return x - y;
  }

  function ordered(names) {
    const sorter = new Intl.Collator(undefined, { numeric: true });
    const places = names.map((_, i) => i).sort((a, b) => sorter.compare(names[a], names[b]));
    const order = new Int32Array(names.length);
    places.forEach((name, place) => { order[name] = place; });
    return order;
  }

  function caseTable(box, data) {
    const [search, outcome] = [box.querySelector(".search"), box.querySelector(".outcome")];
    const [previous, next] = [box.querySelector(".previous"), box.querySelector(".next")];
    const heads = [...box.querySelectorAll("th")];
    const texts = data.columns.filter((column) => column.names);
    const all = Int32Array.from({ length: data.n }, (_, i) => i);
    let rows = all, start = 0, by = -1, falling = false;

    function show() {
      const body = document.createDocumentFragment();
      for (const row of rows.slice(start, start + PAGE)) {
        const line = document.createElement("tr");
        for (const column of data.columns) {
          const cell = document.createElement("td");
          cell.textContent = cellText(column, row);
          line.append(cell);
        }
        body.append(line);
      }
      box.querySelector("tbody").replaceChildren(body);
      const end = Math.min(start + PAGE, rows.length);
      const place = rows.length ? `${start + 1}–${end} of ${rows.length}` : "0";
      box.querySelector(".count").textContent =
        `${place} rows${rows.length < data.n ? ` (of ${data.n} in all)` : ""}`;
      previous.disabled = start === 0;
      next.disabled = end >= rows.length;
    }

    function choose() {
      const words = search.value.trim().toLowerCase();
      const wanted = Number(outcome.value);
      const hits = texts.map((c) => c.names.map((name) => name.toLowerCase().includes(words)));
      const codes = data.columns[data.outcome].codes;
      rows = all.filter((row) =>
        (wanted < 0 || codes[row] === wanted) &&
        (!words || texts.some((column, i) => hits[i][column.codes[row]])));
      if (by >= 0) {
        const column = data.columns[by];
        if (column.names && !column.order) column.order = ordered(column.names);
        const sign = falling ? -1 : 1;
        rows.sort((a, b) => sign * compared(column, a, b) || a - b);
      }
      start = 0;
      show();
    }

    search.addEventListener("input", choose);
    outcome.addEventListener("change", choose);
    previous.addEventListener("click", () => { start = Math.max(0, start - PAGE); show(); });
    next.addEventListener("click", () => { start += PAGE; show(); });
    heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
      falling = by === place && !falling;
      by = place;
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      choose();
    }));
    show();
  }

  document.querySelectorAll(".cases").forEach((box, at) => caseTable(box, page.cases[at]));

  // ---- print --------------------------------------------------------------------------------
  const opened = [];
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details:not([open])")) {
      details.open = true;
      opened.push(details);
    }
  });
  window.addEventListener("afterprint", () => {
    while (opened.length) opened.pop().open = false;
  });

  drawAll();
})();
