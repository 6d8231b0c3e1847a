"""Does what is read off the risk–coverage curve hold? ``python -m simulations.curves [--write]``.

Studies are drawn from laws whose curve is known: risks at coverages and at cuts, coverages at
risks, and whether the band holds the whole curve. Some tie, with a bend of the curve at the very
coverage that is asked for. ``--write`` puts the table into docs/coverage.md.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from acumen.inference.bands import risk_band
from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.metrics import METRICS
from acumen.metrics.registry import Metric
from acumen.values.measured import Interval
from acumen.views.ranking import Ranking, rank
from acumen.views.weights import CaseWeights
from simulations.laws import LAWS, draw_cases, judge

PAGE: Final = Path(__file__).parents[1] / "docs" / "coverage.md"
HEAD: Final = "## The risk–coverage curve\n"
START: Final = "<!-- curve -->\n"
END: Final = "<!-- end of curve -->"
CASES: Final = (20, 41, 100)
STUDIES: Final = 500
SEED: Final = 20_261
TRUTH_CASES: Final = 60_000
AT: Final = (0.1, 0.3, 0.5, 0.7)
CUTS: Final = (0.3, 0.7)
SHARES: Final = (0.4, 0.6, 0.8, 0.95)
"""Of the risk of all answers: the risks at which the coverage is asked for."""
PLAIN: Final = Options(resamples=0, threads=1)

Draw = Callable[[np.random.Generator, int], Ranking]


def steps(risks: Sequence[float], spread: float) -> Draw:
    """Confidences of as many values, equally many rows each, and the risk of each, surest first."""
    from scipy.special import ndtr

    def draw(rng: np.random.Generator, n: int) -> Ranking:
        latent = spread * rng.normal(size=(n, 1)) + math.sqrt(1 - spread**2) * rng.normal(
            size=(n, 8)
        )
        sure = np.floor(ndtr(latent) * len(risks)).astype(np.int64).clip(0, len(risks) - 1)
        mood = 2 * rng.beta(0.8, 0.8, (n, 1))
        wrong = rng.random((n, 8)) < np.minimum(1, np.array(risks[::-1])[sure] * mood)
        case = np.repeat(np.arange(n), 8)
        return rank(wrong.ravel().astype(int), sure.ravel(), case=case, n_cases=n, most_loss=1)

    return draw


def of_law(name: str) -> Draw:
    """A system of a law."""

    def draw(rng: np.random.Generator, n: int) -> Ranking:
        return judge(LAWS[name], draw_cases(LAWS[name], rng, n), rng).ranking()

    return draw


DRAWS: Final[dict[str, Draw]] = {
    **{name: of_law(name) for name in LAWS},
    "five steps": steps((0.05, 0.1, 0.2, 0.4, 0.6), 0.6),
    "ten steps": steps((0.02, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6), 0.6),
    "two steps": steps((0.1, 0.6), 0.7),
    "two steep steps": steps((0.02, 0.6), 0.7),
}
DECIDED: Final = ("giants", "collapse")
"""Where a few cases decide: counted, and apart."""


@dataclass(frozen=True)
class Truth:
    """A population's curve."""

    ranking: Ranking

    def risk_at(self, coverage: float) -> float:
        """NaN beyond what is answered there."""
        once = CaseWeights.once(self.ranking.n_cases)
        return float(self.ranking.risk_at(once, np.array([coverage]))[0, 0])

    def risk_above(self, threshold: float) -> float:
        """Of the answers that are at least as sure."""
        curve = self.ranking.curve()
        at = int(np.searchsorted(-curve.threshold, -threshold, side="right")) - 1
        return float(curve.selective_risk[at]) if at >= 0 else math.nan


def asked(population: Ranking) -> dict[str, list[tuple[Metric, float]]]:
    """What is read off the curve, and its value in the population; NaN: that of the cut found."""
    truth, whole = Truth(population), METRICS["mean_loss"].measure(population).value or 0.0
    at = [METRICS["mean_loss_at_coverage"].at(coverage=c) for c in AT]
    known: dict[str, list[tuple[Metric, float]]] = {
        "risk at a coverage": [(m, truth.risk_at(m.parameters["coverage"])) for m in at],
        "risk at a cut": [(METRICS["mean_loss_at_cut"].at(coverage=c), math.inf) for c in CUTS],
        "coverage at a risk": [],
    }
    for share in SHARES:
        metric = METRICS["coverage_at_risk"].at(risk=share * whole)
        value = metric.measure(population).value
        known["coverage at a risk"].append((metric, math.nan if value is None else value))
    return known


