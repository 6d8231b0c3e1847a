"""What a verdict study's numbers say about *this* result, in one or two plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import Final, Literal, NamedTuple

from acumen.defaults import CELLS, FEWEST_AT_LEVEL, PROCESS_WEIGHTS, TARGET
from acumen.errors import counted, printable
from acumen.metrics.registry import Unit
from acumen.report.cells import between, plain, title_of
from acumen.report.claims import Claim
from acumen.report.verdicts.tables import right_of_checked, short_names
from acumen.report.words import undone, why_no_interval
from acumen.results.verdicts import CaseRow, ComparisonDocument, ResultsDocument
from acumen.values.measured import Delta, Measured, Side

LEAST_WEIGHT: Final = 0.5
"""Below this weight of components there is too little to judge the reasons by."""

_OF_REASONS: Final = ("process", "consistency")
_UNTOLD: Final = "is not decided by these cases"
_FAULTS: Final[Mapping[str, str]] = {
    "incident_precision": "{wrong} of the incidents it claims did not happen",
    "severity_accuracy": "{wrong} of its severities are wrong",
    "modifier_accuracy": "{wrong} of its modifiers are wrong",
    "verdict_support_rate": "{wrong} of its verdicts do not follow from their evidence",
    "snippet_validity": "{wrong} of its quotations are not in the review they cite",
}
_CHECKS: Final[Mapping[str, str]] = {
    "incident_precision": "no incident invented",
    "severity_accuracy": "no severity wrong",
    "modifier_accuracy": "no modifier wrong",
    "snippet_validity": "no quotation invented",
    "verdict_support_rate": "the verdict follows from its direct evidence",
    "consistency": "and from all its evidence",
}
"""What reasons must pass to be sound."""
MOST_CASES: Final = 8
"""So many cases are named in a line."""
_VIRTUES: Final[Mapping[str, str]] = {
    "incident_precision": "claims incidents that happened",
    "severity_accuracy": "judges their severity right",
    "modifier_accuracy": "judges their circumstances right",
    "verdict_support_rate": "draws verdicts that follow from its evidence",
    "snippet_validity": "quotes what the reviews say",
}


LIMITS: Final = (
    "The intervals are about cases like these; scores of a level with few cases are uncertain.",
    "Process and consistency check the evidence that a method cites, not what it leaves out; "
    "evidence recall does.",
)
"""What cannot be concluded."""
SILENCE: Final = (
    "An abstention is wrong in accuracy and outside ranking, other agreement, verdict support "
    "and consistency. What it claimed still counts in the rest of the process score."
)


class Stance(Enum):
    """What can be said of a method's reasons."""

    HOLD = auto()
    FAIL = auto()
    OPEN = auto()
    """The intervals do not tell."""
    UNCHECKED = auto()
    """Too little could be checked."""


class Reasons(NamedTuple):
    """A stance and the words for it, as they stand in the middle of a sentence."""

    stance: Stance
    text: str


def judged(documents: Sequence[ResultsDocument]) -> Iterator[str]:
    """Who judged what by which policy, and with what outcomes."""
    for d in documents:
        facts = {"run": d.run_id or d.policy_id, "method": d.method, "policy": d.policy_id}
        known = {"K": d.k, "model": d.model, "domain": d.domain, "time": d.timestamp}
        facts = {what: "unnamed" if fact is None else fact for what, fact in facts.items()}
        facts |= {what: fact for what, fact in known.items() if fact is not None}
        counts = [] if d.n is None else [f"N {plain(d.n)}"]
        if d.answered is not None:
            counts.append(counted(d.answered, "verdict"))
            counts += [f"{d.abstained} abstained"] if d.abstained else []
            counts += [f"{d.failed} failed (left out)"] if d.failed else []
        yield ", ".join([*(f"{what} {plain(fact)}" for what, fact in facts.items()), *counts])
    yield SILENCE


