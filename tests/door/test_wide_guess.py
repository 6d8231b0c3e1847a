"""What stands side by side in a table is seen: items, systems, raters, cases; and proposed."""

from __future__ import annotations

import json
import shlex
from itertools import cycle
from pathlib import Path

import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError

CASES = 30
ITEMS = ("low_mood", "low_energy", "sleep")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def level(case: int, part: int) -> int:
    return (case * (part + 1) + case // 4 + part) % 4


def write(header: list[str], parts: int | None = None) -> str:
    """A wide table: in each column the level of its part, now and then another one."""
    lines = [",".join(header)]
    for case in range(CASES):
        cells = [f"c{case}"]
        for at, name in enumerate(header[1:]):
            true = level(case, at % (parts or len(ITEMS)))
            wrong = (case + at) % 5 == 0 and at >= (parts or len(ITEMS))
            cells.append(f"0.{case + 10}" if "conf" in name else str((true + wrong) % 4))
        lines.append(",".join(cells))
    Path("wide.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return "wide.csv"


def names(template: str, *who: str) -> list[str]:
    return [template.format(who=w, item=item) for w in who for item in ITEMS]


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (
            names("{who}_{item}", "gt", "gpt", "llama"),
            {"truth": "gt_{item}", "prediction": "{system}_{item}"},
        ),
        (
            names("{item}.{who}", "human", "gpt-4", "claude"),
            {"truth": "{item}.human", "prediction": "{item}.{system}"},
        ),
        (
            names("{who}_{item}", "human_rating", "ai_rating"),
            {"truth": "human_rating_{item}", "prediction": "ai_rating_{item}"},
        ),
        (
            names("{who} {item}", "anna", "ben", "gpt"),
            {"truth": "{rater} {item}", "prediction": "gpt {item}"},
        ),
        (
            names("{who}_{item}", "human1", "human2", "llm"),
            {"truth": "{rater}_{item}", "prediction": "llm_{item}"},
        ),
        (
            names("{who}_{item}", "true", "pred", "conf"),
            {"truth": "true_{item}", "prediction": "pred_{item}", "confidence": "conf_{item}"},
        ),
        (
            names("{item}_{who}", "human", "ai", "ai_conf"),
            {"truth": "{item}_human", "prediction": "{item}_ai", "confidence": "{item}_ai_conf"},
        ),
        (
            names("{who}_{item}", "gt", "gpt", "llama") + names("{who}_{item}_conf", "gpt"),
            {
                "truth": "gt_{item}",
                "prediction": "{system}_{item}",
                "confidence": "{system}_{item}_conf",
            },
        ),
    ],
)
def test_columns_side_by_side_are_proposed_as_templates(
    header: list[str], found: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(["patient", *header])
    survey = acumen.survey(path).document
    assert survey.columns == {"case": "patient", **found}
    assert (survey.cases, survey.items) == (CASES, len(ITEMS))
    assert {c.role for c in survey.details} == {"case", *found}  # each column is accounted for
    judged = len(header) - sum("conf" in name for name in header) - len(ITEMS)
    raters = 2 if "{rater}" in found["truth"] else 1
    assert survey.outcomes["answered"] == CASES * (judged if raters == 1 else raters * len(ITEMS))
    assert not survey.sure  # it is proposed, and taken when it is said
    assert run([path]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("acumen ")]
    assert lines
    for line in lines:
        assert run([*shlex.split(line)[1:], "--json"]) in (0, 1, 5), capsys.readouterr().err
    with pytest.raises(DataError) as refused:
        acumen.read(path)
    for role, template in found.items():
        if role != "confidence":
            assert f"--{role} '{template}'" in str(refused.value)


def test_a_form_with_a_column_for_each_case_is_proposed() -> None:
    header = [f"P{case} {who}" for case in range(6) for who in ("human", "ai")]
    lines = [",".join(["question", *header])]
    levels = cycle((1, 2, 3, 3, 2))
    lines += [",".join([f"q{row}", *(str(next(levels)) for _ in header)]) for row in range(5)]
    Path("form.csv").write_text("\n".join(lines) + "\n", "utf-8")
    survey = acumen.survey("form.csv").document
    assert survey.columns == {
        "truth": "{case} human",
        "prediction": "{case} ai",
        "item": "question",
    }
    assert (survey.cases, survey.items) == (6, 5)


def test_lists_and_objects_inside_of_rows_are_proposed() -> None:
    rows = [
        {"doc": k, "gold": [level(k, at) for at in range(3)], "pred": [level(k, 0)] * 3}
        for k in range(CASES)
    ]
    Path("lists.json").write_text(json.dumps(rows), "utf-8")
    assert acumen.survey("lists.json").document.columns == {
        "case": "doc",
        "truth": "gold[{item}]",
        "prediction": "pred[{item}]",
    }
    nested = [
        {who: {item: level(k, at) for at, item in enumerate(ITEMS)} for who in ("human", "model")}
        for k in range(CASES)
    ]
    survey = acumen.survey([{"doc": k, **row} for k, row in enumerate(nested)]).document
    assert survey.columns == {
        "case": "doc",
        "truth": "human.{item}",
        "prediction": "model.{item}",
    }
    assert survey.measurable["agreement"].command == (
        "acumen.evaluate(data, truth='human.{item}', prediction='model.{item}', case='doc')"
    )


def test_raters_and_systems_as_columns_are_known_by_their_names_and_that_they_agree() -> None:
    rows = ["id,anna,ben,shoe,gpt4,llama"]
    for case in range(60):
        true = level(case, 1)
        cells = (true, true if case % 6 else 3 - true, case // 7 % 4, true, (true + case % 2) % 4)
        rows.append(",".join(map(str, (case, *cells))))
    Path("people.csv").write_text("\n".join(rows) + "\n", "utf-8")
    survey = acumen.survey("people.csv").document
    assert survey.columns["truth"] == "anna,ben"  # shoe has the same numbers, and agrees with none
    assert survey.columns["prediction"] == "gpt4,llama"
    Path("gold.csv").write_text("\n".join(rows).replace("anna", "gold"), "utf-8")
    survey = acumen.survey("gold.csv").document
    assert (survey.columns["truth"], survey.columns["prediction"]) == ("gold", "gpt4,llama")


def test_a_system_without_a_confidence_stays(tmp_path: Path) -> None:
    header = names("{who}_{item}", "gt", "gpt", "llama") + names("{who}_{item}_conf", "gpt")
    table = acumen.read(
        write(["patient", *header]),
        truth="gt_{item}",
        prediction="{system}_{item}",
        confidence_column="{system}_{item}_conf",
    )
    assert table.system is not None
    assert {*table.system.values} == {"gpt", "llama"}


def test_names_that_share_a_word_and_no_levels_are_nothing_side_by_side() -> None:
    rows = [f"{k},{k % 3},{'abc'[k % 3]},{k % 3},{1000 + k}" for k in range(CASES)]
    header = "id,human_score,human_note,ai_score,ai_note"
    Path("plain.csv").write_text("\n".join([header, *rows]) + "\n", "utf-8")
    assert acumen.survey("plain.csv").document.columns == {
        "case": "id",
        "truth": "human_score",
        "prediction": "ai_score",
    }
