"""Counts by hand, their laws, and the in-memory path as the oracle."""

from __future__ import annotations

import hmac
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import acumen
from acumen.errors import DataError, UsageError
from acumen.large import cells as counting
from acumen.large import passes
from acumen.large.api import rows_of
from acumen.large.counts import Counts
from acumen.large.files import hashes_of
from acumen.large.passes import bins_of
from acumen.metrics import METRICS
from acumen.metrics.registry import key_among
from acumen.results.counts import Certified
from acumen.table.losses import find_loss
from acumen.values.measured import Measured
from tests.large.measures import evaluate
from tests.large.studies import alike, study

BY_HAND = pl.LazyFrame(
    {
        "case": [1, 1, 2, 3],
        "truth": [0, 2, 1, 1],
        "prediction": [0, 0, 1, None],
        "confidence": [2.0, 2.0, 1.0, None],
    }
)
"""Losses 0, 2, 0 at confidences 2, 2, 1 and an abstention."""


def few_values_only(monkeypatch: pytest.MonkeyPatch, most: int = 50) -> None:
    monkeypatch.setattr(counting, "has_few_values", lambda rows: passes.has_few_values(rows, most))


def count(rows: pl.DataFrame) -> Counts:
    return counting.count_rows(rows_of(rows.lazy(), None, "polars", {})).only


def apart(ours: Certified, theirs: Measured) -> float:
    """The largest difference of value and interval; infinite where one has what the other lacks."""
    if ours.value is None or theirs.value is None:
        return 0.0 if ours.value is theirs.value else np.inf
    differences = [abs(ours.value - theirs.value)]
    if ours.interval is not None:
        assert theirs.interval is not None
        assert ours.interval.method == theirs.interval.method
        assert ours.interval.flags == theirs.interval.flags
        pairs = zip(ours.interval.ends, theirs.interval.ends, strict=True)
        differences += [abs(a - b) for a, b in pairs if a is not None and b is not None]
    return max(differences)


def in_memory(rows: Any, **options: Any) -> dict[str, Measured]:
    artifact: Any = acumen.evaluate(rows, resamples=0, **options).document
    overall: dict[str, Measured] = {"mae": artifact.overall["mae"]} | artifact.overall
    return overall | artifact.confidence_variants["confidence"].metrics


def test_four_rows_by_hand() -> None:
    metrics = evaluate(BY_HAND, loss="abs", levels="0-2").systems["all"].metrics
    assert metrics["coverage"].value == 0.75
    assert metrics["mean_loss"].value == pytest.approx(2 / 3, abs=1e-15)
    # risk 1 up to half of the rows, then 2/3: (2·2/2 + 2)/16, and 1/2 + ∫ 2/4x over [1/2, 3/4]
    assert metrics["augrc"].value == 0.25
    assert metrics["aurc_exact"].value == pytest.approx(0.5 + 0.5 * np.log(1.5), abs=1e-15)


@pytest.mark.parametrize("loss", ["abs_norm", "zero_one", "squared"])
def test_every_number_is_that_of_the_rows_in_memory(loss: str) -> None:
    rows = study(24_000)
    theirs = in_memory(rows, loss=loss)
    ours = evaluate(rows.lazy(), loss=loss, full=True).systems["all"].metrics
    compared = [name for name in ours if name in theirs]
    assert len(compared) >= 40
    assert sum(ours[name].interval is not None for name in compared) >= 30
    for name in compared:
        assert apart(ours[name], theirs[name]) < 1e-9 * max(1.0, abs(theirs[name].value or 0.0))


def test_weights_and_few_errors_choose_the_interval_that_rows_do() -> None:
    rows = study(20_000).with_columns(
        weight=pl.Series(np.random.default_rng(3).integers(0, 4, 20_000))
    )
    right = rows.with_columns(
        prediction=pl.when(pl.col("prediction").is_null()).then(None).otherwise(pl.col("truth"))
    )
    two = right.with_columns(
        prediction=pl.when(pl.col("item") < 2).then(3 - pl.col("truth")).otherwise("prediction"),
        weight=pl.when(pl.col("item") < 2).then(2).otherwise("weight"),
    )
    for part, method in ((rows, "log-jackknife-t"), (two, "gamma"), (right, "zero-error bound")):
        theirs = in_memory(part, weight="weight")
        ours = evaluate(part.lazy(), weight="weight").systems["all"].metrics
        assert ours["augrc"].interval is not None
        assert ours["augrc"].interval.method == method
        for name in ours.keys() & theirs.keys():
            assert apart(ours[name], theirs[name]) < 1e-12


CHARGED = ((0.5, 0, 4, 9), (2, 0, 1, 4), (6, 2, 0, 1), (12, 6, 2, 3))
"""Costs of which some are for right answers, and one wrong answer is free."""


