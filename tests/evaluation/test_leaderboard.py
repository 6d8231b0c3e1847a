"""Any number of systems: who is compared with whom, by what, and what it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import acumen
from acumen.cli import run
from acumen.files.json import read_json, write_json
from acumen.inference.ranks import reaches
from acumen.questions.evaluation import Evaluation
from acumen.results import frames
from acumen.values.measured import Description
from tests.toy_runs import toy_run

CASES, ITEMS = 36, 4


def system(error: float, silent: float = 0.0, seed: int = 0, **columns: Any) -> acumen.Judgments:
    """Rows that err, and are left open, at these rates; the truth is the same of all."""
    rng, rows = np.random.default_rng(seed), CASES * ITEMS
    truth = np.random.default_rng(99).integers(0, 4, rows)
    wrong = rng.random(rows) < error
    given = np.where(wrong, (truth + 1) % 4, truth).tolist()
    return acumen.from_columns(
        case=np.repeat(np.arange(CASES), ITEMS),
        item=np.tile(["a", "b", "c", "d"], CASES).tolist(),
        truth=truth,
        prediction=[None if rng.random() < silent else p for p in given],
        confidence=np.where(wrong, 0.3, 0.6) + 0.2 * rng.random(rows),
        scale=[0, 1, 2, 3],
        **columns,
    )


SYSTEMS = {
    "good": system(0.05, 0.1, 1),
    "fair": system(0.35, 0.1, 2),
    "also fair": system(0.35, 0.2, 3),
    "poor": system(0.95, 0.0, 4),
}
QUICK: dict[str, Any] = {"resamples": 400, "loss": "abs"}


@pytest.fixture(scope="module")
def four() -> Evaluation:
    return acumen.evaluate(SYSTEMS, **QUICK)


def test_the_leaderboard_orders_systems_and_says_who_is_told_apart(four: Evaluation) -> None:
    board = four.document.leaderboard
    assert board is not None
    assert board.standings[0].system == "good"
    assert board.standings[-1].system == "poor"
    assert board.coverage == pytest.approx(min(s.coverage or 0 for s in board.standings))
    best, worst = board.standings[0], board.standings[-1]
    assert best.ranks == (1, 1)
    assert {*best.beats} == {"fair", "also fair", "poor"}
    assert worst.ranks == (4, 4)
    middle = {s.system: s for s in board.standings[1:3]}
    assert middle["fair"].not_told_from == ["also fair"]
    assert middle["fair"].ranks == middle["also fair"].ranks == (2, 3)
    assert len(four.document.comparison.pairs) == 6


def test_table_sentence_and_chart_say_what_the_adjusted_test_says(four: Evaluation) -> None:
    for pair in four.document.comparison.pairs:
        d = pair.difference
        assert d.interval is not None
        assert d.p_adjusted is not None
        assert d.p_value is not None
        assert d.p_adjusted >= d.p_value
        if d.favours is not None:
            assert d.p_adjusted <= 0.05
            assert not d.interval.has_zero
    text = " ".join(repr(four).split())
    assert "good is better than fair, also fair and poor" in text
    assert "5 of 6 pairs are shown to differ" in text
    rows = four.plot("leaderboard").datasets
    standing = {row["name"]: row["group"] for part in rows.values() for row in part}
    assert standing["poor"] == "differs from good"
    drawn = [row for part in four.plot("deltas").datasets.values() for row in part if "name" in row]
    assert sum(row["group"] == "no difference shown" for row in drawn) == 1


def test_two_systems_keep_the_numbers_and_the_decision_of_their_comparison() -> None:
    two = acumen.evaluate({n: SYSTEMS[n] for n in ("fair", "good")}, **QUICK).document
    matched = two.comparison.matched["confidence"]
    (pair,) = two.comparison.pairs
    assert pair.difference == matched.tested
    assert two.leaderboard is not None
    values = {s.system: s.measured.value for s in two.leaderboard.standings}
    assert values == {"fair": matched.left, "good": matched.right}
    assert pair.winner == "good"


@pytest.mark.parametrize(
    "metric", ["augrc_charge", "total_accuracy", "quadratic_kappa", "coverage"]
)
def test_any_metric_may_rank_and_two_systems_decide_as_in_their_comparison(metric: str) -> None:
    pair = {n: SYSTEMS[n] for n in ("fair", "good")}
    two = acumen.evaluate(pair, rank_by=metric, **QUICK).document
    in_comparison = {**two.comparison.agreement, **(two.comparison.deltas or {})["confidence"]}
    key = {"coverage": "cmax"}.get(metric, metric)
    assert two.comparison.pairs[0].difference == in_comparison[key]
    four = acumen.evaluate(SYSTEMS, rank_by=metric, **QUICK).document
    assert four.leaderboard is not None
    assert four.leaderboard.better == "lower" if metric == "augrc_charge" else "higher"
    first = "poor" if metric == "coverage" else "good"  # it answers everything
    assert four.leaderboard.standings[0].system == first


def test_what_rewards_silence_claims_nothing_where_coverage_differs() -> None:
    artifact = acumen.evaluate(SYSTEMS, rank_by="augrc", **QUICK).document
    assert artifact.leaderboard is not None
    assert artifact.leaderboard.description is Description.COVERAGE_DIFFERS
    assert all(s.ranks == (1, 4) for s in artifact.leaderboard.standings)
    equal = {n: system(error, seed=at) for at, (n, error) in enumerate([("a", 0.05), ("b", 0.8)])}
    equal["c"] = system(0.8, seed=5)
    board = acumen.evaluate(equal, rank_by="augrc", **QUICK).document.leaderboard
    assert board is not None
    assert board.description is None
    assert board.standings[0].beats == ["b", "c"]


def test_a_baseline_is_compared_with_each_and_nobody_else() -> None:
    evaluation = acumen.evaluate(SYSTEMS, baseline="fair", **QUICK)
    pairs = evaluation.document.comparison.pairs
    assert [(p.left, p.right) for p in pairs] == [("fair", n) for n in SYSTEMS if n != "fair"]
    board = evaluation.document.leaderboard
    assert board is not None
    assert all(standing.ranks is None for standing in board.standings)
    assert "good is better than fair" in " ".join(repr(evaluation).split())
    with pytest.raises(acumen.UsageError, match="no system best to compare with; there are good"):
        acumen.evaluate(SYSTEMS, baseline="best", resamples=0)


def test_all_meet_on_the_cases_they_share_and_pairs_may_have_their_own() -> None:
    some = {n: table.take(table.case != at) for at, (n, table) in enumerate(SYSTEMS.items())}
    shared = acumen.evaluate(some, **QUICK).document
    assert shared.population.participants_included == CASES - 4
    assert any("that all 4 share; left out: good 3 cases" in w for w in shared.warnings)
    own = acumen.evaluate(some, pairwise=True, **QUICK).document
    assert {pair.cases for pair in own.comparison.pairs} == {CASES - 2}
    for pair in own.comparison.pairs:
        alone = acumen.evaluate(
            {n: some[n] for n in (pair.left, pair.right)}, intersection_only=True, **QUICK
        ).document.comparison.matched["confidence"]
        assert pair.difference.delta == alone.difference.delta
        assert pair.difference.p_value == alone.p_value
        assert pair.difference.p_adjusted is not None
        assert alone.p_value is not None
        deltas = (alone.difference, alone.guard)
        far = min(reaches(d.interval, d.delta) for d in deltas)  # type: ignore[arg-type]
        bonferroni = min(1.0, 6 * 2 * float(norm.sf(far))) if alone.p_value < 1.0 else 1.0
        assert pair.difference.p_adjusted == pytest.approx(bonferroni)


@pytest.mark.parametrize("pairwise", [False, True])
def test_each_standing_is_the_risk_of_as_many_rows_as_the_least_ready_answers(
    pairwise: bool,
) -> None:
    board = acumen.evaluate(
        SYSTEMS, pairwise=pairwise, loss="abs", resamples=0
    ).document.leaderboard
    assert board is not None
    fewest = min(int(table.answered.sum()) for table in SYSTEMS.values())
    assert board.coverage == pytest.approx(fewest / (CASES * ITEMS), abs=1e-12)
    for standing in board.standings:
        table = SYSTEMS[standing.system]
        surest = np.argsort(-np.where(table.answered, table.signals["confidence"].values, -1.0))
        loss = np.abs(table.prediction - table.truth)[surest[:fewest]]
        assert standing.measured.value == pytest.approx(loss.mean(), abs=1e-12)
        assert standing.coverage == pytest.approx(table.answered.mean(), abs=1e-12)


def test_each_system_may_have_a_confidence_of_its_own() -> None:
    own = {"good": "confidence", "fair": "secondary:confidence+confidence:average"}
    pair = {n: SYSTEMS[n] for n in own}
    artifact = acumen.evaluate(pair, confidence=own, **QUICK).document
    plain = acumen.evaluate(pair, confidence="confidence", **QUICK).document
    (name,) = artifact.confidence_variants
    assert name == "good=confidence,fair=secondary:confidence+confidence:average"
    one, other = artifact.comparison.matched[name], plain.comparison.matched["confidence"]
    assert one.difference.delta == pytest.approx(other.difference.delta)
    with pytest.raises(acumen.UsageError, match="each system needs a confidence of its own"):
        acumen.evaluate(pair, confidence="good=confidence", resamples=0)


def test_systems_come_from_files_modes_or_a_mapping_and_are_called_as_they_are_labelled(
    tmp_path: Path,
) -> None:
    run_file, document = tmp_path / "run.json", toy_run(12)
    modes = ["zero", "few", "many"]
    (experiment,) = document["experiments"]
    document["experiments"] = [
        {"provenance": {"mode": m}, "results": experiment["results"] | {"mode": m}} for m in modes
    ]
    write_json(run_file, document)
    assert acumen.evaluate(run_file, mode="all", resamples=0).systems == modes
    assert acumen.evaluate(run_file, mode="many,zero", resamples=0).systems == ["many", "zero"]
    for wrong, name in enumerate("abc", 4):
        rows = ["case,truth,prediction,confidence"]
        rows += [f"{c},{c % 3},{(c + (c % wrong == 0)) % 3},0.{c % 9 + 1}" for c in range(12)]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n")
    files = [str(tmp_path / f"{name}.csv") for name in ("a", "b", "c")]
    assert acumen.evaluate(*files, resamples=0).systems == ["a", "b", "c"]
    labels = [word for name in ("x", "y", "z") for word in ("--label", name)]
    output = tmp_path / "out.json"
    assert run(["evaluate", *files, *labels, "--resamples", "0", "-q", "-o", str(output)]) == 0
    written = read_json(output)
    assert isinstance(written, dict)
    assert written["systems"] == ["x", "y", "z"]
    command = Evaluation.read(output).command
    assert command is not None
    assert "--label x --label y --label z" in command
    with pytest.raises(acumen.UsageError, match="3 systems and 2 labels"):
        acumen.evaluate(*files, labels=["x", "y"], resamples=0)


def test_nothing_printed_calls_a_system_left_or_right(four: Evaluation) -> None:
    long = {
        f"a very long name of a system, number {at}": t for at, t in enumerate(SYSTEMS.values())
    }
    two = dict(list(long.items())[:2])
    for evaluation in (four, acumen.evaluate(long, **QUICK), acumen.evaluate(two, **QUICK)):
        words = repr(evaluation).replace("left out", "").replace("being right", "").split()
        assert not {"left", "left:", "right:", "right,", "(right)"} & {*words}


@pytest.mark.parametrize("interval", ["default", "percentile"])
def test_percentiles_of_many_are_drawn_for_the_document_and_are_those_of_each_alone(
    interval: Any,
) -> None:
    options: Any = {"resamples": 100, "threads": 1, "interval": interval}
    tables = {f"s{at}": system(0.2 + 0.1 * at, seed=at) for at in range(3)}
    several = acumen.evaluate(tables, **options)
    drawn = [side.bootstrap for _, _, side in several.variants()]
    alone = [acumen.evaluate(table, **options).document for table in tables.values()]
    assert drawn == [of.sides["confidence"][0].bootstrap for of in alone]
    assert all(ends is not None for ends in drawn[0].ci95.values())
    on_screen = several.brief.sides["confidence"][0].bootstrap
    assert (on_screen.ci95["aurc_full"] is None) == (interval == "default")
    assert on_screen.drop_rate == drawn[0].drop_rate


def test_an_evaluation_answers_by_the_name_of_a_metric(four: Evaluation) -> None:
    by_system = four["augrc"]
    assert isinstance(by_system, dict)
    assert list(by_system) == list(SYSTEMS)
    single = acumen.evaluate(SYSTEMS["good"], **QUICK)
    assert single["augrc"] == by_system["good"]
    assert single["coverage"] == single.document.overall_by_input[0]["coverage"]
    with pytest.raises(acumen.UsageError, match="no metric 'augcr' was measured"):
        single["augcr"]


@pytest.mark.parametrize("without", [0, 1])
def test_of_several_systems_every_one_must_have_the_metric(without: int) -> None:
    pair = {n: SYSTEMS[n] for n in ("good", "fair")}
    artifact = acumen.evaluate(pair, loss="abs", resamples=0).document
    overall = [dict(numbers) for numbers in artifact.overall_by_input]
    del overall[without]["quadratic_kappa"]
    evaluation = Evaluation(artifact.model_copy(update={"overall": overall}))
    with pytest.raises(acumen.UsageError, match="no metric 'qwk' was measured"):
        evaluation["qwk"]
    assert [*evaluation["augrc"]] == ["good", "fair"]


def test_trust_is_the_largest_coverage_with_so_little_risk(four: Evaluation) -> None:
    trust = four.trust(mean_loss=0.2)
    assert isinstance(trust, dict)
    for name, part in trust.items():
        curve = four.document.sides["confidence"][list(SYSTEMS).index(name)].curve
        points = zip(curve.coverage, curve.selective_risk, curve.threshold, strict=True)
        allowed = [(c, r, t) for c, r, t in points if r <= 0.2]
        if not allowed:
            assert part.coverage.value is None
            continue
        coverage, risk, threshold = max(allowed)
        # the next tie is let in as far as the risk allows
        steps = zip(curve.coverage, curve.selective_risk, strict=True)
        after, above = next(((c, r) for c, r in steps if c > coverage), (1.0, 0.2))
        room, step = (
            coverage * (0.2 - risk),
            after * above - coverage * risk - 0.2 * (after - coverage),
        )
        wanted = coverage + (after - coverage) * room / step if above > 0.2 else coverage
        assert part.coverage.value == pytest.approx(wanted)
        assert (part.risk, part.threshold) == (risk, threshold)
        assert part.coverage.interval is not None
    again = Evaluation(four.document).trust(mean_loss=0.2)
    assert isinstance(again, dict)
    assert again["good"].threshold == trust["good"].threshold
    assert again["good"].coverage.interval is None


def test_frames_come_in_the_library_that_is_there_or_as_a_list(
    four: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    polars = four.leaderboard("polars")
    assert type(polars).__module__.startswith("polars")
    assert polars["system"].to_list()[0] == "good"
    assert type(four.to_frame("pandas")).__module__.startswith("pandas")
    monkeypatch.setattr(frames, "LIBRARIES", ("no_such_library",))
    rows = four.leaderboard()
    assert isinstance(rows, list)
    assert rows[0]["system"] == "good"
    assert rows[0]["rank_from"] == 1
    with pytest.raises(acumen.UsageError, match="two systems or more"):
        acumen.evaluate(SYSTEMS["good"], resamples=0).leaderboard()


def test_a_document_of_many_reads_back_and_makes_a_page(four: Evaluation, tmp_path: Path) -> None:
    four.write(tmp_path / "many.json")
    again = Evaluation.read(tmp_path / "many.json")
    assert again.document == four.document
    again.write_report(tmp_path / "many.html")
    page = (tmp_path / "many.html").read_text()
    assert "Which is better" in page
    assert "also fair" in page


@pytest.mark.parametrize("options", [{}, {"pairwise": True}, {"rank_by": "augrc_charge"}])
def test_every_interval_speaks_of_new_items_where_they_are_a_sample(options: Any) -> None:
    """Each is right on items of its own: new cases would tell them apart, new items would not."""
    easy = np.tile([1, 0, 1, 0, 1, 1, 0, 1, 0, 0], 30).astype(bool)
    truth = np.random.default_rng(0).integers(0, 4, 300)
    columns: dict[str, Any] = {
        "case": np.repeat(np.arange(30), 10), "item": np.tile(list("abcdefghij"), 30).tolist(),
        "truth": truth, "scale": [0, 1, 2, 3],
    }  # fmt: skip
    systems = {}
    for name, (here, there) in {"a": (0.1, 0.7), "b": (0.7, 0.4), "c": (0.4, 0.6)}.items():
        rng = np.random.default_rng(ord(name))
        wrong = rng.random(300) < np.where(easy, here, there)
        confidence = np.where(wrong, 0.3, 0.6) + 0.2 * rng.random(300)
        given = np.where(wrong, (truth + 1) % 4, truth)
        systems[name] = acumen.from_columns(prediction=given, confidence=confidence, **columns)
    fixed, random = (
        acumen.evaluate(systems, items=items, **QUICK, **options).document
        for items in ("fixed", "random")
    )
    assert fixed.leaderboard is not None
    assert random.leaderboard is not None
    assert any(pair.winner for pair in fixed.comparison.pairs)
    assert not any(pair.winner for pair in random.comparison.pairs)
    for narrow, wide in zip(fixed.comparison.pairs, random.comparison.pairs, strict=True):
        for name in ("difference", "guard"):
            if (before := getattr(narrow, name)) is None:
                continue
            a, b = before.interval, getattr(wide, name).interval
            assert b.low < a.low < a.high < b.high
    for standing in random.leaderboard.standings:
        assert standing.measured.interval is not None
        assert standing.measured.interval.method.endswith(", cases × items")
