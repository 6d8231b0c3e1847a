"""Prediction-powered estimates: the formula by its numbers, laws, checks, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError
from acumen.inference.jackknife import Jackknife
from acumen.raters.ppi import Sample, power
from acumen.results.raters import EstimateDocument
from tests.raters.tables import clip


def sample(rows: Any, y: Any, f: Any) -> Sample:
    m, y, f = (np.asarray(a, float) for a in (rows, y, f))
    return Sample(m[:, None], y[:, None, None], f[:, None, None], np.ones(1))


LABELLED = sample([1, 2, 3, 4, 2, 1], [1, 3, 5, 10, 2, 2], [1, 4, 5, 11, 3, 1])
OTHERS = sample([1, 2, 3, 4, 1, 2, 3, 4, 1, 2], [0] * 10, [2, 3, 4, 9, 1, 5, 6, 12, 2, 4])


def test_the_numbers_of_the_formula_by_case() -> None:
    powered = power(LABELLED, OTHERS)
    assert powered.weight == pytest.approx(0.5654505180, abs=1e-9)
    assert powered.value[0] == pytest.approx(1.8618965732, abs=1e-9)
    others = 0.0466931817 * powered.weight**2
    assert powered.variance[0] - others == pytest.approx(0.1221779264, abs=1e-9)
    assert np.sqrt(powered.variance[0]) == pytest.approx(0.3702800800, abs=1e-9)
    assert powered.degrees[0] == pytest.approx(5.8105, abs=1e-4)
    (low,), (high,) = powered.ends(0.95)
    assert (low, high) == pytest.approx((0.9486431042, 2.7751500422), abs=1e-8)


Y = [1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 1, 2, 3, 4, 5, 2, 3, 4, 4, 5]
F = [1, 2, 3, 3, 4, 3, 4, 5, 5, 5, 2, 2, 3, 3, 5, 3, 3, 4, 5, 5]
U = [min(5, (7 * i + 3) % 5 + 1 + (i % 3 == 0)) for i in range(100)]


@pytest.mark.parametrize(("weight", "value"), [(1.0, 3.02), (0.0, 3.25)])
def test_the_ends_of_the_weight_are_those_of_rows(weight: float, value: float) -> None:
    powered = power(
        sample([1] * 20, Y, F), sample([1] * 100, [0] * 100, U), bounds=(weight, weight)
    )
    assert powered.value[0] == pytest.approx(value, abs=1e-12)


def test_without_weight_it_is_the_classical_estimate() -> None:
    powered = power(LABELLED, OTHERS, (0.0, 0.0))
    m, y = LABELLED.rows[:, 0], LABELLED.y[:, 0, 0]
    left_out = [(y.sum() - y[c]) / (m.sum() - m[c]) for c in range(6)]
    assert powered.value[0] == pytest.approx(y.sum() / m.sum())
    assert powered.variance[0] == pytest.approx(Jackknife.of(np.array(left_out)).variance)


def rows(cases: int = 40, labelled: int = 20, **more: Any) -> list[dict[str, Any]]:
    """Cases of one to three rows; the judge is a level too high at times."""
    out = []
    for c in range(cases):
        for r in range(c % 3 + 1):
            y = clip((c * 7 + r * 3) % 5 + 1)
            f = clip(y + ((c + r) % 4 == 0))
            out.append({"case": c, "item": r, "ai": f, "human": y if c % 2 == 0 else None} | more)
    return out


def estimated(data: Any, **options: Any) -> EstimateDocument:
    keywords = {"labelled": "human", "prediction": "ai", "item": "item", "levels": "1-5"} | options
    found = acumen.estimate(data, **keywords).document
    assert isinstance(found, EstimateDocument)
    return found


def sums_of(data: Any, value: Any, labelled: bool) -> Any:
    cases = sorted({r["case"] for r in data if (r["human"] is not None) is labelled})
    return np.array([[sum(value(r) for r in data if r["case"] == c)] for c in cases])[:, :, None]


def test_the_mean_is_that_of_sums_over_cases() -> None:
    data = rows()
    found = estimated(data).estimates["mean"]
    own, others = (
        Sample(
            sums_of(data, lambda r: 1.0, side)[:, :, 0],
            sums_of(data, lambda r: r["human"] or 0.0, side),
            sums_of(data, lambda r: r["ai"], side),
            np.ones(1),
        )
        for side in (True, False)
    )
    powered, classical = power(own, others), power(own, others, (0.0, 0.0))
    assert found.estimate.value == pytest.approx(powered.value[0])
    assert found.weight == pytest.approx(powered.weight)
    effective = 20 * classical.variance[0] / powered.variance[0]
    assert found.effective_cases == pytest.approx(effective)
    assert found.labels_saved == pytest.approx(effective - 20)


def test_bias_and_distances_of_the_judge() -> None:
    data = rows()
    labels = [r for r in data if r["human"] is not None]
    found = estimated(data).estimates
    off = np.array([r["ai"] - r["human"] for r in labels])
    assert found["mae"].estimate.value == pytest.approx(np.abs(off).mean())
    assert found["errors"].estimate.value == pytest.approx((off != 0).mean())
    assert found["mae"].weight == 0.0
    classical = found["bias"].classical
    assert classical is not None
    assert classical.value == pytest.approx(off.mean())
    assert found["bias"].weight is not None
    assert -1.0 <= found["bias"].weight <= 1.0


def test_a_confidence_helps_with_the_errors_of_the_judge() -> None:
    rng = np.random.default_rng(3)
    data = []
    for c in range(200):
        sure = float(rng.random())
        y = int(rng.integers(1, 6))
        f = (
            y
            if rng.random() < (0.95 if sure > 0.5 else 0.2)
            else clip(y + int(rng.choice([-2, 2])))
        )
        label = {"human": y if c < 40 else None}
        data.append({"case": c, "item": 0, "ai": f, "sure": sure, "y": y} | label)
    found = estimated(data, confidence_column="sure").estimates["mae"]
    assert found.weight is not None
    assert found.weight > 0.3
    assert found.labels_saved is not None
    assert found.labels_saved > 0
    assert found.estimate.interval is not None
    whole = np.mean([abs(r["ai"] - r["y"]) for r in data])
    assert found.estimate.interval.low < whole < found.estimate.interval.high
    # a confidence that is one and the same says nothing
    alike = [r | {"sure": 0.5} for r in data]
    assert estimated(alike, confidence_column="sure").estimates["mae"].weight == 0.0


def test_shares_at_a_level_or_above_fall_and_stay_within_bounds() -> None:
    found = estimated(rows())
    entries = list(found.at_least.values())
    assert list(found.at_least) == ["2", "3", "4", "5"]
    for pick in (lambda e: e.value, lambda e: e.interval.low, lambda e: e.interval.high):
        curve = [pick(e.estimate) for e in entries]
        assert curve == sorted(curve, reverse=True)
        assert all(0.0 <= x <= 1.0 for x in curve)
    assert len({e.weight for e in entries}) == 1


def test_two_systems_differ_by_case() -> None:
    data = [r | {"model": m, "ai": clip(r["ai"] + k)} for r in rows() for k, m in enumerate("ab")]
    data = [
        r | {"human": None if r["human"] is None else clip(r["human"] + (r["model"] == "b"))}
        for r in data
    ]
    found = estimated(data, system="model")
    assert found.systems == ["a", "b"]
    assert found.difference is not None
    means = {m: np.mean([r["human"] for r in data if r["human"] and r["model"] == m]) for m in "ab"}
    assert found.difference.classical is not None
    assert found.difference.classical.value == pytest.approx(means["b"] - means["a"])
    whole = estimated([r for r in data if r["model"] == "b"]).estimates["mean"].classical
    assert whole is not None
    width = found.difference.classical.interval
    assert width is not None and whole.interval is not None  # noqa: PT018
    assert width.high - width.low < (whole.interval.high - whole.interval.low) / 2  # paired


def test_slices_are_the_estimate_of_their_rows() -> None:
    data = [r | {"lang": "de" if r["case"] % 4 < 2 else "en"} for r in rows()]
    found = estimated(data, group="lang").slices["lang"]
    alone = estimated([r for r in data if r["lang"] == "de"]).estimates["mean"]
    assert found["de"] == alone


def test_what_to_know_of_the_labels_is_told() -> None:
    data = rows()
    partly = [r | {"human": None} if (r["case"], r["item"]) == (2, 0) else r for r in data]
    assert estimated(partly).labels.partly_labelled == 1
    assert len(estimated(data).warnings) == 0
    few = [r | {"human": r["human"] if r["case"] < 8 else None} for r in data]
    assert not estimated(few).labels.enough
    interval = estimated(few).estimates["mean"].estimate.interval
    assert interval is not None
    assert not interval.is_reliable
    picked = [
        r | {"human": r["ai"] if r["ai"] >= 4 else None, "case": i} for i, r in enumerate(data)
    ]
    p = estimated(picked).labels.random_p_value
    assert p is not None
    assert p < 0.001
    p = estimated(data).labels.random_p_value
    assert p is not None
    assert p > 0.05


def test_two_labelled_cases_have_an_interval_that_is_marked() -> None:
    data = [r | {"human": r["ai"] if r["case"] < 2 else None} for r in rows()]
    interval = estimated(data).estimates["mean"].estimate.interval
    assert interval is not None
    assert not interval.is_reliable


def test_all_labelled_is_the_classical_estimate() -> None:
    data = [r | {"human": r["ai"]} for r in rows()]
    found = estimated(data)
    assert found.cases_unlabelled == 0
    assert found.estimates["mean"].weight == 0.0
    assert found.labels.random_p_value is None


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({"human": None}, {}, "labels of at least 2 cases"),
        ({}, {"labelled": "humn"}, "no column for the prediction"),
        ({"human": "perhaps"}, {}, "label: is no level of 1..5"),
        ({"human": 9}, {}, "label: 9 is outside 1..5"),
        ({"ai": 9}, {}, "judge: 9 is outside 1..5"),
    ],
)
def test_bad_input_is_told(change: dict[str, Any], options: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words.replace(".", r"\.")):
        estimated([r | change for r in rows()], **options)


def test_the_command_prints_writes_and_shows(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "j.json").write_text(json.dumps(rows()))
    out, page = tmp_path / "out.json", tmp_path / "page.html"
    words = ["estimate", str(tmp_path / "j.json"), "--labelled", "human", "--prediction", "ai"]
    words += ["--item", "item", "--levels", "1-5"]
    assert run([*words, "--output", str(out), "--html", str(page)]) == 0
    assert "20 labelled cases and 20 more" in capsys.readouterr().out
    assert json.loads(out.read_text())["estimates"]["mean"]["estimate"]["value"] is not None
    assert run(["show", str(out)]) == 0
    assert "Mean rating" in capsys.readouterr().out
    assert "labels alone" in page.read_text()


def judged(cases: int, labelled: int, wrong: int = 0) -> list[dict[str, Any]]:
    """Cases of one row; the judge is a level too high in the first few."""
    return [
        {
            "case": c,
            "item": 0,
            "ai": c % 3 + (c < wrong) + 1,
            "human": c % 3 + 1 if c < labelled else None,
        }
        for c in range(cases)
    ]


@pytest.mark.parametrize(("wrong", "high"), [(0, 0.1684), (1, 0.2487), (2, 0.3170)])
def test_errors_that_few_labels_show_have_the_exact_end_of_their_share(
    wrong: int, high: float
) -> None:
    """Of 20 labelled cases 0, 1, 2 are wrong: the upper ends of Clopper and Pearson."""
    from scipy.stats import beta

    interval = estimated(judged(120, 20, wrong)).estimates["errors"].estimate.interval
    assert interval is not None
    assert beta.ppf(0.975, wrong + 1, 20 - wrong) == pytest.approx(high, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)
    assert interval.low <= 0.05 * wrong / 4


def test_labels_that_are_all_alike_have_room_on_both_sides_but_at_the_end_of_the_scale() -> None:
    """20 times a 3 of 1 to 5: a share of 1 − .025^(1/20) may be half of the way to an end off; a 1
    only above, where half of the way is two levels."""
    share = 1 - 0.025 ** (1 / 20)
    for level, low, high in ((3, 3 - share, 3 + share), (1, 1, 1 + 2 * share)):
        rows = [{"case": c, "item": 0, "ai": level, "human": level} for c in range(20)]
        found = estimated(rows).estimates["mean"].estimate.interval
        assert found is not None
        assert (found.low, found.high) == pytest.approx((low, high))


@pytest.mark.parametrize("wrong", [0, 1, 5])
def test_no_interval_is_a_point_and_no_judge_is_worth_more_labels_than_there_are_cases(
    wrong: int,
) -> None:
    found = estimated(judged(60, 12, wrong))
    entries = [*found.estimates.values(), *found.at_least.values()]
    for entry in entries:
        for side in (entry.estimate, entry.classical):
            assert side is not None
            assert side.interval is not None
            assert side.interval.low <= (side.value or 0.0) <= side.interval.high
            assert side.interval.low < side.interval.high or side.value in (0.0, 1.0)
        assert entry.effective_cases is not None
        assert entry.effective_cases <= 60


def test_a_judge_without_an_error_is_worth_no_more_than_what_errors_may_have_stayed_hidden() -> (
    None
):
    """Of 20 labels a share of .168 may be a level off; the others' variance comes beside it."""
    found = estimated(judged(120, 20)).estimates["mean"]
    assert found.estimate.interval is not None
    assert found.weight is not None
    reach = found.estimate.interval.high - (found.estimate.value or 0.0)
    assert reach >= found.weight * (1 - 0.025 ** (1 / 20)) - 1e-9