@pytest.mark.parametrize("loss", ["abs_norm", CHARGED])
def test_where_bins_hide_the_order_the_bounds_hold_the_number_of_the_rows(
    monkeypatch: pytest.MonkeyPatch, loss: Any
) -> None:
    rows = study(20_000, digits=None)
    theirs = in_memory(rows, loss=loss)
    few_values_only(monkeypatch)
    monkeypatch.setattr(counting, "BITS", 4)
    artifact = evaluate(rows.lazy(), full=True, loss=loss)
    ours = artifact.systems["all"].metrics
    assert artifact.bits == 4
    bounded = {name: m.bounds for name, m in ours.items() if m.bounds is not None}
    assert {"augrc", "aurc_exact", "failure_auroc"} <= bounded.keys()
    assert "aurc" not in ours
    for name, (low, high) in bounded.items():
        if name in theirs:
            value = theirs[name].value
            assert value is not None
            assert low < value < high
    exact = [name for name in ours.keys() - bounded.keys() if ours[name].value is not None]
    assert {"coverage", "mean_loss", "accuracy", "quadratic_kappa", "brier", "ece"} <= {*exact}
    for name in theirs.keys() & {*exact}:
        assert ours[name].value == pytest.approx(theirs[name].value, abs=1e-14)


def test_the_certificate_of_augrc_is_its_closed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    few_values_only(monkeypatch)
    monkeypatch.setattr(counting, "BITS", 3)
    counts = count(study(500, digits=None))
    low, high = counts.bounds([METRICS["augrc"]], find_loss("abs"))["augrc"]
    width = Fraction(0)
    for bin_ in np.unique(counts.cells["bin"][counts.answered]):
        own = counts.cells[(counts.cells["bin"] == bin_) & counts.answered]
        if own["low"].min() == own["high"].max():
            continue
        off = np.abs(own["truth"] - own["prediction"])
        total = int(own["rows"].sum())
        for rung in (1, 2, 3):
            lost = int(own["rows"][off >= rung].sum())
            width += Fraction(lost * (total - lost), 500**2)
    assert high - low == pytest.approx(float(width), abs=1e-15)
    assert width > 0