def checked_words(documents: Sequence[ResultsDocument]) -> str:
    """What reasons had to pass to be sound."""
    parts = [d.soundness.checked for d in documents if d.soundness is not None]
    names = dict.fromkeys(name for checked in parts for name in checked)
    listed = ", ".join(_CHECKS[name] for name in _CHECKS if name in names)
    return f"Reasons are sound where nothing is found wrong in them ({listed})."


def luck(document: ResultsDocument, whose: str = "") -> Iterator[str]:
    """How many right verdicts rest on unsound reasons, and which; then the wrong ones on sound."""
    part = document.soundness
    if part is None:
        return
    right = part.cells.get("right_sound", 0) + part.cells.get("right_unsound", 0)
    of = counted(right, "right verdict")
    yield f"{whose}{len(part.lucky)} of {of} by luck, for unsound reasons{_cases(part.lucky)}."
    if part.unlucky:
        wrong = counted(len(part.unlucky), "wrong verdict")
        yield f"{whose}{wrong} for sound reasons{_cases(part.unlucky)}."


def _cases(cases: Sequence[str]) -> str:
    """Cases by name, as many as a line holds."""
    first = ", ".join(plain(case) for case in cases[:MOST_CASES])
    more = len(cases) - MOST_CASES
    return f": {first}{f' and {more} more' if more > 0 else ''}" if cases else ""


def lacks(document: ResultsDocument) -> Iterator[str]:
    """What results without scores lack, and what would bring it."""
    if document.is_scored or not document.results:
        return
    rows = [row for row in document.results if row.error in (None, "", False)]
    yield "there are no scores in the file: acumen score FILE makes them"
    for what, needs, is_there in (
        ("carry no truth", "give it with --truth FILE", lambda r: r.gt_verdict is not None),
        (
            "have no risk_score",
            "all are ranked by their level then",
            lambda r: r.risk_score is not None,
        ),
        ("name no evidence", "their reasons cannot be checked", _has_evidence),
    ):
        missing = sum(not is_there(row) for row in rows)
        if missing:
            yield f"{missing} of {counted(len(rows), 'result')} {what}: {needs}"


def _has_evidence(row: CaseRow) -> bool:
    own = row.model_extra or {}
    if "_extractions" in own or isinstance(own.get("response"), str):
        return True
    parsed = own.get("parsed") or own.get("output")
    return isinstance(parsed, dict) and not parsed.keys().isdisjoint({"evidences", "_extractions"})


def paragraphs(document: ResultsDocument) -> list[str]:
    """One or two sentences on the ranking, one or two on the reasons."""
    ranking, reasons = _ranking(document), _reasons(document)
    if ranking is None and reasons is None:
        return ["There is nothing to read: no score has a value."] if document.is_scored else []
    if reasons is None:
        return [f"{ranking}."]
    if ranking is None:
        return [f"{_subject(document)} cannot be judged on its ranking; {reasons.text}."]
    side = side_of_target(document.measured("ordinal_auprc"))
    if side is None or reasons.stance is Stance.OPEN:
        return [f"{ranking}. {reasons.text[0].upper()}{reasons.text[1:]}."]
    alike = (side == "above") == (reasons.stance is Stance.HOLD)
    return [f"{ranking}. {'And' if alike else 'But'} {reasons.text}."]


def side_of_target(measured: Measured) -> Literal["above", "below"] | None:
    """Where the interval of a score lies; None where it lies on neither side.

    >>> from acumen.values.measured import Interval
    >>> def score(low, high):
    ...     return Measured(value=0.7, interval=Interval(low=low, high=high, method="x"))
    >>> side_of_target(score(0.8, 0.9)), side_of_target(score(0.4, 0.75))
    ('above', 'below')
    >>> side_of_target(score(0.75, 0.9)) is side_of_target(Measured(value=0.9)) is None
    True
    """
    interval = measured.interval
    if interval is None or not interval.is_reliable:
        return None
    if 100 * interval.low > TARGET:
        return "above"
    return "below" if 100 * interval.high <= TARGET else None


