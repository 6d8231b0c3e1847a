"""The counts as a page of Markdown tables. Nothing is computed here but shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from acumen.metrics.registry import Metric
from simulations import best, curves, items, marks
from simulations.coverage import BESIDE, CASES, JUDGED, METHODS
from simulations.crowds import APART, CROWDS
from simulations.paired import CASES as PAIRED_CASES
from simulations.paired import CONTESTS, SWAPS
from simulations.populations import POPULATIONS, TRUTH_CASES

Counted = Mapping[tuple[str, int, int], Any]
GOOD: Final = (0.93, 0.97)
GOOD_ERRORS: Final = (0.03, 0.065)
CONTROL: Final = 0.85
CONTROL_CASES: Final = (41, 100)
TITLES: Final = {"default": "default", "percentile": "percentile", "bca": "BCa"}


def covered(tally: Mapping[str, Any]) -> float | None:
    """Share of the given intervals that hold the truth."""
    given = tally["given"]
    return 1 - (tally["low"] + tally["high"]) / given if given else None


def page(counted: Counted, studies: int, pairs: int, crowds: int, resamples: int, seed: int) -> str:
    """The whole page."""
    parts = [
        _head(studies, pairs, resamples, seed),
        curves.kept(),
        _crowds(counted, crowds),
        _items(counted, min(crowds, items.STUDIES)),
        _best(counted),
        _summary(counted),
        _failures(counted),
        _paired(counted, pairs),
        _control(counted),
        _populations(counted),
        *(_by_metric(counted, m.name) for m in (*JUDGED, *BESIDE)),
    ]
    return "\n\n".join(parts) + "\n"


def _percent(share: float | None, digits: int = 1) -> str:
    return "–" if share is None else f"{100 * share:.{digits}f}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _head(studies: int, pairs: int, resamples: int, seed: int) -> str:
    return f"""# Do the intervals hold?

Simulated studies from populations whose truth is known; every number on this page is counted, with
the library's own functions. Redo it with `make slow`, or `python -m simulations` (half an hour of
one core; cells already counted are kept under `build/simulations`; `--fresh` counts again). Every
section says how many studies it counted and how far that may lie off; which claims hold is on
[a page of its own](claims.md).

