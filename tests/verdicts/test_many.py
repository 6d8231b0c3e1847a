"""Any number of methods: leaderboard, groups, policies and truths side by side, and the gate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.files.json import write_json
from acumen.policy import find_policy
from acumen.report.blocks import Plot
from acumen.results.kinds import document_of
from acumen.results.verdicts import PairDocument
from acumen.studies import verdict_study

POLICY = find_policy("G1_allergy_V2")
LEVELS = POLICY.scale.levels
FAST: dict[str, Any] = {"resamples": 200}


def made(method: str, wrong: float, seed: int, n: int = 60, **header: Any) -> dict[str, Any]:
    """A method that is wrong in a share of the cases."""
    rng, truth = np.random.default_rng(seed), np.random.default_rng(5)
    rows = []
    for at in range(n):
        level = int(truth.integers(0, 3))
        guess = (level + 1) % 3 if rng.random() < wrong else level
        row = {"business_id": f"C{at:02}", "verdict": LEVELS[guess], "gt_verdict": LEVELS[level]}
        rows.append({**row, "risk_score": guess + float(rng.random()), "site": "ab"[at % 2]})
    return {"method": method, "policy_id": "G1_allergy_V2", **header, "results": rows}


GOOD, FAIR, BAD = made("good", 0.02, 1), made("fair", 0.1, 2), made("bad", 0.75, 3)


def test_three_methods_have_a_leaderboard_with_every_pair() -> None:
    document = acumen.score(BAD, GOOD, FAIR, **FAST, rank_by="accuracy").to_dict()
    board = document["leaderboard"]
    assert (board["metric"], board["better"]) == ("total_accuracy", "higher")
    assert [s["system"] for s in board["standings"]] == ["good", "fair", "bad"]
    assert board["standings"][0]["beats"] == ["bad"]
    assert board["standings"][2]["ranks"] == [3, 3]
    pairs = {(p["left"], p["right"]): p["difference"] for p in document["pairs"]}
    assert [*pairs] == [("bad", "good"), ("bad", "fair"), ("good", "fair")]
    accuracy = {s["method"]: s["accuracy"] for s in document["systems"]}
    assert pairs["bad", "good"]["delta"] == pytest.approx(accuracy["good"] - accuracy["bad"])
    assert pairs["bad", "good"]["p_adjusted"] < 0.05
    assert pairs["good", "fair"]["favours"] is None


def test_a_pair_of_the_leaderboard_is_that_of_two_methods_alone() -> None:
    three = acumen.score(BAD, GOOD, FAIR, **FAST, rank_by="accuracy").to_dict()
    two = acumen.score(BAD, GOOD, **FAST).to_dict()["comparison"]["deltas"]["total_accuracy"]
    pair = three["pairs"][0]["difference"]
    assert (pair["left"], pair["right"]) == (two["left"], two["right"])
    assert pair["p_value"] == two["p_value"]
    assert pair["interval"]["high"] >= two["interval"]["high"]  # it holds with the others


def test_a_baseline_is_compared_with_each() -> None:
    document = acumen.score(BAD, GOOD, FAIR, **FAST, rank_by="accuracy", baseline="fair").to_dict()
    assert [(p["left"], p["right"]) for p in document["pairs"]] == [
        ("fair", "bad"),
        ("fair", "good"),
    ]
    with pytest.raises(UsageError, match="no method nobody to compare with; there are bad, good"):
        acumen.score(BAD, GOOD, FAIR, **FAST, baseline="nobody")
    with pytest.raises(UsageError, match="no metric speed to rank by; there are auprc, accuracy"):
        acumen.score(BAD, GOOD, FAIR, **FAST, rank_by="speed")


def test_one_file_of_three_methods_is_three_methods() -> None:
    rows = [{**r, "method": d["method"]} for d in (BAD, GOOD, FAIR) for r in d["results"]]
    document = acumen.score(rows, **FAST, rank_by="accuracy").to_dict()
    assert [s["method"] for s in document["systems"]] == ["bad", "good", "fair"]


def test_what_is_written_is_read_back_whole(tmp_path: Path) -> None:
    result = acumen.score(BAD, GOOD, FAIR, **FAST, by="site")
    document = document_of(json.loads(result.to_json()), "x")
    assert isinstance(document, PairDocument)
    assert document.on_disk() == result.document.on_disk()
    alone = acumen.score(GOOD, **FAST, by="site")
    again = document_of(json.loads(alone.to_json()), "x")
    assert again.slices == alone.document.slices


def test_methods_that_were_scored_together_are_scored_again(tmp_path: Path) -> None:
    """As they lie in the file, and with the truth that each of them carries."""
    failed = {**BAD, "results": [{**BAD["results"][0], "error": "x"}, *BAD["results"][1:]]}
    stepped = {**GOOD, "results": [dict(row) for row in GOOD["results"]]}
    truth = {
        row["business_id"]: {"verdict": row["gt_verdict"], "primitives": {"my_step": "a"}}
        for row in GOOD["results"]
    }
    for row in stepped["results"]:
        row["parsed"] = {"primitives": {"my_step": "a"}}
    first = acumen.score(stepped, failed, FAIR, truth=truth, **FAST).to_dict()
    write_json(tmp_path / "scored.json", first)
    for known in (truth, None):
        again = acumen.score(tmp_path / "scored.json", truth=known, **FAST).to_dict()
        for key in ("names", "leaderboard", "pairs"):
            assert again[key] == first[key], key
        assert [s["results"] for s in again["systems"]] == [s["results"] for s in first["systems"]]


def test_truths_that_results_carry_must_be_the_same() -> None:
    first, *others = BAD["results"]
    apart = next(level for level in LEVELS if level != first["gt_verdict"])
    other = {**BAD, "results": [{**first, "gt_verdict": apart}, *others]}
    with pytest.raises(DataError, match="the two results carry different truths for C00"):
        acumen.score(GOOD, other, **FAST)


def test_groups_are_held_against_the_rest() -> None:
    document = acumen.score(GOOD, **FAST, by=["site", "level"]).to_dict()
    parts = {(s["by"][0], s["group"]): s for s in document["slices"]}
    assert [*parts][:2] == [("site", "a"), ("site", "b")]
    assert {group for by, group in parts if by == "level"} == {*LEVELS}
    rows = [r for r in GOOD["results"] if r["site"] == "a"]
    right = np.mean([r["verdict"] == r["gt_verdict"] for r in rows])
    a = parts["site", "a"]
    assert a["cases"] == len(rows)
    assert a["metrics"]["total_accuracy"]["value"] == pytest.approx(right)
    other = parts["site", "b"]["metrics"]["total_accuracy"]["value"]
    assert a["difference"]["total_accuracy"]["delta"] == pytest.approx(right - other)
    with pytest.raises(UsageError, match="no key town of the results or the truth to slice by"):
        acumen.score(GOOD, **FAST, by="town")


def test_a_group_may_be_said_by_the_truth() -> None:
    known = {
        r["business_id"]: {"ground_truth": {"verdict": r["gt_verdict"]}, "cuisine": "thai"}
        for r in GOOD["results"]
    }
    (part,) = acumen.score(GOOD, truth=known, **FAST, by="cuisine").to_dict()["slices"]
    assert (part["group"], part["cases"]) == ("thai", 60)
    assert part["difference"] == {}


def test_each_run_takes_the_truth_of_its_policy_and_k() -> None:
    def truth(policy: str, k: int, verdict: Any) -> dict[str, Any]:
        cases = {f"C{at:02}": {"ground_truth": {"verdict": verdict}} for at in range(60)}
        return {"policy_id": policy, "k": k, "restaurants": cases}

    small = made("rag", 0.1, 1, k=25)
    large = made("rag", 0.1, 2, k=50)
    other = made("rag", 0.1, 3, k=50, policy_id="G1_allergy_V0")
    truths = [
        truth("G1_allergy_V2", 25, LEVELS[0]),
        truth("G1_allergy_V2", 50, LEVELS[1]),
        truth("G1_allergy_V0", 50, LEVELS[2]),
    ]
    document = acumen.score(small, large, other, truth=truths, resamples=0).document
    assert [s.policy_id for s in document.systems] == ["G1_allergy_V2"] * 2 + ["G1_allergy_V0"]
    assert [{r.gt_verdict for r in s.results} for s in document.systems] == [{x} for x in LEVELS]
    assert document.names == [
        "rag G1_allergy_V2 K=25",
        "rag G1_allergy_V2 K=50",
        "rag G1_allergy_V0 K=50",
    ]
    assert document.leaderboard is None
    assert "nothing is claimed of differences" in document.remarks[0]
    with pytest.raises(UsageError, match=r"no truth fits results \(policy G1_allergy_V2, K 25\)"):
        acumen.score(small, truth=truths[1:], resamples=0)


def test_sizes_of_context_under_one_truth_are_compared() -> None:
    document = acumen.score(made("rag", 0.1, 1, k=25), made("rag", 0.1, 2, k=50), **FAST).to_dict()
    pair = document["comparison"]
    assert (pair["left"], pair["right"]) == ("rag K=25", "rag K=50")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    for name, document in verdict_study().documents().items():
        write_json(folder / f"{name}.json", document)
    for document in (GOOD, FAIR, BAD):
        write_json(folder / f"{document['method']}.json", document)
    return folder


def test_the_screen_of_three(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(study / f"{name}.json") for name in ("good", "fair", "bad")]
    out = study / "three.json"
    words = ["--resamples", "200", "--rank-by", "accuracy", "--by", "site", "-o", str(out)]
    assert run(["score", *files, *words, "--full"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Methods by Accuracy of all rows, higher is better" in text
    assert (
        "By Accuracy of all rows good is better than bad; these cases do not show that good" in text
    )
    assert "Pairs by Accuracy of all rows" in text
    assert "For whom is it better or worse By site, good" in text
    assert run(["score", *files, *words]) == 0
    short = " ".join(capsys.readouterr().out.split())
    assert "By Accuracy of all rows good is better than bad" in short
    assert run(["show", str(out)]) == 0
    assert run(["show", str(out), "--full"]) == 0
    assert "Methods by Accuracy of all rows" in capsys.readouterr().out


def gate(study: Path, name: str, *words: str) -> int:
    return run(["gate", str(study / f"{name}.json"), *words])


def test_the_leaderboard_of_methods_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("altair")
    result = acumen.score(BAD, GOOD, FAIR, **FAST, rank_by="accuracy")
    write_json(tmp_path / "three.json", result.to_dict())
    plot = ["plot", str(tmp_path / "three.json"), "--chart", "leaderboard", "-o"]
    assert run([*plot, str(tmp_path / "board.svg")]) == 0
    drawn = (tmp_path / "board.svg").read_text()
    assert all(
        f">{name}<" in drawn for name in ("good", "fair", "bad", "not shown to differ from good")
    )
    (section,) = [s for s in result.sections(full=True) if s.key == "compared"]
    assert "leaderboard" in str([block for block in section.blocks if isinstance(block, Plot)])
    write_json(tmp_path / "two.json", acumen.score(BAD, GOOD, **FAST).to_dict())
    plot[1] = str(tmp_path / "two.json")
    assert run([*plot, str(tmp_path / "none.svg")]) == 2


def test_a_gate_reads_scores(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rag, direct = (str(study / f"results-{name}.json") for name in ("rag", "direct"))
    against = ["--truth", str(study / "truth.json"), "--reviews", str(study / "reviews.json")]
    against += ["--resamples", "200"]
    assert run(["score", rag, *against, "-o", str(study / "s-rag.json")]) == 0
    assert run(["score", direct, rag, *against, "-o", str(study / "both.json")]) == 0
    every = ["--metric", "process", "--metric", "consistency", "--at-least", ".75"]
    assert gate(study, "s-rag", *every) == 0
    assert gate(study, "both", *every) == 1
    # an AUPRC of 82.6%, whose interval begins at 29.4%: neither above 75% nor below
    assert gate(study, "s-rag", "--metric", "auprc", "--at-least", ".75") == 5
    # new − base is rag − direct: better on the reasons, within 20 points on accuracy
    assert gate(study, "both", "--metric", "process", "--superiority") == 0
    assert gate(study, "both", "--metric", "accuracy", "--margin", ".2") == 0
    assert gate(study, "both", "--metric", "accuracy", "--margin", ".01") == 5
    capsys.readouterr()
    assert gate(study, "s-rag", "--metric", "process", "--superiority") == 2
    assert "score both in one file" in capsys.readouterr().err
    assert gate(study, "s-rag", "--metric", "speed", "--at-least", "1") == 2
    assert "no metric speed in the results; there are auprc, accuracy" in capsys.readouterr().err


def test_a_gate_of_few_cases_stays_open(tmp_path: Path) -> None:
    few = made("few", 0.0, 1, n=6)
    result = acumen.score(few, resamples=0)
    check = acumen.gate(result, metric="accuracy", at_least=0.1).document.checks[0]
    assert (check.verdict, check.why) == ("undecided", "few_cases")


def test_scores_of_another_tool_have_no_interval_to_pass_on(tmp_path: Path) -> None:
    bare = {"unified_scores": {"process_score": 90.0}, "total": 100, "results": []}
    check = acumen.gate(bare, metric="process", at_least=0.5).document.checks[0]
    assert (check.values, check.verdict, check.why) == ([0.9], "undecided", "no_interval")
    text = acumen.gate(bare, metric="process", at_least=0.5).to_markdown()
    assert "it has no interval." in text


SILENT: dict[str, Any] = {"parsed": {"evidences": [], "justification": {"direct_evidence": []}}}


def judged(method: str, **rows: dict[str, Any]) -> dict[str, Any]:
    return {"method": method, "results": [{"business_id": c, **r} for c, r in rows.items()]}


def claim(verdict: Any, judgement: str, review: str = "R1", snippet: str | None = None) -> Any:
    evidence = {
        "evidence_id": "E1",
        "review_id": review,
        "field": "INCIDENT_SEVERITY",
        "judgement": judgement,
        "snippet": snippet,
    }
    parsed = {"evidences": [evidence], "justification": {"direct_evidence": ["E1"]}}
    return {"verdict": verdict, "risk_score": 1.0, "parsed": parsed}


LOW, HIGH, CRITICAL = LEVELS
TRUTH = {
    "A": {"verdict": LOW, "incidents": []},
    "B": {"verdict": LOW, "incidents": []},
    "C": {"verdict": HIGH, "incidents": [{"review_id": "R1", "severity": "moderate"}]},
    "D": {"verdict": LOW, "incidents": []},
    "E": {"verdict": LOW, "incidents": []},
}
QUIET = {"verdict": LOW, "risk_score": 0.0, **SILENT}
ONE = judged(
    "one",
    A=claim(HIGH, "moderate"),
    B=claim(HIGH, "moderate", "R1"),
    C=QUIET,
    D=claim(CRITICAL, "moderate"),
    E=claim(HIGH, "moderate", snippet="never written"),
)
TWO = judged(
    "two",
    A=claim(HIGH, "Moderate"),
    B=claim(HIGH, "moderate", "R2"),
    C=QUIET,
    D=claim(CRITICAL, "moderate"),
    E=claim(HIGH, "moderate", snippet="never written"),
)
REVIEWS = {case: {"R1": "text", "R2": "text"} for case in TRUTH}


def test_truths_are_doubted_where_methods_and_their_evidence_agree() -> None:
    """A: the same claim. B: claims of different reviews. C: both silent. D: 5 points are not
    Critical, so the evidence does not carry it. E: what they quote is nowhere written."""
    against: dict[str, Any] = {"truth": TRUTH, "reviews": REVIEWS, "resamples": 0}
    doubts = acumen.score(ONE, TWO, **against).document.doubtful
    assert [(d.case, d.truth, d.verdict, d.methods, d.judged_by) for d in doubts] == [
        ("A", LOW, HIGH, ["one", "two"], 2),
        ("C", HIGH, LOW, ["one", "two"], 2),
    ]
    (shared,) = doubts[0].shared
    assert (shared.review_id, shared.judgement) == ("R1", "moderate")
    assert doubts[1].shared == []
    assert acumen.score(ONE, **against).document.doubtful == []


DECIDED: dict[str, Any] = {
    "A": {
        "verdict": HIGH,
        "was": LOW,
        "by": "ann",
        "when": "2026-03-01",
        "why": "R1 tells of swollen lips",
        "incidents": [{"review_id": "R1", "severity": "moderate"}],
    },
    "C": {"verdict": HIGH, "by": "ben", "when": "2026-03-02", "why": "R1 is plain"},
}


def test_a_decision_takes_the_place_of_the_truth_and_is_counted() -> None:
    against: dict[str, Any] = {"truth": TRUTH, "reviews": REVIEWS, "resamples": 0}
    before = acumen.score(ONE, TWO, **against).document
    after = acumen.score(ONE, TWO, overrides=DECIDED, **against).document
    assert [s.correct for s in before.systems] == [0, 0]
    assert [s.correct for s in after.systems] == [1, 1]  # A is High now
    assert after.systems[0].measured("incident_precision").value == pytest.approx(1 / 4)
    assert [(o.case, o.before, o.after, o.by, o.is_change) for o in after.overrides] == [
        ("A", LOW, HIGH, "ann", True),
        ("C", HIGH, HIGH, "ben", False),
    ]
    assert after.doubtful == []  # somebody looked
    rows = [{**v, "case": k} for k, v in DECIDED.items()]
    assert acumen.score(ONE, overrides=rows, **against).document.overrides == after.overrides


def test_decisions_hold_where_the_results_carry_the_truth() -> None:
    rows = judged(
        "one", A={"verdict": HIGH, "gt_verdict": LOW}, B={"verdict": LOW, "gt_verdict": LOW}
    )
    decided = {"A": {"verdict": HIGH, "by": "ann", "when": "2026-03-01", "why": "x"}}
    assert acumen.score(rows, overrides=decided, resamples=0).document.systems[0].correct == 2


def test_nobody_decides_without_a_name_a_date_and_a_reason() -> None:
    wrong: dict[str, Any] = {
        "A": {"verdict": HIGH, "was": CRITICAL, "by": "ann", "when": "later", "why": " "},
        "B": {"verdict": "Awful", "by": 3, "who": "ann"},
        "Z": {"by": "ann", "when": "2026-03-01", "why": "x"},
    }
    with pytest.raises(DataError) as error:
        acumen.score(ONE, truth=TRUTH, overrides=wrong, resamples=0)
    told = str(error.value)
    for line in (
        "case A, why: must say something, not",
        "case A, when: must be a date such as 2026-03-01, not the text 'later'",
        "case A, was: Critical Risk was seen, but the truth is Low Risk now",
        "case Z: there is no truth of this case to override",
        "case B, by: must say something, not 3",
        "case B, when: is missing",
        "case B, why: is missing",
        "case B, who: is unknown; there are by, when, why",
        "case B, verdict: the text 'Awful' is not one of",
        "case Z, verdict: is missing",
    ):
        assert line in told, line
    stale = {"A": {**DECIDED["A"], "was": CRITICAL}, "Z": DECIDED["C"]}
    with pytest.raises(DataError) as error:
        acumen.score(ONE, truth=TRUTH, overrides=stale, resamples=0)
    assert "case A, was: Critical Risk was seen, but the truth is Low Risk now" in str(error.value)
    assert "case Z: there is no truth of this case to override" in str(error.value)


def test_the_screen_names_doubts_and_who_decided(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"one": ONE, "two": TWO, "t": TRUTH, "r": REVIEWS, "decided": {"A": DECIDED["A"]}}
    for name, content in files.items():
        write_json(study / f"{name}.json", content)
    places = {name: str(study / f"{name}.json") for name in files}
    base = ["score", places["one"], places["two"], "--truth", places["t"], "--reviews", places["r"]]
    assert run([*base, "--resamples", "0", "--full"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "In 2 cases methods agree against the truth" in text
    assert "A Low Risk High Risk 2 of 2 R1 moderate" in text
    assert "C High Risk Low Risk 2 of 2 none claims anything" in text
    assert run([*base, "--resamples", "0", "--overrides", places["decided"], "--full"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    told = "Decided again by ann: 1 truth changed; all numbers are against that."
    assert f"What can be concluded {told}" in text
    assert "A Low Risk High Risk ann 2026-03-01 R1 tells of swollen lips" in text


def test_a_lone_truth_of_another_policy_or_size_is_used_and_told() -> None:
    entries = {case: {"ground_truth": known} for case, known in TRUTH.items()}
    one = {**ONE, "policy_id": "G1_allergy_V2", "k": 50}
    for facts, text in {
        ("G1_allergy_V3", 50): "the truth is of policy_id G1_allergy_V3, and the results of",
        (
            "G1_allergy_V2",
            25,
        ): "the truth is of k 25, and the results of policy G1_allergy_V2, K 50",
    }.items():
        other = {"policy_id": facts[0], "k": facts[1], "restaurants": entries}
        scored = acumen.score(one, truth=other, resamples=0).document.systems[0]
        assert any(text in warning for warning in scored.warnings)
    same = {"policy_id": "G1_allergy_V2", "k": 50, "restaurants": entries}
    scored = acumen.score(one, truth=same, resamples=0).document.systems[0]
    assert not any("the truth is of" in warning for warning in scored.warnings)
