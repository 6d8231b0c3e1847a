"""A screen has room for the answer whatever was asked; what is left out is named."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.questions.evaluation import Evaluation
from acumen.report.blocks import Block, Cell, Detail, Notes, Paragraph, Section, Table, Warnings
from acumen.report.blocks import Note as Remark
from acumen.report.screenful import LINES, MOST_ROWS, screenful
from acumen.report.sections import sections_of
from acumen.report.terminal import height, render

ROWS = 60
MOST_OF_TWO = 32
"""Lines of one system or two."""
MOST = 40
"""Lines of anything."""


def study(
    systems: int, levels: int = 5, groups: int = 0, *, sure: bool = True, **options: Any
) -> Evaluation:
    """Systems of rising error on the same rows, a tenth of them left open."""
    rng = np.random.default_rng(levels)
    truth = rng.integers(0, levels, ROWS)
    tables: dict[str, Any] = {}
    for at in range(systems):
        confidence = rng.random(ROWS).round(2)
        right = rng.random(ROWS) < (0.4 + 0.5 * confidence) * (1 - 0.3 * at / systems)
        extra: dict[str, Any] = {"confidence": confidence.tolist()} if sure else {}
        if groups:
            extra["groups"] = {"group": [f"g{k % groups}" for k in range(ROWS)]}
        given = np.where(right, truth, rng.integers(0, levels, ROWS)).tolist()
        tables[f"system {at}"] = acumen.from_columns(
            case=range(ROWS),
            truth=truth.tolist(),
            prediction=[None if rng.random() < 0.1 else level for level in given],
            scale=list(range(levels)),
            **extra,
        )
    by: dict[str, Any] = {"by": "group"} if groups else {}
    alone = next(iter(tables.values()))
    return acumen.evaluate(alone if systems == 1 else tables, resamples=0, **by, **options)


STUDIES: dict[str, dict[str, Any]] = {
    "one": {"systems": 1},
    "two": {"systems": 2},
    "three": {"systems": 3},
    "six": {"systems": 6},
    "twelve": {"systems": 12},
    "a hundred": {"systems": 100},
    "two levels": {"systems": 1, "levels": 2},
    "101 levels": {"systems": 1, "levels": 101},
    "two of 101 levels": {"systems": 2, "levels": 101},
    "one without a confidence": {"systems": 1, "sure": False},
    "two without a confidence": {"systems": 2, "sure": False},
    "six without a confidence": {"systems": 6, "sure": False},
    "one by three groups": {"systems": 1, "groups": 3},
    "two by three groups": {"systems": 2, "groups": 3},
    "one by thirty groups": {"systems": 1, "groups": 30},
    "six by six groups": {"systems": 6, "groups": 6},
}


@cache
def of(name: str) -> Evaluation:
    return study(**STUDIES[name])


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", STUDIES)
def test_an_evaluation_fits_a_screen(name: str, width: int) -> None:
    text = render(of(name).sections(), width=width)
    lines = text.splitlines()
    is_small = STUDIES[name]["systems"] <= 2 and not STUDIES[name].get("groups")
    assert len(lines) <= (MOST_OF_TWO if is_small else MOST), text
    assert max(map(len, lines)) <= width
    assert "--full" in text


@pytest.mark.parametrize("name", ["a hundred", "one by thirty groups"])
def test_a_long_table_ends_in_how_many_more_there_are(name: str) -> None:
    sections = of(name).sections()
    (table, note), *_ = [
        (block, after)
        for section in sections
        for block, after in zip(section.blocks, section.blocks[1:], strict=False)
        if isinstance(block, Table) and isinstance(after, Paragraph) and "more" in after.text
    ]
    all_rows = 100 if name == "a hundred" else 30
    assert note.text == f"and {all_rows - len(table.rows)} more: --full"
    whole = render(sections_of(of(name).brief, fit=False), width=120)
    assert "more: --full" not in whole


def test_the_answer_is_read_first() -> None:
    firsts = {name: repr(of(name)).splitlines()[0] for name in ("one", "two", "six")}
    assert firsts["one"].startswith("It answers ")
    assert firsts["two"].startswith("At equal coverage (")
    assert firsts["six"].startswith("By risk at equal coverage (")


def test_the_full_text_begins_as_the_screen_does() -> None:
    keys = [section.key for section in sections_of(of("two").brief, fit=False)]
    assert keys[0] == "compared"
    assert keys.index("compared") < keys.index("right") < keys.index("judged")


def test_programs_get_every_row_whatever_a_screen_shows() -> None:
    text = of("a hundred").to_csv()
    assert {f"system {k}" for k in range(100)} <= set(re.split("[,\n]", text))


def table(rows: int) -> Table:
    return Table("", ("a", "b"), tuple((Cell(str(k)), Cell("1", 1)) for k in range(rows)))


def test_tables_are_cut_evenly_until_they_fit_and_sections_go_last() -> None:
    sections = [
        Section(f"s{k}", f"Section {k}", (table(rows),)) for k, rows in enumerate((30, 6, 20))
    ]
    fitted = screenful(sections, lines=34)
    assert height(fitted) <= 34
    assert [section.key for section in fitted] == ["s0", "s1", "s2"]
    tight = screenful(sections, lines=18)
    assert [section.key for section in tight] == ["s0", "s1", "more"]
    (block,) = tight[-1].blocks
    assert isinstance(block, Paragraph)
    assert block.text == "Section 2: --full"


def test_an_answer_and_warnings_are_never_left_out_and_remarks_go_first() -> None:
    answer = Section("answer", "", (table(40),), Detail.ANSWER, "It is so.")
    remarks = Notes(tuple(Remark(f"note {k}") for k in range(9)))
    notes = Section("notes", "What to know", (remarks, Warnings(("mind this",))))
    middle = Section("middle", "Middle", (table(3),))
    tight = screenful([notes, middle, answer], lines=18)
    assert [section.key for section in tight] == ["answer", "middle", "notes", "more"]
    assert tight[2].blocks == (Warnings(("mind this",)),)
    keys = [section.key for section in screenful([notes, middle, answer], lines=6)]
    assert keys == ["answer", "notes", "more"]


def test_one_row_more_is_no_reason_to_cut() -> None:
    (section,) = screenful([Section("s", "S", (table(MOST_ROWS + 1),))])
    assert section.blocks == (table(MOST_ROWS + 1),)
    assert LINES < MOST


def test_the_height_is_that_of_the_text() -> None:
    parts: list[Section | Block] = [
        Paragraph("words " * 40),
        table(5),
        Section("s", "Heading", (table(2), Paragraph("a\nb"))),
    ]
    assert height(parts) == len(render(parts).splitlines()) + 1


@pytest.mark.parametrize("is_demo", [False, True])
@pytest.mark.parametrize("width", [80, 120])
def test_a_folder_of_documents_is_shown_on_one_screen(
    tmp_path: Path,
    width: int,
    is_demo: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for at in range(0 if is_demo else 15):
        rows = [
            {"case": n, "truth": n % 4, "pred": (n + n // 9) % 4, "confidence": n % 7 / 7}
            for n in range(40 + at)
        ]
        acumen.evaluate(rows, resamples=0).write(tmp_path / f"metrics_{at}.json")
    if is_demo:
        assert run(["demo", str(tmp_path), "--bootstrap-resamples", "20"]) == 0
        capsys.readouterr()
    assert run(["show", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= LINES + 2
    if not is_demo:
        assert any(re.fullmatch(r"and \d+ more: --full", line) for line in lines)
    assert "more documents; one of them: acumen show FILE; all of each: --full" in lines[-1]
