"""The same numbers on every engine, and nothing but counts leaves it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from acumen.errors import DataError, UsageError
from acumen.large import cells, engines, evaluate, passes
from acumen.results.counts import LargeArtifact
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


@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_cluster_of_two_workers_measures_what_one_does(
    processes: bool, rows: pl.DataFrame, reference: LargeArtifact, crossed: list[int]
) -> None:
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(
            2, threads_per_worker=1, dashboard_address=None, processes=processes
        ) as cluster,
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
    (tmp_path / "a.csv").write_text("case,truth,prediction\n1,0,0\n")
    with pytest.raises(DataError, match="files of one kind"):
        evaluate(str(tmp_path / "a.*"))
    with pytest.raises(UsageError, match="no engine 'abacus'; there are duckdb, polars, dask"):
        evaluate(str(tmp_path / "a.csv"), engine="abacus")


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
