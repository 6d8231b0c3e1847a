"""Text from files and models is shown, never run: not as markup, not as script, not as a template.

The skeleton of a page is its tags with the names of their attributes, in order.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import pytest

from acumen.evaluation.plan import Plan
from acumen.inference.options import Options
from acumen.readers.run import run_from_document
from acumen.report.html import compressed, render_report
from acumen.report.library import chart_library
from acumen.results.metrics import MetricsArtifact
from acumen.values.measured import Absence, Description, Flag, RestsOn
from tests.evaluations import evaluate
from tests.laws.test_sections import MAKERS
from tests.report.opened import hovered, opened, unfold
from tests.report.studies import rewritten, verdict_results
from tests.toy_runs import toy_run

PAYLOADS: list[str] = json.loads(
    (Path(__file__).parents[1] / "badinputs" / "xss_payloads.json").read_text("utf-8")
)
PLAIN = "plain words"
CODES = {
    *(*Flag, *Absence, *Description),
    *("lower", "higher", "left", "right"),
    *get_args(RestsOn.model_fields["where"].annotation),
}
"""What a document says by code; any other word in such a place is refused."""
APART = 13
"""How far the quick tests turn the payloads between two pages; the slow test takes each alone."""


Change = Callable[[str], str]


class Skeleton(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.tags.append((f"/{tag}", ()))

    def handle_comment(self, data: str) -> None:
        self.tags.append(("comment", ()))


@cache
def small_artifact() -> dict[str, Any]:
    plan = Plan(confidence="llm,token_msp", options=Options(resamples=0))
    return evaluate(run_from_document(toy_run(3)), None, plan).document.model_dump(mode="json")


SIGNALS = ("llm_evidence_count", "token_msp", "evidence")
RUN_KEYS = frozenset(
    {
        *("run_metadata", "run_id", "timestamp", "git_commit", "platform", "scale", "name"),
        *("title", "case", "levels", "items", "experiments", "provenance", "mode", "split"),
        *("quantitative_model", "results", "prediction_mode", "participant_id", "success"),
        *("error", "predicted_items", "ground_truth_items", "item_signals", *SIGNALS),
    }
)
"""The keys of a run; every other text in it is somebody's."""


def written_run(n_cases: int = 5) -> dict[str, Any]:
    """A run with a text wherever a run may have one: on a scale of its own, one case failed."""
    levels, items = ["never", "some days", "every day"], ["sleep", "mood"]
    cases: list[dict[str, Any]] = [
        {
            "participant_id": f"case\u200b {number}",
            "success": True,
            "error": None,
            "predicted_items": {"sleep": levels[number % 3], "mood": None if number else levels[0]},
            "ground_truth_items": dict.fromkeys(items, levels[(number + 1) % 3]),
            "item_signals": {
                item: {
                    "llm_evidence_count": number,
                    "token_msp": 0.5 + number / 10,
                    "evidence": [f"quote {number} of {item}", "another"],
                    "a signal of its own": "and its text",
                }
                for item in items
            },
        }
        for number in range(n_cases)
    ]
    failed = {"participant_id": "lost", "success": False, "error": "Trouble: what was said"}
    return {
        "run_metadata": {
            "run_id": "a run",
            "timestamp": "some time",
            "git_commit": "a commit",
            "platform": "a machine",
            "scale": {
                "name": "days",
                "title": "Days a week",
                "case": "visitor",
                "levels": levels,
                "items": items,
            },
        },
        "experiments": [
            {
                "provenance": {"mode": "a mode", "split": "a part", "quantitative_model": "it"},
                "results": {
                    "mode": "a mode",
                    "prediction_mode": "item",
                    "results": [*cases, failed],
                },
            }
        ],
    }


def hostile_run(change: Change) -> MetricsArtifact:
    """What becomes of a run whose every text is changed, names of functions among them."""
    table = run_from_document(
        rewritten(written_run(), change, RUN_KEYS), path=change("folder/run.json")
    )
    functions = {change("a function of one's own"): lambda token_msp: -token_msp}
    plan = Plan("llm,token_msp", functions, options=Options(resamples=0), texts=True)
    return evaluate(table, None, plan).document


