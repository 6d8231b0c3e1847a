"""Wide tables: items, systems, raters, cases and repeats as columns, by templates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.errors import DataError, UsageError
from acumen.table.judgments import NO_PREDICTION, NO_TRUTH, Judgments


def write(path: Path, text: str) -> Path:
    path.write_text(text.strip() + "\n", "utf-8")
    return path


WIDE = """
id,gt_sleep,gt_low_mood,gpt_sleep,gpt_low_mood,llama_sleep,llama_low_mood,gpt_sleep_conf
1,2,0,2,1,1,0,.9
2,1,3,1,3,2,,.8
3,,2,0,2,0,3,.1
4,,,,,,,
"""


def rows(table: Judgments) -> set[tuple[Any, ...]]:
    """The rows of a table, by what they say."""
    systems = table.system
    return {
        (
            table.cases[table.case[k]],
            table.items[table.item[k]],
            None if systems is None else systems.values[systems.codes[k]],
            None if table.truth[k] == NO_TRUTH else table.scale.levels[table.truth[k]],
            None
            if table.prediction[k] == NO_PREDICTION
            else table.scale.levels[table.prediction[k]],
        )
        for k in range(len(table))
    }


def test_items_and_systems_as_columns_are_rows_of_their_own(tmp_path: Path) -> None:
    path = write(tmp_path / "w.csv", WIDE)
    table = acumen.read(path, truth="gt_{item}", prediction="{system}_{item}")
    assert rows(table) == {
        ("1", "sleep", "gpt", 2, 2),
        ("1", "sleep", "llama", 2, 1),
        ("1", "low_mood", "gpt", 0, 1),
        ("1", "low_mood", "llama", 0, 0),
        ("2", "sleep", "gpt", 1, 1),
        ("2", "sleep", "llama", 1, 2),
        ("2", "low_mood", "gpt", 3, 3),
        ("2", "low_mood", "llama", 3, None),  # judged, and no answer came
        ("3", "low_mood", "gpt", 2, 2),
        ("3", "low_mood", "llama", 2, 3),
    }
    # of 3, sleep has two predictions and no truth; of 4 there is nothing at all
    assert (table.no_truth, len(table.cases)) == (2, 3)
    assert any("4 places of the wide table hold nothing" in w for w in table.warnings)


def test_a_confidence_by_parts_belongs_to_its_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "w.csv", WIDE)
    table = acumen.read(
        path,
        truth="gt_{item}",
        prediction="{system}_{item}",
        confidence_column="{system}_{item}_conf",
    )
    number = table.signals["confidence"].values
    assert sorted(number[~(number != number)].tolist()) == [0.8, 0.9]
    assert any("is not there: gpt_low_mood_conf" in warning for warning in table.warnings)


def test_raters_as_columns_by_a_template_are_those_by_their_names(tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", "id,r_ann,r_ben,ai\n1,1,2,1\n2,3,,3\n3,2,2,1\n")
    ours = acumen.read(path, truth="r_{rater}", prediction="ai")
    named = acumen.read(path, truth="r_ann,r_ben", prediction="ai")
    assert len(ours) == len(named) == 5
    assert sorted(ours.truth.tolist()) == sorted(named.truth.tolist())
    assert ours.rater is not None
    assert {*ours.rater.values} == {"ann", "ben"}


def test_a_form_has_cases_as_columns(tmp_path: Path) -> None:
    text = "question,P1 human,P1 ai,P2 human,P2 ai\nq1,1,1,2,3\nq2,3,2,,1\n"
    table = acumen.read(
        write(tmp_path / "f.csv", text),
        item="question",
        truth="{case} human",
        prediction="{case} ai",
    )
    assert rows(table) == {
        ("P1", "q1", None, 1, 1),
        ("P1", "q2", None, 3, 2),
        ("P2", "q1", None, 2, 3),
    }


def test_lists_and_objects_inside_of_rows_are_items(tmp_path: Path) -> None:
    lists = [{"id": 1, "gold": [1, 2], "pred": [1, 3]}, {"id": 2, "gold": [3], "pred": [2]}]
    path = write(tmp_path / "l.json", json.dumps(lists))
    table = acumen.read(path, truth="gold[{item}]", prediction="pred[{item}]")
    assert rows(table) == {(1, "0", None, 1, 1), (1, "1", None, 2, 3), (2, "0", None, 3, 2)}
    objects = [{"id": 1, "gt": {"a": 1, "b": 2}, "ai": {"a": {"v": 1}, "b": {"v": 3}}}]
    path = write(tmp_path / "o.json", json.dumps(objects))
    table = acumen.read(path, truth="gt.{item}", prediction="ai.{item}.v", levels="1-3")
    assert rows(table) == {(1, "a", None, 1, 1), (1, "b", None, 2, 3)}


def test_predictions_side_by_side_may_each_have_a_confidence(tmp_path: Path) -> None:
    text = "id,truth,a,b,ca,cb\n1,1,1,2,.9,.1\n2,2,2,2,.8,.2\n3,3,1,3,.7,.3\n"
    path = write(tmp_path / "p.csv", text)
    table = acumen.read(path, prediction="a,b", confidence_column="ca,cb")
    assert table.system is not None
    by_system = {
        name: table.of_system(name).signals["confidence"].values.tolist() for name in ("a", "b")
    }
    assert by_system == {"a": [0.9, 0.8, 0.7], "b": [0.1, 0.2, 0.3]}
    with pytest.raises(UsageError, match="2 confidences for 1"):
        acumen.read(path, prediction="a", confidence_column="ca,cb")


def test_the_same_numbers_come_of_a_long_table(tmp_path: Path) -> None:
    path, how = write(tmp_path / "w.csv", WIDE), {"loss": "abs", "resamples": 0}
    wide = acumen.evaluate(path, truth="gt_{item}", prediction="gpt_{item}", **how)  # type: ignore[arg-type]
    long = write(
        tmp_path / "l.csv",
        "id,item,truth,prediction\n1,sleep,2,2\n1,low_mood,0,1\n2,sleep,1,1\n2,low_mood,3,3\n"
        "3,sleep,,0\n3,low_mood,2,2\n",
    )
    same = acumen.evaluate(long, levels="0-3", **how)  # type: ignore[arg-type]
    assert wide["mean_loss"].value == same["mean_loss"].value == 0.2
    assert wide.document.population.outcomes == same.document.population.outcomes


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"truth": "gt_{item}", "prediction": "gpt_sleep"}, r"{item} stands in the truth"),
        ({"truth": "gt_{symptom}", "prediction": "gpt_sleep"}, r"no {symptom} in a template"),
        ({"truth": "gt_{item}", "prediction": "{rater}_{item}"}, "{rater} belongs into the truth"),
        (
            {"truth": "gt_{item}", "prediction": "gpt_{item}", "item": "id"},
            "{item} stands in a template, and a column is the item",
        ),
        ({"truth": "gt_sleep", "prediction": "gpt_sleep", "case": "i{item}"}, "the case is one"),
    ],
)
def test_templates_that_cannot_be_meant_are_refused(
    tmp_path: Path, said: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        acumen.read(write(tmp_path / "w.csv", WIDE), **said)  # type: ignore[arg-type]


def test_a_template_that_nothing_fits_names_the_columns(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no column fits truth_{item}; there are id, gt_sleep"):
        acumen.read(write(tmp_path / "w.csv", WIDE), truth="truth_{item}", prediction="gpt_{item}")


def test_a_column_of_that_very_name_is_no_template(tmp_path: Path) -> None:
    path = write(tmp_path / "n.csv", "id,{item},pred\n1,1,1\n2,2,2\n")
    assert acumen.read(path, truth="{item}", prediction="pred").truth.tolist() == [0, 1]


def test_a_frame_may_be_wide(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(write(tmp_path / "w.csv", WIDE))
    ours = acumen.from_frame(frame, truth="gt_{item}", prediction="{system}_{item}")
    text = acumen.read(tmp_path / "w.csv", truth="gt_{item}", prediction="{system}_{item}")
    assert {(str(c), *rest) for c, *rest in rows(ours)} == rows(text)


def test_templates_are_not_for_engines(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    with pytest.raises(UsageError, match="not where rows stay in an engine"):
        acumen.measure(
            str(write(tmp_path / "w.csv", WIDE)),
            engine="polars",
            truth="gt_{item}",
            prediction="gpt_{item}",
        )
