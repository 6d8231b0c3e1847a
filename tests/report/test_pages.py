"""What holds of a page of every kind of document."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise

import pytest

import acumen
from acumen.report.blocks import Plot
from acumen.report.html import render_report, study_of
from acumen.results.metrics import MetricsArtifact, Variant
from tests.evaluations import evaluate
from tests.report import golden
from tests.report.kinds import KINDS
from tests.report.studies import QUICK, single_evaluation, table


@cache
def page(kind: str) -> str:
    return render_report([KINDS[kind]()])


class Words(HTMLParser):
    """The texts of some elements, one by one; ends of cells may be left out."""

    def __init__(self, page: str, *tags: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._tags, self._inside = tags, False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._tags:
            self.found.append("")
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag not in self._tags

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1] += data


@pytest.mark.parametrize("kind", KINDS)
def test_no_heading_stands_twice(kind: str) -> None:
    headings = Words(page(kind), "h1", "h2", "h3").found
    assert len(headings) > 3
    assert [one for one, other in pairwise(headings) if one == other] == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_table_has_a_head_without_a_word(kind: str) -> None:
    heads = Words(page(kind), "thead").found
    assert heads
    assert all(head.strip() for head in heads)


NOUNS = "case|row|item|judgment|participant|rater|function|system|pair|unit|rating|level|resample"


@pytest.mark.parametrize("kind", [*KINDS, "one case"])
def test_one_is_singular_and_no_plural_is_left_to_the_reader(kind: str) -> None:
    text = render_report([evaluate(table(1), None, QUICK)]) if kind == "one case" else page(kind)
    words = re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL)
    assert re.findall(rf"(?<![\d.,–−] )(?<![\d.,–−])\b1 (?:{NOUNS})s\b.{{30}}", words) == []
    assert "(s)" not in words


def test_methods_say_where_influence_stands_in_for_leaving_out() -> None:
    artifact = single_evaluation().document
    claim = "the influence of each case stands in for leaving it out"
    assert claim not in render_report([artifact])
    assert claim in render_report([by_influence(artifact)])


def by_influence(artifact: MetricsArtifact) -> MetricsArtifact:
    """The same as of more cases than are left out one by one."""
    variants = {}
    for function, variant in artifact.confidence_variants.items():
        assert isinstance(variant, Variant)
        bootstrap = variant.bootstrap.model_copy(update={"leave_one_out": "influence"})
        variants[function] = variant.model_copy(update={"bootstrap": bootstrap})
    return artifact.model_copy(update={"confidence_variants": variants})


ITEMS = [
    f"The patient reports little interest or pleasure in doing things, over {n} weeks"
    for n in range(8)
]


def test_items_that_begin_alike_keep_a_row_and_a_mark_each() -> None:
    rows = [
        {"id": case, "item": item, "truth": (case + at) % 4, "prediction": (case * at) % 4}
        for case in range(12)
        for at, item in enumerate(ITEMS)
    ]
    study = study_of(acumen.evaluate(rows, item="item", levels="0-3", resamples=0))
    plots = [b for section in study.sections for b in section.blocks if isinstance(b, Plot)]
    (plot,) = (plot for plot in plots if plot.key == "s1-chart-risk-by-item")
    marks = {row["name"] for rows in plot.data.values() for row in rows}
    assert len(marks) == len({row[1].text for row in plot.table.rows}) == len(ITEMS)


def test_a_chart_is_there_after_a_bare_import() -> None:
    script = "import acumen; print(callable(acumen.chart))"
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert done.stdout == "True\n"


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - golden.LEFT_OUT))
def test_a_page_says_and_draws_what_it_did(kind: str) -> None:
    before = (golden.FOLDER / f"{kind}.txt").read_text("utf-8")
    assert golden.text(kind).splitlines() == before.splitlines(), (
        "look at what changed, then: python -m tests.report.golden"
    )
