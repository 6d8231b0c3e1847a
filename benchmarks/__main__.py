"""``python -m benchmarks``: measure, print a table, write benchmarks/results.md."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from acumen.files.json import parse_json, write_bytes
from benchmarks import many as systems
from benchmarks import page as report_page
from benchmarks import runner, streams, tables, verdicts
from benchmarks.commands import FUNCTIONS, cold_start, commands, of_rows, reading_and_confidence
from benchmarks.speed import large_study, small_study

RESULTS = Path(__file__).with_name("results.md")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    against: str
    found: str
    target: str
    met: bool | None = None

    @property
    def verdict(self) -> str:
        return {None: "", True: "met", False: "MISSED"}[self.met]


def apart(what: str, rows: int) -> dict[str, Any]:
    """A measurement in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", what, str(rows)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = parse_json(done.stdout)
    assert isinstance(found, dict)
    return found


def command_rows(objects: float) -> list[Row]:
    """Whole commands; ``objects`` is the reference's time for one replicate of one function.

    That with one curve for all metrics: people who wait write it so, and no slower.
    """
    t = commands()
    theirs = min(objects, 1e-3) * 10_000 * FUNCTIONS
    ratio = theirs / t["evaluate"]
    cold, warm = cold_start()
    reading, confidence = reading_and_confidence()
    return [
        Row("acumen --version", "", f"{t['version']:.2f} s", "≤ 0.3 s", t["version"] <= 0.3),
        Row("acumen --help", "", f"{t['help']:.2f} s", "≤ 0.7 s", t["help"] <= 0.7),
        Row("acumen evaluate --confidence all, demo run, 10,000 resamples, whole command", "",
            f"{t['evaluate']:.2f} s", "≤ 0.85 s, idle", t["evaluate"] <= 0.85),
        Row("the same", f"objects in a list, one curve for all metrics ({objects * 1e3:.2f} ms, "
            f"at most 1 is counted), {FUNCTIONS} functions, scaled up from a replicate",
            f"{ratio:,.0f}× ({theirs:,.0f} s)", "≥ 150×", ratio >= 150),
        Row("acumen evaluate, two modes compared, no loop compiled yet", "the next time",
            f"{cold:.1f} s against {warm:.1f} s", "≤ 15 s", cold <= 15),
        Row("every confidence function of 10,000 cases × 8 items", "reading the file",
            f"{confidence:.2f} s against {reading:.1f} s", "less", confidence < reading),
    ]  # fmt: skip


MOST = {4: (1.2, None), 5: (2.0, None), 6: (6.0, 600), 7: (45.0, 2500)}
"""Seconds and MB that the default command may take on 10 to the power of so many rows."""


def size_rows() -> list[Row]:
    """The default command by the number of rows."""
    rows, first = [], 0.0
    for power, (most, memory) in MOST.items():
        cost = of_rows(10**power, repeats=1 if power == 7 else 2)
        first = cost.cpu if power == 5 else first
        growth = math.log10(cost.cpu / first) / (power - 5) if power > 5 else 0.0
        since = f", grows as rows^{growth:.2f} since 10⁵" if power > 5 else ""
        met = cost.wall <= most and cost.memory <= (memory or math.inf) and growth <= 1.1
        target = f"≤ {most:g} s" + (f", {memory:,} MB, rows^1.1" if memory else "") + ", idle"
        rows.append(
            Row(f"acumen evaluate, 10{'⁴⁵⁶⁷'[power - 4]} rows, whole command", "",
                f"{cost.wall:.1f} s, {cost.cpu:.1f} s of processor time, {cost.memory:,.0f} MB"
                f"{since}", target, met)
        )  # fmt: skip
    return rows


