"""Is it right for the right reasons? Verdicts, their ranking, and the reasons behind them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

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
_NAMES = list[str] | None
AUPRC: Final = "ordinal_auprc"
Stated = Annotated[str | None, say("Used where the results file does not say it.")]


@question(
    "acumen score results.json --truth truth.json --reviews reviews.json",
    "acumen score rag.json direct.json --truth truth.json",
    "acumen score --demo",
)
def score(
    *results: Annotated[
        Document,
        given(
            "One results file, or several to compare.",
            kind=Path,
            also=("--demo", "demo", "Score the bundled study of 100 restaurants."),
            more="""A method's results, as a file or as what is in one; given two, or one file of
            two methods, both and the paired differences; of more, a leaderboard with every pair
            tested. ``"demo"`` is the bundled study.""",
        ),
    ],
    truth: Annotated[
        Document | Sequence[Document] | None,
        say(
            "Case id to verdict, incidents, primitives (JSON); repeatable.",
            kind=list[str] | None,
            is_file=True,
            more="""Without it, the verdicts that the results carry, and all is scored that needs
            no incidents. Of several, each run takes the one for its policy and K.""",
        ),
    ] = None,
    reviews: Annotated[
        Document | None,
        say("The reviews that snippets are looked up in (JSON).", kind=_FILE, is_file=True),
    ] = None,
    overrides: Annotated[
        Document | None,
        say(
            "Truths that a person decided again: who, when, why (JSON).",
            kind=_FILE,
            is_file=True,
        ),
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
            more="""Or the name or file of a scale. Verdicts are ranked then, and compared with the
            truth; what follows from evidence needs a policy.""",
        ),
    ] = None,
    method: Annotated[
        str | None, say("Whose results to take from a file of several methods.")
    ] = None,
    run_id: Stated = None,
    domain: Stated = None,
    model: Stated = None,
    k: Annotated[int | None, say("Used where the results file does not say it.", "--k")] = None,
    rank_by: Annotated[str, say("Metric of the leaderboard of three methods or more.")] = AUPRC,
    baseline: Annotated[
        str | None, say("Compare all methods with this one; else all pairs.")
    ] = None,
    by: Annotated[
        options.Names | None,
        say("A key of the results or of the truth to slice by; repeatable.", kind=_NAMES),
    ] = None,
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
    from acumen.verdicts.compare import common_ground, compare_ground, comparison_document
    from acumen.verdicts.doubts import doubtful
    from acumen.verdicts.groups import slices
    from acumen.verdicts.inputs import APART, DEMO, demo_inputs, read_inputs
    from acumen.verdicts.leaderboard import rank_methods
    from acumen.verdicts.score import document, score_study
    from acumen.verdicts.study import prepare

    drawn = Options(resamples, seed, confidence_level, interval)
    if DEMO in results:
        if len(results) > 1 or truth is not None or reviews is not None or overrides is not None:
            raise UsageError("the demo brings its own results, truth and reviews")
        inputs = demo_inputs(policy, method)
    elif not results:
        raise UsageError("give results files, or --demo")
    else:
        files = truth, reviews, policy, method, levels, overrides
        inputs = read_inputs(list(results), *files)
    stated: dict[str, Any] = {"run_id": run_id, "domain": domain, "model": model, "k": k}
    runs, names = inputs.runs, inputs.names()
    columns = [by] if isinstance(by, str) else list(by or ())
    parts: dict[str, Any] = {"names": names if len(runs) > 2 else []}
    with stage("scoring", steps=(2 * len(runs) - (len(runs) == 1)) * drawn.resamples) as advance:
        drawn = replace(drawn, advance=advance)
        studies = [
            prepare(run, known, own, inputs.reviews, source=name)
            for run, known, own, name in zip(
                runs, inputs.truths, inputs.policies, inputs.truth_names, strict=True
            )
        ]
        scored = [score_study(study, drawn) for study in studies]
        systems = [document(scores, stated, inputs.made_from) for scores in scored]
        if len(runs) > 1 and inputs.is_one_study:
            own = inputs.truths[0], inputs.policies[0], inputs.reviews
            ground = common_ground(runs, *own)
            if len(runs) == 2:
                pair = compare_ground(ground, drawn)
                parts["comparison"] = comparison_document(pair, (names[0], names[1]))
            else:
                board, pairs = rank_methods(ground, names, drawn, rank_by, baseline)
                parts |= {"leaderboard": board, "pairs": pairs, "remarks": list(ground.warnings)}
            decided = {override.case for override in inputs.overrides}
            parts["doubtful"] = doubtful(studies, names, decided)
        elif len(runs) > 1:
            parts["remarks"] = [APART]
        parts["slices"] = slices(studies, names, columns, drawn)
    return PairDocument(systems=systems, overrides=list(inputs.overrides), **parts)
