"""What a chart says of itself in words, worked out by hand; and what it is made of."""

from __future__ import annotations

from typing import Any

import pytest

import acumen
from acumen.questions.evaluation import Evaluation
from acumen.readers.run import run_from_document
from acumen.report.blocks import Paragraph, Plot
from acumen.report.html import render_report, study_of
from acumen.report.layout import Study
from acumen.report.plots import finding
from acumen.report.selective.leaderboard import margin
from acumen.results.verdicts import PairDocument
from acumen.studies import phq8_run
from tests.evaluation.test_leaderboard import QUICK, SYSTEMS
from tests.toy_runs import toy_run


def row(name: str, group: str, value: float, low: float | None = None) -> dict[str, Any]:
    return {"name": name, "group": group, "value": value, "low": low, "high": value + 0.1}


def said(chart: str, *rows: dict[str, Any], **params: Any) -> str:
    declared = [{"name": name, "value": value} for name, value in params.items()]
    return finding(chart, {"params": declared}, {"lines": [{"pi": 0.5}], "rows": rows})


def test_a_forest_says_what_is_lowest_and_which_of_two_is_lower() -> None:
    rows = (row("a", "x", 0.4, 0.3), row("a", "y", 0.2), row("b", "x", 0.1, 0.05), row("b", "y", 3))
    assert said("forest", *rows) == (
        "Lowest is b, x: 0.1 [0.05, 0.2]; highest is b, y: 3. y is below x in 1 of 2."
    )
    assert said("forest", *rows[:3]).endswith("highest is a, x: 0.4 [0.3, 0.5].")


def test_a_curve_speaks_of_what_is_drawn_in_full_and_of_its_own_risk() -> None:
    rows = [
        {"f": f, "s": "run", "c": c, "r": r, "g": r * c, "t": 0.5, "k": "c"}
        for f, c, r in (("one", 0.25, 0.8), ("one", 1.0, 0.4), ("two", 1.0, 0.0))
    ]
    rows.append({"f": "one", "s": "run", "c": 1.0, "r": 9.0, "g": 9.0, "k": "o"})
    first = "one, run, coverage {}, from confidence 0.5: {}"
    assert said("risk-coverage", *rows, picked=["one"]) == (
        f"Lowest is {first.format(1.0, 0.4)}; highest is {first.format(0.25, 0.8)}."
    )
    assert said("generalized-risk", *rows, picked=["one"]) == (
        f"Lowest is {first.format(0.25, 0.2)}; highest is {first.format(1.0, 0.4)}."
    )


def test_a_confusion_speaks_of_what_is_not_right() -> None:
    counts = {("0", "0"): 9, ("0", "1"): 2, ("1", "0"): 1, ("1", "1"): 8}
    rows = [{"s": "run", "t": t, "p": p, "n": n} for (t, p), n in counts.items()]
    assert said("confusion", *rows) == (
        "Lowest is truth 1, prediction 0, run: 1; highest is truth 0, prediction 1, run: 2."
    )


def test_every_chart_of_a_page_says_its_finding(single: Evaluation, results: PairDocument) -> None:
    studies = [study_of(single), study_of({**results.on_disk()})]
    for plot in (p for study in studies for p in plots(study)):
        assert plot.alt.startswith(f"{plot.title}. Lowest is "), plot.key


def plots(study: Study) -> list[Plot]:
    return [b for section in study.sections for b in section.blocks if isinstance(b, Plot)]


@pytest.fixture(scope="module")
def twins() -> Evaluation:
    """Two signals that are missing throughout, so that both rank all rows alike."""
    names = ("retrieval_similarity_mean", "retrieval_similarity_max", "llm")
    run = run_from_document(phq8_run(), mode="zero_shot")
    return acumen.evaluate(run, confidence=",".join(names), resamples=0)


def test_each_of_two_functions_that_rank_alike_is_warned_of(twins: Evaluation) -> None:
    nothing = "every confidence is the same, so the ranking says nothing"
    names = ("retrieval_similarity_mean", "retrieval_similarity_max")
    assert [w for w in twins.document.warnings if nothing in w] == [
        f"{name}: {nothing}" for name in names
    ]


def test_curves_that_lie_on_one_another_are_told_of(twins: Evaluation, single: Evaluation) -> None:
    caption = next(p.caption for p in plots(study_of(twins)) if p.key == "s1-chart-risk-coverage")
    alike = "retrieval_similarity_mean and retrieval_similarity_max rank alike"
    assert caption.endswith(f" {alike}: their curves are one.")


def test_what_has_no_band_is_told_after_its_charts() -> None:
    few = acumen.evaluate(run_from_document(toy_run(6)), confidence="llm", resamples=0)
    section = next(s for s in study_of(few).sections if s.key == "knows")
    charts = [isinstance(block, Plot) for block in section.blocks]
    last = max(at for at, is_chart in enumerate(charts) if is_chart)
    kinds = {isinstance(block, Paragraph) for block in section.blocks[last + 1 :]}
    assert (sum(charts), kinds) == (2, {True})


def test_only_references_are_dashed(paired: Evaluation) -> None:
    plot = next(p for p in plots(study_of(paired)) if p.key == "s1-chart-risk-coverage")
    kinds = {
        layer["transform"][0]["filter"]: layer["mark"].get("strokeDash") is not None
        for layer in plot.spec["layer"]
    }
    dashed = {kind[-2] for kind, dash in kinds.items() if dash}
    assert (dashed, kinds["datum.k === 'c'"]) == ({"h", "o"}, False)


def test_a_page_without_scripts_says_why(single: Evaluation) -> None:
    page = render_report([single])
    charts = page.count('<div class="chart"')
    assert page.count("<noscript>Charts need scripts; the table below has the numbers.") == charts


def test_several_systems_have_the_first_difference_with_its_interval() -> None:
    four = acumen.evaluate(SYSTEMS, **QUICK)
    board, pairs = four.document.leaderboard, four.document.comparison.pairs
    assert board is not None
    first, second = (standing.system for standing in board.standings[:2])
    pair = next(p for p in pairs if {p.left, p.right} == {first, second})
    ends = pair.difference.interval
    assert ends is not None
    words = (
        f"{pair.right} − {pair.left}: {pair.difference.delta:+.3f} "
        f"[{ends.low:+.3f}, {ends.high:+.3f}], the interval for all pairs at once."
    )
    assert margin(four.document) == words
    compared = next(s for s in study_of(four).sections if s.key == "compared")
    assert Paragraph(words) in compared.blocks


def test_a_few_functions_have_a_shape_each_for_paper_without_colours(single: Evaluation) -> None:
    names = ["llm", "token_msp", "verbalized"]
    chart = acumen.chart("risk-coverage", single, functions=names).to_dict(validate=False)
    (layer,) = (one for one in chart["layer"] if "shape" in one["encoding"])
    assert {*layer["encoding"]["shape"]["scale"]["domain"]} == {*names}
    (rows,) = chart["datasets"].values()
    marks = [row["f"] for row in rows if row["k"] == "m"]
    assert {name: 2 <= marks.count(name) <= 8 for name in names} == dict.fromkeys(names, True)
    alone = acumen.chart("risk-coverage", single, functions=["llm"]).to_dict(validate=False)
    assert not [one for one in alone["layer"] if "shape" in one["encoding"]]
