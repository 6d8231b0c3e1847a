"""How long a page of many rows takes to open in a browser, all its charts drawn."""

from __future__ import annotations

import copy
import shutil
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from acumen.evaluation.evaluate import evaluate
from acumen.evaluation.plan import Plan
from acumen.inference.options import Options
from acumen.questions.evaluation import Evaluation
from acumen.readers.run import run_from_document
from acumen.results.metrics import Variant
from acumen.studies import phq8_run

ROWS = 100_000
FLAGS = ("--no-sandbox", "--headless=new", "--disable-gpu", "--disable-background-networking")


def seconds(rows: int = ROWS) -> float | None:
    """From navigation until every chart is drawn; None where there is no browser."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or find_spec("playwright") is None:
        return None
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "large.html"
        write_large_page(page_file, rows)
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        try:
            page = browser.new_page()
            page.goto("about:blank")  # the first page of a browser waits for the browser itself
            started = time.perf_counter()
            page.goto(page_file.as_uri())
            page.wait_for_selector("html[data-ready=yes]", state="attached", timeout=120_000)
            return time.perf_counter() - started
        finally:
            browser.close()


def write_large_page(path: Path, rows: int = ROWS) -> None:
    """The demo study blown up: as many judgments, and as many working points a function."""
    from acumen.report.html import write_report

    table = run_from_document(phq8_run(), mode="few_shot")
    plan = Plan(confidence="all", options=Options(resamples=400))
    write_report([blown_up(Evaluation.of(evaluate(table, None, plan)), rows)], path)


def blown_up(evaluation: Evaluation, n: int) -> Evaluation:
    """The same artifact with its rows repeated and its curves stretched to ``n``."""
    artifact = copy.deepcopy(evaluation.document)
    rows = artifact.rows[0]
    times = n // len(rows.case) + 1

    def long(values: list[Any]) -> list[Any]:
        return (values * times)[:n]

    cases: list[int | str] = [f"{case}-{i}" for i in range(times) for case in rows.case]
    rows.case = cases[:n]
    for key in ("item", "truth", "prediction", "outcome", "evidence"):
        setattr(rows, key, long(getattr(rows, key)))
    rows.confidence = {name: long(values) for name, values in rows.confidence.items()}
    for name, variant in artifact.confidence_variants.items():
        assert isinstance(variant, Variant)
        curve = variant.curve
        curve.coverage = [0.8 * (i + 1) / n for i in range(n)]
        curve.selective_risk = [0.1 + 0.05 * i / n for i in range(n)]
        curve.generalized_risk = [0.1 * c for c in curve.coverage]
        curve.threshold = [1.0 - i / n for i in range(n)]
        artifact.summaries[0].functions[name].accepted = list(range(1, n + 1))
    return Evaluation(artifact)
