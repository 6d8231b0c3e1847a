"""One table of cases for several systems, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acumen.report.blocks import Cases, Column, Paragraph
from acumen.report.cells import coded
from acumen.report.joint import case_section, joint
from acumen.report.terms import Glossary, signs


def table(system: str, rows: list[tuple[str, str, str, str]], sure: list[float | None]) -> Cases:
    """Rows of (case, item, truth, answer)."""
    case, item, truth, answer = (list(column) for column in zip(*rows, strict=True))
    outcomes = [
        "abstained" if a == "–" else "right" if a == t else "wrong"
        for t, a in zip(truth, answer, strict=True)
    ]
    columns = [coded("case", case), coded("item", item), coded("truth", truth)]
    columns += [coded("prediction", answer), coded("outcome", outcomes)]
    columns.append(Column("msp", values=tuple(sure), key="function msp"))
    return Cases("rows", system, (system,), tuple(columns), len(rows))


LEFT = table(
    "left", [("1", "a", "0", "0"), ("1", "b", "2", "1"), ("2", "a", "1", "–")], [0.9, 0.2, None]
)
RIGHT = table(
    "right", [("2", "a", "1", "1"), ("1", "a", "0", "0"), ("3", "a", "0", "3")], [0.4, 0.5, 0.6]
)


def texts(cases: Cases) -> dict[str, list[str]]:
    return {c.head: [c.text(row) for row in range(cases.n)] for c in cases.columns}


def test_a_judgment_is_one_row_whoever_made_it_and_in_whatever_order() -> None:
    both = joint("rows", "Judgments", [LEFT, RIGHT])
    found = texts(both)
    assert (both.n, both.systems) == (4, ("left", "right"))
    assert found["case"] == ["1", "1", "2", "3"]
    assert found["item"] == ["a", "b", "a", "a"]
    assert found["truth"] == ["0", "2", "1", "0"]
    assert found["prediction, left"] == ["0", "1", "–", "–"]
    assert found["prediction, right"] == ["0", "–", "1", "3"]
    assert found["msp, left"] == ["0.9", "0.2", "–", "–"]
    assert found["msp, right"] == ["0.5", "–", "0.4", "0.6"]


def test_it_says_whether_they_agree_and_who_is_right() -> None:
    found = texts(joint("rows", "Judgments", [LEFT, RIGHT]))
    assert found["answers"] == ["they agree", "they disagree", "they disagree", "they disagree"]
    assert found["who is right"] == ["all", "none", "right", "none"]
    third = table("third", [("1", "a", "0", "1")], [0.1])
    found = texts(joint("rows", "Judgments", [LEFT, RIGHT, third]))
    assert found["who is right"] == ["2 of 3", "none", "1 of 3", "none"]


def test_answers_stand_side_by_side_and_the_rest_waits_in_the_panel() -> None:
    both = joint("rows", "Judgments", [LEFT, RIGHT])
    heads = ["case", "item", "truth", "who is right", "prediction, left", "prediction, right"]
    assert [c.head for c in both.listed] == [*heads, "msp, left", "msp, right"]
    assert both.first(1).columns == tuple(c.head for c in both.listed)
    three = joint("rows", "Judgments", [LEFT, RIGHT, table("c", [("1", "a", "0", "1")], [0.1])])
    assert [c.head for c in three.listed][-3:] == ["msp, left", "msp, right", "msp, c"]
    four = joint("rows", "Judgments", [LEFT, RIGHT, table("c", [("1", "a", "0", "1")], [0.1])] * 2)
    assert [c.title for c in four.listed][4:] == ["prediction"] * 6


def test_rows_are_chosen_by_any_system_s_answer() -> None:
    filters = joint("rows", "Judgments", [LEFT, RIGHT]).filters
    assert filters["prediction"] == ("prediction", ("0", "1", "–", "3"))
    assert filters["system"] == ("system", ("left", "right"))
    assert filters["answers"][1] == ("they agree", "they disagree")
    assert "system" not in LEFT.filters


def test_draws_of_one_judgment_stay_rows_of_their_own() -> None:
    twice = table("left", [("1", "a", "0", "0"), ("1", "a", "0", "2")], [0.9, 0.3])
    both = joint("rows", "Judgments", [twice, RIGHT])
    assert texts(both)["prediction, left"][:2] == ["0", "2"]
    assert texts(both)["prediction, right"][:2] == ["0", "–"]


def test_rows_of_a_panel_are_chosen_by_what_each_rater_says() -> None:
    def of_panel(cases: Cases, parts: dict[str, tuple[str, ...]]) -> Cases:
        own = (replace(c, parts=parts) if c.key == "truth" else c for c in cases.columns)
        return replace(cases, columns=tuple(own))

    left = table("left", [("1", "a", "0, 2", "0")], [0.9])
    right = table("right", [("1", "a", "0, 2", "2"), ("2", "a", "1, 1", "1")], [0.4, 0.5])
    both = of_panel(left, {"0, 2": ("0", "2")}), of_panel(right, {"1, 1": ("1", "1")})
    assert joint("rows", "Judgments", both).filters["truth"] == ("truth", ("0", "2", "1"))


def test_one_system_keeps_its_own_table() -> None:
    assert joint("rows", "Judgments", [LEFT]) is LEFT


@pytest.mark.parametrize(
    ("with_texts", "sentence"),
    [
        ((False, False), "No text of a case is in this page."),
        ((True, False), "The texts of cases in it were asked for: be careful who gets this page."),
        ((False, True), "The texts of cases in it were asked for: be careful who gets this page."),
        ((False,), "No text of a case is in this page."),
        ((True,), "The texts of cases in it were asked for: be careful who gets this page."),
    ],
)
def test_the_texts_of_one_system_are_enough_to_mind(
    with_texts: tuple[bool, ...], sentence: str
) -> None:
    tables = [
        replace(table, has_texts=has) for table, has in zip((LEFT, RIGHT), with_texts, strict=False)
    ]
    section = case_section("s-rows", tables)
    lead, table = section.blocks
    assert isinstance(lead, Paragraph)
    assert lead.text == f"One row a judgment. {sentence}"
    assert isinstance(table, Cases)
    assert table.has_texts is any(with_texts)
    assert (section.key, section.title) == ("cases", "Cases")
    if len(tables) > 1:
        assert (table.key, table.title) == ("s-rows", "Judgments of every system")


def test_no_system_has_no_section() -> None:
    assert case_section("s-rows", []).blocks == ()


def test_a_term_is_linked_once_a_section_and_nothing_else_is_markup() -> None:
    glossary = Glossary()
    glossary.begin(("selective", "intervals"))
    assert glossary("AUGRC <b> AUGRC") == (
        '<a class="term" href="#m-areas">AUGRC</a> &lt;b&gt; AUGRC'
    )
    assert glossary("AUGRC again, of AUGRC-like names") == "AUGRC again, of AUGRC-like names"
    assert glossary.used["AUGRC"].startswith("Area under generalized risk over coverage")
    glossary.begin(("verdicts",))
    assert glossary("AUGRC") == "AUGRC"


def test_a_name_is_a_term_only_as_a_whole() -> None:
    glossary = Glossary()
    glossary.begin(("selective",))
    assert glossary("coverage grid", whole=True) == "coverage grid"
    assert "href" in glossary("coverage", whole=True)


def test_a_name_from_right_to_left_is_isolated_in_a_sentence() -> None:
    glossary = Glossary()
    assert glossary("وضع تجريبي, شلوم (0.5) <b>") == (
        "<bdi>وضع تجريبي</bdi>, <bdi>شلوم</bdi> (0.5) &lt;b&gt;"
    )
    assert glossary("実行-١٢٣-🚀 is better") == "実行-<bdi>١٢٣</bdi>-🚀 is better"


def test_a_minus_is_a_minus_and_a_hyphen_stays() -> None:
    glossary = Glossary()
    assert glossary("(-0.125, -.2 to -3) of gpt-4, 2026-11-16") == (
        "(−0.125, −.2 to −3) of gpt-4, 2026-11-16"
    )
    assert signs("[-0.04, -0.01]*") == "[−0.04, −0.01]*"
    assert signs("run -1") == "run -1"
