"""The bundled study: what is in it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.inference.resample import MOST_LEFT_OUT
from acumen.metrics import METRICS, find_metric
from acumen.policy import Evidence, decide, find_policy
from acumen.report.words import rests_on
from acumen.studies import POLICY, verdict_study
from acumen.values.measured import Interval
from acumen.verdicts.read import parse_results
from acumen.verdicts.score import metrics_of_study, score_study
from acumen.verdicts.study import prepare
from acumen.verdicts.truth import parse_reviews, parse_truth


def test_the_truth_is_what_the_policy_makes_of_its_incidents() -> None:
    study, policy = verdict_study(), find_policy(POLICY)
    fields = {m.name: (m.field, min(m.values)) for m in policy.modifiers}
    for entry in study.truth.values():
        evidence = []
        for place, incident in enumerate(entry["incidents"]):
            rows = [(policy.severity, incident["severity"])]
            rows += [fields[name] for name in incident["modifiers"]]
            evidence += [
                Evidence(f"{place}{field}", incident["review_id"], field, value)
                for field, value in rows
            ]
        assert decide(policy, evidence).verdict == entry["verdict"]
    assert Counter(e["verdict"] for e in study.truth.values()) == {
        "Low Risk": 67,
        "High Risk": 21,
        "Critical Risk": 12,
    }


@pytest.mark.parametrize(
    ("counts", "key", "text"),
    [
        ((40, 40, 8), "auprc_ge@2", "rests on 8 cases of 'Critical Risk'"),
        ((40, 40, 9), "auprc_ge@2", None),
        ((40, 40, 4), "auprc_ge@1", None),
        ((40, 2, 2), "auprc_ge@1", "rests on 4 cases of 'High Risk' or above"),
        ((1, 40, 40), "auprc_ge@1", "rests on 1 case below 'High Risk'"),
        ((3, 40, 40), "ordinal_auprc", "rests on 3 cases below 'High Risk'"),
        (
            (40, 3, 40),
            "severity_ordering_ap",
            "rests on 3 cases between 'Low Risk' and 'Critical Risk'",
        ),
        ((40, 3, 40), "macro_f1", "rests on 3 cases of 'High Risk'"),
        ((40, 3, 40), "ordinal_auprc", None),
        ((40, 3, 40), "quadratic_kappa", None),
        ((9, 9, 9), "macro_mae", None),
    ],
)
def test_a_number_that_rests_on_a_few_cases_says_which(
    counts: tuple[int, ...], key: str, text: str | None
) -> None:
    policy = find_policy(POLICY)
    verdicts = [
        level for level, n in zip(policy.scale.levels, counts, strict=True) for _ in range(n)
    ]
    rows = [{"business_id": str(n), "verdict": v, "gt_verdict": v} for n, v in enumerate(verdicts)]
    metric = find_metric(key)
    assert metric is not None
    study = prepare(parse_results(rows, policy), None, policy)
    _, part = metrics_of_study(study)[metric.name]
    found = infer([metric], getattr(study, part), Options(resamples=0))[metric.name]
    group = found.interval.rests_on
    assert (None if group is None else rests_on(group)) == text


def test_every_kind_of_fault_is_in_it() -> None:
    study, policy = verdict_study(), find_policy(POLICY)
    truth, reviews = parse_truth(study.truth, policy), parse_reviews(study.reviews)
    prepared = {
        name: prepare(parse_results(document, policy), truth, policy, reviews)
        for name, document in study.results.items()
    }
    assert [len(p.table.failed) for p in prepared.values()] == [0, 1]
    assert sum(c.rank is None and not c.failed for c in prepared["rag"].run.claims) == 1
    for name, least in (("rag", 1), ("direct", 10)):
        details = prepared[name].counts.details
        assert sum(len(d.invented_reviews) for d in details) >= least
        assert sum(len(d.wrong_severity) for d in details) >= least
        assert sum(len(d.invented_snippets) for d in details) >= least
    contradicted = prepared["direct"].counts
    assert contradicted.right["consistency"].sum() < contradicted.of["consistency"].sum() / 2


def test_without_primitives_the_adjusted_ranking_says_so() -> None:
    policy = find_policy(POLICY)
    levels = policy.scale.levels
    rows = [
        {"business_id": str(n), "verdict": levels[n % 3], "gt_verdict": levels[n % 3]}
        for n in range(12)
    ]
    study = prepare(parse_results(rows, policy), None, policy)
    estimate = METRICS["adjusted_auprc"].measure(study.ranking_with_reasons)
    assert (estimate.value, estimate.reason) == (None, "no primitives are given")


@pytest.mark.parametrize(
    ("asked", "warning"),
    [(102, ["the run ended early: 2 of its 102 cases are missing"]), (100, []), ("102", [])],
)
def test_a_run_that_ended_early_says_so(asked: object, warning: list[str]) -> None:
    study, policy = verdict_study(), find_policy(POLICY)
    rows = next(iter(study.results.values()))["results"]
    document = {"results": rows, "run_metadata": {"cases_asked": asked}}
    truth = parse_truth(study.truth, policy)
    warnings = prepare(parse_results(document, policy), truth, policy).warnings
    assert [each for each in warnings if "early" in each] == warning


def test_very_many_cases_have_intervals_that_no_order_of_them_shows_in() -> None:
    study, policy, copies = verdict_study(), find_policy(POLICY), range(13)
    truth = {f"{case}-{k}": entry for case, entry in study.truth.items() for k in copies}
    rows = [
        entry | {"business_id": f"{entry['business_id']}-{k}"}
        for k in copies
        for entry in study.results["direct"]["results"]
    ]
    order = np.random.default_rng(2).permutation(len(rows))
    scores = []
    for some in (rows, [rows[k] for k in order]):
        results = study.results["direct"] | {"results": some, "n": len(rows)}
        large = prepare(parse_results(results, policy), parse_truth(truth, policy), policy)
        assert large.n_cases > MOST_LEFT_OUT
        scores.append(score_study(large, Options(resamples=0)).inferences)
    for name, inference in scores[0].items():
        one, two = (own[name].interval for own in scores)
        if isinstance(one, Interval) and isinstance(two, Interval):
            assert inference.jackknife.n == large.n_cases, name  # by influence, not by groups
            assert [one.low, one.high] == pytest.approx([two.low, two.high], rel=1e-8), name
    assert isinstance(scores[0]["process"].interval, Interval)
    assert isinstance(scores[0]["adjusted_auprc"].interval, Interval)