@cache
def fields_of(model: Any) -> set[str]:
    found: set[str] = set()

    def look(part: Any) -> None:
        if isinstance(part, dict):
            found.update(part.get("properties", {}))
            for value in part.values():
                look(value)
        elif isinstance(part, list):
            for value in part:
                look(value)

    look(model.model_json_schema())
    return found


def before(payload: str) -> Change:
    return lambda text: f"{payload}{text}"


def in_turn(first: int) -> Change:
    """Another payload for every text; the same one wherever the same text stands."""
    turn: dict[str, str] = {}

    def change(text: str) -> str:
        payload = PAYLOADS[(first + len(turn)) % len(PAYLOADS)]
        return turn.setdefault(text, f"{payload}{text}")

    return change


def hostile_artifact(change: Change) -> MetricsArtifact:
    """Every text of the artifact changed, and every key that comes from data."""
    document = small_artifact()
    metrics = next(iter(document["confidence_variants"].values()))["metrics"]
    levels = {f"{c / 10:.2f}" for c in range(1, 10)}
    names = {*metrics, *document["overall"]}
    keep = {
        "1",
        "answered",
        *CODES,
        *fields_of(MetricsArtifact),
        *names,
        *levels,
        *document["scale"],
    }
    return MetricsArtifact.model_validate(rewritten(document, change, frozenset(keep)))


def hostile_results(change: Change) -> dict[str, Any]:
    """Two methods compared, every text of every value changed; the keys are acumen's."""
    pair = verdict_results().on_disk()
    systems = [{**document, "results": document["results"][:4]} for document in pair["systems"]]

    def changed(part: Any) -> Any:
        if isinstance(part, str):
            return part if part in CODES else change(part)
        if isinstance(part, list):
            return [changed(p) for p in part]
        return {k: changed(v) for k, v in part.items()} if isinstance(part, dict) else part

    whole: dict[str, Any] = changed({"systems": systems, "comparison": pair["comparison"]})
    return whole


HOSTILE: dict[str, Callable[[Change], Any]] = {
    "run": hostile_run,
    "artifact": hostile_artifact,
    "results": hostile_results,
}


@cache
def plain_skeleton(kind: str) -> list[tuple[str, tuple[str, ...]]]:
    return Skeleton(page_of(kind, before(PLAIN))).tags


def page_of(kind: str, change: Change) -> str:
    """The page without the chart library, which is acumen's own and long."""
    page = render_report([HOSTILE[kind](change)], command=change("a command"), texts=True)
    assert page.count(compressed(chart_library())) == 1
    return page.replace(compressed(chart_library()), "")


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_payload_changes_the_skeleton_of_the_page(kind: str) -> None:
    """Each text of a page has another payload, and another one on the next page."""
    assert len(plain_skeleton(kind)) > 500
    for first in range(0, len(PAYLOADS), APART):
        assert Skeleton(page_of(kind, in_turn(first))).tags == plain_skeleton(kind), first


@pytest.mark.parametrize("first", range(0, len(PAYLOADS), APART))
def test_no_payload_changes_the_skeleton_of_a_decision(first: int) -> None:
    import acumen

    run = run_from_document(toy_run(12))
    document = json.loads(acumen.threshold(run, confidence="token_msp", risk=0.5).to_json())

    def skeleton(change: Change) -> list[tuple[str, tuple[str, ...]]]:
        words = ("confidence", "loss", "acumen_version", "created_at")
        hostile = {**document, **{word: change(str(document[word])) for word in words}}
        return Skeleton(render_report([hostile])).tags

    assert skeleton(in_turn(first)) == skeleton(before(PLAIN))


