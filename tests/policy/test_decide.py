"""What a policy decides, worked out by hand, and the laws every policy obeys."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acumen.policy import Evidence, builtin_policies, decide, find_policy, parse_policy


def claims(*rows: tuple[str, str, str]) -> list[Evidence]:
    return [
        Evidence(f"E{place}", review, field, judgement)
        for place, (review, field, judgement) in enumerate(rows, start=1)
    ]


SEVERITY, ASSURANCE, STAFF, ACCOUNT = (
    "INCIDENT_SEVERITY",
    "ASSURANCE_CLAIM",
    "STAFF_RESPONSE",
    "ACCOUNT_TYPE",
)


@pytest.mark.parametrize(
    ("rows", "verdict", "score"),
    [
        ([], "Low Risk", 0),
        ([("r1", SEVERITY, "mild")], "Low Risk", 2),
        ([("r1", SEVERITY, "mild"), ("r2", SEVERITY, "mild")], "High Risk", 4),
        ([("r1", SEVERITY, "moderate")], "High Risk", 5),
        ([("r1", SEVERITY, "mild"), ("r1", ASSURANCE, "yes")], "High Risk", 7),
        ([("r1", SEVERITY, "moderate"), ("r1", ASSURANCE, "true")], "Critical Risk", 10),
        ([("r1", SEVERITY, "moderate"), ("r1", STAFF, "Dismissive")], "Critical Risk", 8),
        ([("r1", SEVERITY, "severe")], "Critical Risk", 15),
        ([("r1", SEVERITY, "none"), ("r1", ASSURANCE, "false")], "Low Risk", 0),
        ([("r1", STAFF, "bad")], "Low Risk", 3),
    ],
)
def test_the_points_policy_decides_as_written_down(
    rows: list[tuple[str, str, str]], verdict: str, score: int
) -> None:
    decision = decide(find_policy("G1_allergy_V2"), claims(*rows))
    assert (decision.verdict, decision.score) == (verdict, score)


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ([], "Low Risk"),
        ([("r1", SEVERITY, "mild")], "Low Risk"),
        ([("r1", SEVERITY, "mild"), ("r2", SEVERITY, "mild")], "High Risk"),
        # two judgements on one review are one incident
        ([("r1", SEVERITY, "mild"), ("r1", SEVERITY, "MILD")], "Low Risk"),
        ([("r1", SEVERITY, "severe")], "High Risk"),
        ([("r1", SEVERITY, "severe"), ("r1", ACCOUNT, "firsthand")], "Critical Risk"),
        # firsthand is another review's: severity and account must meet on the same one
        ([("r1", SEVERITY, "severe"), ("r2", ACCOUNT, "firsthand")], "High Risk"),
        (
            [
                ("r1", SEVERITY, "moderate"),
                ("r1", ACCOUNT, "firsthand"),
                ("r2", SEVERITY, "moderate"),
                ("r2", ACCOUNT, "firsthand"),
            ],
            "Critical Risk",
        ),
        (
            [
                ("r1", SEVERITY, "moderate"),
                ("r1", ACCOUNT, "firsthand"),
                ("r2", SEVERITY, "moderate"),
                ("r2", ACCOUNT, "secondhand"),
            ],
            "High Risk",
        ),
        (
            [("r1", SEVERITY, "moderate"), ("r1", ASSURANCE, "true"), ("r2", STAFF, "bad")],
            "Critical Risk",
        ),
        ([("r1", SEVERITY, "moderate"), ("r1", ASSURANCE, "true")], "High Risk"),
    ],
)
def test_the_counting_policy_counts_reviews(rows: list[tuple[str, str, str]], verdict: str) -> None:
    decision = decide(find_policy("G1_allergy_counts"), claims(*rows))
    assert decision.verdict == verdict
    assert decision.score is None


def test_a_claim_made_twice_adds_its_points_once() -> None:
    rows = claims(("r1", SEVERITY, "mild"), ("r1", SEVERITY, " Mild"), ("r2", SEVERITY, "mild"))
    decision = decide(find_policy("G1_allergy_V2"), rows)
    assert decision.score == 4
    assert decision.trace.repeated == ("E2",)


def test_the_trace_names_the_rule_and_the_evidence() -> None:
    rows = claims(
        ("r1", SEVERITY, "mild"),
        ("r2", SEVERITY, "moderate"),
        ("r2", ACCOUNT, "firsthand"),
        ("r3", ACCOUNT, "firsthand"),
        ("r3", SEVERITY, "moderate"),
        ("r4", SEVERITY, "catastrophic"),
    )
    trace = decide(find_policy("G1_allergy_counts"), rows).trace
    assert trace.rule == "a severe firsthand incident, or two moderate ones"
    assert set(trace.because) == {"E2", "E3", "E4", "E5"}
    assert trace.unknown == ("E6",)
    points = decide(find_policy("G1_allergy_V2"), rows).trace
    assert list(points.points) == [("E1", 2), ("E2", 5), ("E5", 5)]
    assert points.because == ("E1", "E2", "E5")


def test_a_rule_on_points_stands_beside_counting_rules() -> None:
    policy = parse_policy("""
        name = "both"
        levels = [0, 1, 2]
        severity = "S"
        points.S = { a = 0.1, b = 0.2 }
        thresholds = { 1 = 0.3 }
        [[rules]]
        verdict = 2
        all = [ { points = 0.3 }, { at_least = 1, where = { S = "b" } } ]
    """)
    three_a = claims(("r1", "S", "a"), ("r2", "S", "a"), ("r3", "S", "a"))
    a_and_b = claims(("r1", "S", "a"), ("r2", "S", "b"))
    # .1 + .1 + .1 is 0.30000000000000004 when added left to right; exactly summed it is .3
    assert decide(policy, three_a).verdict == 1
    assert decide(policy, a_and_b).verdict == 2
    assert decide(policy, a_and_b[:1]).verdict == 0


@st.composite
def evidence(draw: st.DrawFn) -> list[Evidence]:
    fields = st.sampled_from([SEVERITY, ASSURANCE, STAFF, ACCOUNT, "OTHER"])
    judgements = st.sampled_from(
        ["none", "mild", "moderate", "severe", "true", "bad", "firsthand", "\x1b[31m", ""]
    )
    reviews = st.sampled_from(["r1", "r2", "r3"])
    return claims(*draw(st.lists(st.tuples(reviews, fields, judgements), max_size=12)))


@pytest.mark.parametrize("name", builtin_policies())
@settings(max_examples=60)
@given(rows=evidence(), data=st.data())
def test_any_evidence_gets_one_verdict_whatever_its_order(
    name: str, rows: list[Evidence], data: st.DataObject
) -> None:
    policy = find_policy(name)
    decision = decide(policy, rows)
    shuffled = data.draw(st.permutations(rows))
    again = decide(policy, shuffled)
    assert (again.rank, again.score) == (decision.rank, decision.score)
    assert decision.verdict == policy.scale.levels[decision.rank]
    assert set(decision.trace.because) <= {row.evidence_id for row in rows}


@pytest.mark.parametrize("name", builtin_policies())
@settings(max_examples=60)
@given(rows=evidence(), more=evidence())
def test_more_evidence_never_lowers_the_verdict(
    name: str, rows: list[Evidence], more: list[Evidence]
) -> None:
    # conditions only ask for "at least", and both policies try their worst verdict first
    policy = find_policy(name)
    assert decide(policy, rows + more).rank >= decide(policy, rows).rank


@settings(max_examples=60)
@given(rows=evidence())
def test_the_evidence_a_trace_names_gives_the_verdict_alone(rows: list[Evidence]) -> None:
    for name in builtin_policies():
        decision = decide(find_policy(name), rows)
        named = [row for row in rows if row.evidence_id in decision.trace.because]
        assert decide(find_policy(name), named).rank == decision.rank
