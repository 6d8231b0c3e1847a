"""What a metrics artifact says in plain words: what can be concluded and what cannot.

What :func:`conclusion` says is the finding of a section; :func:`limits` are a section of their own.
"""

from __future__ import annotations

from acumen.defaults import RELIABLE_CASES
from acumen.report.claims import Claim
from acumen.report.selective.compared import listed, verdict
from acumen.report.selective.leaderboard import verdict as among_several
from acumen.report.selective.outcomes import is_small, judged, nothing_ranked
from acumen.results.metrics import Best, MetricsArtifact, Variant, name


def conclusion(artifact: MetricsArtifact) -> str:
    """One or two sentences: which is better, or that these cases cannot show it."""
    if artifact.is_list:
        return among_several(artifact)
    if not artifact.confidence_variants:
        return nothing_ranked(artifact)
    if artifact.comparison.enabled:
        return verdict(artifact, artifact.input_names)
    if artifact.best is None:
        return "Read AUGRC beside cmax: an area to cmax rewards silence."
    return _function(artifact, artifact.best)


def _function(artifact: MetricsArtifact, best: Best) -> str:
    text = f"Lowest AUGRC: {name(best.name)}"
    if best.equal:
        text += f" ({_alike(best)})"
    if best.indistinguishable:
        people = judged(artifact.population)
        rivals = listed([name(f) for f in best.indistinguishable], 4)
        return f"{text}, but {people} cannot tell it from {rivals}."
    areas = [by_function[0].metrics.get("augrc") for by_function in artifact.sides.values()]
    if any(a is not None and a.interval and not a.interval.is_reliable for a in areas):
        return f"{text}, but its interval is unreliable, so that it is lower is not claimed."
    if not any(best.is_above(f) for f in artifact.confidence_variants):
        return f"{text}."
    return f"{text}, {Claim.LOWEST.say()} ({best.confidence_level:.0%}, all at once)."


def _alike(best: Best) -> str:
    verb = "ranks" if len(best.equal) == 1 else "rank"
    return f"{listed([name(f) for f in best.equal], 4)} {verb} alike"


def knows(artifact: MetricsArtifact, variant: Variant) -> str:
    """Whether the best function tells right from wrong answers, on one input."""
    if variant.cmax == 0.0:
        return "No answer was given"
    auroc = variant.metrics.get("failure_auroc")
    if auroc is None:
        return "Whether it tells right from wrong answers is not in the file"
    if auroc.value is None:
        return "There are not both right and wrong answers to tell apart"
    # of one chosen among several on these cases, the limit that allows for the choice
    limit = auroc.interval if artifact.best is None else artifact.best.discrimination
    i, claim = auroc.interval, "Whether it tells right from wrong answers at all is open"
    if i is not None and limit is not None and i.is_reliable and min(limit.low, i.low) > 0.5:
        claim = Claim.TELLS_RIGHT.say()
    ends = "no interval"
    if i is not None:
        ends = f"{100 * i.confidence_level:g}% interval {100 * i.low:.1f} to {100 * i.high:.1f}"
    pairs = f"{100 * auroc.value:.1f}% ({ends}) of the pairs"
    return f"{claim}: it is surer of a right than of a wrong answer in {pairs}"


def limits(artifact: MetricsArtifact) -> list[str]:
    """What cannot be concluded."""
    people = artifact.population
    noun, n = people.case_noun, people.participants_included
    these = "this one" if n == 1 else "these" if n is None else f"these {n:,}"
    limits = [
        f"The intervals speak of {noun}s like {these}, "
        f"{meaning(artifact)}; they do not cover other populations, other prompts or a model that "
        "changes."
    ]
    if is_small(people):
        limits.append(f"With fewer than {RELIABLE_CASES} {noun}s the intervals are unreliable.")
    if people.items_abstained:
        limits.append(
            "Areas up to the coverage that was reached reward silence: two systems are compared by "
            "their risk at equal coverage, or by the charged areas, where every abstention costs; "
            "their AURC and AUGRC say nothing of which is better."
        )
    if artifact.best is not None:
        limits.append(
            "The function with the lowest AUGRC was chosen on these very cases, so its value is "
            "a little too good; confirm it on others."
        )
    return limits


def meaning(artifact: MetricsArtifact) -> str:
    """Which items the intervals speak of, and what counts alike."""
    like = "items like these" if artifact.options.get("items") == "random" else "these very items"
    each = artifact.population.case_noun if artifact.options.get("estimand") == "case" else "row"
    return f"judged on {like}, and every {each} counts alike"
