"""The page in a real browser, opened from disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.evaluation.plan import Plan
from acumen.inference.options import Options
from acumen.questions.evaluation import Evaluation
from acumen.readers.run import run_from_document
from acumen.results.verdicts import PairDocument
from benchmarks.page import write_large_page
from tests.evaluations import evaluate
from tests.laws.test_sections import MAKERS
from tests.report.kinds import KINDS, systems
from tests.report.opened import Seen, hovered, open_studies, opened, unfold
from tests.toy_runs import toy_run

CURVE = "#s1-chart-risk-coverage"
OTHERS = (
    *("cascade", "card", "card_check", "watch", "large", "counts", "moments", "run_summary"),
    *("survey", "results", "metrics of three", "metrics without confidence"),
    *("totals by group", "totals without truth", "totals of two"),
)
EVERY = {**KINDS, **{kind: MAKERS[kind] for kind in OTHERS}}
"""What makes a document of every kind."""


@pytest.fixture(scope="module")
def desk(browser: Any, page_file: Path) -> Iterator[Seen]:
    """The page on a desk, opened once: each test looks at a part of it that no other changes."""
    with opened(browser, page_file) as seen:
        unfold(seen.page)
        yield seen


@pytest.fixture(scope="module")
def phone(browser: Any, page_file: Path) -> Iterator[Any]:
    """The page on a phone, its studies open."""
    with opened(browser, page_file, width=390) as seen:
        open_studies(seen.page)
        yield seen.page


@pytest.fixture(scope="module")
def paper(browser: Any, page_file: Path) -> Iterator[Any]:
    """The page as wide as A4 between its margins."""
    with opened(browser, page_file, width=720) as seen:
        open_studies(seen.page)
        yield seen.page


def test_the_page_opens_from_disk_and_says_and_asks_nothing(desk: Seen) -> None:
    drawn = desk.page.evaluate(
        "[...document.querySelectorAll('.chart')].map(c => "
        "[c.id, c.dataset.drawn, c.querySelectorAll('.mark-group [class^=mark-] path, "
        "[class^=mark-] line').length])"
    )
    assert desk.console == []
    assert desk.requests == []
    assert desk.dialogs == []
    assert len(drawn) == 18
    assert all(state == "yes" and marks > 3 for _, state, marks in drawn), drawn


def test_hovering_a_point_tells_coverage_risk_threshold_and_count(desk: Seen) -> None:
    page = desk.page
    # the points of functions that are not singled out are there to be hovered as well
    told = hovered(page, f"{CURVE} .mark-symbol.role-mark path", 60)
    for word in ("coverage", "selective risk", "threshold", "accepted rows"):
        assert word in told


def test_the_table_of_cases_filters_searches_sorts_and_turns_pages(
    desk: Seen, single: Evaluation
) -> None:
    rows: Any = single.document.rows[0]
    pairs = list(zip(rows.truth, rows.prediction, strict=True))
    wrong = sum(p is not None and t != p for t, p in pairs)
    page = desk.page
    box = page.locator(".cases").first
    assert box.locator(".count").inner_text() == "1–50 of 328 rows"
    box.locator(".next").click()
    assert box.locator(".count").inner_text() == "51–100 of 328 rows"
    box.locator(".outcome").select_option(label="wrong")
    assert box.locator(".count").inner_text() == f"1–50 of {wrong} rows (of 328 in all)"
    assert set(box.locator("tbody td:nth-child(5)").all_inner_texts()) == {"wrong"}
    box.locator(".search").fill("sleep")
    assert set(box.locator("tbody td:nth-child(2)").all_inner_texts()) == {"Sleep"}
    box.locator(".search").fill("")
    head = box.locator("th").nth(0)
    head.locator("button").click()
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    first = box.locator("tbody td:nth-child(1)").first.inner_text()
    ids = [c for c, (t, p) in zip(rows.case, pairs, strict=True) if p is not None and t != p]
    assert first == str(max(map(int, ids)))
    box.locator(".outcome").select_option(label="all")
    assert desk.console == []


def test_every_word_of_a_search_counts_and_numbers_are_searched(desk: Seen) -> None:
    box = desk.page.locator(".cases").first
    case = box.locator("tbody td:nth-child(1)").first.inner_text()
    box.locator(".search").fill(f"{case} sleep")
    cells = box.locator("tbody tr").all_inner_texts()
    assert [row.split("\t")[:2] for row in cells] == [[case, "Sleep"]]
    number = cells[0].split("\t")[-1]
    box.locator(".search").fill(f"sleep {number}")
    assert all(number in row for row in box.locator("tbody tr").all_inner_texts())
    box.locator(".search").fill("")


@pytest.mark.parametrize("clicks", [1, 2])
def test_what_has_no_value_is_sorted_last_both_ways(desk: Seen, clicks: int) -> None:
    box = desk.page.locator(".cases").first
    titles = box.locator("th").all_inner_texts()
    at = titles.index("token_msp ↓" if "token_msp ↓" in titles else "token_msp") + 1
    box.locator("th").nth(0).locator("button").click()
    for _ in range(clicks):
        box.locator("th").nth(at - 1).locator("button").click()
    shown = box.locator(f"tbody td:nth-child({at})").all_inner_texts()
    values = [float(text) for text in shown]
    assert values == sorted(values, reverse=clicks == 2)


def test_a_click_on_a_cell_of_the_confusion_leads_to_its_rows(
    browser: Any, page_file: Path, single: Evaluation
) -> None:
    rows: Any = single.document.rows[0]
    levels = single.document.summaries[0].levels
    with opened(browser, page_file) as seen:
        page = seen.page
        unfold(page)
        cells = page.locator("#s1-chart-confusion .mark-rect path")
        datum = cells.nth(1).evaluate("e => e.__data__.datum")
        cells.nth(1).click(position={"x": 6, "y": 6})
        box = page.locator(".cases").first
        pairs = [
            (levels[t], "abstained" if p is None else levels[p])
            for t, p in zip(rows.truth, rows.prediction, strict=True)
        ]
        wanted = sum(pair == (datum["t"], datum["p"]) for pair in pairs)
        assert wanted == datum["n"]
        assert f"of {wanted} rows" in box.locator(".count").inner_text()
        address = page.url
        assert "truth=" in address
        page.goto("about:blank")
        page.goto(address)
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        assert f"of {wanted} rows" in page.locator(".cases .count").first.inner_text()
        assert seen.console == []


PANEL: list[dict[str, Any]] = [
    # three raters, an item, the answer of two systems, and how sure the first is
    dict(zip(("doc", "part", "a", "b", "c", "ai", "other", "sure"), row, strict=True))
    for row in [
        (1, "x", 0, 0, 1, 0, 0, 0.9),
        (2, "x", 1, 1, 1, 0, 1, 0.7),
        (3, "y", 3, 1, None, 3, 1, 0.5),
        (4, "y", 3, 0, 3, None, 3, None),
        (5, "y", 2, 2, 2, 2, None, 0.3),
    ]
]
READING: dict[str, Any] = {"case": "doc", "item": "part", "truth": ["a", "b", "c"]}
READING |= {"levels": [0, 1, 2, 3], "loss": "abs", "resamples": 0}


def click(page: Any, chart: str, mark: str, wanted: dict[str, Any]) -> list[str]:
    """The cases that a click on the mark with these data leads to."""
    marks = page.locator(f"#s1-chart-{chart} .{mark} path")
    data = marks.evaluate_all("marks => marks.map(m => m.__data__.datum)")
    at = next(i for i, datum in enumerate(data) if wanted.items() <= datum.items())
    marks.nth(at).dispatch_event("click")
    cases: list[str] = page.locator(".cases tbody td:first-child").all_inner_texts()
    return cases


def test_a_mark_leads_to_the_cases_that_any_rater_of_a_panel_puts_there(
    browser: Any, tmp_path: Path
) -> None:
    from acumen.report.html import write_report

    study = acumen.evaluate(PANEL, prediction="ai", confidence_column="sure", **READING)
    write_report([study], tmp_path / "panel.html")
    with opened(browser, tmp_path / "panel.html") as seen:
        unfold(seen.page)

        def led(chart: str, mark: str, **wanted: Any) -> list[str]:
            return click(seen.page, chart, mark, wanted)

        assert led("confusion", "mark-rect", t="1", p="0") == ["1", "2"]
        assert led("confusion", "mark-rect", t="0", p="0") == ["1"]
        assert led("confusion", "mark-rect", t="0", p="abstained") == ["4"]
        assert led("confusion", "mark-rect", t="2", p="abstained") == []
        assert led("risk-by-item", "mark-symbol", name="y") == ["3", "4", "5"]
        assert led("risk-by-level", "mark-symbol", name="3") == ["3", "4"]
        assert led("confidence", "mark-rect", o="wrong", lo=0.9) == ["1"]
        assert led("confidence", "mark-rect", o="right", lo=0.9) == ["1"]
        levels = seen.page.locator(".cases .truth option").all_inner_texts()
        assert levels[1:] == ["0", "1", "3", "2"]
        assert seen.console == []


def test_of_two_systems_a_mark_leads_to_the_panel_s_cases_too(browser: Any, tmp_path: Path) -> None:
    from acumen.report.html import write_report

    systems = [{**row, "ai": answer} for row in PANEL for answer in (row["ai"], row["other"])]
    for at, row in enumerate(systems):
        row["system"] = ("one", "two")[at % 2]
    study = acumen.evaluate(systems, prediction="ai", system="system", **READING)
    write_report([study], tmp_path / "two.html")
    with opened(browser, tmp_path / "two.html") as seen:
        unfold(seen.page)
        wanted = {"t": "1", "p": "1", "s": "two"}
        assert click(seen.page, "confusion", "mark-rect", wanted) == ["2", "3"]
        wanted = {"t": "2", "p": "abstained", "s": "two"}
        assert click(seen.page, "confusion", "mark-rect", wanted) == ["5"]


@pytest.fixture(scope="module")
def pair_file(paired: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two runs."""
    from acumen.report.html import write_report

    path = tmp_path_factory.mktemp("pair") / "pair.html"
    write_report([paired], path)
    return path


