"""Chart specifications draw what they are given: nothing in them computes a number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from altair.utils.schemapi import validate_jsonschema

from acumen import chart
from acumen.charts import CHARTS
from acumen.charts.export import FORMATS, write_figure
from acumen.charts.theme import Figure, spec_and_data
from acumen.charts.verdicts import VERDICT_CHARTS, comparison
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.files.json import read_json, write_json
from acumen.questions.evaluation import Evaluation
from acumen.results.verdicts import PairDocument

COMPUTING = {
    *("aggregate", "bin", "calculate", "regression", "loess", "window", "density", "quantile"),
    *("impute", "joinaggregate", "stack", "timeUnit", "fold", "pivot", "sample", "lookup"),
}


def walk(part: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(part, dict):
        for key, value in part.items():
            yield key, value
            yield from walk(value)
    elif isinstance(part, list):
        for value in part:
            yield from walk(value)


def figures(single: Evaluation, paired: Evaluation, results: PairDocument) -> dict[str, Figure]:
    assert results.comparison is not None
    of_several = ("deltas", "leaderboard", "slices")
    alone = {n: draw for n, draw in CHARTS.items() if n not in of_several}
    found = {f"single {n}": draw(single.document) for n, draw in alone.items()}
    found |= {f"paired {n}": draw(paired.document) for n, draw in CHARTS.items() if n != "slices"}
    found |= {f"verdicts {n}": draw(results.systems) for n, draw in VERDICT_CHARTS.items()}
    found["verdicts comparison"] = comparison(results.comparison)
    assert None not in found.values()
    return found  # type: ignore[return-value]


def test_no_chart_computes_a_number(
    single: Evaluation, paired: Evaluation, results: PairDocument
) -> None:
    drawn = figures(single, paired, results)
    assert len(drawn) == 31
    for name, figure in drawn.items():
        spec, rows = spec_and_data(figure)
        computing = {key for key, value in walk(spec) if key in COMPUTING and value is not None}
        assert computing == set(), name
        transforms = [value for key, value in walk(spec) if key == "transform"]
        assert all(set(step) == {"filter"} for steps in transforms for step in steps), name
        assert rows, name
        assert not any(key in ("url", "href", "image") for key, _ in walk(spec)), name


def shape(part: Any) -> Any:
    """A specification without its words and numbers: what is one shape is valid or not as one."""
    if isinstance(part, dict):
        return {key: part[key] if key in ("mark", "type") else shape(part[key]) for key in part}
    if isinstance(part, list):
        return [shape(value) for value in part]
    return type(part).__name__


def test_every_chart_is_valid_vega_lite(
    single: Evaluation, paired: Evaluation, results: PairDocument
) -> None:
    specs = [spec_and_data(figure)[0] for figure in figures(single, paired, results).values()]
    # the configuration is one for all, and checking is slow
    config = specs[0]["config"]
    assert all(spec["config"] == config for spec in specs)
    bare = [{key: part for key, part in spec.items() if key != "config"} for spec in specs]
    schema = alt.load_schema()
    for spec in [specs[0], *{repr(shape(spec)): spec for spec in bare}.values()]:
        validate_jsonschema(spec, schema)


def test_the_agreement_chart_draws_the_artifact_s_numbers_of_each_input(
    paired: Evaluation,
) -> None:
    (rows,) = chart("agreement", paired).datasets.values()
    names = {row["group"] for row in rows}
    assert names == {"toy1", "noisier"}
    kappa = {row["group"]: row for row in rows if row["name"] == "Quadratic kappa"}
    for side, found in zip(("toy1", "noisier"), paired.document.overall_by_input, strict=True):
        held = found["quadratic_kappa"]
        assert held.interval is not None
        drawn = [kappa[side][key] for key in ("value", "low", "high")]
        assert drawn == pytest.approx([held.value, held.interval.low, held.interval.high], rel=1e-5)
    # mean errors are of another scale and not in the chart
    assert not [row for row in rows if row["value"] > 1 or "error" in row["name"]]


def test_the_two_risk_curves_share_their_rows(single: Evaluation) -> None:
    first = spec_and_data(chart("risk-coverage", single))[1]
    second = spec_and_data(chart("generalized-risk", single))[1]
    assert set(first) == set(second)
    curves = next(rows for rows in first.values() if "t" in rows[0])
    shown = [row for row in curves if row["f"] == "llm" and row["k"] == "c"]
    variant = single.document.confidence_variants["llm"]
    assert [row["c"] for row in shown] == [
        pytest.approx(c, rel=1e-5) for c in variant.curve.coverage
    ]
    assert [row["n"] for row in shown] == [
        round(c * single.document.population.items_total) for c in variant.curve.coverage
    ]


@pytest.mark.parametrize(
    ("suffix", "begins"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")]
)
def test_a_chart_becomes_a_figure_file(
    suffix: str, begins: bytes, single: Evaluation, tmp_path: Path
) -> None:
    assert suffix in FORMATS
    path = tmp_path / f"figure{suffix}"
    write_figure(chart("confusion", single), path)
    assert path.read_bytes().startswith(begins)


def test_plot_draws_artifacts_results_and_runs(
    single: Evaluation, results: PairDocument, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.toy_runs import toy_run

    single.write(tmp_path / "metrics.json")
    write_json(tmp_path / "results.json", results.on_disk())
    write_json(tmp_path / "run.json", toy_run(4))
    out = tmp_path / "f.svg"
    for source, name in (("metrics", "forest"), ("results", "components"), ("run", "confusion")):
        out.unlink(missing_ok=True)
        assert run(["plot", str(tmp_path / f"{source}.json"), "--chart", name, "-o", str(out)]) == 0
        assert "<svg" in out.read_text()
    assert run(["plot"]) == 0
    assert "risk-coverage" in capsys.readouterr().out
    assert run(["plot", "--chart", "forest", "-o", str(out)]) == 2
    assert "give a run" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_plot_draws_a_run_in_every_format_that_evaluate_reads(ending: str, tmp_path: Path) -> None:
    from pyarrow import csv, parquet

    from acumen.files.json import to_json
    from tests.toy_runs import toy_run

    source, out = tmp_path / f"rows.{ending}", tmp_path / "f.svg"
    cells = "case,gt,pred,confidence\n1,0,0,0.9\n2,3,1,0.4\n3,2,,0.1\n"
    entries = toy_run(4)["experiments"][0]["results"]["results"]
    lines = "\n".join(to_json(entry, indent=None) for entry in entries)
    source.write_text(lines if ending == "jsonl" else cells)
    if ending == "parquet":
        parquet.write_table(csv.read_csv(source), source)
    assert run(["plot", str(source), "--chart", "confusion", "-o", str(out)]) == 0
    assert "<svg" in out.read_text()


def test_plot_reads_a_run_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io
    import sys

    from acumen.files.json import to_json
    from tests.toy_runs import toy_run

    given = io.TextIOWrapper(io.BytesIO(to_json(toy_run(4)).encode("utf-8")))
    monkeypatch.setattr(sys, "stdin", given)
    out = tmp_path / "f.svg"
    assert run(["plot", "-", "--chart", "confusion", "-o", str(out)]) == 0
    assert "<svg" in out.read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--chart", "pie", "-o", "f.svg"], "no chart 'pie'; there are risk-coverage"),
        (["--chart", "deltas", "-o", "f.svg"], "nothing to draw for the chart 'deltas'"),
        (["--chart", "forest", "-o", "f.gif"], "a figure is .svg, .png, .pdf, not '.gif'"),
        (["--chart", "forest"], "--output FILE is missing"),
    ],
)
def test_plot_says_what_it_cannot_draw(
    arguments: list[str],
    told: str,
    single: Evaluation,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    single.write(tmp_path / "metrics.json")
    assert run(["plot", str(tmp_path / "metrics.json"), *arguments]) == 2
    assert told in capsys.readouterr().err


def test_an_artifact_whose_parts_do_not_fit_is_refused(single: Evaluation, tmp_path: Path) -> None:
    from acumen.report.html import render_report

    single.write(tmp_path / "metrics.json")
    document = read_json(tmp_path / "metrics.json")
    assert isinstance(document, dict)
    document["rows"][0]["truth"].pop()
    write_json(tmp_path / "ragged.json", document)
    with pytest.raises(DataError, match="rows: ragged columns"):
        render_report([tmp_path / "ragged.json"])
    document["summaries"][0]["optimum"]["coverage"].pop()
    write_json(tmp_path / "ragged.json", document)
    with pytest.raises(DataError, match="must be of one length"):
        render_report([tmp_path / "ragged.json"])


def test_a_file_that_is_no_artifact_is_refused(tmp_path: Path) -> None:
    from acumen.report.html import render_report

    write_json(tmp_path / "other.json", {"experiments": []})
    with pytest.raises(DataError, match="is no document of acumen; there are metrics"):
        render_report([tmp_path / "other.json"])
    with pytest.raises(UsageError, match="at least one artifact"):
        render_report([])
