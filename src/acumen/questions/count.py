"""What can several sites know together without exchanging a row? Counts of each, and their sum."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from acumen.declare import given, say
from acumen.defaults import CONFIDENCE_LEVEL, LOSS
from acumen.errors import UsageError, counted, source_name
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.counts import CountsDocument, LargeArtifact, MomentsDocument


@question(
    "acumen count 'part-*.parquet' --levels 0-3 --fewest 5 --output site.counts",
    "acumen count 'part-*.parquet' --against pooled.counts --output site.moments",
)
def count(
    files: Annotated[
        Any,
        given(
            "Files: Parquet, CSV or JSON Lines; * is any name.",
            kind=str,
            more="Or a lazy frame, as for :func:`acumen.measure`.",
        ),
    ],
    *,
    engine: options.Engine = None,
    fewest: Annotated[
        int,
        say(
            "Leave out cells of fewer rows than this.",
            least=0,
            more="Their rows are kept as one number.",
        ),
    ] = 0,
    salt: Annotated[
        str | None,
        say(
            "A secret of all sites: hashes of case ids show a case at two of them.", is_secret=True
        ),
    ] = None,
    against: Annotated[
        str | Path | None,
        say(
            "Pooled counts: write the sums over cases that intervals need.",
            kind=Path | None,
            is_file=True,
        ),
    ] = None,
    loss: options.Loss = LOSS,
    **reading: Unpack[Reading],
) -> CountsDocument | MomentsDocument:
    """Count rows where they are, to merge the counts of sites without exchanging a row.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"case": [1, 2], "truth": [0, 1], "prediction": [0, 0], "confidence": [0.9, 0.5]}
    >>> count(pl.LazyFrame(rows)).document.cells["rows"]
    [1.0, 1.0]
    """
    from acumen.large import files as exchanged
    from acumen.large.api import rows_of
    from acumen.large.cells import count_rows
    from acumen.large.engines import fetch

    beside = {"fewest": fewest, "salt": salt} if against else {"loss": loss != LOSS}
    if odd := [f"--{name}" for name, value in beside.items() if value not in (0, None)]:
        raise UsageError(f"{', '.join(odd)}: not {'with' if against else 'without'} --against")
    if against is not None:
        return exchanged.moments(files, against, engine, loss, reading)
    rows = rows_of(files, None, engine, reading)
    hashes: dict[str, Any] = {}
    if salt is not None:
        most = exchanged.MOST_HASHES
        ids = fetch(rows.frame.select("case").unique().head(most + 1))["case"].tolist()
        if len(ids) > most or not salt:
            raise UsageError(f"a salt is not empty and for at most {most:,} cases")
        hashes = exchanged.hashes_of(ids, salt)
    counts = count_rows(rows).only.suppress(fewest)
    return exchanged.document_of(counts, fewest=fewest, **hashes)


def _pooled(document: LargeArtifact) -> str:
    from acumen.files.json import to_json

    assert document.pooled is not None
    return to_json(document.pooled.model_dump(mode="json"))


@question(
    "acumen merge a.counts b.counts --output pooled.counts",
    "acumen merge pooled.counts a.moments b.moments",
    keep=_pooled,
)
def merge(
    *files: Annotated[
        str | Path,
        given("Counts of sites; or pooled counts and all their sums.", kind=Path),
    ],
    loss: options.Loss = LOSS,
    confidence_level: options.ConfidenceLevel = CONFIDENCE_LEVEL,
) -> LargeArtifact:
    """Merge the counts of several sites into the metrics of all their rows.

    The pooled counts are the ``pooled`` of the document, and what ``--output`` writes.
    """
    from acumen.inference.options import Options
    from acumen.large import files as exchanged
    from acumen.large.gradient import Measurement
    from acumen.results.counts import CountsDocument, LargeArtifact, LargeSystem, MomentsDocument
    from acumen.table.losses import find_loss

    names = [str(path) for path in files]
    if again := next((name for i, name in enumerate(names) if name in names[:i]), None):
        raise UsageError(f"{source_name(again)} is given twice")
    documents = [(name, exchanged.read_counts(name)) for name in names]
    counts = {n: d for n, d in documents if isinstance(d, CountsDocument)}
    sums = {n: d for n, d in documents if isinstance(d, MomentsDocument)}
    if not counts or (sums and len(counts) > 1):
        raise UsageError("give counts of sites; or one file of pooled counts and the sums of all")
    pooled, cost = exchanged.pool(counts), find_loss(loss)
    merged = exchanged.counts_of(pooled, source_name(next(iter(counts))))
    system = Measurement.of(merged, cost)
    total = exchanged.total_of(pooled, sums, system) if sums else None
    numbers = system.infer(total, 0, Options(resamples=0, confidence_level=confidence_level))
    metrics, cases = system.certified(numbers), None if total is None else int(total["cases"])
    return LargeArtifact(
        source=counted(pooled.sites, "site"),
        rows=int(merged.cells["rows"].sum()),
        bits=pooled.bits,
        cells=len(merged),
        loss=cost.describe(merged.scale),
        levels=pooled.levels,
        confidence_level=confidence_level,
        systems={"all": LargeSystem(cases=cases, outcomes=pooled.outcomes, metrics=metrics)},
        suppressed_rows=pooled.hidden_rows,
        suppressed_weight=pooled.hidden_weight,
        sites=pooled.sites,
        are_cases_apart=None if pooled.salt is None else True,
        pooled=pooled,
    )
