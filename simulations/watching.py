"""Do promises that are watched hold? ``python -m simulations.watching [--write]``.

Streams are drawn from populations whose truth is known, and looked at after every case. ``--write``
puts the tables into docs/simulations.md.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy.special import logsumexp

from acumen.decisions.bounds import Accepted, binomial
from acumen.inference.betting import BETS, Alarm, p_value
from acumen.report.claims import Claim
from acumen.types import Floats
from simulations.populations import Population, draw
from simulations.thresholds import PAGE, write

SEED: Final = 40_41
STREAMS: Final = 1000
AT_ONCE: Final = 100
CASES: Final = 2000
ERROR: Final = 0.05
TRUTH_CASES: Final = 200_000
CLAIMS: Final = (Claim.ALARM_RISK, Claim.ALARM_COVERAGE, Claim.PROMISE_HOLDS)
"""What the tables count where it is not true."""
CUT: Final = 0.0
"""Accepted is what is surer than the middle one."""
FLAT: Final = Population("strong clusters, 8 items", "", icc=0.6, insight=0.0)


@dataclass(frozen=True)
class Setting:
    """A population, and what counts as lost."""

    population: Population
    graded: bool = True
    tide: bool = False
    """Whether the risk goes up and down, and is never above the promise but reaches it."""


SETTINGS: Final = (
    Setting(FLAT),
    Setting(replace(FLAT, name="strong clusters, 0/1"), graded=False),
    Setting(replace(FLAT, name="no clusters", icc=0.0)),
    Setting(replace(FLAT, name="1 to 15 items a case", icc=0.3, items=(1, 15))),
    Setting(replace(FLAT, name="one item, 0/1", items=(1, 1)), graded=False),
    Setting(Population("surer is righter, 0/1", "", icc=0.3), graded=False),
    Setting(Population("a few cases far harder, 0/1", "", icc=0.3, skewed=True), graded=False),
    Setting(
        replace(FLAT, name="one item, 0/1, risk that comes and goes", items=(1, 1)), False, True
    ),
)


def of_cases(setting: Setting, rng: np.random.Generator, streams: int, cases: int) -> list[Floats]:
    """Rows, accepted rows and their loss in 0..1, each ``(stream, case)``."""
    drawn = draw(setting.population, rng, streams, cases)
    accepted = drawn.present & drawn.answered & (drawn.confidence > CUT)
    top = 3 if setting.graded else 1
    loss = np.where(accepted, np.minimum(drawn.loss, top) / top, 0.0)
    if setting.tide:  # what was lost is forgiven in turn: never more than the promise
        at = np.arange(cases)
        kept = rng.random((streams, cases)) < 0.75 + 0.25 * np.cos(at / 40)
        loss = loss * kept[..., None]
    return [part.sum(axis=-1).astype(np.float64) for part in (drawn.present, accepted, loss)]


def truth(setting: Setting) -> tuple[float, float]:
    """(risk, coverage) of the population; where the risk comes and goes, at its highest."""
    still = replace(setting, tide=False)
    rows, accepted, loss = of_cases(still, np.random.default_rng(SEED), 1, TRUTH_CASES)
    return float(loss.sum() / accepted.sum()), float(accepted.sum() / rows.sum())


def ever_outside(share: Floats, rows: Floats, most: int, value: float) -> np.ndarray:
    """The streams in which the ends ever leave out the share, looked at after every case."""
    outside = np.zeros(len(share), bool)
    for part, at in ((share, value), (rows - share, 1.0 - value)):
        gains = np.log1p(BETS[:, None] / (at * most) * (part - at * rows)[:, None, :])
        capital = logsumexp(gains.cumsum(axis=-1), axis=1, b=1.0 / len(BETS))
        outside |= (capital >= math.log(2.0 / ERROR)).any(axis=-1)
    return outside


def alarm_table(streams: int) -> Iterator[str]:
    """Alarms where the risk is exactly what is promised, and ends that miss the truth once."""
    yield "| population | false alarm | risk left out | coverage left out | alarm of both |"
    yield "|---|---:|---:|---:|---:|"
    for setting in SETTINGS:
        rng, (risk, coverage) = np.random.default_rng(SEED + 1), truth(setting)
        most, counts = setting.population.items[1], np.zeros(4)
        for _ in range(streams // AT_ONCE):
            rows, accepted, loss = of_cases(setting, rng, AT_ONCE, CASES)
            alarm, of_coverage = Alarm(), Alarm()
            went_off, of_both = np.zeros((2, AT_ONCE), bool)
            for case in range(CASES):
                value = loss[:, case] - risk * accepted[:, case]
                few = coverage * rows[:, case] - accepted[:, case]
                capital = alarm.bet(value, -risk * most)
                other = of_coverage.bet(few, -(1.0 - coverage) * most)
                went_off |= capital >= 1.0 / ERROR
                of_both |= np.maximum(capital, other) >= 2.0 / ERROR
            counts[0] += went_off.sum()
            counts[3] += of_both.sum()
            counts[1] += ever_outside(loss, accepted, most, risk).sum()
            counts[2] += ever_outside(accepted, rows, most, coverage).sum()
        shares = [f"{100 * count / streams:.1f}" for count in counts]
        if setting.tide:
            shares[1] = "–"
        yield f"| {setting.population.name} | {' | '.join(shares)} |"
    error = 200 * math.sqrt(ERROR * (1 - ERROR) / streams)
    yield ""
    yield (
        f"{streams:,} streams of {CASES:,} cases a line, in percent, promised 5: two Monte-Carlo "
        f"standard errors are {error:.1f} points."
    )


def delay_table(streams: int) -> Iterator[str]:
    """Cases from the break to the alarm."""
    yield "| risk before | after | break at case | median cases to the alarm | 90% within |"
    yield "|---:|---:|---:|---:|---:|"
    rng, promised = np.random.default_rng(SEED + 2), 0.1
    for after in (0.15, 0.2, 0.3, 0.5):
        for at in (0, 200, 1000):
            risk = np.where(np.arange(at + CASES) < at, 0.07, after)
            errors = (rng.random((streams, at + CASES)) < risk).astype(np.float64)
            alarm, when = Alarm(), np.full(streams, np.inf)
            for case in range(at + CASES):
                if np.isfinite(when).all():
                    break
                level = alarm.bet(errors[:, case] - promised, -promised)
                when = np.where((level >= 1 / ERROR) & np.isinf(when), case + 1.0, when)
            late = when[when > at] - at
            middle, most = np.quantile(late, [0.5, 0.9], method="higher")
            ends = f"{middle:.0f} | {most:.0f}" if np.isfinite(most) else f"{middle:.0f} | –"
            yield f"| 7% | {after:.0%} | {at} | {ends} |"
    yield ""
    yield f"One row a case, 10% promised, {streams:,} streams a line."


def looks_table(streams: int) -> Iterator[str]:
    """Ever certified, although the risk is exactly what is asked for, at 20 looks at more cases."""
    yield "| population | approx, asked once | approx, at 20 looks | repeated, at 20 looks |"
    yield "|---|---:|---:|---:|"
    delta, looks = 0.1, np.arange(20, 401, 20)
    for setting in SETTINGS[:-1]:
        rng, (risk, _) = np.random.default_rng(SEED + 4), truth(setting)
        _, rows, loss = of_cases(setting, rng, streams, int(looks[-1]))
        most, early = setting.population.items[1], np.zeros((2, streams), bool)
        for n in looks:
            part, lost = rows[:, :n], loss[:, :n]
            once = Accepted.of(part, lost).p_value(risk) <= delta
            again = p_value(risk * part - lost, -(1 - risk) * most) <= delta
            early |= np.array([once, again])
        cells = (100 * once.mean(), *(100 * early.mean(axis=1)))
        yield f"| {setting.population.name} | {' | '.join(f'{cell:.1f}' for cell in cells)} |"
    error = 200 * math.sqrt(delta * (1 - delta) / streams)
    yield ""
    yield (
        f"{streams:,} studies a line, in percent, promised 10: two Monte-Carlo standard errors are "
        f"{error:.1f} points. One threshold, 400 cases in the end."
    )


def card_table(streams: int) -> Iterator[str]:
    """What a check of a card says where the risk is exactly what the card promises."""
    yield "| population | cases | false pass | false failure | pass at half the risk |"
    yield "|---|---:|---:|---:|---:|"
    for setting in SETTINGS[:-1]:
        rng, (risk, _) = np.random.default_rng(SEED + 5), truth(setting)
        for cases in (41, 100, 400):
            _, rows, loss = of_cases(setting, rng, streams, cases)
            known = Accepted.of(rows, loss)
            passes = known.p_value(risk) <= ERROR
            fails = Accepted.of(rows, rows - loss).p_value(1.0 - risk) <= ERROR / 2
            holds = known.p_value(min(2.0 * risk, 0.99)) <= ERROR
            cells = (f"{100 * part.mean():.1f}" for part in (passes, fails, holds))
            yield f"| {setting.population.name} | {cases} | {' | '.join(cells)} |"
    error = 200 * math.sqrt(ERROR * (1 - ERROR) / streams)
    yield ""
    yield (
        f"{streams:,} studies a line, in percent; promised 5 and, of the risk alone, 2.5: two "
        f"Monte-Carlo standard errors are {error:.1f} points."
    )


def price_table(streams: int) -> Iterator[str]:
    """How many cases a test needs that may be asked again after every case."""
    yield "| promised | true risk | cases | asked once | asked after every case |"
    yield "|---:|---:|---:|---:|---:|"
    rng, delta = np.random.default_rng(SEED + 3), 0.1
    for risk in (0.0, 0.02, 0.05):
        for cases in (50, 100, 200, 400):
            errors = (rng.random((streams, cases)) < risk).astype(np.float64)
            once = binomial(errors.sum(axis=1), cases, 0.1) <= delta
            again = p_value(0.1 - errors, -0.9) <= delta
            yield (
                f"| 10% | {risk:.0%} | {cases} | {100 * once.mean():.0f}% "
                f"| {100 * again.mean():.0f}% |"
            )
    yield ""
    yield f"Certified at δ = 10%; one row a case, {streams:,} studies a line."


TABLES: Final[dict[str, Callable[[int], Iterator[str]]]] = {
    "alarms": alarm_table,
    "delays": delay_table,
    "looks": looks_table,
    "card": card_table,
    "price": price_table,
}


def main() -> None:
    """Print the tables, or put them where the page has their marks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=STREAMS)
    parser.add_argument("--only", choices=list(TABLES))
    parser.add_argument("--write", action="store_true")
    arguments: Any = parser.parse_args()
    for name in [arguments.only] if arguments.only else TABLES:
        lines = []
        for line in TABLES[name](arguments.streams):
            print(line, flush=True)
            lines.append(line)
        if arguments.write:
            write(PAGE, name, "\n".join(lines))


if __name__ == "__main__":
    main()
