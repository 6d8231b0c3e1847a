"""A seeded study of each kind, its page, and a browser to open it with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acumen.questions.evaluation import Evaluation
from acumen.results.verdicts import PairDocument
from tests.report.browsers import NoBrowserError, a_browser
from tests.report.studies import paired_evaluation, single_evaluation, verdict_results


@pytest.fixture(scope="session")
def single() -> Evaluation:
    return single_evaluation()


@pytest.fixture(scope="session")
def paired() -> Evaluation:
    return paired_evaluation()


@pytest.fixture(scope="session")
def results() -> PairDocument:
    return verdict_results()


@pytest.fixture(scope="session")
def page_file(
    single: Evaluation, results: PairDocument, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    from acumen.report.html import write_report

    path = tmp_path_factory.mktemp("page") / "report.html"
    write_report([single, results], path, command="acumen evaluate run.json --confidence all")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for one file of tests: while it is open, an event loop runs in this process."""
    needed = os.environ.get("ACUMEN_BROWSER") == "required"
    if not needed:
        pytest.importorskip("playwright", reason="playwright is in the extra `test`")
    try:
        with a_browser() as browser:
            yield browser
    except NoBrowserError as error:
        (pytest.fail if needed else pytest.skip)(str(error))
