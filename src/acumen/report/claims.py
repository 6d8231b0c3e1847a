"""Every sentence that claims something of the population: its words, and how often it may be false.

A number with its interval in a table claims nothing by itself. What is listed here does: that one
is better than another, that something lies above a mark, that a sentence gives a number of all.
``error`` is the share of studies in which a claim may be made although it is not true, all claims
of its kind on a page taken together; where a user gives the chance, it is that of the default.
``python -m simulations.claims`` counts it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from acumen.defaults import ALPHA, DELTA, FALSE_DISCOVERY, POWER


class Promise(NamedTuple):
    """The words of a claim, and the largest share of studies in which it may be false."""

    words: str
    error: float


class Claim(Enum):
    """What a terminal or a page may claim."""

    BETTER = Promise("{side} is better", 0.05)
    """Of two runs at equal coverage, by any function; of several, any pair, and by any metric."""
    ANSWERS_MORE = Promise("{side} answers more", 0.05)
    ERRS_LESS = Promise("{side} errs less on the rows that both answered", 0.05)
    COSTS_LESS = Promise("{side} has the lower charged area", 0.05)
    """These three and every row of the table beside them: one family, of 5% beside a verdict that
    is claimed and of 1% beside one that is open; so any claim of a page is false in at most 6%."""
    LOWEST = Promise("below every other function", 0.05)
    """Of the function with the lowest AUGRC."""
    TELLS_RIGHT = Promise("Its confidence{called} separates right from wrong answers", 0.05)
    """Of the function with the lowest AUGRC, whichever that is."""
    TOO_SURE = Promise("It is overconfident", 0.025)
    NOT_SURE = Promise("It is underconfident", 0.025)
    """Of the same function, as a probability: a whole interval lies on one side of 0."""
    RIGHT_LESS = Promise("{subject} is right less often for {groups} than for the rest", 0.05)
    RIGHT_MORE = Promise("{subject} is right more often for {groups} than for the rest", 0.05)
    """Of all rows, by any group that was asked for: with the one before, one family."""
    RANKS_WELL = Promise("{subject} ranks well by severity", 0.05)
    RANKS_POORLY = Promise("{subject} ranks poorly by severity", 0.05)
    """A whole interval lies on one side of the mark; its two ends do not err alike."""
    REASONS_HOLD = Promise("its reasons {mostly}hold", 0.025)
    REASONS_FAIL = Promise("its reasons do not hold", 0.05)
    """One of two scores lies below the mark: each may by chance."""
    BETTER_METHOD = Promise("{winner} {verb} better", 0.05)
    MORE_OFTEN = Promise("Chiefly, {winner} more often {why}", 0.05)
    """These two and every row of the column of better methods: one family."""
    PROMISE_HOLDS = Promise("the risk of what is accepted is at most {bound}", 0.05)
    """Of a card, on other data."""
    ALARM_RISK = Promise("the risk of what is accepted is above {bound}", 0.05)
    ALARM_COVERAGE = Promise("less than {bound} of all rows is accepted", 0.05)
    """Of a stream that is watched, at any of its looks; of a card, on other data. Both together."""
    WHATEVER_MISSING = Promise("it is lower for {side} stands whatever they are", 0.05)
    """Of the risk at equal coverage, over all that missing rows might have been."""
    OWN_COSTS_MORE = Promise("They cost more: take the best level (--point loss)", 0.025)
    OWN_COSTS_LESS = Promise(
        "They cost less: its own answers are better than its probabilities", 0.025
    )
    RANK_BY_EXPECTED = Promise("Rank by expected_loss", 0.025)
    OWN_RANKS_BETTER = Promise("Its own ranks better", 0.025)
    """Of a system's own answers and confidence beside its probabilities, each of two sides."""
    CERTIFIED = Promise("{answers} may be used: {promise}", DELTA)
    KEEPS = Promise("the cut is {cut} of {confidence}: {promise}", DELTA)
    CASES_CERTIFIED = Promise("{cases} may be used, {share}: their {promise}", DELTA)
    """Of totals of cases; the promise of each that is asked for."""
    CASCADE_CERTIFIED = Promise("Accept {ways}: the {promise}", DELTA)
    """A false promise of these four is one whose true risk is above its bound."""
    SETS_HOLD = Promise("Sets of {levels} hold the truth but for a chance of {chance}", ALPHA)
    """Of a judgment of a new case, on average over draws of the cases."""
    GATE_PASSES = Promise("The gate passes", 0.05)
    GATE_FAILS = Promise("The gate fails", 0.05)
    """Of one check that lies at its bound; of several a pass errs no more often."""
    COSTS = Promise("a judgment then costs {cost}", 0.05)
    """The true cost of the thresholds that held-out cases were judged by lies outside."""
    SHOWN_WITH = Promise("{cases} {goal} with power {power}", 1.0 - POWER)
    """Studies of so many cases that do not show a difference so large."""
    PASSES_TEST = Promise("{judge} passes the alternative annotator test", FALSE_DISCOVERY)
    DISAGREES = Promise("{person} disagrees with the others", 0.05)
    LENIENT = Promise("{person} is more lenient than the others", 0.05)
    STRICT = Promise("{person} is stricter than the others", 0.05)
    """Of any person: all who are looked at together."""
    PEOPLE_WOULD_GIVE = Promise("People would give all of them {mean} on average", 0.05)
    """The true mean lies outside of the interval beside it."""
    NOT_AT_RANDOM = Promise("The judge rates labelled cases unlike the others", 0.01)

    def say(self, **words: str) -> str:
        """The claim in words.

        >>> Claim.BETTER.say(side="few_shot")
        'few_shot is better'
        """
        return self.value.words.format_map(words)


