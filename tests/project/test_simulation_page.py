"""The page of the simulations: what fails is listed, whatever else is on it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from simulations import best, items, marks, thresholds, watching
from simulations.coverage import BESIDE, CASES, JUDGED, METHODS
from simulations.crowds import CROWDS
from simulations.paired import CASES as PAIRED_CASES
from simulations.paired import CONTESTS
from simulations.populations import POPULATIONS
from simulations.report import CONTROL_CASES, control_fails, page

STUDIES = 1000


def tally(share: float, *, withheld: int = 0, method: str = "log-jackknife-t") -> dict[str, Any]:
    given = STUDIES - withheld
    missed = round((1 - share) * given)
    return {
        "given": given, "low": missed // 2, "high": missed - missed // 2, "withheld": withheld,
        "width": 0.2, "infinite": 0, "methods": {method: given},
    }  # fmt: skip


def counts() -> dict[tuple[str, int, int], Any]:
    """Everything as it should be."""
    found: dict[tuple[str, int, int], Any] = {}
    for place in range(len(POPULATIONS)):
        for n in CASES:
            found["coverage", place, n] = {
                m.name: {method: tally(0.95) for method in METHODS}
                | {"truth": 0.1, "median_ratio": 1.1}
                for m in (*JUDGED, *BESIDE)
            }
    for place in range(len(CONTESTS)):
        for n in PAIRED_CASES:
            found["paired", place, n] = {
                m.name: {"delta": 0.0, "default": tally(0.95), "percentile": tally(0.92),
                         "tested": STUDIES, "rejected": 50, "told": 40}
                for m in JUDGED
            }  # fmt: skip
    for n in CONTROL_CASES:
        found["rows", 2, n] = {m.name: tally(0.7) for m in JUDGED}
    held = {"given": 400, "low": 10, "high": 10, "plain": 400, "plain_missed": 20, "truth": 0.1}
    for place in range(len(CROWDS)):
        for n in marks.CASES:
            found["crowd", place, n] = dict.fromkeys(marks.NAMES, held)
    for place in range(len(items.SPREADS)):
        for shape in range(len(items.SHAPES)):
            found["items", place, shape] = {n: [[400, 240], [400, 380]] for n in items.NAMES}
    for place, (n, _) in enumerate(items.JUDGED):
        found["verdicts", place, n] = {"fixed": [400, 200, 180], "random": [400, 380, 20]}
    of_best = {"studies": 400, "false": 10, "best": 400, "low": 2, "high": 4}
    for place in range(len(best.CONTESTS)):
        for shape in range(len(best.SHAPES)):
            found["best", place, shape] = of_best
    return found


def failures(text: str, *, promised: bool = True) -> list[str]:
    """The lines of the table of known failures, of the promised metrics or of the others."""
    section = text.split("## Known failures")[1].split("\n## ")[0]
    part = section.split("Of the other metrics")[0 if promised else 1]
    return [line for line in part.splitlines() if line.startswith("|")][2:]


def test_nothing_is_listed_when_everything_holds() -> None:
    text = page(counts(), STUDIES, STUDIES, 400, 100, 1)
    assert failures(text) == []
    assert "0 of 128" in text
    assert "| 5 alike | 150 × 30 | 400 | 2.5 ± 0.8 | 100.0 | 0.5 / 1.0 |" in text
    assert "Outside 3–6.5%:\n\nNone." in text


def test_a_cell_that_covers_too_little_or_too_much_is_listed_with_its_coverage() -> None:
    found = counts()
    found["coverage", 3, 20]["aurc"]["default"] = tally(0.929)
    found["coverage", 5, 41]["mean_loss"]["default"] = tally(0.98, withheld=100, method="gamma")
    found["coverage", 1, 100]["eaurc"]["default"] = tally(0.5)
    text = page(found, STUDIES, STUDIES, 400, 100, 1)
    lines = failures(text)
    assert len(lines) == 2
    (other,) = failures(text, promised=False)
    assert "independent items | 100 | eaurc | 50.0 | too narrow" in other
    assert "unequal sizes | 20 | aurc | 92.9 | too narrow" in lines[0]
    assert "coverage .15 | 41 | mean_loss | 98.0 | too wide" in lines[1]
    assert "gamma 90.0, withheld 10.0" in lines[1]


def test_a_comparison_outside_its_bounds_is_listed() -> None:
    found = counts()
    found["paired", 0, 20]["aurc"]["default"] = tally(0.92)
    found["paired", 1, 41]["mean_loss"]["rejected"] = 90
    found["paired", 4, 41]["mean_loss"]["rejected"] = 900  # not a null: no error
    text = page(found, STUDIES, STUDIES, 400, 100, 1)
    listed = text.split("Outside 3–6.5%:")[1].split("##")[0]
    assert "exchangeable, skewed with ties, 20 cases, aurc: interval 8.0%" in listed
    assert "exchangeable, strong clustering, 41 cases, mean_loss: p-value 9.0%" in listed
    assert "AURC equal" not in listed


def test_a_control_that_covers_is_noticed() -> None:
    found = counts()
    assert control_fails(found) == []
    found["rows", 2, 41]["mean_loss"] = tally(0.86)
    assert control_fails(found) == ["mean_loss, 41 cases"]


def test_a_family_shows_its_worst_cell_and_counts_what_is_outside() -> None:
    found = counts()
    bad = {"given": 400, "low": 40, "high": 0, "plain": 100, "plain_missed": 20, "truth": 0.1}
    found["crowd", 0, 41] = {**found["crowd", 0, 41], "quadratic_kappa": bad}
    text = page(found, STUDIES, STUDIES, 400, 100, 1)
    (line,) = [row for row in text.splitlines() if row.startswith("| quadratic_kappa |")]
    assert "| 90.0–95.0 |" in line
    assert "| 80.0 |" in line  # of those without a mark
    assert "1 in less; the lowest is 90.0" in text
    assert "60.0 → 95.0" in text
    assert "| 41 × 8 | 50.0 → 95.0 | 45.0 → 5.0 |" in text


WRITTEN = ("sets", "cascades", *thresholds.TABLES, *watching.TABLES)
"""The tables that are put between marks of the page."""


def column(name: str, place: int) -> list[float]:
    """The numbers that begin the cells of a column of a written table, from small to large."""
    table = thresholds.PAGE.read_text("utf-8").split(f"<!-- {name} -->")[1].split("<!-- end -->")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("|")]
    found = (re.match(r" *([\d.]+)", row[place]) for row in rows[2:])
    return sorted(float(number[1]) for number in found if number)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_table_is_written_between_its_marks_and_nowhere_else(name: str, tmp_path: Path) -> None:
    text = thresholds.PAGE.read_text("utf-8")
    copy = tmp_path / "page.md"
    copy.write_text(text, "utf-8")
    thresholds.write(copy, name, "the table")
    before, after = text.split(f"<!-- {name} -->\n")
    rest = after[after.index("<!-- end -->") :]
    assert copy.read_text("utf-8") == f"{before}<!-- {name} -->\nthe table\n{rest}"


@pytest.mark.parametrize(
    ("page", "sentence", "name", "place"),
    [
        ("decisions", "above the promised one in at most {high}% of the studies", "thresholds", 2),
        ("decisions", "in at most {high}% by `exact`", "thresholds", 3),
        ("decisions", "broke the promise in up to {high}%", "thresholds", 4),
        ("decisions", "falsely in at most {high}% of the studies", "search", 5),
        ("decisions", "held {low} to {high}% of the truths (aps)", "sets", 2),
        ("decisions", "and {low} to {high}% (distance)", "sets", 3),
        ("decisions", "it was as few as {low}%", "sets", 4),
        ("decisions", "passed in {low} to {high}% (promised: 5%)", "gate", 2),
        ("promises", "{low} to {high}% ever had an alarm", "alarms", 1),
        ("promises", "false in at most {high}% (10% allowed)", "cascades", 2),
        ("promises", "{low} to {high}% passed", "card", 2),
        ("promises", "and {low} to {high}% failed", "card", 3),
        ("promises", "{low} to {high}% had one of either", "alarms", 4),
        ("promises", "in {low} to {high}% of the studies (10% promised)", "looks", 2),
        ("promises", "`--repeated` in at most {high}%", "looks", 3),
    ],
)
def test_a_guide_has_the_ends_of_the_table(page: str, sentence: str, name: str, place: int) -> None:
    numbers = column(name, place)
    text = (thresholds.PAGE.parent / f"{page}.md").read_text("utf-8")
    assert sentence.format(low=numbers[0], high=numbers[-1]) in " ".join(text.split())
