"""The question and its command: what is drawn, what is refused, what is written."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.questions.marking import Marking

COLUMNS: dict[str, Any] = {"case": "doc", "item": "part", "prediction": "ai", "levels": "1-5"}


def rows(cases: int = 30) -> list[dict[str, Any]]:
    return [
        {
            "doc": f"d{c}",
            "part": f"p{r}",
            "ai": (c * 7 + r) % 5 + 1,
            "sure": (c * 37 + r * 11) % 100 / 100,
            "text": f"Text {c}, part {r}",
            "model": "gpt",
        }
        for c in range(cases)
        for r in range(c % 3 + 1)
    ]


def sampled(budget: int = 10, purpose: str = "estimate", **options: Any) -> Marking:
    given = COLUMNS | {"confidence_column": "sure"} | options
    sample = acumen.label(rows(), budget=budget, purpose=purpose, **given)
    assert isinstance(sample, Marking)
    return sample


def test_the_sample_says_what_was_drawn_and_with_what_chance() -> None:
    document = sampled().document
    assert (document.cases, document.rows, document.budget) == (30, 60, 10)
    assert len(document.drawn) == len({c.case for c in document.drawn}) == 10
    sizes = {f"d{c}": c % 3 + 1 for c in range(30)}
    assert all(c.rows == sizes[str(c.case)] for c in document.drawn)
    assert document.rows_drawn == sum(c.rows for c in document.drawn)
    assert not document.constant
    assert 1.0 < document.largest_weight <= 2.0
    assert document.columns == {"case": "doc", "item": "part"}


def test_the_command_that_takes_the_labels_is_printed_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my rows.json").write_text(json.dumps(rows()))
    line = "--budget 10 --for estimate --case doc --item part --prediction ai --levels 1-5"
    sure = ["--confidence-column", "sure", "-o", "SAMPLE.json"]
    assert run(["label", "my rows.json", *line.split(), *sure]) == 0
    told = " ".join(capsys.readouterr().out.split())
    command = told[told.index("acumen estimate") : told.index("SAMPLE.json") + len("SAMPLE.json")]
    drawn = json.loads((tmp_path / "SAMPLE.json").read_text())["drawn"]
    known = {case["case"] for case in drawn}
    labels = [f"{r['doc']},{r['part']},{r['ai']}" for r in rows() if r["doc"] in known]
    (tmp_path / "LABELS.csv").write_text("\n".join(["doc,part,label", *labels]))
    assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    assert "would give all of them" in capsys.readouterr().out


def test_rows_that_no_column_tells_apart_are_refused() -> None:
    own = [{"item" if k == "part" else k: v for k, v in row.items()} for row in rows()]
    columns = COLUMNS | {
        "item": None
    }  # a reader finds it by its name, and labels go by what is said
    with pytest.raises(DataError, match=r"another row has the same doc: .* --item COLUMN") as error:
        acumen.label(own, budget=10, purpose="rate", **columns)
    assert "case d1, item p0" in str(error.value)


def test_all_cases_have_the_same_chance_where_nothing_tells_them_apart() -> None:
    samples = sampled(purpose="rate"), sampled(purpose="threshold"), sampled(confidence_column=None)
    for sample in samples:
        assert sample.document.constant
        assert {c.inclusion for c in sample.document.drawn} == {1 / 3}


def test_the_same_seed_draws_the_same_cases_of_rows_in_any_order() -> None:
    again = acumen.label(
        rows()[::-1], budget=10, purpose="estimate", confidence_column="sure", **COLUMNS
    )
    assert again.document.fingerprint == sampled().document.fingerprint
    assert sampled(seed=1).document.fingerprint != sampled().document.fingerprint


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"purpose": "fun"}, "labels are for estimate, threshold, rate, not for 'fun'"),
        ({"case": None}, "say which column holds the ids that labels go by: --case"),
        ({"prediction": None}, "which column is the judge's? say the one"),
        ({"show": ["text", "ai"]}, "people label without knowing what the judge said: ai is its"),
        ({"show": "sure"}, "sure is its"),
        ({"delta": 1.0}, "the delta must lie between 0 and 1"),
        ({"confidence_level": 0.0}, "the confidence level must lie between 0 and 1"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        sampled(**options)


@pytest.mark.parametrize("budget", [0, 1, 31, 1000])
def test_a_budget_beyond_the_cases_is_refused_with_how_many_there_are(budget: int) -> None:
    message = f"the budget is {budget}, and there are 30 cases: give from 2 to 30"
    with pytest.raises(DataError, match=message):
        sampled(budget)


def test_a_column_of_the_rows_may_not_be_called_as_one_of_the_labels() -> None:
    renamed = [{**row, "rater": row["doc"]} for row in rows()]
    with pytest.raises(UsageError, match="labels have a column rater of their own"):
        acumen.label(renamed, budget=5, purpose="rate", **{**COLUMNS, "case": "rater"})


def test_a_row_without_an_id_is_told_with_its_place() -> None:
    broken = [*rows(), {"doc": None, "part": "p0", "ai": 1, "sure": 0.5, "text": ""}]
    with pytest.raises(
        DataError, match="item p0, case: must be a whole number or a text, not null"
    ):
        acumen.label(broken, budget=5, purpose="rate", **COLUMNS)


def test_the_page_shows_what_was_asked_for_and_nothing_of_the_judge() -> None:
    secret = [row | {"ai": 4, "sure": 0.8125} for row in rows()]
    options = COLUMNS | {"confidence_column": "sure", "show": "text", "system": "model"}
    sample = acumen.label(secret, budget=10, purpose="rate", **options)
    assert isinstance(sample, Marking)
    page = sample.page()
    task = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert "0.8125" not in page
    drawn = {str(case.case) for case in sample.document.drawn}
    assert {row["names"][0] for row in task["rows"]} == drawn
    assert [*task["rows"][0]] == ["names", "texts", "inclusion"]
    assert task["columns"] == ["doc", "part", "model"]
    assert task["seen"] == [True, True, False]  # nor is whose answer it is
    texts = {(row["doc"], row["part"]): row["text"] for row in secret}
    assert all(row["texts"] == [texts[*row["names"][:2]]] for row in task["rows"])


def test_the_document_holds_no_text_of_a_case() -> None:
    assert "Text" not in sampled(show="text").to_json()


def test_a_page_needs_something_to_read() -> None:
    with pytest.raises(UsageError, match="what shall people read"):
        sampled().page()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with open("judged.csv", "w", newline="") as stream:
        writer = csv.DictWriter(stream, [*rows()[0]])
        writer.writeheader()
        writer.writerows(rows())
    return tmp_path


LINE = "label judged.csv --budget 10 --for rate --case doc --item part --prediction ai --levels 1-5"


def test_the_command_writes_the_sample_and_the_page(folder: Path) -> None:
    (folder / "guide.txt").write_text("Be <b>fair</b>.\n")
    line = f"{LINE} --show text --guidelines guide.txt --page mark.html -o sample.json"
    assert run(line.split()) == 0
    document = json.loads((folder / "sample.json").read_text())
    assert document["kind"] == "sample"
    assert document["command"].startswith("acumen label judged.csv --budget 10 --for rate")
    page = (folder / "mark.html").read_text()
    assert document["fingerprint"] in page
    assert "<b>fair" not in page
    assert run(["show", "sample.json"]) == 0


def test_nothing_is_written_where_the_page_cannot_be(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*LINE.split(), "--page", "mark.html", "-o", "sample.json"]) == 2
    assert "what shall people read? say the columns: --show COLUMN" in capsys.readouterr().err
    (folder / "empty.txt").write_text(" \n")
    words = ["--show", "text", "--guidelines", "empty.txt", "--page", "mark.html"]
    assert run([*LINE.split(), *words, "-o", "sample.json"]) == 3
    assert "empty.txt: there are no guidelines in it" in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["empty.txt", "judged.csv"]


def test_a_page_may_not_overwrite_the_rows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / "judged.csv").read_bytes()
    assert run([*LINE.split(), "--show", "text", "--page", "judged.csv"]) == 2
    assert (folder / "judged.csv").read_bytes() == before
    assert "--page" in capsys.readouterr().err