_BETWEEN: Final = (Claim.BETTER, Claim.ANSWERS_MORE, Claim.ERRS_LESS, Claim.COSTS_LESS)
OF_KIND: Final[Mapping[str, tuple[Claim, ...]]] = {
    "metrics": (
        *_BETWEEN,
        *(Claim.LOWEST, Claim.TELLS_RIGHT, Claim.TOO_SURE, Claim.NOT_SURE),
        *(Claim.RIGHT_LESS, Claim.RIGHT_MORE, Claim.WHATEVER_MISSING),
        *(Claim.OWN_COSTS_MORE, Claim.OWN_COSTS_LESS),
        *(Claim.RANK_BY_EXPECTED, Claim.OWN_RANKS_BETTER),
    ),
    "results": (
        *(Claim.BETTER, Claim.RANKS_WELL, Claim.RANKS_POORLY),
        *(Claim.REASONS_HOLD, Claim.REASONS_FAIL, Claim.BETTER_METHOD, Claim.MORE_OFTEN),
    ),
    "calibration": (),
    "threshold": (Claim.CERTIFIED, Claim.KEEPS),
    "sets": (Claim.SETS_HOLD,),
    "cost": (Claim.COSTS,),
    "gate": (Claim.GATE_PASSES, Claim.GATE_FAILS),
    "cascade": (Claim.CASCADE_CERTIFIED,),
    "card": (Claim.CERTIFIED, Claim.KEEPS),
    "card_check": (Claim.PROMISE_HOLDS, Claim.ALARM_RISK, Claim.ALARM_COVERAGE),
    "watch": (Claim.ALARM_RISK, Claim.ALARM_COVERAGE),
    "plan": (Claim.SHOWN_WITH,),
    "ratings": (Claim.PASSES_TEST, Claim.DISAGREES, Claim.LENIENT, Claim.STRICT),
    "estimates": (Claim.PEOPLE_WOULD_GIVE, Claim.NOT_AT_RANDOM),
    "sample": (),
    "totals": (Claim.CASES_CERTIFIED,),
    "large": (),
    "counts": (),
    "moments": (),
    "run_summary": (),
    "survey": (),
}
"""Kind of document -> what it may claim. Those without an entry give numbers, intervals, counts."""
