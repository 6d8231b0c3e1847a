"""Draws, plans and replicates: what a resample is, and that nothing else decides it."""

from __future__ import annotations

import hashlib
import inspect
import itertools
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from acumen.errors import UsageError
from acumen.inference.infer import infer
from acumen.inference.influence import statistic_of
from acumen.inference.options import Options
from acumen.inference.philox import draw_swaps, philox
from acumen.inference.replicates import spread
from acumen.inference.resample import (
    Bootstrap,
    Enumeration,
    LeaveOut,
    Swaps,
    lanes_for,
    number_of_resamples,
    plan_resamples,
    replicate,
)
from acumen.metrics import METRICS, metrics_of
from acumen.values.measured import Absence, Interval, NoInterval
from acumen.views.ranking import Ranking, rank
from acumen.views.weights import CaseWeights

WORD = 0xFFFFFFFF


def plain_philox(counter: Sequence[int], key: Sequence[int]) -> tuple[int, ...]:
    """Philox4x32-10 as its paper has it, in Python's whole numbers."""
    c, k = list(counter), list(key)
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * c[0], 1 << 32)
        high1, low1 = divmod(0xCD9E8D57 * c[2], 1 << 32)
        c = [high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0]
        k = [(k[0] + 0x9E3779B9) & WORD, (k[1] + 0xBB67AE85) & WORD]
    return tuple(c)


def study(n: int = 41, items: int = 8, seed: int = 5, levels: int = 0) -> Ranking:
    rng = np.random.default_rng(seed)
    rows = n * items
    confidence = rng.random(rows)
    if levels:
        confidence = np.floor(confidence * levels)
    return rank(
        rng.integers(0, 4, rows) * (rng.random(rows) < 0.5),
        confidence,
        rng.random(rows) < 0.8,
        case=np.repeat(np.arange(n), items),
        n_cases=n,
        most_loss=3,
    )


