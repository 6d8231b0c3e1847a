"""A threshold with a promise: by hand, by law, by exact fractions, and from hostile files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import numpy as np
import pytest
from scipy import stats

import acumen
from acumen.cli import run
from acumen.decisions.bounds import Accepted
from acumen.decisions.sample import sample_of
from acumen.decisions.threshold import (
    EXACT_CASES,
    TESTS,
    Search,
    grid_of,
    method_and_test,
    numbers_of,
)
from acumen.errors import DataError, UsageError
from acumen.files.json import to_json, write_json
from acumen.results.decisions import ThresholdDocument
from acumen.studies import phq8_run
from acumen.table.judgments import Judgments


def single(errors: list[int], confidence: list[float]) -> Judgments:
    """One right-or-wrong item a case."""
    return acumen.from_columns(
        case=range(len(errors)),
        truth=[0] * len(errors),
        prediction=errors,
        confidence=confidence,
        scale=[0, 1],
    )


def clustered(n: int, seed: int = 0, items: int = 4) -> Judgments:
    """Surer is righter; some abstain; three levels."""
    rng = np.random.default_rng(seed)
    sure = rng.random((n, items))
    off = (rng.random((n, items)) > 0.55 + 0.45 * sure).astype(int) * rng.integers(1, 3, (n, items))
    silent = rng.random((n, items)) < 0.15
    return acumen.from_columns(
        case=np.repeat(np.arange(n), items),
        item=np.tile([f"i{k}" for k in range(items)], n),
        truth=np.zeros(n * items, int),
        prediction=[
            None if s else int(o) for s, o in zip(silent.ravel(), off.ravel(), strict=True)
        ],
        confidence=sure.ravel(),
        scale=[0, 1, 2],
    )


def test_one_start_and_no_error_by_hand() -> None:
    """40 cases, all right: at 55% of them, 22 without an error certify .1 at δ = .1."""
    table = single([0] * 40, list(np.arange(40) / 40))
    document = acumen.threshold(table, risk=0.1, starts=[0.55]).document
    assert (document.method, document.test, document.method_is_default) == (
        "exact",
        "binomial",
        True,
    )
    at = next(p for p in document.grid if p.level == 0.1)
    assert at.coverage == 0.55
    assert at.p_value == pytest.approx(0.9**22)
    assert document.threshold is None  # once certified, 40 of 40 are too
    assert document.certified
    assert document.coverage.value == 1.0
    assert not acumen.threshold(table, risk=0.1, starts=[0.5]).document.grid[9].certified


def test_thresholds_lie_at_ranks_of_the_answered_rows_and_equal_ones_are_one() -> None:
    confidence = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.9]
    grid = acumen.threshold(single([0] * 10, confidence), risk=0.3).document.grid
    # ⌊10 q⌋ is 0, 1, 1, 2, … for q = 5, 10, 15%: above the largest value there is nothing
    assert [p.threshold for p in grid][:4] == [0.9, 0.8, 0.7, 0.6]
    assert grid[0].coverage == 0.0
    assert grid[0].risk is None
    assert grid[-1].threshold is None
    assert [p.coverage for p in grid][1:3] == [0.2, 0.3]


def test_the_certificate_is_the_binomial_one_at_every_threshold() -> None:
    rng = np.random.default_rng(5)
    errors, confidence = (rng.random(400) < 0.06).astype(int), rng.random(400)
    document = acumen.threshold(single(list(errors), list(confidence)), risk=0.2).document
    for point in document.grid:
        above = confidence > (-1 if point.threshold is None else point.threshold)
        assert point.p_value == pytest.approx(
            stats.binom.cdf(errors[above].sum(), above.sum(), 0.2)
        )
    best = [p for p in document.grid if p.certified][-1]
    assert (document.threshold, document.risk) == (best.threshold, best.risk)


def test_the_approximation_is_korn_graubard_by_case_with_abstentions_in_the_coverage() -> None:
    table = clustered(60)
    document = acumen.threshold(table, risk=0.3, loss="abs").document
    assert (document.method, document.test, document.items) == ("approx", "korn-graubard", 4)
    point = document.grid[12]
    confidence = np.array(table.signals["confidence"].values)
    assert point.threshold is not None
    above = table.answered & (confidence > point.threshold)
    assert point.coverage == pytest.approx(above.mean())
    assert point.risk == pytest.approx(table.prediction[above].mean())
    rows = np.bincount(table.case[above], minlength=60).astype(float)
    loss = np.bincount(table.case[above], table.prediction[above] / 2, 60).astype(float)
    assert point.p_value == pytest.approx(float(Accepted.of(rows, loss).p_value(0.3 / 2)))


def test_a_loss_in_levels_and_its_share_certify_the_same() -> None:
    table = clustered(80)
    a = acumen.threshold(table, risk=0.4, loss="abs").document
    b = acumen.threshold(table, risk=0.2, loss="abs_norm").document
    assert a.threshold == b.threshold
    assert a.risk == pytest.approx(2 * (b.risk or 0))


@pytest.mark.parametrize("method", ["approx", "exact", "crc"])
def test_the_order_of_rows_changes_nothing(method: str) -> None:
    table = clustered(250, seed=2)
    shuffled = table.take(np.random.default_rng(1).permutation(len(table)))
    a, b = (acumen.threshold(t, risk=0.25, method=method).document for t in (table, shuffled))
    assert a.model_dump(exclude={"created_at"}) == b.model_dump(exclude={"created_at"})


def test_exact_sets_a_fifth_of_the_cases_apart_and_tests_the_others() -> None:
    document = acumen.threshold(clustered(251), risk=0.35, delta=0.2).document
    assert (document.method, document.test, document.cases_apart) == ("exact", "betting", 51)
    assert not document.items_declared
    other = acumen.threshold(
        clustered(251), risk=0.35, delta=0.2, test="hoeffding-bentkus", most_items=5
    ).document
    assert (other.test, other.items, other.items_declared) == ("hoeffding-bentkus", 5, True)
    assert [p.threshold for p in other.grid] == [p.threshold for p in document.grid]


def test_a_discrete_confidence_is_looked_at_value_by_value() -> None:
    table = single([0] * 30 + [1] * 2, [3.0] * 20 + [2.0] * 10 + [1.0] * 2)
    document = acumen.threshold(table, risk=0.2, grid="values", starts=[0.1]).document
    assert [(p.threshold, p.coverage) for p in document.grid] == [
        (2.0, 20 / 32),
        (1.0, 30 / 32),
        (None, 1.0),
    ]
    assert document.grid[0].level == 0.1
    listed = acumen.threshold(table, risk=0.2, grid=[1, 2.0], starts=[0.1]).document
    assert [p.threshold for p in listed.grid] == [2.0, 1.0]
    with pytest.raises(UsageError, match="has 200 values, so it is not discrete"):
        acumen.threshold(single([0] * 200, list(range(200))), risk=0.2, grid="values")


def test_sgr_bisects_with_a_share_of_delta_a_step() -> None:
    errors, confidence = [0] * 98 + [1] * 2, list(np.arange(200, 100, -1.0))
    document = acumen.threshold(single(errors, confidence), risk=0.1, method="sgr").document
    assert {p.level for p in document.grid} == {0.1 / 7}
    for point in document.grid:
        accepted = round(100 * point.coverage)
        p = stats.binom.cdf(max(0, accepted - 98), accepted, 0.1)
        assert point.p_value == pytest.approx(p)
        assert point.certified == (p <= 0.1 / 7)
    assert document.coverage.value == max(p.coverage for p in document.grid if p.certified)


def test_conformal_risk_control_by_hand() -> None:
    """n = 40 and a mean loss of .05: (40 · .05 + 1)/41 = .0731707 at the loosest threshold."""
    errors = [0] * 38 + [1] * 2
    table = single(errors, list(np.arange(40, 0, -1.0)))
    loosest = acumen.threshold(table, risk=0.0731708, method="crc").document
    assert (loosest.threshold, loosest.risk, loosest.delta) == (None, 0.05, None)
    tighter = acumen.threshold(table, risk=0.0731706, method="crc").document
    assert tighter.threshold == 1.0  # the last error is left out: (1 + 1)/41
    assert not acumen.threshold(table, risk=0.02, method="crc").document.certified
    assert acumen.threshold(table, risk=0.02, method="crc").document.fewest_cases == 49


def test_where_none_can_be_certified_it_says_how_many_cases_could() -> None:
    few = single([0] * 10, list(range(10)))
    document = acumen.threshold(few, risk=0.2, starts=[1.0]).document
    assert not document.certified
    assert document.threshold is None
    assert document.fewest_cases == 11
    assert document.cases_needed == 11
    answer = "What was decided\nNo threshold can be certified with 10 cases at which the mean loss"
    assert repr(acumen.threshold(few, risk=0.2)).startswith(answer)
    hopeless = acumen.threshold(single([1] * 30, list(range(30))), risk=0.1)
    assert hopeless.document.cases_needed is None
    assert "more cases like these would not" in repr(hopeless)
    with pytest.raises(DataError, match="certifies no threshold"):
        acumen.evaluate(few, threshold=hopeless, resamples=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"risk": 0}, "between 0 and the largest loss, 1, not 0"),
        ({"risk": 1.5}, "not 1.5"),
        ({"delta": 1}, "a chance between 0 and 1"),
        ({"method": "best"}, "no method 'best'"),
        ({"method": "sgr"}, "one item a case"),
        ({"method": "exact", "grid": "ranks"}, "do not come from the rows it tests"),
        ({"method": "crc", "grid": "ranks"}, "leave the grid out"),
        ({"grid": "half"}, "grid: numbers with commas, not 'half'"),
        ({"starts": "0"}, "above 0 and at most 1"),
        ({"starts": "nan"}, "at most 1"),
        ({"test": "z"}, "no test 'z'"),
        ({"most_items": 2}, "a case has 4 rows"),
        ({"confidence": "confidence,llm"}, "one confidence"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, DataError), match=message):
        acumen.threshold(clustered(20), **{"risk": 0.2, **options})


def test_evaluate_abstains_by_a_threshold_and_warns_of_its_own_cases(tmp_path: Path) -> None:
    table, other = clustered(60), clustered(60, seed=9)
    decision = acumen.threshold(table, risk=0.15)
    decision.write(tmp_path / "threshold.json")
    bound = decision.document.threshold
    assert bound is not None
    here: Any = acumen.evaluate(table, threshold=tmp_path / "threshold.json", resamples=0).document
    assert here.overall["coverage"].value == pytest.approx(decision.document.coverage.value)
    assert here.overall["mae"].value == pytest.approx(2 * (decision.document.risk or 0))
    assert any("made from 60 of the 60 cases" in w for w in here.warnings)
    again = acumen.from_columns(
        case=[f"new {c}" for c in other.case],
        item=[other.items[i] for i in other.item],
        truth=other.truth,
        prediction=[None if p < 0 else p for p in other.prediction],
        confidence=other.signals["confidence"].values,
        scale=[0, 1, 2],
    )
    there: Any = acumen.evaluate(again, threshold=decision, resamples=0).document
    accepted = other.answered & (other.signals["confidence"].values > bound)
    assert there.overall["coverage"].value == pytest.approx(accepted.mean())
    assert not any("in-sample" in w for w in there.warnings)
    assert any("answers open: confidence is not above" in w for w in there.warnings)
    with pytest.raises(DataError, match="is for the scale"):
        acumen.evaluate(single([0, 1], [1, 2]), threshold=decision, resamples=0)
    with pytest.raises(UsageError, match="what acumen threshold made"):
        acumen.evaluate(table, threshold=0.4, resamples=0)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    write_json(tmp_path / "run.json", phq8_run())
    return tmp_path


def test_the_command_writes_what_the_schema_says_and_a_page(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["threshold", str(study / "run.json"), "--mode", "few_shot", "--risk", ".15"]
    arguments += ["--confidence", "token_msp"]
    files = ["-o", str(study / "t.json"), "--html", str(study / "t.html")]
    assert run([*arguments, *files]) == 0
    text = capsys.readouterr().out
    decided = "Every answer may be used: the mean loss (abs_norm) is at most 0.15, with a chance of"
    answer = f"What was decided {decided} error of 10.0% (40 cases)."
    assert " ".join(text.split()).startswith(answer)
    assert "measured up to 1.15" in text
    assert "Threshold for token_msp" in (study / "t.html").read_text("utf-8")
    assert run(["schema", "threshold"]) == 0
    schema = json.loads(capsys.readouterr().out)
    document = json.loads((study / "t.json").read_text())
    jsonschema.validate(document, schema)
    assert run(["show", str(study / "t.json")]) == 0
    assert "What was decided" in capsys.readouterr().out
    assert run(["show", str(study / "t.json"), "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("accepted above,coverage,mean loss here,")
    assert run(["report", str(study / "t.json"), "-o", str(study / "again.html")]) == 0
    evaluate = ["evaluate", str(study / "run.json"), "--mode", "few_shot", "-q"]
    evaluate += ["--threshold", str(study / "t.json"), "--resamples", "0"]
    evaluate += ["-o", str(study / "m.json")]
    assert run(evaluate) == 0
    assert json.loads((study / "m.json").read_text())["options"]["threshold"] == evaluate[6]
    assert "in-sample" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": -1}, "alpha: must be greater than 0, not -1"),
        ({"delta": "0.1"}, "delta: must be a number, not the text '0.1'"),
        ({"threshold": [1]}, "threshold: must be a number, not a list"),
        ({"certified": 1}, "certified: must be true or false"),
        ({"kind": "gate"}, "kind: must be 'threshold'"),
        (
            {"schema_version": 9},
            "schema_version: 9 is not known; this acumen reads up to 2: update it",
        ),
        ({"certified": False, "threshold": 0.5}, "must be null where nothing is certified"),
        ({"method": "magic"}, "method: must be 'exact', 'approx', 'sgr' or 'crc'"),
        ({"confidence": "nobody\x1b[2J"}, "no confidence function"),
    ],
)
def test_a_wrong_or_hostile_threshold_gets_a_clear_error(
    change: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = clustered(60)
    document = acumen.threshold(table, risk=0.3).document.model_dump(mode="json")
    write_json(tmp_path / "t.json", document | change)
    with pytest.raises((DataError, UsageError)) as refusal:
        acumen.evaluate(table, threshold=tmp_path / "t.json", resamples=0)
    assert message in str(refusal.value)
    assert "\x1b" not in str(refusal.value)


def test_a_document_is_read_as_it_was_written_and_has_no_chart_by_name() -> None:
    decision = acumen.threshold(clustered(30), risk=0.3)
    document = decision.document
    with pytest.raises(UsageError, match="no single chart of threshold"):
        acumen.chart("forest", decision)
    again = ThresholdDocument.model_validate(json.loads(to_json(document.model_dump(mode="json"))))
    assert again == document


@pytest.mark.parametrize(
    ("values", "what", "numbers"),
    [
        ("0.5,1", "starts", (0.5, 1.0)),
        ([0.25], "starts", (0.25,)),
        ("0,0.5", "starts", None),
        ("0.5,1.01", "starts", None),
        ("-1e9,7", "grid", (-1e9, 7.0)),
        ("", "grid", None),
        ([], "grid", None),
        ("1,nan", "grid", None),
        ("1,inf", "grid", None),
        ("1,two", "grid", None),
        ([None], "grid", None),
    ],
)
def test_every_number_of_a_list_is_held_to_its_bounds(
    values: Any, what: str, numbers: tuple[float, ...] | None
) -> None:
    if numbers is not None:
        assert numbers_of(values, what) == numbers
        return
    with pytest.raises(UsageError, match=f"^{what}: (numbers with commas|at least one number)"):
        numbers_of(values, what)


@pytest.mark.parametrize(
    ("method", "test", "rows", "graded", "n", "chosen"),
    [
        (None, TESTS[0], [1, 1], False, 2, ("exact", "binomial")),
        ("sgr", TESTS[0], [1, 1], False, 2, ("sgr", "clopper-pearson")),
        ("crc", TESTS[0], [1, 2], True, 2, ("crc", "conformal")),
        (None, TESTS[0], [1, 2], False, EXACT_CASES, ("exact", TESTS[0])),
        (None, TESTS[0], [1, 1], True, EXACT_CASES, ("exact", TESTS[0])),
        (None, TESTS[0], [1, 2], False, EXACT_CASES - 1, ("approx", "korn-graubard")),
        (None, TESTS[0], [1, 1], True, EXACT_CASES - 1, ("approx", "korn-graubard")),
    ],
)
def test_the_method_suits_the_cases(
    method: str | None, test: str, rows: list[int], graded: bool, n: int, chosen: tuple[str, str]
) -> None:
    sample: Any = SimpleNamespace(rows=np.array(rows), graded=graded, n=n, weight=None)
    assert method_and_test(method, test, sample) == chosen


def test_cases_that_cannot_decide_anything_are_refused() -> None:
    table = single([0, 1, 0, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    heavy = replace(table, weight=np.array([1.0, 2.0, 1.0, 1.0, 1.0, 1.0]))
    with pytest.raises(UsageError, match="a decision counts every row alike"):
        sample_of(heavy, "confidence", "zero_one")
    silent = table.leave_open(np.ones(6, bool))
    with pytest.raises(DataError, match="no row was answered: nothing can be accepted"):
        sample_of(silent, "confidence", "zero_one")
    with pytest.raises(UsageError, match=r"^every loss is 0: there is no risk to limit$"):
        sample_of(table, "confidence", [[0.0, 0.0], [0.0, 0.0]])


def test_the_rows_above_a_threshold_and_their_loss_by_hand() -> None:
    table = acumen.from_columns(
        case=[1, 1, 2, 2],
        item=["a", "b", "a", "b"],
        truth=[0, 0, 0, 0],
        prediction=[0, 2, 1, None],
        confidence=[0.9, 0.5, 0.5, 0.1],
        scale=[0, 1, 2],
    )
    sample = sample_of(table, "confidence", "abs")
    rows, loss = sample.accepted(np.array([0.9, 0.5, 0.4, -np.inf]))
    # cases are in an order of their own: the first has two answers, the second one
    assert sorted(zip(*rows.tolist(), strict=True)) == [(0, 0, 1, 1), (0, 1, 2, 2)]
    assert sorted(zip(*loss.tolist(), strict=True)) == [(0, 0, 0.5, 0.5), (0, 0, 1.0, 1.0)]


@pytest.mark.parametrize(("n", "apart"), [(2, None), (3, 1), (5, 1), (6, 2), (10, 2)])
def test_a_fifth_of_the_cases_is_set_apart(n: int, apart: int | None) -> None:
    table = single([0] * n, [1.0 - k / 20 for k in range(n)])
    sample, search = sample_of(table, "confidence", "zero_one"), SimpleNamespace(method="exact")
    if apart is None:
        with pytest.raises(DataError, match="2 cases are too few to set a fifth of them apart"):
            grid_of(sample, "apart", search)  # type: ignore[arg-type]
    else:
        rest, thresholds = grid_of(sample, "apart", search)  # type: ignore[arg-type]
        assert rest.n == n - apart
        assert thresholds[-1] == -np.inf
        assert len({*thresholds[:-1].tolist()} - {*rest.confidence.tolist()}) == apart


@pytest.mark.parametrize("method", ["sgr", "crc"])
def test_who_looks_at_every_threshold_has_no_grid(method: str) -> None:
    sample = sample_of(single([0, 1, 0], [0.9, 0.8, 0.7]), "confidence", "zero_one")
    search: Any = SimpleNamespace(method=method)
    tested, thresholds = grid_of(sample, None, search)
    assert tested is sample
    assert thresholds.tolist() == []
    with pytest.raises(UsageError, match=f"{method} looks at every threshold; leave the grid out"):
        grid_of(sample, "ranks", search)


@pytest.mark.parametrize(
    ("method", "items", "apart"), [("exact", 1, 0), ("exact", 2, 2), ("approx", 2, 0)]
)
def test_cases_are_set_apart_by_default_where_exact_has_several_rows_a_case(
    method: str, items: int, apart: int
) -> None:
    sample = sample_of(clustered(6, items=items), "confidence", "zero_one")
    search: Any = SimpleNamespace(method=method)
    assert grid_of(sample, None, search)[0].n == sample.n - apart
    if apart:
        with pytest.raises(UsageError, match="exact needs thresholds that do not come from the ro"):
            grid_of(sample, "ranks", search)


@pytest.mark.parametrize(
    ("method", "starts", "cases"),
    [("sgr", (0.5, 1.0), 22), ("exact", (1.0,), 22), ("exact", (0.5, 1.0), 29), ("crc", (), 9)],
)
def test_the_fewest_cases_are_of_the_share_that_one_start_has(
    method: Any, starts: tuple[float, ...], cases: int
) -> None:
    # ln .1 / ln .9 = 21.9 and ln .05 / ln .9 = 28.4
    search = Search(method, "binomial", 0.1, 0.1, starts, 1)
    assert search.fewest_cases == cases


def test_a_confidence_of_a_hundred_values_is_discrete() -> None:
    search: Any = SimpleNamespace(method="exact")
    sample = sample_of(single([0] * 100, [k / 200 for k in range(100)]), "confidence", "zero_one")
    assert len(grid_of(sample, "values", search)[1]) == 100
    sample = sample_of(single([0] * 101, [k / 200 for k in range(101)]), "confidence", "zero_one")
    with pytest.raises(UsageError, match="has 101 values"):
        grid_of(sample, "values", search)


def test_a_cut_for_a_coverage_and_its_promise_by_hand() -> None:
    """20 cases, one abstains; the surest 10 of 20 reach 50%: confidences down to .5, one wrong."""
    confidence = [0.9] * 6 + [0.5] * 4 + [0.2] * 10
    table = single([0] * 9 + [1] + [0] * 5 + [1] * 5, confidence)
    document = acumen.threshold(table, coverage=0.5, delta=0.1, loss="zero_one").document
    assert (document.threshold, document.method, document.test) == (0.2, "exact", "binomial")
    (point,) = document.grid
    assert (point.coverage, point.risk) == (0.5, 0.1)
    # the largest risk at which 1 error of 10 has a chance of 10%: Clopper and Pearson's end
    assert document.alpha == pytest.approx(stats.beta.ppf(0.9, 2, 9), abs=2e-4)
    assert document.alpha >= stats.beta.ppf(0.9, 2, 9)
    assert document.certified
    assert document.target_coverage == 0.5


def test_ties_enter_a_coverage_together() -> None:
    table = single([0] * 20, [0.9] * 6 + [0.5] * 4 + [0.2] * 10)
    document = acumen.threshold(table, coverage=0.35, loss="zero_one").document
    assert (document.threshold, document.grid[0].coverage) == (0.2, 0.5)
    everything = acumen.threshold(table, coverage=0.51, loss="zero_one").document
    assert (everything.threshold, everything.grid[0].coverage) == (None, 1.0)
    assert everything.certified


def test_a_fifth_of_the_cases_makes_the_cut_where_rows_may_not_test_their_own() -> None:
    table = clustered(60)
    document = acumen.threshold(table, coverage=0.5, method="exact").document
    assert document.cases_apart == 12
    loose = acumen.threshold(table, coverage=0.5, method="approx").document
    assert loose.cases_apart == 0
    assert loose.grid[0].coverage >= 0.5


def test_the_promise_is_the_smallest_risk_that_the_search_would_certify() -> None:
    table = clustered(80)
    document = acumen.threshold(table, coverage=0.6, method="approx").document
    cut = "-1e9" if document.threshold is None else repr(document.threshold)
    for factor, holds in ((1.001, True), (0.99, False)):
        again = acumen.threshold(
            table, risk=document.alpha * factor, method="approx", grid=cut, starts="1"
        ).document
        assert again.certified is holds


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({}, UsageError, "say how much may go wrong"),
        ({"risk": 0.1, "coverage": 0.5}, UsageError, "say how much may go wrong"),
        ({"coverage": 1.5}, UsageError, "a coverage is above 0 and at most 1, not 1.5"),
        ({"coverage": 0.5, "grid": "ranks"}, UsageError, "leave the grid out"),
        ({"coverage": 0.5, "method": "crc"}, UsageError, "crc searches for a cut of its own"),
    ],
)
def test_a_coverage_that_cannot_be_meant(asked: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        acumen.threshold(single([0] * 20, [0.5] * 20), loss="zero_one", **asked)


def test_a_coverage_beyond_all_answers_is_refused() -> None:
    table = acumen.from_columns(
        case=range(10),
        truth=[0] * 10,
        prediction=[0] * 6 + [None] * 4,
        confidence=[0.5] * 10,
        scale=[0, 1],
    )
    with pytest.raises(DataError, match=r"60.0% of all rows are answered: .* 70.0% is more"):
        acumen.threshold(table, coverage=0.7)


def test_a_cut_for_a_coverage_is_applied_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "run.json", tmp_path / "cut.json"
    write_json(path, phq8_run())
    asked = ["--mode", "few_shot", "--confidence", "token_msp"]
    assert run(["threshold", str(path), *asked, "--coverage", ".5", "-o", str(out)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Asked to keep 50.0% of all rows, the cut is 0.566 of token_msp" in text
    applied = ["evaluate", str(path), *asked, "--threshold", str(out), "--bootstrap-resamples", "0"]
    assert run([*applied, "--metrics", "coverage"]) == 0
    assert "50.6%" in capsys.readouterr().out


@pytest.mark.parametrize("studies", [60, pytest.param(600, marks=pytest.mark.slow)])
def test_a_promise_for_a_coverage_is_broken_no_more_often_than_it_says(studies: int) -> None:
    """Wrong with chance .4 (1 − u) at confidence u: above a cut t the risk is .2 (1 − t)."""
    rng, broken = np.random.default_rng(11), 0
    for _ in range(studies):
        sure = rng.random(50).round(3)
        wrong = (rng.random(50) < 0.4 * (1 - sure)).astype(int)
        document = acumen.threshold(
            single(wrong.tolist(), sure.tolist()), coverage=0.5, delta=0.1, loss="zero_one"
        ).document
        cut = document.threshold or 0.0
        broken += 0.2 * (1 - cut) > document.alpha
    assert broken <= stats.binom.ppf(0.999, studies, 0.1)


def test_the_search_certifies_with_the_fewest_cases_there_can_be() -> None:
    table = single([0] * 22, [1 - k / 100 for k in range(22)])
    asked = acumen.threshold(table, risk=0.1).document
    three = acumen.threshold(table, risk=0.1, starts=".1,.3,.5").document
    assert (asked.certified, three.certified) == (True, False)
    assert (asked.fewest_cases, three.fewest_cases) == (22, 33)
    one_less = single([0] * 21, [1 - k / 100 for k in range(21)])
    assert not acumen.threshold(one_less, risk=0.1).document.certified


@pytest.mark.parametrize(
    ("ties", "levels"),
    [
        # the last threshold with at most a half of the rows above it, of few cases all of δ
        (60, {0.0: 0.0, 0.33: 0.1, 0.67: 0.1, 1.0: 0.1}),
        (30, {0.0: 0.0, 0.17: 0.0, 0.33: 0.0, 0.5: 0.1, 0.67: 0.1, 0.83: 0.1, 1.0: 0.1}),
        # the first with as many as can certify anything, where that is more than a half
        (100, {0.0: 0.0, 0.56: 0.1, 1.0: 0.1}),
    ],
)
def test_a_search_begins_by_the_rows_above_thresholds(
    ties: int, levels: dict[float, float]
) -> None:
    table = single([0] * 180, [0.9 - k // ties / 100 for k in range(180)])
    for grid in (None, [0.95, *(0.895 - k / 100 for k in range(-(-180 // ties)))]):
        points = acumen.threshold(table, risk=0.05, grid=grid).document.grid
        assert {round(p.coverage, 2): p.level for p in points} == levels


def test_bets_begin_by_the_place_in_the_grid_and_need_not_go_together() -> None:
    table = clustered(240)
    search = Search("exact", "betting", 0.3, 0.1, (), 4)
    sample = sample_of(table, "confidence", "abs_norm")
    grid = np.array([0.9, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05, 0.0, -1.0, -2.0])
    above = np.ones(10, float)
    small, large = np.full(10, 0.06), np.full(10, 0.04)
    for p, level in ((small, 0.05), (large, 0.1)):
        found = search.levels(sample, grid, above, p)[0]
        assert found.tolist() == [0.0, *[level] * 9]
    nested = replace(search, test="korn-graubard")
    assert nested.levels(sample, grid, above * 0 + 70 * np.arange(10), small)[0].max() == 0.1
    several = replace(nested, further=(0.2,))
    assert several.levels(sample, grid, above * 0 + 70 * np.arange(10), small)[0].max() == 0.05


def test_where_nothing_is_certified_the_least_share_to_leave_open_is_told() -> None:
    errors = [0] * 8 + [1] + [0] * 2 + [1] * 9
    document = acumen.threshold(single(errors, [1 - k / 50 for k in range(20)]), risk=0.1).document
    assert not document.certified
    assert document.least_open == pytest.approx(1 - 11 / 20)  # 1 of 11 is wrong, then 2 of 12
    words = "at least 45.0% of all rows must be left open"
    assert words in " ".join(repr(acumen.Result(document)).split())
    hopeless = acumen.threshold(single([1] * 20, [0.5] * 20), risk=0.1)
    assert hopeless.document.least_open is None
    assert "No share of the answers has a risk of 0.1 among these cases" in repr(hopeless)


def decided(table: Judgments, **options: Any) -> ThresholdDocument:
    document = acumen.threshold(table, **options).document
    assert isinstance(document, ThresholdDocument)
    return document


def test_several_risks_are_tested_each_at_all_of_the_chance() -> None:
    table = clustered(160)
    one, other = {"zero_one": 0.3}, {"abs_norm": 0.12}
    asked = {"starts": ".2", "method": "approx"}
    both = decided(table, risk=0.3, loss="zero_one", also=other, **asked)
    first = decided(table, risk=0.3, loss="zero_one", **asked)
    second = decided(table, risk=0.12, loss="abs_norm", **asked)
    turned = decided(table, risk=0.12, loss="abs_norm", also=one, **asked)
    documents = both, first, second, turned
    ps = [[p.p_value or 0.0 for p in document.grid] for document in documents]
    assert ps[1] != ps[2]
    assert ps[0] == ps[3] == np.maximum(ps[1], ps[2]).tolist()
    for point, a, b in zip(both.grid, first.grid, second.grid, strict=True):
        assert point.certified == (a.certified and b.certified)
    assert both.certified
    (promised,) = both.also
    assert (promised.loss, promised.alpha) == ("abs_norm", 0.12)
    at = next(p for p in second.grid if p.threshold == both.threshold)
    assert promised.risk == pytest.approx(at.risk)


def test_one_more_lost_case_counts_for_every_risk() -> None:
    table = clustered(160)
    asked = {"risk": 0.4, "loss": "zero_one", "starts": "1", "method": "approx"}
    alone, both = decided(table, **asked), decided(table, also={"abs": 0.6}, **asked)
    assert both.certified
    assert alone.undone_by is not None
    assert both.undone_by is not None
    assert both.undone_by < alone.undone_by


def test_where_several_risks_are_asked_all_must_fit_the_share_to_leave_open() -> None:
    table = clustered(30)
    asked = {"risk": 0.05, "loss": "zero_one", "method": "approx"}
    alone, both = decided(table, **asked), decided(table, also=["abs=.01"], **asked)
    assert (alone.least_open or 0) < (both.least_open or 1)
    assert (both.fewest_cases or 0) > (alone.fewest_cases or 0)


@pytest.mark.parametrize(
    ("also", "message"),
    [
        (["abs"], "also takes LOSS=RISK, as zero_one=.2, not 'abs'"),
        (["abs=x"], "not 'abs=x'"),
        ("=.2", "not '=.2'"),
        (["no=.2"], "no loss 'no'"),
        ({"abs": 9.0}, "a risk of abs is between 0 and the largest loss"),
        ({"abs": 0.0}, "not 0"),
    ],
)
def test_a_further_risk_that_cannot_be_meant_is_refused(also: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        decided(clustered(30), risk=0.2, loss="zero_one", also=also)


@pytest.mark.parametrize(
    ("asked", "word"), [({"method": "crc"}, "crc"), ({"coverage": 0.5}, "cut")]
)
def test_who_promises_one_risk_takes_no_further_one(asked: dict[str, Any], word: str) -> None:
    options = {"also": {"abs": 0.4}, "loss": "zero_one"} | asked
    options |= {} if "coverage" in asked else {"risk": 0.2}
    with pytest.raises(UsageError, match=word):
        decided(clustered(30), **options)


@pytest.mark.parametrize("studies", [60, pytest.param(600, marks=pytest.mark.slow)])
def test_of_several_risks_one_is_too_large_no_more_often_than_it_says(studies: int) -> None:
    # 20% err, by two levels: the loss in levels is exactly as asked
    rng, false = np.random.default_rng(8), 0
    for _ in range(studies):
        table = acumen.from_columns(
            case=range(120),
            truth=[0] * 120,
            prediction=np.where(rng.random(120) < 0.2, 2, 0),
            confidence=rng.random(120),
            scale=[0, 1, 2],
        )
        both = decided(table, risk=0.3, loss="zero_one", also={"abs": 0.4}, method="approx")
        false += both.certified
    assert 0 < false <= stats.binom.ppf(0.999, studies, 0.1)
