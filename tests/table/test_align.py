"""Two tables on the same cases: what is compared, what is refused, what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from acumen.errors import DataError
from acumen.readers.columns import from_columns
from acumen.table.align import align, align_all, on_one_scale
from acumen.table.judgments import FailedCase, Judgments, Source
from acumen.table.scale import Scale

ITEMS = ("Sleep", "Tired")


def table(
    cases: Sequence[int],
    predictions: Sequence[int | None],
    *,
    failed: Sequence[int] = (),
    truth: dict[tuple[int, str], int] | None = None,
    items: Sequence[str] = ITEMS,
    source: Source = Source(),  # noqa: B008  (frozen)
) -> Judgments:
    """Every case with every item; truth 1 unless told otherwise."""
    rows = [(case, item) for case in cases for item in items]
    known = truth or {}
    return from_columns(
        case=[case for case, _ in rows],
        item=[item for _, item in rows],
        truth=[known.get(row, 1) for row in rows],
        prediction=[predictions[i % len(predictions)] for i in range(len(rows))],
        failed=[FailedCase(case, "no reply") for case in failed],
        source=source,
    )


def test_rows_come_in_one_order_whatever_the_order_of_the_inputs() -> None:
    left = table([1, 2, 3], [0, 1])
    right = table([3, 1, 2], [2, 3], items=ITEMS[::-1])
    pair = align(left, right)
    assert pair.cases == (1, 2, 3) == pair.right.cases
    for side in (pair.left, pair.right):
        keys = [(side.cases[c], side.items[i]) for c, i in zip(side.case, side.item, strict=True)]
        assert keys == [(c, i) for c in (1, 2, 3) for i in ITEMS]
    # "Tired" was asked first on the right, and got 2
    assert pair.right.prediction.tolist() == [3, 2] * 3
    assert pair.warnings == ()


def test_different_case_sets_are_refused_and_say_who_is_where() -> None:
    with pytest.raises(DataError) as raised:
        align(table([1, 2, 3], [0]), table([2, 3, 4, 5], [1]))
    told = str(raised.value)
    assert "only in the first: 1;" in told
    assert "only in the second: 4, 5" in told
    assert "--intersection-only" in told


def test_the_overlap_is_compared_when_asked_for() -> None:
    pair = align(table([1, 2, 3], [0]), table([2, 3, 4], [1]), intersection_only=True)
    assert pair.cases == (2, 3)
    assert (pair.only_left, pair.only_right) == ((1,), (4,))
    assert "1 only in the first and 1 only in the second are left out" in pair.warnings[0]


def test_case_sets_include_failed_cases() -> None:
    left = table([1, 2], [0], failed=[3])
    pair = align(left, table([1, 2, 3], [1]))
    assert pair.cases == (1, 2)
    assert (pair.failed_left, pair.failed_right) == ((3,), ())
    with pytest.raises(DataError, match="only in the first: 3"):
        align(left, table([1, 2], [1]))


def test_a_case_that_failed_on_either_side_is_left_out_of_both_and_warned_about() -> None:
    pair = align(table([1, 2, 4], [0], failed=[3]), table([1, 3, 4], [1], failed=[2]))
    assert pair.cases == (1, 4) == pair.right.cases
    assert (pair.failed_left, pair.failed_right) == ((3,), (2,))
    assert "2 participants failed in one of the two and left out of both" in pair.warnings[0]
    assert set(pair.left.case.tolist()) == {0, 1}


def test_another_truth_for_the_same_case_and_item_is_refused_by_name() -> None:
    right = table([1, 2], [1], truth={(2, "Tired"): 3})
    with pytest.raises(DataError) as raised:
        align(table([1, 2], [0]), right)
    assert "participant 2, item Tired" in str(raised.value)
    assert "1 in the first and 3 in the second" in str(raised.value)


def test_no_overlap_is_refused_even_when_the_overlap_is_asked_for() -> None:
    for only in (False, True):
        with pytest.raises(DataError, match="no common participant"):
            align(table([1, 2], [0]), table([3], [1]), intersection_only=only)
    with pytest.raises(DataError, match="succeeded on both sides"):
        align(table([1], [0], failed=[2]), table([2], [1], failed=[1]))


def test_an_item_judged_on_one_side_only_is_refused_or_left_out_when_asked() -> None:
    left, right = table([1, 2], [0]), table([1, 2], [1], items=["Sleep"])
    with pytest.raises(DataError, match="item Tired: is judged only in the first"):
        align(left, right)
    pair = align(left, right, intersection_only=True)
    assert len(pair.left) == len(pair.right) == 2
    assert {pair.left.items[i] for i in pair.left.item} == {"Sleep"}


def test_a_case_without_a_common_item_is_not_counted_as_a_case() -> None:
    columns: dict[str, Any] = {
        "case": [1, 1, 2, 2],
        "item": ["Sleep", "Tired"] * 2,
        "truth": [1] * 4,
    }
    left = from_columns(**columns, prediction=[0, 1, 2, 0]).take(np.array([0, 1, 2]))
    right = from_columns(**columns, prediction=[2, 1, 0, 0]).take(np.array([0, 1, 3]))
    pair = align(left, right, intersection_only=True)
    assert pair.cases == (1,) == pair.right.cases
    assert any("1 participant without a common item left out: 2" in w for w in pair.warnings)
    alone = left.of_cases([2]), right.of_cases([2])
    with pytest.raises(DataError, match="no item is judged on both sides"):
        align(*alone, intersection_only=True)


def test_the_same_input_twice_is_noticed() -> None:
    source = Source(path="run.json", sha256="ab" * 32)
    twice = align(table([1], [0], source=source), table([1], [0], source=source))
    assert "identical" in twice.warnings[0]
    alike = align(table([1, 2], [0, None]), table([1, 2], [0, None]))
    assert "same predictions" in alike.warnings[0]
    assert align(table([1], [0, 1]), table([1], [1, 0])).warnings == ()


def test_other_scales_are_refused() -> None:
    risk: Scale | str = "risk"
    verdicts = from_columns(case=[1], truth=["Low Risk"], prediction=["Low Risk"], scale=risk)
    with pytest.raises(DataError, match="different scales"):
        align(table([1], [0]), verdicts)


def test_aligned_tables_do_not_share_memory_with_their_inputs_order() -> None:
    left = table([5, 6, 7], [0, 1, 2, 3, 0, 1])
    pair = align(left, table([7, 6, 5], [1]))
    assert np.array_equal(pair.left.prediction, left.prediction)


def test_any_number_of_tables_meets_on_the_rows_that_all_judge() -> None:
    a, b = table([1, 2, 3, 4], [0, 1]), table([4, 3, 2], [2], items=ITEMS[::-1])
    c = table([2, 3, 4, 5], [3], items=["Sleep"])
    aligned, notes = align_all([a, b, c], ["a", "b", "c"])
    for part in aligned:
        assert part.cases == (2, 3, 4)
        assert [part.items[i] for i in part.item] == ["Sleep"] * 3
    assert [part.prediction.tolist() for part in aligned] == [[0] * 3, [2] * 3, [3] * 3]
    assert notes == [
        "compared on the 3 participants and 3 rows that all 3 share; left out: "
        "a 1 participant, 5 rows; b 0 participants, 3 rows; c 1 participant, 1 row"
    ]


def test_three_tables_of_the_same_rows_leave_nothing_out() -> None:
    same = [table([1, 2], [level]) for level in (0, 1, 2)]
    aligned, notes = align_all(same, "abc")
    assert notes == []
    assert [len(part) for part in aligned] == [4, 4, 4]


def test_a_case_that_failed_anywhere_is_nobodys_and_stays_listed_once() -> None:
    tables = [table([1, 2, 3], [0]), table([1, 3], [1], failed=[2]), table([1, 2], [1], failed=[3])]
    aligned, _ = align_all(tables, "abc")
    assert [part.cases for part in aligned] == [(1,)] * 3
    assert [failed.case for failed in aligned[0].failed] == [2, 3]


def test_another_truth_in_the_third_table_is_refused_by_its_name() -> None:
    tables = [table([1], [0]), table([1], [1]), table([1], [1], truth={(1, "Tired"): 2})]
    with pytest.raises(DataError, match="differs, 1 in gpt and 2 in qwen"):
        align_all(tables, ["gpt", "llama", "qwen"])


def test_tables_judged_alone_still_share_one_scale() -> None:
    tables = [
        from_columns(case=[1, 2], truth=[0, top], prediction=[0, top], scale=None)
        for top in (1, 3, 2)
    ]
    assert [part.scale.levels for part in on_one_scale(tables)] == [(0, 1, 2, 3)] * 3


@pytest.mark.parametrize("column", ["repeat", "rater"])
def test_a_column_that_only_one_side_has_is_refused(column: str) -> None:
    more: Any = {column: ["a", "b"]}
    left = from_columns(case=[1, 2], truth=[0, 1], prediction=[0, 1], **more)
    right = from_columns(case=[1, 2], truth=[0, 1], prediction=[1, 1])
    for sides in ((left, right), (right, left)):
        with pytest.raises(DataError, match=f"only one of the two inputs has a column of {column}"):
            align(*sides)


def test_a_truth_that_only_one_side_has_is_refused() -> None:
    left = from_columns(case=[1, 2], truth=[0, 1], prediction=[0, 1], scale=[0, 1])
    right = from_columns(case=[1, 2], truth=[None, None], prediction=[1, 1], scale=[0, 1])
    for sides in ((left, right), (right, left)):
        with pytest.raises(DataError, match="only one of the two inputs has a truth"):
            align(*sides)
