"""Every sentence that claims something of the population: its words, and how often it may be false.

A number with its interval claims nothing by itself. What is listed here does: that one is better
than another, that something lies above a mark. ``error`` is the share of studies in which a claim
may be made although it is not true, all claims of its kind on a page taken together;
``python -m simulations.claims`` counts it.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


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

    def say(self, **words: str) -> str:
        """The claim in words.

        >>> Claim.BETTER.say(side="few_shot")
        'few_shot is better'
        """
        return self.value.words.format_map(words)
