"""Every kind of block is drawn in every medium, and what it says is there."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from typing import get_args

import pytest

from acumen.report import formats, notebook, terminal
from acumen.report.blocks import (
    Block,
    Cases,
    Cell,
    Column,
    Fact,
    Facts,
    Folded,
    Head,
    Note,
    Notes,
    Paragraph,
    Plot,
    Section,
    Table,
    Warnings,
)
from acumen.report.html import render_studies
from acumen.report.layout import Study

TABLE = Table("numbers", ("what", "amount"), ((Cell("apples"), Cell("0.250", 0.25)),))
BLOCKS: dict[type, tuple[Block, tuple[str, ...]]] = {
    Paragraph: (Paragraph("a sentence"), ("a sentence",)),
    Facts: (Facts((Fact("coverage", Cell("59%", 0.59), "of all"),)), ("coverage", "of all")),
    Notes: (Notes((Note("a remark", marked=True),)), ("a remark",)),
    Warnings: (Warnings(("mind the gap",)), ("mind the gap",)),
    Table: (TABLE, ("what", "apples")),
    Folded: (Folded(TABLE), ("what", "apples")),
    Plot: (Plot("s1-chart-x", "A chart", "see", "alt", {}, {}, TABLE), ("A chart", "apples")),
    Cases: (
        Cases("rows", "All cases", ("one",), (Column("outcome", ("right", "wrong"), (0, 1)),), 2),
        ("All cases", "outcome", "wrong"),
    ),
}
"""Of each kind one, and the words that must be seen of it."""


def page(block: Block) -> str:
    section = Section("part", "A part", (block,))
    study = Study("s1", Head("title", "subtitle"), (section,))
    whole = render_studies([study])
    return unescape(whole[whole.index("<main") : whole.index('<script type="application/json"')])


MEDIA: dict[str, Callable[[Block], str]] = {
    "terminal": lambda block: terminal.render([Section("part", "A part", (block,))]),
    "page": page,
    "notebook": lambda block: notebook.html([Section("part", "A part", (block,))]),
    **{
        name: lambda block, draw=draw: draw([Section("part", "A part", (block,))])  # type: ignore[misc]
        for name, draw in formats.FORMATS.items()
    },
}


def test_there_is_one_of_each_kind() -> None:
    assert set(BLOCKS) == set(get_args(Block))


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize("kind", BLOCKS)
def test_every_kind_of_block_is_drawn_in_every_medium(kind: type, medium: str) -> None:
    block, words = BLOCKS[kind]
    text = MEDIA[medium](block)
    # a page has these in its summary
    assert ("A part" in text) is not (medium == "page" and isinstance(block, Facts | Warnings))
    for word in words:
        assert word in text, (medium, word)


@pytest.mark.parametrize("medium", MEDIA)
def test_a_number_its_interval_and_a_dash_are_in_every_medium(medium: str) -> None:
    measured = Cell("0.250", 0.25, interval=".100–.400", ends=(0.1, 0.4), marked=True)
    table = Table("t", ("what", "amount"), ((Cell("a"), measured), (Cell("b"), Cell("–"))))
    text = MEDIA[medium](table)
    assert "0.25" in text
    if medium in formats.FOR_PROGRAMS:
        assert "0.4" in text
        assert "–" not in text
    else:
        assert ".100–.400" in text
        assert "*" in text
        assert "–" in text.replace(".100–.400", "")


@pytest.mark.parametrize(("columns", "width"), [(40, 50), (64, 64), (140, 140)])
def test_a_terminal_is_used_as_wide_as_it_is_and_a_very_narrow_one_overruled(
    columns: int,
    width: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    terminal.print_parts([Paragraph("word " * 100)])
    longest = max(map(len, capsys.readouterr().out.splitlines()))
    assert width - 5 < longest <= width


def test_a_long_name_is_broken_at_a_mark_in_a_narrow_terminal_alone() -> None:
    name = "hybrid_evidence_similarity"
    cell = Cell("0.250", 0.25, interval=".100–.400", ends=(0.1, 0.4))
    table = Table("t", ("confidence", "x"), ((Cell(name), cell),))
    lines = [line.strip() for line in terminal.render([table], width=40).splitlines()]
    assert any(line.startswith("hybrid_evidence_ ") for line in lines)
    assert f"{name}  0.250 .100–.400" in terminal.render([table], width=80)
    assert name in formats.as_csv([table])
    assert name in notebook.html([table])
