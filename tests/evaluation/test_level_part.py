"""What the document says of probabilities: every cut, and what the system's own answer costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from acumen.charts.reliability import cuts
from acumen.charts.theme import spec_and_data
from acumen.metrics.reliability import noise_of
from acumen.report.sections import sections_of
from acumen.report.terminal import render
from acumen.results.metrics import LevelPart
from acumen.table.judgments import Judgments
from acumen.views.forecast import forecast

LEVELS = np.arange(5)


def judge(n: int = 300, seed: int = 0, **more: Any) -> Judgments:
    """Probabilities that are honest: the truth is drawn from them."""
    rng = np.random.default_rng(seed)
    middle = rng.normal(2, 1.2, n)
    p = np.exp(-((LEVELS - middle[:, None]) ** 2) / 1.5)
    p /= p.sum(axis=1, keepdims=True)
    truth = np.array([rng.choice(5, p=row) for row in p]) + 1
    rows: dict[str, Any] = {"case": range(n), "truth": truth, "distribution": p, "scale": "1-5"}
    return acumen.from_columns(**rows | {k: f(p) if callable(f) else f for k, f in more.items()})


def part_of(table: Judgments, **asked: Any) -> LevelPart:
    (part,) = acumen.evaluate(table, resamples=0, **asked).document.levels
    return part


def highest(p: Any) -> Any:
    """Somebody who always takes the highest level that is at all likely."""
    return 1 + np.array([np.flatnonzero(row > 0.05)[-1] for row in p])


def test_every_cut_has_its_error_and_what_noise_leaves_of_it() -> None:
    table = judge()
    part = part_of(table)
    assert [cut.level for cut in part.cuts] == ["2", "3", "4", "5"]
    p = table.distribution
    assert p is not None
    for k, cut in enumerate(part.cuts, 1):
        view = forecast(p[:, k:].sum(axis=1).clip(0, 1), table.truth >= k)
        assert cut.without_noise == pytest.approx(noise_of(*view.residuals())[0], abs=1e-12)
        assert cut.error.value is not None
        assert cut.without_noise < cut.error.value
        assert sum(cut.reliability.n) == len(table)


def test_what_the_own_answer_costs_is_the_paired_difference() -> None:
    table = judge(prediction=highest)
    part = part_of(table, loss="abs")
    assert part.point is None
    assert part.own is not None
    p = table.distribution
    assert p is not None
    best = (p.cumsum(axis=1) < 0.5).sum(axis=1)
    losses = [np.abs(ranks - table.truth).mean() for ranks in (best, table.prediction)]
    difference = part.own.difference
    assert difference.left == pytest.approx(losses[0], abs=1e-12)
    assert difference.right == pytest.approx(losses[1], abs=1e-12)
    assert difference.delta == pytest.approx(losses[1] - losses[0], abs=1e-12)
    assert part.own.differs == int((best != table.prediction).sum())
    assert difference.favours == "left"


def test_it_is_the_same_where_a_point_took_the_place_of_the_own_answer() -> None:
    own = part_of(judge(prediction=highest), loss="abs")
    taken = part_of(judge(prediction=highest, point="mode"), loss="abs")
    assert (taken.point, taken.own) == ("mode", own.own)


def test_the_own_confidence_is_held_against_the_expected_loss_of_the_same_answers() -> None:
    noise = np.random.default_rng(1).uniform(size=300)
    part = part_of(judge(confidence=noise))
    assert part.own_confidence is not None
    document = acumen.evaluate(judge(confidence=noise), resamples=0).document
    by = {f: sides[0].metrics["augrc"].value for f, sides in document.sides.items()}
    assert part.own_confidence.right == by["confidence"]
    assert part.own_confidence.left == by["expected_loss"]
    assert part_of(judge()).own_confidence is None


def test_the_screen_says_it_in_sentences_and_the_page_has_every_cut() -> None:
    result = acumen.evaluate(judge(prediction=highest), loss="abs", resamples=0)
    screen = str(result)
    words = " ".join(screen.split())
    assert "for calibrated probabilities both are equal. Its own answers" in words
    assert "They cost more: take the best level (--point loss)." in words
    full = render(sections_of(result.document, full=True))
    assert "Every cut" in full
    assert "5 or above" in full
    same = acumen.evaluate(judge(point="loss"), loss="abs", resamples=0)
    assert "Its own answers" not in str(same)


def test_the_page_draws_every_cut(tmp_path: Any) -> None:
    result = acumen.evaluate(judge(), loss="abs", resamples=0)
    figure = cuts(result.document)
    assert figure is not None
    spec, data = spec_and_data(figure)
    bins = [row for rows in data.values() for row in rows if row["k"] == "b"]
    (part,) = result.document.levels
    assert [row["n"] for row in bins] == [n for cut in part.cuts for n in cut.reliability.n]
    assert {row["m"] for row in bins} == {f"{level} or above" for level in "2345"}
    assert "facet" in str(spec)
    page = tmp_path / "page.html"
    result.write_report(page)
    assert "Bins of every cut" in page.read_text("utf-8")


def test_of_two_systems_each_says_its_own_and_one_may_give_none() -> None:
    plain = judge(prediction=highest)
    rows: dict[str, Any] = {"case": range(300), "truth": plain.truth + 1, "scale": "1-5"}
    without = acumen.from_columns(**rows, prediction=plain.prediction % 5 + 1)
    both = acumen.evaluate({"plain": without, "judge": plain}, resamples=0)
    assert [part.input for part in both.document.levels] == ["judge"]
    assert "judge: Of 300 rows: RPS" in " ".join(str(both).split())


def test_a_table_without_probabilities_has_no_part() -> None:
    table = acumen.from_columns(case=[1, 2, 3], truth=[0, 1, 2], prediction=[0, 1, 1])
    result = acumen.evaluate(table, resamples=0)
    assert result.document.levels == []
    assert "probabilities honest" not in str(result)


def test_the_panel_of_a_case_has_the_probability_of_every_level() -> None:
    p = [[0.25, 0.75, 0.0], None, [0.1, 0.2, 0.7]]
    table = acumen.from_columns(case=[1, 2, 3], truth=[0, 1, 2], distribution=p, scale="0-2")
    result = acumen.evaluate({"a": table, "b": table}, resamples=0)
    assert [rows.distribution for rows in result.document.rows] == [p, p]
    assert "0: 25.0% · 1: 75.0% · 2: 0.0%" in result.to_html()
    listed = acumen.evaluate(table, resamples=0).to_markdown(full=True)
    assert "probability of each level" not in listed  # of a case alone, beside the table
