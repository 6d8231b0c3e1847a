"""Sites exchange counts: merged is pooled, and what does not fit together is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from acumen.cli import run
from acumen.large import evaluate
from tests.large.studies import study

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def acumen(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


@pytest.fixture
def sites(acumen: Run) -> dict[str, pl.DataFrame]:
    """Two sites with their counts written."""
    parts = {"a": study(1500, 1), "b": study(2500, 2, first=100_000)}
    for name, rows in parts.items():
        rows.write_parquet(f"{name}.parquet")
        assert acumen("count", f"{name}.parquet", "-o", f"{name}.counts", "--salt", "s")[0] == 0
    return parts


def test_two_rounds_give_the_numbers_of_all_rows_together(
    acumen: Run, sites: dict[str, pl.DataFrame]
) -> None:
    code, out, _ = acumen("merge", "a.counts", "b.counts", "-o", "pooled.counts")
    assert code == 0
    assert "Intervals take a second round" in out
    for name in sites:
        options = ("--against", "pooled.counts", "-o", f"{name}.moments")
        assert acumen("count", f"{name}.parquet", *options)[0] == 0
    files = ("pooled.counts", "a.moments", "b.moments")
    code, out, _ = acumen("merge", *files, "--json")
    assert code == 0
    merged = json.loads(out)
    pooled = evaluate(pl.concat(sites.values()).lazy()).systems["all"]
    assert merged["are_cases_apart"] is True
    assert merged["systems"]["all"]["cases"] == pooled.cases
    for name, metric in pooled.metrics.items():
        ours = merged["systems"]["all"]["metrics"][name]
        assert ours["value"] == pytest.approx(metric.value, abs=1e-15)
        ends = ours["interval"]["low"], ours["interval"]["high"]
        assert ends == pytest.approx(metric.ends, abs=1e-14)
    code, out, _ = acumen("merge", *files)
    assert "4,000 rows of 499 cases" in out
    assert acumen("merge", "pooled.counts", "a.moments")[0] == 2


def test_a_case_at_two_sites_is_refused(acumen: Run, sites: dict[str, pl.DataFrame]) -> None:
    pl.concat([sites["b"], sites["a"][:1]]).write_parquet("c.parquet")
    assert acumen("count", "c.parquet", "-o", "c.counts", "--salt", "s")[0] == 0
    code, _, error = acumen("merge", "a.counts", "c.counts")
    assert (code, "1 case at two sites" in error) == (3, True)
    assert acumen("count", "c.parquet", "-o", "d.counts", "--salt", "other")[0] == 0
    code, _, error = acumen("merge", "a.counts", "d.counts")
    assert (code, "different salts" in error) == (3, True)


def test_no_id_and_no_row_is_in_the_file(acumen: Run, sites: dict[str, pl.DataFrame]) -> None:
    content = json.loads(Path("b.counts").read_text())
    assert sum(content["cells"]["rows"]) == 2500
    assert not {str(case) for case in sites["b"]["case"]} & {*content["case_hashes"]}
    assert all(len(text) == 16 for text in content["case_hashes"])


def test_suppressed_cells_are_told_with_their_weight(acumen: Run, sites: Any) -> None:
    assert acumen("count", "a.parquet", "-o", "s.counts", "--fewest", "5", "--salt", "s")[0] == 0
    content = json.loads(Path("s.counts").read_text())
    assert min(content["cells"]["rows"]) >= 5
    code, out, _ = acumen("merge", "s.counts", "b.counts")
    assert code == 0
    printed = " ".join(out.split())
    assert (
        f"{content['hidden_rows']} rows (weight {content['hidden_weight']:g}) in small" in printed
    )
    assert "exact" not in printed.lower().replace("exact aurc", "")


def change(content: dict[str, Any], column: str, value: Any) -> None:
    answered = next(i for i, p in enumerate(content["cells"]["prediction"]) if p >= 0)
    content["cells"][column][answered] = value


HOSTILE: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "negative rows": (lambda c: change(c, "rows", -5), "its rows must be 1 to"),
    "rows beyond all counting": (lambda c: change(c, "rows", 10**30), "its rows must be 1 to"),
    "a rank beyond all counting": (lambda c: change(c, "truth", 10**30), "a rank is not one of"),
    "impossible squares": (lambda c: change(c, "squares", 1e6), "no confidences have these sums"),
    "half a row": (lambda c: change(c, "rows", 1.5), "whole numbers"),
    "negative weight": (lambda c: change(c, "weight", -1.0), "its weight must not be negative"),
    "no such level": (lambda c: change(c, "truth", 9), "a rank is not one of 4 levels"),
    "other bin": (lambda c: change(c, "bin", 0.123), "a confidence that is not of its bin"),
    "impossible sum": (lambda c: change(c, "total", 1e6), "no confidences have these sums"),
    "too many rows": (lambda c: change(c, "rows", 10**6), "the counts do not add up"),
    "other outcomes": (lambda c: c["outcomes"].update(answered=1), "the counts do not add up"),
    "short column": (lambda c: c["cells"]["bin"].pop(), "all of one length"),
    "no column": (lambda c: c["cells"].pop("high"), "all of one length"),
    "a cell twice": (
        lambda c: [column.append(column[-1]) for column in c["cells"].values()],
        "it is given twice",
    ),
    "unknown key": (lambda c: c.update(rowz=1), "is not a key of a file of counts"),
    "other version": (lambda c: c.update(version=2), "version"),
    "text": (lambda c: change(c, "rows", "12"), "must be a number"),
    "infinite": (lambda c: change(c, "total", 1e999), "finite|Infinity|overflow|too large"),
    "other scale": (lambda c: c.update(levels=[1, 2, 3, 4]), "its levels are not those"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_or_inconsistent_counts_are_refused(
    kind: str, acumen: Run, sites: dict[str, pl.DataFrame]
) -> None:
    spoil, message = HOSTILE[kind]
    content = json.loads(Path("b.counts").read_text())
    spoil(content)
    Path("b.counts").write_text(json.dumps(content))
    code, _, error = acumen("merge", "a.counts", "b.counts")
    assert code == 3
    assert pytest.importorskip("re").search(message, error), error


def test_a_file_given_twice_is_refused(acumen: Run, sites: dict[str, pl.DataFrame]) -> None:
    code, _, error = acumen("merge", "a.counts", "b.counts", "a.counts")
    assert (code, "a.counts is given twice" in error) == (2, True)


def test_options_of_one_round_are_refused_in_the_other(acumen: Run, sites: Any) -> None:
    second = ("count", "a.parquet", "--against", "a.counts", "-o", "x.moments")
    code, _, error = acumen(*second, "--fewest", "5", "--salt", "s")
    assert (code, "--fewest, --salt: not with --against" in error) == (2, True)
    code, _, error = acumen(*second, "--salt", "")
    assert (code, "--salt: not with --against" in error) == (2, True)
    code, _, error = acumen("count", "a.parquet", "-o", "x.counts", "--loss", "abs")
    assert (code, "--loss: not without --against" in error) == (2, True)
    assert not [*Path().glob("x.*")]


def test_sums_of_another_round_are_refused(acumen: Run, sites: dict[str, pl.DataFrame]) -> None:
    acumen("merge", "a.counts", "b.counts", "-o", "pooled.counts")
    assert acumen("count", "a.parquet", "--against", "pooled.counts", "-o", "a.moments")[0] == 0
    code, _, error = acumen("merge", "a.counts", "a.moments")
    assert (code, "made against other pooled counts" in error) == (3, True)
    code, _, error = acumen("merge", "pooled.counts", "a.moments", "--loss", "abs")
    assert (code, "of the loss abs_norm" in error) == (3, True)
    content = json.loads(Path("a.moments").read_text())
    content["sums"]["augrc_0_4"] = 0.0
    Path("a.moments").write_text(json.dumps(content))
    code, _, error = acumen("merge", "pooled.counts", "a.moments")
    assert (code, "cases have the sums of augrc_0" in error) == (3, True)
    study(800, 9).write_parquet("c.parquet")
    code, _, error = acumen("count", "c.parquet", "--against", "a.counts", "-o", "c.moments")
    assert (code, "not among the pooled counts" in error) == (3, True)


def test_evaluate_with_an_engine_prints_and_writes(acumen: Run, sites: Any) -> None:
    code, out, _ = acumen("evaluate", "*.parquet", "--engine", "duckdb", "-o", "large.json")
    assert code == 0
    assert "4,000 rows of 499 cases, counted by duckdb" in out
    assert json.loads(Path("large.json").read_text())["kind"] == "acumen large"
    code, _, error = acumen("evaluate", "a.parquet", "--engine", "duckdb", "--threads", "2")
    assert (code, "not with it: --threads" in error) == (2, True)
    code, out, _ = acumen("evaluate", "a.parquet", "--engine", "polars", "--group", "site")
    assert code == 0
    assert "site=north" in out
