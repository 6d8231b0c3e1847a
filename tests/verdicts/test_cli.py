"""The commands: what they print, what they write, and how they say no."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run
from acumen.files.json import read_json, write_json
from acumen.report.sections import sections_of
from acumen.report.terminal import render
from acumen.results.verdicts import results_of
from acumen.studies import verdict_study

FAST = ("--resamples", "200")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    for name, document in verdict_study().documents().items():
        write_json(folder / f"{name}.json", document)
    return folder


def score(study: Path, *extra: str, results: tuple[str, ...] = ("results-rag",)) -> int:
    paths = [str(study / f"{name}.json") for name in results]
    inputs = ("--truth", str(study / "truth.json"), "--reviews", str(study / "reviews.json"))
    return run(["score", *paths, *inputs, *FAST, *extra])


def test_the_tables_of_one_method(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score(study, "--full") == 0
    printed = capsys.readouterr().out
    words = " ".join(printed.split())
    assert "run demo_rag, method rag, policy G1_allergy_V2, K 8, " in words
    assert ", N 100, 99 verdicts, 1 abstained" in words
    for title in (
        *("The three scores", "Are its reasons right", "Does the worst come first"),
        *("Does it agree with the truth", "What can be concluded"),
    ):
        assert title in printed
    assert re.search(r"^Ordinal AUPRC +82\.6% +\[29\.4%, 98\.2%\] +✓", printed, re.M)  # above 75%
    assert re.search(r"^Process +96\.2% .*✓", printed, re.M)
    assert re.search(r"^Incident precision .* 35%$", printed, re.M)
    assert "An abstention is wrong in accuracy and outside ranking, other agreement" in words
    assert "What it claimed still counts in the rest of the process score." in words
    assert re.search(r"^Primitive accuracy +0\.912 .* 0\.753$", printed, re.M)
    assert max(len(line) for line in printed.splitlines()) <= 80
    assert not any(line != line.rstrip() for line in printed.splitlines())


def test_a_score_of_exactly_the_target_gets_no_tick() -> None:
    bare = {"unified_scores": {"auprc": 0.75, "process_score": 75.0, "consistency_score": 75.1}}
    assert render(sections_of(results_of(bare, "x"))).count("✓") == 1


def test_a_mean_that_lacks_a_threshold_says_which_it_covers(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth: Any = read_json(study / "truth.json")
    for entry in truth.values():
        entry["verdict"] = entry["verdict"].replace("Critical", "High")
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    inputs = (str(study / "results-rag.json"), "--truth", str(tmp_path / "truth.json"))
    assert run(["score", *inputs, *FAST, "--full"]) == 0
    assert "The mean AUPRC covers High Risk only." in capsys.readouterr().out


def test_the_tables_do_not_squeeze_into_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run(["score", "--demo", *FAST, "--full"]) == 0
    printed = capsys.readouterr().out
    assert "Evidence recall" in printed
    assert "94.3%" in printed


def test_the_document_has_the_keys_of_the_source(study: Path, tmp_path: Path) -> None:
    assert score(study, "--output", str(tmp_path / "r.json")) == 0
    written: Any = read_json(tmp_path / "r.json")
    keys = ("run_id", "policy_id", "domain", "method", "model", "k", "n", "timestamp")
    assert [written[key] for key in keys] == [
        *("demo_rag", "G1_allergy_V2", "restaurants", "rag", "none (simulated)", 8, 100),
        "20260108_120000",
    ]
    assert (written["accuracy"], written["correct"], written["total"]) == (0.9, 90, 100)
    assert set(written["auprc"]) >= {
        *("auprc_ge_high", "auprc_ge_critical", "ordinal_auprc", "n_samples"),
        *("auprc_ge_1", "auprc_ge_2", "nap_ge_1", "nap_ge_2", "ordinal_nap"),
        "severity_ordering_ap",
    }
    full = written["unified_metrics_full"]
    assert set(full["process_components"]) >= {"incident_precision", "weighted_sum", "total_weight"}
    assert len(full["consistency_details"]["per_sample"]) == full["consistency_details"]["total"]
    assert written["unified_scores"]["process_score"] == full["process_score"]
    assert 100 * written["metrics"]["process"]["interval"]["low"] < full["process_score"]
    headline = written["metrics"]["ordinal_auprc"]["interval"]
    assert headline["low"] < written["auprc"]["ordinal_auprc"] < headline["high"]
    assert written["metrics"]["auprc_ge@1"]["interval"]["flags"] == ["one_case"]
    assert len(written["results"]) == 100


def test_the_same_inputs_give_the_same_bytes(study: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert score(study, "--output", str(tmp_path / name)) == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        (["B017"], "1 case of the truth has no result: B017"),
        (
            [f"B{number:03d}" for number in range(2, 14)],
            "12 cases of the truth have no result: B002, B003, B004, B005, "
            "B006, B007, B008, B009, B010, B011 and 2 more",
        ),
    ],
)
def test_cases_of_the_truth_without_a_result_are_named(
    missing: list[str],
    told: str,
    study: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    results: Any = read_json(study / "results-rag.json")
    results["results"] = [r for r in results["results"] if r["business_id"] not in missing]
    (tmp_path / "short.json").write_text(json.dumps(results))
    out = tmp_path / "out.json"
    truth = ("--truth", str(study / "truth.json"), "--output", str(out))
    assert run(["score", str(tmp_path / "short.json"), *truth, *FAST]) == 0
    assert f"warning: {told}" in " ".join(capsys.readouterr().out.split())
    written: Any = read_json(out)
    assert told in written["warnings"]


def test_a_written_file_is_scored_again_without_a_truth_file(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "again.json"
    assert score(study, "--output", str(tmp_path / "first.json")) == 0
    capsys.readouterr()
    assert run(["score", str(tmp_path / "first.json"), *FAST, "--output", str(again)]) == 0
    # the evidence is kept, and the policy is known; which incidents there were is not
    printed = capsys.readouterr().out
    assert re.search(r"^Verdict support +100\.0%", printed, re.M)
    assert not re.search(r"^Incident precision +[0-9]", printed, re.M)
    first: Any = read_json(tmp_path / "first.json")
    second: Any = read_json(again)
    assert second["auprc"]["ordinal_auprc"] == first["auprc"]["ordinal_auprc"]
    assert second["primitives"] == first["primitives"]
    assert second["unified_scores"]["consistency_score"] == 100.0
    components = second["unified_metrics_full"]["process_components"]
    assert components["total_weight"] == 0.15  # of verdict support alone


def test_options_fill_what_the_file_lacks_and_no_more(study: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.json"
    whole: Any = read_json(study / "results-rag.json")
    bare.write_text(json.dumps(whole["results"]))
    out = tmp_path / "out.json"
    options = ("--run-id", "r7", "--domain", "d", "--model", "m", "--k", "3", "--method", "mine")
    truth = ("--truth", str(study / "truth.json"), "--output", str(out), *FAST)
    assert run(["score", str(bare), *truth, *options]) == 0
    written: Any = read_json(out)
    found = [written[k] for k in ("run_id", "domain", "model", "k", "method", "n", "timestamp")]
    assert found == ["r7", "d", "m", 3, "mine", 100, None]
    assert score(study, "--run-id", "other", "--output", str(out)) == 0
    kept: Any = read_json(out)
    assert kept["run_id"] == "demo_rag"


def test_two_files_are_compared_on_the_same_cases(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "both.json"
    both = ("results-rag", "results-direct")
    assert score(study, "--output", str(out), results=both) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert words.startswith("What can be concluded rag reasons better: process 96.2% for rag, 60.4")
    assert "How the two differ on the same 99 cases" in words  # where there is more
    assert score(study, "--full", results=both) == 0
    printed = capsys.readouterr().out
    assert "\nHow the two differ on the same 99 cases\n" in printed
    assert re.search(r"^Process +96\.2% +60\.4% +-35\.9 +\[-43\.\d, -28\.\d\] +rag$", printed, re.M)
    written: Any = read_json(out)
    process = written["comparison"]["deltas"]["process"]
    assert process["favours"] == "left"
    assert process["interval"]["low"] < process["delta"] < process["interval"]["high"] < 0
    assert [s["method"] for s in written["systems"]] == ["rag", "direct"]


def test_the_amos_shape_is_scored_without_snippets(study: Path, tmp_path: Path) -> None:
    truth: Any = read_json(study / "truth.json")
    fields = {"False assurance": "ASSURANCE_CLAIM", "Dismissive staff": "STAFF_RESPONSE"}
    says = {"ASSURANCE_CLAIM": "detected", "STAFF_RESPONSE": "negative"}
    rows = []
    for case, entry in truth.items():
        found = [
            {"review_id": i["review_id"], "is_relevant": True, "INCIDENT_SEVERITY": i["severity"]}
            | {fields[name]: says[fields[name]] for name in i["modifiers"]}
            for i in entry["incidents"]
        ]
        other = {"review_id": "elsewhere", "is_relevant": False, "INCIDENT_SEVERITY": "severe"}
        output = {"VERDICT": entry["verdict"], "SCORE": entry["score"]}
        rows.append({"business_id": case, **output, "_extractions": [*found, other]})
    results, out = tmp_path / "amos.json", tmp_path / "out.json"
    results.write_text(json.dumps(rows))
    options = ("--truth", str(study / "truth.json"), "--method", "amos", "--output", str(out))
    assert run(["score", str(results), *options, *FAST]) == 0
    written: Any = read_json(out)
    components = written["unified_metrics_full"]["process_components"]
    assert components["snippet_validity"] is None
    assert components["total_weight"] == 0.95
    assert written["unified_scores"] == {
        "auprc": 1.0,
        "process_score": 100.0,
        "consistency_score": 100.0,
    }


def test_the_demo_prints_both_methods(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", "--demo", *FAST]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^Process +rag +96\.2% .*✓$", printed, re.M)
    assert re.search(r"^Process +direct +60\.4% .*\]$", printed, re.M)
    assert "65% of its quotations are not in the review they cite" in " ".join(printed.split())
    assert re.search(r"^Consistency \(15/48\) +direct +31\.2%", printed, re.M)
    told = "33 of the 48 verdicts that cite evidence contradict it"
    assert told in " ".join(printed.split())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "give results files, or --demo"),
        (["a.json", "b.json", "a.json"], 2, "the same results file is given twice"),
        (["--demo", "x.json"], 2, "the demo brings its own"),
        (["--demo", "--method", "amos"], 2, "the demo holds rag, direct, not 'amos'"),
        (["--demo", "--policy", "G9"], 2, "no policy 'G9'"),
        (["--demo", "--interval", "wald"], 2, "no interval 'wald'"),
        (["--demo", "-o", "a", "--html", "./a"], 2, "--output and --html are one file, a"),
        (["missing.json"], 3, "missing.json: there is no such file"),
    ],
)
def test_a_call_that_cannot_be_meant_is_one_line(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["score", *arguments]) == code
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("option", ["--output", "--html"])
def test_no_input_is_overwritten(
    option: str, study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "mine.toml"
    policy.write_bytes(files("acumen.policy.builtin").joinpath("G1_allergy_V2.toml").read_bytes())
    before = policy.read_bytes()
    assert run(["score", "--demo", "--policy", str(policy), option, f"{tmp_path}/./mine.toml"]) == 2
    assert f"{option} would overwrite an input, mine.toml" in capsys.readouterr().err
    assert score(study, option, str(study / "truth.json")) == 2
    assert score(study, option, str(study / "results-rag.json")) == 2
    assert policy.read_bytes() == before


def test_a_page_that_cannot_be_written_leaves_no_results_either(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, page = tmp_path / "out.json", tmp_path / "page.html"
    page.mkdir()
    assert score(study, "--output", str(out), "--html", str(page)) == 3
    assert "page.html: cannot be written: Is a directory" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [page]
    page.rmdir()
    assert score(study, "--output", str(out), "--html", str(page)) == 0
    assert out.is_file()
    assert page.is_file()


def test_bad_files_are_one_line_each_and_leave_nothing_behind(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth: Any = read_json(study / "truth.json")
    del truth["B001"]
    short = tmp_path / "short.json"
    short.write_text(json.dumps(truth))
    results = str(study / "results-rag.json")
    out = tmp_path / "out.json"
    cases = {
        ("--truth", str(short)): "short.json: case B001: there is no truth for this case",
        (): "results-rag.json: there is no truth: give a truth file, or gt_verdict with every",
    }
    for options, message in cases.items():
        assert run(["score", results, *options, "--output", str(out)]) == 3
        assert message in capsys.readouterr().err
    policy = tmp_path / "toy.toml"
    policy.write_text('name = "toy"\nthreshold = 2026-01-08\n')
    assert run(["score", "--demo", "--policy", str(policy)]) == 3
    assert "toy.toml: line 2, threshold: is not a key of a policy" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"error": "timeout"}, (), "r.json: no case is left to score: every result holds an error"),
        (None, (), "r.json: case B002: has no gt_verdict, as others have"),
        (None, ("--reviews", "none.json"), "r.json: case B001: quotes snippets, but there are no"),
    ],
)
def test_a_message_names_the_file_it_is_about(
    change: Any,
    options: tuple[str, ...],
    message: str,
    study: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    whole: Any = read_json(study / "results-rag.json")
    rows = [row | (change or {}) for row in whole["results"][:2]]
    rows[0]["gt_verdict"] = "Low Risk"
    Path("none.json").write_text("{}")
    Path("r.json").write_text(json.dumps(rows))
    truth = ("--truth", str(study / "truth.json")) if options else ()
    assert run(["score", "r.json", *truth, *options, *FAST]) == 3
    told = capsys.readouterr().err
    assert message in told
    *lines, way_out = told.splitlines()
    assert len(lines) == (2 if options else 1)
    assert way_out.startswith("try: python -m json.tool r.json")


def test_a_file_that_names_an_unknown_policy_is_ranked_and_asks_for_it(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document: Any = read_json(study / "results-rag.json")
    document["policy_id"] = "G7_home\x1b[2J"
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document))
    assert run(["score", str(path), "--truth", str(study / "truth.json"), *FAST]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^Ordinal AUPRC +82\.6%", told, re.M)
    assert "give it with --policy FILE" in " ".join(told.split())
    assert "\x1b" not in told


def test_any_terminal_can_print_it(capsys: pytest.CaptureFixture[str]) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LANG": "C", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "acumen", "score", "--demo", *FAST, "--full"]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert run(["score", "--demo", *FAST, "--full"]) == 0
    for printed, sign in ((done.stdout.decode("ascii"), "x"), (capsys.readouterr().out, "×")):
        assert "\x1b" not in printed
        assert f"AUPRC {sign} mean" in printed


def test_a_reader_that_leaves_in_the_middle_ends_the_command_quietly() -> None:
    # more than a buffer full, so that the command is still writing when nobody reads any more
    command = [sys.executable, "-m", "acumen", "score", "--demo", *FAST, "--full"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0


def test_a_hostile_name_does_not_reach_the_terminal(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document: Any = read_json(study / "results-rag.json")
    document |= {"run_id": "\x1b[2J[bold]x", "method": "=1+1|\x07"}
    path, out = tmp_path / "r.json", tmp_path / "out.json"
    path.write_text(json.dumps(document))
    truth = ("--truth", str(study / "truth.json"))
    assert run(["score", str(path), *truth, *FAST, "--output", str(out)]) == 0
    for form in ("table", "markdown", "latex", "csv"):
        assert run(["show", str(out), "--format", form]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\\x1b[2J[bold]x" in printed
    assert "\n'=1+1|" in printed  # a spreadsheet must not run it
    assert "=1+1\\|" in printed


@pytest.fixture
def shelf(study: Path, tmp_path: Path) -> Path:
    for name in ("rag", "direct"):
        out = tmp_path / name / "results.json"
        out.parent.mkdir()
        assert score(study, "--output", str(out), results=(f"results-{name}",)) == 0
    older: Any = read_json(tmp_path / "rag" / "results.json")
    older |= {"timestamp": "20250101_000000"}
    older["metrics"]["total_accuracy"]["value"] = 0.5
    (tmp_path / "old.json").write_text(json.dumps(older))
    (tmp_path / "notes.json").write_text('{"nothing": 1}')
    (tmp_path / "torn.json").write_text("{")
    return tmp_path


def test_a_folder_of_results_becomes_one_table(
    shelf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["show", str(shelf), "--format", "json"]) == 0
    out, err = capsys.readouterr()
    rows = json.loads(out)
    assert [(r["method"], r["accuracy"]) for r in rows][1:] == [("rag", 50.0), ("rag", 90.0)]
    assert "ignored torn.json" in err
    assert run(["show", str(shelf), "--latest", "--method", "rag,amos", "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("rag,G1_allergy_V2,")


@pytest.mark.parametrize(
    ("form", "rag", "direct"),
    [
        ("table", "_V2 100 90.0%", "_V2 99/100 92.9%"),
        ("markdown", "| 100 | 90.0% \\[", "| 99/100 | 92.9% \\["),
        ("latex", "& 100 & 90.0\\% {[", "& 99/100 & 92.9\\% {["),
        ("csv", ",100,100,90.0,", ",100,99,92.9"),
    ],
)
def test_accuracy_stands_beside_the_cases_it_is_divided_by(
    form: str, rag: str, direct: str, shelf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["show", str(shelf), "--latest", "--format", form]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert rag in printed
    assert direct in printed


def test_show_says_when_nothing_matches(shelf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", str(shelf), "--policy", "G9"]) == 3
    assert "there are no result files that match" in capsys.readouterr().err
    assert run(["show", str(shelf / "notes.json")]) == 3
    assert "is no document of acumen" in capsys.readouterr().err
    assert run(["show", str(shelf), "--format", "yaml"]) == 2


def test_one_run_is_shown_in_full(shelf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["show", "--dev", str(shelf / "direct")]) == 0
    printed = capsys.readouterr().out
    assert "Are its reasons right" in printed
    assert "direct ranks well by severity (AUPRC 93.0%" in " ".join(printed.split())


def test_a_score_that_rests_on_one_case_has_no_interval_and_says_so(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth: Any = read_json(study / "truth.json")
    for case, entry in truth.items():
        if case != "B098":
            entry["verdict"] = entry["verdict"].replace("Critical", "High")
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    out = tmp_path / "out.json"
    inputs = (str(study / "results-direct.json"), "--truth", str(tmp_path / "truth.json"))
    assert run(["score", *inputs, *FAST, "--output", str(out)]) == 0
    assert "✓ (no interval)" in capsys.readouterr().out
    none = read_json(out)["metrics"]["ordinal_auprc"]["no_interval"]  # type: ignore[index]
    assert none["why"] == "undefined_in_resamples"
    rests_on = {"cases": 1, "where": "at", "level": "Critical Risk", "upper": None}
    assert none["rests_on"] == rests_on


def test_a_file_of_the_source_is_shown_as_far_as_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    components = {
        "incident_precision": 1.0,
        "severity_accuracy": 0.57,
        "modifier_accuracy": 1.0,
        "verdict_support_rate": 0.98,
        "snippet_validity": None,
        "weighted_sum": 0.82,
        "total_weight": 0.95,
    }
    document = {
        "run_id": "G1_allergy_V2",
        "method": "amos",
        "k": 50,
        "n": 100,
        "auprc": {"auprc_ge_high": 0.73, "ordinal_auprc": 0.8, "n_samples": 100},
        "unified_scores": {"auprc": 0.798, "process_score": 86.15, "consistency_score": 100.0},
        "unified_metrics_full": {"process_components": components},
    }
    (tmp_path / "results.json").write_text(json.dumps(document))
    assert run(["show", "--dev", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "run G1_allergy_V2, method amos, policy unnamed, K 50, N 100" in printed
    assert "79.8%" in printed
    assert "–" in printed
    assert "(they weigh 0.95 in all)" in " ".join(printed.split())
