"""Tables as text for papers: a column of numbers stands to the right, one of names to the left."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from acumen.report.blocks import UNDEFINED, Cell, Paragraph, Table
from acumen.report.formats import Parts, as_latex, as_markdown

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
LATEX = r"""\begin{tabular}{lrrl}
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