def test_every_text_of_a_run_that_is_shown_is_hostile() -> None:
    page = page_of("run", before("<b>"))
    for word in ("a run", "a mode", "a commit", "folder/run.json", "days", "visitor", "sleep"):
        assert f"&lt;b&gt;{word}" in page
    for word in ("some days", "lost", "a function of one", "quote 1 of sleep", "a command"):
        assert f"&lt;b&gt;{word}" in page
    assert "what was said" not in page
    assert "and its text" not in page


def test_the_payload_is_on_the_page_as_text() -> None:
    page = page_of("artifact", before("<img src=x onerror=alert(1)>"))
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "\\u003cimg src=x onerror=alert(1)\\u003e" in page
    assert "<img" not in page


def test_nothing_in_the_data_can_end_its_element() -> None:
    page = page_of("results", before("</script x><!--<script>&amp;\u2029"))
    held = page.split('id="data">')[1].split("</script>")[0]
    assert not set("<>&\u2028\u2029") & set(held)
    assert "\\u003c/script x\\u003e" in held
    assert json.loads(held)["cases"][0]["n"] == 4


def test_a_template_in_the_data_is_not_filled_in() -> None:
    page = page_of("artifact", before("{{7*7}}"))
    assert "{{7*7}}" in page
    assert "49llm" not in page


def test_invisible_characters_are_shown_for_what_they_are() -> None:
    page = page_of("artifact", before("\u202e\u0000\u2028"))
    assert not {"\u202e", "\u0000", "\u2028"} & set(page)
    assert "\\u202e" in page


def test_the_policy_allows_two_scripts_by_hash_and_nothing_else() -> None:
    page = page_of("artifact", before(PLAIN))
    policy = page.split('Content-Security-Policy" content="')[1].split('"')[0]
    parts = dict(part.split(" ", 1) for part in policy.split("; "))
    assert parts["default-src"] == "'none'"
    assert len(parts["script-src"].split()) == 2
    assert all(source.startswith("'sha256-") for source in parts["script-src"].split())
    assert parts["style-src"].startswith("'sha256-")
    assert parts["base-uri"] == parts["form-action"] == "'none'"
    assert set(parts) == {
        *("default-src", "script-src", "style-src", "img-src", "base-uri", "form-action")
    }


def no_payload_did_anything(browser: Any, studies: list[Any], path: Path) -> None:
    path.write_text(render_report(studies, texts=True), "utf-8")
    with opened(browser, path) as seen:
        page = seen.page
        unfold(page)
        charts = page.evaluate("[...document.querySelectorAll('.chart')].map(c => c.dataset.drawn)")
        assert len(charts) >= 6 * len(studies)
        assert set(charts) == {"yes"}
        foreign = "img, iframe, object, embed, base, form[action], link, video, foreignObject"
        assert page.evaluate(f"document.querySelectorAll('{foreign}').length") == 0
        assert page.evaluate("document.querySelectorAll('script').length") == 3
        acting = page.evaluate(
            "[...document.querySelectorAll('*')].flatMap(e => [...e.attributes])"
            ".filter(a => a.name.startsWith('on') || ['href', 'src', 'action', 'formaction',"
            " 'srcdoc', 'xlink:href', 'data'].includes(a.name) && !a.value.startsWith('#'))"
            ".map(a => `${a.name}=${a.value}`)"
        )
        assert acting == []
        files_are_inert(page)
        # what scripts write: the panel of a case, the rows of the cases, a tooltip
        for table in page.locator(".cases").all()[:3]:
            table.locator(".open").first.evaluate("b => b.click()")
            assert page.locator("dialog tbody td").count() > 2
            assert page.locator("dialog :is(img, script, a, svg, b, i)").count() == 0
        page.keyboard.press("Escape")
        page.fill(".search >> nth=0", "alert")
        assert hovered(page, "[id$=chart-confusion] svg .mark-rect path")
    assert seen.dialogs == []
    assert [url for url in seen.requests if not url.startswith("blob:")] == []
    assert seen.console == []


COMMANDS = ("begin", "end", "textbackslash", "textasciitilde", "textasciicircum")


