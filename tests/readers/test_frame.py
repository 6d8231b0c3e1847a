"""Dataframes of every library give what the run artifact gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from acumen.errors import DataError, UsageError
from acumen.metrics import METRICS
from acumen.readers import read
from acumen.readers.cells import arrow_numbers
from acumen.readers.inputs import from_frame
from acumen.readers.run import run_from_document
from acumen.table.judgments import Judgments, SignalState
from acumen.views.ranking import rank_judgments
from tests.run_documents import entries, run_document

LIBRARIES = {
    "pandas": pd.DataFrame,
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": pa.table,
}
every_library = pytest.mark.parametrize("frame", LIBRARIES.values(), ids=LIBRARIES)


def long_columns() -> dict[str, list[Any]]:
    """The small run, one row a judgment, items in an order of their own."""
    fields = ("ground_truth_items", "predicted_items", "item_signals")
    rows = [
        (e["participant_id"], item, truth[item], predicted[item], *signals[item].values())
        for e in entries(run_document())
        for truth, predicted, signals in [[e[field] for field in fields]]
        for item in sorted(predicted)
    ]
    names = ("participant_id", "item", "gt", "pred", "confidence")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def numbers(table: Judgments, signal: str) -> dict[str, float | None]:
    ranking = rank_judgments(table, table.signals[signal].values)
    names = (
        "coverage",
        "mean_loss",
        "aurc",
        "augrc",
        "aurc_exact",
        "aurc_achievable",
        "failure_auroc",
    )
    return {name: METRICS[name].measure(ranking).value for name in names}


@every_library
def test_a_long_frame_gives_the_numbers_of_the_run_artifact(frame: Any) -> None:
    table = from_frame(frame(long_columns()))
    run = run_from_document(run_document())
    assert (table.cases, table.items) == (run.cases, run.items)
    assert numbers(table, "confidence") == numbers(run, "llm_evidence_count")


@every_library
def test_shuffled_rows_give_the_same_numbers(frame: Any) -> None:
    columns = long_columns()
    order = np.random.default_rng(0).permutation(len(columns["gt"]))
    shuffled = {name: [values[i] for i in order] for name, values in columns.items()}
    assert numbers(from_frame(frame(shuffled)), "confidence") == numbers(
        from_frame(frame(columns)), "confidence"
    )


@every_library
def test_columns_may_be_given_by_role(frame: Any) -> None:
    columns = long_columns()
    renamed = dict(zip(("who", "what", "actual", "said", "sure"), columns.values(), strict=True))
    renamed["gt"] = [0] * 16  # a conventional name that is not meant
    roles = {"case": "who", "item": "what", "truth": "actual", "prediction": "said"}
    table = from_frame(frame(renamed), columns=roles | {"confidence": "sure"})
    assert numbers(table, "confidence") == numbers(from_frame(frame(columns)), "confidence")


def test_a_column_that_is_missing_is_told_with_those_there_are() -> None:
    with pytest.raises(DataError) as error:
        from_frame(pd.DataFrame({"case": [1], "item": ["Sleep"]}))
    assert str(error.value) == (
        "no column for the truth and the prediction; there are case, item; "
        "name it: --truth COLUMN --prediction COLUMN --case case --item item (see acumen map FILE)"
    )
    with pytest.raises(DataError, match=r"no column for the weight \(w\)"):
        from_frame(pd.DataFrame(long_columns()), columns={"weight": "w"})


def test_conventional_names_are_found_in_capitals_too_and_as_they_are_first() -> None:
    loud = {name.upper() if name != "pred" else " Pred ": v for name, v in long_columns().items()}
    table = from_frame(pd.DataFrame(loud))
    assert numbers(table, "confidence") == numbers(
        from_frame(pd.DataFrame(long_columns())), "confidence"
    )
    both = pd.DataFrame(long_columns() | {"GT": [0] * len(loud["GT"])})
    assert from_frame(both).truth.tolist() == table.truth.tolist()


def test_a_role_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="no role label; there are case, item, truth"):
        from_frame(pd.DataFrame(long_columns()), columns={"label": "gt"})


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "float64", "int64[pyarrow]", "object"])
def test_every_null_of_pandas_is_an_abstention(dtype: str) -> None:
    frame = pd.DataFrame(long_columns())
    frame["pred"] = pd.Series(long_columns()["pred"], dtype=dtype)
    assert numbers(from_frame(frame), "confidence") == numbers(
        run_from_document(run_document()), "llm_evidence_count"
    )


@pytest.mark.parametrize("column", ["pred", "gt"])
@pytest.mark.parametrize("frame", [LIBRARIES["polars"], LIBRARIES["pyarrow"]])
def test_nan_is_no_abstention_where_the_library_tells_it_from_null(frame: Any, column: str) -> None:
    columns = long_columns()
    columns[column] = [None if v is None else float(v) for v in columns[column]]
    columns[column][1] = float("nan")
    with pytest.raises(DataError, match="NaN is not a level; an abstention is null") as error:
        from_frame(frame(columns))
    assert error.value.problems[0].case == 101
    assert len(error.value.problems) == 1


@every_library
def test_a_row_with_a_null_truth_is_left_out_and_counted(frame: Any) -> None:
    columns = long_columns()
    columns["gt"][3] = None
    table = from_frame(frame(columns))
    assert (len(table), table.no_truth) == (len(columns["gt"]) - 1, 1)


@every_library
def test_other_numeric_columns_are_signals_and_text_is_not(frame: Any) -> None:
    columns = long_columns()
    columns["token_msp"] = [0.5] * 15 + [None]
    columns["comment"] = ["private words"] * 16
    table = from_frame(frame(columns))
    assert sorted(table.signals) == ["confidence", "token_msp"]
    states = table.signals["token_msp"].state.tolist()
    assert states == [SignalState.NUMBER] * 15 + [SignalState.NULL]


@every_library
def test_weights_and_outcomes_come_from_their_columns(frame: Any) -> None:
    columns = long_columns()
    columns["weight"] = [1.0] * 8 + [2.5] * 8
    columns["outcome"] = ["answered" if p is not None else "abstained" for p in columns["pred"]]
    columns["outcome"][8:] = ["failed"] * 8
    assert from_frame(frame(columns)).weight is None
    table = from_frame(frame(columns), weight="weight")
    assert table.weight is not None
    assert table.weight.tolist() == columns["weight"]
    assert [f.case for f in table.failed] == [102]


@every_library
@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("pred", True, "boolean"),
        ("weight", "heavy", "weight: must be a number, not the text 'heavy'"),
        ("item", [["Sleep"]], "a list is not a name"),
        ("participant_id", 1.5, "case: must be a whole number or a text, not 1.5"),
        ("pred", 7, "prediction: 7 is outside 0..3"),
    ],
)
def test_what_is_wrong_in_a_frame_is_told_as_data(
    frame: Any, column: str, value: object, said: str
) -> None:
    columns = long_columns()
    columns[column] = [value] * 16
    with pytest.raises(DataError, match=r"participant|case 101") as error:
        from_frame(frame(columns), weight="weight" if column == "weight" else None)
    assert said in str(error.value)


def test_a_categorical_column_of_items_is_read_by_its_names() -> None:
    frame = pd.DataFrame(long_columns())
    frame["item"] = frame["item"].astype("category")
    assert from_frame(frame).items == from_frame(pd.DataFrame(long_columns())).items


def test_two_columns_of_one_name_are_refused() -> None:
    frame = pa.table([[1], [1], [1], [1]], names=["case", "truth", "truth", "prediction"])
    with pytest.raises(DataError, match="two columns have the same name"):
        from_frame(frame)


def test_categories_of_any_index_type_are_read() -> None:
    levels = pl.Enum(["low", "mid", "high"])
    frame = pl.DataFrame(
        {
            "case": [1, 2, 3],
            "truth": pl.Series(["low", "mid", "high"], dtype=levels),
            "prediction": pl.Series(["low", None, "mid"], dtype=levels),
        }
    )
    table = from_frame(frame, scale="low,mid,high")
    assert table.truth.tolist() == [0, 1, 2]
    assert table.prediction.tolist() == [0, -1, 1]


def test_an_ordered_categorical_keeps_its_order_through_a_file(tmp_path: Path) -> None:
    order = ["low", "mid", "high"]
    frame = pd.DataFrame(
        {
            "case": [1, 2, 3],
            "truth": pd.Categorical(["high", "low", "mid"], order, ordered=True),
            "prediction": pd.Categorical(["mid", "low", "mid"], order, ordered=True),
        }
    )
    frame.to_parquet(tmp_path / "rows.parquet")
    table = read(tmp_path / "rows.parquet")
    assert table.scale.levels == ("low", "mid", "high")
    assert (table.truth - table.prediction).tolist() == [1, 0, 0]


def test_categories_in_different_orders_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    one = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    other = pd.CategoricalDtype(["high", "mid", "low"], ordered=True)
    frame = pd.DataFrame({"case": [1, 2], "truth": ["low", "mid"], "prediction": ["mid", "high"]})
    same = from_frame(frame.astype({"truth": one, "prediction": one}))
    assert same.scale.levels == ("low", "mid", "high")
    with pytest.raises(DataError, match="in different orders, truth low, mid, high and prediction"):
        from_frame(frame.astype({"truth": one, "prediction": other}))
    mended = from_frame(frame.astype({"truth": one, "prediction": other}), levels="low,mid,high")
    assert mended.scale == same.scale


def test_numbers_written_as_text_are_told() -> None:
    frame = pa.table({"case": [1, 2, 3], "truth": ["1", "2", "3"], "prediction": [1, 2, 3]})
    table = from_frame(frame)
    assert table.scale.levels == (1, 2, 3)
    note = "truth: numbers written as text are read as numbers: the text '1', … in 3 rows"
    assert note in table.warnings


def test_rows_without_a_truth_are_read_where_no_column_could_be_it() -> None:
    table = from_frame(pa.table({"case": [1, 2], "prediction": [1, 2], "confidence": [0.1, 0.5]}))
    assert not table.has_truth
    assert any(w.endswith("if one is it: --truth COLUMN") for w in table.warnings)
    with pytest.raises(DataError, match="no column for the truth"):
        from_frame(pa.table({"case": [1], "prediction": [1], "human_x": [1]}))


def test_numbers_of_arrow_are_those_of_its_chunks_and_slices_with_a_value_for_null() -> None:
    column = pa.chunked_array([[1.5, None, 2.5], [], [None, 4.0]]).slice(1)
    assert arrow_numbers(column, -1.0).tolist() == [-1.0, 2.5, -1.0, 4.0]
    assert arrow_numbers(pa.array([3, None, 5]).slice(1), 0).tolist() == [0, 5]
    flags = arrow_numbers(pa.array([True, False, None]).slice(1, 1))
    assert flags.dtype == bool
    assert flags.tolist() == [False]
    assert arrow_numbers(pa.chunked_array([], pa.int64())).tolist() == []
