"use strict";
(() => {
  const task = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const OPEN = -1;  // the place of "cannot judge" among the levels
  const COLUMNS = [...task.columns, ...task.beside];
  let rater = "", at = 0, saved = true, marks = new Map();

  function made(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  // ---- what this browser keeps ----------------------------------------------------------------
  // A page that was opened from disk may be refused a place to keep anything.
  const place = () => `acumen labels ${task.sample} ${rater}`;
  function kept() {
    try {
      const entries = JSON.parse(localStorage.getItem(place()));
      return Array.isArray(entries) ? entries.filter(isMark) : [];
    } catch {
      return [];
    }
  }
  function keep() {
    try {
      localStorage.setItem(place(), JSON.stringify([...marks]));
    } catch {
      saved = false;
      alarm("This browser keeps nothing for a page from disk: save your labels before you close it.");
    }
  }
  window.addEventListener("beforeunload", (event) => { if (!saved && marks.size) event.preventDefault(); });

  function alarm(text) {
    byId("alarm").textContent = text;
    byId("alarm").hidden = !text;
  }

  // Anything may stand in a browser's memory or in a file: only what is a mark of this sample is taken.
  const isMark = (entry) => Array.isArray(entry) && Number.isInteger(entry[0]) && entry[0] in task.rows
    && Number.isInteger(entry[1]?.level) && entry[1].level >= OPEN && entry[1].level < task.levels.length
    && typeof entry[1].time === "string";

  // ---- marks ----------------------------------------------------------------------------------
  function mark(level) {
    marks.set(at, { level, time: new Date().toISOString() });
    keep();
    const word = level === OPEN ? task.open : task.levels[level];
    const next = after(at);
    if (next === null) {
      show(`${word}. Every row has a label: save them.`);
      byId("csv").focus();
    } else {
      at = next;
      show(`${word}. ${heading()}`);
    }
  }

  // The next row without a label: first those that follow, then those that were ignored.
  function after(from) {
    for (let step = 1; step <= task.rows.length; step += 1) {
      const row = (from + step) % task.rows.length;
      if (!marks.has(row)) return row;
    }
    return null;
  }

  function go(row) {
    if (row === null || row < 0 || row >= task.rows.length) return;
    at = row;
    show(heading());
    byId("place").focus();
  }

  function clear() {
    if (!marks.delete(at)) return;
    keep();
    show("Taken back.");
  }

  // ---- what is seen ---------------------------------------------------------------------------
  const heading = () => {
    const names = task.rows[at].names.filter((_, column) => task.seen[column]);
    return `${at + 1} of ${task.rows.length}: ${names.join(" · ")}`;
  };

  function show(words) {
    byId("place").textContent = heading();
    byId("fields").replaceChildren(...task.rows[at].texts.flatMap((text, column) => [
      made("h3", { textContent: task.show[column], dir: "auto" }),
      made("p", { className: "text", textContent: text || "(empty)", dir: "auto" }),
    ]));
    for (const button of byId("levels").children) {
      button.setAttribute("aria-pressed", String(marks.get(at)?.level === Number(button.dataset.level)));
    }
    byId("count").textContent = `${marks.size} of ${task.rows.length} labelled`;
    byId("progress").max = task.rows.length;
    byId("progress").value = marks.size;
    byId("back").disabled = at === 0;
    byId("next").disabled = at === task.rows.length - 1;
    byId("open").disabled = after(at) === null;
    byId("clear").disabled = !marks.has(at);
    byId("csv").disabled = byId("json").disabled = !marks.size;
    byId("kept").textContent = `By ${rater}: ${marks.size} of ${task.rows.length}.`;
    byId("said").textContent = words;
  }

  // A level of one digit is its own key; else levels are counted from 1. "u" is cannot judge.
  const own = task.levels.every((level) => /^\d$/.test(level));
  const keys = task.levels.map((level, place) => (own ? level : place < 9 ? String(place + 1) : ""));
  function choice(level, key, word) {
    const button = made("button", { type: "button" }, ...(key ? [made("kbd", { textContent: key })] : []), word);
    button.dataset.level = level;
    button.addEventListener("click", () => mark(level));
    return button;
  }
  byId("levels").append(
    ...task.levels.map((word, level) => choice(level, keys[level], word)), choice(OPEN, "u", task.open));

  // ---- taking away, and going on --------------------------------------------------------------
  const records = () => [...marks].sort(([a], [b]) => a - b).map(([row, { level, time }]) => [
    ...task.rows[row].names, level === OPEN ? task.open : task.levels[level], rater, time,
    task.rows[row].inclusion, task.sample]);
  const cell = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const csv = () => [COLUMNS, ...records()].map((row) => row.map((text) => cell(String(text))).join(",")).join("\r\n") + "\r\n";
  const json = () => JSON.stringify(
    records().map((row) => Object.fromEntries(row.map((text, column) => [COLUMNS[column], text]))), null, 1);

  function save(end, type, text) {
    const name = `labels-${rater.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu)?.join("-").slice(0, 40) ?? "rater"}.${end}`;
    const link = made("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    saved = true;
    byId("said").textContent = `${marks.size} saved as ${name}`;
  }

  function load(text) {
    let rows;
    try { rows = JSON.parse(text); } catch { return "This is no JSON file that was saved here."; }
    if (!Array.isArray(rows) || !rows.length) return "There are no labels in this file.";
    if (rows.some((row) => row?.sample !== task.sample)) return "These labels are of another sample: none of them was taken.";
    if (rows.some((row) => row.rater !== rater)) return `These labels are not ${rater}’s: none of them was taken.`;
    const key = (names) => JSON.stringify(names.map(String));
    const known = new Map(task.rows.map((row, place) => [key(row.names), place]));
    const words = [...task.levels, task.open];
    const entries = rows.map((row) => {
      const level = words.indexOf(String(row.label));
      return [known.get(key(task.columns.map((name) => row[name]))),
        { level: level === task.levels.length ? OPEN : level === -1 ? NaN : level, time: row.time }];
    });
    if (!entries.every(isMark)) return "Some of these labels are of no row or no level here: none of them was taken.";
    marks = new Map([...marks, ...entries]);
    keep();
    return "";
  }

  // ---- what a person does ---------------------------------------------------------------------
  byId("begin").addEventListener("submit", (event) => {
    event.preventDefault();
    // a spreadsheet takes a cell that begins so for a formula
    const name = byId("rater").value.trim().replace(/^[=+\-@＝＋－＠\t]+/, "").trim();
    if (!name) { alarm("A name has letters or digits."); return; }
    rater = name;
    marks = new Map(kept());
    alarm("");
    byId("begin").hidden = true;
    byId("task").hidden = byId("keep").hidden = false;
    byId("guide").open = false;
    go(marks.has(0) ? after(0) ?? 0 : 0);
  });
  byId("back").addEventListener("click", () => go(at - 1));
  byId("next").addEventListener("click", () => go(at + 1));
  byId("open").addEventListener("click", () => go(after(at)));
  byId("clear").addEventListener("click", clear);
  byId("csv").addEventListener("click", () => save("csv", "text/csv", csv()));
  byId("json").addEventListener("click", () => save("json", "application/json", json()));
  byId("other").addEventListener("click", begin);
  byId("load").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    alarm(load(await file.text()));
    event.target.value = "";
    show(heading());
  });
  document.addEventListener("keydown", (event) => {
    if (byId("task").hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, summary")) return;
    const level = keys.indexOf(event.key);
    const acts = {
      ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), n: () => go(after(at)),
      u: () => mark(OPEN), Backspace: clear, Delete: clear,
    };
    const act = level >= 0 && event.key ? () => mark(level) : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  function begin() {
    byId("task").hidden = byId("keep").hidden = true;
    byId("begin").hidden = false;
    byId("guide").open = true;
    byId("rater").focus();
  }
  byId("guidelines").textContent = task.guidelines;
  byId("guide").hidden = !task.guidelines;
  begin();
  document.documentElement.dataset.ready = "yes";
})();
