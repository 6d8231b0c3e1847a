"""The page in a real browser, opened from disk."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from acumen.evaluation.evaluation import Evaluation
from acumen.inference.options import Options
from acumen.readers.run import run_from_document
from benchmarks.page import write_large_page
from tests.report.opened import Seen, hovered, opened
from tests.report.studies import Plan, evaluate
from tests.toy_runs import toy_run

CURVE = "#s1-chart-risk-coverage"


@pytest.fixture(scope="module")
def desk(browser: Any, page_file: Path) -> Iterator[Seen]:
    """The page on a desk, opened once: each test looks at a part of it that no other changes."""
    with opened(browser, page_file) as seen:
        yield seen


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


def test_the_legend_of_the_reliability_chart_singles_out_too(
    desk: Seen, single: Evaluation
) -> None:
    chart = "#s1-chart-reliability"

    def clear(page: Any) -> set[str]:
        found: list[str] = page.evaluate(
            f"""[...document.querySelectorAll('{chart} .mark-symbol.role-mark path')]
                .map(p => p.__data__).filter(d => d.opacity > 0.5).map(d => d.datum.f)"""
        )
        return set(found)

    def pressed(page: Any) -> set[str]:
        found: list[str] = page.evaluate(
            f"""[...document.querySelectorAll('{chart} [aria-pressed=true]')]
                .map(e => e.getAttribute('aria-label').replace('single out ', ''))"""
        )
        return set(found)

    page = desk.page
    (first,) = clear(page)
    assert pressed(page) == {first}
    other = next(f for f in ("token_msp", "verbalized") if f != first)
    page.locator(f'{chart} [aria-label="single out {other}"]').focus()
    page.keyboard.press(" ")
    assert clear(page) == pressed(page) == {first, other}
    page.locator(f'{chart} [aria-label="single out {first}"] text').click()
    assert clear(page) == pressed(page) == {other}
    assert desk.console == []


def test_only_legends_that_single_out_are_buttons(desk: Seen, single: Evaluation) -> None:
    buttons = desk.page.evaluate(
        "[...document.querySelectorAll('.chart [role=button]')]"
        ".map(e => [e.closest('.chart').id, e.getAttribute('aria-label')])"
    )
    charts = {chart for chart, _ in buttons}
    assert charts == {f"s1-chart-{n}" for n in ("risk-coverage", "generalized-risk", "reliability")}
    told = [label for chart, label in buttons if chart == CURVE.removeprefix("#")]
    assert sorted(told) == sorted(f"single out {f}" for f in single.artifact.confidence_variants)


def faint(page: Any) -> dict[str, float]:
    """The opacity of each function's curve."""
    found: dict[str, float] = page.evaluate(
        f"""Object.fromEntries([...document.querySelectorAll('{CURVE} .mark-line path')]
            .filter(p => p.__data__ && p.__data__.datum.t !== undefined)
            .map(p => [p.__data__.datum.f, p.__data__.opacity]))"""
    )
    return found


def test_the_legend_singles_a_function_out_by_mouse_and_by_keyboard(
    desk: Seen, single: Evaluation
) -> None:
    best = single.artifact.best
    assert best is not None
    other = next(f for f in single.artifact.confidence_variants if f != best.name)
    page = desk.page
    before = faint(page)
    assert set(before) == set(single.artifact.confidence_variants)
    assert {f for f, opacity in before.items() if opacity == 1} == {best.name}
    entry = page.locator(f'{CURVE} [aria-label="single out {other}"]')
    entry.locator("text").click()
    assert {f for f, o in faint(page).items() if o == 1} == {best.name, other}
    entry = page.locator(f'{CURVE} [aria-label="single out {best.name}"]')
    entry.focus()
    page.keyboard.press("Enter")
    assert {f for f, o in faint(page).items() if o == 1} == {other}
    assert desk.console == []


def test_hovering_a_point_tells_coverage_risk_threshold_and_count(desk: Seen) -> None:
    page = desk.page
    # the points of functions that are not singled out are there to be hovered as well
    told = hovered(page, f"{CURVE} .mark-symbol.role-mark path", 60)
    for word in ("coverage", "selective risk", "threshold", "accepted rows"):
        assert word in told


