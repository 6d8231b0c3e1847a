"""What intervals say of themselves, in words: the one place where flags become sentences."""

from __future__ import annotations

from collections.abc import Iterable

from acumen.defaults import FEWEST_ITEMS, RELIABLE_CASES
from acumen.errors import counted
from acumen.values.measured import (
    Absence,
    Delta,
    Flag,
    Fragility,
    Interval,
    Measured,
    NoInterval,
    RestsOn,
)


def note_of(interval: Interval) -> str | None:
    """What to know before using an interval; None where there is nothing.

    >>> note_of(Interval(low=0, high=1, method="gamma", flags=(Flag.FEW_ERRORS,), erring_cases=2))
    '2 erring cases'
    """
    return "; ".join(_flag(flag, interval) for flag in Flag if flag in interval.flags) or None


def _flag(flag: Flag, interval: Interval) -> str:
    match flag:
        case Flag.FEW_CASES:
            return f"fewer than {RELIABLE_CASES} cases: unreliable"
        case Flag.FEW_ITEMS:
            return f"fewer than {FEWEST_ITEMS} items: unreliable"
        case Flag.DOMINATED:
            return "a few cases hold most of the weight: unreliable"
        case Flag.ONE_CASE:
            return f"one case carries {interval.largest_case_share or 0.0:.0%} of the variance"
        case Flag.ONE_ROW:
            return "may depend on the single surest row; aurc_exact_achievable does not"
        case Flag.HULL:
            return "thresholds chosen on the same rows: a little too good where rows are few"
        case Flag.RARE_LEVEL:
            return f"{rests_on(interval.rests_on)}: unreliable"
        case Flag.FEW_ERRORS:
            return counted(interval.erring_cases or 0, "erring case")
        case Flag.NO_ERRORS:
            return "assumes that an erring case loses at most one level a row, on average"
        case Flag.NOISE_RAISES:
            return "noise raises the estimate, most where rows are few; both ends allow for it"
        case Flag.FALLBACK:
            return "BCa does not exist here; this is the percentile interval"
        case Flag.TEST_DECIDES:
            alone = "has 0 in it" if interval.has_zero else "excludes 0"
            return f"alone it {alone}; the test of all differences together decides"


def rests_on(group: RestsOn | None) -> str:
    """The cases an interval rests on.

    >>> rests_on(RestsOn(cases=3, where="at_least", level="High"))
    "rests on 3 cases of 'High' or above"
    """
    if group is None:
        return "rests on few cases of a level"
    where = {
        "at": f"of '{group.level}'",
        "at_least": f"of '{group.level}' or above",
        "below": f"below '{group.level}'",
        "between": f"between '{group.level}' and '{group.upper}'",
        "right": "with a right answer",
        "wrong": "with a wrong answer",
        "certain": "that are certain and wrong",
        "answerable": "with a row that can be judged",
        "unanswerable": "with a row that cannot be judged",
        "open": "with a row left open",
    }[group.where]
    return f"rests on {counted(group.cases, 'case')} {where}"


def why_no_interval(none: NoInterval) -> str:
    """Why there is no interval.

    >>> why_no_interval(NoInterval(why=Absence.UNDEFINED_WITHOUT_CASES, count=2, of=20))
    'undefined when leaving out any of 2 cases (of 20)'
    """
    reason = _absence(none)
    if none.side is not None:
        which = "first" if none.side == "left" else "second"
        reason = f"no interval for the {which}: {reason}"
    if none.rests_on is None:
        return reason
    return f"it {rests_on(none.rests_on)}: {reason}"


def _absence(none: NoInterval) -> str:
    match none.why:
        case Absence.NO_VALUE:
            return "the value itself is undefined"
        case Absence.TOO_FEW_CASES:
            return f"an interval needs at least {none.count} cases"
        case Absence.TOO_FEW_ITEMS:
            return f"an interval for new items needs at least {none.count} of them, not {none.of}"
        case Absence.NO_RESAMPLES:
            return "no resamples were asked for"
        case Absence.TOO_FEW_RESAMPLES:
            return f"it needs at least {none.count} resamples, not {none.of}"
        case Absence.UNDEFINED_IN_RESAMPLES:
            return f"undefined in {none.share or 0.0:.0%} of the resamples, too many"
        case Absence.UNDEFINED_WITHOUT_CASES:
            return f"undefined when leaving out any of {none.count} cases (of {none.of})"
        case Absence.UNDEFINED_WITHOUT_GROUPS:
            return f"undefined when leaving out any of {none.count} groups of cases (of {none.of})"
        case Absence.NO_VARIATION:
            return "leaving out any one case changes nothing"
        case Absence.SIDES_DIFFER:
            return "leaving out some case makes one side undefined and not the other"
        case Absence.NEEDS_ROWS:
            return "needs all rows in memory"


def hidden(unseen: float | None) -> str:
    """What no test of a mean can see: about 3/n."""
    if unseen is None:
        return ""
    return f"; kinds of failure rarer than {unseen:.1%} may be missing here"


def undone(claims: Iterable[Fragility | None]) -> str:
    """How little would undo the first of some claims; a sentence, or nothing."""
    known = [c for c in claims if c is not None and c.undone_by is not None]
    if not known:
        return ""
    least = min(known, key=lambda c: c.undone_by or 0)
    more = counted(least.undone_by or 0, "more case")
    return f" {more} of the worst kind would undo it{hidden(least.unseen)}."


def why_missing(measured: Measured | Delta) -> str | None:
    """Why a value, or else its interval, is not there."""
    if measured.reason is not None or measured.no_interval is None:
        return measured.reason
    return why_no_interval(measured.no_interval)