def test_bins_keep_the_order_and_nest_and_have_the_edges_of_the_ece() -> None:
    rng = np.random.default_rng(5)
    edges = np.ldexp(1.0, np.arange(-140, 120))
    values = np.concatenate([edges, -edges, np.nextafter(edges, 0), np.nextafter(edges, np.inf)])
    tenths = np.arange(11) / 10
    values = np.concatenate(
        [values, [0.0, -0.0], tenths, np.nextafter(tenths, 0), rng.normal(size=999)]
    )
    values = np.sort(values)
    fine, coarse = bins_of(values, 15), bins_of(values, 6)
    assert (np.diff(fine) >= 0).all()
    assert (np.diff(coarse) >= 0).all()
    code, tenth = np.divmod(fine, passes.TENTHS)
    assert np.array_equal(np.floor(code / 2**9) * passes.TENTHS + tenth, coarse)
    assert bins_of(np.array([0.0]), 8) == bins_of(np.array([-0.0]), 8)
    assert bins_of(np.array([0.3]), 8) != bins_of(np.array([np.nextafter(0.3, 0)]), 8)
    # the top of the integer that a float of 32 bits has
    plain = rng.random(1000).astype(np.float32)
    top = plain.view(np.int32) >> (23 - 15)
    assert np.array_equal(bins_of(plain.astype(np.float64), 15) // passes.TENTHS, top)


@pytest.mark.parametrize("bits", [(None, None), (6, 9), (None, 6), (9, None)])
def test_merged_counts_are_those_of_all_rows(
    bits: tuple[int | None, int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = study(700, 1, digits=3), study(900, 2, digits=3, first=10_000)

    def counted(rows: pl.DataFrame, bits: int | None) -> Any:
        few_values_only(monkeypatch, 1 << 20 if bits is None else 10)
        monkeypatch.setattr(counting, "BITS", bits)
        return count(rows)

    merged = counted(a, bits[0]).merge(counted(b, bits[1]))
    coarsest = min((k for k in bits if k is not None), default=None)
    pooled = counted(pl.concat([a, b]), coarsest)
    assert merged.bits == pooled.bits == coarsest
    assert merged.outcomes == pooled.outcomes
    for name in ("bin", "truth", "prediction", "rows", "weight", "low", "high"):
        assert np.array_equal(merged.cells[name], pooled.cells[name])
    assert np.allclose(merged.cells["total"], pooled.cells["total"], rtol=1e-14)


def test_systems_are_compared_as_in_memory() -> None:
    left, right = study(24_000), study(24_000)
    better = pl.when(pl.col("item") % 5 == 0).then("truth").otherwise("prediction")
    right = right.with_columns(prediction=better)
    document: Any = acumen.compare(left, right, resamples=0).document
    deltas = document.comparison.deltas["confidence"]
    both = evaluate(left.lazy(), right.lazy()).systems
    (_, first), (_, second) = both.items()
    assert not first.deltas
    assert second.deltas.keys() == second.metrics.keys()
    for name in ("coverage", "mean_loss", "augrc", "aurc_exact", "failure_auroc"):
        key = key_among(name, deltas)
        assert key is not None
        theirs, ours = deltas[key], second.deltas[name]
        assert ours.delta == pytest.approx(theirs.delta, abs=1e-14)
        assert ours.interval is not None
        assert ours.interval.method in ("MOVER", "jackknife-t")
        if theirs.interval is not None and theirs.interval.method == ours.interval.method:
            assert ours.ends == pytest.approx(theirs.ends, abs=1e-9)


def test_a_slice_is_evaluated_like_the_rows_alone() -> None:
    rows = study()
    artifact = evaluate(rows.lazy(), group="site")
    assert [*artifact.slices] == ["site=north", "site=south"]
    alone = evaluate(rows.filter(pl.col("site") == "north").lazy())
    alike(artifact.slices["site=north"]["all"], alone.systems["all"])


def test_systems_on_other_cases_are_refused() -> None:
    with pytest.raises(DataError, match=r"compared on the same cases and items.*lacks"):
        evaluate(study().lazy(), study(first=100_000).lazy())


def test_systems_that_judge_other_items_or_against_other_truths_are_refused() -> None:
    rows = study().with_columns(item=pl.col("item") % 8).unique(["case", "item"])
    others = rows.with_columns(item=pl.col("item") + 8)
    turned = rows.sort("case", "item").with_columns(
        truth=rows.sort("case", "item")["truth"].shuffle(1)
    )
    for right in (others, turned):
        with pytest.raises(DataError, match=r"same cases and items: [\d,]+ judgments of a case"):
            evaluate(rows.lazy(), right.lazy())


def test_rows_without_truth_are_counted_for_each_system_and_make_no_slice() -> None:
    rows = study().with_columns(system=pl.lit("a"))
    gone = pl.when(pl.col("site") == "south").then(None).otherwise(pl.col("truth")).alias("truth")
    both = pl.concat([rows, rows.with_columns(system=pl.lit("b"))]).with_columns(gone)
    artifact = evaluate(both.lazy(), system="system", group="site")
    south = rows.filter(pl.col("site") == "south").height
    assert [s.outcomes["no_truth"] for s in artifact.systems.values()] == [south, south]
    assert [*artifact.slices] == ["site=north"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confidence": pl.lit(float("nan"))}, "confidence: must be finite"),
        ({"confidence": pl.lit(None, pl.Float64)}, "confidence: is missing in .* answered rows"),
        ({"case": pl.lit(None, pl.Int64)}, "case: is missing"),
        ({"prediction": pl.lit(9)}, "prediction: 9 is outside 0..3"),
        ({"truth": pl.lit(None, pl.Int64)}, "no truth|there are no rows|is missing"),
    ],
)
def test_rows_that_cannot_be_meant_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        evaluate(study().with_columns(**change).lazy(), levels="0-3")


def test_what_an_engine_cannot_do_is_told() -> None:
    with pytest.raises(UsageError, match="repeat: not where rows stay in an engine"):
        evaluate(study().lazy(), repeat="item")
    columns = {"truth": {"path": "truth", "labels": {"a": 1}}}
    with pytest.raises(UsageError, match="truth_is, labels: not where rows stay in an engine"):
        evaluate(study().lazy(), mapping={"columns": columns, "truth_is": "panel"})
    with pytest.raises(DataError, match="no column nowhere; there are case, item"):
        evaluate(study().lazy(), truth="nowhere")


def test_labels_words_and_conditions_are_read_by_the_rules_for_rows() -> None:
    names = {0: "None", 1: "mild", 2: "Severe"}
    rows = study().filter((pl.col("truth") < 3) & (pl.col("prediction").fill_null(0) < 3))
    said = [names[t] for t in rows["truth"]]
    answer = ["n/a" if p is None else names[p].upper() for p in rows["prediction"]]
    texts = rows.with_columns(truth=pl.Series(said), prediction=pl.Series(answer))
    plain = evaluate(rows.lazy(), levels="0-2", where="site=north").systems["all"]
    ours = evaluate(texts.lazy(), levels="none,mild,severe", where="site=north").systems["all"]
    alike(ours, plain)


def test_without_a_confidence_only_levels_are_measured() -> None:
    metrics = evaluate(study().drop("confidence").lazy()).systems["all"].metrics
    assert {*metrics} == {"coverage", "mean_loss", "accuracy", "quadratic_kappa"}


def test_small_cells_are_left_out_and_known_as_one_number() -> None:
    counts = count(study())
    part = counts.suppress(5)
    small = counts.cells["rows"] < 5
    assert small.any()
    assert len(part) == int((~small).sum())
    assert part.hidden_rows == int(counts.cells["rows"][small].sum())
    assert replace(counts, cells=part.cells).cells["rows"].min() >= 5


def test_the_hashes_of_cases_are_keyed_by_the_salt() -> None:
    def keyed(text: str) -> str:
        return hmac.new(b"pepper", text.encode(), "sha256").hexdigest()

    hashes = hashes_of(["7", 8.0], "pepper")
    assert [*hashes["case_hashes"]] == sorted(keyed(text)[:16] for text in ("7", "8"))
    assert hashes["salt"] == keyed("")[:16]