def count(name: str, cases: int, studies: int) -> dict[str, dict[str, list[int]]]:
    """What is asked -> where -> intervals, truths above them, truths below, those withheld."""
    population = DRAWS[name](np.random.default_rng([SEED, 1]), TRUTH_CASES)
    truth, known = Truth(population), asked(population)
    counts: dict[str, dict[str, list[int]]] = {
        what: {m.name: [0, 0, 0, 0] for m, _ in some} for what, some in known.items()
    }
    counts["band"] = {"whole": [0, 0, 0, 0]}
    rng = np.random.default_rng([SEED, cases, *map(ord, name)])
    every = [m for some in known.values() for m, _ in some]
    for _ in range(studies):
        ranking = DRAWS[name](rng, cases)
        numbers = infer(every, ranking, PLAIN)
        for what, some in known.items():
            for metric, true in some:
                if what == "risk at a cut" and numbers[metric.name].value is not None:
                    stop = ranking.place_of(metric.parameters["coverage"]) or 0
                    cut = ranking.threshold[np.searchsorted(ranking.ends, stop)]
                    true = truth.risk_above(float(cut))
                if numbers[metric.name].value is not None and math.isfinite(true):
                    _add(counts[what][metric.name], numbers[metric.name].interval, true)
        band, _ = risk_band(ranking, PLAIN)
        counts["band"]["whole"][3] += band is None
        if band is not None:
            there = [truth.risk_at(c) for c in band.coverage.tolist()]
            holds = [
                math.isnan(t) or low - 1e-9 <= t <= high + 1e-9
                for t, low, high in zip(there, band.low, band.high, strict=True)
            ]
            counts["band"]["whole"][0] += 1
            counts["band"]["whole"][1] += not all(holds)
    return counts


def _add(tally: list[int], interval: Any, true: float) -> None:
    if not isinstance(interval, Interval):
        tally[3] += 1
        return
    tally[0] += 1
    tally[1] += interval.high < true - 1e-12
    tally[2] += interval.low > true + 1e-12


def table(studies: int, processes: int = 2) -> Iterator[str]:
    """Percent of the intervals that hold, from the worst place on the curve to the best."""
    cells = [(name, cases, studies) for name in DRAWS for cases in CASES]
    with ProcessPoolExecutor(processes) as pool:
        counted = pool.map(count, *zip(*cells, strict=True))
        yield from _lines(dict(zip((cell[:2] for cell in cells), counted, strict=True)), studies)


def _lines(counted: dict[tuple[str, int], Any], studies: int) -> Iterator[str]:
    columns = ("risk at a coverage", "risk at a cut", "coverage at a risk", "band")
    yield f"| population | cases | {' | '.join(columns)} |"
    yield "|---|---:|" + "---:|" * len(columns)
    ends: dict[str, list[float]] = {what: [] for what in columns}
    for (name, cases), counts in counted.items():
        cells = []
        for what in columns:
            held = [
                100 * (1 - (above + below) / given)
                for given, above, below, _ in counts[what].values()
                if given >= studies / 2
            ]
            if name not in DECIDED:
                ends[what] += held
            low, high = min(held, default=math.nan), max(held, default=math.nan)
            one = f"{low:.1f}" if low == high else f"{low:.1f}–{high:.1f}"
            cells.append("–" if not held else one)
        yield f"| {name} | {cases} | {' | '.join(cells)} |"
    yield ""
    error = 100 * math.sqrt(0.05 * 0.95 / studies)
    yield (
        f"{studies} studies a line; a share of 95% errs by ± {error:.1f} (one standard error). "
        f"Apart from {' and '.join(DECIDED)}:"
    )
    for what, held in ends.items():
        inside = sum(93 <= share <= 98 for share in held)
        below = sum(share < 93 for share in held)
        yield (
            f"- {what}: {inside} of {len(held)} cells in 93–98%, {below} below (lowest "
            f"{min(held):.1f}), {len(held) - inside - below} above."
        )


def main() -> None:
    """Print the table, or put it where the page has its marks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = []
    for line in table(arguments.studies, arguments.processes):
        print(line, flush=True)
        lines.append(line)
    if arguments.write:
        before, _, rest = PAGE.read_text("utf-8").partition(START)
        text = "\n".join(lines)
        PAGE.write_text(f"{before}{START}{text}\n{rest[rest.index(END) :]}", "utf-8")


def kept() -> str:
    """The section of the page: it is counted apart."""
    text = PAGE.read_text("utf-8")
    return text[text.index(HEAD) : text.index(END) + len(END)]


if __name__ == "__main__":
    main()