def test_the_table_of_cases_filters_searches_sorts_and_turns_pages(
    desk: Seen, single: Evaluation
) -> None:
    rows = single.artifact.rows[0]
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
    assert desk.console == []


def test_a_confidence_function_can_be_chosen_for_its_distribution(
    desk: Seen, single: Evaluation
) -> None:
    summary = single.artifact.summaries[0].functions["llm"].distribution
    desk.page.select_option("#s1-chart-confidence select", label="llm")
    heights = desk.page.evaluate(
        "[...document.querySelectorAll('#s1-chart-confidence .mark-rect path')]"
        ".map(p => p.__data__.datum.n)"
    )
    assert sorted(heights) == sorted([*summary.right, *summary.wrong, summary.abstained])
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
    """Words of charts that reach out of the box of their chart."""
    found: list[str] = page.evaluate(
        """[...document.querySelectorAll('.chart')].flatMap(chart => {
            const box = chart.getBoundingClientRect();
            return [...chart.querySelectorAll('svg text')].filter(text => {
                const word = text.getBoundingClientRect();
                return word.width && (word.left < box.left - 1 || word.right > box.right + 1);
            }).map(text => `${chart.id}: ${text.textContent}`);
        })"""
    )
    return found


def test_a_phone_shows_it_without_scrolling_sideways(
    browser: Any, desk: Seen, page_file: Path, paired: Evaluation, tmp_path: Path
) -> None:
    from acumen.report.html import write_report

    assert cut(desk.page) == []
    write_report([paired], tmp_path / "paired.html")
    with opened(browser, tmp_path / "paired.html", width=390) as seen:
        assert cut(seen.page) == []
    with opened(browser, page_file, width=390) as seen:
        assert cut(seen.page) == []
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
        wide = seen.page.evaluate(
            "[...document.querySelectorAll('.chart svg')].map(s => s.getBoundingClientRect().width)"
        )
    assert max(wide) <= 390


def test_printing_opens_the_tables(desk: Seen) -> None:
    page = desk.page
    assert page.evaluate("document.querySelectorAll('details[open]').length") == 0
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.querySelectorAll('details:not([open])').length") == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.querySelectorAll('details[open]').length") == 0


def test_on_paper_no_table_is_wider_than_the_page(browser: Any, page_file: Path) -> None:
    """A4 between its margins is 720 pixels wide."""
    with opened(browser, page_file, width=720) as seen:
        seen.page.emulate_media(media="print", color_scheme="light")
        seen.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        widths = seen.page.evaluate(
            "[...document.querySelectorAll('table')].map(t => [t.getBoundingClientRect().width,"
            " t.caption.textContent])"
        )
        assert [found for found in widths if found[0] > 721] == []
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 720


def test_headings_are_in_order_and_everything_is_named(desk: Seen) -> None:
    page = desk.page
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))"
    )
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    unnamed = page.evaluate(
        "[...document.querySelectorAll('.chart, [role=region]')]"
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


def test_studies_with_little_to_show_are_drawn_without_a_word(browser: Any, tmp_path: Path) -> None:
    from acumen.report.html import write_report

    silent = toy_run(3)
    for case in silent["experiments"][0]["results"]["results"]:
        case["predicted_items"] = dict.fromkeys(case["predicted_items"])
    plan = Plan(options=Options(resamples=50))
    tables = [run_from_document(run) for run in (silent, toy_run(1))]
    write_report([evaluate(t, None, plan) for t in tables], tmp_path / "little.html")
    with opened(browser, tmp_path / "little.html") as seen:
        drawn = seen.page.evaluate(
            "[...document.querySelectorAll('.chart')].map(c => [c.id, c.dataset.drawn].join())"
        )
        text = seen.page.inner_text("main")
    # all abstained: nothing is right, and there is no risk to draw
    assert drawn[:2] == ["s1-chart-agreement,yes", "s1-chart-confusion,yes"]
    assert all(chart.endswith("yes") for chart in drawn)
    assert "No answer was given" in text
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
    assert path.stat().st_size < 12_000_000


def test_a_study_of_the_demo_s_size_stays_small(page_file: Path) -> None:
    assert page_file.stat().st_size < 2_500_000