def work_rows() -> list[Row]:
    """Whole pieces of work: a verdict study, a page of many rows."""
    scored = verdicts.seconds()
    shown = report_page.seconds()
    ranked, sliced = systems.many(), systems.of_systems(10, "--by", "group")
    hundred = systems.of_systems(100)
    opened = "no browser here" if shown is None else f"{shown:.1f} s"
    return [
        Row("10,000 verdicts × 20 pieces of evidence, 10,000 resamples", "",
            f"{scored:.1f} s", "≤ 10 s, idle", scored <= 10),
        Row("the page of 10⁵ rows, until every chart is drawn", "", opened, "about 2 s",
            None if shown is None else shown <= 2.5),
        Row(f"{systems.SYSTEMS} systems of 41 cases × 8 items, all pairs and ranks, each",
            "one system alone", f"{ranked['ratio']:.2f}× ({ranked['each']:.2f} s)", "≤ 3×",
            ranked["ratio"] <= 3),
        Row("acumen evaluate, 10 systems × 1,200 rows in 30 groups, whole command", "",
            f"{sliced.cpu:.1f} s of processor time, {sliced.memory:.0f} MB", "≤ 6 s, idle",
            sliced.cpu <= 6),
        Row("acumen evaluate, 100 systems × 1,200 rows, all pairs and ranks, whole command", "",
            f"{hundred.cpu:.1f} s of processor time, {hundred.memory:.0f} MB",
            "≤ 10 s, 700 MB, idle", hundred.cpu <= 10 and hundred.memory <= 700),
    ]  # fmt: skip


def runner_rows() -> list[Row]:
    """A model driven over cases."""
    c = runner.costs()
    wall, cpu = c.ours.wall / c.sdk.wall, c.ours.cpu / c.sdk.cpu
    many, again = c.many.cpu / c.ours.cpu, c.resumption
    size = "10,000 questions answered after 20 ms"
    each = 1000 / runner.QUESTIONS
    return [
        Row(f"{size}, 64 at a time", "the openai SDK alone, in the same run",
            f"{wall:.2f}× ({c.ours.wall:.1f} s against {c.sdk.wall:.1f} s)", "≤ 2×", wall <= 2),
        Row("the same, processor time a question", "the openai SDK", f"{cpu:.2f}× "
            f"({c.ours.cpu * each:.2f} against {c.sdk.cpu * each:.2f} ms)", "≤ 1.5×", cpu <= 1.5),
        Row(f"{size}, 500 at a time, processor time", "64 at a time",
            f"{many:.2f}× ({c.many.wall:.1f} s by the clock)", "≤ 1.1×", many <= 1.1),
        Row("a run of 10⁵ questions resumed with 5 left", "",
            f"{again.cpu:.1f} s of processor time, {again.memory:.0f} MB", "≤ 6 s, 300 MB, idle",
            again.cpu <= 6 and again.memory <= 300),
        *map(stream_row, streams.costs()),
    ]  # fmt: skip


def stream_row(cost: streams.Cost) -> Row:
    """One program over TLS to a server that is 20 ms away."""
    return Row(
        f"{streams.QUESTIONS} questions over TLS to a server 20 ms away, {cost.abreast} at a time: "
        f"{cost.who} over {cost.version}",
        f"the openai SDK as it comes (over {streams.OLD}), in the same run",
        f"{cost.wall_ratio:.2f}× ({cost.wall:.2f} s), processor time {cost.cpu_ratio:.2f}× "
        f"({cost.cpu:.2f} s)", "",
    )  # fmt: skip


def table_rows() -> list[Row]:
    """Files of rows into a table: time, and memory beyond what was held before."""
    rows = []
    for power in (6, 7):
        for name, c in tables.costs(10**power).items():
            what = f"10{'⁶⁷'[power - 6]} rows of {name} into a table"
            time, space = c.ours / c.theirs, c.our_peak / c.their_peak
            rows += [
                Row(what, "pyarrow alone, reading the file",
                    f"{time:.2f}× ({c.ours:.2f} s against {c.theirs:.2f} s)", "≤ 3×", time <= 3),
                Row(f"{what}, peak memory", "pyarrow alone, reading the file",
                    f"{space:.2f}× ({c.our_peak:,.0f} MB against {c.their_peak:,.0f} MB)", ""),
            ]  # fmt: skip
    return rows


def small_rows(t: dict[str, float]) -> list[Row]:
    """41 cases × 8 items × 10,000 resamples."""
    ours, size = t["ours"], f"41 cases × 8 items, {t['metrics']:.0f} metrics at once"
    a = t["objects"] / ours
    return [
        Row(size, "objects in a list, rows and curve for each metric",
            f"{a:,.0f}× ({t['objects'] * 1e6:,.0f} µs against {ours * 1e6:.2f} µs a replicate)",
            "≥ 1,000×", a >= 1000),
        Row(size, "objects in a list, one curve for all metrics",
            f"{t['objects, shared'] / ours:,.0f}× ({t['objects, shared'] * 1e6:,.0f} µs)", ""),
        Row(f"{size}, drawing included", "objects in a list, drawing not included",
            f"{t['objects'] / (ours + t['ours, drawing']):,.0f}×", ""),
        Row(size, "scikit-learn's average_precision_score, one call",
            f"{t['sklearn'] / ours:,.0f}× ({t['sklearn'] * 1e6:,.0f} µs)", ""),
        Row(size, "an AURC in NumPy, one call",
            f"{t['numpy'] / ours:,.1f}× ({t['numpy'] * 1e6:,.1f} µs)", ""),
    ]  # fmt: skip


