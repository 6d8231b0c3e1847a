"""Do cascades keep their promise? ``python -m simulations.cascades [--write]``.

Two judges of the same rows, whose errors go together, of which the second errs more rarely; the
true risk and price of what is delivered are those on very many cases.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from acumen.decisions.cascade import Prices, Rows, search
from simulations.thresholds import PAGE, write

STUDIES: Final = 150
SEED: Final = 4102
ITEMS: Final = 4
DELTA: Final = 0.1
PRICES: Final = Prices((1.0, 20.0), 100.0)


@dataclass(frozen=True)
class Judges:
    """How two judges err, and how much their confidence knows of it."""

    name: str
    skills: tuple[float, float]
    insight: float
    clusters: float
    alpha: float

    def draw(self, rng: np.random.Generator, cases: int) -> Rows:
        """Rows of both judges; a row is hard, and so is its whole case."""
        own = rng.normal(size=(cases, ITEMS))
        shared = rng.normal(size=(cases, 1))
        hard = (math.sqrt(self.clusters) * shared + math.sqrt(1 - self.clusters) * own).ravel()
        noise = rng.normal(size=(2, len(hard)))
        confidence = -self.insight * hard + math.sqrt(1 - self.insight**2) * noise
        cut = np.array(self.skills)[:, None]
        loss = (hard + 0.5 * rng.normal(size=(2, len(hard))) > cut).astype(np.float64)
        return Rows(confidence, loss, np.repeat(np.arange(cases), ITEMS), 1.0)


JUDGES: Final = (
    Judges("confidence says nothing, risk as asked", (1.0, 1.0), 0.0, 0.5, 0.1855),
    Judges("both know, the second errs half as often", (0.9, 1.4), 0.8, 0.3, 0.08),
    Judges("the same, no clusters", (0.9, 1.4), 0.8, 0.0, 0.08),
    Judges("the second is hardly better", (1.0, 1.1), 0.8, 0.3, 0.08),
    Judges("the first knows nothing of its errors", (0.9, 1.6), 0.2, 0.3, 0.12),
)


def table(studies: int) -> list[str]:
    """False promises in percent, and prices of a row."""
    lines = [
        "| judges | cases | false | certified | price | first alone | second alone |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for judges in JUDGES:
        rng = np.random.default_rng(SEED)
        many = judges.draw(np.random.default_rng(SEED + 1), 50_000)
        for cases in (100, 400):
            false = certified = 0
            prices = np.zeros(3)
            for _ in range(studies):
                rows = judges.draw(rng, cases)
                halves = rows.of_cases(0, cases // 2), rows.of_cases(cases // 2, cases)
                for at, only in enumerate((None, 0, 1)):
                    best = search(*halves, PRICES, judges.alpha, DELTA, only).best
                    prices[at] += PRICES.person if best is None else PRICES.of(many, best)
                    if best is not None and only is None:
                        accepted, loss = (part.sum() for part in many.sums([best]))
                        certified += 1
                        false += int(judges.insight == 0.0 or loss > judges.alpha * accepted)
            cells = (f"{price / studies:.1f}" for price in prices)
            lines.append(
                f"| {judges.name} | {cases} | {100 * false / studies:.1f} "
                f"| {100 * certified / studies:.0f}% | {' | '.join(cells)} |"
            )
    error = 200 * math.sqrt(DELTA * (1 - DELTA) / studies)
    return [
        *lines,
        "",
        f"{studies:,} studies a line of {ITEMS} rows a case, at most 10% promised: two Monte-Carlo "
        f"standard errors are {error:.1f} points. Prices: 1, 20, and 100 by people.",
    ]


def main() -> None:
    """Print the table, or put it where the page has its mark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--write", action="store_true")
    arguments: Any = parser.parse_args()
    text = "\n".join(table(arguments.studies))
    print(text)
    if arguments.write:
        write(PAGE, "cascades", text)


if __name__ == "__main__":
    main()
