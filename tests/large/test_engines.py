"""The same numbers on every engine, and nothing but counts leaves it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import acumen
from acumen.errors import DataError, UsageError
from acumen.large import cells, engines, passes
from acumen.results.counts import LargeArtifact
from tests.large.measures import evaluate
from tests.large.studies import alike, study

ROWS = 6000


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return study(ROWS, 7, digits=None).with_columns(confidence=pl.col("confidence").round(3))


@pytest.fixture(scope="module")
def reference(rows: pl.DataFrame) -> LargeArtifact:
    return evaluate(rows.lazy())


def same(artifact: LargeArtifact, reference: LargeArtifact) -> None:
    assert (artifact.rows, artifact.cells) == (reference.rows, reference.cells)
    assert artifact.bits == reference.bits
    for name, system in artifact.systems.items():
        alike(system, reference.systems[name])


@pytest.fixture
def crossed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows leave the engine, query by query."""
    sizes: list[int] = []
    fetch = engines.fetch

    def count_rows(frame: Any) -> Any:
        columns = fetch(frame)
        sizes.append(max(len(column) for column in columns.values()))
        return columns

    for module in (passes, cells):
        monkeypatch.setattr(module, "fetch", count_rows)
    return sizes


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@pytest.mark.parametrize("kind", ["parquet", "csv", "ndjson"])
def test_files_are_measured_by_an_engine(
    engine: str, kind: str, rows: pl.DataFrame, reference: LargeArtifact, tmp_path: Path
) -> None:
    for part, own in enumerate((rows[: ROWS // 3], rows[ROWS // 3 :])):
        getattr(own, f"write_{kind}")(tmp_path / f"part-{part}.{kind}")
    artifact = evaluate(str(tmp_path / f"*.{kind}"), engine=engine)
    assert artifact.engine == engine
    same(artifact, reference)


def test_duckdb_gives_counts_and_sums_and_no_rows(
    rows: pl.DataFrame, reference: LargeArtifact, crossed: list[int]
) -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = duckdb.connect().from_arrow(rows.to_arrow())
    same(evaluate(frame), reference)
    assert sorted(crossed)[-2:] == [1, reference.cells]
    assert reference.cells < ROWS / 2


def test_bins_are_the_same_on_every_engine(
    rows: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dask.dataframe as dd
    import duckdb

    monkeypatch.setattr(cells, "has_few_values", lambda rows: False)
    first = evaluate(rows.lazy())
    assert first.bits == passes.BITS
    same(evaluate(duckdb.connect().from_arrow(rows.to_arrow())), first)
    same(evaluate(dd.from_pandas(rows.to_pandas(), npartitions=2)), first)


def test_a_cluster_of_two_processes_measures_what_one_does(
    rows: pl.DataFrame, reference: LargeArtifact, crossed: list[int]
) -> None:
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        frame = dd.from_pandas(rows.to_pandas(), npartitions=4)
        same(evaluate(frame), reference)
    assert sorted(crossed)[-2:] == [1, reference.cells]


def test_nan_is_null_where_a_library_does_not_tell_them_apart() -> None:
    from dask import dataframe

    n = 400
    columns: dict[str, list[Any]] = {
        "case": [k // 8 for k in range(n)],
        "truth": [k % 4 for k in range(n)],
        "prediction": [None if k % 5 == 0 else float(k % 3) for k in range(n)],
        "confidence": [None if k % 5 == 0 else (k % 9) / 8 for k in range(n)],
    }
    frame = pl.DataFrame(columns)
    reference = evaluate(frame.lazy(), levels="0-3")
    assert reference.systems["all"].outcomes["abstained"] == 80
    pandas = frame.to_pandas()
    same(evaluate(dataframe.from_pandas(pandas, npartitions=2), levels="0-3"), reference)
    pandas.loc[1, "confidence"] = float("nan")
    with pytest.raises(DataError, match="is missing in 1 answered row"):
        evaluate(dataframe.from_pandas(pandas, npartitions=2), levels="0-3")


def test_files_that_no_engine_opens_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        evaluate(str(tmp_path / "*.parquet"))
    (tmp_path / "a.parquet").write_bytes(b"no parquet")
    with pytest.raises(DataError, match="duckdb cannot read it"):
        evaluate(str(tmp_path / "a.parquet"))
    (tmp_path / "b.parquet").write_bytes(b"nor this")
    with pytest.raises(DataError, match="duckdb cannot read it"):
        evaluate(str(tmp_path / "*.parquet"))
    pl.DataFrame({"only": [1]}).write_parquet(tmp_path / "one.parquet")
    with pytest.raises(DataError, match=r"^one\.parquet: has one column alone, only"):
        evaluate(str(tmp_path / "one.parquet"))
    (tmp_path / "a.csv").write_text("case,truth,prediction\n1,0,0\n")
    with pytest.raises(DataError, match="files of one kind"):
        evaluate(str(tmp_path / "a.*"))
    with pytest.raises(UsageError, match="no engine 'abacus'; there are duckdb, polars, dask"):
        evaluate(str(tmp_path / "a.csv"), engine="abacus")


ENGINES = ["duckdb", "polars", "dask"]


@pytest.mark.parametrize("engine", ENGINES)
def test_cells_of_text_mean_what_they_mean_in_memory(engine: str, tmp_path: Path) -> None:
    # ids that differ by a zero, a level called None, words for no answer after many numbers
    lines = [f"{'0' * (k % 2)}{k // 4},i{k % 4},None,None,0.{k % 7}" for k in range(200)]
    lines += [
        f"z{k},i0,Mild,{'N/A' if k % 3 else 'Mild'},{'n/a' if k % 3 else 0.5}" for k in range(30)
    ]
    (tmp_path / "rows.csv").write_text("case,item,truth,prediction,confidence\n" + "\n".join(lines))
    path, levels = str(tmp_path / "rows.csv"), "None,Mild"
    system = evaluate(path, engine=engine, levels=levels).systems["all"]
    table = acumen.read(path, levels=levels)
    assert system.cases == len(table.cases) == 130
    assert {k: n for k, n in system.outcomes.items() if n} == {"answered": 210, "abstained": 20}
    assert table.outcomes["answered"] == 210
    assert system.metrics["accuracy"].value == 1.0


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")  # Dask's own call
@pytest.mark.parametrize("engine", ENGINES)
def test_whole_numbers_with_gaps_are_measured(
    engine: str, rows: pl.DataFrame, tmp_path: Path
) -> None:
    rows.write_parquet(tmp_path / "rows.parquet")
    same(evaluate(str(tmp_path / "rows.parquet"), engine=engine), evaluate(rows.lazy()))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_text_among_numbers_is_told_without_a_cell(engine: str, tmp_path: Path) -> None:
    lines = [
        "case,truth,prediction,confidence",
        *(f"{k},1,1,0.5" for k in range(40)),
        "x,1,1,secret",
    ]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    with pytest.raises(DataError, match="does a column of numbers hold text") as error:
        evaluate(str(tmp_path / "rows.csv"), engine=engine, levels="0-1")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("columns", "why"),
    [
        (["case", "prediction", "truth", "confidence"], "they are in another order"),
        (["case", "truth", "prediction"], "column confidence is not in both"),
        (["case", "truth", "prediction", "confidence", "site"], "column site is not in both"),
    ],
)
def test_parts_of_other_columns_are_refused(
    kind: str, columns: list[str], why: str, rows: pl.DataFrame, tmp_path: Path
) -> None:
    first = rows.select("case", "truth", "prediction", "confidence")
    for name, part in (("part-1", first), ("part-2", rows.select(columns))):
        getattr(part, f"write_{kind}")(tmp_path / f"{name}.{kind}")
    with pytest.raises(
        DataError, match=f"part-2.{kind} has other columns than the first file: {why}"
    ):
        evaluate(str(tmp_path / f"part-*.{kind}"))


def test_patterns_go_down_and_a_name_may_look_like_one(rows: pl.DataFrame, tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    rows[:3000].write_parquet(deep / "r[1].parquet")
    rows[3000:].write_parquet(tmp_path / "r[2].parquet")
    assert evaluate(str(deep / "r[1].parquet")).rows == 3000
    assert evaluate(str(tmp_path / "**" / "*.parquet")).rows == ROWS


def test_rows_in_memory_are_sent_to_the_other_door(rows: pl.DataFrame) -> None:
    with pytest.raises(UsageError, match="pyarrow are in memory already"):
        evaluate(rows.to_arrow())


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_spark_measures_what_the_others_do(rows: pl.DataFrame, reference: LargeArtifact) -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    try:
        same(evaluate(session.createDataFrame(rows.to_arrow())), reference)
    finally:
        session.stop()


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis' own call
def test_ibis_measures_what_the_others_do(
    rows: pl.DataFrame, reference: LargeArtifact, tmp_path: Path
) -> None:
    import ibis

    rows.write_parquet(tmp_path / "rows.parquet")
    same(evaluate(ibis.duckdb.connect().read_parquet(tmp_path / "rows.parquet")), reference)
