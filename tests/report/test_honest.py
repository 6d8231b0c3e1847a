"""Where a page could mislead: what it draws and says of a number is that number, and no more."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.charts import CHARTS, theme
from acumen.charts.decisions import curve
from acumen.charts.intervals import UNDECIDED
from acumen.questions.evaluation import Evaluation
from acumen.readers.run import run_from_document
from acumen.report.blocks import Paragraph, Plot
from acumen.report.html import render_report, study_of
from acumen.report.layout import Study
from acumen.studies import phq8_run
from tests.report.kinds import KINDS, of_systems
from tests.report.opened import opened, unfold

DECISIONS = ("threshold", "sets", "cost", "gate", "plan")


def plots(study: Study) -> dict[str, Plot]:
    found = (b for section in study.sections for b in section.blocks if isinstance(b, Plot))
    return {plot.key.removeprefix("s1-chart-"): plot for plot in found}


def rows_of(plot: Plot) -> list[dict[str, Any]]:
    return [row for rows in plot.data.values() for row in rows]


def test_a_risk_says_the_coverage_that_was_reached_where_that_is_another() -> None:
    """Twenty of forty rows share a confidence: 60% cannot be had, 90% is the next step."""
    sure = [0.9] * 12 + [0.5] * 24 + [0.1] * 4
    rows = [
        {"case": c, "truth": 0, "prediction": int(c % 5 == 0), "confidence": s}
        for c, s in enumerate(sure)
    ]
    study = study_of(acumen.evaluate(rows, levels=[0, 1], resamples=0))
    table = plots(study)["risk-coverage"].table
    cells = dict(zip(table.columns, table.rows[0], strict=True))
    assert cells["surest 30%"].interval == ""
    assert cells["surest 60%"].interval == "at 90.0%"
    assert cells["surest 90%"].interval == ""


@pytest.mark.parametrize("kind", ["compare", "slices"])
def test_the_headline_the_large_number_and_the_chart_are_one_interval(kind: str) -> None:
    study = study_of(KINDS[kind]())
    first = study.facts.facts[0].cell
    drawn = rows_of(plots(study)["deltas"])[1] if kind == "compare" else None
    assert first.ends is not None
    low, high = first.ends
    assert low is not None
    assert high is not None
    claims = " is better" in study.answer
    assert claims == (low > 0.0 or high < 0.0)
    if drawn is not None:
        assert claims
        shown = re.search(r"([+-][\d.]+) \[([+-][\d.]+), ([+-][\d.]+)\]", study.answer)
        assert shown is not None
        assert [float(end) for end in shown.groups()] == pytest.approx(
            [drawn["value"], drawn["low"], drawn["high"]], abs=5e-4
        )
        assert first.text == f"{drawn['value']:+.3f}"


def test_areas_of_systems_that_answer_unequally_share_no_axis(paired: Evaluation) -> None:
    plot = plots(study_of(paired))["forest"]
    assert plot.spec["resolve"]["scale"] == {"x": "independent"}
    assert {row["name"] for row in rows_of(plot)} == {*paired.document.input_names}
    assert plot.caption.endswith("so it does not compare two systems.")
    one_function = of_systems(3)
    assert isinstance(one_function, Evaluation)
    assert CHARTS["forest"](one_function.document) is None


def grey_and_ink(spec: Any) -> dict[str, str]:
    """The groups of a chart by the colour they have."""
    found: dict[str, str] = {}

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            scale = part.get("scale")
            if part.get("field") == "group" and isinstance(scale, dict) and "range" in scale:
                found.update(zip(scale["domain"], scale["range"], strict=True))
            for inner in part.values():
                walk(inner)
        elif isinstance(part, list):
            for inner in part:
                walk(inner)

    walk(spec)
    return found


def test_grey_is_what_cannot_be_told_apart_on_every_chart(
    single: Evaluation, paired: Evaluation
) -> None:
    seven = KINDS["seven"]()
    assert isinstance(seven, Evaluation)
    seen = 0
    for evaluation, names in (
        (single, ("forest",)),
        (paired, ("deltas",)),
        (seven, ("leaderboard", "deltas")),
    ):
        for name in names:
            figure = CHARTS[name](evaluation.document)
            assert figure is not None
            for group, colour in grey_and_ink(theme.spec_and_data(figure)[0]).items():
                undecided = group == "perhaps as low" or group == UNDECIDED or "not shown" in group
                assert (colour == theme.GREY) == undecided, (name, group, colour)
                seen += 1
    assert seen >= 8


@pytest.mark.parametrize("kind", DECISIONS)
def test_a_decision_is_the_headline_of_its_page_and_of_its_line(kind: str) -> None:
    study = study_of(KINDS[kind]())
    words = {
        "threshold": r"may be used|None can be certified",
        "sets": r"Sets of|too few",
        "cost": r"^Hand over",
        "gate": r"^The gate (passes|fails|is undecided)",
        "plan": r"^\d+ cases show",
    }
    assert re.search(words[kind], study.answer), study.answer
    assert study.facts.facts


def test_one_thing_has_one_value_on_a_page(single: Evaluation) -> None:
    """How often it is exactly right is told of all rows, large and as a finding alike."""
    study = study_of(single)
    (large,) = (fact for fact in study.facts.facts if fact.label.startswith("exactly right"))
    (chapter,) = (part for part in study.chapters if part.topic == "Accuracy")
    assert large.label == "exactly right, of all rows"
    assert f"Exactly right in {large.cell.text} of all rows" in chapter.title


@pytest.mark.parametrize("kind", ["cost", "threshold", "plan", "gate", "calibrate", "estimate"])
def test_what_is_told_large_is_what_the_headline_says(kind: str) -> None:
    """The same number, with fewer digits at most."""
    study = study_of(KINDS[kind]())
    said = [float(text) for text in re.findall(r"(?<![\w.])-?\d*\.\d+", study.answer)]
    shown = {f.cell.text: f.cell.value for f in study.facts.facts if f.cell.value is not None}
    for text, value in shown.items():
        for number in said:
            near = abs(number - value) < 0.02 * abs(value) and abs(number - value) < 0.01
            digits = len(str(number).partition(".")[2])
            assert not near or number == pytest.approx(value, abs=0.5 * 10**-digits), (text, said)


def test_a_threshold_is_in_sight_on_its_curve() -> None:
    document = KINDS["threshold"]().document
    plot = plots(study_of(document))["threshold"]
    named = {row["w"]: row for row in rows_of(plot) if "w" in row}
    assert named[f"asked for: at most {document.alpha:g}"]["y"] == document.alpha
    (accepted,) = (row for label, row in named.items() if label.startswith("accepted"))
    assert accepted["y"] == pytest.approx(document.risk, rel=1e-5)
    assert all("t" in row for row in rows_of(plot) if "w" not in row)
    assert "accepted above" in plot.table.columns


def test_the_cost_and_the_cases_that_were_chosen_are_marked() -> None:
    cost = KINDS["cost"]().document
    marks = [row for row in rows_of(plots(study_of(cost))["cost"]) if "w" in row]
    assert {row.get("y") for row in marks} >= {cost.abstain_cost}
    assert any(f"{cost.threshold:.6g}" in row["w"] for row in marks)
    plan = KINDS["plan"]().document
    marks = [row for row in rows_of(plots(study_of(plan))["plan"]) if "w" in row]
    assert {row["x"] for row in marks} == {plan.cases, plan.pilot_cases}


def test_every_check_of_a_gate_stands_beside_its_bound() -> None:
    gate = KINDS["gate"]().document
    rows = rows_of(plots(study_of(gate))["gate"])
    values = [row["value"] for row in rows if row["k"] == "i"]
    bounds = [row["at"] for row in rows if row["k"] == "l"]
    assert values == pytest.approx([c.measured.value for c in gate.checks], rel=1e-5)
    assert bounds == [c.bound for c in gate.checks]


def test_a_saved_table_has_a_column_for_each_end_of_an_interval(
    browser: Any, tmp_path: Path
) -> None:
    from acumen.report.html import write_report

    write_report([KINDS["estimate"]()], tmp_path / "e.html")
    with opened(browser, tmp_path / "e.html") as seen:
        unfold(seen.page)
        with seen.page.expect_download() as download:
            button = seen.page.locator("button[aria-label$='as CSV']").first
            button.evaluate("b => b.click()")
        text = Path(download.value.path()).read_text("utf-8")
    head, first, *_ = csv.reader(io.StringIO(text))
    assert head[:4] == ["of all rows", "with judge", "with judge, low", "with judge, high"]
    estimate = KINDS["estimate"]().document.estimates["mean"].estimate
    expected = [estimate.value, estimate.interval.low, estimate.interval.high]
    assert [float(cell) for cell in first[1:4]] == pytest.approx(expected)


def test_eight_systems_have_a_colour_and_a_small_chart_each() -> None:
    eight = [dict(row) for row in _systems(7)]
    eight += [row | {"system": "system h"} for row in _systems(1)]
    study = acumen.evaluate(eight, system="system", item="item", resamples=0)
    made = plots(study_of(study))
    for name in ("risk-coverage", "reliability", "confusion"):
        assert len(made[name].spec["facet"]["sort"]) == 8, name
    assert len({*theme.COLOURS[:8]}) == 8
    names = {row["name"] for row in rows_of(made["leaderboard"])}
    assert len(names) == 8


def _systems(count: int) -> list[dict[str, Any]]:
    from tests.report.kinds import systems

    return systems(count)


def test_the_worst_item_and_the_worst_group_come_first_and_are_named() -> None:
    made = plots(study_of(KINDS["slices"]()))
    items = made["risk-by-item"]
    order = list(dict.fromkeys(row["name"] for row in rows_of(items)))
    worst = max(rows_of(items), key=lambda row: row["value"])
    assert order[0] == worst["name"]
    assert f"{worst['name']} ({worst['group']})" in items.caption
    groups = [row for row in rows_of(made["slices"]) if row["name"].startswith("site")]
    lowest = min(groups, key=lambda row: row["value"])
    assert groups[0]["name"] == lowest["name"]


def test_a_cell_of_the_confusion_has_its_share_of_the_row(single: Evaluation) -> None:
    rows = rows_of(plots(study_of(single))["confusion"])
    for truth in {row["t"] for row in rows}:
        own = [row for row in rows if row["t"] == truth]
        total = sum(row["n"] for row in own)
        assert [row["q"] for row in own] == pytest.approx([row["n"] / total for row in own], 1e-5)


def test_estimates_have_axes_of_their_own() -> None:
    plot = plots(study_of(KINDS["estimate"]()))["metrics"]
    assert plot.spec["resolve"]["scale"] == {"x": "independent"}
    names = plot.spec["facet"]["sort"]
    assert names[:4] == [
        "Mean rating",
        "Judge minus people",
        "Judge off people, mean",
        "Judge wrong",
    ]
    lines = [row for row in rows_of(plot) if row["k"] == "l" and row["label"]]
    assert [(line["name"], line["at"]) for line in lines] == [("Judge minus people", 0.0)]


@pytest.mark.parametrize("kind", KINDS)
def test_no_chart_is_of_one_point(kind: str) -> None:
    for key, plot in plots(study_of(KINDS[kind]())).items():
        if plot.is_drawn:
            marks = [row for row in rows_of(plot) if row.get("k") != "d" and "label" not in row]
            assert len(marks) > 1 or key == "gate", key


def test_a_headline_of_several_functions_names_the_one_whose_number_is_large() -> None:
    """Though another stands first in the file."""
    functions = ("llm", "consistency", "token_msp")
    runs = [run_from_document(phq8_run(), mode=mode) for mode in ("zero_shot", "few_shot")]
    study = acumen.compare(*runs, confidence=",".join(functions), resamples=0)
    page = study_of(study)
    lead, *_ = study.document.functions
    assert lead != next(iter(study.document.comparison.matched)), "else it shows nothing"
    matched = study.document.comparison.matched[lead].difference.times(3.0)  # levels of a loss
    numbers = {f"{study.document.comparison.matched[f].difference.delta:+.3f}" for f in functions}
    assert len(numbers) == len(functions)
    large = page.facts.facts[0].cell
    assert large.text == f"{matched.delta:+.3f}"
    assert f"(by {lead}, mean error, few_shot − zero_shot: {large.text} " in page.answer
    assert any(f"Ranked by {lead}, " in line for line in texts(page))


def texts(study: Study) -> list[str]:
    blocks = [block for chapter in study.chapters for block in chapter.paragraphs]
    return [block.text for block in blocks if isinstance(block, Paragraph)]


def test_no_band_is_above_the_largest_loss_there_can_be() -> None:
    made = plots(study_of(KINDS["seven"]()))
    ends = [row["rh"] for row in rows_of(made["risk-coverage"]) if row.get("k") == "b"]
    assert max(ends) == 1.0, "none was cut, or one stands above it"
    (top,) = (p["value"] for p in made["risk-coverage"].spec["params"] if p["name"] == "top")
    assert top <= 1.03


@pytest.mark.parametrize("beyond", [0.2, -0.2])
def test_a_mark_of_a_curve_is_named_on_the_side_where_the_curve_is_not(beyond: float) -> None:
    rising = [(at / 10, 0.5 + beyond * at / 10) for at in range(11)]
    figure = curve(rising, "x", "y", [("here", 0.9, 0.5 + beyond * 0.9)])
    assert figure is not None
    (words,) = (
        layer["mark"]
        for layer in theme.spec_and_data(figure)[0]["layer"]
        if layer["mark"]["type"] == "text"
    )
    assert (words["baseline"], words["align"]) == ("bottom" if beyond > 0 else "top", "right")


def test_what_calibration_does_not_help_is_said_first() -> None:
    study = study_of(KINDS["calibrate"]())
    before, _, crossed = (fact.cell.value for fact in study.facts.facts)
    assert isinstance(before, float)
    assert isinstance(crossed, float)
    assert crossed >= before
    assert study.answer.startswith("It does not help: the calibration error was ")


def test_what_raters_agree_on_is_not_called_accuracy() -> None:
    first, *_ = study_of(KINDS["rate"]()).chapters
    assert first.topic == "Do people agree"


def test_an_appendix_names_a_few_of_its_sections_and_counts_the_others() -> None:
    study = study_of(KINDS["total"]())
    assert len(study.appendix) > 10
    assert study.appendix_title.startswith("what was added up, ")
    assert study.appendix_title.endswith(f" and {len(study.appendix) - 5} more")


def test_a_page_without_a_picture_has_its_numbers_open() -> None:
    closed = render_report([KINDS["threshold"]()])
    assert re.search(r"<details>\s*<summary>Numbers: thresholds", closed)
    page = render_report([KINDS["label"]()])
    assert re.search(r"<details open>\s*<summary>Numbers: mean rating", page)
    assert not re.search(r"<details>\s*<summary>Numbers: ", page)


def test_a_line_of_several_studies_has_real_minus_signs() -> None:
    page = render_report([KINDS["slices"](), KINDS["verdicts"]()])
    lines = re.findall(r'<span class="verdict">(.*?)</span>', page)
    assert len(lines) == 2
    assert "−35.9 [−43.1, −28.4]" in lines[1]
    assert not re.search(r"[ \[(]-\d", " ".join(lines))