# The vectors that Random123 publishes for philox4x32 with ten rounds.
@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((WORD,) * 4, (WORD,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_the_generator_gives_its_published_numbers(
    counter: tuple[int, ...], key: tuple[int, ...], words: tuple[int, ...]
) -> None:
    whole_key = np.uint64(key[0] | key[1] << 32)
    a, b, c, d = map(np.uint64, counter)
    assert tuple(int(w) for w in philox(a, b, c, d, whole_key)) == words
    assert plain_philox(counter, key) == words


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_counts_are_what_the_generator_says_draw_by_draw(n: int) -> None:
    seed, first = 2**40 + 17, 2**33 + 5
    plan = Bootstrap(n, 2**34, seed)
    drawn = plan.block(first, first + 3)
    for lane in range(3):
        replicate_ = first + lane
        expected = [0] * n
        for place in range(n):
            counter = (place // 2, 0, replicate_ & WORD, replicate_ >> 32)
            words = plain_philox(counter, (seed & WORD, seed >> 32))
            high, low = words[:2] if place % 2 == 0 else words[2:]
            expected[(((high << 32) | low) * n) >> 64] += 1
        assert drawn[:, lane].tolist() == expected


def test_poisson_counts_invert_the_generators_numbers() -> None:
    drawn = Bootstrap(5, 10, seed=3, weights="poisson").block(4, 6)
    for lane, case in itertools.product(range(2), range(5)):
        high, low, *_ = plain_philox((case, 1, 4 + lane, 0), (3, 0))
        u = (high * 2**32 + low) / 2**64
        assert drawn[case, lane] == stats.poisson(1).ppf(u)


def test_poisson_counts_follow_the_poisson_law() -> None:
    counts = Bootstrap(50, 2000, weights="poisson").block(0, 2000)
    seen = np.bincount(counts.ravel(), minlength=6)[:6]
    expected = stats.poisson(1).pmf(np.arange(6)) * counts.size
    # 5 degrees of freedom: 30 is exceeded once in 70,000 draws of seeds
    assert ((seen - expected) ** 2 / expected).sum() < 30
    assert counts.sum(axis=0).std() == pytest.approx(math.sqrt(50), rel=0.1)


def test_every_draw_has_as_many_cases_as_the_study_and_none_is_favoured() -> None:
    counts = Bootstrap(13, 4000).block(0, 4000)
    assert set(counts.sum(axis=0).tolist()) == {13}
    assert stats.chisquare(counts.sum(axis=1)).pvalue > 1e-6
    assert counts[0].var() == pytest.approx(12 / 13, rel=0.1)


@pytest.mark.parametrize(
    "plan",
    [
        Bootstrap(41, 64),
        Bootstrap(41, 64, weights="poisson"),
        Swaps(41, 64),
        Swaps(6, 64),
        Enumeration(4),
        LeaveOut.of(41),
        LeaveOut(41, 7),
    ],
)
def test_a_weighting_does_not_depend_on_those_drawn_beside_it(plan: Bootstrap) -> None:
    whole = plan.block(0, plan.size)
    for start in (0, 1, plan.size - 1):
        assert np.array_equal(plan.block(start, start + 1), whole[:, start : start + 1])
    assert np.array_equal(plan.block(2, 5), whole[:, 2:5])


def test_streams_and_seeds_never_share_numbers() -> None:
    same = Bootstrap(200, 1, 42).block(0, 1)
    assert not np.array_equal(same, Bootstrap(200, 1, 43).block(0, 1))
    assert not np.array_equal(same, Bootstrap(200, 1, 42, "poisson").block(0, 1))
    swaps = np.zeros((200, 2), np.uint16)
    draw_swaps(np.uint64(42), 0, swaps)
    assert not np.array_equal(swaps[:, 0], swaps[:, 1])


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_that_is_no_64_bit_number_is_refused(seed: int) -> None:
    with pytest.raises(UsageError, match="seed"):
        Bootstrap(3, 10, seed)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_enumeration_lists_every_resample_with_its_probability(n: int) -> None:
    brute = Counter(
        tuple(draw.count(case) for case in range(n))
        for draw in itertools.product(range(n), repeat=n)
    )
    plan = Enumeration(n)
    listed = dict(
        zip(map(tuple, plan.block(0, plan.size).T.tolist()), plan.probability, strict=True)
    )
    assert len(listed) == plan.size == number_of_resamples(n)
    assert listed.keys() == brute.keys()
    for counts, times in brute.items():
        assert listed[counts] == pytest.approx(times / n**n, rel=1e-12)
    assert plan.probability.sum() == pytest.approx(1.0, rel=1e-12)


def test_few_cases_are_enumerated_and_many_are_drawn() -> None:
    assert isinstance(plan_resamples(8, 10_000), Enumeration)
    assert isinstance(plan_resamples(9, 10_000), Bootstrap)
    assert isinstance(plan_resamples(8, 6434), Bootstrap)
    assert isinstance(plan_resamples(3, 10_000, weights="poisson"), Bootstrap)
    assert isinstance(plan_resamples(1, 10_000), Bootstrap)


# Two cases of two rows, one fully answered and one half: coverage 1.0 and 0.5.
def two_cases() -> Ranking:
    return rank([0, 0, 0, 0], [4, 3, 2, 1], [1, 1, 1, 0], case=[0, 0, 1, 1], n_cases=2)


def test_two_cases_have_the_known_law_of_coverage_by_enumeration() -> None:
    plan = plan_resamples(2)
    assert isinstance(plan, Enumeration)
    values = replicate(statistic_of([METRICS["coverage"]], two_cases()), plan)[0]
    law = dict(zip(values.tolist(), plan.probability.round(12).tolist(), strict=True))
    assert law == {1.0: 0.25, 0.75: 0.5, 0.5: 0.25}
    assert spread(values, plan.probability) == pytest.approx(0.1767767, abs=5e-8)
    found = infer([METRICS["coverage"]], two_cases())["coverage"]
    assert isinstance(found.percentile, Interval)
    assert found.percentile.standard_error == pytest.approx(0.1767767, abs=5e-8)
    assert (found.percentile.low, found.percentile.high) == (0.5, 1.0)


def test_two_cases_have_the_known_law_of_coverage_by_sampling() -> None:
    size = 40_000
    values = replicate(statistic_of([METRICS["coverage"]], two_cases()), Bootstrap(2, size))[0]
    seen = Counter(values.tolist())
    assert seen.keys() == {1.0, 0.75, 0.5}
    for value, chance in {1.0: 0.25, 0.75: 0.5, 0.5: 0.25}.items():
        # five binomial standard errors
        reach = 5 * math.sqrt(chance * (1 - chance) / size)
        assert seen[value] / size == pytest.approx(chance, abs=reach)
    assert spread(values) == pytest.approx(0.1767767, rel=0.02)


def test_leaving_out_takes_each_case_once() -> None:
    assert np.array_equal(LeaveOut.of(4).block(0, 4), 1 - np.eye(4))
    grouped = LeaveOut(10, 3).block(0, 3)
    assert (grouped == 0).sum(axis=1).tolist() == [1] * 10
    assert (grouped == 0).sum(axis=0).tolist() == [4, 3, 3]


def test_few_swaps_are_all_combinations_and_many_are_fair_coins() -> None:
    few = Swaps(5, 32)
    assert few.is_exact
    assert len({tuple(column) for column in few.block(0, 32).T.tolist()}) == 32
    many = Swaps(30, 4000)
    assert not many.is_exact
    heads = many.block(0, 4000)
    assert set(np.unique(heads).tolist()) == {0, 1}
    assert heads.mean(axis=1) == pytest.approx(0.5, abs=5 * math.sqrt(0.25 / 4000))
    assert not Swaps(70, 10_000).is_exact


@pytest.mark.parametrize(("cases", "lanes"), [(1, 8192), (41, 6384), (1000, 256), (10**6, 16)])
def test_lanes_fill_the_cache_and_no_more(cases: int, lanes: int) -> None:
    assert lanes_for(cases) == lanes


def test_replicates_are_the_same_with_any_number_of_threads() -> None:
    statistic = statistic_of(metrics_of(Ranking), study())
    one, two, four = (
        replicate(statistic, Bootstrap(41, 14_000), threads=threads).tobytes()
        for threads in (1, 2, 4)
    )
    assert one == two == four


def test_a_metric_does_not_depend_on_which_others_are_asked_or_in_what_order() -> None:
    view, options = study(levels=4), Options(resamples=1500)
    metrics = list(metrics_of(Ranking))
    everything = infer(metrics, view, options)
    backwards = infer(metrics[::-1], view, options)
    for metric in metrics:
        alone = infer([metric], view, options)[metric.name]
        for other in (everything[metric.name], backwards[metric.name]):
            assert alone.replicates.values.tobytes() == other.replicates.values.tobytes()
            assert alone.jackknife.deviations.tobytes() == other.jackknife.deviations.tobytes()
            assert (alone.value, alone.interval) == (other.value, other.interval)
            assert alone.percentile == other.percentile


def test_leaving_replicates_out_changes_nothing_that_is_measured() -> None:
    view, metrics = study(levels=4), metrics_of(Ranking)
    for options in (Options(resamples=1500), Options(resamples=0)):
        everything = infer(metrics, view, options)
        some = infer(metrics, view, options, resampled=("aurc", "augrc"))
        assert [n.measured for n in some.values()] == [n.measured for n in everything.values()]
        assert some["aurc"].ci95 == everything["aurc"].ci95
    exact = infer(metrics, view, Options(resamples=1500), resampled=())["aurc_exact"]
    assert exact.replicates.is_stand_in
    assert exact.percentile == NoInterval(why=Absence.NO_RESAMPLES)


def test_shuffled_rows_give_the_same_bytes() -> None:
    view = study(levels=5)
    shuffle = np.random.default_rng(1).permutation(len(view))
    loss, confidence, answered = view.columns()
    shuffled = rank(
        loss[shuffle], confidence[shuffle], answered[shuffle],
        case=view.case[shuffle], n_cases=41, most_loss=3,
    )  # fmt: skip
    metrics = [
        METRICS[name] for name in ("aurc", "augrc", "coverage", "mean_loss", "aurc_exact", "eaurc")
    ]
    plan = Bootstrap(41, 500)
    a = replicate(statistic_of(metrics, view), plan)
    b = replicate(statistic_of(metrics, shuffled), plan)
    assert a.tobytes() == b.tobytes()


DIGEST = f"""
from __future__ import annotations
import hashlib, sys
import numpy as np
from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.metrics import METRICS
from acumen.inference.paired import compare
from acumen.views.ranking import rank
{inspect.getsource(study)}
names = ["mean_loss", "aurc", "coverage", "aurc_achievable"]
metrics = [METRICS[name] for name in set(names)]
digest = hashlib.sha256()
left, right = study(levels=4), study(seed=6)
threads = int(sys.argv[1])
found = compare(metrics, left, right, Options(resamples=2500, threads=threads))
for name in names:
    d = found[name]
    digest.update(d.replicates.values.tobytes() + repr((d.value, d.interval, d.p_value)).encode())
    digest.update(repr((d.left.interval, d.right.percentile)).encode())
print(digest.hexdigest())
"""


def test_results_do_not_depend_on_the_hash_seed_or_on_threads() -> None:
    digests = set()
    for hash_seed, threads in (("0", "1"), ("1", "2"), ("4242", "4")):
        environment = os.environ | {
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        }
        done = subprocess.run(
            [sys.executable, "-c", DIGEST, threads],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        digests.add(done.stdout.strip())
    assert len(digests) == 1
    assert len(digests.pop()) == hashlib.sha256().digest_size * 2


def test_any_function_of_row_weights_can_be_resampled() -> None:
    view = study(12, 3)
    loss, _, answered = view.columns()

    def plain_mae(block: CaseWeights) -> np.ndarray:
        weights = block.counts[view.case].T.astype(float)
        return (weights @ loss)[None, :] / (weights @ answered)

    plan = Bootstrap(12, 200)
    ours = replicate(statistic_of([METRICS["mean_loss"]], view), plan)
    theirs = replicate(plain_mae, plan)
    assert theirs == pytest.approx(ours, rel=1e-14)


def test_progress_is_told_how_many_weightings_are_done() -> None:
    told: list[int] = []
    replicate(lambda block: np.zeros((1, block.lanes)), Bootstrap(1000, 600), advance=told.append)
    assert sorted(told) == [88, 256, 256]


def test_one_block_of_weights_serves_all_metrics_with_one_pass() -> None:
    view, block = study(), CaseWeights(Bootstrap(41, 16).block(0, 16))
    first = view.areas(block)
    assert view.areas(block) is first
    assert view.areas(CaseWeights(block.counts)) is not first


def test_one_block_of_weights_keeps_two_views_apart() -> None:
    block = CaseWeights(Bootstrap(41, 16).block(0, 16))
    left, right = study(seed=1), study(seed=2)
    mae = METRICS["mean_loss"]
    first, second = np.asarray(mae(left, block)), np.asarray(mae(right, block))
    assert not np.array_equal(first, second)
    assert np.array_equal(second, np.asarray(mae(right, CaseWeights(block.counts))))


def test_a_small_block_is_drawn_once_however_many_ask_for_it() -> None:
    assert Bootstrap(5, 10, seed=3).block(2, 6) is Bootstrap(5, 10, seed=3).block(2, 6)
    assert not np.array_equal(Bootstrap(5, 10).block(2, 6), Bootstrap(5, 10, seed=3).block(2, 6))
    many = 1 << 15  # too large to be held
    assert Bootstrap(many, 16).block(0, 16) is not Bootstrap(many, 16).block(0, 16)


def test_an_error_in_a_thread_ends_the_others() -> None:
    plan, calls = Bootstrap(300, 864 * 2000), []

    def fail(block: CaseWeights) -> np.ndarray:
        calls.append(block.lanes)
        if len(calls) == 3:
            raise MemoryError("too much")
        time.sleep(0.01)
        return np.zeros((1, block.lanes))

    with pytest.raises(MemoryError, match="too much"):
        replicate(fail, plan, threads=2)
    assert {*calls} == {lanes_for(300)} == {864}
    assert len(calls) < 1000  # of 2000: nobody goes on to the end
