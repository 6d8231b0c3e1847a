"""Columns as people hold them: Series of any library, Arrow, masked arrays, odd lists."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import acumen
from acumen import confidence
from acumen.errors import DataError, UsageError
from acumen.table.judgments import Outcome, SignalState

ODD_INDEX = [7, 5, 6]
LEVELS = acumen.Scale.numbered(0, 3)


def table(**columns: Any) -> acumen.Judgments:
    given: dict[str, Any] = {
        "case": ["a", "b", "c"],
        "truth": [0, 1, 2],
        "prediction": [0, None, 3],
        "confidence": [0.5, 0.25, 1.0],
    }
    return acumen.from_columns(**given | columns, scale=LEVELS)


COLUMNS = {
    "pandas": lambda values: pd.Series(values, index=ODD_INDEX),
    "pandas nullable": lambda values: pd.Series(values, index=ODD_INDEX).convert_dtypes(),
    "pandas on Arrow": lambda values: pd.Series(values).convert_dtypes(dtype_backend="pyarrow"),
    "pandas categorical": lambda values: pd.Series(values, dtype="category", index=ODD_INDEX),
    "polars": pl.Series,
    "Arrow": pa.array,
    "Arrow in chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "array of objects": lambda values: np.array(values, object),
    "generator": lambda values: (value for value in values),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_a_column_of_any_library_is_read_by_position_with_its_nulls(column: Any) -> None:
    found = table(
        case=column(["c", "a", "b"]), prediction=column([0, None, 3]), truth=column([0, 1, 2])
    )
    assert found.cases == ("a", "b", "c")
    assert found.case.tolist() == [2, 0, 1]
    assert found.truth.tolist() == [0, 1, 2]
    assert found.prediction.tolist() == [0, -1, 3]


@pytest.mark.parametrize("column", [COLUMNS["pandas"], COLUMNS["polars"], COLUMNS["Arrow"]])
def test_a_problem_in_a_series_names_the_case_beside_it_not_the_one_of_that_label(
    column: Any,
) -> None:
    with pytest.raises(DataError, match=r"^case c, truth: 9 is outside"):
        table(case=column(["a", "c", "b"]), truth=column([0, 9, 1]))


def test_what_is_masked_is_not_there() -> None:
    found = table(
        prediction=np.ma.array([0, 1, 3], mask=[False, True, False]),
        confidence=np.ma.array([0.5, 9.0, 1.0], mask=[False, True, False]),
    )
    assert found.prediction.tolist() == [0, -1, 3]
    assert found.signals["confidence"].state.tolist() == [0, SignalState.NULL, 0]


@pytest.mark.parametrize("none", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_every_spelling_of_no_value_in_a_list_is_an_abstention(none: object) -> None:
    assert table(prediction=[np.int8(0), none, 3.0]).prediction.tolist() == [0, -1, 3]


def test_decimals_of_a_database_are_numbers() -> None:
    decimals = pa.table(
        {
            "case": ["a", "b"],
            "truth": pa.array([Decimal("2.00"), Decimal("1.00")]),
            "prediction": pa.array([Decimal("3.0"), None]),
            "confidence": pa.array([Decimal("0.25"), Decimal("0.5")]),
        }
    )
    found = acumen.from_frame(decimals, scale=LEVELS)
    assert (found.truth.tolist(), found.prediction.tolist()) == ([2, 1], [3, -1])
    assert found.signals["confidence"].values.tolist() == [0.25, 0.5]
    half = decimals.set_column(1, "truth", pa.array([Decimal("1.50"), Decimal("1.00")]))
    with pytest.raises(DataError, match=r"case a, truth: 1\.5 is not a level of 0\.\.3"):
        acumen.from_frame(half, scale=LEVELS)


def test_a_boolean_or_a_text_among_numbers_stays_what_it_is() -> None:
    """NumPy would make 1.0 of true beside 0.5, and text of 0.5 beside text."""
    signals = table(signals={"sure": [True, 0.25, 0.5], "other": [0.1, 0.2, "x"]}).signals
    assert signals["sure"].other == {0: True}
    assert signals["sure"].values[1:].tolist() == [0.25, 0.5]
    assert signals["other"].other == {2: "x"}
    assert signals["other"].values[:2].tolist() == [0.1, 0.2]


def test_a_confidence_that_is_no_number_is_refused_when_the_table_is_made() -> None:
    with pytest.raises(DataError, match="confidence: must be a number, not the boolean true"):
        table(confidence=[True, 0.25, 0.5])


def test_numpys_own_numbers_in_a_list_are_numbers() -> None:
    signal = table(confidence=[np.float32(0.5), np.int8(2), 1]).signals["confidence"]
    assert signal.values.tolist() == [0.5, 2.0, 1.0]
    assert not signal.state.any()


def test_outcomes_may_be_given_as_outcomes() -> None:
    stated = [Outcome.ANSWERED, Outcome.ABSTAINED, Outcome.FAILED]
    assert table(outcome=stated).outcome.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (np.zeros((3, 1), int), "truth must be one column, not an array of 2 axes"),
        (np.ma.zeros((3, 1), int), "truth must be one column, not an array of 2 axes"),
        (3, "truth must be a column, not 3"),
        ("012", "truth must be a column, not the text '012'"),
    ],
)
def test_what_is_no_column_is_refused(column: object, said: str) -> None:
    with pytest.raises(DataError) as refused:
        table(truth=column)
    assert str(refused.value) == said


def test_items_are_never_merged_by_coercion() -> None:
    with pytest.raises(DataError, match="item 1: is there twice, as a number and as text"):
        table(item=[1, "1", 1])
    found = table(case=["a", "a", "a"], item=["x\0", "x", "y"])
    assert found.items == ("x", "x\0", "y")


@pytest.mark.parametrize("case", [[1.0, 2.0, 3.0], np.array([1.0, 2.0, 3.0])])
def test_ids_that_became_floats_are_refused_with_what_to_do(case: Any) -> None:
    with pytest.raises(DataError, match=r"not 1\.0; if the column holds whole numbers, cast") as no:
        table(case=case)
    assert str(no.value).count("cast") == 1


def test_a_value_of_a_strange_kind_is_told_by_its_kind() -> None:
    with pytest.raises(DataError, match="not the Timestamp 2020-01-01 00:00:00"):
        table(case=pd.date_range("2020", periods=3))
    with pytest.raises(DataError, match=r"truth: the Decimal 1 where a level"):
        table(truth=[Decimal(1), 1, 2])


def test_a_lazy_frame_is_collected() -> None:
    lazy = pl.LazyFrame({"case": ["a", "b"], "truth": [0, 1], "prediction": [0, None]})
    assert acumen.from_frame(lazy, scale=LEVELS).prediction.tolist() == [0, -1]


def test_a_very_wide_integer_is_an_integer() -> None:
    wide = pl.DataFrame({"case": ["a", "b"], "truth": [0, 1], "prediction": [0, 3]})
    wide = wide.with_columns(pl.col("truth", "prediction").cast(pl.Int128))
    assert acumen.from_frame(wide, scale=LEVELS).prediction.tolist() == [0, 3]


def test_a_column_that_is_named_by_a_number_is_a_signal_by_its_text() -> None:
    frame = pd.DataFrame({"case": ["a", "b"], "truth": [0, 1], "prediction": [0, 3], 7: [0.5, 1.5]})
    assert acumen.from_frame(frame, scale=LEVELS).signals["7"].values.tolist() == [0.5, 1.5]
    with pytest.raises(DataError, match="two columns have the same name"):
        acumen.from_frame(frame.assign(**{"7": 0.0}), scale=LEVELS)


@pytest.mark.parametrize("data", [{"case": [1]}, np.zeros(3), None, pd.Series([1])])
def test_what_is_no_frame_is_refused_by_its_kind(data: object) -> None:
    kind = type(data).__name__
    with pytest.raises(UsageError, match=f"a dataframe is expected, not {kind}"):
        acumen.from_frame(data)
    with pytest.raises(UsageError, match=f"list of rows, not {kind}"):
        acumen.evaluate(data)


@pytest.mark.parametrize("confidence", [3, np.array([0.1, 0.2]), [0.1, 0.2]])
def test_numbers_in_place_of_a_confidences_name_are_refused(confidence: Any) -> None:
    with pytest.raises(UsageError, match="numbers come with the rows"):
        acumen.evaluate(table(), confidence=confidence)


@pytest.mark.parametrize("option", ["resamples", "seed", "threads"])
def test_options_that_count_are_whole_numbers(option: str) -> None:
    options: Any = {option: 1e3}
    with pytest.raises(UsageError, match=rf"^{option} must be a whole number, not 1000\.0"):
        acumen.evaluate(table(), **options)


def test_nan_in_a_list_of_numpy_numbers_is_no_null() -> None:
    similarity: list[Any] = [0.5, np.float32("nan"), 1.0]
    table = acumen.from_columns(
        case=[1, 2, 3], truth=[0, 1, 2], prediction=[0, 1, 2],
        signals={"retrieval_similarity_mean": similarity},
    )  # fmt: skip
    with pytest.raises(DataError, match="NaN is not finite"):
        confidence.compute("retrieval_similarity_mean", table)
