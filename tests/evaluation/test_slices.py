"""Groups of rows: each is a study of its own, and is compared with the rest."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.errors import UsageError
from acumen.evaluation.slices import LEAST_P, ON_SCREEN
from acumen.inference.multiplicity import holm
from acumen.questions.evaluation import Evaluation
from acumen.report.sections import sections_of
from acumen.results.slices import CLAIMED, Slice
from acumen.values.measured import Flag


def table(n: int = 40, items: int = 3, seed: int = 1, **columns: Any) -> acumen.Judgments:
    """Cases with a few items each, some left open; the first half of them are women."""
    rng = np.random.default_rng(seed)
    case = np.repeat(np.arange(n), items)
    truth = rng.integers(1, 6, len(case))
    off = rng.integers(-1, 2, len(case)) * (rng.random(len(case)) < 0.2 + 0.5 * (case % 5 == 0))
    prediction = [
        None if rng.random() < 0.15 else int(p) for p in np.clip(truth + off, 1, 5).tolist()
    ]
    groups = {
        "sex": np.where(case < n // 2, "f", "m").tolist(),
        "age": np.array(["old", "young", "middle"])[case % 3].tolist(),
    }
    return acumen.from_columns(
        **{
            "case": case.tolist(),
            "item": [f"i{k}" for k in np.tile(np.arange(items), n)],
            "truth": truth.tolist(),
            "prediction": prediction,
            "confidence": rng.random(len(case)).round(2).tolist(),
            "scale": acumen.Scale(name="stars", levels=(1, 2, 3, 4, 5)),
            "groups": groups,
            **columns,
        }
    )


def evaluate(rows: acumen.Judgments, **options: Any) -> Evaluation:
    return acumen.evaluate(rows, resamples=0, threads=1, **options)


@cache
def parts_of(by: str, confidence_level: float = 0.95) -> Any:
    """The groups of the plain table, which several tests look at."""
    return evaluate(table(), confidence_level=confidence_level).by(by)


def test_groups_by_hand() -> None:
    rows = acumen.from_columns(
        case=[1, 2, 3, 4, 5, 6],
        truth=[1, 1, 2, 3, 3, 1],
        prediction=[1, 2, 2, 1, None, 1],
        groups={"sex": ["f", "f", "f", "m", "m", None]},
        scale=acumen.Scale(name="three", levels=(1, 2, 3)),
    )
    women, men = evaluate(rows, by="sex").document.slices
    assert (women.group, women.cases, women.rows, women.by) == ("f", 3, 3, ["sex"])
    assert women.metrics["accuracy"].value == pytest.approx(2 / 3)
    assert women.metrics["mae"].value == pytest.approx(1 / 3)
    assert (men.metrics["coverage"].value, men.metrics["total_accuracy"].value) == (0.5, 0.0)
    # the sixth row has no sex: it is in no group, and in the rest of none
    assert women.difference["total_accuracy"].delta == pytest.approx(2 / 3)
    assert women.difference["total_accuracy"].left == 0.0
    assert men.difference["total_accuracy"].delta == pytest.approx(-2 / 3)
    assert women.is_small
    assert men.is_small


@pytest.mark.parametrize("by", ["sex", "age", "item", "level", "sex,age"])
def test_a_group_has_the_numbers_of_its_rows_alone(by: str) -> None:
    rows, parts = table(), parts_of(by)
    assert sum(part.rows for part in parts) == len(rows)
    for part in parts:
        alone = evaluate(rows.take(_mask(rows, part)))
        (variant,) = alone.document.sides["confidence"]
        overall = alone.document.overall_by_input[0]
        assert part.cases == alone.document.population.participants_included
        known = {**variant.metrics, **overall}
        known = {key: known[key] for key in part.metrics}
        without = {key: m.model_copy(update={"drop_rate": None}) for key, m in known.items()}
        assert part.metrics == without


def _mask(rows: acumen.Judgments, part: Slice) -> Any:
    masks = []
    for column, value in zip(part.by, part.group.split(" × "), strict=True):
        texts = {
            "item": lambda: [rows.items[i] for i in rows.item],
            "level": lambda: [str(rows.scale.levels[t]) for t in rows.truth],
        }.get(column, lambda c=column: [rows.groups[c].values[k] for k in rows.groups[c].codes])()
        masks.append(np.array(texts) == value)
    return np.all(masks, axis=0)


def left_out(rows: acumen.Judgments, mask: Any) -> tuple[float, np.ndarray[Any, Any]]:
    """Mean loss in levels of some rows, and how far it moves without each case."""
    some = mask & rows.answered
    loss = np.abs(rows.truth - rows.prediction)
    values = []
    for case in range(len(rows.cases)):
        rest = some & (rows.case != case)
        values.append(loss[rest].mean())
    out = np.array(values)
    return float(loss[some].mean()), out - out.mean()


@pytest.mark.parametrize("by", ["sex", "item"])
def test_a_difference_is_paired_by_the_cases_that_both_sides_have(by: str) -> None:
    rows = table(items=4)
    for part in evaluate(rows, by=by).document.slices:
        mask = _mask(rows, part)
        group, deviations = left_out(rows, mask)
        rest, others = left_out(rows, ~mask)
        r = float(np.corrcoef(deviations, others)[0, 1])
        if by == "sex":
            # without a woman nothing moves among the men: what moves is the mean of the values
            assert abs(r) < 0.1
            r = 0.0
        (low, high) = part.metrics["mae"].ends
        sides = evaluate(rows.take(~mask)).document.overall_by_input[0]["mae"].ends
        assert low is not None
        assert high is not None
        x, y = group - low, sides[1] - rest
        delta = part.difference["mae"]
        assert delta.delta == pytest.approx(group - rest)
        reach = math.sqrt(x * x + y * y - 2 * r * x * y)
        assert delta.ends[0] == pytest.approx(group - rest - reach, abs=1e-3)


def test_the_p_value_is_where_the_interval_meets_zero() -> None:
    for metric in ("mae", "total_accuracy", "quadratic_kappa", "coverage"):
        delta = parts_of("sex")[0].difference[metric]
        assert delta.p_value is not None
        assert delta.delta is not None
        low, high = parts_of("sex", 1 - delta.p_value)[0].difference[metric].ends
        assert low is not None
        assert high is not None
        assert min(abs(low), abs(high)) == pytest.approx(0.0, abs=1e-6)
        assert low <= delta.delta <= high


def test_the_p_value_of_no_difference_is_one_and_that_of_a_sure_one_is_the_least() -> None:
    right = [case % 8 > 0 for case in range(80)]
    for second, p_value in ((right, 1.0), ([not is_right for is_right in right], LEAST_P)):
        rows = acumen.from_columns(
            case=[*range(160)],
            truth=[1] * 160,
            prediction=[1 if is_right else 2 for is_right in right + second],
            groups={"half": ["first"] * 80 + ["second"] * 80},
            scale=acumen.Scale(name="two", levels=(1, 2)),
        )
        delta = evaluate(rows, by="half").document.slices[0].difference["accuracy"]
        assert delta.p_value == pytest.approx(p_value, rel=1e-6)


def test_p_values_are_adjusted_over_all_groups_and_two_groups_count_once() -> None:
    parts = evaluate(table(), by=["sex", "item"]).document.slices
    women, men, *items = [part.difference["mae"] for part in parts]
    assert women.p_value == pytest.approx(men.p_value, rel=1e-5)
    family = {"sex": women.p_value, **{str(at): d.p_value for at, d in enumerate(items)}}
    adjusted = holm(family)
    assert women.p_adjusted == men.p_adjusted == adjusted["sex"]
    assert [d.p_adjusted for d in items] == [adjusted[str(at)] for at in range(len(items))]
    alone = parts_of("sex")[0].difference["mae"]
    assert alone.p_adjusted == alone.p_value == women.p_value


def test_the_worst_group_has_an_interval_that_allows_for_the_choice() -> None:
    parts = parts_of("age")
    values = {part.group: part.metrics["mae"].value for part in parts}
    (worst,) = [part for part in parts if "mae" in part.worst]
    assert values[worst.group] == max(v for v in values.values() if v is not None)
    bound = worst.worst["mae"]
    (together,) = [p for p in parts_of("age", 1 - 0.05 / 3) if p.group == worst.group]
    assert bound.ends == pytest.approx(together.metrics["mae"].ends)
    assert (bound.confidence_level, bound.method.partition(", ")[2]) == (0.95, "worst of 3")


def test_nothing_is_claimed_of_a_group_of_few_cases() -> None:
    case = list(range(60))
    rows = acumen.from_columns(
        case=case, truth=[1] * 60, prediction=[2] * 6 + [1, 2] + [1] * 52,
        groups={"site": ["a"] * 8 + ["b"] * 52},
        scale=acumen.Scale(name="two", levels=(1, 2)),
    )  # fmt: skip
    small, large = evaluate(rows, by="site").document.slices
    delta = small.difference["total_accuracy"]
    assert small.is_small
    assert not large.is_small
    assert delta.p_adjusted is not None
    assert delta.p_adjusted < 0.01
    assert delta.favours is None
    assert delta.interval is not None
    assert Flag.FEW_CASES in delta.interval.flags


def test_what_cannot_be_sliced_says_what_can() -> None:
    with pytest.raises(UsageError, match=r"no group sexx; there are sex, age, item, level"):
        evaluate(table(), by="sexx")
    with pytest.raises(UsageError, match=r"id has 101 groups; at most 100"):
        evaluate(table(101, 1, groups={"id": list(range(101))}), by="id")
    with pytest.raises(UsageError, match="leave --items random out"):
        evaluate(table(), by="item", items="random")


def test_slices_are_kept_in_the_document_and_framed(tmp_path: Path) -> None:
    evaluation = evaluate(table(), by=["sex", "sex,age"])
    evaluation.write(tmp_path / "m.json")
    again = Evaluation.read(tmp_path / "m.json")
    assert again.groups == ["sex", "sex,age"]
    assert again.by("sex", "age").records() == evaluation.by("sex,age").records()
    frame = again.by("sex").to_frame("pandas")
    row = frame[(frame["group"] == "f") & (frame["metric"] == "accuracy")].iloc[0]
    assert row["estimate"] == again.by("sex")[0].metrics["accuracy"].value
    with pytest.raises(UsageError, match=r"not sliced by age \(by: sex, sex,age\)"):
        again.by("age")


@pytest.mark.parametrize("systems", [1, 2, 5])
def test_a_screen_measures_what_it_shows_of_groups_and_says_what_the_document_does(
    systems: int,
) -> None:
    tables = {
        f"s{at}": table(40, 3, 1 + at, truth=(table().truth + 1).tolist()) for at in range(systems)
    }
    evaluation = acumen.evaluate(tables, by=["sex", "age"], resamples=0, threads=1)
    brief, document = evaluation.brief, evaluation.document
    shown = {*ON_SCREEN[2:], CLAIMED, "coverage"}
    assert len(brief.slices) == len(document.slices) == 5 * systems
    for part, whole in zip(brief.slices, document.slices, strict=True):
        assert {*part.metrics} == {*part.difference, *shown} == shown
        assert {*part.difference} == {CLAIMED}
        for field in ("metrics", "difference", "worst"):
            known = getattr(whole, field)
            assert getattr(part, field) == {key: known[key] for key in getattr(part, field)}
        assert "quadratic_kappa" in whole.metrics
        assert "quadratic_kappa" in whole.difference
    assert evaluation.sections() == sections_of(document)


def test_groups_without_a_confidence_or_a_truth_are_shown_by_what_there_is() -> None:
    bare = table(confidence=None)
    (part, *_) = acumen.evaluate(bare, by="sex", resamples=0, threads=1).brief.slices
    assert {*part.metrics} == {CLAIMED, "coverage", "mae"}


def test_by_names_a_column_of_the_file(tmp_path: Path) -> None:
    lines = ["id,gt,pred,sex"] + [f"{i},{i % 3},{(i + i % 2) % 3},{'fm'[i % 2]}" for i in range(40)]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    target = tmp_path / "m.json"
    words = ["evaluate", str(tmp_path / "rows.csv"), "--levels", "0-2", "--by", "sex", "-q"]
    assert run([*words, "--output", str(target)]) == 0
    parts = Evaluation.read(target).by("sex")
    assert [(p.group, p.metrics["accuracy"].value) for p in parts] == [("f", 1.0), ("m", 0.0)]
    assert parts[1].difference["total_accuracy"].favours == "left"


def test_systems_are_sliced_each() -> None:
    left, right = table(), table(prediction=table().truth.__add__(1).tolist())
    parts = acumen.compare(left, right, resamples=0, by="sex").document.slices
    assert [(part.group, part.cases) for part in parts] == [("f", 20), ("m", 20)] * 2
    assert [part.metrics["accuracy"].value for part in parts[2:]] == [1.0, 1.0]
    assert len({part.input for part in parts}) == 2
