"""Scores of platforms: people's beside the judge's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.errors import DataError
from acumen.table.judgments import Judgments


def langfuse(case: int, source: str, value: Any, **more: Any) -> dict[str, Any]:
    """A row of Langfuse's scores, as its export to a bucket has them."""
    row = {"id": f"s{case}{source}", "timestamp": "2026-05-29 13:46:19.963000", "name": "quality"}
    row |= {"project_id": "p", "environment": "default", "trace_id": f"t{case}"}
    return row | {"source": source, "value": value, "data_type": "NUMERIC"} | more


def phoenix(case: int, kind: str, score: Any, **more: Any) -> dict[str, Any]:
    """A row of Phoenix's annotations of spans."""
    row = {"span_id": f"s{case}", "annotation_name": "quality", "annotator_kind": kind}
    return row | {"result": {"score": score, "label": None}} | more


def read(folder: Path, rows: list[dict[str, Any]], **reading: Any) -> Judgments:
    path = folder / "scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return acumen.read(path, **reading)


@pytest.mark.parametrize("score", [langfuse, phoenix])
def test_what_people_said_is_the_truth_of_what_the_judge_said(tmp_path: Path, score: Any) -> None:
    people, judge = ("ANNOTATION", "EVAL") if score is langfuse else ("HUMAN", "LLM")
    rows = [score(k, judge, 1 + k % 3) for k in range(6)]
    rows += [score(k, people, 1 + k % 2) for k in range(4)]
    rows += [score(9, people, 1), score(1, "API" if score is langfuse else "CODE", 1)]
    rows += [score(0, judge, 3)]  # asked again: the later one counts
    table = read(tmp_path, rows)
    assert table.items == ("quality",)
    levels = [table.scale.levels[rank] for rank in table.truth]
    answers = [table.scale.levels[rank] for rank in table.prediction]
    assert list(zip(levels, answers, strict=True)) == [(1, 3), (2, 2), (1, 3), (2, 1)]
    assert table.no_truth == 2
    told = " ".join(table.warnings)
    assert f"{people} is the truth, {judge} the prediction (6 scores by the judge)" in told
    assert "1 score by the judge replaced by a later one" in told
    assert "1 score by people left out" in told
    assert "1 score of another" in told


def test_several_people_are_raters_and_words_are_levels(tmp_path: Path) -> None:
    rows = [langfuse(k, "EVAL", None, string_value="good") for k in range(3)]
    for who in ("ann", "ben"):
        words = {"ann": "good", "ben": "poor"}
        rows += [
            langfuse(k, "ANNOTATION", None, string_value=words[who], author_user_id=who)
            for k in range(3)
        ]
    table = read(tmp_path, rows, levels="poor,good")
    assert table.rater is not None
    assert {*table.rater.values} == {"ann", "ben"}
    assert len(table) == 6


def test_csv_is_read_as_json_is_and_an_observation_is_a_case_of_its_own(tmp_path: Path) -> None:
    lines = ["trace_id,observation_id,name,source,value"]
    for part in ("o1", "o2"):
        lines += [f"t1,{part},tone,EVAL,{part[1]}", f"t1,{part},tone,ANNOTATION,1"]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n")
    table = acumen.read(path, levels="1-3")
    assert table.cases == ("t1 o1", "t1 o2")
    assert (table.truth.tolist(), table.prediction.tolist()) == ([0, 0], [0, 1])


def test_scores_of_a_judge_alone_are_no_such_table(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no column for"):
        read(tmp_path, [langfuse(k, "EVAL", 1 + k % 3) for k in range(6)])


def test_roles_that_are_named_win(tmp_path: Path) -> None:
    rows = [langfuse(k, s, 1 + k % 3, gold=2) for k in range(4) for s in ("EVAL", "ANNOTATION")]
    table = read(tmp_path, rows, case="id", truth="gold", prediction="value", levels="1-3")
    assert len(table) == 8
