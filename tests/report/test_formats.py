"""Tables as text for papers: a column of numbers stands to the right, one of names to the left."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acumen.report.blocks import UNDEFINED, Cell, Paragraph, Table
from acumen.report.formats import Parts, as_latex, as_markdown
from acumen.report.html import _document, write_report
from acumen.report.sections import sections_of
from tests.report.kinds import KINDS
from tests.report.opened import opened, unfold

TABLE = Table(
    "",
    ("name", "risk", "only ends", "of"),
    (
        (Cell("a_b"), Cell("0.5", 0.5, interval="[0.1, 0.9]", marked=True), Cell(""), Cell("x")),
        (
            Cell("c"),
            Cell(UNDEFINED, interval=UNDEFINED),
            Cell("1 to 2", ends=(1.0, 2.0)),
            Cell("y"),
        ),
    ),
)
LATEX = r"""% \usepackage{booktabs}
\begin{tabular}{lrrl}
\toprule
name & risk & only ends & of \\
\midrule
a\_b & 0.5 {[}0.1, 0.9]$^{*}$ &  & x \\
c & – & 1 to 2 & y \\
\bottomrule
\end{tabular}
"""
MARKDOWN = r"""| name | risk | only ends | of |
|---|---:|---:|---|
| a\_b | 0.5 \[0.1, 0.9\]\* |  | x |
| c | – | 1 to 2 | y |
"""


@pytest.mark.parametrize(("write", "text"), [(as_latex, LATEX), (as_markdown, MARKDOWN)])
def test_numbers_stand_to_the_right_with_their_intervals(
    write: Callable[[Parts], str], text: str
) -> None:
    assert write([TABLE]) == text
    assert write([Paragraph("in   words"), TABLE]) == f"in words\n\n{text}"


def test_columns_without_a_row_stand_to_the_left() -> None:
    empty = Table("", ("name", "risk"), ())
    assert r"\begin{tabular}{ll}" in as_latex([empty])
    assert "|---|---|" in as_markdown([empty])


COMMANDS = {
    *("begin", "end", "toprule", "midrule", "bottomrule", "surd", "geq", "leq", "approx", "neq"),
    *("textasciitilde", "textasciicircum", "textbackslash", "textless", "textgreater", "textbar"),
    *("infty", "to", "delta", "varepsilon", "alpha", "kappa", "lambda", "pi", "rho", "sigma"),
    "tau",
}
DECLARED = re.compile(r"[\x20-\x7e\n\u00a1-\u017f–—‘’“”…]*")
"""What LaTeX's own tables of letters have, beside ASCII."""


def compiled(text: str) -> int:
    """How many tables LaTeX would read; raises where it would stop.

    There is no TeX where tests run: this is what it asks of letters, commands, groups, formulas,
    and of the columns of a row.
    """
    assert DECLARED.fullmatch(text), {c for c in text if not DECLARED.fullmatch(c)}
    text = re.sub(r"(?m)^% \\usepackage\{booktabs\}\n", "", text)
    assert "%" not in text.replace(r"\%", "")
    assert {*re.findall(r"\\([a-z]+)", text)} <= COMMANDS
    bare = re.sub(r"\\[&%$#_{}\\]", "", text)
    depth = 0
    for letter in bare:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert depth == 0
    for line in bare.splitlines():
        assert line.count("$") % 2 == 0, line
        assert "#" not in line
    formulas = re.sub(r"\$[^$]*\$", "", bare)
    assert not re.search(r"[\^_]", formulas)
    tables = re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL)
    for sides, body in tables:
        rows = [line for line in body.splitlines() if not line.endswith("rule")]
        assert rows
        for row in rows:
            assert row.endswith(r" \\"), row
            assert len(re.findall(r"(?<!\\)&", row)) == len(sides) - 1, row
            assert not re.match(r"\s*[\[*]", row)  # would be read as an argument of the \\ before
    assert text.count(r"\begin{tabular}") == len(tables)
    return len(tables)


@pytest.mark.parametrize("kind", KINDS)
def test_the_latex_of_every_kind_of_document_is_what_latex_reads(kind: str) -> None:
    assert compiled(as_latex(sections_of(_document(KINDS[kind]()), full=True))) >= 1


def test_negative_numbers_and_hostile_names_are_latex_too() -> None:
    names = ("-0.25", "$x$", r"\input{/etc/passwd}", "a & b", "50% #1", "[x]", "{", "≥ 2", "x_1^2")
    table = Table("", ("-1", "b"), tuple((Cell(name), Cell("−3", -3.0)) for name in names))
    text = as_latex([table])
    assert compiled(text) == 1
    assert "$-$0.25 & $-$3" in text


def test_what_the_page_saves_as_latex_is_what_latex_reads(browser: Any, tmp_path: Path) -> None:
    write_report([KINDS["verdicts"]()], tmp_path / "v.html")
    with opened(browser, tmp_path / "v.html") as seen:
        unfold(seen.page)
        saved = seen.page.evaluate(  # a browser stops after ten downloads that nobody asked for
            """() => {
                const texts = [];
                URL.createObjectURL = (blob) => { texts.push(blob.text()); return ''; };
                HTMLAnchorElement.prototype.click = () => {};
                document.querySelectorAll("button[aria-label$='as LaTeX']").forEach(b => b.click());
                return Promise.all(texts);
            }"""
        )
    assert len(saved) > 10
    assert [compiled(text) for text in saved] == [1] * len(saved)
    assert any("$" in text for text in saved)