def _subject(document: ResultsDocument) -> str:
    """The method at the beginning of a sentence; its own name keeps its letters as they are."""
    return "This method" if document.method is None else document.name


def _reach(measured: Measured) -> str:
    interval = measured.interval
    if interval is None:
        return "no interval"
    kind = "interval" if interval.is_reliable else "unreliable interval"
    return f"{kind} {between(interval, Unit.SHARE)}"


def _ranking(document: ResultsDocument) -> str | None:
    auprc = document.measured("ordinal_auprc")
    if auprc.value is None:
        return None
    value, target = f"AUPRC {100 * auprc.value:.1f}%", f"target above {TARGET:g}%"
    rows = [row for row in document.auprc.thresholds if row.ap is not None]
    match side_of_target(auprc):
        case None:
            numbers = f"{value}, {_reach(auprc)}, {target}"
            text = f"Whether {document.name} ranks well by severity {_UNTOLD} ({numbers})"
        case "above":
            text = f"{Claim.RANKS_WELL.say(subject=_subject(document))} ({value})"
        case "below":
            text = f"{Claim.RANKS_POORLY.say(subject=_subject(document))} ({value}, {target})"
            worst = min(rows, key=lambda row: row.ap or 0.0, default=None)
            if worst is not None:
                level = printable(str(worst.at_least))
                text += f", worst at finding '{level}' ({100 * (worst.ap or 0.0):.1f}%)"
    few = [row for row in rows if row.n_positive < FEWEST_AT_LEVEL]
    if few:
        cases = counted(few[0].n_positive, "case")
        text += f"; '{printable(str(few[0].at_least))}' rests on {cases}"
    return text


def _reasons(document: ResultsDocument) -> Reasons | None:
    """Reasons hold where both scores lie above the target, and do not where one lies below."""
    scores = {
        key: measured
        for key in _OF_REASONS
        if (measured := document.measured(key)).value is not None
    }
    if "process" not in scores:
        return None
    weight = document.total_weight
    if weight is not None and weight < LEAST_WEIGHT:
        share = f"{100 * weight:.0f}% of the process score"
        text = f"its reasons can hardly be judged: what could be checked is worth {share}"
        return Reasons(Stance.UNCHECKED, text)
    sides = {key: side_of_target(score) for key, score in scores.items()}
    numbers = ", ".join(f"{key} {100 * (score.value or 0.0):.1f}%" for key, score in scores.items())
    undecided = [f"{key}: {_reach(scores[key])}" for key, side in sides.items() if side is None]
    faults = _faults(document)
    if "below" in sides.values():
        numbers += "".join(f"; undecided: {text}" for text in undecided)
        listed = "; ".join(faults) or "no component stands out"
        return Reasons(Stance.FAIL, f"{Claim.REASONS_FAIL.say()} ({numbers}): {listed}")
    after = f": {'; '.join(faults)}" if faults else ""
    if undecided:
        why = f"{numbers}; {'; '.join(undecided)}, target above {TARGET:g}%"
        return Reasons(Stance.OPEN, f"whether its reasons hold {_UNTOLD} ({why}){after}")
    mostly = "mostly " if faults else ""
    return Reasons(Stance.HOLD, f"{Claim.REASONS_HOLD.say(mostly=mostly)} ({numbers}){after}")


def _faults(document: ResultsDocument) -> list[str]:
    """What is at or below the target, in words."""
    shares = {key: document.measured(key).value for key in _FAULTS}
    faults = [
        _FAULTS[key].format(wrong=f"{100 * (1 - share):.0f}%")
        for key, share in shares.items()
        if share is not None and 100 * share <= TARGET
    ]
    consistency = document.measured("consistency").value
    if consistency is not None and 100 * consistency <= TARGET:
        faults.append(_contradicted(document, consistency))
    return faults


def _contradicted(document: ResultsDocument, consistency: float) -> str:
    match document.right_of("consistency"):
        case (right, of):
            return f"{of - right} of the {of} verdicts that cite evidence contradict it"
    return f"{100 * (1 - consistency):.0f}% of the verdicts that cite evidence contradict it"