@pytest.fixture(scope="module")
def pair_phone(browser: Any, pair_file: Path) -> Iterator[Any]:
    """The page of two runs on a phone; tests only look at it."""
    with opened(browser, pair_file, width=390) as seen:
        yield seen.page


@pytest.fixture
def pair_screen(browser: Any, pair_file: Path) -> Iterator[Any]:
    """The same on a wide screen."""
    with opened(browser, pair_file, width=1440) as seen:
        yield seen.page


def test_two_systems_share_one_table_and_what_they_disagree_on_is_kept_in_the_address(
    browser: Any, pair_file: Path, paired: Evaluation
) -> None:
    left, right = paired.document.rows
    assert left.case == right.case
    differ = sum(a != b for a, b in zip(left.prediction, right.prediction, strict=True))
    one, other = paired.document.input_names
    outcomes = list(zip(left.truth, left.prediction, right.prediction, strict=True))
    only = sum(a == t != b and b is not None for t, a, b in outcomes)
    with opened(browser, pair_file) as seen:
        page, box = seen.page, seen.page.locator(".cases")
        assert box.count() == 1
        heads = box.locator("th button").all_inner_texts()
        assert heads[:6] == [
            *("participant", "item", "truth", "who is right"),
            *(f"prediction, {one}", f"prediction, {other}"),
        ]
        box.locator(".answers").select_option("they disagree")
        assert (
            f"of {differ} rows (of {len(left.case)} in all)" in box.locator(".count").inner_text()
        )
        box.locator(".right").select_option(one)
        box.locator(".outcome").select_option("wrong")
        box.locator(".system").select_option(other)
        assert f" of {only} rows" in box.locator(".count").inner_text()
        address = page.url
        page.goto("about:blank")
        page.goto(address)
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        assert f" of {only} rows" in page.locator(".cases .count").inner_text()
        assert seen.console == []


