"""A metrics artifact in plain words: what was compared, on whom, what can and cannot be said."""

from __future__ import annotations

from acumen.artifacts import DeltaModel, MetricsArtifact, MetricValue, Variant
from acumen.charts.inputs import best_function, input_names, sides
from acumen.charts.theme import name
from acumen.limits import RELIABLE_CASES

"""Below this many cases intervals are marked unreliable wherever they are shown."""

Answers = tuple[tuple[str, tuple[str, ...]], ...]


def summary(artifact: MetricsArtifact) -> Answers:
    """Questions a reader comes with, each with its answers."""
    return (
        ("What was measured", (_compared(artifact), _on_whom(artifact))),
        ("What can be concluded", tuple(_conclusions(artifact))),
        ("What cannot be concluded", tuple(_limits(artifact))),
    )


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "case"), plural(41, "case")
    ('1 case', '41 cases')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(names: list[str], most: int = 6) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def with_interval(found: MetricValue | None, form: str = ".4f", factor: float = 1.0) -> str:
    """A value and its interval in a sentence."""
    if found is None or found.value is None:
        return "undefined"
    unit = "%" if factor == 100.0 else ""
    value = f"{factor * found.value:{form}}{unit}"
    i = found.interval
    if i is None or i.low is None or i.high is None:
        return f"{value} (no interval)"
    return (
        f"{value} ({100 * i.level:g}% interval {factor * i.low:{form}} to {factor * i.high:{form}})"
    )


def _compared(artifact: MetricsArtifact) -> str:
    functions = list(artifact.confidence_variants)
    told = plural(len(functions), "confidence function")
    if len(functions) <= 3:
        told = f"the confidence {'function' if len(functions) == 1 else 'functions'} " + listed(
            [name(f) for f in functions]
        )
    names = input_names(artifact)
    if artifact.comparison.enabled:
        in_both = artifact.comparison.in_both or artifact.population.participants_included
        noun = artifact.population.case_noun
        return (
            f"Two runs, {names[0]} and {names[1]}, on the {plural(in_both, noun)} that both "
            f"answered for, with {told}. Every difference is {names[1]} minus {names[0]}, paired "
            f"by {noun}."
        )
    mode = artifact.inputs[0].mode if artifact.inputs else None
    where = f" ({name(mode)})" if mode is not None else ""
    return f"One run, {names[0]}{where}, ranked by {told}."


def _on_whom(artifact: MetricsArtifact) -> str:
    people = artifact.population
    told = (
        f"{plural(people.participants_included, people.case_noun)} with "
        f"{plural(people.items_total, 'judgment')}: "
    )
    counts = people.answered_by_input
    if artifact.comparison.enabled and len(counts) == 2:
        names = input_names(artifact)
        told += f"{names[0]} answered {counts[0]:,} of them, {names[1]} {counts[1]:,}"
    else:
        told += f"{people.items_answered:,} answered and {people.items_abstained:,} abstained"
    failed = people.participants_failed
    if failed:
        return f"{told}. {plural(failed, people.case_noun)} failed and count in no metric."
    return f"{told}. None failed."


def _conclusions(artifact: MetricsArtifact) -> list[str]:
    best = best_function(artifact)
    if best is None:
        return ["Nothing: there is no confidence function with a value."]
    if artifact.comparison.enabled:
        return _paired(artifact, best)
    variant = sides(artifact)[best][0]
    return [*_answers(variant), _ranking(artifact, best, variant), *_rivals(artifact, best)]


def _answers(variant: Variant) -> list[str]:
    metrics = variant.metrics
    right, near = metrics.get("accuracy"), metrics.get("off_by_one_accuracy")
    if right is None or right.value is None:
        return ["No answer was given, so nothing can be said of its answers."]
    near_told = f", and {with_interval(near, '.1f', 100.0)} are at most one level off"
    return [
        f"Of what it answers, {with_interval(right, '.1f', 100.0)} is exactly right"
        f"{near_told if near is not None and near.value is not None else ''}."
    ]


