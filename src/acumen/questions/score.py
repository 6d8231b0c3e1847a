"""Is it right for the right reasons? Verdicts, their ranking, and the reasons behind them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from acumen.declare import given, say
from acumen.defaults import CONFIDENCE_LEVEL, INTERVAL, RESAMPLES, SEED
from acumen.errors import UsageError
from acumen.questions import options
from acumen.questions.question import question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acumen.policy import Policy
    from acumen.results.verdicts import PairDocument
    from acumen.verdicts.inputs import Document

_FILE = Path | None
Stated = Annotated[str | None, say("Fills what the file lacks.")]


@question(
    "acumen score results.json --truth truth.json --reviews reviews.json",
    "acumen score rag.json direct.json --truth truth.json",
    "acumen score --demo",
)
def score(
    *results: Annotated[
        Document,
        given(
            "One results file, or two to compare.",
            kind=Path,
            also=("--demo", "demo", "Score the bundled study of 100 restaurants."),
            more="""A method's results, as a file or as what is in one; given two, or one file of
            two methods, both and the paired differences. ``"demo"`` is the bundled study.""",
        ),
    ],
    truth: Annotated[
        Document | None,
        say(
            "Case id to verdict, incidents, primitives (JSON).",
            kind=_FILE,
            is_file=True,
            more="""Without it, the verdicts that the results carry, and all is scored that needs
            no incidents.""",
        ),
    ] = None,
    reviews: Annotated[
        Document | None,
        say("The reviews that snippets are looked up in (JSON).", kind=_FILE, is_file=True),
    ] = None,
    policy: Annotated[
        str | Path | Policy | None,
        say(
            "A policy by name or .toml file.",
            kind=str | None,
            is_file=True,
            more="By default the one that the results name.",
        ),
    ] = None,
    levels: Annotated[
        str | Sequence[Any] | None,
        say(
            "The levels of the verdicts, lowest first, where no policy says them.",
            kind=str | None,
            metavar="LEVELS",
            more="""Or the name or file of a scale. Verdicts are ranked then, and held against the
            truth; what follows from evidence needs a policy.""",
        ),
    ] = None,
    method: Annotated[
        str | None, say("Whose results to take from a file of several methods.")
    ] = None,
    run_id: Stated = None,
    domain: Stated = None,
    model: Stated = None,
    k: Annotated[int | None, say("Fills what the file lacks.", "--k")] = None,
    resamples: options.Resamples = RESAMPLES,
    seed: options.Seed = SEED,
    interval: options.Interval = INTERVAL,
    confidence_level: options.ConfidenceLevel = CONFIDENCE_LEVEL,
) -> PairDocument:
    """Score verdicts: ranking (AUPRC), reasoning (process), and consistency with a policy.

    Examples
    --------
    >>> import acumen
    >>> scores = acumen.score("demo", method="rag", resamples=0)
    >>> round(scores.to_dict()["unified_scores"]["process_score"], 1)
    96.2
    """
    from dataclasses import replace

    from acumen.inference.options import Options
    from acumen.results.verdicts import PairDocument
    from acumen.stages import stage
    from acumen.verdicts.compare import compare_runs, comparison_document
    from acumen.verdicts.inputs import DEMO, demo_inputs, read_inputs
    from acumen.verdicts.score import document, score_study
    from acumen.verdicts.study import prepare

    drawn = Options(resamples, seed, confidence_level, interval)
    if DEMO in results:
        if len(results) > 1 or truth is not None or reviews is not None:
            raise UsageError("the demo brings its own results, truth and reviews")
        inputs = demo_inputs(policy, method)
    elif not 1 <= len(results) <= 2:
        raise UsageError("give one results file, two to compare, or --demo")
    else:
        inputs = read_inputs(list(results), truth, reviews, policy, method, levels)
    stated: dict[str, Any] = {"run_id": run_id, "domain": domain, "model": model, "k": k}
    against = inputs.truth, inputs.policy, inputs.reviews
    rounds = 1 if len(inputs.runs) == 1 else 2 * len(inputs.runs)
    with stage("scoring", steps=rounds * drawn.resamples) as advance:
        drawn = replace(drawn, advance=advance)
        studies = [prepare(run, *against, source=inputs.truth_name) for run in inputs.runs]
        scored = [score_study(study, drawn) for study in studies]
        systems = [document(scores, stated, inputs.made_from) for scores in scored]
        if len(inputs.runs) != 2:
            return PairDocument(systems=systems)
        left, right = inputs.runs
        comparison = compare_runs(left, right, *against, drawn)
    return PairDocument(systems=systems, comparison=comparison_document(comparison, inputs.names()))
