"""Whatever a caller has, with its columns named, is the same table."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError, UsageError

ROWS = {
    "who": ["a", "b", "c", "d"],
    "human": [1, 5, 3, 2],
    "judge": [1, 4, None, 2],
    "sure": [0.9, 0.5, 0.2, 0.7],
}
NAMED: dict[str, Any] = {
    "case": "who",
    "truth": "human",
    "prediction": "judge",
    "confidence_column": "sure",
}


def numbers(data: Any, **keywords: Any) -> dict[str, Any]:
    (variant,) = acumen.evaluate(
        data, resamples=0, **keywords
    ).document.confidence_variants.values()
    return {name: measured.value for name, measured in variant.metrics.items()}


def write(folder: Path) -> Path:
    path = folder / "rows.csv"
    pl.DataFrame(ROWS).write_csv(path)
    return path


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_a_frame_gives_the_numbers_of_its_file(library: Any, tmp_path: Path) -> None:
    expected = numbers(write(tmp_path), **NAMED, scale=[1, 2, 3, 4, 5])
    frame = library(ROWS)
    if library is not pl.LazyFrame:
        assert numbers(frame, **NAMED, scale=range(1, 6)) == expected
    assert numbers(acumen.from_frame(frame, **NAMED)) == expected


def test_a_list_of_mappings_takes_names_too(tmp_path: Path) -> None:
    rows = [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]
    assert numbers(rows, **NAMED) == numbers(write(tmp_path), **NAMED)


def test_roles_are_one_dict_or_keywords(tmp_path: Path) -> None:
    roles = {"case": "who", "truth": "human", "prediction": "judge", "confidence": "sure"}
    assert numbers(write(tmp_path), columns=roles) == numbers(write(tmp_path), **NAMED)
    with pytest.raises(UsageError, match="no role sureness; there are case, item, truth"):
        acumen.evaluate(write(tmp_path), columns={"sureness": "sure"})


def test_an_ordered_categorical_brings_its_scale() -> None:
    levels = ["poor", "fair", "good", "great"]
    words = pd.Categorical(["poor", "good", "fair"], categories=levels, ordered=True)
    frame = pd.DataFrame({"id": [1, 2, 3], "truth": words, "pred": ["good", "good", None]})
    table = acumen.from_frame(frame)
    assert table.scale.levels == tuple(levels)
    assert table.truth.tolist() == [0, 2, 1]
    assert "order of the column's categories: poor, fair, good, great" in table.warnings[0]
    usual = acumen.from_frame(frame.assign(truth=["poor", "good", "fair"]))
    assert (usual.scale.levels, usual.scale.inferred) == (("poor", "fair", "good"), True)
    with pytest.raises(DataError, match="their order is not known"):
        acumen.from_frame(frame.assign(truth=["red", "blue", "red"], pred="red"))


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"scale": [0, 1]}, "the table is on the scale"),
        ({"truth": "human"}, "a table is read already; leave --truth out"),
        ({"abstain": "none", "strict": True}, "leave --strict, --abstain out"),
        ({"mapping": {"columns": {"case": "x"}}}, "leave --mapping out"),
    ],
)
def test_what_a_table_is_already_cannot_be_said_again(keywords: Any, said: str) -> None:
    table = acumen.from_columns(case=[1, 2], truth=[1, 3], prediction=[1, 2], confidence=[1, 2])
    with pytest.raises(UsageError, match=said):
        acumen.evaluate(table, **keywords)


def test_a_scale_that_has_every_level_of_a_table_extends_what_was_inferred() -> None:
    table = acumen.from_columns(case=[1, 2], truth=[1, 3], prediction=[1, 2], confidence=[1, 2])
    assert acumen.evaluate(table, scale=[1, 2, 3, 4, 5], resamples=0).document.loss.definition == (
        "abs(pred - gt) / 4"
    )


def test_a_scale_and_levels_are_one_thing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a scale or levels, not both"):
        acumen.read(write(tmp_path), **NAMED, scale="phq8", levels="1-5")


@pytest.mark.parametrize("value", ["0", "5,1", "a,b", (1, 1), (1, 2, 3)])
def test_a_confidence_range_is_two_numbers(value: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a confidence range is two numbers, LOW,HIGH"):
        acumen.read(write(tmp_path), **NAMED, confidence_range=value)


def systems(*names: str) -> dict[str, list[Any]]:
    rows = [(case, name) for name in names for case in range(12)]
    return {
        "case": [case for case, _ in rows],
        "truth": [1 + case % 5 for case, _ in rows],
        "pred": [1 + (case + (name == "b" and case % 3 == 0)) % 5 for case, name in rows],
        "confidence": [0.5 + case / 100 for case, _ in rows],
        "model": [name for _, name in rows],
    }


def test_two_systems_of_one_input_are_compared_under_their_names() -> None:
    frame = pl.DataFrame(systems("b", "a"))
    artifact = acumen.evaluate(frame, system="model", resamples=0).document
    assert artifact.input_names == ["a", "b"]
    assert artifact.comparison.enabled
    assert "identical" not in " ".join(artifact.warnings)
    apart = [
        acumen.evaluate(frame, system="model", where=f"model={name}", resamples=0) for name in "ab"
    ]
    for side, alone in zip(artifact.sides["confidence"], apart, strict=True):
        (variant,) = alone.document.confidence_variants.values()
        assert side.metrics["mean_loss"].value == variant.metrics["mean_loss"].value


def test_three_systems_of_one_input_are_compared_in_pairs_and_may_be_chosen() -> None:
    frame = pl.DataFrame(systems("a", "b", "c"))
    artifact = acumen.evaluate(frame, system="model", resamples=0).document
    assert artifact.systems == ["a", "b", "c"]
    pairs = artifact.comparison.pairs
    assert [(p.left, p.right) for p in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    two = ["model=c", "model=a"]
    artifact = acumen.evaluate(frame, system="model", where=two, resamples=0).document
    assert artifact.input_names == ["a", "c"]


def test_of_several_inputs_each_holds_one_system(tmp_path: Path) -> None:
    for name in ("x", "y"):
        pl.DataFrame(systems("a", "b")).write_csv(tmp_path / f"{name}.csv")
    with pytest.raises(UsageError, match=r"x.csv holds 2 systems \(a, b\).*--where model=a"):
        acumen.evaluate(tmp_path / "x.csv", tmp_path / "y.csv", system="model")


def test_one_system_is_evaluated() -> None:
    artifact = acumen.evaluate(pl.DataFrame(systems("a")), system="model", resamples=0).document
    assert not artifact.comparison.enabled


def test_the_page_says_the_command_that_reads_the_rows_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    pl.DataFrame(systems("a", "b")).write_csv(path)
    reading: dict[str, Any] = {"system": "model", "abstain": ["?", "no idea"], "strict": True}
    first = acumen.evaluate(path, **reading, resamples=0).document
    command = first.command
    assert command is not None
    assert command.count(str(path)) == 1
    output = tmp_path / "again.json"
    assert run([*shlex.split(command)[1:], "--output", str(output), "--quiet"]) == 0
    again = json.loads(output.read_text())
    assert again["command"] == command
    assert (
        again["confidence_variants"] == json.loads(first.model_dump_json())["confidence_variants"]
    )


def test_a_list_of_rows_needs_no_confidence_and_no_names_of_columns() -> None:
    rows = [{"case": c, "truth": c % 3, "prediction": (c + c % 2) % 3} for c in range(12)]
    overall: Any = acumen.evaluate(rows, resamples=0).document.overall
    assert overall["accuracy"].value == 0.5