def test_a_case_opens_in_a_panel_by_keyboard_and_stands_in_the_address(
    browser: Any, pair_file: Path, paired: Evaluation
) -> None:
    rows = paired.document.rows[0]
    with opened(browser, pair_file) as seen:
        page = seen.page
        page.locator(".cases .open").nth(1).focus()
        page.keyboard.press("Enter")
        panel = page.get_by_role("dialog", name=f"{rows.case[1]}, {rows.item[1]}")
        assert panel.locator("thead th").all_inner_texts() == ["what", *paired.document.input_names]
        facts = panel.locator("tbody th").all_inner_texts()
        assert facts[:3] == ["prediction", "outcome", "evidence"]
        assert set(paired.document.confidence_variants) <= set(facts)
        assert page.evaluate("document.activeElement.id") == "panel-title"
        panel.get_by_role("button", name="Next").click()
        assert page.locator("#panel-title").inner_text() == f"{rows.case[2]}, {rows.item[2]}"
        address = page.url
        assert "s1-rows.case=2" in address
        page.keyboard.press("Escape")
        assert page.locator("dialog").evaluate("d => d.open") is False
        assert page.evaluate("document.activeElement.dataset.row") == "2"
        assert "case=" not in page.url
        page.goto("about:blank")
        page.goto(address)
        assert page.locator("#panel-title").inner_text() == f"{rows.case[2]}, {rows.item[2]}"
        assert seen.console == []


