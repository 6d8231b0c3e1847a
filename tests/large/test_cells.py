"""Counts of four rows, what may be changed in their document, and systems side by side."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from acumen.errors import DataError, UsageError
from acumen.inference.options import Options
from acumen.large.api import rows_of
from acumen.large.cells import count_rows
from acumen.large.counts import CELL, Counts
from acumen.large.files import MOST_ROWS, counts_of
from acumen.large.gradient import Measurement
from acumen.results.counts import CountsDocument
from acumen.table.losses import find_loss
from acumen.table.scale import Scale
from acumen.values.measured import Absence, NoInterval
from tests.large.measures import count, evaluate
from tests.large.studies import alike, study

ROWS = pl.LazyFrame(
    {
        "case": [1, 1, 2, 3],
        "truth": [0, 2, 1, 1],
        "prediction": [0, 0, 1, None],
        "confidence": [0.5, 0.5, 0.25, None],
    }
)


@cache
def counts() -> CountsDocument:
    """Of the rows, for those who change a copy."""
    return count(ROWS, levels="0-2")


def change(column: str, value: float, prediction: int = 0) -> dict[str, Any]:
    """The document with another value in the first cell of a prediction."""
    document = counts().model_dump()
    at = document["cells"]["prediction"].index(prediction)
    document["cells"][column][at] = value
    return document


def problems(document: dict[str, Any]) -> str:
    content = counts().model_copy(update=document)
    try:
        counts_of(content, "a.counts")
    except DataError as error:
        return "; ".join(problem.message for problem in error.problems)
    return ""


def test_cells_by_hand() -> None:
    cells = count(ROWS, levels="0-2").cells
    assert cells["bin"] == [0.0, 0.25, 0.5, 0.5]
    assert cells["truth"] == [1, 1, 0, 2]
    assert cells["prediction"] == [-1, 1, 0, 0]
    assert cells["rows"] == cells["weight"] == [1, 1, 1, 1]
    assert cells["total"] == cells["low"] == cells["high"] == [0.0, 0.25, 0.5, 0.5]
    assert cells["squares"] == [0.0, 0.0625, 0.25, 0.25]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, ""),
        (change("truth", 3), "a rank is not one of 3 levels"),
        (change("truth", -1), "a rank is not one of 3 levels"),
        (change("prediction", 3), "a rank is not one of 3 levels"),
        (change("prediction", 2), ""),
        (change("prediction", -2), "a rank is not one of 3 levels"),
        (change("rows", 0), "its rows must be 1 to 1,000,000,000,000"),
        (change("rows", MOST_ROWS), "its rows must be 1 to"),
        (change("rows", 2), "the counts do not add up: 5 rows in cells, 4 of them answers, of 4"),
        (change("truth", 0.5), "ranks and rows are whole numbers"),
        (change("weight", 0.0), "no confidences have these sums"),
        (change("weight", 1e-51), "its weight must be 0, or 1e-50 to 1e+50 a row"),
        (change("weight", 2e50), "its weight must be 0, or 1e-50 to 1e+50 a row"),
        (change("low", 0.4), "a confidence that is not of its bin"),
        (change("high", 0.6), "a confidence that is not of its bin"),
        (change("total", 0.6), "no confidences have these sums"),
        (change("total", 0.4), "no confidences have these sums"),
        (change("squares", 0.26), "no confidences have these sums"),
        (change("squares", 0.24), "no confidences have these sums"),
        (change("bin", 0.25, -1), "a confidence without an answer"),
        (change("total", 0.25, -1), "a confidence without an answer"),
        (change("squares", 0.25, -1), "a confidence without an answer"),
        ({"hidden_rows": 1}, "the counts do not add up"),
        ({"hidden_weight": 1.0}, "hidden_weight: no rows of cells that were left out"),
    ],
)
def test_a_document_of_counts_is_held_to_what_can_be(
    document: dict[str, Any], message: str
) -> None:
    said = problems(document)
    assert (message in said) if message else not said, said


def test_cells_of_few_rows_are_hidden_up_to_their_number() -> None:
    twice = pl.concat(
        [ROWS, ROWS.filter(pl.col("prediction") == 1).with_columns(case=pl.lit(9, pl.Int64))]
    )
    assert count(twice, levels="0-2", fewest=0).hidden_rows == 0
    assert count(twice, levels="0-2", fewest=1).hidden_rows == 0
    two, three = (count(twice, levels="0-2", fewest=n) for n in (2, 3))
    assert (two.hidden_rows, two.hidden_weight, two.cells["rows"]) == (3, 3.0, [2])
    assert (three.hidden_rows, three.hidden_weight, three.cells["rows"]) == (5, 5.0, [])


def test_a_cell_without_weight_has_a_mean_all_the_same() -> None:
    cells = np.zeros(3, CELL)
    cells["weight"], cells["total"], cells["low"] = [2.0, 0.0, 4.0], [1.0, 0.0, 3.0], [0.5, 9, 0.7]
    scale = Scale.parse({"name": "two", "levels": [0, 1]}, "here")
    with np.errstate(all="raise"):
        assert Counts(scale, cells, bits=4).mean().tolist() == [0.5, 0.0, 0.75]
    assert Counts(scale, cells).mean().tolist() == [0.5, 9.0, 0.7]


def test_a_system_that_lacks_no_truth_counts_none() -> None:
    both = pl.concat([ROWS.with_columns(system=pl.lit(name)) for name in ("a", "b")])
    is_open = (pl.col("system") == "b") & (pl.col("case") == 3)
    some = both.with_columns(truth=pl.when(~is_open).then(pl.col("truth")))
    cells = count_rows(rows_of(some, None, None, {"system": "system", "levels": "0-2"}))
    assert [c.outcomes["no_truth"] for c in cells.counts.values()] == [0, 1]
    assert [c.outcomes["answered"] for c in cells.counts.values()] == [3, 3]
    with pytest.raises(UsageError, match="counts are of one system: choose it"):
        _ = cells.only


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"truth": [0, 2, 1, 2]}, "their true levels differ"),
        ({"truth": [2, 0, 1, 1]}, "4 judgments of a case, item and truth lack the other's"),
        ({"case": [1, 1, 2, 4]}, "left: frame lacks 1 case; right: frame lacks 1 case"),
        ({"case": [1, 1, 2, 2]}, "right: frame lacks 1 case"),
    ],
)
def test_why_two_systems_cannot_be_compared(change: dict[str, Any], why: str) -> None:
    item = pl.Series("item", [1, 2, 1, 1])
    left, right = (ROWS.with_columns(item, **c) for c in ({}, _series(change)))
    with pytest.raises(DataError) as error:
        evaluate(left, right, levels="0-2")
    expected = f"systems are compared on the same cases and items: {why}"
    assert error.value.problems[0].message == expected


def _series(change: dict[str, Any]) -> dict[str, pl.Series]:
    return {name: pl.Series(values) for name, values in change.items()}


def test_a_system_of_few_cells_beside_one_of_many_takes_no_number_from_it() -> None:
    """Sure where right, and wrong in one way: its slopes are mixes of facts, the other's not."""
    rows, off = study(400), pl.col("truth") == 3
    sure = rows.with_columns(
        prediction=pl.col("truth") - off.cast(pl.Int64), confidence=0.9 - 0.4 * off
    )
    both = evaluate(sure.lazy(), rows.lazy()).systems
    alike(both["right: frame"], evaluate(rows.lazy()).systems["all"])
    alike(both["left: frame"], evaluate(sure.lazy()).systems["all"])
    assert {*both["right: frame"].deltas} == {*both["right: frame"].metrics}


