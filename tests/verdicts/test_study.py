"""The bundled study: what is in it, and that nothing else than its seed decides it."""

from __future__ import annotations

from collections import Counter

from acumen.policy import Evidence, decide, find_policy
from acumen.readers.verdict_truth import parse_reviews, parse_truth
from acumen.readers.verdicts import parse_results
from acumen.studies.verdicts import POLICY, verdict_study
from acumen.verdict_study import prepare


def test_the_same_seed_gives_the_same_study() -> None:
    assert verdict_study() == verdict_study()
    assert verdict_study(1) != verdict_study(2)


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
        "Low Risk": 78,
        "High Risk": 21,
        "Critical Risk": 1,
    }


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
