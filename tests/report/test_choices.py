"""What a reader chooses on a page: the confidence function, the cut, the rows of the table."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.declare import keywords_of
from acumen.questions.evaluation import Evaluation
from acumen.readers.reading import Reading
from acumen.report.html import write_report
from acumen.report.selective.cut import CARRIED, commands
from acumen.studies import phq8_run
from tests.report.opened import Seen, opened, unfold

CURVE = "#s1-chart-risk-coverage"


@pytest.fixture(scope="module")
def desk(browser: Any, single: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The page of one study of thirteen functions; tests leave it as they found it."""
    path = tmp_path_factory.mktemp("choices") / "page.html"
    write_report([single], path)
    with opened(browser, path) as seen:
        unfold(seen.page)
        yield seen


@pytest.fixture(scope="module")
def filed(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """Two modes of a run that lies in a file with a blank in its name."""
    from acumen.files.json import write_json

    path = tmp_path_factory.mktemp("filed") / "a run.json"
    write_json(path, phq8_run())
    tables = [acumen.read(path, mode=mode) for mode in ("zero_shot", "few_shot")]
    return acumen.evaluate(*tables, confidence="token_msp,verbalized", resamples=0)


def drawn(page: Any, chart: str, mark: str, least: float = 0.5) -> set[str]:
    """The functions whose marks are seen in full."""
    found: list[str] = page.evaluate(
        f"""[...document.querySelectorAll('#s1-chart-{chart} {mark} path')].map(p => p.__data__)
            .filter(d => (d.opacity ?? 1) > {least} && d.datum.f).map(d => d.datum.f)"""
    )
    return set(found)


def test_one_choice_of_the_function_is_followed_by_every_chart(
    desk: Seen, single: Evaluation
) -> None:
    page, best = desk.page, single.document.best
    assert best is not None
    marks = {
        "risk-coverage": ".mark-symbol.role-mark",
        "generalized-risk": ".mark-symbol.role-mark",
        "reliability": ".mark-symbol.role-mark",
        "confidence": ".mark-rect.role-mark",
    }

    def seen() -> dict[str, set[str]]:
        return {chart: drawn(page, chart, mark) for chart, mark in marks.items()}

    assert page.locator(".chooser").count() == 1
    assert seen() == {chart: {best.name} for chart in marks}
    page.locator(".chooser .function").select_option("token_energy")
    page.wait_for_function(
        "document.querySelector('#s1-chart-confidence .mark-rect path').__data__.datum.f"
        " === 'token_energy'"
    )
    assert seen() == {chart: {"token_energy"} for chart in marks}
    assert page.locator(f"figure:has({CURVE}) .legend").inner_text().strip() == "token_energy"
    assert "s1.function=token_energy" in page.url
    page.locator(".chooser .beside").select_option("llm")
    page.wait_for_timeout(200)
    assert drawn(page, "risk-coverage", ".mark-symbol.role-mark") == {"token_energy", "llm"}
    page.locator(".chooser .beside").select_option("all others")
    page.wait_for_timeout(200)
    every = {*single.document.confidence_variants}
    assert drawn(page, "risk-coverage", ".mark-symbol.role-mark") == every
    page.locator(".chooser .beside").select_option("nothing")
    page.locator(".chooser .function").select_option(best.name)
    page.wait_for_timeout(200)
    assert "s1.function" not in page.url
    assert desk.console == []


def test_the_choice_comes_back_with_the_address(browser: Any, desk: Seen) -> None:
    page = desk.page
    address = page.url.split("#")[0]
    page.goto("about:blank")
    page.goto(f"{address}#s1?s1.function=verbalized&s1.beside=llm")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    assert page.locator(".chooser .function").input_value() == "verbalized"
    assert drawn(page, "risk-coverage", ".mark-symbol.role-mark") == {"verbalized", "llm"}
    page.goto("about:blank")
    page.goto(f"{address}#s1?s1.function=<b>&s1.beside=nobody")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    assert page.locator(".chooser .beside").input_value() == "none"
    unfold(page)


def test_a_chart_of_the_page_has_one_legend(desk: Seen) -> None:
    page = desk.page
    figure = page.locator("figure", has=page.locator(CURVE))
    assert figure.locator(".legend").count() == 1
    assert figure.locator(".role-legend").count() == 0


def test_the_frame_holds_the_whole_band_of_whatever_is_chosen(
    desk: Seen, single: Evaluation
) -> None:
    page = desk.page
    for function in ("token_pe", "llm", "token_energy"):
        page.locator(".chooser .function").select_option(function)
        page.wait_for_timeout(200)
        band = single.document.summaries[0].functions[function].band
        assert band is not None
        top = page.evaluate(f"document.querySelector('{CURVE}').acumenView.scale('y').domain()[1]")
        assert max(band.selective_high) <= top <= 1.25 * max(band.selective_high)
    page.locator(".chooser .function").select_option("token_pe")


def test_a_slider_says_what_is_kept_how_wrong_it_is_and_leads_to_the_cases(
    desk: Seen, single: Evaluation
) -> None:
    page, rows = desk.page, single.document.rows[0]
    confidence: Any = rows.confidence["token_msp"]
    page.locator(".chooser .function").select_option("token_msp")
    cut = page.locator(".cut")
    cut.locator(".at").fill("0.8")
    cut.locator(".at").press("Enter")
    kept = [at for at, value in enumerate(confidence) if value is not None and value >= 0.8]
    wrong = [at for at in kept if rows.prediction[at] != rows.truth[at]]
    curve = single.document.confidence_variants["token_msp"].curve
    place = max(at for at, value in enumerate(curve.threshold) if value >= 0.8)
    cells = cut.locator("tbody td").all_inner_texts()
    assert cells == [
        f"{len(kept) / len(rows.case):.1%} {len(kept)} rows",
        f"{curve.selective_risk[place]:.4f}",
        str(len(wrong)),
    ]
    cut.get_by_role("button", name=str(len(wrong)), exact=True).click()
    box = page.locator(".cases")
    assert f"of {len(wrong)} rows (of 328 in all)" in box.locator(".count").inner_text()
    assert box.locator("tbody tr.wrong").count() == min(50, len(wrong))
    slid = cut.locator("input[type=range]")
    slid.focus()
    page.keyboard.press("End")
    assert cut.locator("tbody td").first.inner_text().startswith("80.5%")
    page.keyboard.press("Home")
    assert cut.locator("tbody td").first.inner_text().startswith("0.3%")
    # where the curve is cut is marked on it
    marked = page.evaluate(
        f"[...document.querySelectorAll('{CURVE} .mark-symbol path')]"
        ".filter(p => p.__data__.size === 170).map(p => p.__data__.datum.c)"
    )
    assert marked == [pytest.approx(curve.coverage[0], rel=1e-5)]
    box.get_by_role("button", name="clear all").click()
    page.locator(".chooser .function").select_option("token_pe")
    assert desk.console == []


def test_the_slider_gives_the_command_that_promises_the_error_for_new_cases(
    browser: Any, filed: Evaluation, tmp_path: Path
) -> None:
    write_report([filed], tmp_path / "filed.html")
    with opened(browser, tmp_path / "filed.html") as seen:
        unfold(seen.page)
        told = seen.page.locator(".cut code").all_inner_texts()
        errors = seen.page.locator(".cut tbody tr td:nth-child(3)").all_inner_texts()
    assert len(told) == len(filed.document.inputs) == 2
    for words, source, error in zip(
        map(shlex.split, told), filed.document.inputs, errors, strict=True
    ):
        assert words[:5] == ["acumen", "threshold", source.path, "--mode", source.mode]
        function, risk = words[-3], float(words[-1])
        assert (words[-4], function, words[-2]) == (
            "--confidence",
            filed.document.best_function,
            "--risk",
        )
        assert float(error) <= risk < float(error) + 0.01
        threshold = acumen.threshold(source.path, mode=source.mode, confidence=function, risk=risk)
        assert threshold.document.confidence == function


def test_the_command_keeps_how_rows_are_read_and_chooses_the_system(filed: Evaluation) -> None:
    words = "acumen evaluate r.csv --system who --levels 0,1 --loss zero_one --seed 3 --strict"
    inputs = [i.model_copy(update={"path": "r.csv", "mode": None}) for i in filed.document.inputs]
    update = {"command": words, "inputs": inputs, "systems": ["a b", "c"]}
    found = commands(filed.document.model_copy(update=update))
    assert found["a b"] == (
        "acumen threshold r.csv --where 'who=a b' --levels 0,1 --loss zero_one --strict"
    )
    assert set(found) == {"a b", "c"}
    assert commands(filed.document.model_copy(update={"command": None})) == {}
    broken = filed.document.model_copy(update={"command": "acumen evaluate 'r"})
    assert all(text.startswith("acumen threshold ") for text in commands(broken).values())


def test_the_command_keeps_whatever_says_how_rows_are_read() -> None:
    reading = {parameter.option for parameter in keywords_of(Reading)}
    assert {*CARRIED} == reading | {"--loss", "--calibration"}


def test_a_range_is_typed_and_every_filter_is_a_chip_that_clears_it(
    desk: Seen, single: Evaluation
) -> None:
    rows = single.document.rows[0]
    box = desk.page.locator(".cases")
    box.locator(".which").select_option("token_msp")
    box.locator(".low").fill("0.6")
    box.locator(".high").fill("0.7")
    box.locator(".high").press("Enter")
    values: list[Any] = rows.confidence["token_msp"]
    within = [at for at, v in enumerate(values) if v is not None and 0.6 <= v <= 0.7]
    assert f"of {len(within)} rows" in box.locator(".count").inner_text()
    box.locator(".outcome").select_option("wrong")
    box.locator(".search").fill("sleep")
    chips = box.locator(".chips button")
    assert chips.all_inner_texts() == [
        "“sleep” ×",
        "outcome: wrong ×",
        "token_msp from 0.6 up to 0.7 ×",
        "clear all",
    ]
    chips.nth(1).click()
    assert box.locator(".outcome").input_value() == ""
    assert chips.count() == 3
    chips.last.click()
    assert chips.count() == 0
    assert [box.locator(f).input_value() for f in (".search", ".low", ".high")] == [""] * 3
    assert box.locator(".count").inner_text() == "1–50 of 328 rows"


def test_wrong_answers_are_tinted_of_one_system_the_row_of_several_the_answer(
    browser: Any, desk: Seen, paired: Evaluation, tmp_path: Path
) -> None:
    tinted = desk.page.evaluate(
        "[...document.querySelectorAll('.cases tbody tr')].map(r => "
        "[r.cells[4].textContent === 'wrong', r.classList.contains('wrong')])"
    )
    assert all(wrong == tint for wrong, tint in tinted)
    assert any(tint for _, tint in tinted)
    write_report([paired], tmp_path / "pair.html")
    with opened(browser, tmp_path / "pair.html") as seen:
        cells = seen.page.evaluate(
            "[...document.querySelectorAll('.cases tbody tr')].map(r => [r.cells[2].textContent,"
            " ...[...r.cells].slice(4, 6).map(c => [c.innerText, c.classList.contains('wrong')])])"
        )
    for truth, *answers in cells:
        assert [tint for _, tint in answers] == [said not in ("–", truth) for said, _ in answers]


def focused(page: Any) -> dict[str, Any]:
    """The data of the mark that has the focus."""
    datum: dict[str, Any] = page.evaluate("document.activeElement.__data__?.datum ?? {}")
    return datum


def test_marks_that_lead_to_cases_are_reached_by_keyboard(desk: Seen) -> None:
    page = desk.page
    stops = page.evaluate(
        "[...document.querySelectorAll('.chart')].map(c => [c.classList.contains('leads'),"
        " c.querySelectorAll('[tabindex=\"0\"]').length])"
    )
    assert {(leads, n) for leads, n in stops} == {(True, 1), (False, 0)}
    said = page.locator("figure:has(.leads) .caption").all_inner_texts()
    assert all(text.endswith("Choose a mark to see its cases.") for text in said)
    page.locator("#s1-chart-confusion [tabindex='0']").focus()
    first = focused(page)
    assert (first["t"], first["p"]) == ("0", "0")
    page.keyboard.press("ArrowRight")
    second = focused(page)
    assert (second["t"], second["p"]) == ("0", "1")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert "truth 0" in label
    assert "prediction 1" in label
    assert f"rows {second['n']}" in label
    page.keyboard.press("Enter")
    count = page.locator(".cases .count").inner_text()
    assert f"of {second['n']} rows (of 328 in all)" in count
    page.locator(".cases .chips button").last.click()
    assert desk.console == []


def test_a_study_of_one_function_has_a_cut_and_nothing_to_choose(
    browser: Any, tmp_path: Path
) -> None:
    rows = [
        {"case": c, "truth": c % 3, "prediction": (c % 3) if c % 4 else 0, "confidence": c / 40}
        for c in range(40)
    ]
    study = acumen.evaluate(rows, levels=[0, 1, 2], resamples=0)
    write_report([study], tmp_path / "one.html")
    with opened(browser, tmp_path / "one.html") as seen:
        assert seen.page.locator(".chooser").count() == 0
        assert seen.page.locator(".cut").is_visible()
        assert seen.page.locator(".cut code").count() == 0  # these rows lie in no file
        assert seen.console == []
