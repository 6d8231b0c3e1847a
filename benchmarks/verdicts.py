"""How long a large verdict study takes: its documents checked, scored, resampled."""

from __future__ import annotations

import time

from acumen.inference.options import Options
from acumen.policy import find_policy
from acumen.results.verdicts import ResultsDocument
from acumen.verdicts.read import parse_results
from acumen.verdicts.score import document, score_study
from acumen.verdicts.study import prepare
from acumen.verdicts.truth import parse_reviews, parse_truth
from benchmarks.studies import VerdictDocuments, verdict_study

CASES, EVIDENCE, RESAMPLES = 10_000, 20, 10_000


def scored(study: VerdictDocuments, resamples: int) -> ResultsDocument:
    """The results document, from documents as a file would hold them."""
    policy = find_policy("G1_allergy_V2")
    run, truth = parse_results(study.results, policy), parse_truth(study.truth, policy)
    prepared = prepare(run, truth, policy, parse_reviews(study.reviews))
    return document(score_study(prepared, Options(resamples=resamples)))


def seconds() -> float:
    """Once through, after a small study has loaded the compiled loops."""
    scored(verdict_study(50, EVIDENCE), 20)
    study = verdict_study(CASES, EVIDENCE)
    begun = time.perf_counter()
    found = scored(study, RESAMPLES)
    taken = time.perf_counter() - begun
    assert found.metrics["process"].interval is not None
    return taken


if __name__ == "__main__":
    print(
        f"{CASES:,} cases with {EVIDENCE} pieces of evidence, {RESAMPLES:,} resamples: "
        f"{seconds():.1f} s"
    )
