"""One list of sections serves every medium: laws of every kind of document."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from html import unescape
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

import acumen
from acumen.cli import run
from acumen.errors import UsageError
from acumen.questions.count import count
from acumen.questions.evaluate import measure
from acumen.questions.map import survey
from acumen.questions.result import Result
from acumen.readers.run import run_from_document
from acumen.report import formats, notebook, terminal
from acumen.report.blocks import (
    Cases,
    Cell,
    Column,
    Detail,
    Fact,
    Facts,
    Folded,
    Note,
    Notes,
    Paragraph,
    Plot,
    Section,
    Table,
    Warnings,
)
from acumen.report.html import render_report, study_of
from acumen.report.sections import HOMES, Ask, Family, family_of, sections_of
from acumen.results.counts import MomentsDocument
from acumen.results.kinds import LISTED
from acumen.results.runs import RunSummary
from acumen.studies import JUDGES, RATERS, RATING, phq8_run, ratings
from acumen.table.judgments import Judgments

QUICK: Final[Mapping[str, Any]] = {"resamples": 0}


@cache
def table(mode: str = "few_shot") -> Judgments:
    return run_from_document(phq8_run(), mode=mode)


def rows() -> list[dict[str, Any]]:
    return [
        {"case": c, "truth": c % 3, "prediction": (c + c % 4 // 3) % 3, "confidence": c % 5}
        for c in range(24)
    ]


def lazy_rows() -> Any:
    return pytest.importorskip("polars").LazyFrame(rows())


def card() -> Result[Any]:
    promise = acumen.threshold(rows(), risk=0.9, loss="zero_one", levels="0-2")
    return acumen.card(rows(), threshold=promise, judge="j", labelled_by="a nurse", levels="0-2")


SIGNAL: Final[Mapping[str, Any]] = {"confidence": "token_msp"}
MAKERS: Final[Mapping[str, Callable[[], Result[Any]]]] = {
    "metrics": lambda: acumen.evaluate(table(), **SIGNAL, **QUICK),
    "metrics of two": lambda: acumen.compare(table("zero_shot"), table(), **SIGNAL, **QUICK),
    "metrics of three": lambda: acumen.evaluate(
        {name: acumen.from_columns(**columns) for name, columns in systems().items()}, **QUICK
    ),
    "metrics by item": lambda: acumen.evaluate(table(), **SIGNAL, **QUICK, by="item"),
    "metrics without confidence": lambda: acumen.evaluate(
        acumen.from_columns(case=range(12), truth=[0, 1, 2] * 4, prediction=[0, 1, 1] * 4), **QUICK
    ),
    "results": lambda: acumen.score("demo", method="rag", **QUICK),
    "results of two": lambda: acumen.score("demo", resamples=20),
    "calibration": lambda: acumen.calibrate(table()),
    "threshold": lambda: acumen.threshold(table(), **SIGNAL, risk=0.2),
    "sets": lambda: acumen.sets(table(), alpha=0.2),
    "cost": lambda: acumen.cost(table(), **SIGNAL, abstain_cost=0.5),
    "gate": lambda: acumen.gate(
        table(), table("zero_shot"), metric="mean_loss", margin=0.1, **SIGNAL
    ),
    "cascade": lambda: acumen.cascade(
        [row | {"case": 30 * k + row["case"]} for k in range(4) for row in rows()],
        [
            row | {"case": 30 * k + row["case"], "prediction": row["truth"], "confidence": 3 - k}
            for k in range(4)
            for row in rows()
        ],
        price=[1, 2],
        person_price=9.0,
        risk=0.4,
        loss="zero_one",
        levels="0-2",
    ),
    "card": lambda: card(),
    "card_check": lambda: acumen.check_card(card(), rows(), other_cases=True),
    "watch": lambda: acumen.watch(
        [row | {"case": f"n{row['case']}"} for row in rows()],
        promise=acumen.threshold(rows(), risk=0.9, loss="zero_one", levels="0-2"),
    ),
    "plan": lambda: acumen.plan(detect=0.03, sd=0.1),
    "ratings": lambda: acumen.rate(ratings(), raters=RATERS, judge=JUDGES, **RATING),
    "estimates": lambda: acumen.estimate(
        ratings(), labelled="label", prediction=JUDGES[0], **RATING
    ),
    "sample": lambda: acumen.label(
        ratings(), budget=20, purpose="estimate", prediction=JUDGES[0], **RATING
    ),
    "totals": lambda: acumen.total(table(), prorate=0.5, **SIGNAL, risk=4.0, wrong=0.3),
    "totals of two": lambda: acumen.total(table("zero_shot"), table(), prorate=0.5),
    "totals by group": lambda: acumen.total(
        [row | {"item": i, "site": row["case"] % 2} for row in rows() for i in "ab"],
        levels="0-2",
        cut=2,
        by="site",
    ),
    "totals without truth": lambda: acumen.total(
        [{"case": row["case"], "item": "a", "prediction": row["prediction"]} for row in rows()],
        levels="0-2",
        cut=1,
        bands="1,2",
    ),
    "large": lambda: measure(lazy_rows(), loss="abs"),
    "counts": lambda: count(lazy_rows()),
    "moments": lambda: Result(
        MomentsDocument(
            kind="acumen moments", version=2, pooled="a", loss="abs", costs="b", sums={"cases": 2.0}
        )
    ),
    "run_summary": lambda: Result(
        RunSummary(
            model="m",
            endpoint="local",
            output="r.json",
            questions=5,
            failures={"outcomes": {"answered": 4, "refused": 1}, "reasons": {}, "failed_cases": []},
        )
    ),
    "survey": lambda: survey(Path(__file__).parents[1] / "samples" / "stars.csv"),
}
"""A document of every kind; of some, several that have other sections."""


def systems() -> dict[str, dict[str, Any]]:
    return {
        name: {
            **{key: [row[key] for row in rows()] for key in ("case", "truth", "confidence")},
            "prediction": [(row["prediction"] + (row["case"] % n == 0)) % 3 for row in rows()],
        }
        for n, name in ((5, "a"), (7, "b"), (11, "c"))
    }


@cache
def made(kind: str) -> Result[Any]:
    return MAKERS[kind]()


@cache
def sections(kind: str, *, full: bool = True) -> list[Section]:
    return made(kind).sections(full=full)


def words(text: str) -> str:
    """A text without what a medium marks and escapes in it."""
    plain = re.sub(r"<[^>]*>|\\text(backslash|asciitilde|less|greater|bar)", "", unescape(text))
    return re.sub(r"[\\{}$~|\"<>\s]", "", plain).replace("−", "-")  # LaTeX has no such sign


MEDIA: Final[Mapping[str, Callable[[Result[Any]], str]]] = {
    "terminal": lambda result: terminal.render(result.sections(full=True)),
    "notebook": lambda result: notebook.html(result.sections(full=True)),
    "Markdown": lambda result: result.to_markdown(full=True),
    "LaTeX": lambda result: result.to_latex(full=True),
    "CSV": lambda result: result.to_csv(full=True),
    "JSON": lambda result: formats.as_json(result.sections(full=True)),
    "page": lambda result: result.to_html(),
}


def test_there_is_a_family_and_a_maker_for_every_kind_that_is_shown() -> None:
    assert set(HOMES) == set(LISTED)
    assert {made(kind).kind.removeprefix("acumen ") for kind in MAKERS} == set(LISTED)


@pytest.mark.parametrize("kind", MAKERS)
def test_every_kind_has_sections_each_once_and_an_answer(kind: str) -> None:
    own = sections(kind)
    keys = [section.key for section in own]
    assert len(keys) == len({*keys})
    assert all(section.title for section in own)
    assert all(section.blocks or section.finding for section in own)
    assert any(section.detail is Detail.ANSWER and section.finding for section in own)
    assert keys[-1] == "provenance"
    assert "Made by acumen" in own[-1].blocks[0].text
    assert "metrics" in keys  # where the numbers are, for programs


@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_shown_is_where_all_of_it_begins(kind: str) -> None:
    shown, every = sections_of(made(kind).document, fit=False), sections(kind)
    assert [s.key for s in shown] == [s.key for s in every[: len(shown)]]
    for section, whole in zip(shown, every, strict=False):
        assert section.detail is not Detail.FULL
        assert whole.blocks[: len(section.blocks)] == section.blocks
        assert (whole.title, whole.finding) == (section.title, section.finding)
        assert not any(isinstance(b, Plot | Cases | Facts | Folded) for b in section.blocks)
    assert all(section.detail is Detail.FULL for section in every[len(shown) :])


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize("kind", MAKERS)
def test_every_section_is_in_every_medium(kind: str, medium: str) -> None:
    text = words(MEDIA[medium](made(kind)))
    page = {section.key for section in study_of(made(kind)).below}
    for section in sections(kind):
        if medium != "page" or section.key in page:
            assert words(section.title) in text, section.key
        # a page has real minus signs, and links in its sentences
        assert words(section.finding).replace("-", "−") in text.replace("-", "−"), section.key


@pytest.mark.parametrize("kind", MAKERS)
def test_a_table_and_its_chart_do_not_stand_beside_each_other(kind: str) -> None:
    for section in study_of(made(kind)).sections:
        drawn = [block.table for block in section.blocks if isinstance(block, Plot)]
        assert not [block for block in section.blocks if block in drawn]
    blocks = [*formats._flat(sections(kind))]
    assert not [1 for one, other in pairwise(blocks) if one == other]


MADE_UP: Final = (
    Paragraph("a made-up sentence"),
    Facts((Fact("a made-up fact", Cell("0.125", 0.125), "of nothing"),)),
    Notes((Note("a made-up note"),)),
    Warnings(("a made-up warning",)),
    Table("a made-up table", ("what", "value"), ((Cell("a made-up row"), Cell("0.5", 0.5)),)),
    Folded(Table("a made-up list", ("what", "value"), ((Cell("a folded row"), Cell("1", 1)),))),
    Plot(
        "s1-made-up", "A made-up chart", "see", "alt", {}, {},
        Table("", ("what", "value"), ((Cell("a drawn row"), Cell("2", 2)),)),
    ),
    Cases("made-up", "Made-up cases", ("one",), (Column("outcome", ("a made-up case",), (0,)),), 1),
)  # fmt: skip
SAID: Final = (
    *("A made-up section", "A made-up finding.", "a made-up sentence", "a made-up fact"),
    *("a made-up note", "a made-up warning", "a made-up row", "a folded row", "A made-up chart"),
    *("a drawn row", "Made-up cases", "a made-up case"),
)


@pytest.fixture(params=["main", "rest"])
def family(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Result[Any]]:
    """Adds a section to the family of a kind, to what is shown or to the rest."""

    def add(kind: str) -> Result[Any]:
        def build(_document: Any, _ask: Ask) -> Section:
            return Section("made-up", "A made-up section", MADE_UP, finding="A made-up finding.")

        result = made(kind)
        family: Family = family_of(result.document)
        builds: dict[str, Any] = {request.param: (*getattr(family, request.param), build)}
        module, _, name = HOMES[result.kind.removeprefix("acumen ")].partition(":")
        home = import_module(f"acumen.report.{module}")
        monkeypatch.setattr(home, name, replace(family, **builds))
        return result

    return add


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize("kind", ["metrics", "results", "calibration", "plan", "large", "survey"])
def test_a_section_that_is_added_once_is_in_every_medium(
    kind: str, medium: str, family: Callable[[str], Result[Any]]
) -> None:
    text = words(MEDIA[medium](family(kind)))
    assert [one for one in SAID if words(one) not in text] == []


def test_it_is_in_what_commands_print_and_in_a_notebook(
    family: Callable[[str], Result[Any]],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = family("plan")
    is_shown = "main" in request.node.name
    assert ("A made-up section" in repr(result)) is is_shown
    assert ("A made-up section" in result._repr_html_()) is is_shown
    assert ("A made-up section" in result.to_markdown()) is is_shown
    result.write(tmp_path / "plan.json")
    assert run(["show", str(tmp_path / "plan.json"), "--full"]) == 0
    assert "A made-up section" in capsys.readouterr().out
    assert run(["plan", "--detect", "0.03", "--sd", "0.1"]) == 0
    assert ("A made-up section" in capsys.readouterr().out) is is_shown
    assert run(["report", str(tmp_path / "plan.json"), "-o", str(tmp_path / "page.html")]) == 0
    assert "A made-up section" in (tmp_path / "page.html").read_text("utf-8")


def test_a_kind_without_sections_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(HOMES, "plan")
    for show in (sections_of, lambda document: render_report([document])):
        with pytest.raises(UsageError, match=r"kind plan: its family is missing in .*HOMES"):
            show(made("plan").document)


def test_a_command_and_show_print_one_thing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind in ("calibration", "results of two", "metrics"):
        made(kind).write(tmp_path / "one.json")
        assert run(["show", str(tmp_path / "one.json"), "--full"]) == 0
        printed = capsys.readouterr().out
        again: Result[Any] = Result.read(tmp_path / "one.json")
        assert printed == terminal.render(again.sections(full=True))
