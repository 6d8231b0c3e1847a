"""What ``acumen watch`` keeps between two looks: a promise, and all that the stream said of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from acumen.results.calibration import CaseHashes
from acumen.results.decisions import Above0, Decision, Natural, Part, ScalePart, Share

Watched = Literal["risk", "coverage"]


class Tally(Part):
    """How many cases have so many rows, so many of them accepted, and so much lost on those."""

    rows: Natural
    accepted: Natural
    loss: Annotated[float, Field(ge=0)] = Field(description="as a share of the largest loss")
    cases: Natural


class Bounded(Part):
    """A share with ends that hold at every look."""

    value: float | None
    low: float
    high: float


class Wager(Part):
    """A bet against one part of the promise."""

    of: Watched
    stakes: list[Annotated[float, Field(ge=0)]]
    capital: Annotated[float, Field(ge=0)] = Field(description="of a stake of 1")
    cases: Natural
    alarm: int | None = Field(default=None, description="the case at which it reached 1 / delta")


class Promise(Part):
    """What the stream is compared with."""

    threshold: float | None = Field(description="answers above it are accepted; null: every one")
    alpha: Above0 = Field(description="the largest risk allowed, in units of the loss")
    least_coverage: Share | None = None
    delta: Share = Field(description="chance of a false alarm over the whole stream")
    most_items: Annotated[int, Field(ge=1)]
    most_loss: Above0
    confidence: str
    loss: str
    costs: list[list[float]] | None = None
    scale: ScalePart


class WatchDocument(Decision):
    """What ``acumen watch`` writes at each look, and goes on from."""

    noun = "watch"
    kind: Literal["watch"] = "watch"
    promise: Promise
    risk: Bounded
    coverage: Bounded
    cases: Natural
    looks: Natural
    shared: Natural = Field(default=0, description="cases that the promise was made from")
    unlabelled: Natural = Field(default=0, description="rows without a truth, ignored")
    wagers: list[Wager]
    tallies: list[Tally]
    last_time: float | str | None = None
    case_hashes: CaseHashes = CaseHashes()

    @property
    def alarms(self) -> list[Wager]:
        """What was alarmed of."""
        return [wager for wager in self.wagers if wager.alarm is not None]

    @property
    def exit_code(self) -> int:
        """1 after an alarm."""
        return int(bool(self.alarms))

    @property
    def verdict(self) -> Literal["pass", "fail"]:
        """Whether there was no alarm."""
        return "fail" if self.alarms else "pass"