def comparison_paragraphs(pair: ComparisonDocument, levels: Sequence[object] = ()) -> list[str]:
    """Which method reasons better and why, and whether one ranks better."""
    deltas = pair.deltas
    sentences = []
    process = deltas.get("process")
    if process is not None and process.delta is not None:
        sentences.append(_better(pair, "process", "reasons", "process"))
        if process.favours is not None:
            sentences += _chief_reasons(pair, process.favours)
    for key, title in {
        "ordinal_auprc": "AUPRC",
        "auprc_ge@1": title_of("auprc_ge@1", levels),
    }.items():
        delta = deltas.get(key)
        if delta is not None and delta.delta is not None and delta.interval is not None:
            sentences.append(_better(pair, key, "ranks", title))
            break
    return [" ".join(sentences)] if sentences else []


def _chief_reasons(pair: ComparisonDocument, side: Side) -> list[str]:
    """The two components that move the score most: by their difference times their weight."""
    own = {k: d for k in _VIRTUES if (d := pair.deltas.get(k)) is not None and d.favours == side}
    chief = sorted(own, key=lambda key: -abs(own[key].delta or 0.0) * PROCESS_WEIGHTS[key])[:2]
    if not chief:
        return []
    why = " and ".join(f"{_VIRTUES[key]} ({_both(own[key], side)})" for key in chief)
    return [f"{Claim.MORE_OFTEN.say(winner=_winner(pair, side), why=why)}."]


def _winner(pair: ComparisonDocument, side: Side) -> str:
    return pair.names[0 if side == "left" else 1]


def _both(delta: Delta, side: Side) -> str:
    left, right = 100 * (delta.left or 0.0), 100 * (delta.right or 0.0)
    first, second = (left, right) if side == "left" else (right, left)
    return f"{first:.0f}% against {second:.0f}%"


def comparison_notes(pair: ComparisonDocument, levels: Sequence[object]) -> Iterator[str]:
    """How to read the table of differences."""
    left, right = pair.names
    if short_names(pair) != pair.names:
        yield f"left is {left}, right is {right}."
    yield f"Difference: {right} minus {left}, paired by case; of percents, in percentage points."
    yield from compared_cases(pair)
    checked = [
        f"{title_of(key, levels)} {counts}"
        for key, delta in pair.deltas.items()
        if key not in CELLS and (counts := right_of_checked(delta)) is not None
    ]
    if checked:
        yield f"Right of checked, {left} and {right}: {', '.join(checked)}."


def compared_cases(pair: ComparisonDocument) -> list[str]:
    """What a comparison is over, as far as it is told."""
    if pair.n_cases is None or pair.n_ranked is None:
        return []
    return [
        f"Accuracy is over all {counted(pair.n_cases, 'case')}, an abstention being wrong. "
        "Ranking, other agreement, verdict support and consistency are over the "
        f"{pair.n_ranked} where both have a verdict."
    ]


def _better(pair: ComparisonDocument, key: str, verb: str, title: str) -> str:
    delta = pair.deltas[key]
    points = delta.times(100.0)
    left, right = pair.names
    values = f"{title} {points.left:.1f}% for {left}, {points.right:.1f}% for {right}"
    interval = points.interval
    if interval is None:
        none = delta.no_interval
        why = "there is no interval" if none is None else why_no_interval(none)
        return f"Whether one {verb} better is not decided: {values}, and {why}."
    reach = f"difference {points.delta:+.1f} {between(interval, Unit.PERCENT, signed=True)} points"
    if delta.favours is None and not interval.has_zero and interval.is_reliable:
        reach += ", but not when all rows are tested together"
    if delta.favours is None:
        return f"Whether one {verb} better is not decided: {values} ({reach})."
    claim = Claim.BETTER_METHOD.say(winner=_winner(pair, delta.favours), verb=verb)
    return f"{claim}: {values} ({reach}).{undone([pair.fragility.get(key)])}"
