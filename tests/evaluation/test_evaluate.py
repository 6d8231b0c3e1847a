"""acumen evaluate, end to end: the artifact's shape and numbers, one input and two."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import acumen
from acumen import cli
from acumen.errors import DataError, UsageError
from acumen.evaluation import build
from acumen.evaluation.plan import Plan
from acumen.files.json import read_json, to_json
from acumen.inference.options import Options
from acumen.metrics import METRICS
from acumen.questions.evaluation import Evaluation
from acumen.readers.columns import from_columns
from acumen.readers.run import read_run
from acumen.report.sections import sections_of
from acumen.report.terminal import render
from acumen.results.metrics import MetricsArtifact, Variant, read_artifact
from acumen.studies import phq8_run
from acumen.table.judgments import Judgments
from tests.evaluations import evaluate

QUICK = Options(resamples=200)


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "your_run.json"
    path.write_text(to_json(phq8_run()), "utf-8")
    return path


@pytest.fixture(scope="module")
def few_shot(run_file: Path) -> Judgments:
    return read_run(run_file, mode="few_shot")


@pytest.fixture(scope="module")
def zero_shot(run_file: Path) -> Judgments:
    return read_run(run_file, mode="zero_shot")


REFERENCE: dict[str, Any] = {
    "schema_version": None,
    "created_at": None,
    "inputs": None,
    "population": dict.fromkeys(
        ("participants_total", "participants_included", "participants_failed", "items_total")
    ),
    "loss": dict.fromkeys(("name", "definition", "raw_multiplier")),
    "confidence_variants": {
        "llm": {
            "cmax": None, "aurc_full": None, "augrc_full": None, "aurc_optimal": None,
            "augrc_optimal": None, "eaurc": None, "eaugrc": None, "aurc_achievable": None,
            "interpretation": dict.fromkeys(
                ("aurc_gap_pct", "augrc_gap_pct", "achievable_gain_pct")
            ),
            "aurc_at_c": dict.fromkeys(("requested", "used", "value")),
            "augrc_at_c": dict.fromkeys(("requested", "used", "value")),
            "mae_at_coverage": {"0.10": dict.fromkeys(("requested", "achieved", "value"))},
            "bootstrap": {
                "seed": None, "n_resamples": None,
                "ci95": {"cmax": None, "aurc_full": None, "mae_at_coverage": {"0.10": None}},
                "drop_rate": {"aurc_full": None, "mae_at_coverage": {"0.10": None}},
            },
            "curve": dict.fromkeys(
                ("coverage", "selective_risk", "generalized_risk", "threshold")
            ),
        }
    },
    "comparison": dict.fromkeys(("enabled", "intersection_only", "deltas")),
}  # fmt: skip


def lacking(expected: Any, found: Any, path: str = "") -> list[str]:
    if expected is None:
        return []
    return [
        missing
        for key, below in expected.items()
        for missing in (
            [f"{path}.{key}"] if key not in found else lacking(below, found[key], f"{path}.{key}")
        )
    ]


def test_the_artifact_has_every_key_of_the_reference_where_it_stands(few_shot: Judgments) -> None:
    document = json.loads(evaluate(few_shot, None, Plan(options=QUICK)).to_json())
    assert lacking(REFERENCE, document) == []
    assert document["inputs"][0].keys() >= {"path", "run_id", "git_commit", "mode"}
    assert document["comparison"]["deltas"] is None


def test_numbers_of_a_study_worked_out_by_hand_reach_the_artifact() -> None:
    table = from_columns(
        case=[1, 2, 3, 4],
        truth=[2, 1, 1, 0],
        prediction=[2, 3, 1, None],
        confidence=[2.0, 2.0, 1.0, 0.0],
    )
    plan = Plan(loss="abs", area_coverage=0.6, coverage_grid=(0.1, 0.6, 0.8), options=QUICK)
    variant = evaluate(table, None, plan).document.confidence_variants["confidence"]
    document = variant.model_dump()
    assert document["aurc_full"] == pytest.approx(17 / 24)
    assert document["augrc_full"] == pytest.approx(1 / 4)
    assert document["aurc_at_c"] == {
        "requested": 0.6,
        "used": 0.6,
        "value": pytest.approx(89 / 150),
    }
    assert document["augrc_at_c"]["value"] == pytest.approx(7 / 40)
    assert document["mae_at_coverage"]["0.60"] == {
        "requested": 0.6, "achieved": 0.75, "value": pytest.approx(2 / 3),
    }  # fmt: skip
    assert document["mae_at_coverage"]["0.80"] == {
        "requested": 0.8, "achieved": None, "value": None,
    }  # fmt: skip
    assert document["metrics"]["mean_loss_at_coverage@0.8"]["reason"] == (
        "the coverage asked for is not reached"
    )
    assert document["curve"]["threshold"] == [2.0, 1.0]


def test_coverages_that_two_digits_do_not_tell_apart_have_keys_of_their_own(
    few_shot: Judgments,
) -> None:
    plan = Plan(confidence="llm", coverage_grid=(0.101, 0.104, 0.5), options=QUICK)
    variant = evaluate(few_shot, None, plan).document.confidence_variants["llm"]
    assert isinstance(variant, Variant)
    assert [*variant.mae_at_coverage] == ["0.101", "0.104", "0.50"]
    assert [p.requested for p in variant.mae_at_coverage.values()] == [0.101, 0.104, 0.5]
    ends = variant.bootstrap.ci95["mae_at_coverage"]
    assert isinstance(ends, dict)
    assert [*ends] == ["0.101", "0.104", "0.50"]


@pytest.mark.parametrize(("loss", "multiplier"), [("abs_norm", 3), ("abs", 1)])
def test_the_loss_is_described_with_its_multiplier(
    few_shot: Judgments, loss: str, multiplier: int
) -> None:
    artifact = evaluate(few_shot, None, Plan(loss=loss, options=QUICK)).document
    assert artifact.loss.raw_multiplier == multiplier
    raw = evaluate(few_shot, None, Plan(loss="abs", options=QUICK)).document
    ours, theirs = (a.confidence_variants["llm"].model_dump() for a in (artifact, raw))
    assert ours["aurc_full"] * multiplier == pytest.approx(theirs["aurc_full"])


def test_the_same_inputs_and_seed_give_the_same_bytes(
    few_shot: Judgments, zero_shot: Judgments, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    plan = Plan(confidence="token_msp,llm", options=QUICK)
    texts = {
        evaluate(
            zero_shot, few_shot, replace(plan, options=replace(QUICK, threads=threads))
        ).to_json()
        for threads in (1, 2, 4)
    }
    assert len(texts) == 1


def test_a_function_has_the_same_numbers_whoever_stands_beside_it(few_shot: Judgments) -> None:
    alone = evaluate(few_shot, None, Plan(confidence="token_msp", options=QUICK)).document
    among = evaluate(few_shot, None, Plan(confidence="all", options=QUICK)).document
    assert alone.confidence_variants["token_msp"] == among.confidence_variants["token_msp"]


def test_a_pair_is_told_by_side_with_deltas_on_the_common_cases(
    zero_shot: Judgments, few_shot: Judgments
) -> None:
    evaluation = evaluate(zero_shot, few_shot, Plan(confidence="llm,token_msp", options=QUICK))
    artifact = evaluation.document
    assert artifact.population.participants_total == 41
    assert artifact.population.participants_included == 39
    assert artifact.comparison.in_both == 39
    assert len(artifact.comparison.failed_left) == len(artifact.comparison.failed_right) == 1
    document = json.loads(evaluation.to_json())
    sides = document["confidence_variants"]["llm"]
    delta = document["comparison"]["deltas"]["llm"]["aurc_full"]
    assert delta["delta"] == pytest.approx(
        sides["input_1"]["aurc_full"] - sides["input_0"]["aurc_full"]
    )
    assert delta["ci95"][0] < delta["delta"] < delta["ci95"][1]
    assert (delta["favours"], delta["description"]) == (None, "coverage_differs")
    charged = document["comparison"]["deltas"]["llm"]["augrc_charge"]
    assert charged["p_adjusted"] >= charged["p_value"]
    assert charged["description"] is None
    assert "mean_loss_at_coverage@0.5" in document["comparison"]["deltas"]["llm"]
    assert any("failed in one of the two" in w for w in artifact.warnings)


def test_every_metric_has_a_value_or_a_reason_and_an_interval_or_a_reason(
    few_shot: Judgments,
) -> None:
    artifact = evaluate(few_shot, None, Plan(confidence="all", options=QUICK)).document
    for variant in artifact.confidence_variants.values():
        for name, metric in variant.metrics.items():
            assert (metric.value is None) == (metric.reason is not None), name
            assert (metric.interval is None) == (metric.no_interval is not None), name
    names = set(artifact.confidence_variants["token_msp"].metrics)
    assert {"aurc_exact", "augrc_normalized", "aurc_charge", "ece", "brier"} <= names
    assert {m.split("@")[0] for m in names} <= set(METRICS)


def test_tables_need_no_chart_and_the_artifact_has_them_all(
    few_shot: Judgments, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = evaluate(few_shot, None, Plan(options=QUICK))
    with monkeypatch.context() as patched:
        patched.setattr(build, "draw", lambda *_: pytest.fail("a chart was computed"))
        tables = str(evaluation)
        evaluation.to_frame()
        assert evaluation["mae"].value is not None
    assert not evaluation.brief.rows
    assert not evaluation.brief.summaries[0].functions
    assert "reading" not in evaluation.brief.options  # the rows were not read from a file
    (summary,), (rows,) = evaluation.document.summaries, evaluation.document.rows
    assert [*summary.functions] == [*evaluation.document.confidence_variants] == [*rows.confidence]
    assert len(rows.case) == len(few_shot.included)
    assert len(summary.by_item) == 8
    evaluation.write(tmp_path / "metrics.json")
    again = Evaluation.read(tmp_path / "metrics.json")
    assert str(again) == tables
    assert again == evaluation != Evaluation(evaluation.brief)


def test_an_artifact_reads_back_whole_and_keeps_fields_it_does_not_know(
    few_shot: Judgments, tmp_path: Path
) -> None:
    evaluation = evaluate(few_shot, None, Plan(options=QUICK))
    path = tmp_path / "metrics.json"
    evaluation.write(path)
    assert Evaluation.read(path).to_json() == evaluation.to_json()
    document = read_json(path)
    assert isinstance(document, dict)
    document["of_the_future"] = {"a": 1}
    path.write_text(to_json(document))
    assert Evaluation.read(path).document.model_extra == {"of_the_future": {"a": 1}}
    document["schema_version"] = "2"
    path.write_text(to_json(document))
    with pytest.raises(DataError, match=r"schema_version.*schema version 2"):
        read_artifact(path, MetricsArtifact)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_results_become_a_dataframe_of_any_library(few_shot: Judgments, backend: str) -> None:
    import narwhals as nw

    evaluation = evaluate(few_shot, None, Plan(options=QUICK))
    frame = nw.from_native(evaluation.to_frame(backend))
    rows = frame.filter(nw.col("confidence") == "llm", nw.col("metric") == "aurc")
    assert rows["estimate"].to_list() == [evaluation.document.confidence_variants["llm"].aurc_full]


def test_a_notebook_shows_hostile_names_as_text(tmp_path: Path) -> None:
    document = phq8_run()
    document["experiments"][0]["provenance"]["mode"] = "<script>alert(1)</script>"
    document["experiments"][0]["results"]["mode"] = "<script>alert(1)</script>"
    path = tmp_path / "run.json"
    path.write_text(to_json(document))
    table = read_run(path, mode="<script>alert(1)</script>")
    shown = evaluate(table, None, Plan(options=QUICK))._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_brackets_and_colons_in_a_name_are_a_name(few_shot: Judgments) -> None:
    """Rich would take them for markup: fail at the first, swallow the second, draw the third."""
    functions = {"[/x]": lambda token_msp: token_msp, "[red]a:smile:": lambda token_pe: -token_pe}
    evaluation = evaluate(few_shot, None, Plan(functions=functions, options=QUICK))
    for shown in (repr(evaluation), evaluation._repr_html_()):
        assert "[/x]" in shown
        assert "[red]a:smile:" in shown


def test_a_notebook_shows_a_table_with_the_numbers_of_the_terminal(
    zero_shot: Judgments, few_shot: Judgments
) -> None:
    evaluation = evaluate(zero_shot, few_shot, Plan(confidence="llm,token_msp", options=QUICK))
    rows: list[list[str]] = []

    class Cells(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag == "tr":
                rows.append([])
            elif tag == "td":
                rows[-1].append("")

        def handle_data(self, data: str) -> None:
            if rows and rows[-1]:
                rows[-1][-1] += data

    page = evaluation._repr_html_()
    Cells().feed(page)
    terminal = repr(evaluation).split()
    numbers = [m[0] for row in rows for cell in row[1:] if (m := re.match(r"[-+]?\d[\d.]+", cell))]
    assert len(numbers) > 25
    for number in numbers:
        assert any(token.startswith(number[:5]) for token in terminal), number
    assert "<b>At equal coverage" in page


def test_a_callable_can_be_a_confidence_function(few_shot: Judgments) -> None:
    plan = Plan(functions={"mine": lambda token_msp: token_msp**2}, options=QUICK)
    ours = evaluate(few_shot, None, plan).document.confidence_variants["mine"]
    theirs = evaluate(few_shot, None, Plan(confidence="token_msp", options=QUICK)).document
    assert ours.augrc_full == theirs.confidence_variants["token_msp"].augrc_full


@pytest.mark.parametrize(
    "wrong",
    [
        {"coverage_grid": ()},
        {"coverage_grid": (0.0,)},
        {"area_coverage": 1.5},
        {"coverage_grid": (0.5, 1.01)},
    ],
)
def test_options_that_cannot_be_meant_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Plan(**wrong)


def test_the_reference_commands_work_with_the_programs_name_replaced(
    run_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["--loss", "abs", "--seed", "42", "--bootstrap-resamples", "200"]
    one = ["--input", str(run_file), "--mode", "few_shot", "--confidence", "default"]
    assert cli.run(["evaluate", *one, *common]) == 0
    assert "40 of 41 participants included (1 failed, 2.4%)" in capsys.readouterr().out
    two = [
        "--input", str(run_file), "--mode", "zero_shot",
        "--input", str(run_file), "--mode", "few_shot",
    ]  # fmt: skip
    assert cli.run(["evaluate", *two, *common]) == 0
    assert "few_shot − zero_shot" in capsys.readouterr().out


def test_the_reference_calibration_commands_work(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["calibrate", "--input", str(run_file), "--mode", "few_shot"]
    temperature, logistic = tmp_path / "temperature.json", tmp_path / "logistic.json"
    assert cli.run([*given, "--output", str(temperature)]) == 0
    features = "verbalized_confidence,retrieval_similarity_mean"
    more = ["--method", "logistic", "--features", features, "--output", str(logistic)]
    assert cli.run([*given, *more]) == 0
    for artifact, name in ((temperature, "verbalized_calibrated"), (logistic, "calibrated")):
        capsys.readouterr()
        command = ["evaluate", str(run_file), "--mode", "few_shot", "--confidence", name]
        code = cli.run([*command, "--calibration", str(artifact), "--bootstrap-resamples", "50"])
        assert code == 0
        assert "in-sample" in capsys.readouterr().out


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_of_the_report_is_wider_than_the_terminal(
    zero_shot: Judgments, few_shot: Judgments, width: int
) -> None:
    from acumen.report.terminal import render

    evaluation = evaluate(zero_shot, few_shot, Plan(confidence="all", options=QUICK))
    text = render(sections_of(evaluation.document), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    assert text.index("warning:") > text.index("At equal coverage")


def test_raw_mae_is_never_shown_as_a_difference(zero_shot: Judgments, few_shot: Judgments) -> None:
    text = repr(evaluate(zero_shot, few_shot, Plan(confidence="llm", options=QUICK)))
    compared = text[: text.index("Accuracy of all rows")]
    assert "Mean error, surest" in compared
    assert compared.count("Mean error, both answer") == 1
    assert "MAE" not in compared


def test_an_alias_stands_where_its_function_stands(few_shot: Judgments) -> None:
    """Equal numbers cannot be worse: llm and total_evidence are one signal under two names."""
    plan = Plan(confidence="token_msp,llm,total_evidence,verbalized,token_pe", options=QUICK)
    best = evaluate(few_shot, None, plan).document.best
    assert best is not None
    assert best.is_above("llm") is best.is_above("total_evidence")
    assert best.is_above("verbalized")
    rivals = evaluate(few_shot, None, replace(plan, confidence="llm,total_evidence,verbalized"))
    first = rivals.document.best
    assert first is not None
    assert (first.name, first.equal) == ("llm", ["total_evidence"])
    assert "llm (total_evidence ranks alike)" in repr(rivals)


def test_a_function_that_ranks_as_the_best_does_is_its_equal(few_shot: Judgments) -> None:
    functions = {
        "surer": lambda token_msp: token_msp,
        "twice": lambda token_msp: 2 * token_msp,
        "flat": lambda token_msp: 0 * token_msp,
    }
    best = evaluate(few_shot, None, Plan(functions=functions, options=QUICK)).document.best
    assert best is not None
    assert (best.name, best.equal, best.indistinguishable) == ("surer", ["twice"], [])
    assert best.is_above("flat")


def test_a_rival_s_alias_is_a_rival_in_words_and_in_the_chart(zero_shot: Judgments) -> None:
    from acumen import chart
    from acumen.report.selective.words import conclusion

    plan = Plan(confidence="consistency,llm,total_evidence,verbalized", options=QUICK)
    evaluation = evaluate(zero_shot, None, plan)
    best = evaluation.document.best
    assert best is not None
    assert {"llm", "total_evidence"} <= set(best.indistinguishable)
    told = conclusion(evaluation.document)
    assert "do not show that it differs from llm and total_evidence" in told
    (rows,) = [r for r in chart("forest", evaluation).datasets.values() if "low" in r[0]]
    standing = {row["name"]: row["group"] for row in rows}
    assert standing["total_evidence"] == standing["llm"] == "perhaps as low"


def test_functions_equal_on_one_side_alone_have_their_own_differences() -> None:
    """Left, b ranks as a does; right, it does not."""
    rng = np.random.default_rng(0)
    n = 24
    truth = rng.integers(0, 4, n).tolist()
    guess = [(t + int(e)) % 4 for t, e in zip(truth, rng.random(n) < 0.4, strict=True)]
    a = rng.random(n).round(3).tolist()
    columns = {"case": [f"c{i}" for i in range(n)], "truth": truth, "prediction": guess}
    left = acumen.from_columns(**columns, signals={"a": a, "b": a})
    right = acumen.from_columns(**columns, signals={"a": a, "b": a[::-1]})
    found = acumen.compare(left, right, confidence="a,b", resamples=100)
    deltas = found.document.comparison.deltas
    assert deltas is not None
    assert deltas["a"]["augrc_full"].delta != deltas["b"]["augrc_full"].delta
    text = render(sections_of(found.document))
    assert "a = b" not in text
    compared = text.split("Accuracy of all rows")[0]
    assert f"{deltas['a']['augrc_full'].delta:+.3f}" in compared


@pytest.mark.parametrize(("cases", "stands_in"), [(1000, None), (1001, "influence")])
def test_the_artifact_says_where_influence_stands_in(cases: int, stands_in: str | None) -> None:
    at = range(cases)
    columns = {"case": [*at], "truth": [k % 3 for k in at], "prediction": [k % 2 for k in at]}
    rows = pa.table(columns | {"confidence": [(k % 7) / 7 for k in at]})
    artifact = acumen.evaluate(rows, resamples=0).document
    (variant,) = artifact.sides["confidence"]
    assert variant.bootstrap.leave_one_out == stands_in
