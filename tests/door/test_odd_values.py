"""Values that would be read as something that they are not: they are told, or refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import acumen
from acumen.errors import DataError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(*pairs: tuple[object, object], last: str = "") -> str:
    lines = ["id,gt,pred", *(f"{k},{t},{p}" for k, (t, p) in enumerate(pairs))]
    Path("t.csv").write_text("\n".join([*lines, last]) + "\n", "utf-8")
    return "t.csv"


PLAIN = [(1 + k % 5, 1 + (k + k % 2) % 5) for k in range(20)]


@pytest.mark.parametrize("text", [">3", "4 or 5", "<b>2</b>", "=1+1", "\u202e2", "1-2"])
def test_a_text_with_a_number_in_it_is_never_proposed_as_no_answer(text: str) -> None:
    for at, option in ((0, "--unanswerable"), (1, "--abstain")):
        pair: list[object] = [2, 2]
        pair[at] = text
        with pytest.raises(DataError) as refused:
            acumen.read(rows(*PLAIN, (pair[0], pair[1])))
        assert option not in str(refused.value)
        assert "line 22" in str(refused.value)


def test_a_word_for_a_level_is_never_proposed_as_no_answer() -> None:
    pairs = [("good", "good"), ("okay", "ok"), ("bad", "bad")]
    with pytest.raises(DataError) as refused:
        acumen.read(rows(*pairs))
    assert "--abstain" not in str(refused.value)
    with pytest.raises(DataError, match="--abstain 'no idea'"):
        acumen.read(rows(*pairs[::2], ("bad", "no idea")))


def test_scales_that_have_little_to_do_with_each_other_are_refused() -> None:
    for pairs in ([(t, 20 * p) for t, p in PLAIN], [(20 * t, p) for t, p in PLAIN]):
        with pytest.raises(DataError, match=r"are they on one scale\? .* --levels 0-100"):
            acumen.read(rows(*pairs))
    assert len(acumen.read(rows(*((t, 1) for t, _ in PLAIN)))) == 20  # one answer for all is one
    assert len(acumen.read(rows(*((20 * t, 20) for t, _ in PLAIN)))) == 20


def test_levels_that_are_one_apart_are_told() -> None:
    shifted = acumen.read(rows(*((t, p - 1) for t, p in PLAIN)))
    note = "the truth runs from 1 to 5, the prediction from 0 to 4: is one counted from 0?"
    assert note in shifted.warnings
    assert not any("counted from" in w for w in acumen.read(rows(*PLAIN)).warnings)
    named = acumen.read(rows(*((t, p - 1) for t, p in PLAIN)), levels="0-5")
    assert not any("counted from" in w for w in named.warnings)


def test_a_line_of_totals_among_numbers_is_told() -> None:
    assert any("line of totals" in w for w in acumen.read(rows(*PLAIN, last="Mean,3,3")).warnings)
    Path("names.csv").write_text("id,gt,pred\nTotal,1,1\nPart,2,2\n", "utf-8")
    assert not any("totals" in w for w in acumen.read("names.csv").warnings)


@pytest.mark.parametrize(
    ("begin", "kind"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old workbook of Excel"),
        (b"%PDF-1.4\n", "a PDF"),
        (b"\x80\x04\x95\x10", "a pickle of Python, which is never opened"),
        (b"$FL2@(#)", "a file of SPSS"),
        (b"\x93NUMPY\x01", "an array of NumPy"),
    ],
)
def test_a_file_that_is_no_table_is_called_by_its_kind(begin: bytes, kind: str) -> None:
    Path("f.csv").write_bytes(begin + b"\0" * 50)
    with pytest.raises(DataError, match=f"f.csv: is {kind}"):
        acumen.read("f.csv")


def test_a_key_in_two_spellings_is_told() -> None:
    rows = [{"case": k, ("Label" if k < 2 else "label"): k % 3, "prediction": 1} for k in range(9)]
    told = "a key is spelled in 2 ways, each a column: Label in 2 rows and label in 7 rows"
    for path, text in (
        ("rows.jsonl", "\n".join(map(json.dumps, rows))),
        ("rows.json", json.dumps(rows)),
    ):
        Path(path).write_text(text, "utf-8")
        assert told in acumen.read(path).warnings
    Path("rows.json").write_text(json.dumps([{**row, "label": 1, "Label": 1} for row in rows]))
    assert not [
        w for w in acumen.read("rows.json", truth="label", levels="0-2").warnings if "spelled" in w
    ]


def test_yaml_is_called_yaml() -> None:
    Path("rows.yaml").write_text("- case: 1\n  truth: 2\n", "utf-8")
    with pytest.raises(DataError, match=r"rows\.yaml: is YAML, and no table"):
        acumen.read("rows.yaml")


def test_one_column_is_no_table() -> None:
    Path("f.txt").write_text("id gt pred\n1 1 1\n2 2 2\n", "utf-8")
    with pytest.raises(DataError, match="has one column alone, id gt pred: is it a table"):
        acumen.read("f.txt")
