"""Tables as tools and people write them: titles, remarks, forms, nested rows, codes, replies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import acumen
from acumen.errors import DataError, UsageError

PLAIN = "id,human,ai\n" + "".join(f"{k},{k % 5 + 1},{(k + k % 3) % 5 + 1}\n" for k in range(20))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str) -> str:
    Path(name).write_text(text, "utf-8")
    return name


def same_as_plain(path: str) -> bool:
    ours, plain = acumen.read(path), acumen.read(write("plain.csv", PLAIN))
    rows = [list(zip(t.truth.tolist(), t.prediction.tolist(), strict=True)) for t in (ours, plain)]
    return rows[0] == rows[1] and list(ours.cases) == list(plain.cases)


@pytest.mark.parametrize(
    ("above", "line"),
    [("# exported by a tool\n# in 2026\n", 3), ("Study of the year\n\n", 3), ("A, B\n\n# x\n", 1)],
)
def test_what_stands_above_a_header_is_passed_over_and_told(above: str, line: int) -> None:
    path = write("t.csv", above + PLAIN)
    if line == 1:  # a first line of cells is a header, whatever they are
        with pytest.raises(DataError):
            acumen.read(path)
        return
    assert same_as_plain(path)
    assert f"the table begins in line {line}" in acumen.read(path).warnings[0]


def test_a_column_called_number_sign_is_a_header() -> None:
    table = acumen.read(write("n.csv", PLAIN.replace("id", "#", 1)), case="#")
    assert (len(table), len(table.cases)) == (20, 20)


def test_the_rows_of_qualtrics_that_say_what_columns_are_are_no_answers() -> None:
    head, *rows = PLAIN.splitlines()
    ids = ",".join(f'"{{""ImportId"":""QID{k}""}}"' for k in range(3))
    path = write("q.csv", "\n".join([head, "Response,How good?,AI", ids, *rows]) + "\n")
    assert same_as_plain(path)
    broken = path, "\n".join([head, "Response,How good?,AI", *rows]) + "\n"
    with pytest.raises(DataError, match="line 2"):
        acumen.read(write(*broken))


def test_a_table_as_in_a_page_of_text_is_one() -> None:
    head, *rows = (f"| {line.replace(',', ' | ')} |" for line in PLAIN.splitlines())
    assert same_as_plain(write("t.md", "\n".join([head, "|---|:--:|--:|", *rows]) + "\n"))


def test_a_form_whose_lines_are_truth_and_prediction_is_read_across() -> None:
    rows = [line.split(",") for line in PLAIN.splitlines()]
    turned = [",".join(cells) for cells in zip(*rows, strict=True)]
    turned[0] = turned[0].replace("id", "", 1)
    path = write("f.csv", "\n".join(turned).replace("human", "truth").replace("ai", "pred") + "\n")
    assert same_as_plain(path)
    assert "cases stand side by side" in acumen.read(path).warnings[0]


NESTED = [
    {"doc": f"d{k}", "items": [{"criterion": c, "gt": k % 4, "pred": (k + c) % 4} for c in (0, 1)]}
    for k in range(8)
]


@pytest.mark.parametrize("kind", ["list", "lines", "inside"])
def test_rows_inside_of_rows_are_named_in_the_refusal_and_read_so(kind: str) -> None:
    text, place = json.dumps(NESTED), "items[]"
    if kind == "lines":
        text = "\n".join(map(json.dumps, NESTED))
    elif kind == "inside":
        text, place = json.dumps({"run": {"docs": NESTED}}), "run.docs[].items[]"
    path = write("nested.json" if kind != "lines" else "nested.jsonl", text)
    with pytest.raises(DataError) as refused:
        acumen.read(path)
    assert f"--rows '{place}'" in str(refused.value)
    table = acumen.read(path, rows=place, case="doc")
    assert (len(table), len(table.cases), list(map(str, table.items))) == (16, 8, ["0", "1"])
    with pytest.raises(DataError, match="no rows at things"):
        acumen.read(path, rows="things[]")


def test_a_place_of_rows_is_for_json_alone() -> None:
    with pytest.raises(UsageError, match="--rows says where rows are in JSON, and this is CSV"):
        acumen.read(write("plain.csv", PLAIN), rows="items[]")


@pytest.mark.parametrize("code", [99, -1, 999, -9])
def test_a_code_for_no_answer_does_not_stretch_the_scale(code: int) -> None:
    rows = [f"{k},{k % 5 + 1},{code if k == 3 else k % 5 + 1}" for k in range(20)]
    path = write("c.csv", "\n".join(["id,truth,pred", *rows]) + "\n")
    with pytest.raises(DataError) as refused:
        acumen.read(path)
    assert f"--abstain {code}" in str(refused.value)
    assert acumen.survey(path).document.mapping["abstain"] == [str(code)]
    table = acumen.read(path, abstain=[str(code)])
    assert (table.outcomes["abstained"], list(table.scale.levels)) == (1, [1, 2, 3, 4, 5])
    often = [f"{k},{k % 5 + 1},{code if k % 4 == 0 else k % 5 + 1}" for k in range(20)]
    with pytest.raises(DataError) as refused:
        acumen.read(write("o.csv", "\n".join(["id,truth,pred", *often]) + "\n"))
    assert "--abstain" not in str(refused.value)  # so often, it may be what it says
    assert "--levels" in str(refused.value)


def test_a_code_in_a_truth_and_a_scale_up_to_a_hundred() -> None:
    rows = [f"{k},{99 if k == 2 else k % 5 + 1},{k % 5 + 1}" for k in range(20)]
    with pytest.raises(DataError, match=r"truth: 99 in 1 row .* --unanswerable 99"):
        acumen.read(write("t.csv", "\n".join(["id,truth,pred", *rows]) + "\n"))
    wide = [f"{k},{k * 5},{99 if k == 2 else k * 5}" for k in range(21)]
    assert max(acumen.read(write("w.csv", "\n".join(["id,truth,pred", *wide]) + "\n")).scale.levels)


def test_the_id_that_labels_are_joined_by_is_the_case() -> None:
    write("out.csv", "qid,judge\n" + "".join(f"q{k},{k % 5}\n" for k in range(12)))
    write("labels.csv", "qid,human\n" + "".join(f"q{k},{k % 5}\n" for k in range(9)))
    table = acumen.read("out.csv", label_files="labels.csv", on="qid")
    assert (len(table), table.no_truth, table.cases[0]) == (9, 3, "q0")


def test_replies_are_seen_in_a_column_by_a_word_in_its_name() -> None:
    rows = [
        {"id": k, "gold": k % 5 + 1, "judge_output": f"Fine.\nRating: {k % 5 + 1}"}
        for k in range(9)
    ]
    survey = acumen.survey(rows).document
    assert survey.columns == {"case": "id", "truth": "gold", "prediction": "judge_output"}
    assert survey.sure


def test_a_case_has_the_items_that_it_was_asked() -> None:
    items = ["a", "b", "c"]
    rows = []
    for k in range(6):
        levels = dict.fromkeys(items[: 1 + k % 3], k % 3)
        rows.append(
            {
                "participant_id": k,
                "success": True,
                "ground_truth_items": levels,
                "predicted_items": levels,
            }
        )
    path = write("ragged.jsonl", "\n".join(map(json.dumps, rows)))
    table = acumen.read(path)
    assert (len(table), len(table.cases), len(table.items)) == (12, 6, 3)
    rows[2]["predicted_items"] = {"a": 1}  # asked, as its truth says, and no answer there
    with pytest.raises(DataError, match="case 2, item b, predicted_items: lacks this item"):
        acumen.read(write("ragged.jsonl", "\n".join(map(json.dumps, rows))))