def large_rows() -> list[Row]:
    """10⁵ rows × 1,000 resamples."""
    t = large_study()
    size = "10⁵ rows × 1,000 resamples, one thread"
    gain, most = t["gain"], t["most gain"]
    # where even plain arithmetic gains little, the machine is busy and the engine is not judged
    judged = gain >= 1.7 if gain >= 1.7 or most >= 1.85 else None
    return [
        Row(f"{size}: AURC, AUGRC, MAE at 9 coverages", "per replicate and row, drawing apart",
            f"{t['areas']:.2f} ns", "≤ 3 ns", t["areas"] <= 3),
        Row(f"{size}: with hulls and optima", "per replicate and row, drawing apart",
            f"{t['core']:.2f} ns", "≤ 12 ns", t["core"] <= 12),
        Row(f"{size}: drawing the cases", "per replicate and row", f"{t['drawing']:.2f} ns", ""),
        Row("10⁵ rows × 1,000 resamples, drawing included, two threads", "one thread",
            f"{gain:.2f}× (plain arithmetic at that moment: {most:.2f}×)",
            "≥ 1.7× on an idle machine", judged),
    ]  # fmt: skip


def memory_rows() -> list[Row]:
    """Very many rows: time, growth, memory."""
    t = apart("resample", 1_000_000)
    rows = [
        Row("10⁶ rows × 1,000 resamples, two threads", "peak memory of the process",
            f"{t['peak_mb']:,.0f} MB, {t['seconds']:.1f} s", "≤ 1.5 GB", t["peak_mb"] <= 1500),
    ]  # fmt: skip
    spent = []
    for power in (5, 6, 7):
        t = apart("points", 10**power)
        spent.append(t["seconds"])
        last = power == 7
        growth = math.log10(spent[-1] / spent[0]) / max(1, power - 5)
        told = f", grows as rows^{growth:.2f} since 10⁵" if power > 5 else ""
        met = t["seconds"] <= 15 and t["beyond_input_mb"] <= 1000 and growth <= 1.15
        rows.append(
            Row(f"10{'⁵⁶⁷'[power - 5]} rows: all {t['metrics']} metrics, ranking included",
                "beyond the columns read (int8, int8, float32)",
                f"{t['seconds']:.2f} s{told}, {t['beyond_input_mb']:,.0f} MB",
                "≤ 15 s, rows^1.15, 1 GB" if last else "", met if last else None)
        )  # fmt: skip
    return rows


def machine() -> str:
    """The machine in words, and how busy it was."""
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), load {load:.1f} at the start; "
        f"Python {platform.python_version()}, NumPy {version('numpy')}, Numba {version('numba')}, "
        f"scikit-learn {version('scikit-learn')}"
    )


def page(rows: list[Row], where: str) -> str:
    """The table in Markdown."""
    lines = [
        "# Speed and memory",
        "",
        f"Measured in one run of `make bench` on {where}.",
        "Times are the quickest of a few runs; the engine is compiled, warm, on one thread unless",
        "it says otherwise. Both sides of the first line give the same numbers for the same",
        "resamples (checked to 1e-9 before they are timed).",
        "",
        "| what | compared with | found | target | |",
        "|---|---|---|---|---|",
        *(f"| {r.what} | {r.against} | {r.found} | {r.target} | {r.verdict} |" for r in rows),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print, write."""
    from rich.console import Console
    from rich.table import Table

    where = machine()
    small = small_study()
    rows = [
        *small_rows(small),
        *command_rows(small["objects, shared"]),
        *size_rows(),
        *work_rows(),
        *runner_rows(),
        *table_rows(),
        *large_rows(),
        *memory_rows(),
    ]
    table = Table("what", "compared with", "found", "target", "", title=where)
    for row in rows:
        table.add_row(row.what, row.against, row.found, row.target, row.verdict)
    Console().print(table)
    write_bytes(RESULTS, page(rows, where).encode())


if __name__ == "__main__":
    main()
