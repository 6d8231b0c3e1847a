"""The bundled PHQ-8 study: its shape, and what it shows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from acumen.evaluation.plan import Plan
from acumen.inference.options import Options
from acumen.questions.evaluation import Evaluation
from acumen.readers.run import run_from_document
from acumen.studies import phq8_run
from acumen.table.judgments import Judgments
from acumen.table.scale import Scale
from tests.evaluations import evaluate

SAMPLES = 5
ITEMS = Scale.named("phq8").items
SIGNALS = {
    *("llm_evidence_count", "retrieval_reference_count", "retrieval_similarity_mean"),
    *("retrieval_similarity_max", "verbalized_confidence", "token_msp", "token_pe"),
    *("token_energy", "consistency_modal_confidence", "consistency_score_std"),
    *("consistency_na_rate", "consistency_samples"),
}


@pytest.fixture(scope="module")
def tables() -> tuple[Judgments, Judgments]:
    document = phq8_run()
    zero, few = (run_from_document(document, mode=m) for m in ("zero_shot", "few_shot"))
    return zero, few


@pytest.fixture(scope="module")
def compared(tables: tuple[Judgments, Judgments]) -> Evaluation:
    return evaluate(*tables, Plan(confidence="all", options=Options(resamples=0)))


def entries(mode: int) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = phq8_run()["experiments"][mode]["results"]["results"]
    return results


def test_every_call_gives_a_document_of_its_own() -> None:
    phq8_run()["experiments"].clear()
    assert len(phq8_run()["experiments"]) == 2


def test_every_participant_is_in_both_modes_with_the_same_truth() -> None:
    zero, few = ({e["participant_id"]: e for e in entries(mode)} for mode in (0, 1))
    assert list(zero) == list(few)
    assert len(zero) == 41
    for case, entry in zero.items():
        assert tuple(entry["ground_truth_items"]) == ITEMS
        assert entry["ground_truth_items"] == few[case]["ground_truth_items"]


def test_one_participant_failed_in_each_mode_and_not_the_same_one() -> None:
    failed = [[e["participant_id"] for e in entries(m) if not e["success"]] for m in (0, 1)]
    assert failed == [[1012], [1030]]


def test_every_item_has_every_signal_and_its_answer_is_the_modal_sample() -> None:
    for entry in entries(0) + entries(1):
        for item, signals in entry.get("item_signals", {}).items():
            assert set(signals) == SIGNALS
            samples = signals["consistency_samples"]
            counts = Counter(samples)
            assert len(samples) == SAMPLES
            assert counts[entry["predicted_items"][item]] == max(counts.values())
            assert signals["consistency_modal_confidence"] == max(counts.values()) / SAMPLES
            assert signals["consistency_na_rate"] == counts[None] / SAMPLES


def test_a_zero_shot_run_retrieves_nothing() -> None:
    zero, few = (
        [s for e in entries(mode) if e["success"] for s in e["item_signals"].values()]
        for mode in (0, 1)
    )
    keys = ("retrieval_reference_count", "retrieval_similarity_mean", "retrieval_similarity_max")
    assert {tuple(s[k] for k in keys) for s in zero} == {(0, None, None)}
    for signals in few:
        count, mean, most = (signals[k] for k in keys)
        assert (mean is None) == (most is None) == (count == 0)
        assert mean is None or 0 < mean <= most < 1


def test_totals_are_those_of_a_community_sample() -> None:
    totals = [sum(e["ground_truth_items"].values()) for e in entries(0)]
    assert 5 < sum(totals) / len(totals) < 8
    assert 6 <= sum(total >= 10 for total in totals) <= 14
    assert min(totals) == 0
    assert max(totals) >= 15


def test_it_answers_more_with_examples_than_without(tables: tuple[Judgments, Judgments]) -> None:
    zero, few = (t.included.answered.mean() for t in tables)
    assert zero == pytest.approx(0.57, abs=0.03)
    assert few == pytest.approx(0.72, abs=0.03)


def test_tokens_and_samples_rank_well_and_the_models_own_rating_does_not(
    compared: Evaluation,
) -> None:
    for side in ("zero_shot", "few_shot"):
        variants = {n: v for n, s, v in compared.variants() if s == side}
        augrc = {name: v.augrc_full or 0.0 for name, v in variants.items()}
        verbalized = variants["verbalized"]
        cmax, mae = verbalized.cmax, verbalized.metrics["mean_loss"].value
        assert cmax is not None
        assert mae is not None
        chance = cmax**2 * mae / 2  # the mean over all rankings
        assert augrc["verbalized"] > 0.9 * chance
        assert augrc["token_msp"] < 0.9 * chance
        assert augrc["consistency"] < 0.9 * chance
        assert augrc["token_msp"] < augrc["llm"] < augrc["verbalized"]


def test_examples_help_by_augrc_under_every_confidence(compared: Evaluation) -> None:
    deltas = compared.document.comparison.deltas
    assert deltas is not None
    assert len(deltas) == 13
    for metrics in deltas.values():
        delta = metrics["augrc_full"].delta
        assert delta is not None
        assert -0.02 < delta < -0.01


def test_ties_are_in_it(compared: Evaluation) -> None:
    points = {n: len(v.curve.coverage) for n, s, v in compared.variants() if s == "few_shot"}
    assert points["consistency"] == 4
    assert points["verbalized"] == 4
    assert 100 < points["token_msp"] < compared.document.population.items_total
