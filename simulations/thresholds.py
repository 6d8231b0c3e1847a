"""Do decisions keep what they promise? ``python -m simulations.thresholds [--write]``.

Studies are drawn from populations whose truth is known. A threshold breaks its promise where the
true risk of what it accepts is above α. ``--write`` puts the tables into docs/simulations.md.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from acumen.decisions.gate import decide, measure
from acumen.decisions.sample import Sample
from acumen.decisions.threshold import Search, grid_of
from acumen.metrics import METRICS
from acumen.metrics.registry import Metric
from acumen.results.decisions import Test
from acumen.views.ranking import Ranking
from simulations.populations import (
    FEW_LEVELS,
    Latent,
    Population,
    Studies,
    draw,
    judge,
    sizes,
    truth,
)

PAGE: Final = Path(__file__).parents[1] / "docs" / "simulations.md"
STUDIES: Final = 1000
SEED: Final = 20260
DELTA: Final = 0.1
STARTS: Final = (0.1, 0.3, 0.5)
TRUTH_CASES: Final = 100_000

FLAT: Final = Population("flat, strong clusters", "", icc=0.6, insight=0.0)


@dataclass(frozen=True)
class Setting:
    """A population, the loss, and the bound: a share of the risk of all answers."""

    population: Population
    graded: bool = True
    share: float = 1.0
    is_sure_of_worst: bool = False
    """Whether the rows that are furthest off are as sure as they were unsure."""

    def draw(self, rng: np.random.Generator, studies: int, cases: int) -> Studies:
        """Studies of the population."""
        drawn = draw(self.population, rng, studies, cases)
        if not self.is_sure_of_worst:
            return drawn
        turned = np.where(drawn.loss == 3, -drawn.confidence, drawn.confidence)
        return replace(drawn, confidence=turned)


SETTINGS: Final = (
    Setting(FLAT),
    Setting(replace(FLAT, name="flat, strong clusters, 0/1"), graded=False),
    Setting(replace(FLAT, name="flat, no clusters", icc=0.0)),
    Setting(replace(FLAT, name="flat, 1 to 15 items a case", icc=0.3, items=(1, 15))),
    Setting(replace(FLAT, name="flat, five tied confidences", ties=(0.2, 0.4, 0.6, 0.8))),
    Setting(replace(FLAT, name="flat, one item, 0/1", items=(1, 1)), graded=False),
    Setting(Population("surer is righter", "", icc=0.3), share=0.6),
    Setting(Population("surer is righter, 0/1", "", icc=0.3), graded=False, share=0.6),
    Setting(Population("the same, one item", "", items=(1, 1)), graded=False, share=0.6),
)


def sample_of(studies: Studies, study: int, *, graded: bool, by_row: bool = False) -> Sample:
    """One study as the search for a threshold sees it; or as if each row were a case."""
    here, answered = studies.present[study], studies.answered[study] & studies.present[study]
    loss = np.minimum(studies.loss[study][answered], 3 if graded else 1) / (3 if graded else 1)
    confidence = studies.confidence[study][answered].astype(np.float64)
    case, rows = np.nonzero(answered)[0], here.sum(axis=1)
    if by_row:
        case, rows = np.arange(len(case)), np.ones(int(here.sum()), np.int64)
    return Sample(confidence, loss.astype(np.float64), case, rows, 1.0, graded)


@dataclass(frozen=True)
class Truth:
    """The risk and the coverage above every confidence, in the population."""

    falling: np.ndarray
    loss: np.ndarray
    rows: int

    @classmethod
    def of(cls, setting: Setting, rng: np.random.Generator) -> Truth:
        """From very many cases."""
        studies = setting.draw(rng, 1, TRUTH_CASES)
        sample = sample_of(studies, 0, graded=setting.graded)
        order = np.argsort(-sample.confidence)
        falling = -sample.confidence[order]
        return cls(falling, np.cumsum(sample.loss[order]), int(sample.rows.sum()))

    @property
    def risk(self) -> float:
        """Of all answers."""
        return float(self.loss[-1]) / len(self.loss)

    def at(self, threshold: float | None) -> tuple[float, float]:
        """(risk, coverage) of what lies above a threshold."""
        bound = -np.inf if threshold is None else threshold
        above = int(np.searchsorted(self.falling, -bound))
        return (float(self.loss[above - 1]) / above if above else 0.0), above / self.rows


def rules(setting: Setting, alpha: float) -> dict[str, tuple[Search, bool]]:
    """Each way to certify, and whether it takes rows for cases."""
    common = (alpha, DELTA, STARTS, setting.population.items[1])
    single = setting.population.items == (1, 1) and not setting.graded
    row_test: Test = "hoeffding-bentkus" if setting.graded else "binomial"
    ways: dict[str, tuple[Search, bool]] = {
        "approx": (Search("approx", "korn-graubard", *common), False),
        "exact": (Search("exact", "binomial" if single else "betting", *common), False),
        "by row": (Search("exact", row_test, alpha, DELTA, STARTS, 1), True),
    }
    if not setting.graded:
        ways["SGR by row"] = (Search("sgr", "clopper-pearson", *common), True)
    return ways


def count(setting: Setting, cases: int, studies: int) -> dict[str, tuple[float, float]]:
    """Share of studies that break the promise, and the coverage that they reach, by way."""
    rng = np.random.default_rng([SEED, cases])
    known = Truth.of(setting, np.random.default_rng(SEED))
    alpha = setting.share * known.risk
    ways = rules(setting, alpha)
    false, coverage = dict.fromkeys(ways, 0), dict.fromkeys(ways, 0.0)
    drawn = draw(setting.population, rng, studies, cases)
    for study in range(studies):
        for name, (rule, by_row) in ways.items():
            sample = sample_of(drawn, study, graded=setting.graded, by_row=by_row)
            tested, thresholds = grid_of(sample, None, rule)
            points = [p for p in rule.certify(tested, thresholds) if p.certified]
            if points:
                risk, reached = known.at(points[-1].threshold)
                # where the risk is α everywhere, every certificate is a false one
                false[name] += setting.share == 1.0 or risk > alpha
                coverage[name] += reached
    return {name: (false[name] / studies, coverage[name] / studies) for name in ways}


def threshold_table(studies: int) -> Iterator[str]:
    """False certificates in percent / coverage reached."""
    ways = ("approx", "exact", "by row", "SGR by row")
    yield f"| population | cases | {' | '.join(ways)} |"
    yield "|---|---:|" + "---:|" * len(ways)
    for setting in SETTINGS:
        for cases in (40, 100, 400):
            shares = count(setting, cases, studies)
            cells = (
                "–" if way not in shares else f"{100 * shares[way][0]:.1f} / {shares[way][1]:.2f}"
                for way in ways
            )
            yield f"| {setting.population.name} | {cases} | {' | '.join(cells)} |"
    error = 100 * 2 * math.sqrt(DELTA * (1 - DELTA) / studies)
    yield ""
    yield f"{studies:,} studies a line: two Monte-Carlo standard errors are {error:.1f} points."


SEARCHED: Final = (
    *SETTINGS[:2],
    SETTINGS[5],
    Setting(Population("surer is righter, 8 items", "", icc=0.3), graded=False, share=0.8),
    Setting(Population("the same, half the risk", "", icc=0.3), graded=False, share=0.5),
    Setting(Population("hardly surer, 8 items", "", insight=0.3), graded=False, share=0.85),
    Setting(Population("one item", "", items=(1, 1)), graded=False, share=0.7),
    Setting(Population("one item, far surer", "", insight=0.9, items=(1, 1)), False, 0.4),
    Setting(Population("one item, few errors", "", cutoffs=(1.3, 1.8), items=(1, 1)), False, 0.7),
)
"""Where searches are held against each other; the first three are flat."""

OTHERS: Final = (
    Setting(Population("1 to 15 items, 0 to 3 off", "", icc=0.4, items=(1, 15)), share=0.6),
    Setting(
        Population("five confidences, a few hard cases", "", icc=0.5, ties=FEW_LEVELS, skewed=True),
        graded=False, share=0.7,
    ),
    Setting(
        Population("half answered, one item", "", coverage=0.5, items=(1, 1)),
        graded=False, share=0.6,
    ),
    Setting(
        Population("sure where it is worst, 3 items", "", items=(3, 3)),
        graded=False, share=0.85, is_sure_of_worst=True,
    ),
    Setting(
        Population(
            "2 to 4 items, strong clusters", "", icc=0.6, insight=0.8, items=(2, 4),
            cutoffs=(0.8, 1.4, 2.0),
        ),
        graded=False, share=0.5,
    ),
)  # fmt: skip
"""Populations that the places of the starts were not chosen on."""
SEARCHES: Final[dict[str, tuple[float, ...]]] = {
    "from the strictest": (0.05,),
    "from a half": (0.5,),
    "three starts": STARTS,
    "auto": (),
}
AT_ONCE: Final = 100


def search_table(studies: int) -> Iterator[str]:
    """False certificates in percent / studies with any / coverage reached, by search."""
    yield f"| population | cases | {' | '.join(SEARCHES)} |"
    yield "|---|---:|" + "---:|" * len(SEARCHES)
    for setting in (*SEARCHED, *OTHERS):
        known = Truth.of(setting, np.random.default_rng(SEED))
        for cases in (41, 100, 412):
            rng = np.random.default_rng([SEED, cases])
            sums = np.zeros((len(SEARCHES), 3))
            for _ in range(0, studies, AT_ONCE):
                drawn = setting.draw(rng, AT_ONCE, cases)
                sums += _reached(setting, known, drawn, [*SEARCHES.values()])
            false, made, reached = (sums / studies).T
            cells = (
                f"{100 * f:.1f} / {100 * m:.0f} / {c:.3f}"
                for f, m, c in zip(false, made, reached, strict=True)
            )
            yield f"| {setting.population.name} | {cases} | {' | '.join(cells)} |"
    error = 100 * 2 * math.sqrt(DELTA * (1 - DELTA) / studies)
    yield ""
    yield f"{studies:,} studies a line: two Monte-Carlo standard errors are {error:.1f} points."


def _reached(
    setting: Setting, known: Truth, drawn: Studies, searches: Sequence[tuple[float, ...]]
) -> Any:
    """(false, any certified, coverage) by search, summed over studies whose p are made at once."""
    alpha = setting.share * known.risk
    single = setting.population.items == (1, 1) and not setting.graded
    ways: Any = ("exact", "binomial") if single else ("approx", "korn-graubard")
    search = Search(ways[0], ways[1], alpha, DELTA, (), setting.population.items[1])
    samples = [sample_of(drawn, at, graded=setting.graded) for at in range(len(drawn))]
    grids = [grid_of(sample, None, search)[1] for sample in samples]
    # equal thresholds stand there as often as they are, with the same p
    tables = [sample.accepted(grid) for sample, grid in zip(samples, grids, strict=True)]
    rows, loss = (np.array(part) for part in zip(*tables, strict=True))
    largest, p_values = (
        np.array([sample.rows.max() for sample in samples]),
        np.empty(rows.shape[:2]),
    )
    for most in np.unique(largest):
        own = np.flatnonzero(largest == most)
        accepted, lost = (part[own].reshape(-1, rows.shape[2]) for part in (rows, loss))
        p_values[own] = search.p_values(accepted, lost, samples[own[0]]).reshape(len(own), -1)
    out = np.zeros((len(searches), 3))
    for at, (sample, grid) in enumerate(zip(samples, grids, strict=True)):
        falling, first = np.unique(-grid, return_index=True)
        above = rows[at].sum(axis=1)[first]
        own_p = p_values[at][first]
        for which, starts in enumerate(searches):
            asked = replace(search, starts=starts)
            certified = np.flatnonzero(asked.levels(sample, grid, above, own_p)[1])
            if len(certified):
                risk, coverage = known.at(float(-falling[certified[-1]]))
                out[which] += (setting.share == 1.0 or risk > alpha, 1.0, coverage)
    return out


GATED: Final = Population("gated", "", icc=0.3)


def gate_table(studies: int) -> Iterator[str]:
    """False passes at the margin: the new system is as much worse as is just not allowed."""
    yield "| metric | cases | passes at the margin | passes when equal | undecided when equal |"
    yield "|---|---:|---:|---:|---:|"
    harder = replace(GATED, cutoffs=tuple(cut - 0.25 for cut in GATED.cutoffs))
    for name in ("mean_loss", "augrc", "coverage"):
        metric = METRICS[name]
        worse = harder if name != "coverage" else replace(GATED, coverage=GATED.coverage - 0.1)
        pair = [truth(p, [metric], SEED, TRUTH_CASES)[name] for p in (GATED, worse)]
        margin = abs(pair[1] - pair[0])
        for cases in (20, 41, 100):
            rng = np.random.default_rng([SEED, cases])
            latents = [Latent.draw(rng, studies, cases, 8) for _ in range(3)]
            present = sizes(GATED, rng, studies, cases)
            base = judge(GATED, latents[0].mixed(latents[1], 0.5), present)
            twins = [judge(p, latents[0].mixed(latents[2], 0.5), present) for p in (worse, GATED)]
            shares = []
            for new in twins:
                verdicts = [
                    verdict_on(metric, [base.view(k), new.view(k)], cases, margin)
                    for k in range(studies)
                ]
                shares.append([verdicts.count(v) / studies for v in ("pass", "undecided")])
            (false, _), (right, thin) = shares
            cells = (f"{100 * share:.1f}%" for share in (false, right, thin))
            yield f"| `{name}` | {cases} | {' | '.join(cells)} |"
    error = 100 * 2 * math.sqrt(0.05 * 0.95 / studies)
    yield ""
    yield f"{studies:,} pairs a line: two Monte-Carlo standard errors are {error:.1f} points at 5%."


def verdict_on(metric: Metric, views: Sequence[Ranking], cases: int, margin: float) -> str:
    """What a gate for non-inferiority says of a pair of studies."""
    interval = measure(metric, views, cases)[1].interval
    if interval is None or not interval.is_reliable:
        return "undecided"
    return decide("non-inferiority", interval.low, interval.high, margin)


TABLES: Final[dict[str, Callable[[int], Iterator[str]]]] = {
    "thresholds": threshold_table,
    "search": search_table,
    "gate": gate_table,
}


def main() -> None:
    """Print the tables, or put them where the page has their marks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--only", choices=list(TABLES))
    parser.add_argument("--write", action="store_true")
    arguments: Any = parser.parse_args()
    for name in [arguments.only] if arguments.only else TABLES:
        lines = []
        for line in TABLES[name](arguments.studies):
            print(line, flush=True)
            lines.append(line)
        if arguments.write:
            write(PAGE, name, "\n".join(lines))


def write(page: Path, name: str, table: str) -> None:
    """Put a table between its marks on a page."""
    before, mark, rest = page.read_text("utf-8").partition(f"<!-- {name} -->\n")
    page.write_text(f"{before}{mark}{table}\n{rest[rest.index('<!-- end -->') :]}", "utf-8")


if __name__ == "__main__":
    main()
