"""The page to label on, in a real browser, opened from disk."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.questions.marking import Marking
from tests.report.opened import Seen, opened
from tests.report.test_inert import PAYLOADS, Skeleton

TEXT = "Text of {case}, part {part}"


def rows(text: str = TEXT, levels: str = "12345") -> list[dict[str, Any]]:
    return [
        {"doc": f"d{c}", "part": f"p{r}", "ai": levels[(c * 7 + r) % len(levels)]}
        | {"text": text.format(case=c, part=r), "sure": (c * 37 + r * 11) % 100 / 100}
        for c in range(12)
        for r in range(c % 2 + 1)
    ]


def written(path: Path, data: Any = None, **options: Any) -> Marking:
    columns = {"case": "doc", "item": "part", "prediction": "ai", "confidence_column": "sure"}
    options = columns | {"levels": "1-5", "show": "text"} | options
    sample = acumen.label(data or rows(), budget=4, purpose="estimate", **options)
    assert isinstance(sample, Marking)
    sample.write_page(path)
    return sample


def begin(page: Any, name: str = "Ann") -> None:
    page.fill("#rater", name)
    page.press("#rater", "Enter")
    page.wait_for_selector("#task:not([hidden])")


def saved(page: Any, button: str) -> str:
    with page.expect_download() as download:
        page.click(button)
    return Path(download.value.path()).read_text("utf-8")


def labels_of(seen: Seen) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(saved(seen.page, "#csv"))))


def test_a_person_labels_with_keys_alone_and_takes_the_labels_away(
    browser: Any, tmp_path: Path
) -> None:
    sample = written(tmp_path / "mark.html")
    document, total = sample.document, sample.document.rows_drawn
    with opened(browser, tmp_path / "mark.html") as seen:
        page = seen.page
        assert page.locator("#task").is_hidden()
        page.keyboard.type("Ann")  # the name is where one begins to type
        page.keyboard.press("Enter")
        assert page.locator("#place").inner_text().startswith(f"1 of {total}: ")
        page.keyboard.press("3")
        page.keyboard.press("u")
        assert page.locator("#count").inner_text() == f"2 of {total} labelled"
        page.keyboard.press("ArrowLeft")
        assert page.locator("button[aria-pressed=true]").inner_text().endswith("cannot judge")
        page.keyboard.press("5")  # a second thought
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Backspace")
        for _ in range(total - 2):
            page.keyboard.press("1")
        assert "Every row has a label" in page.locator("#said").inner_text()
        assert page.evaluate("document.activeElement.id") == "csv"
        labels = labels_of(seen)
        records = json.loads(saved(page, "#json"))
        assert seen.console == seen.dialogs == []
        assert [url for url in seen.requests if not url.startswith("blob:")] == []
    assert [row["label"] for row in labels] == ["3", "5", *["1"] * (total - 2)]
    assert [{k: str(v) for k, v in record.items()} for record in records] == labels
    inclusion = {str(case.case): repr(case.inclusion) for case in document.drawn}
    assert {row["doc"]: row["inclusion"] for row in labels} == inclusion
    assert {row["sample"] for row in labels} == {document.fingerprint}
    assert {row["rater"] for row in labels} == {"Ann"}
    assert all(row["time"].endswith("Z") for row in labels)
    assert list(dict.fromkeys(row["doc"] for row in labels)) == [
        str(c.case) for c in document.drawn
    ]


def test_progress_is_there_again_and_each_person_has_their_own(
    browser: Any, tmp_path: Path
) -> None:
    written(tmp_path / "mark.html")
    with opened(browser, tmp_path / "mark.html") as seen:
        page = seen.page
        begin(page)
        page.keyboard.press("2")
        page.reload()
        begin(page)
        assert page.locator("#count").inner_text().startswith("1 of ")
        page.click("#other")
        begin(page, "Ben")
        assert page.locator("#count").inner_text().startswith("0 of ")
        page.keyboard.press("4")
        assert [(r["rater"], r["label"]) for r in labels_of(seen)] == [("Ben", "4")]
        assert seen.console == []


@pytest.mark.parametrize(
    ("name", "file"),
    [("Ann B.", "ann-b"), ("Jörg", "jörg"), ("王", "王"), ("../x", "x"), ("(?)", "rater")],
)
def test_a_file_of_labels_is_called_by_who_made_it(
    name: str, file: str, browser: Any, tmp_path: Path
) -> None:
    written(tmp_path / "mark.html")
    with opened(browser, tmp_path / "mark.html") as seen:
        begin(seen.page, name)
        seen.page.keyboard.press("2")
        with seen.page.expect_download() as download:
            seen.page.click("#csv")
        assert download.value.suggested_filename == f"labels-{file}.csv"


def test_where_a_browser_keeps_nothing_it_is_told_and_labels_can_be_saved(
    browser: Any, tmp_path: Path
) -> None:
    written(tmp_path / "mark.html")
    refuse = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } });"
    with opened(browser, tmp_path / "mark.html") as seen:
        seen.page.add_init_script(refuse)
        seen.page.reload()
        begin(seen.page)
        seen.page.keyboard.press("2")
        assert "keeps nothing" in seen.page.locator("#alarm").inner_text()
        assert [row["label"] for row in labels_of(seen)] == ["2"]
        assert seen.console == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, ""),
        ({"sample": "0" * 16}, "of another sample"),
        ({"rater": "Ben"}, "not Ann’s"),
        ({"label": "9"}, "no row or no level here"),
        ({"doc": "d99"}, "no row or no level here"),
        ({"time": 5}, "no row or no level here"),
    ],
)
def test_a_saved_file_goes_on_where_it_is_of_this_sample_and_person(
    change: dict[str, Any], message: str, browser: Any, tmp_path: Path
) -> None:
    sample = written(tmp_path / "mark.html")
    with opened(browser, tmp_path / "mark.html") as seen:
        page = seen.page
        begin(page)
        page.keyboard.press("2")
        page.keyboard.press("u")
        records = json.loads(saved(page, "#json"))
        page.evaluate("localStorage.clear()")
        page.reload()
        begin(page)
        file = tmp_path / "labels.json"
        file.write_text(json.dumps([records[0] | change, *records[1:]]))
        page.set_input_files("#load", file)
        taken = 0 if message else 2
        count = f"{taken} of {sample.document.rows_drawn} labelled"
        if message:
            page.locator("#alarm", has_text=message).wait_for()
        page.locator("#count", has_text=count).wait_for()
        assert seen.console == []


def test_what_lies_in_the_memory_of_a_browser_is_not_trusted(browser: Any, tmp_path: Path) -> None:
    sample = written(tmp_path / "mark.html")
    place = f"acumen labels {sample.document.fingerprint} Ann"
    own, odd = {"level": 1, "time": "t"}, {"level": 99, "time": "t"}
    entries: list[Any] = [[0, odd], [999, own], [1, None], [2, own], "<b>"]
    for content in (json.dumps(entries), "{broken", '{"a":1}'):
        with opened(browser, tmp_path / "mark.html") as seen:
            seen.page.evaluate("entry => localStorage.setItem(...entry)", [place, content])
            begin(seen.page)
            expected = "1 of" if "999" in content else "0 of"
            assert seen.page.locator("#count").inner_text().startswith(expected)
            assert seen.console == []


def test_hostile_texts_are_read_and_do_nothing(browser: Any, tmp_path: Path) -> None:
    hostile = [
        row | {"text": PAYLOADS[at % len(PAYLOADS)], "part": f"p{at} {PAYLOADS[-1 - at]}"}
        for at, row in enumerate(rows())
    ]
    (tmp_path / "guide.txt").write_text("\n".join(PAYLOADS), "utf-8")
    sample = written(tmp_path / "plain.html")
    written(tmp_path / "mark.html", hostile, guidelines=str(tmp_path / "guide.txt"))
    pages = [(tmp_path / name).read_text("utf-8") for name in ("plain.html", "mark.html")]
    assert Skeleton(pages[0]).tags == Skeleton(pages[1]).tags
    with opened(browser, tmp_path / "mark.html") as seen:
        page = seen.page
        begin(page, "=cmd|'/c calc'!A1 <img src=x onerror=alert(1)>")
        for _ in range(sample.document.rows_drawn):
            assert page.locator("#fields *:not(h3, p)").count() == 0
            page.keyboard.press("1")
        assert page.locator("img, iframe, svg, object, a[href]:not(.skip)").count() == 0
        labels = labels_of(seen)
        texts = {row["part"] for row in hostile}
        assert {row["part"] for row in labels} <= texts
        assert {row["rater"][:3] for row in labels} == {"cmd"}  # and no formula of a spreadsheet
        assert seen.console == seen.dialogs == []
        assert [url for url in seen.requests if not url.startswith("blob:")] == []


def test_the_policy_allows_one_script_and_one_style_by_hash_and_nothing_else(
    tmp_path: Path,
) -> None:
    written(tmp_path / "mark.html")
    page = (tmp_path / "mark.html").read_text("utf-8")
    policy = page.split('Content-Security-Policy" content="')[1].split('"')[0]
    parts = dict(part.split(" ", 1) for part in policy.split("; "))
    assert parts.keys() == {"default-src", "script-src", "style-src", "base-uri", "form-action"}
    assert parts["default-src"] == parts["base-uri"] == parts["form-action"] == "'none'"
    for source in ("script-src", "style-src"):
        assert parts[source].startswith("'sha256-")
        assert len(parts[source].split()) == 1


def test_invisible_characters_of_a_text_are_spelled_out(tmp_path: Path) -> None:
    written(tmp_path / "mark.html", rows("a\u202eb\u0007\n\tc {case} {part}"))
    page = (tmp_path / "mark.html").read_text("utf-8")
    task = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert task["rows"][0]["texts"][0].startswith("a\\u202eb\\x07\n    c ")


@pytest.mark.parametrize(
    ("levels", "keys"),
    [("0-3", ["0", "1", "2", "3"]), ("-1,0,1", ["1", "2", "3"]), ("low,mid,high", ["1", "2", "3"])],
)
def test_a_level_of_one_digit_is_its_own_key_and_others_are_counted(
    levels: str, keys: list[str], browser: Any, tmp_path: Path
) -> None:
    words = ["0", "1", "2", "3"] if levels == "0-3" else levels.split(",")
    data = [row | {"ai": words[at % len(words)]} for at, row in enumerate(rows())]
    written(tmp_path / "mark.html", data, levels=levels)
    with opened(browser, tmp_path / "mark.html") as seen:
        begin(seen.page)
        assert seen.page.locator("#levels kbd").all_inner_texts() == [*keys, "u"]
        for key in keys:
            seen.page.keyboard.press(key)
        labels = [row["label"] for row in labels_of(seen)]
        assert labels == words[: len(labels)]


def test_a_word_of_the_study_stands_for_what_cannot_be_judged(browser: Any, tmp_path: Path) -> None:
    written(tmp_path / "mark.html", unanswerable="n/k")
    with opened(browser, tmp_path / "mark.html") as seen:
        begin(seen.page)
        seen.page.keyboard.press("u")
        assert [row["label"] for row in labels_of(seen)] == ["n/k"]


TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.mark.parametrize(("width", "scheme"), [(1100, "light"), (360, "dark")])
def test_axe_finds_nothing_and_a_phone_is_wide_enough(
    width: int, scheme: str, browser: Any, tmp_path: Path
) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason="it is in the extra `test`")
    engine = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    (tmp_path / "guide.txt").write_text("Be fair.", "utf-8")
    data = rows("A_long_word_without_a_blank" * 20)
    written(tmp_path / "mark.html", data, guidelines=str(tmp_path / "guide.txt"))
    path = tmp_path / "mark.html"
    with opened(browser, path, width=width, scheme=scheme, bypass_csp=True) as seen:
        page = seen.page
        page.evaluate(engine)
        ask = "tags => axe.run(document, {resultTypes: ['violations'], runOnly: tags})"

        def faults() -> list[str]:
            found = page.evaluate(ask, TAGS)["violations"]
            return [f"{v['id']} {v['nodes'][0]['html'][:200]}" for v in found]

        assert faults() == []
        begin(page)
        page.keyboard.press("2")
        page.keyboard.press("ArrowLeft")
        assert faults() == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        heights = page.locator("button:visible").evaluate_all("bs => bs.map(b => b.offsetHeight)")
        assert min(heights) >= 44