def test_verdicts_that_contradict_their_evidence_are_found(
    desk: Seen, results: PairDocument
) -> None:
    details = [d.unified_metrics_full.consistency_details for d in results.systems]
    ids = {c.business_id for d in details if d for c in d.per_sample if c.consistent is False}
    assert len(ids) == 33
    box = desk.page.locator("#s2-rows")
    box.locator(".fit").select_option("contradicts it")
    assert box.locator(".count").inner_text().startswith("1–33 of 33 rows")
    assert set(box.locator("tbody td:first-child").all_inner_texts()) == set(map(str, ids))
    box.locator(".fit").select_option(index=0)


def test_a_term_says_what_it_means_to_the_mouse_and_to_the_keyboard(desk: Seen) -> None:
    page = desk.page
    term = page.locator("#s1-summary .term", has_text="AUGRC").first
    tip = page.get_by_role("tooltip")
    term.focus()
    page.mouse.move(300, 5)
    page.mouse.move(5, 300)  # as what lies below a mouse at rest does while the page glides
    assert tip.inner_text().startswith("Area under generalized risk over coverage")
    assert term.get_attribute("aria-describedby") == "tip"
    page.keyboard.press("Escape")
    assert tip.count() == 0
    page.wait_for_timeout(600)  # the page glides to what has the focus
    term.hover()
    tip.wait_for()
    broken = page.evaluate(
        "[...document.querySelectorAll('.term')]"
        ".filter(a => !document.querySelector(a.hash)).length"
    )
    assert (broken, page.locator(".term").count() > 30) == (0, True)


@pytest.mark.parametrize("device", ["pair_phone", "pair_screen"])
def test_the_verdict_with_its_interval_is_the_first_thing_read(
    device: str, request: pytest.FixtureRequest
) -> None:
    page = request.getfixturevalue(device)
    above = page.evaluate(
        "[...document.querySelectorAll('main :is(p, dl, h2)')].slice(0, 3)"
        ".map(e => [e.className || e.textContent, e.getBoundingClientRect().top])"
    )
    text = page.locator(".verdict").inner_text()
    assert [name for name, _ in above[:2]] == ["subtitle", "verdict"]
    assert [top for _, top in above] == sorted(top for _, top in above if top < 900)
    assert re.search(r"[−+]\d\.\d+ \[[−+]\d\.\d+, [−+]\d\.\d+\]", text), text


def test_a_dash_says_why_there_is_no_number(desk: Seen) -> None:
    page = desk.page
    dash = page.locator(".why").first
    dash.scroll_into_view_if_needed()
    page.wait_for_timeout(600)
    dash.hover()
    assert f"({page.get_by_role('tooltip').inner_text()})" == dash.locator(".said").inner_text()
    page.mouse.move(2, 2)


def test_numbers_stand_right_words_left_and_each_cell_has_its_own_direction(desk: Seen) -> None:
    def styles(selector: str, what: str) -> set[str]:
        return set(
            desk.page.evaluate(
                "([selector, what]) => [...document.querySelectorAll(selector)]"
                ".map(e => getComputedStyle(e)[what])",
                [selector, what],
            )
        )

    assert styles("td:has(> data), .cases td.n", "textAlign") == {"right"}
    assert styles("table:not(.numbers) td:not(.n), td.t, tbody th:not(.n)", "textAlign") == {"left"}
    assert styles("main th, main td", "unicodeBidi") == {"plaintext"}


def test_the_contents_stay_in_sight_and_mark_where_one_is(desk: Seen) -> None:
    page = desk.page
    for target in ("s1-cases", "s2-ranking"):
        page.evaluate(
            f"document.getElementById('{target}').scrollIntoView({{behavior: 'instant'}})"
        )
        link = page.locator(f".contents a[href='#{target}'][aria-current]")
        link.wait_for()
        box = link.bounding_box()
        assert box is not None
        assert 0 <= box["y"] < 900
        assert 0 <= box["x"] < 1100


def test_the_contents_of_a_phone_are_one_line(phone: Any) -> None:
    phone.locator("#s1-honest").scroll_into_view_if_needed()
    link = phone.locator(".contents a[href='#s1-honest'][aria-current]")
    link.wait_for()
    assert phone.locator(".contents").bounding_box()["height"] < 60
    assert 0 <= link.bounding_box()["x"] < 390


