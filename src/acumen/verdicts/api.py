"""The Python door of verdict studies: files or documents in, scores out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from acumen.defaults import CONFIDENCE_LEVEL, INTERVAL, RESAMPLES, SEED
from acumen.errors import UsageError
from acumen.inference.options import Method, Options
from acumen.policy import Policy
from acumen.report.findings import Findings
from acumen.results.verdicts import PairDocument
from acumen.stages import stage
from acumen.verdicts.compare import compare_runs, comparison_document
from acumen.verdicts.inputs import DEMO, Document, demo_inputs, read_inputs
from acumen.verdicts.score import document, score_study
from acumen.verdicts.study import prepare


class Scores(Findings[PairDocument]):
    """The results of one method or two, and how the two compare."""

    @property
    def document(self) -> dict[str, Any]:
        """All of it as one document, as ``--output`` writes it."""
        return self.results.on_disk()


def score(
    results: Document,
    other: Document | None = None,
    *,
    truth: Document | None = None,
    reviews: Document | None = None,
    policy: str | Path | Policy | None = None,
    method: str | None = None,
    run_id: str | None = None,
    domain: str | None = None,
    model: str | None = None,
    k: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    interval: Method = INTERVAL,
    confidence_level: float = CONFIDENCE_LEVEL,
) -> Scores:
    """Score verdicts: ranking (AUPRC), reasoning (process), and consistency with a policy.

    Parameters
    ----------
    results, other
        A method's results, as a file or as what is in one; given two, or one file of two methods,
        both and the paired differences. ``"demo"`` is the bundled study of 100 restaurants.
    truth
        Case id to verdict, incidents, primitives; without it, the verdicts that the results carry,
        and all is scored that needs no incidents.
    reviews
        The reviews that snippets are looked up in.
    policy
        By name or ``.toml`` file; by default the one that the results name.
    method
        Whose results to take from a file of several methods.
    run_id, domain, model, k
        Fill what the results lack.
    resamples, seed, interval, confidence_level
        How intervals are made: :class:`Options`.

    Examples
    --------
    >>> import acumen
    >>> scores = acumen.score("demo", method="rag", resamples=0)
    >>> round(scores.document["unified_scores"]["process_score"], 1)
    96.2
    """
    options = Options(resamples, seed, confidence_level, interval)
    if results == DEMO:
        if any(part is not None for part in (other, truth, reviews)):
            raise UsageError("the demo brings its own results, truth and reviews")
        inputs = demo_inputs(policy, method)
    else:
        both = [results] if other is None else [results, other]
        inputs = read_inputs(both, truth, reviews, policy, method)
    stated = {"run_id": run_id, "domain": domain, "model": model, "k": k}
    made_from = inputs.made_from(policy, method, stated, options)
    against = inputs.truth, inputs.policy, inputs.reviews
    rounds = 1 if len(inputs.runs) == 1 else 2 * len(inputs.runs)
    with stage("scoring", steps=rounds * options.resamples) as advance:
        options = replace(options, advance=advance)
        studies = [prepare(run, *against, source=inputs.truth_name) for run in inputs.runs]
        systems = [document(score_study(study, options), stated, made_from) for study in studies]
        if len(inputs.runs) != 2:
            return Scores(PairDocument(systems=systems))
        left, right = inputs.runs
        comparison = compare_runs(left, right, *against, options)
        differences = comparison_document(comparison, inputs.names())
    return Scores(PairDocument(systems=systems, comparison=differences))
