"""What a wrong level costs: by name, from a file, of one's own; every selective metric follows."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.metrics import mean_absolute_error, mean_squared_error, zero_one_loss

import acumen
from acumen.cli import run
from acumen.errors import AcumenError, UsageError
from acumen.metrics import METRICS, metrics_of
from acumen.results.metrics import MetricsArtifact, read_artifact
from acumen.table.judgments import Judgments
from acumen.table.losses import Grades, find_loss
from acumen.table.scale import Scale
from acumen.views.ranking import Ranking, rank, rank_judgments
from tests.oracles import selective

SCALE = Scale.numbered(0, 3, "four")
MATRIX: list[Any] = [
    [0, 1, 2, 3],
    [0.5, 0, 1, 2],
    [2, 1, 0, 1],
    [20, 10, 1, 0],
]
LEVELS = "levels = { 0 = 1, 1 = 2, 2 = 1, 3 = 5 }\n"


def table(*rows: tuple[int | None, int, float], cases: list[int] | None = None) -> Judgments:
    prediction, truth, confidence = zip(*rows, strict=True)
    return acumen.from_columns(
        case=cases or range(len(rows)),
        item=[f"i{at % 3}" for at in range(len(rows))] if cases else None,
        truth=truth,
        prediction=prediction,
        confidence=confidence,
        scale=SCALE,
    )


ROWS = table((3, 3, 0.9), (1, 3, 0.9), (0, 1, 0.5), (None, 2, 0.1))
"""By falling confidence: a tie of a right answer and one two levels off, one level off, open."""


def values(loss: Any, judgments: Judgments = ROWS) -> dict[str, float | None]:
    confidence = judgments.included.signals["confidence"].values
    ranking = rank_judgments(judgments, confidence, loss)
    return {metric.name: metric.measure(ranking).value for metric in metrics_of(Ranking)}


@pytest.fixture
def levels_file(tmp_path: Path) -> Path:
    path = tmp_path / "by_level.toml"
    path.write_text(LEVELS)
    return path


# losses of the three answers, then r1 = L1/2, r2 = L/3 and g1 = L1/4, g2 = L/4:
# MAE = r2, AURC = r1/2 + (r1 + r2)/8, AUGRC = g1/4 + (g1 + g2)/8
BY_HAND = {
    "abs": (1.0, 0.75, 0.28125),  # 0, 2, 1
    "abs_norm": (1 / 3, 0.25, 0.09375),
    "zero_one": (2 / 3, 0.3958333333333333, 0.15625),  # 0, 1, 1
    "squared": (5 / 3, 1.4583333333333333, 0.53125),  # 0, 4, 1
    "matrix": (3.5, 3.5625, 1.265625),  # 0, 10, 0.5
    "levels": (4.0, 3.625, 1.3125),  # 0, 2·5, 1·2
    "function": (3.5, 3.5625, 1.265625),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_each_loss_gives_the_risks_worked_out_by_hand(name: str, levels_file: Path) -> None:
    own = {"matrix": MATRIX, "levels": levels_file, "function": lambda p, t: MATRIX[t][p]}
    numbers = values(own.get(name, name))
    assert (numbers["mean_loss"], numbers["aurc"], numbers["augrc"]) == pytest.approx(BY_HAND[name])
    # what is about levels does not change with the loss: 1 of 3 right, 2 of 3 within one level;
    # the right answer ties with one wrong answer and is surer than the other
    assert numbers["accuracy"] == pytest.approx(1 / 3)
    assert numbers["off_by_one_accuracy"] == pytest.approx(2 / 3)
    assert numbers["failure_auroc"] == 0.75


def test_costs_are_whole_units_where_they_share_one_and_floats_where_not() -> None:
    grades = Grades.by_level(np.array(MATRIX))
    assert grades.unit == 0.5
    assert (grades.cost == np.floor(grades.cost)).all()
    assert Grades.by_level(np.array([[0, 0.1], [0.25, 0]])).unit == 0.05
    assert Grades.by_level(np.zeros((2, 2))).unit == 1.0
    odd = Grades.by_level(np.array([[0, 2**0.5], [1, 0]]))
    assert (odd.unit, odd.cost.tolist()) == (1.0, [0.0, 1.0, 2**0.5])


answers = st.lists(
    st.tuples(
        st.sampled_from([None, 0, 1, 2, 3]), st.integers(0, 3), st.sampled_from([0.2, 0.5, 0.8])
    ),
    min_size=1,
    max_size=12,
)


@given(answers)
@settings(deadline=None, max_examples=60)
def test_mae_under_zero_one_is_one_minus_accuracy(rows: Any) -> None:
    numbers = values("zero_one", table(*rows))
    if numbers["accuracy"] is None:
        assert numbers["mean_loss"] is None
    else:
        assert numbers["mean_loss"] == pytest.approx(1 - numbers["accuracy"], abs=1e-15)


@given(answers, st.sampled_from(["abs", "zero_one", "squared"]))
@settings(deadline=None, max_examples=60)
def test_a_loss_that_is_written_out_as_costs_is_the_same_loss(rows: Any, name: str) -> None:
    judgments = table(*rows)
    assert values(find_loss(name).costs(SCALE), judgments) == values(name, judgments)


@given(answers, st.randoms())
@settings(deadline=None, max_examples=60)
def test_the_order_of_rows_does_not_show_in_decimal_costs(rows: Any, random: Any) -> None:
    costs = [[0, 0.1, 0.2, 0.7], [0.1, 0, 0.3, 0.1], [1.1, 0.1, 0, 0.1], [2.3, 0.7, 0.1, 0]]
    shuffled = random.sample(rows, len(rows))
    one, other = values(costs, table(*rows)), values(costs, table(*shuffled))
    assert [one[k] for k in ("mean_loss", "aurc", "augrc")] == [
        other[k] for k in ("mean_loss", "aurc", "augrc")
    ]


@given(answers)
@settings(deadline=None, max_examples=60)
def test_mean_losses_are_those_of_scikit_learn(rows: Any) -> None:
    answered = [(p, t) for p, t, _ in rows if p is not None]
    for name, measure in (
        ("abs", mean_absolute_error),
        ("squared", mean_squared_error),
        ("zero_one", zero_one_loss),
    ):
        expected = measure(*np.transpose(answered)) if answered else None
        assert values(name, table(*rows))["mean_loss"] == pytest.approx(expected)


SCALE_FREE = (
    "coverage",
    "aurc_gap_pct",
    "augrc_gap_pct",
    "achievable_gain_pct",
    "coverage_at_risk",
)
OF_LEVELS = ("accuracy", "off_by_one_accuracy", "failure_auroc")


@given(answers)
@settings(deadline=None, max_examples=60)
def test_every_metric_under_costs_equals_exact_fractions(rows: Any) -> None:
    judgments = table(*rows)
    coverage, risk = Fraction(1, 2), Fraction(1, 4)
    lost = [
        selective.Row(0, c, False) if p is None else selective.Row(int(2 * MATRIX[t][p]), c)
        for p, t, c in rows
    ]
    expected: dict[str, Any] = selective.all_metrics(lost, coverage, 2 * risk)  # in units of a half
    numbers = values(MATRIX, judgments)
    for name, exact in expected.items():
        if name in OF_LEVELS or "charge" in name or name not in numbers:
            continue
        if exact is None:
            assert numbers[name] is None
        else:
            unit = 1.0 if name in SCALE_FREE else 0.5
            assert numbers[name] == pytest.approx(unit * float(exact), rel=1e-9, abs=1e-9), name


def two_tables(seed: int = 3) -> list[Judgments]:
    random = np.random.default_rng(seed)
    cases = np.repeat(np.arange(12), 3).tolist()
    truth = random.integers(0, 4, 36).tolist()
    sides = []
    for _ in range(2):
        noisy = np.clip(np.array(truth) + random.integers(-1, 2, 36), 0, 3).tolist()
        answers = [None if random.random() < 0.1 else p for p in noisy]
        rows = zip(answers, truth, random.random(36).round(1).tolist(), strict=True)
        sides.append(table(*rows, cases=cases))
    return sides


def test_intervals_deltas_bands_and_conventions_follow_the_loss() -> None:
    left, right = two_tables()
    by_name = acumen.evaluate(left, right, loss="squared", resamples=200).document
    by_costs = acumen.evaluate(
        left, right, loss=find_loss("squared").costs(SCALE), resamples=200
    ).document
    assert by_costs.loss.costs == find_loss("squared").costs(SCALE)
    same = {"loss": by_name.loss, "created_at": by_name.created_at}
    assert by_costs.model_copy(update=same) == by_name
    halves = acumen.evaluate(left, right, loss=lambda p, t: (p - t) ** 2 / 2, resamples=200)
    for name in ("mean_loss", "aurc_full", "augrc_full"):
        whole, half = (deltas_of(one)["confidence"][name] for one in (by_name, halves.document))
        assert half.delta == pytest.approx(whole.delta / 2)
        assert half.p_value == whole.p_value
        assert half.interval.ends == pytest.approx([end / 2 for end in whole.interval.ends])


def deltas_of(artifact: MetricsArtifact) -> Any:
    return artifact.comparison.deltas


def test_an_error_that_was_not_seen_costs_at_least_the_smallest_cost() -> None:
    """Every answer is right; the bound of the risk is in the costs there could have been."""
    rows = table(*[(1, 1, 0.5)] * 20)
    costs = {"plain": find_loss("abs").costs(SCALE)}
    costs["dear"] = [[2 * c + (c > 0) for c in row] for row in costs["plain"]]  # 0, 3, 5, 7
    high = {}
    for name, matrix in costs.items():
        (variant,) = acumen.evaluate(rows, loss=matrix, resamples=0).document.sides["confidence"]
        high[name] = variant.metrics["mean_loss"].interval.high
    assert high["dear"] == pytest.approx(3 * high["plain"])


def test_costs_of_right_answers_are_allowed_and_told() -> None:
    costs = [[1, 2, 3, 4], [2, 1, 2, 3], [3, 2, 1, 2], [4, 3, 2, 1]]
    artifact = acumen.evaluate(ROWS, loss=costs, resamples=0).document
    assert any("the loss charges right answers too" in text for text in artifact.warnings)
    numbers = values(costs)
    assert numbers["mean_loss"] == pytest.approx(2.0)  # 1, 3, 2
    assert (numbers["accuracy"], numbers["failure_auroc"]) == (pytest.approx(1 / 3), 0.75)
    quiet = acumen.evaluate(ROWS, loss=MATRIX, resamples=0).document
    assert not any("charges" in text for text in quiet.warnings)


def test_a_wrong_answer_that_costs_nothing_is_still_wrong() -> None:
    free = lambda p, t: max(abs(p - t) - 1, 0)  # noqa: E731
    numbers = values(free)
    assert numbers["mean_loss"] == pytest.approx(1 / 3)
    assert (numbers["accuracy"], numbers["failure_auroc"]) == (pytest.approx(1 / 3), 0.75)


def test_the_document_names_the_loss_and_its_file_makes_it_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    costs, rows, out = (tmp_path / name for name in ("costs.toml", "rows.csv", "out.json"))
    costs.write_text(f'name = "triage"\nmatrix = {json.dumps(MATRIX)}\n')
    lines = ["case,truth,prediction,confidence", *(f"{i},{i % 4},{i % 3},0.{i}" for i in range(9))]
    rows.write_text("\n".join(lines) + "\n")
    command = ["evaluate", str(rows), "--loss", str(costs), "--resamples", "0", "-o", str(out)]
    assert run(command) == 0
    assert "loss triage = a cost for each gt and pred" in " ".join(capsys.readouterr().out.split())
    assert run([*command[:-1], str(costs)]) == 2  # what it costs is an input, not to be overwritten
    document = json.loads(out.read_text())
    assert document["loss"] == {
        "name": "triage",
        "definition": "a cost for each gt and pred",
        "raw_multiplier": 1,
        "costs": MATRIX,
        "file": str(costs),
    }
    again = read_artifact(out, MetricsArtifact).command
    assert f"--loss {costs}" in str(again)
    # truths 0 1 2 3 0 1 2 3 0, predictions 0 1 2 0 1 2 0 1 2: 20 + 1 + 1 + 2 + 10 + 2
    mae = document["confidence_variants"]["confidence"]["metrics"]["mean_loss"]["value"]
    assert mae == pytest.approx(36 / 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("matrix = [[0, 1], [1, 0]]", "costs.toml: the costs are 2 by 2, not 4 by 4; four has"),
        ("matrix = [[0], [1, 0]]", "costs.toml: a loss must give a number for each truth and"),
        ("matrix = [[0, -1], [1, 0]]", r"matrix\[0\]\[1\]: must be at least 0, not -1"),
        ("matrix = [[0, nan], [1, 0]]", r"matrix\[0\]\[1\]: must be finite"),
        ("levels = { 0 = 1, 9 = 2 }", "levels: each of 0..3 needs a cost; there are 0, 9"),
        (f"{LEVELS}matrix = [[0]]", "needs exactly one of matrix and levels"),
        ("", "needs exactly one of matrix and levels"),
        ("matrx = [[0]]", "matrx: is not a key of a loss; is 'matrix' meant?"),
    ],
)
def test_costs_that_do_not_fit_are_refused_by_place(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "costs.toml"
    path.write_text(text)
    with pytest.raises(AcumenError, match=message):
        find_loss(path).grades(SCALE)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ("huber", "no loss 'huber'; there are abs, abs_norm, zero_one, squared, or name a .toml"),
        ([[0, 1], [1, 0]], "the costs are 2 by 2, not 4 by 4; four has the levels 0..3"),
        (lambda p, t: p - t, r"at least 0, not -1.0 \(truth 1, prediction 0\)"),
        (lambda p, t: float("inf") if p != t else 0, "a cost must be finite"),
        (lambda p, t: "dear", "a loss must give a number"),
    ],
)
def test_losses_that_cannot_be_meant_are_refused(loss: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        values(loss)


def test_rows_of_the_item_door_take_every_loss() -> None:
    from acumen.compat import compute_aurc

    rows = [
        {"score": 1, "ground_truth": 3, "confidence": 0.9},
        {"score": 0, "ground_truth": 1, "confidence": 0.5},
    ]
    assert compute_aurc(rows, loss=MATRIX, scale=SCALE) == pytest.approx(5 + (10 + 5.25) / 4)
    with pytest.raises(AcumenError, match="the loss squared needs a scale"):
        compute_aurc(rows, loss="squared")


def test_kinds_of_plain_rungs_are_the_rungs() -> None:
    ranking = rank([0, 2, 1], [3, 2, 1], most_loss=3)
    assert ranking.loss.dtype == np.int16
    assert METRICS["mean_loss"].measure(ranking).value == 1.0


@pytest.mark.parametrize(
    ("loss", "costs"),
    [
        ("abs", [0.5, 0.5, 1.5, 2.5]),
        ("abs_norm", [1 / 6, 1 / 6, 1 / 2, 5 / 6]),
        ("squared", [0.25, 0.25, 2.25, 6.25]),
        ("zero_one", [1.0, 1.0, 1.0, 1.0]),
        (MATRIX, None),
    ],
)
def test_of_a_truth_between_levels_rungs_are_counted_in_parts(loss: Any, costs: Any) -> None:
    """A truth of 0.5; costs by level lie halfway between those of 0 and of 1."""
    found = find_loss(loss)
    grades, kinds = found.graded(SCALE, np.arange(4), np.full(4, 0.5))
    expected = costs or np.mean(found.costs(SCALE)[:2], axis=0).tolist()
    assert (grades.cost[kinds] * grades.unit).tolist() == pytest.approx(expected, abs=1e-15)


def test_a_function_is_called_with_the_levels_as_the_scale_has_them() -> None:
    pairs: set[tuple[float, float]] = set()

    def dollars(prediction: float, truth: float) -> float:
        pairs.add((prediction, truth))
        return abs(prediction - truth)

    scale = acumen.Scale(name="half points", levels=(1, 1.5, 2, 2.5))
    table = acumen.from_columns(
        case=[1, 2], truth=[1, 2.5], prediction=[1.5, 1], confidence=[1, 2], scale=scale
    )
    evaluation = acumen.evaluate(table, loss=dollars, resamples=0)
    assert evaluation["mean_loss"].value == (0.5 + 1.5) / 2
    assert pairs == {(p, t) for p in scale.levels for t in scale.levels}


def test_a_function_is_called_with_a_truth_between_levels_and_never_interpolated() -> None:
    """The mean of two raters is 1.5: half the square of 0.5, and no line between 0 and 1."""
    scale = acumen.Scale(name="stars", levels=(1, 2, 3))
    loss = find_loss(lambda prediction, truth: (prediction - truth) ** 2)
    grades, kinds = loss.graded(scale, np.array([0, 2]), np.array([0.5, 0.5]))
    assert (grades.cost[kinds] * grades.unit).tolist() == [0.25, 2.25]
    words = acumen.Scale(name="words", levels=("low", "mid", "high"))
    with pytest.raises(UsageError, match="not evenly spaced numbers: give costs by level"):
        find_loss(lambda p, t: float(p != t)).graded(words, np.array([0]), np.array([0.5]))


def test_a_function_that_cannot_take_a_level_is_refused_with_the_levels() -> None:
    words = acumen.Scale(name="words", levels=("low", "high"))
    with pytest.raises(UsageError, match=r"TypeError at truth 'low'.*words has the levels"):
        find_loss(lambda p, t: abs(p - t)).grades(words)
