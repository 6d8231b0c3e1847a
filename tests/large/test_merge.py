"""Sites exchange counts: merged is pooled, and what does not fit together is refused."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from acumen.cli import run
from tests.large.measures import evaluate
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


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, pl.DataFrame]]:
    """Two sites, and a folder with their rows and counts."""
    folder = tmp_path_factory.mktemp("sites")
    parts = {"a": study(1500, 1), "b": study(2500, 2, first=100_000)}
    for name, rows in parts.items():
        path, target = folder / f"{name}.parquet", folder / f"{name}.counts"
        rows.write_parquet(path)
        assert run(["count", str(path), "-o", str(target), "--salt", "s"]) == 0
    return folder, parts


@pytest.fixture
def sites(
    acumen: Run, counted: tuple[Path, dict[str, pl.DataFrame]], tmp_path: Path
) -> dict[str, pl.DataFrame]:
    """The two sites, with their files to be changed."""
    folder, parts = counted
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return parts


def test_two_rounds_give_the_numbers_of_all_rows_together(
    acumen: Run, sites: dict[str, pl.DataFrame]
) -> None:
    code, out, _ = acumen("merge", "a.counts", "b.counts", "-o", "pooled.counts")
    assert code == 0
    assert "Intervals need a second round: acumen count --against these counts." in out
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
    "negative weight": (lambda c: change(c, "weight", -1.0), "its weight must be 0, or 1e-50"),
    "a weight beyond all tables": (lambda c: change(c, "weight", 1e308), "1e-50 to 1e.50 a row"),
    "a sum beyond all floats": (
        lambda c: change(c, "total", 1e300),
        "no confidences have these sums",
    ),
    "weight of no hidden rows": (lambda c: c.update(hidden_weight=1.0), "hidden_weight: no rows"),
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


@pytest.fixture(scope="module")
def summed(counted: tuple[Path, dict[str, pl.DataFrame]]) -> Path:
    """A folder with what both rounds leave."""
    folder, parts = counted
    with contextlib.chdir(shutil.copytree(folder, folder.with_name("rounds"))):
        assert run(["merge", "a.counts", "b.counts", "-o", "pooled.counts"]) == 0
        for name in parts:
            options = ("--against", "pooled.counts", "-o", f"{name}.moments")
            assert run(["count", f"{name}.parquet", *options]) == 0
        assert run(["merge", "pooled.counts", "a.moments", "b.moments"]) == 0
        return Path.cwd()


@pytest.fixture
def rounds(sites: dict[str, pl.DataFrame], summed: Path, tmp_path: Path) -> dict[str, pl.DataFrame]:
    """Both sites after both rounds, with their files to be changed."""
    shutil.copytree(summed, tmp_path, dirs_exist_ok=True)
    return sites


def second_round(acumen: Run, name: str, *options: str, against: str = "pooled.counts") -> None:
    file = f"{name}.parquet"
    assert acumen("count", file, "--against", against, "-o", f"{name}.moments", *options)[0] == 0


def test_the_sums_of_one_site_are_not_those_of_another(acumen: Run, rounds: Any) -> None:
    shutil.copy("b.moments", "bb.moments")
    code, _, error = acumen("merge", "pooled.counts", "b.moments", "bb.moments")
    assert (code, "b.moments: its sums are those of bb.moments once more" in error) == (3, True)
    spoil_sums("bb", {"augrc_0_3": 0.0})
    code, _, error = acumen("merge", "pooled.counts", "b.moments", "bb.moments")
    assert (code, "their weight is 5,000, that of the counts 4,000" in error) == (3, True)


def test_sums_of_some_of_the_rows_are_refused(acumen: Run, rounds: dict[str, pl.DataFrame]) -> None:
    rounds["b"][:800].write_parquet("some.parquet")
    second_round(acumen, "some")
    code, _, error = acumen("merge", "pooled.counts", "a.moments", "some.moments")
    assert (code, "the sums are of other rows than the counts, by rows (" in error) == (3, True)
    assert "their weight is 2,300, that of the counts 4,000" in error


def test_where_cells_were_left_out_sums_may_hold_what_was_hidden_and_no_more(
    acumen: Run, sites: dict[str, pl.DataFrame]
) -> None:
    for name in sites:
        acumen("count", f"{name}.parquet", "-o", f"{name}.counts", "--fewest", "3")
    acumen("merge", "a.counts", "b.counts", "-o", "pooled.counts")
    for name in sites:
        second_round(acumen, name)
    assert acumen("merge", "pooled.counts", "a.moments", "b.moments")[0] == 0
    pooled = json.loads(Path("pooled.counts").read_text())
    parts = [json.loads(Path(f"{name}.moments").read_text())["sums"] for name in sites]
    over = sum(part["rows_0_1"] for part in parts) - sum(pooled["cells"]["weight"])
    assert 0 < over < pooled["hidden_weight"]
    pl.concat(sites.values()).write_parquet("both.parquet")
    second_round(acumen, "both")
    code, _, error = acumen("merge", "pooled.counts", "both.moments", "b.moments")
    assert (code, "of other rows than the counts, by rows (" in error) == (3, True)


def test_sites_of_which_all_was_left_out_may_have_the_same_sums(acumen: Run, sites: Any) -> None:
    files = ["b.counts"]
    for name in ("c", "d"):
        pl.DataFrame(
            {"case": [f"only {name}"], "truth": [0], "prediction": [3], "confidence": [2.5]}
        ).write_parquet(f"{name}.parquet")
        files.append(f"{name}.counts")
    for file in files:
        options = ("--levels", "0-3", "--fewest", "3")
        assert acumen("count", file.replace("counts", "parquet"), "-o", file, *options)[0] == 0
    assert acumen("merge", *files, "-o", "pooled.counts")[0] == 0
    for name in ("b", "c", "d"):
        second_round(acumen, name)
    code, out, _ = acumen("merge", "pooled.counts", "b.moments", "c.moments", "d.moments")
    assert (code, "of 314 cases" in out) == (0, True)


def test_levels_in_another_order_are_refused(acumen: Run) -> None:
    words = pl.Series(["poor", "fair", "good", "fine"])
    rows = study(400, 3).with_columns(pl.col("truth", "prediction").map_batches(lambda c: words[c]))
    rows.write_parquet("w.parquet")
    levels = ("--levels", "poor,fair,good,fine")
    assert acumen("count", "w.parquet", "-o", "w.counts", *levels)[0] == 0
    second_round(acumen, "w", *levels, against="w.counts")
    back = ("--levels", "fine,good,fair,poor", "--against", "w.counts")
    code, _, error = acumen("count", "w.parquet", "-o", "v.moments", *back)
    assert (code, "have the levels 'poor', 'fair', 'good', 'fine', in" in error) == (2, True)


def test_costs_of_one_name_are_compared_by_what_they_are(acumen: Run, rounds: Any) -> None:
    for folder, far in (("x", 3), ("y", 30)):
        Path(folder).mkdir()
        costs = f"[[0,1,2,{far}],[1,0,1,2],[2,1,0,1],[3,2,1,0]]"
        Path(folder, "costs.toml").write_text(f"matrix = {costs}")
    second_round(acumen, "a", "--loss", "x/costs.toml")
    second_round(acumen, "b", "--loss", "y/costs.toml")
    files = ("merge", "pooled.counts", "a.moments", "b.moments", "--loss", "y/costs.toml")
    code, _, error = acumen(*files)
    assert (code, "a.moments: its sums are of the loss costs, or its costs" in error) == (3, True)
    second_round(acumen, "a", "--loss", "y/costs.toml")
    assert acumen(*files)[0] == 0


def spoil_sums(name: str, change: dict[str, float | None]) -> None:
    """Other sums, or less of them, in the file of a site."""
    content = json.loads(Path(f"{name}.moments").read_text())
    sums = content["sums"] | change
    content["sums"] = {key: value for key, value in sums.items() if value is not None}
    Path(f"{name}.moments").write_text(json.dumps(content))


NO_SUMS: dict[str, tuple[dict[str, float | None], str]] = {
    "no case": ({"cases": 0.0}, "number of cases is missing"),
    "half a case": ({"cases": 180.5}, "number of cases is missing"),
    "more cases than rows": ({"cases": 4000.0}, "sums of 4,312 cases, but counts of 4,000 rows"),
    "fewer cases than squares need": ({"cases": 1.0}, "no 1 cases have the sums of rows_0"),
    "no square": ({"augrc_0_2": 0.0}, "cases have the sums of augrc_0"),
    "no largest": ({"augrc_0_most": 0.0}, "cases have the sums of augrc_0"),
    "larger than all squares": ({"augrc_0_most": 99.0}, "cases have the sums of augrc_0"),
    "fourth powers": ({"augrc_0_4": 1e300}, "cases have the sums of augrc_0"),
    "third powers": ({"augrc_0_3": 1e9}, "cases have the sums of augrc_0"),
    "a first sum": ({"augrc_0_1": 1e9}, "cases have the sums of augrc_0"),
    "a small first sum": ({"augrc_0_1": 3.0}, "of other rows than the counts, by augrc ("),
    "another fact": ({"wrong_0_1": 201.0}, "of other rows than the counts, by wrong ("),
    "parts of an erring case": ({"wrong_0_above": 0.5}, "cases have the sums of wrong_0"),
    "no erring case": ({"wrong_0_above": 0.0}, "cases have the sums of wrong_0"),
    "cases that all err": ({"far_0_above": 1e9}, "cases have the sums of far_0"),
    "less than none": ({"wrong_0_above": -1.0}, "cases have the sums of wrong_0"),
    "a part missing": ({"augrc_0_most": None}, "sums of augrc_0, or some are missing"),
    "a part too many": ({"zzz_0_2": 1.0}, "sums of zzz_0, or some are missing"),
    "a key without a power": ({"zzz": 1.0}, "or some are missing"),
}


def test_sums_that_no_cases_have_are_refused(acumen: Run, rounds: Any) -> None:
    for kind, (change, message) in NO_SUMS.items():
        shutil.copy("a.moments", "spoilt.moments")
        spoil_sums("spoilt", change)
        code, _, error = acumen("merge", "pooled.counts", "spoilt.moments", "b.moments")
        assert (code, message in error) == (3, True), f"{kind}: {error}"


def test_ten_times_the_influence_is_refused(acumen: Run, rounds: Any) -> None:
    """Sums that agree with each other, and with no rows of the counts."""
    sums = json.loads(Path("a.moments").read_text())["sums"]
    powers = {"augrc_0_2": 100.0, "augrc_0_3": 1000.0, "augrc_0_4": 1e4, "augrc_0_most": 10.0}
    spoil_sums("a", {name: sums[name] * factor for name, factor in powers.items()})
    code, _, error = acumen("merge", "pooled.counts", "a.moments", "b.moments")
    assert (code, "of other rows than the counts, by augrc (" in error) == (3, True)


def test_what_no_site_has_summed_is_told(acumen: Run, rounds: Any) -> None:
    for part in ("augrc", "answered", "rows"):
        for name in rounds:
            keys = json.loads(Path(f"{name}.moments").read_text())["sums"]
            spoil_sums(name, {key: None for key in keys if key.startswith(f"{part}_0")})
        code, _, error = acumen("merge", "pooled.counts", "a.moments", "b.moments")
        assert (code, "a.moments: its sums are of other metrics" in error) == (3, True)


def test_sums_of_the_first_version_are_to_be_made_anew(acumen: Run, rounds: Any) -> None:
    content = json.loads(Path("a.moments").read_text()) | {"version": 1}
    content.pop("costs")
    Path("a.moments").write_text(json.dumps(content))
    code, _, error = acumen("merge", "pooled.counts", "a.moments", "b.moments")
    assert (code, "a.moments: is old: make it anew" in error) == (3, True)


def _weighed(rows: pl.DataFrame, weights: list[float]) -> pl.DataFrame:
    own = np.resize(np.array(weights), len(rows))
    return rows.with_columns(weight=pl.Series(own))


HONEST: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "a row a case": lambda rows: rows.with_columns(case=pl.col("item")),
    "one case": lambda rows: rows.with_columns(case=pl.col("item").min()),
    "all are right": lambda rows: rows.with_columns(prediction="truth"),
    "all are wrong": lambda rows: rows.with_columns(prediction=(pl.col("truth") + 1) % 4),
    "one is wrong": lambda rows: rows.with_columns(
        prediction=pl.when(pl.col("item") == 7).then(3).otherwise("truth")
    ),
    "no answer": lambda rows: rows.with_columns(prediction=pl.lit(None, pl.Int64)),
    "one confidence": lambda rows: rows.with_columns(confidence=pl.lit(0.5)),
    "no confidence": lambda rows: rows.drop("confidence"),
    "weights of nothing": lambda rows: _weighed(rows, [0.0, 0.0, 1.0]),
    "weights far apart": lambda rows: _weighed(rows, [1e-50, 1.0, 1e50]),
    "the least weights": lambda rows: _weighed(rows, [1e-50]),
    "the largest weights": lambda rows: _weighed(rows, [1e50, 3e49]),
}


@pytest.mark.parametrize("kind", HONEST)
def test_sums_of_honest_sites_are_accepted(kind: str, acumen: Run) -> None:
    parts = {"a": study(300, 1), "b": study(40, 2, first=100_000)}
    engines = {"a": ("--engine", "duckdb"), "b": ("--engine", "polars")}  # each site has its own
    files = [f"{name}.counts" for name in parts]
    for name, rows in parts.items():
        HONEST[kind](rows).write_parquet(f"{name}.parquet")
        options = ("--levels", "0-3", "-o", f"{name}.counts", *engines[name])
        assert acumen("count", f"{name}.parquet", *options)[0] == 0
    assert acumen("merge", *files, "-o", "pooled.counts")[0] == 0
    for loss in ("abs_norm", "squared"):
        for name in parts:
            second_round(acumen, name, "--loss", loss, *engines[name])
        code, _, error = acumen("merge", "pooled.counts", "a.moments", "b.moments", "--loss", loss)
        assert code == 0, error


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