def test_a_point_of_a_curve_leads_to_the_accepted_rows(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as seen:
        open_studies(seen.page)
        points = seen.page.locator(f"{CURVE} .mark-symbol.role-mark path")
        shown = points.evaluate_all(
            "marks => marks.findIndex(m => m.__data__.opacity > 0.5 && m.__data__.datum.n > 60)"
        )
        datum = points.nth(shown).evaluate("e => e.__data__.datum")
        points.nth(shown).dispatch_event("click")
        count = seen.page.locator(".cases .count").first.inner_text()
    assert f"1–50 of {datum['n']} rows" in count


def test_links_land_where_they_point(browser: Any, page_file: Path) -> None:
    contexts = {
        target: browser.new_context(viewport={"width": 1440, "height": 900})
        for target in ("s1-cases", "s2", "methods")
    }
    for target, context in contexts.items():  # beside each other: they settle at the same time
        page = context.new_page()
        page.goto(f"{page_file.as_uri()}#{target}", wait_until="commit")
    for context in contexts.values():
        (page,) = context.pages
        page.wait_for_selector("html[data-ready=yes]", state="attached", timeout=90_000)
    page.wait_for_timeout(800)
    for target, context in contexts.items():
        (page,) = context.pages
        place = page.evaluate(f"document.getElementById('{target}').getBoundingClientRect().top")
        low = page.evaluate(
            "document.documentElement.scrollHeight - window.scrollY - window.innerHeight"
        )
        context.close()
        assert abs(place) < 120 or low < 2, (target, place, low)


def test_open_tables_do_not_widen_the_page(phone: Any, paper: Any) -> None:
    for page, width in ((phone, 390), (paper, 720)):
        unfold(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        unfold(page, are_open=False)
        open_studies(page)


def test_print_opens_the_studies_and_names_what_is_closed(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as seen:
        page = seen.page
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        studies, closed = page.evaluate(
            """[[...document.querySelectorAll('details.study')].map(d => d.open),
                [...document.querySelectorAll('details:not([open]) > summary')].map(s =>
                    getComputedStyle(s, '::after').content)]"""
        )
        assert page.locator(".cases .count").first.inner_text() == "1–50 of 328 rows"
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert studies == [True, True]
        assert len(closed) > 10
        assert {*closed} == {'" (closed)"'}
        assert page.evaluate("document.querySelectorAll('details.study[open]').length") == 0


SCREEN = 900
"""Pixels: a laptop's screen is 1440 wide and so high."""


def sides(page: Any) -> int:
    """How many sides of A4 it takes."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))


def test_a_study_is_answered_on_one_screen_and_told_on_six(
    browser: Any, page_file: Path, single: Evaluation, pair_file: Path, tmp_path: Path
) -> None:
    from acumen.report.html import write_report

    write_report([single], tmp_path / "one.html")
    write_report([KINDS["seven"]()], tmp_path / "seven.html")
    for path in (tmp_path / "one.html", pair_file, tmp_path / "seven.html"):
        with opened(browser, path, width=1440) as seen:
            page = seen.page
            below = page.evaluate(
                "['.verdict', '.first figure svg', '.first .facts'].map(part =>"
                " document.querySelector(part).getBoundingClientRect().bottom)"
            )
            height = page.evaluate("document.documentElement.scrollHeight")
            assert max(below) <= SCREEN, below
            assert height <= 6 * SCREEN
            assert sides(page) <= 8


def test_on_paper_no_part_of_a_page_lies_on_another(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, width=720) as seen:
        page = seen.page
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        over = page.evaluate(
            """[...document.querySelectorAll('section, .scroll, figure')].filter(part =>
                part.offsetHeight && part.scrollHeight > part.clientHeight + 2
                && getComputedStyle(part).maxHeight !== 'none').map(part => part.outerHTML)"""
        )
        assert over == []
        assert page.locator(".act").count() > 3
        assert not any(act.is_visible() for act in page.locator(".act").all())
        swatch, question = page.evaluate(
            "['.swatch', '.question'].map(s => getComputedStyle(document.querySelector(s)))"
            ".map(style => [style.printColorAdjust, style.breakAfter])"
        )
        assert (swatch[0], question[1]) == ("exact", "avoid")
        line = page.evaluate("document.querySelector('.cases tbody tr').offsetHeight")
        assert line < 22, "a case is one low line"
        rows = page.evaluate(
            "[...document.querySelectorAll('.cases tbody')].map(b =>"
            " [...b.rows].filter(r => r.offsetHeight).length)"
        )
        assert rows == [15, 15]


def test_several_studies_are_a_line_each(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file, width=1440) as seen:
        page = seen.page
        assert page.evaluate("document.documentElement.scrollHeight") <= 2 * SCREEN
        lines = page.locator("details.study > summary")
        assert lines.count() == 2
        for line in lines.all():
            assert line.locator(".verdict").is_visible()
            assert re.search(r"\d", line.locator(".line").inner_text())
        assert not page.locator(".cases").first.is_visible()
        page.locator(".contents .study").nth(1).click()
        assert page.evaluate(
            "[...document.querySelectorAll('.study > summary')].map(s => s.parentElement.open)"
        ) == [False, True]


def test_tables_and_charts_can_be_saved(desk: Seen) -> None:
    page = desk.page

    def saved(label: str) -> bytes:
        with page.expect_download() as download:
            page.locator(f'button[aria-label="{label}"]').first.evaluate("b => b.click()")
        return Path(download.value.path()).read_bytes()

    table = saved("save Confusion as CSV").decode()
    assert table.splitlines()[0].startswith("input,truth,predicted 0")
    assert saved("save Confusion as LaTeX").startswith(b"\\begin{tabular}")
    assert b"| --- |" in saved("save Confusion as Markdown")
    image = saved("save Truth and prediction as SVG")
    assert image.startswith(b"<svg")
    assert b"currentColor" not in image
    assert saved("save Truth and prediction as PNG").startswith(b"\x89PNG")
    assert desk.requests == [] or all(r.startswith("blob:") for r in desk.requests)
    assert desk.console == []


def colours(page: Any) -> tuple[str, str, str]:
    """Of the page's text, of a chart's labels, of the paper."""
    ink, label, paper = page.evaluate(
        f"""[getComputedStyle(document.body).color,
             getComputedStyle(document.querySelector('{CURVE} .role-axis-label text')).fill,
             getComputedStyle(document.body).backgroundColor]"""
    )
    return ink, label, paper


def test_charts_take_the_colour_of_the_page(browser: Any, desk: Seen, page_file: Path) -> None:
    with opened(browser, page_file, scheme="dark") as seen:
        dark = colours(seen.page)
    light = colours(desk.page)
    for ink, label, _ in (light, dark):
        assert label == ink
    brightness = [sum(map(int, paper[4:-1].split(","))) for _, _, paper in (light, dark)]
    assert brightness[1] < 384 < brightness[0]


def cut(page: Any) -> list[str]:
    """Words of charts that reach out of their chart, or lie on one another."""
    found: list[str] = page.evaluate(
        """[...document.querySelectorAll('.chart')].flatMap(chart => {
            const box = chart.getBoundingClientRect();
            const low = chart.querySelector('svg')?.getBoundingClientRect().bottom;
            const words = [...chart.querySelectorAll('svg text:not([opacity="0"])')]
                .map(text => [text.textContent, text.getBoundingClientRect()])
                .filter(([text, word]) => word.width && text.trim());
            const out = words.filter(([, word]) => word.left < box.left - 1
                || word.right > box.right + 1 || word.bottom > low + 1);
            const over = words.filter(([, one], at) => words.slice(at + 1).some(([, other]) =>
                Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2
                && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 4));
            return [...out, ...over].map(([text]) => `${chart.id}: ${text}`);
        })"""
    )
    return found


def test_no_word_of_a_notebook_s_picture_is_cut(browser: Any, single: Evaluation) -> None:
    """Though the reader's letters are wider than those it was measured with."""
    from acumen.charts import CHARTS, chart
    from acumen.charts.export import svg_of

    page = browser.new_page()
    for name in CHARTS:
        if name not in ("deltas", "leaderboard", "slices"):
            picture = svg_of(chart(name, single.document, functions=["llm", "token_msp"])).decode()
            wider = picture.replace("Liberation Sans, Arial", "DejaVu Sans, Verdana")
            page.set_content(f"<div class='chart' id='{name}'>{wider}</div>")
            page.add_style_tag(content=".chart { width: max-content; }")
            assert cut(page) == []
    page.close()


def test_a_phone_shows_it_without_scrolling_sideways(
    desk: Seen, phone: Any, pair_phone: Any
) -> None:
    for page in (desk.page, phone, pair_phone):
        unfold(page)
        assert cut(page) == []
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    wide = phone.evaluate(
        "[...document.querySelectorAll('.chart svg')].map(s => s.getBoundingClientRect().width)"
    )
    assert max(wide) <= 390


def test_no_word_of_a_table_is_broken_on_a_phone_and_no_cell_is_a_column_of_words(
    browser: Any, pair_phone: Any, tmp_path: Path
) -> None:
    """Neither in the heads beside the slider, nor in the last column of what scrolls sideways."""
    from acumen.report.html import write_report

    broken = """[...document.querySelectorAll('.cut thead th')].filter(head => {
        const range = document.createRange(), { firstChild: text } = head;
        return [...text.data.matchAll(/\\S+/g)].some(word => {
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            return range.getClientRects().length > 1;
        });
    }).map(head => head.textContent)"""
    assert pair_phone.locator(".cut thead th").count() == 4
    assert pair_phone.evaluate(broken) == []
    write_report([EVERY["survey"](), KINDS["label"]()], tmp_path / "tables.html")
    with opened(browser, tmp_path / "tables.html", width=390) as seen:
        unfold(seen.page)
        tall = seen.page.evaluate(
            "[...document.querySelectorAll('.scroll td')].filter(d => d.offsetHeight > 75)"
            ".map(d => d.textContent)"
        )
        assert tall == []


def test_no_word_of_a_chart_is_cut_at_any_width(
    browser: Any, page_file: Path, tmp_path: Path
) -> None:
    """Neither the last number of an axis, nor the last line of a legend or of small charts."""
    from acumen.report.html import write_report

    write_report([KINDS["seven"](), KINDS["rate"]()], tmp_path / "others.html")
    for path in (page_file, tmp_path / "others.html"):
        for width in (390, 720):
            with opened(browser, path, width=width) as seen:
                unfold(seen.page)
                assert cut(seen.page) == [], width


@pytest.mark.parametrize("count", [2, 7])
@pytest.mark.parametrize("filler", [" of a long name", "_abcdefghij"])
def test_names_of_a_hundred_letters_overflow_nothing(
    browser: Any, tmp_path: Path, filler: str, count: int
) -> None:
    from acumen.report.html import write_report

    def longer(name: str) -> str:
        return f"{name}{filler * 12}"[:100]

    named = ("system", "item", "site", "id")
    rows = [
        {key: longer(value) if key in named else value for key, value in row.items()}
        for row in systems(count)
    ]
    reading: dict[str, Any] = {"system": "system", "item": "item", "by": ["site"]}
    write_report([acumen.evaluate(rows, **reading, resamples=0)], tmp_path / "long.html")
    for width in (390, 720, 1440):
        with opened(browser, tmp_path / "long.html", width=width) as seen:
            unfold(seen.page)
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
            assert cut(seen.page) == []


def test_on_paper_no_table_is_wider_than_the_page(paper: Any) -> None:
    paper.emulate_media(media="print", color_scheme="light")
    paper.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    widths = paper.evaluate(
        "[...document.querySelectorAll('table')].map(t => [t.getBoundingClientRect().width,"
        " t.caption.textContent])"
    )
    assert [found for found in widths if found[0] > 721] == []
    assert paper.evaluate("document.documentElement.scrollWidth") <= 720
    paper.evaluate("window.dispatchEvent(new Event('afterprint'))")
    paper.emulate_media(media="screen")


def test_no_two_landmarks_of_a_page_have_one_name(browser: Any, tmp_path: Path) -> None:
    """Two studies of a kind have sections of the same titles."""
    from acumen.report.html import write_report

    write_report([KINDS["compare"](), KINDS["slices"]()], tmp_path / "two.html")
    with opened(browser, tmp_path / "two.html") as seen:
        names = seen.page.evaluate(
            "[...document.querySelectorAll('section[aria-label], section[aria-labelledby], nav,"
            " aside')].map(part => part.getAttribute('aria-label') ??"
            " document.getElementById(part.getAttribute('aria-labelledby')).textContent)"
        )
        assert len(names) == len({*names}) >= 4, names


def test_headings_are_in_order_and_everything_is_named(desk: Seen) -> None:
    page = desk.page
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))"
    )
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    unnamed = page.evaluate(
        "[...document.querySelectorAll('.chart, [role=group]')]"
        ".filter(e => !e.getAttribute('aria-label')).length"
    )
    links = page.evaluate(
        "[...document.querySelectorAll('nav a')].filter(a => "
        "!document.getElementById(a.getAttribute('href').slice(1))).length"
    )
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert len(ids) == len(set(ids))
    assert unnamed == links == 0


TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def faults(browser: Any, path: Path, schemes: tuple[str, ...] = ("light", "dark")) -> list[str]:
    """What axe finds on a page with all open: its tables, the panel of a case, a term's words."""
    axe = pytest.importorskip("axe_playwright_python", reason="it is in the extra `test`")
    engine = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    found = []
    # the content policy is the page's, and the engine is not of the page
    with opened(browser, path, scheme=schemes[0], bypass_csp=True) as seen:
        page = seen.page
        page.evaluate(engine)
        unfold(page)
        for opener in page.locator(".open").all()[:1]:
            opener.click()
        for term in page.locator(".term").all()[:1]:
            term.focus()
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            told = page.evaluate(
                "tags => axe.run(document, {resultTypes: ['violations'], runOnly: tags})", TAGS
            )
            found += [
                f"{scheme} {v['id']} {v['nodes'][0]['html'][:200]}" for v in told["violations"]
            ]
    return found


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing(browser: Any, pair_file: Path, scheme: str) -> None:
    assert faults(browser, pair_file, (scheme,)) == []


@pytest.mark.slow
def test_the_demo_is_read_on_few_screens_and_printed_on_twenty_sides(
    browser: Any, tmp_path: Path
) -> None:
    from acumen.cli import run

    assert run(["demo", str(tmp_path), "--resamples", "200"]) == 0
    with opened(browser, tmp_path / "report.html", width=1440) as seen:
        assert seen.page.evaluate("document.documentElement.scrollHeight") <= 12 * SCREEN
        seen.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert sides(seen.page) <= 20
        assert (seen.console, seen.requests) == ([], [])


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_axe_finds_nothing_on_the_page_of_the_demo(browser: Any, tmp_path: Path) -> None:
    from acumen.cli import run

    assert run(["demo", str(tmp_path), "--resamples", "200"]) == 0
    assert faults(browser, tmp_path / "report.html") == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", EVERY)
