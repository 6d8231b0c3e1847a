"""Text from files and models is shown, never run: not as markup, not as script, not as a template.

The skeleton of a page is its tags with the names of their attributes, in order.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from acumen.artifacts import MetricsArtifact
from acumen.evaluating import Plan, evaluate
from acumen.inference import Options
from acumen.readers.run import run_from_document
from acumen.report.html import chart_library, render_report
from tests.report.opened import hovered, opened
from tests.report.studies import rewritten, verdict_results
from tests.toy_runs import toy_run

PAYLOADS: list[str] = json.loads(
    (Path(__file__).parents[1] / "badinputs" / "xss_payloads.json").read_text("utf-8")
)
PLAIN = "plain words"
TOGETHER = 5
"""Payloads in one text, where one page for each would take long; the slow test takes each alone."""


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
    return evaluate(run_from_document(toy_run(3)), None, plan).artifact.model_dump(mode="json")


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


Change = Callable[[str], str]


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
    keep = {"1", "answered", *fields_of(MetricsArtifact), *metrics, *levels, *document["scale"]}
    return MetricsArtifact.model_validate(rewritten(document, change, frozenset(keep)))


def hostile_results(change: Change) -> dict[str, Any]:
    """One method's results with every text of every value changed; its keys are acumen's."""
    document = dict(verdict_results()["systems"][0])
    document["results"] = document["results"][:4]

    def changed(part: Any) -> Any:
        if isinstance(part, str):
            return change(part)
        if isinstance(part, list):
            return [changed(p) for p in part]
        return {k: changed(v) for k, v in part.items()} if isinstance(part, dict) else part

    found: dict[str, Any] = changed(document)
    return found


@cache
def plain_skeleton(kind: str) -> list[tuple[str, tuple[str, ...]]]:
    return Skeleton(page_of(kind, PLAIN)).tags


def page_of(kind: str, payload: str) -> str:
    """The page without the chart library, which is acumen's own and long."""
    make: Callable[[Change], Any] = hostile_artifact if kind == "artifact" else hostile_results
    page = render_report([make(before(payload))], command=payload)
    assert page.count(chart_library()) == 1
    return page.replace(chart_library(), "")


@pytest.mark.parametrize("kind", ["artifact", "results"])
def test_no_payload_changes_the_skeleton_of_the_page(kind: str) -> None:
    assert len(plain_skeleton(kind)) > 500
    for first in range(0, len(PAYLOADS), TOGETHER):
        several = " ".join(PAYLOADS[first : first + TOGETHER])
        assert Skeleton(page_of(kind, several)).tags == plain_skeleton(kind), several


def test_the_payload_is_on_the_page_as_text() -> None:
    page = page_of("artifact", "<img src=x onerror=alert(1)>")
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "\\u003cimg src=x onerror=alert(1)\\u003e" in page
    assert "<img" not in page


def test_nothing_in_the_data_can_end_its_element() -> None:
    page = page_of("results", "</script x><!--<script>&amp;\u2029")
    held = page.split('id="data">')[1].split("</script>")[0]
    assert not set("<>&\u2028\u2029") & set(held)
    assert "\\u003c/script x\\u003e" in held
    assert json.loads(held)["cases"][0]["n"] == 4


def test_a_template_in_the_data_is_not_filled_in() -> None:
    page = page_of("artifact", "{{7*7}}")
    assert "{{7*7}}" in page
    assert "49llm" not in page


def test_invisible_characters_are_shown_for_what_they_are() -> None:
    page = page_of("artifact", "\u202e\u0000\u2028")
    assert not {"\u202e", "\u0000", "\u2028"} & set(page)
    assert "\\u202e" in page


def test_a_hostile_run_makes_a_harmless_page() -> None:
    run = toy_run(len(PAYLOADS) + 2)
    run["run_metadata"]["run_id"] = PAYLOADS[0]
    run["experiments"][0]["provenance"]["mode"] = PAYLOADS[3]
    run["experiments"][0]["results"]["mode"] = PAYLOADS[3]
    for case, payload in zip(run["experiments"][0]["results"]["results"], PAYLOADS, strict=False):
        case["participant_id"] = payload
    table = run_from_document(run)
    page = render_report([evaluate(table, None, Plan(options=Options(resamples=0)))])
    scripts = [tag for tag in Skeleton(page).tags if tag[0] == "script"]
    assert len(scripts) == 3
    assert not {tag for tag, _ in Skeleton(page).tags} & {"img", "iframe", "svg", "object", "base"}


def test_the_policy_allows_two_scripts_by_hash_and_nothing_else() -> None:
    page = page_of("artifact", PLAIN)
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
    path.write_text(render_report(studies), "utf-8")
    with opened(browser, path) as seen:
        page = seen.page
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
        # what scripts write: the rows of the cases, a tooltip
        page.fill(".search >> nth=0", "alert")
        assert hovered(page, "[id$=chart-confusion] svg .mark-rect path")
    assert seen.dialogs == []
    assert seen.requests == []
    assert seen.console == []


def test_no_payload_runs_or_asks_for_anything_in_a_browser(browser: Any, tmp_path: Path) -> None:
    studies: list[Any] = [hostile_artifact(in_turn(first)) for first in range(0, 65, 13)]
    studies += [hostile_results(in_turn(first)) for first in (0, 32)]
    no_payload_did_anything(browser, studies, tmp_path / "hostile.html")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(PAYLOADS), 13))
def test_no_payload_does_anything_in_any_field(first: int, browser: Any, tmp_path: Path) -> None:
    studies: list[Any] = []
    for payload in PAYLOADS[first : first + 13]:
        studies += [hostile_artifact(before(payload)), hostile_results(before(payload))]
        for kind in ("artifact", "results"):
            assert Skeleton(page_of(kind, payload)).tags == plain_skeleton(kind), payload
    no_payload_did_anything(browser, studies, tmp_path / "hostile.html")