def _ranking(artifact: MetricsArtifact, best: str, variant: Variant) -> str:
    told = f"Ranked by {name(best)}, AUGRC is {with_interval(variant.metrics.get('augrc'))}"
    if variant.augrc_optimal is not None:
        told += f"; a confidence that knew every error would reach {variant.augrc_optimal:.4f}"
    auroc = variant.metrics.get("failure_auroc")
    if auroc is None or auroc.value is None:
        return f"{told}."
    low = None if auroc.interval is None else auroc.interval.low
    knows = "It does tell right from wrong answers"
    if low is None or low <= 0.5:
        knows = "Whether it tells right from wrong answers at all is open"
    pairs = with_interval(auroc, ".1f", 100.0)
    return (
        f"{told}. {knows}: it is surer of a right than of a wrong answer in {pairs} of the pairs."
    )


def _rivals(artifact: MetricsArtifact, best: str) -> list[str]:
    found = artifact.best
    if found is None:
        return []
    rivals = [name(f) for f in found.indistinguishable if f != best]
    worse = [
        name(f)
        for f in artifact.confidence_variants
        if f != best and f not in found.indistinguishable
    ]
    told = f"{name(best)} has the lowest AUGRC of the {len(artifact.confidence_variants)} functions"
    if rivals:
        told += f", but {listed(rivals)} cannot be told from it"
    if worse:
        told += f"; {listed(worse)} {'is' if len(worse) == 1 else 'are'} higher"
    return [f"{told} (all comparisons together at the {100 * found.level:g}% level)."]


def _paired(artifact: MetricsArtifact, best: str) -> list[str]:
    left, right = input_names(artifact)
    deltas = {f: d["augrc_full"] for f, d in (artifact.comparison.deltas or {}).items()}
    told = [_difference(name(best), deltas[best], left, right)] if best in deltas else []
    found = artifact.comparison.favoured("augrc_full", artifact.level)
    favours = {side: [f for f in deltas if found[f] == side] for side in ("left", "right")}
    for side, called in (("left", left), ("right", right)):
        if favours[side]:
            told.append(
                f"{called} has the lower AUGRC with {len(favours[side])} of the "
                f"{plural(len(deltas), 'function')}: {listed([name(f) for f in favours[side]])}."
            )
    open_ones = len(deltas) - len(favours["left"]) - len(favours["right"])
    if open_ones:
        told.append(
            f"With {open_ones} of {len(deltas)} these {artifact.population.participants_included} "
            f"{artifact.population.case_noun}s show no difference (all functions together)."
        )
    return told


def _difference(function: str, delta: DeltaModel, left: str, right: str) -> str:
    if delta.delta is None or delta.left is None or delta.right is None:
        return f"Ranked by {function}, the difference in AUGRC is undefined."
    told = (
        f"Ranked by {function}, AUGRC is {delta.left:.4f} for {left}, {delta.right:.4f} for {right}"
    )
    i = delta.interval
    if i is None or i.low is None or i.high is None:
        return f"{told}; the difference {delta.delta:+.4f} has no interval."
    p = "" if delta.p_holm is None else f"; p = {delta.p_holm:.3g}, by Holm over all functions"
    interval = f"{100 * i.level:g}% interval {i.low:+.4f} to {i.high:+.4f}"
    return f"{told}: {delta.delta:+.4f} ({interval}{p}).".replace(" -", " −")


def _limits(artifact: MetricsArtifact) -> list[str]:
    people = artifact.population
    noun = people.case_noun
    told = [
        f"The intervals speak of {noun}s like these {people.participants_included}; they do not "
        "cover other populations, other prompts or a model that changes."
    ]
    if people.participants_included < RELIABLE_CASES:
        told.append(f"With fewer than {RELIABLE_CASES} {noun}s the intervals are unreliable.")
    if people.items_abstained:
        told.append(
            "Areas up to the coverage that was reached reward silence: compare AURC and AUGRC of "
            "two systems only together with their coverage, or by the charged areas, where every "
            "abstention costs."
        )
    if artifact.best is not None:
        told.append(
            "The function with the lowest AUGRC was chosen on these very cases, so its value is "
            "a little too good; confirm it on others."
        )
    return told