def test_a_page_of_any_kind_is_drawn_fits_and_has_no_fault(
    browser: Any, tmp_path: Path, kind: str
) -> None:
    from acumen.report.html import write_report

    path = tmp_path / f"{kind}.html"
    write_report([EVERY[kind]()], path)
    for width in (390, 720, 1440):
        with opened(browser, path, width=width) as seen:
            page = seen.page
            unfold(page)
            assert (
                page.evaluate("[...document.querySelectorAll('.chart:not([data-drawn=yes])')]")
                == []
            )
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert cut(page) == []
            assert page.evaluate(SMALL) == []
            assert (seen.console, seen.requests) == ([], [])
    assert faults(browser, path) == []


SMALL = """[...document.querySelectorAll('a, button, summary, select, input')].filter(e => {
    const box = e.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && Math.min(box.width, box.height) < 24;
}).map(e => e.outerHTML)"""
"""What one cannot hit with a finger."""


def test_studies_with_little_to_show_are_drawn_without_a_word(browser: Any, tmp_path: Path) -> None:
    from acumen.report.html import write_report

    silent = toy_run(3)
    for case in silent["experiments"][0]["results"]["results"]:
        case["predicted_items"] = dict.fromkeys(case["predicted_items"])
    plan = Plan(options=Options(resamples=50))
    tables = [run_from_document(run) for run in (silent, toy_run(1))]
    write_report([evaluate(t, None, plan) for t in tables], tmp_path / "little.html")
    with opened(browser, tmp_path / "little.html") as seen:
        unfold(seen.page)
        drawn = seen.page.evaluate(
            "[...document.querySelectorAll('.chart')].map(c => [c.id, c.dataset.drawn].join())"
        )
        text = seen.page.inner_text("main")
    # all abstained: nothing is right, and there is no risk to draw
    silent_one = [chart for chart in drawn if chart.startswith("s1-")]
    assert silent_one == ["s1-chart-confusion,yes"]
    assert all(chart.endswith("yes") for chart in drawn)
    assert "24 abstained" in text
    assert seen.console == []


def test_a_hundred_thousand_rows_are_paged_and_thinned(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "large.html"
    write_large_page(path)
    with opened(browser, path) as seen:
        count = seen.page.inner_text(".cases .count")
        points = seen.page.evaluate(
            f"document.querySelectorAll('{CURVE} .mark-symbol path').length"
        )
        rows = seen.page.evaluate("document.querySelectorAll('.cases tbody tr').length")
    assert count == "1–50 of 100000 rows"
    assert rows == 50
    assert points < 13 * 200 + 40
    assert path.stat().st_size < 3_000_000
