"""Any document acumen writes is read by what it holds, and shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run
from acumen.errors import DataError
from acumen.files.json import read_json, write_json
from acumen.results.calibration import CalibrationDocument
from acumen.results.files import choose, find_documents, result_files
from acumen.results.kinds import document_of, read_document
from acumen.results.metrics import MetricsArtifact
from acumen.results.verdicts import PairDocument, results_of
from tests.toy_runs import toy_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A document of each kind, and other JSON."""
    place = tmp_path_factory.mktemp("documents")
    write_json(place / "run.json", toy_run(12, 1))
    source, few = str(place / "run.json"), ["--bootstrap-resamples", "20"]
    assert run(["evaluate", source, *few, "-q", "--output", str(place / "metrics.json")]) == 0
    fit = ["--confidence", "verbalized", "--output", str(place / "calibration.json")]
    assert run(["calibrate", source, *fit]) == 0
    scores = ["--demo", "--resamples", "20"]
    assert run(["score", *scores, "--output", str(place / "pair.json")]) == 0
    one = ["--method", "rag", "--output", str(place / "results.json")]
    assert run(["score", *scores, *one]) == 0
    return place


KINDS = {
    "metrics.json": MetricsArtifact,
    "calibration.json": CalibrationDocument,
    "pair.json": PairDocument,
    "results.json": PairDocument,
}


def test_a_document_is_known_by_what_it_holds(folder: Path) -> None:
    documents, unreadable = find_documents([folder])
    assert {path.name: type(document) for path, document in documents.items()} == KINDS
    assert unreadable == []
    with pytest.raises(DataError, match=r"run\.json: is no document of acumen"):
        read_document(folder / "run.json")


@pytest.mark.parametrize("name", ["pair.json", "results.json"])
def test_results_are_written_as_they_are_read(name: str, folder: Path) -> None:
    content = read_json(folder / name)
    assert results_of(content, name).on_disk() == content


WORDS = {
    "metrics.json": ("exactly right in", "AUGRC"),
    "calibration.json": ("What was fitted", "Brier score"),
    "pair.json": ("rag", "direct"),
    "results.json": ("rag", "Ordinal AUPRC"),
}


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "csv", "json"])
@pytest.mark.parametrize("name", KINDS)
def test_every_document_is_shown_in_every_format(
    name: str, form: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["show", str(folder / name), "--format", form]) == 0
    out = capsys.readouterr().out
    if form in ("csv", "json"):
        assert len(out.splitlines()) > 1
        assert form == "csv" or len(json.loads(out)) > 0
        return
    plain = " ".join(out.replace("\\", "").split()).replace("- ", "-")
    for word in WORDS[name]:
        assert word in plain


@pytest.mark.parametrize("name", ["metrics.json", "pair.json", "results.json"])
def test_the_full_view_lists_every_metric(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["show", str(folder / name), "--full"]) == 0
    out = capsys.readouterr().out
    assert re.search("EVERY METRIC|ALL METRICS", out.upper())
    assert "Krippendorff's alpha" in out
    assert "Ordinal nAP" in out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"unified_scores": {"auprc": "0.8"}}, "unified_scores.auprc: must be a number, not"),
        ({"unified_scores": {}, "total": 2.5}, "total: must be a whole number"),
        (
            {"unified_scores": {}, "metrics": {"mean_loss": {"value": "1"}}},
            "metrics.mean_loss.value: must be",
        ),
        ({"systems": []}, "systems: is empty"),
        ({"systems": [3]}, "must be"),
    ],
)
def test_a_number_in_quotes_is_refused_with_its_place(
    content: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError) as error:
        document_of(content, "x.json")
    assert str(error.value).startswith("x.json: ")
    assert message in str(error.value)


def test_what_another_tool_tells_without_our_metrics_is_read() -> None:
    content = {
        "unified_scores": {"auprc": 0.8, "process_score": 86.0},
        "accuracy": 0.5,
        "unified_metrics_full": {"process_components": {"severity_accuracy": 0.57}},
        "auprc": {"thresholds": [{"threshold": 1, "at_least": "High", "n_positive": 3, "ap": 0.7}]},
    }
    (document,) = results_of(content, "x").systems
    names = ("ordinal_auprc", "process", "consistency", "total_accuracy", "severity_accuracy")
    values = [document.measured(name).value for name in (*names, "auprc_ge@1")]
    assert values == [0.8, 0.86, None, 0.5, 0.57, 0.7]


def results(method: str, policy: str = "p", time: str | None = None) -> dict[str, Any]:
    return {"unified_scores": {}, "method": method, "policy_id": policy, "timestamp": time}


def test_the_second_of_a_pair_holds_how_it_compares_with_the_first() -> None:
    both = {"systems": [results("rag"), results("direct")], "comparison": {"left": "rag"}}
    three = both | {"systems": [*both["systems"], results("third")]}
    for content, compared in ((both, [None, "rag"]), (three, [None, "rag", None])):
        files = result_files([(Path("pair.json"), results_of(content, "pair.json"))])
        assert [f.comparison and f.comparison.left for f in files] == compared
    (one,) = result_files([(Path("one.json"), results_of(results("rag"), "one.json"))])
    assert (one.path, one.document.method, one.comparison) == (Path("one.json"), "rag", None)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, ["d", "b", "a", "c"]),
        ({"methods": ["rag"]}, ["b", "a", "c"]),
        ({"policy": "p"}, ["d", "b", "a"]),
        ({"methods": ["rag"], "policy": "q"}, ["c"]),
        ({"latest": True}, ["d", "a", "c"]),
        ({"methods": ["none"]}, []),
    ],
)
def test_results_are_chosen_by_method_and_policy_and_the_newest_of_each_series(
    options: dict[str, Any], names: list[str]
) -> None:
    written = {
        "a": results("rag", "p", "2026-02"),
        "b": results("rag", "p", "2026-01"),
        "c": results("rag", "q", "2026-03"),
        "d": results("direct", "p"),
    }
    files = result_files([(Path(n), results_of(content, n)) for n, content in written.items()])
    assert [file.path.name for file in choose(files, **options)] == names
