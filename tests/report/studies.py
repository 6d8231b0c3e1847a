"""The studies that pages are made of in these tests."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from acumen.evaluation.plan import Plan
from acumen.inference.options import Options
from acumen.questions.evaluation import Evaluation
from acumen.readers.run import run_from_document
from acumen.results.verdicts import PairDocument
from acumen.table.judgments import Judgments
from tests.evaluations import evaluate
from tests.toy_runs import toy_run

QUICK = Plan(confidence="all", options=Options(resamples=400))


def table(n_cases: int = 41, seed: int = 1) -> Judgments:
    return run_from_document(toy_run(n_cases, seed))


@cache
def single_evaluation() -> Evaluation:
    return evaluate(table(), None, QUICK)


@cache
def paired_evaluation() -> Evaluation:
    left = toy_run(41, 1)
    right = copy.deepcopy(left)
    right["run_metadata"]["run_id"] = "noisier"
    rng = np.random.default_rng(5)
    for case in right["experiments"][0]["results"]["results"]:
        for item, level in case["predicted_items"].items():
            if level is not None and rng.random() < 0.3:
                case["predicted_items"][item] = int(rng.integers(0, 4))
    plan = Plan(confidence="llm,token_msp,verbalized", options=Options(resamples=400))
    return evaluate(run_from_document(left), run_from_document(right), plan)


@cache
def verdict_results() -> PairDocument:
    """Two methods and their comparison, as ``acumen score`` makes them."""
    from acumen.policy import find_policy
    from acumen.studies import POLICY, verdict_study
    from acumen.verdicts.compare import compare_runs, comparison_document
    from acumen.verdicts.read import parse_results
    from acumen.verdicts.score import document, score_study
    from acumen.verdicts.study import prepare
    from acumen.verdicts.truth import parse_reviews, parse_truth

    study, policy, options = verdict_study(), find_policy(POLICY), Options(resamples=200)
    truth, reviews = parse_truth(study.truth, policy), parse_reviews(study.reviews)
    runs = [parse_results(d, policy, source=name) for name, d in study.results.items()]
    documents = [
        document(score_study(prepare(run, truth, policy, reviews), options)) for run in runs
    ]
    compared = compare_runs(runs[0], runs[1], truth, policy, reviews, options)
    names = tuple(study.results)
    comparison = comparison_document(compared, (names[0], names[1]))
    return PairDocument(systems=documents, comparison=comparison)


def rewritten(part: Any, change: Callable[[str], str], keep: frozenset[str]) -> Any:
    """Every text of a document changed, keys that are data among them; not those in ``keep``."""
    if isinstance(part, str):
        return part if part in keep else change(part)
    if isinstance(part, list):
        return [rewritten(p, change, keep) for p in part]
    if isinstance(part, dict):
        return {
            key if key in keep else change(key): rewritten(value, change, keep)
            for key, value in part.items()
        }
    return part