def test_a_metric_that_one_system_lacks_is_compared_with_nothing() -> None:
    """Who is always right has no AUROC of failures: neither then has a difference in it."""
    rows = study(400)
    perfect, alone = rows.with_columns(prediction=pl.col("truth")), evaluate(rows.lazy())
    values = {name: metric.value for name, metric in alone.systems["all"].metrics.items()}
    for first, second, sign in ((perfect, rows, 1), (rows, perfect, -1)):
        left, right = evaluate(first.lazy(), second.lazy()).systems.values()
        one, other = (left, right) if sign == 1 else (right, left)
        assert one.metrics["failure_auroc"].value is None
        assert other.metrics["failure_auroc"].value == pytest.approx(values["failure_auroc"])
        assert "failure_auroc" not in right.deltas
        assert right.deltas["mean_loss"].delta == pytest.approx(sign * values["mean_loss"])


def test_two_inputs_are_of_one_kind(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    ROWS.collect().write_parquet(path)
    for pair in ((path, ROWS), (ROWS, path)):
        with pytest.raises(UsageError, match="two files or two frames, not one of each"):
            evaluate(*pair)
    named = ROWS.with_columns(system=pl.lit("a"))
    with pytest.raises(UsageError, match="two inputs are two systems"):
        evaluate(named, named, system="system")
    left, right = evaluate(ROWS, ROWS, levels="0-2").systems
    assert (left, right) == ("left: frame", "right: frame")


def test_a_value_without_an_interval_has_none_at_any_level() -> None:
    counts = count_rows(rows_of(ROWS, None, None, {"levels": "0-2"})).only
    known = Measurement.of(counts, find_loss("abs")).infer(None, 0, Options(resamples=0))
    for inference in known.values():
        why = Absence.NO_VALUE if inference.value is None else Absence.NEEDS_ROWS
        assert inference.interval == inference.interval_at(0.5) == NoInterval(why=why)


def test_the_facts_of_cells_by_hand() -> None:
    """Cells: none said, right, right, two off; the main metrics need four facts of them."""
    counts = count_rows(rows_of(ROWS, None, None, {"levels": "0-2"})).only
    facts = Measurement.of(counts, find_loss("squared"), full=True).facts
    assert {name: values.tolist() for name, values in facts.items()} == {
        "rows": [1, 1, 1, 1],
        "answered": [0, 1, 1, 1],
        "loss": [0, 0, 0, 4],
        "right": [0, 1, 1, 0],
        "off": [0, 0, 0, 2],
        "far": [0, 0, 0, 1],
    }
    assert [*Measurement.of(counts, find_loss("abs")).facts] == [
        "rows",
        "answered",
        "loss",
        "right",
    ]
