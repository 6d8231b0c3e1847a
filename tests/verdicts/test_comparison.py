"""Two methods are compared on the same cases, also where one of them abstains."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from acumen.errors import DataError, UsageError
from acumen.inference.options import Options
from acumen.policy import find_policy
from acumen.report.sections import sections_of
from acumen.report.terminal import render
from acumen.results.verdicts import ComparisonDocument, PairDocument, results_of
from acumen.values.measured import Delta, Interval, RightOf
from acumen.verdicts.compare import _shared_truth, compare_runs, comparison_document
from acumen.verdicts.inputs import Files, Inputs, _policies, read_inputs
from acumen.verdicts.read import parse_results
from acumen.verdicts.score import score_study
from acumen.verdicts.study import prepare
from acumen.verdicts.truth import parse_truth

POLICY = find_policy("G1_allergy_V2")
LOW, HIGH = "Low Risk", "High Risk"
TRUTH = parse_truth({"A": HIGH, "B": HIGH, "C": LOW, "D": LOW, "E": LOW}, POLICY)


def method(*scores: float | None) -> Any:
    """Verdicts on A to E by score, High from 5 on; None abstains."""
    rows = [
        {"business_id": case, "risk_score": score}
        | {"verdict": None if score is None else HIGH if score >= 5 else LOW}
        for case, score in zip("ABCDE", scores, strict=True)
    ]
    return parse_results(rows, POLICY)


def compared(left: Any, right: Any, truth: Any = TRUTH, **options: Any) -> ComparisonDocument:
    found = compare_runs(left, right, truth, POLICY, options=Options(resamples=50), **options)
    return comparison_document(found, ("one", "two"))


def claims(*severities: str | None, **more: Any) -> Any:
    """On A to E one piece of evidence each; the verdict High, or None for an abstention."""
    rows = [
        {
            "business_id": case,
            "verdict": None if severity is None else HIGH,
            "risk_score": 1,
            "parsed": {
                "evidences": [
                    {"evidence_id": "E1", "review_id": "R1", "field": "INCIDENT_SEVERITY"}
                    | {"judgement": severity or "mild"}
                    | more
                ],
                "justification": {"direct_evidence": ["E1"]},
            },
        }
        for case, severity in zip("ABCDE", severities, strict=True)
    ]
    return parse_results(rows, POLICY)


TOLD = parse_truth(
    {c: {"verdict": HIGH, "incidents": [{"review_id": "R1", "severity": "mild"}]} for c in "ABCDE"},
    POLICY,
)


def printed(document: ComparisonDocument) -> str:
    systems = results_of({"systems": [{"unified_scores": {}}] * 2}, "x").systems
    return render(sections_of(PairDocument(systems=systems, comparison=document), full=True))


def test_ranking_is_compared_where_both_have_a_verdict() -> None:
    # C, on which the first abstains, is the only place the second ranks wrongly
    found = compared(method(9, 8, None, 2, 1), method(8, 7, 9, 2, 1))
    assert (found.n_cases, found.n_ranked) == (5, 4)
    ranking = found.deltas["auprc_ge@1"]
    assert (ranking.left, ranking.right) == (1.0, 1.0)
    # with C, which it puts first, the second would have (1/2 + 2/3)/2
    accuracy = found.deltas["total_accuracy"]
    assert (accuracy.left, accuracy.right) == (pytest.approx(0.8), pytest.approx(0.8))


def test_every_difference_of_two_methods_has_a_p_value() -> None:
    found = compare_runs(
        method(9, 8, 3, 2, 1), method(1, 7, 9, 2, 1), TRUTH, POLICY, options=Options(resamples=50)
    )
    assert all(d.p_value is not None for d in found.deltas.values() if d.value is not None)


def test_which_side_abstains_makes_no_difference() -> None:
    sides = method(9, 8, None, 2, 1), method(8, 1, 9, 2, 1)
    one, other = compared(*sides), compared(*reversed(sides))
    assert one.deltas["auprc_ge@1"].right == other.deltas["auprc_ge@1"].left
    # A comes first; B ties with E for the last of four: (1 + 2/4)/2
    assert one.deltas["auprc_ge@1"].right == pytest.approx(0.75)


def test_a_method_that_never_gives_a_verdict_has_no_ranking_to_compare() -> None:
    found = compared(method(None, None, None, None, None), method(8, 7, 9, 2, 1))
    assert found.n_ranked == 0
    assert found.deltas["auprc_ge@1"].delta is None


def test_agreement_is_compared_where_both_have_a_verdict_and_accuracy_everywhere() -> None:
    # the second takes C for High, the only thing it gets wrong; the first abstains there
    found = compared(method(9, 8, None, 2, 1), method(8, 7, 9, 2, 1)).deltas
    for key in ("macro_f1", "quadratic_kappa", "linear_kappa", "kendall_tau_b"):
        assert (found[key].left, found[key].right) == (1.0, 1.0), key
    assert found["krippendorff_alpha"].delta == found["mae"].right == 0.0
    assert (found["total_accuracy"].left, found["total_accuracy"].right) == (0.8, 0.8)


def test_verdicts_are_held_against_their_evidence_where_both_have_one() -> None:
    # moderate alone is High, mild alone is not: on D the first abstains, the second contradicts
    found = compared(
        claims("moderate", "moderate", "moderate", None, "mild"),
        claims("moderate", "moderate", "mild", "mild", "moderate"),
        TOLD,
    )
    assert (found.n_cases, found.n_ranked) == (5, 4)
    for key in ("consistency", "verdict_support_rate"):
        assert found.deltas[key].counts == RightOf(left=(3, 4), right=(3, 4))
    # what is claimed of D counts all the same
    claimed = found.deltas["incident_precision"]
    assert claimed.counts == RightOf(left=(5, 5), right=(5, 5))


def test_process_scores_are_compared_on_the_components_both_have() -> None:
    reviews = {case: {"R1": "hives"} for case in "ABCDE"}
    quoting = claims(*["mild"] * 5, snippet="not there")
    plain = claims(*["mild"] * 5)
    found = compared(plain, quoting, TOLD, reviews=reviews)
    process = found.deltas["process"]
    # .35 · 1 + .30 · 1 + .15 · 0 (mild is not High), over .80: invented quotations do not enter
    assert process.left == process.right == pytest.approx(0.65 / 0.80)
    assert found.deltas["snippet_validity"].delta is None
    told = "the process scores are compared without snippet validity, which one of them lacks"
    assert told in found.warnings


def test_ranking_by_scores_against_ranking_by_levels_is_told() -> None:
    without = [{"business_id": case, "verdict": LOW} for case in "ABCDE"]
    found = compared(method(9, 8, 3, 2, 1), parse_results(without, POLICY))
    assert "the first is ranked by risk_score, the second by predicted level" in found.warnings


def test_all_right_on_few_cases_is_worth_as_little_in_a_pair_as_alone() -> None:
    # 20 cases, all verdicts consistent, but only 4 of the first's cite any evidence
    names = [f"B{n}" for n in range(20)]
    truth = parse_truth(dict.fromkeys(names, HIGH), POLICY)
    evidence = {"evidence_id": "E1", "review_id": "R1", "field": "INCIDENT_SEVERITY"}

    def citing(n: int) -> Any:
        cited = {"parsed": {"evidences": [evidence | {"judgement": "moderate"}]}}
        rows = [
            {"business_id": case, "verdict": HIGH} | (cited if place < n else {})
            for place, case in enumerate(names)
        ]
        return parse_results(rows, POLICY)

    few, many = citing(4), citing(20)
    found = compare_runs(few, many, truth, POLICY, options=Options(resamples=50))
    scores = score_study(prepare(few, truth, POLICY), Options(resamples=50))
    alone = scores.inferences["consistency"]
    assert found.deltas["consistency"].left.interval == alone.interval
    assert isinstance(alone.interval, Interval)
    assert alone.interval.low < 0.6


def test_the_notes_say_what_is_counted_over_what() -> None:
    text = " ".join(
        printed(
            compared(claims("mild", *["moderate"] * 4), claims(*["mild", None] * 2, "mild"), TOLD)
        ).split()
    )
    assert "Accuracy is over all 5 cases, an abstention being wrong." in text
    assert "are over the 3 where both have a verdict." in text
    assert "Right of checked, one and two: Incident precision 5/5 and 5/5," in text
    assert "Consistency 2/3 and 0/3" in text
    assert "No value for" not in text


def test_names_too_long_for_the_table_are_told_below_it() -> None:
    found = compared(method(9, 8, 3, 2, 1), method(8, 7, 9, 2, 1))
    names = {"left": "gpt-5-nano-with-retrieval", "right": "gpt-5-nano-with-reflection"}
    text = printed(found.model_copy(update=names))
    assert max(len(line) for line in text.splitlines()) <= 80
    assert re.search(r"^Metric +left +right +interval +Better$", text, re.MULTILINE)
    told = "left is gpt-5-nano-with-retrieval, right is gpt-5-nano-with-reflection."
    assert told in " ".join(text.split())


def test_two_runs_without_a_case_that_failed_for_neither_are_refused() -> None:
    rows = [{"business_id": "A", "error": "timeout"}, {"business_id": "B", "verdict": LOW}]
    left, right = (parse_results(part, POLICY) for part in (rows, rows[:1] + rows[2:]))
    with pytest.raises(DataError, match="no case in common that failed for neither"):
        compare_runs(left, right, TRUTH, POLICY)


def carried(**truths: str | None) -> Any:
    rows = [
        {"business_id": case, "verdict": LOW, "gt_verdict": truth} for case, truth in truths.items()
    ]
    return parse_results(rows, POLICY)


def test_the_truth_that_two_results_carry_must_be_one() -> None:
    both = _shared_truth([carried(A=LOW, B=HIGH), carried(B=HIGH, C=LOW)])
    assert both is not None
    assert sorted(both) == ["A", "B", "C"]
    one, none = carried(A=LOW), carried(A=None)
    assert none.truth is None
    assert _shared_truth([one, none]) == _shared_truth([none, one]) == one.truth
    assert _shared_truth([none, none]) is None
    names = dict.fromkeys("ABCDEFG", LOW)
    with pytest.raises(DataError, match=r"carry different truths for A, B, C, D, E$"):
        _shared_truth([carried(**names), carried(**dict.fromkeys("ABCDEFG", HIGH))])


@pytest.mark.parametrize(
    ("methods", "runs", "stems", "names"),
    [
        (("a", "b"), ("1", "2"), ("x", "y"), ("a", "b")),
        (("a", "a"), ("1", "2"), ("x", "y"), ("1", "2")),
        (("a", None), ("1", "1"), ("x", "y"), ("x", "y")),
        ((None, None), (None, "2"), ("x", "x"), ("left", "right")),
        ((None, None), (None, None), (), ("left", "right")),
    ],
)
def test_what_tells_two_runs_apart(methods: Any, runs: Any, stems: Any, names: Any) -> None:
    sides = [
        replace(method(1, 1, 1, 1, 1), provenance={"run_id": r, "method": m})
        for m, r in zip(methods, runs, strict=True)
    ]
    assert tuple(Inputs(sides, [POLICY] * 2, [], None, Files(), stems).names()) == names


@pytest.mark.parametrize(
    ("stated", "policies"),
    [
        ([None, None], [POLICY.name, POLICY.name]),
        (["mine", None], ["mine", "mine"]),
        (["b", "a", None], ["b", "a", POLICY.name]),
    ],
)
def test_the_policy_is_the_one_that_the_results_name(stated: Any, policies: list[str]) -> None:
    assert [policy.name for policy in _policies(None, None, stated)] == policies
    assert _policies(POLICY, None, stated) == [POLICY] * len(stated)


def test_one_file_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="the same results file is given twice"):
        read_inputs(["a.json", "a.json"], None, None, None, None)


def test_the_files_that_scores_are_made_of_are_named_where_all_are_files() -> None:
    hashes = [{"role": "results", "path": "results.json", "sha256": "0" * 64}]
    inputs = Inputs([], [POLICY], [], None, Files(hashes))
    assert [file.path for file in inputs.made_from.inputs] == ["results.json"]
    some = replace(inputs, files=Files(hashes, are_all=False))
    assert some.made_from.inputs == []


def test_a_difference_without_a_value_says_nothing_of_which_ranks_better() -> None:
    ends = Interval(low=-0.1, high=0.3, method="x")
    deltas = {"ordinal_auprc": Delta(delta=None, left=0.8, right=0.9, interval=ends)}
    assert "ranks better" not in printed(ComparisonDocument(left="a", right="b", deltas=deltas))