def files_are_inert(page: Any) -> None:
    """Tables and charts that a reader takes away: text in every program that opens them."""

    def saved(kind: str, at: int) -> str:
        with page.expect_download() as download:
            button = page.locator(f"button[aria-label$='as {kind}']").nth(at)
            button.evaluate("b => b.click()")
        return Path(download.value.path()).read_text("utf-8")

    last = page.locator("button[aria-label$='as CSV']").count() - 1
    for at in {0, last // 2, last}:
        for row in csv.reader(io.StringIO(saved("CSV", at))):
            assert not [c for c in row if re.match(r"[=+@＝＋－＠\t\r]|-(?!\d|\.|$)", c)]
    for at in {0, last}:  # a browser lets a script save ten files and no more
        tex = saved("LaTeX", at)
        assert set(re.findall(r"\\([a-z]+)", tex)) <= {*COMMANDS}
        assert not re.search(r"(?<!\\)[%$#]", tex)
        assert not re.search(r"(?<!\\)[<`!]", saved("Markdown", at))
    for at in range(2):
        picture = ElementTree.fromstring(saved("SVG", at))
        tags = {part.tag.rpartition("}")[2] for part in picture.iter()}
        assert not tags & {"script", "foreignObject", "image", "a", "use", "style", "animate"}
        names = {name for part in picture.iter() for name in part.attrib}
        assert not [name for name in names if name.startswith("on") or name.endswith("href")]


def test_no_payload_runs_or_asks_for_anything_in_a_browser(browser: Any, tmp_path: Path) -> None:
    studies: list[Any] = [
        HOSTILE[kind](in_turn(first))
        for first in range(0, len(PAYLOADS), 2 * APART)
        for kind in HOSTILE
    ]
    no_payload_did_anything(browser, studies, tmp_path / "hostile.html")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(PAYLOADS), APART))
def test_no_payload_does_anything_in_any_field(first: int, browser: Any, tmp_path: Path) -> None:
    for payload in PAYLOADS[first : first + APART]:
        change = before(payload)
        for kind in HOSTILE:
            assert Skeleton(page_of(kind, change)).tags == plain_skeleton(kind), (kind, payload)
        studies = [make(change) for make in HOSTILE.values()]
        no_payload_did_anything(browser, studies, tmp_path / "hostile.html")


def leaves(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a document has texts; of a list the first four are enough."""
    if isinstance(part, str):
        yield path
    entries = part.items() if isinstance(part, dict) else enumerate(part[:4])
    for key, inner in () if isinstance(part, str) else entries:
        if isinstance(inner, str | list | dict):
            yield from leaves(inner, (*path, key))


def with_text(document: Any, path: tuple[Any, ...], change: Change) -> Any:
    """The document with one text changed."""
    key, *rest = path
    inner = with_text(document[key], tuple(rest), change) if rest else change(document[key])
    if isinstance(document, dict):
        return {**document, key: inner}
    return [*document[:key], inner, *document[key + 1 :]]


@pytest.mark.parametrize(
    "kind",
    ["card_check", "watch", "cascade", "sample", "run_summary", "survey", "cost", "sets", "gate"],
)
def test_no_payload_in_any_text_of_a_document_changes_the_skeleton_of_its_page(kind: str) -> None:
    """Every text that the model takes as it comes, each with a payload of its own."""
    document = MAKERS[kind]().document
    plain = hostile = document.model_dump(mode="json")
    turn, count = in_turn(0), 0
    for path in leaves(plain):
        if path[-1] == "metric":  # names one of acumen's
            continue
        try:
            type(document).model_validate(with_text(plain, path, turn))
        except ValueError:  # a code, or what a digest guards
            continue
        plain, hostile = with_text(plain, path, before(PLAIN)), with_text(hostile, path, turn)
        count += 1
    assert count >= 3
    pages = [render_report([type(document).model_validate(d)]) for d in (plain, hostile)]
    assert Skeleton(pages[0]).tags == Skeleton(pages[1]).tags
    assert PLAIN in pages[0]
