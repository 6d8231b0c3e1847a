"""Samples of the LM Evaluation Harness: which line counts, what choices say, how truth is meant."""

from __future__ import annotations

import json
import math
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from acumen.errors import DataError
from acumen.readers.content import Content, load
from acumen.readers.formats import format_of
from acumen.readers.lm_eval import UNSETTLED, read_lm_eval
from acumen.readers.records import Records

SAMPLES = Path(__file__).parents[1] / "samples"


def read_text(*lines: dict[str, Any]) -> Records:
    data = "\n".join(json.dumps(line) for line in lines).encode()
    return read_lm_eval(Content("samples_x.jsonl", BytesIO(data)))


def choice_line(
    target: str, logs: list[str], labels: list[str], number: int = 0, acc: float | None = None
) -> dict[str, Any]:
    line = {
        "doc_id": number,
        "doc": {},
        "target": target,
        "arguments": {f"gen_args_{k}": {"arg_0": "?", "arg_1": x} for k, x in enumerate(labels)},
        "filtered_resps": [[log, "False"] for log in logs],
        "filter": "none",
    }
    return line if acc is None else line | {"acc": acc}


STARS = [" 1", " 2", " 3", " 4", " 5"]


@pytest.mark.parametrize("name", ["severity_mc", "stars_gen", "stars_gen_dummy"])
def test_samples_and_results_are_told_by_their_content(name: str) -> None:
    for file in (f"samples_{name}.jsonl", f"results_{name}.json"):
        data = load(SAMPLES / file).data
        assert format_of(Content("rows", BytesIO(data)).head) == "lm-eval"


def test_results_without_rows_point_at_the_samples() -> None:
    with pytest.raises(DataError, match=r"no rows: give the file samples_TASK_DATE\.jsonl"):
        read_lm_eval(load(SAMPLES / "results_stars_gen.json"))


def test_what_choices_say_worked_out_by_hand() -> None:
    # shares 1/2, 1/4, 1/4
    logs = [str(math.log(p)) for p in (0.25, 0.5, 0.25)]
    records = read_text(choice_line("1", logs, [" low", " mid", " high"], acc=1.0))
    choice = records.rows[0]["choice"]
    assert choice["label"] == "mid"
    assert choice["max"] == pytest.approx(0.5, abs=1e-15)
    assert choice["margin"] == pytest.approx(0.25, abs=1e-15)
    assert choice["entropy"] == pytest.approx(1.5 * math.log(2), abs=1e-15)
    assert choice["expected"] == pytest.approx(1.0, abs=1e-15)
    assert records.mapping["levels"] == ["low", "mid", "high"]


def test_log_probabilities_far_below_are_shares_of_nothing() -> None:
    records = read_text(choice_line("0", ["-1000", "-inf", "-1002"], ["a", "b", "c"], acc=1.0))
    choice = records.rows[0]["choice"]
    assert choice["max"] == pytest.approx(1 / (1 + math.exp(-2)), abs=1e-15)
    assert choice["entropy"] > 0


def test_a_tie_is_won_by_the_first_choice_as_in_the_tool() -> None:
    records = read_text(choice_line("0", ["-1", "-1"], ["a", "b"], acc=1.0))
    assert records.rows[0]["choice"]["label"] == "a"


def truths(records: Records) -> list[Any]:
    key = records.mapping["columns"]["truth"].removeprefix("choice.")
    return [row["choice"][key] for row in records.rows]


def test_the_accuracy_of_the_lines_says_whether_a_target_is_an_index_or_a_label() -> None:
    best = ["-3", "-3", "-3", "-1", "-3"]  # the fourth choice, "4"
    by_index = read_text(choice_line("3", best, STARS, acc=1.0))
    assert truths(by_index) == ["4"]
    by_text = read_text(choice_line("3", best, STARS, acc=0.0))
    assert truths(by_text) == ["3"]
    # a line that both readings fit is settled by another that only one fits
    both = choice_line("1", best, STARS, 0, acc=0.0)
    assert truths(read_text(both, choice_line("4", best, STARS, 1, acc=1.0))) == ["1", "4"]
    assert truths(read_text(both, choice_line("3", best, STARS, 1, acc=1.0))) == ["2", "4"]


def test_a_target_that_nothing_settles_is_no_truth_and_that_is_told() -> None:
    records = read_text(choice_line("1", ["-3", "-3", "-3", "-1", "-3"], STARS, acc=0.0))
    assert "truth" not in records.mapping["columns"]
    assert UNSETTLED in records.warnings
    assert records.rows[0]["choice"]["by_index"] == "2"
    assert records.rows[0]["choice"]["by_text"] == "1"


def test_labels_that_are_no_numbers_need_no_accuracy() -> None:
    assert truths(read_text(choice_line("b", ["-1", "-2"], ["a", "b"]))) == ["b"]
    assert truths(read_text(choice_line("1", ["-1", "-2"], ["a", "b"]))) == ["b"]


def test_the_last_line_of_a_document_counts_and_that_is_told() -> None:
    lines = [choice_line("0", ["-1", "-2"], ["a", "b"], number=n) for n in (0, 1)]
    again = choice_line("0", ["-2", "-1"], ["a", "b"], number=0)
    records = read_text(*lines, again)
    assert [(r["doc_id"], r["choice"]["label"]) for r in records.rows] == [(0, "b"), (1, "a")]
    assert list(records.lines or ()) == [3, 2]
    assert records.warnings == ("1 line came again for the same document: the last one counts",)


def test_filters_are_kept_apart_until_one_is_chosen() -> None:
    records = read_lm_eval(load(SAMPLES / "samples_stars_gen.jsonl"))
    assert len(records) == 48
    assert records.one_of == {"filter": ("strict-match", "flexible-extract")}


def test_documents_of_one_case_are_its_items() -> None:
    line = choice_line("0", ["-1", "-2"], ["a", "b"])
    own = read_text(line | {"doc": {"patient": 1}}).mapping["columns"]
    assert (own["case"], own["item"]) == ("doc.patient", "doc_id")
    bare = read_text(line).mapping["columns"]
    assert bare["case"] == "doc_id"
    assert "item" not in bare


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (choice_line("0", ["x", "-1"], ["a", "b"]), "line 1: the text 'x' where the log-prob"),
        (choice_line("0", ["nan", "-1"], ["a", "b"]), "the text 'nan' where"),
        (choice_line("0", ["inf", "-1"], ["a", "b"]), "the text 'inf' where"),
        (choice_line("0", ["-inf", "-inf"], ["a", "b"]), "every choice has the probability 0"),
        (choice_line("0", ["-1", "-2"], ["a", "a"]), "missing or repeat"),
        (choice_line("0", ["-1", "-2"], ["a", ""]), "missing or repeat"),
        (choice_line("0", ["-1"], ["a"]), "missing or repeat"),
        (choice_line("7", ["-1", "-2"], ["a", "b"]), "target: is neither the index nor the text"),
        (choice_line("0", ["-1", "-2"], ["a", "b"], acc=0.0), "target: is neither"),
    ],
)
def test_what_is_no_line_of_choices_is_refused(line: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_text(line)
