"""Workbooks of Excel: what is read of them, and hostile ones."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

import acumen
from acumen.errors import DataError

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
HEADER: list[Any] = ["id", "gt", "pred"]
ROWS = [HEADER, *([7 + k, 1 + k % 5, 1 + k % 4] for k in range(10))]


def cell(value: Any) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return (
            value
            if value.startswith("<c")
            else f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        )
    return f"<c><v>{value!r}</v></c>"


def sheet(rows: Sequence[Sequence[Any]]) -> str:
    body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    return f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData></worksheet>'


def workbook(path: Path, sheets: Mapping[str, str], **members: str) -> Path:
    entries = "".join(
        f'<sheet name="{name}" sheetId="{k}" r:id="r{k}"/>' for k, name in enumerate(sheets)
    )
    targets = "".join(
        f'<Relationship Id="r{k}" Target="worksheets/sheet{k}.xml"/>' for k in range(len(sheets))
    )
    root = f'<workbook xmlns="{MAIN}" xmlns:r="{LINKS}">'
    parts = {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": f"{root}<sheets>{entries}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f"<Relationships>{targets}</Relationships>",
        **{f"xl/worksheets/sheet{k}.xml": text for k, text in enumerate(sheets.values())},
        **{name.replace("__", "/") + ".xml": text for name, text in members.items()},
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def test_the_first_sheet_with_a_table_is_read_and_others_are_told(tmp_path: Path) -> None:
    sheets = {"Notes": sheet([]), "Data": sheet(ROWS), "More": sheet([["x"], [1]])}
    table = acumen.read(workbook(tmp_path / "book.xlsx", sheets))
    assert table.cases == tuple(
        sorted(str(7 + k) for k in range(10))
    )  # ids as they are shown: no 7.0
    assert [table.scale.levels[rank] for rank in table.truth] == [1 + k % 5 for k in range(10)]
    assert table.line is not None
    assert table.line.tolist() == list(range(2, 12))
    assert "sheet Data is read; there is more in More" in table.warnings


def test_cells_of_every_kind(tmp_path: Path) -> None:
    shared = f'<sst xmlns="{MAIN}"><si><t>id</t></si><si><r><t>a</t></r><r><t>1</t></r></si></sst>'
    rows: list[list[Any]] = [
        ['<c t="s"><v>0</v></c>', "gt", "pred"],
        ['<c t="s"><v>1</v></c>', True, '<c t="e"><v>#N/A</v></c>'],
        [None, None, None],
        ['<c t="str"><f>A1&amp;2</f><v>a2</v></c>', False, '<c t="b"><v>1</v></c>'],
    ]
    path = workbook(tmp_path / "book.xlsx", {"S": sheet(rows)}, xl__sharedStrings=shared)
    table = acumen.read(path, levels=[False, True], abstain=[""])
    assert table.cases == ("a1", "a2")
    assert table.answered.tolist() == [False, True]
    assert table.line is not None
    assert table.line.tolist() == [2, 4]  # as the sheet numbers its rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet/>', "declares what no workbook needs"),
        (sheet([["id"], ['<c t="s"><v>9</v></c>']]), "cell A2: refers to a text that the workbook"),
        ("<worksheet><sheetData><row>", "is no XML that can be read"),
        ("<worksheet>" + "<a>" * 60 + "</a>" * 60 + "</worksheet>", "is nested too deep"),
        (sheet([]), "there are no rows in it"),
        (sheet([["id", "gt", "pred"]]), "there are no rows in it"),
        (sheet([["id", "id"], [1, 2]]), "line 1: column id is there twice"),
        (f'<worksheet xmlns="{MAIN}"><row r="2000000"><c><v>1</v></c></row></worksheet>', "larger"),
        ("<worksheet>" + " " * (100 << 20) + "</worksheet>", "is it a zip bomb"),
    ],
)
def test_a_hostile_or_broken_workbook_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        acumen.read(workbook(tmp_path / "book.xlsx", {"S": text}))


def test_a_zip_that_is_no_workbook_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as archive:
        archive.writestr("xl/other.xml", "<x/>")
    with pytest.raises(DataError, match="no workbook of Excel"):
        acumen.read(tmp_path / "x.xlsx")


def test_a_title_above_a_table_and_a_sheet_of_remarks_are_passed_over(tmp_path: Path) -> None:
    titled = workbook(tmp_path / "t.xlsx", {"Data": sheet([["My study"], [], *ROWS])})
    remarked = workbook(tmp_path / "r.xlsx", {"Notes": sheet([["Of 2026"]]), "Data": sheet(ROWS)})
    plain = acumen.read(workbook(tmp_path / "p.xlsx", {"Data": sheet(ROWS)}))
    for path, note in ((titled, "the table begins in row"), (remarked, "sheet Data is read")):
        table = acumen.read(path)
        assert table.truth.tolist() == plain.truth.tolist()
        assert any(warning.startswith(note) for warning in table.warnings)
