"""What a metrics artifact says in plain words: what can be concluded and what cannot.

What :func:`conclusion` says is the finding of a section; :func:`limits` are a section of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

from acumen.defaults import RELIABLE_CASES
from acumen.metrics.registry import Unit
from acumen.report.cells import said, says_nothing
from acumen.report.claims import Claim
from acumen.report.selective.compared import listed, verdict
from acumen.report.selective.leaderboard import verdict as among_several
from acumen.report.selective.outcomes import is_small, judged, nothing_ranked
from acumen.results.metrics import Best, MetricsArtifact, Variant, name
from acumen.values.measured import Measured


def conclusion(artifact: MetricsArtifact) -> str:
    """One or two sentences: which is better, or that these cases cannot show it."""
    if artifact.is_list:
        return among_several(artifact)
    if not artifact.confidence_variants:
        return nothing_ranked(artifact)
    if artifact.comparison.enabled:
        return verdict(artifact, artifact.input_names)
    if artifact.best is None:
        return "AUGRC ends at the coverage reached: a system that answers less has a smaller area."
    return _function(artifact, artifact.best)


def _function(artifact: MetricsArtifact, best: Best) -> str:
    text = f"Lowest AUGRC: {name(best.name)}"
    if best.equal:
        text += f" ({_alike(best)})"
    if best.indistinguishable:
        people = judged(artifact.population)
        rivals = listed([name(f) for f in best.indistinguishable], 4)
        return f"{text}, but {people} do not show that it differs from {rivals}."
    areas = [by_function[0].metrics.get("augrc") for by_function in artifact.sides.values()]
    if any(a is not None and a.interval and not a.interval.is_reliable for a in areas):
        return f"{text}, but its interval is unreliable, so no difference is claimed."
    if not any(best.is_above(f) for f in artifact.confidence_variants):
        return f"{text}."
    return f"{text}, {Claim.LOWEST.say()} ({best.confidence_level:.0%}, all at once)."


def _alike(best: Best) -> str:
    verb = "ranks" if len(best.equal) == 1 else "rank"
    return f"{listed([name(f) for f in best.equal], 4)} {verb} alike"


def knows(artifact: MetricsArtifact, variant: Variant, called: str = "") -> str:
    """Whether the best function separates right from wrong answers, on one input."""
    if variant.cmax == 0.0:
        return "No answer was given"
    auroc = variant.metrics.get("failure_auroc")
    if auroc is None:
        return "Whether it separates right from wrong answers is not in the file"
    if auroc.value is None:
        return "There are not both right and wrong answers to compare"
    # of one chosen among several on these cases, the limit that allows for the choice
    limit = auroc.interval if artifact.best is None else artifact.best.discrimination
    ends = [i for i in (auroc.interval, limit) if i is not None]
    decisive = min(ends, key=lambda i: i.low) if len(ends) > 1 else None
    claim = f"Whether its confidence{called} separates right from wrong answers is not shown"
    if decisive is not None and all(i.is_reliable for i in ends) and decisive.low > 0.5:
        claim = Claim.TELLS_RIGHT.say(called=called)
    interval = decisive or auroc.interval
    if says_nothing("failure_auroc", interval):
        interval = None
    share = said(auroc.model_copy(update={"interval": interval}), Unit.SHARE)
    return f"{claim}: a right answer has a higher confidence than a wrong one in {share} of pairs"


def honesty(metrics: Mapping[str, Measured]) -> str | None:
    """Whether a confidence is too high or too low as a probability, as far as its interval says."""
    over = metrics.get("overconfidence")
    if over is None or over.value is None or over.interval is None:
        return None
    by = f"{said(over, Unit.SHARE, signed=True)} points"
    if over.interval.has_zero or not over.interval.is_reliable:
        return f"Whether it is over- or underconfident is not shown ({by})."
    claim = Claim.TOO_SURE if over.value > 0 else Claim.NOT_SURE
    return f"{claim.say()}: its mean confidence minus its share of right answers is {by}."


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
            "Areas up to the coverage that was reached reward abstaining: two systems are compared "
            "by their risk at equal coverage, or by the charged areas, where every abstention "
            "costs; their AURC and AUGRC do not say which is better."
        )
    if artifact.best is not None:
        limits.append(
            "The function with the lowest AUGRC was chosen on these cases, so its value is "
            "a little too good; confirm it on others."
        )
    return limits


def meaning(artifact: MetricsArtifact) -> str:
    """Which items the intervals speak of, and what counts alike."""
    like = "items like these" if artifact.options.get("items") == "random" else "these very items"
    each = artifact.population.case_noun if artifact.options.get("estimand") == "case" else "row"
    return f"judged on {like}, and every {each} counts alike"