In the sections after the items: {studies:,} studies a cell, which err by {_errs(studies)};
{pairs:,} pairs; seed {seed}; level 95%; percentile and BCa from {resamples:,} resamples (the
library's own default is 10,000). The truth is the metric on {TRUTH_CASES:,} cases. A case has 8
items unless a population says otherwise."""


def _errs(studies: int) -> str:
    """How far a share of 95% counted in so many studies may lie off."""
    return f"±{200 * (0.95 * 0.05 / studies) ** 0.5:.1f} points (two standard errors)"


def _crowds(counted: Counted, studies: int) -> str:
    head = ["metric", *(f"n = {n}" for n in marks.CASES), "unmarked, worst", "truth above / below"]
    parts = [
        f"""## Every family of metrics

{studies} studies a cell, which err by {_errs(studies)}. From the worst population to the best,
{" and ".join(APART)} apart, in percent of the intervals there are. *Unmarked, worst*: the lowest
share among the intervals without a mark (few cases of a level, few wrong answers, a few cases that
hold most of the weight), where at least a fifth of a cell's are; on a marked one no difference is
claimed."""
    ]
    for family, names in marks.FAMILIES.items():
        rows = [_family_row(counted, name) for name in names]
        parts.append(f"### {family.capitalize()}\n\n{_table(head, rows)}")
    parts.append(_promised(counted))
    parts.append(f"### Where a few cases decide\n\n{_apart(counted)}")
    abouts = [[crowd.name, crowd.about] for crowd in CROWDS]
    parts.append(f"### These populations\n\n{_table(['name', 'what it is'], abouts)}")
    return "\n\n".join(parts)


def _promised(counted: Counted) -> str:
    """How many cells of the families of which something is promised hold it, and the others."""
    cells = [
        (crowd.name, n, name, covered(tally) or 0.0)
        for family in marks.PROMISED
        for name in marks.FAMILIES[family]
        for n in marks.CASES
        for place, crowd in enumerate(CROWDS)
        if crowd.name not in APART
        and (tally := counted["crowd", place, n].get(name, {"given": 0}))["given"]
        and tally["truth"] not in (0.0, 1.0)
    ]
    shares = [share for *_, share in cells]
    wide, narrow = sum(s > GOOD[1] for s in shares), sum(s < GOOD[0] for s in shares)
    rows = [
        [name, str(n), metric, _percent(share)]
        for name, n, metric, share in cells
        if not GOOD[0] <= share <= GOOD[1]
    ]
    inside = len(cells) - len(rows)
    lines = (
        f"Of the {len(cells)} cells of {', '.join(marks.PROMISED)}: {inside} hold in "
        f"{_percent(GOOD[0], 0)} to {_percent(GOOD[1], 0)}% of the studies "
        f"({_percent(inside / len(cells))}%), {wide} in more, {narrow} in less; the lowest is "
        f"{_percent(min(shares))}. A share that is 1 in the population cannot be missed, and is no "
        "cell. Intervals hold too often where few cases err: fewer than 3 take an interval of "
        "their own, and a few more leave few degrees of freedom."
    )
    outside = _table(["population", "cases", "metric", "covers %"], rows)
    return f"{lines}\n\n{outside}" if rows else lines


def _tallies(counted: Counted, name: str, n: int, *, apart: bool) -> list[Mapping[str, Any]]:
    cells = (
        counted["crowd", place, n].get(name, {"given": 0})
        for place, crowd in enumerate(CROWDS)
        if (crowd.name in APART) == apart
    )
    return [tally for tally in cells if tally["given"]]


def _shares(counted: Counted, name: str, n: int) -> list[float]:
    return [covered(tally) or 0.0 for tally in _tallies(counted, name, n, apart=False)]


def _family_row(counted: Counted, name: str) -> list[str]:
    ranges, plain = [], []
    misses = [0, 0, 0]
    for n in marks.CASES:
        shares = _shares(counted, name, n)
        ranges.append(f"{_percent(min(shares))}–{_percent(max(shares))}" if shares else "–")
        for tally in _tallies(counted, name, n, apart=False):
            misses = [
                m + tally[key] for m, key in zip(misses, ("given", "low", "high"), strict=True)
            ]
            if tally["plain"] >= tally["given"] / 5:
                plain.append(1 - tally["plain_missed"] / tally["plain"])
    sides = " / ".join(_percent(m / misses[0]) for m in misses[1:]) if misses[0] else "–"
    return [name, *ranges, _percent(min(plain, default=None)), sides]


def _apart(counted: Counted) -> str:
    names = ("aurc", "mean_loss", "accuracy", "quadratic_kappa", "ece")
    rows = []
    for place, crowd in enumerate(CROWDS):
        for n in marks.CASES if crowd.name in APART else ():
            tallies = [counted["crowd", place, n][name] for name in names]
            shares = [
                f"{_percent(covered(t))} ({_percent(1 - t['plain'] / t['given'], 0)})"
                for t in tallies
            ]
            rows.append([crowd.name, str(n), *shares])
    head = ["population", "cases", *names]
    return f"Held, and in brackets how many are marked, in percent.\n\n{_table(head, rows)}"


def _items(counted: Counted, studies: int) -> str:
    rows = []
    for place, spread in enumerate(items.SPREADS):
        for shape, (n, k) in enumerate(items.SHAPES):
            found = counted["items", place, shape]
            cells = [
                " → ".join(_percent(held / made) for made, held in found[name])
                for name in items.NAMES
            ]
            rows.append([f"{spread:g}, {n} × {k}", *cells])
    head = ["item sd (logits), cases × items", *items.NAMES]
    return f"""## Items that are a sample

What the intervals hold of new cases *and* new items, with `--items fixed` → `--items random`, in
percent of {studies} studies, which err by {_errs(studies)}. Δ: of a paired difference that is 0.

{_table(head, rows)}

{_verdicts(counted, studies)}"""


def _verdicts(counted: Counted, studies: int) -> str:
    """The verdict on two systems that are equal over all items."""
    rows = []
    for place, (n, k) in enumerate(items.JUDGED):
        cells = counted["verdicts", place, n].values()
        shares = ([_percent(part / made) for part in parts] for made, *parts in cells)
        rows.append([f"{n} × {k}", *(" → ".join(pair) for pair in zip(*shares, strict=True))])
    head = ["cases × items", "interval has 0", "a side is called better"]
    return f"""**The verdict** (risk at equal coverage) on two systems that are equal over all items
though each finds others hard, item sd {items.SPREADS[-1]:g}, in percent of {studies} studies.

{_table(head, rows)}"""


def _best(counted: Counted) -> str:
    rows = []
    for place, contest in enumerate(best.CONTESTS):
        for shape, (n, k) in enumerate(best.SHAPES):
            found = counted["best", place, shape]
            size = found["studies"]
            shares = [found[key] / size for key in ("false", "best", "low", "high")]
            error = 100 * (max(shares[0], 1 / size) * (1 - shares[0]) / size) ** 0.5
            false, picked, low, high = map(_percent, shares)
            facts = (f"{n} × {k}", f"{size}", f"{false} ± {error:.1f}", picked, f"{low} / {high}")
            rows.append([contest.name, *facts])
    head = ["functions", "cases × rows", "studies", "false claims", "best picked", "truth beside"]
    return f"""## The best of several confidence functions

Beyond 4,000 rows nothing is resampled. The function with the lowest AUGRC is held against all
others by the largest of normal draws that have the variances of the jackknives (max-T), and the
interval of its failure AUROC has a level of 1 − .05/k of k functions. In percent of the studies:
those in which it is said to lie below a function that is no worse, with one standard error
(promised: at most 5); those in which it is truly the best, or one of the best; and those in which
its true failure AUROC lies below / above the interval (promised: at most 5 together).

{_table(head, rows)}"""


def _cells(counted: Counted, metric: str, cases: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for place, population in enumerate(POPULATIONS):
        yield population.name, counted["coverage", place, cases][metric]


def _summary(counted: Counted) -> str:
    rows = []
    for metric in (*JUDGED, *BESIDE):
        for method in METHODS:
            row = [metric.name, TITLES[method]]
            for n in CASES:
                found = [covered(cell[method]) for _, cell in _cells(counted, metric.name, n)]
                known = sorted(x for x in found if x is not None)
                row.append(f"{_percent(known[0])}–{_percent(known[-1])}" if known else "–")
            rows.append(row)
    head = ["metric", "interval", *(f"n = {n}" for n in CASES)]
    return f"""## In short

Coverage in percent of the studies that have an interval, from the worst population to the best.

{_table(head, rows)}"""


def _failures(counted: Counted) -> str:
    low, high = (_percent(share, 0) for share in GOOD)
    promised, others = (_outside(counted, metrics) for metrics in (JUDGED, BESIDE))
    cells = len(CASES) * len(POPULATIONS)
    names = "AURC, AUGRC, coverage and mean_loss"
    return f"""## Known failures of the default

Cells of {names} where the default covers less than {low}% or more than {high}%:
{len(promised)} of {cells * len(JUDGED)}. With fewer than 10 cases the library claims no
difference whatever the interval.

{_failing(promised)}

Of the other metrics, for which nothing is promised: {len(others)} of {cells * len(BESIDE)}.

{_failing(others)}"""


def _outside(counted: Counted, metrics: Sequence[Metric]) -> list[list[str]]:
    rows = []
    for n in CASES:
        for metric in metrics:
            for name, cell in _cells(counted, metric.name, n):
                share = covered(cell["default"])
                if share is None or not GOOD[0] <= share <= GOOD[1]:
                    side = "too wide" if share is not None and share > GOOD[1] else "too narrow"
                    methods = _methods(cell["default"])
                    rows.append([name, str(n), metric.name, _percent(share), side, methods])
    return rows


def _failing(rows: list[list[str]]) -> str:
    head = ["population", "cases", "metric", "covers %", "", "made by (% of studies)"]
    return _table(head, rows) if rows else "None."


def _methods(tally: Mapping[str, Any]) -> str:
    studies = tally["given"] + tally["withheld"]
    shares = [f"{name} {_percent(k / studies)}" for name, k in tally["methods"].items()]
    if tally["withheld"]:
        shares.append(f"withheld {_percent(tally['withheld'] / studies)}")
    return ", ".join(shares)


def control_fails(counted: Counted) -> list[str]:
    """Where drawing rows looks fine although it is not: then nothing here can be believed."""
    return [
        f"{name}, {n} cases"
        for (part, _, n), found in counted.items()
        if part == "rows"
        for name, tally in found.items()
        if (covered(tally) or 0.0) >= CONTROL
    ]


def _by_metric(counted: Counted, metric: str) -> str:
    rows = []
    for place, population in enumerate(POPULATIONS):
        for n in CASES:
            cell = counted["coverage", place, n][metric]
            default, percentile = cell["default"], cell["percentile"]
            wider = None
            if default["width"] is not None and percentile["width"]:
                wider = default["width"] / percentile["width"]
            given = default["given"] or 1
            rows.append(
                [
                    population.name,
                    str(n),
                    *(_percent(covered(cell[method])) for method in METHODS),
                    f"{_percent(default['low'] / given)} / {_percent(default['high'] / given)}",
                    "–" if wider is None else _size(wider),
                    "–" if cell["median_ratio"] is None else f"{cell['median_ratio']:.2f}",
                    _methods(default),
                ]
            )
    head = [
        "population", "cases", "default", "percentile", "BCa", "truth above / below",
        "mean width ÷ percentile's", "median", "default made by (% of studies)",
    ]  # fmt: skip
    return f"## {metric}\n\nCoverage in percent of the studies that have an interval.\n\n" + _table(
        head, rows
    )


def _size(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 100 else f"{ratio:.0e}"


def _paired(counted: Counted, pairs: int) -> str:
    rows, failures = [], []
    for n in PAIRED_CASES:
        for place, contest in enumerate(CONTESTS):
            for metric in JUDGED:
                cell = counted["paired", place, n][metric.name]
                default, percentile = (
                    None if (share := covered(cell[kind])) is None else 1 - share
                    for kind in ("default", "percentile")
                )
                rejected = cell["rejected"] / cell["tested"] if cell["tested"] else None
                null = contest.is_exchangeable
                rows.append(
                    [contest.name, str(n), metric.name, f"{cell['delta']:.4f}",
                     _percent(default), _percent(percentile),
                     _percent(rejected) if null else f"({_percent(rejected)})",
                     _percent(cell["told"] / pairs), _methods(cell["default"])]
                )  # fmt: skip
                checked = [("interval", default)] + ([("p-value", rejected)] if null else [])
                failures += [
                    f"{contest.name}, {n} cases, {metric.name}: {what} {_percent(share)}%"
                    for what, share in checked
                    if share is None or not GOOD_ERRORS[0] <= share <= GOOD_ERRORS[1]
                ]
    listed = "\n".join(f"- {line}" for line in failures) or "None."
    head = ["systems", "cases", "metric", "true difference", "interval errs", "percentile errs",
            "p ≤ .05", "difference claimed", "interval made by (%)"]  # fmt: skip
    return f"""## Paired comparisons

Percent of {pairs:,} pairs of studies in which the interval of right − left misses the true
difference (nominal: 5; counting errs by ±{200 * (0.05 * 0.95 / pairs) ** 0.5:.1f} points, two
standard errors), and in which the p-value is at most .05. That p-value is of the studentised swaps
within cases ({SWAPS} here), and a difference is claimed where it says so. Rejections in brackets
are where the systems differ; there it is an error only where the true difference is 0.

{_table(head, rows)}

Outside {_percent(GOOD_ERRORS[0], 0)}–{_percent(GOOD_ERRORS[1])}%:

{listed}"""


def _control(counted: Counted) -> str:
    place = [p.name for p in POPULATIONS].index("strong clustering")
    rows = [
        [
            metric.name,
            *(_percent(covered(counted["rows", place, n][metric.name])) for n in (41, 100)),
        ]
        for metric in JUDGED
    ]
    return f"""## What if rows are drawn instead of cases?

A percentile bootstrap over single rows, under strong clustering: it must come out below
{_percent(CONTROL, 0)}%, or these simulations could not tell a bad interval from a good one.

{_table(["metric", "n = 41", "n = 100"], rows)}"""


def _populations(counted: Counted) -> str:
    rows = []
    for place, population in enumerate(POPULATIONS):
        cell = counted["coverage", place, CASES[0]]
        rows.append(
            [population.name, population.about, *(f"{cell[m.name]['truth']:.4f}" for m in JUDGED)]
        )
    return "## The populations\n\n" + _table(["name", "", *(m.name for m in JUDGED)], rows)
