"""Mappings that ship: each is sound, is found by its name, and reads what its tool writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acumen import read
from acumen.errors import UsageError
from acumen.files.toml import shipped
from acumen.readers.formats import FORMATS
from acumen.readers.mapping import find_mapping

NAMES = shipped("acumen.readers.mappings")


def test_every_tool_that_needs_no_code_has_one() -> None:
    tools = {"autorubric", "deepeval", "mlflow", "openai-evals", "mt-bench", "every-eval-ever"}
    assert set(NAMES) == tools | {"inspect", "lm-eval", "promptfoo", "label-studio"}


@pytest.mark.parametrize("name", NAMES)
def test_it_is_sound_and_names_a_format_that_there_is(name: str) -> None:
    mapping = find_mapping(name)
    assert mapping["columns"]["case"]
    assert mapping.get("format", "csv") in FORMATS


def test_one_that_does_not_ship_is_answered_with_those_that_do() -> None:
    with pytest.raises(UsageError, match="deepeval, every-eval-ever"):
        find_mapping("deepval")


def instance(number: int, reference: str, value: Any, error: str | None = None) -> dict[str, Any]:
    """A line as the schema of instance-level results has it."""
    return {
        "schema_version": "instance_level_eval_0.2.0",
        "evaluation_id": "e",
        "model_id": "org/model",
        "evaluation_name": "stars",
        "sample_id": f"s{number}",
        "interaction_type": "single_turn",
        "input": {"raw": "Rate", "reference": [reference]},
        "output": {"raw": str(value)},
        "answer_attribution": [{"turn_idx": 0, "extracted_value": value}] if not error else [],
        "evaluation": {"score": 0.0, "is_correct": False},
        "error": error,
    }


def test_every_eval_ever_worked_out_by_hand(tmp_path: Path) -> None:
    lines = [
        instance(0, "1", "3"),
        instance(1, "4", "4"),
        instance(2, "5", None),
        instance(3, "2", None, error="timeout"),
    ]
    path = tmp_path / "instances.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    table = read(path, mapping="every-eval-ever")
    assert table.scale.levels == (1, 2, 3, 4, 5)
    counts = {name: n for name, n in table.outcomes.items() if n}
    assert counts == {"answered": 2, "unparseable": 1, "failed": 1}
    assert (table.prediction - table.truth)[table.answered].tolist() == [2, 0]
    assert table.system is not None
    assert table.system.values == ("org/model",)


def test_a_grader_that_crashed_is_no_failure_of_the_system(tmp_path: Path) -> None:
    def row(test: int, output: str | None, **more: Any) -> dict[str, Any]:
        reply = {} if output is None else {"response": {"output": output}}
        return {
            "testIdx": test,
            "promptIdx": 0,
            "vars": {"case": f"c{test}", "human": 1 + test % 3},
            "provider": {"id": "p"},
            "prompt": {"label": "Rate"},
            "failureReason": 0,
            **reply,
            **more,
        }

    crash = "Error: boom\n    at runAssertion (/app/dist/src/assertions/index.js:10)"
    rows = [
        row(0, "1"),
        row(1, "2", failureReason=1, error="off by 1"),
        row(2, None, failureReason=2, error=crash),
        row(3, None, failureReason=2, error="Error: 529 Overloaded"),
        row(4, "3", gradingResult={"metadata": {"graderError": "no JSON"}}),
    ]
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"evalId": "e", "results": {"results": rows}}))
    table = read(path)
    counts = {name: n for name, n in table.outcomes.items() if n}
    assert counts == {"answered": 2, "unscored": 2, "failed": 1}
