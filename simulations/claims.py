"""How often a printed claim is false: ``python -m simulations.claims``.

Studies are drawn where a claim is not true, evaluated by the public door, and the sentences of
terminal and page are searched for its words. Where very many studies are needed, the decision that
a sentence rests on is counted instead; a test holds the two together. Every claim of
:mod:`acumen.report.claims` is counted in at least one population. ``--write`` puts the tables into
docs/claims.md.
"""

from __future__ import annotations

import argparse
import inspect
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import repeat
from pathlib import Path
from typing import Any, Final

import numpy as np

import acumen
from acumen.defaults import FEWEST_AT_LEVEL, POWER, PROCESS_WEIGHTS
from acumen.evaluation.evaluate import evaluate
from acumen.evaluation.plan import Plan
from acumen.inference.matched import compare_matched
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, claim, compare
from acumen.metrics import METRICS, metrics_of
from acumen.questions.evaluation import Evaluation
from acumen.report.blocks import Detail
from acumen.report.claims import Claim
from acumen.report.selective.screen import screen
from acumen.report.selective.slices import for_whom
from acumen.report.selective.words import conclusion
from acumen.table.judgments import Source
from acumen.views.confusion import Confusion, confuse
from acumen.views.reasoning import PRIMITIVES, RATIOS, Reasoning
from acumen.views.severity import SeverityRanking, rank_severity
from simulations import decided, swaps
from simulations.laws import LAWS, Law, Rows, draw_cases, draw_pair, judge
from simulations.thresholds import write

PAGE: Final = Path(__file__).parents[1] / "docs" / "claims.md"
STUDIES: Final = 1000
PAIRS: Final = 400
SEED: Final = 20260
SWAPS: Final = 999
FUNCTIONS: Final = 3
GATED: Final = (12, 20, 41, 100)
LABELLED: Final = (10, 20, 40)
BETWEEN: Final = (Claim.BETTER, Claim.ANSWERS_MORE, Claim.ERRS_LESS, Claim.COSTS_LESS)
"""What is claimed of two runs; with the rows beside them, a page."""
SIDES: Final = {"left": "one", "right": "two"}
Texts = str


@dataclass(frozen=True)
class Cell:
    """A population in which some claims are not true (or are: then their share is the power)."""

    name: str
    draw: Callable[[np.random.Generator, int], Texts | Claim | None]
    """A generator and a number of cases -> what is printed of one study, or decided."""
    claims: tuple[Claim, ...]
    words: tuple[str, ...] = ()
    """Counted instead of the claims' own words, where only one side's claim is meant."""
    cases: tuple[int, ...] = (20, 41)
    least: float | None = None
    """Where the claim is true: the share of studies that must make it."""
    most: float | None = None
    """The largest share, where it is not the claim's own."""
    studies: int = STUDIES

    @property
    def limit(self) -> float:
        """What is promised of the share."""
        return self.most or max(claim.value.error for claim in self.claims)

    def hits(self, made: Texts | Claim | None) -> bool:
        """Whether any of the claims is made."""
        if not isinstance(made, str):
            return made in self.claims
        if self.words:
            return any(word in made for word in self.words)
        return any(in_words(claim).search(made) for claim in self.claims)

    @property
    def promise(self) -> str:
        """The largest share, or the least, in percent."""
        return f"≤ {100 * self.limit:g}" if self.least is None else f"≥ {100 * self.least:g}"

    def count(self, cases: int, studies: int, seed: int) -> int:
        """How many studies make the claim."""
        rng = np.random.default_rng([seed, cases, *map(ord, self.name)])
        return sum(self.hits(self.draw(rng, cases)) for _ in range(studies))

    def row(self, cases: int, studies: int, hits: int) -> str:
        """A line of the table."""
        share = hits / studies
        error = math.sqrt(max(share * (1 - share), 1 / studies) / studies)
        said = ", ".join(c.name.lower().replace("_", " ") for c in self.claims)
        made = f"{100 * share:.1f} ± {100 * error:.1f}"
        return f"| {self.name} | {said} | {cases} | {studies} | {made} | {self.promise} |"


def in_words(claim: Claim) -> re.Pattern[str]:
    """A claim's words, with whatever it is of."""
    return re.compile(".*?".join(map(re.escape, re.split(r"\{\w+\}", claim.value.words))))


def table_of(rows: Rows, signals: dict[str, Any], name: str = "one") -> acumen.Judgments:
    """A system's rows as the public door takes them."""
    scale = acumen.Scale(name="law", levels=tuple(range(rows.levels)))
    _, item = np.unique(rows.cases.case, return_index=True)
    number = np.arange(len(rows.cases.case)) - item[rows.cases.case]
    prediction = [
        int(p) if a else None for p, a in zip(rows.prediction, rows.answered, strict=True)
    ]
    return acumen.from_columns(
        case=rows.cases.case.tolist(), item=[f"item {n}" for n in number],
        truth=rows.cases.truth.tolist(), prediction=prediction, scale=scale, signals=signals,
        complete=False, source=Source(run_id=name),
    )  # fmt: skip


def compared(
    left: Rows, right: Rows, rng: np.random.Generator, functions: int = FUNCTIONS
) -> Texts:
    """What is printed of two systems, each with several confidences of one law."""
    tables: list[Any] = []
    for name, rows in zip(SIDES.values(), (left, right), strict=True):
        noise = rng.standard_normal((functions - 1, len(rows.confidence)))
        others = {f"f{i}": rows.confidence + row for i, row in enumerate(noise)}
        tables.append(table_of(rows, {"f": rows.confidence, **others}, name))
    chosen = {name: _signal(name) for name in ("f", *(f"f{i}" for i in range(functions - 1)))}
    return printed(_evaluate(rng, chosen, tables[0], tables[1]).document)


def sliced(law: Law) -> Callable[[np.random.Generator, int], Texts]:
    """What is printed of the items of one system, of one law."""

    def draw(rng: np.random.Generator, n: int) -> Texts:
        table = table_of(judge(law, draw_cases(law, rng, n), rng), {})
        plan = Plan(loss="abs", by=("item",), options=Options(resamples=0, threads=1))
        return for_whom(Evaluation.of(evaluate(table, None, plan)).document).finding

    return draw


def printed(artifact: Any) -> Texts:
    """Every sentence that terminal and page print of an evaluation."""
    answers = [s.finding for s in screen(artifact) if s.detail is Detail.ANSWER]
    return "\n".join([conclusion(artifact), *answers])


def _evaluate(
    rng: np.random.Generator,
    functions: dict[str, Any],
    left: acumen.Judgments,
    right: acumen.Judgments | None = None,
    resamples: int = 0,
) -> Any:
    seed = int(rng.integers(2**32))  # other swaps for every study
    options = Options(resamples=resamples, seed=seed, swaps=SWAPS, threads=1)
    plan = Plan(functions=functions, loss="abs", options=options)
    return Evaluation.of(evaluate(left, right, plan))


def _signal(name: str) -> Callable[..., Any]:
    def signal(column: Any) -> Any:
        return column

    parameter = inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signal.__signature__ = inspect.Signature([parameter])  # type: ignore[attr-defined]  # PEP 362
    return signal


ALL: Final = replace(LAWS["beta"], answers=None)


def equal(rng: np.random.Generator, n: int) -> Texts:
    """Two systems of one law, whichever."""
    laws = list(LAWS.values())
    return compared(*draw_pair((laws[rng.integers(len(laws))],), rng, n), rng)


def silenced(law: Law, better: float = 1.0, *, by_case: bool = False, same: bool = True) -> Any:
    """A system, and the same (or another of its law) made silent at random on half."""

    def draw(rng: np.random.Generator, n: int) -> Texts:
        left, other = draw_pair((law, law.with_errors(better)), rng, n)
        right = (left if same else other).silenced(rng, 0.5, by_case=by_case)
        return verdict(left, right)

    return draw


def verdict(left: Rows, right: Rows) -> Texts:
    """What is claimed of two systems at equal coverage, by one confidence function."""
    matched = compare_matched(left.ranking(), right.ranking(), Options(threads=1))
    side = matched.decided(matched.p_value, 0.05).favours
    return "" if side is None else Claim.BETTER.say(side=SIDES[side])


def alone(insight: float, functions: int) -> Callable[[np.random.Generator, int], Texts]:
    """One system with many confidences that know alike how often it errs, or not at all."""

    def draw(rng: np.random.Generator, n: int) -> Texts:
        law = replace(LAWS["beta"], insight=insight)
        rows = judge(law, draw_cases(law, rng, n), rng)
        wrong = rows.prediction != rows.cases.truth
        names = [f"f{i}" for i in range(functions)]
        signals = {name: rng.standard_normal(len(wrong)) - insight * wrong for name in names}
        chosen = {name: _signal(name) for name in names}
        evaluation = _evaluate(rng, chosen, table_of(rows, signals), resamples=300)
        return printed(evaluation.document)

    return draw


# verdict studies: one verdict a case, claims behind it


def method(rng: np.random.Generator, truth: Any, noise: float, share: float) -> tuple[Any, ...]:
    """One method's views: agreement, ranking by score, reasoning."""
    score = truth + noise * rng.standard_normal(len(truth))
    verdict = np.clip(np.round(score), 0, 3).astype(int)
    names = (*RATIOS, PRIMITIVES)
    of = {name: rng.poisson(3, len(truth)).astype(float) for name in names}
    chance = rng.beta(8 * share, 8 * (1 - share), len(truth))
    right = {name: rng.binomial(of[name].astype(int), chance).astype(float) for name in names}
    reasoning = Reasoning(right, of, len(truth), components=tuple(PROCESS_WEIGHTS))
    return confuse(truth, verdict, levels=4), rank_severity(truth, score, levels=4), reasoning


LEVELS: Final = (0.5, 0.25, 0.15, 0.1)


def methods(rng: np.random.Generator, n: int, *, whole: bool) -> Texts:
    """The better methods of a verdict comparison: the column, or the two sentences."""
    truth = rng.choice(4, n, p=LEVELS)
    left, right = (method(rng, truth, 0.8, 0.8) for _ in range(2))
    kinds = (Confusion, SeverityRanking, Reasoning)
    options = Options(resamples=0, seed=int(rng.integers(2**32)), swaps=SWAPS, threads=1)
    contrasts: dict[str, Contrast] = {}
    for kind, a, b in zip(kinds, left, right, strict=True):
        metrics = [m for m in metrics_of(kind) if "@" not in m.name and m.name[-3:] != "_ge"]
        contrasts |= compare(metrics, a, b, options)
    family = claim(contrasts, options)
    keys = family if whole else ("process", "ordinal_auprc")
    return "better" if any(family[key].favours is not None for key in keys) else ""


def at_target(key: str, *, above: bool) -> Callable[[np.random.Generator, int], Texts]:
    """A method whose score is the target itself: on neither side of it."""

    def draw(rng: np.random.Generator, n: int) -> Texts:
        from acumen.inference.infer import infer
        from acumen.report.verdicts.words import side_of_target

        noise = _noise_at_target() if key == "ordinal_auprc" else 0.8
        truth = rng.choice(4, n, p=LEVELS)
        views = method(rng, truth, noise, 0.75)
        if key == "ordinal_auprc" and np.sum(truth == 3) < FEWEST_AT_LEVEL:
            return ""  # marked as unreliable: nothing is claimed
        keys = (key,) if key == "ordinal_auprc" else ("process", "consistency")
        view = views[1] if key == "ordinal_auprc" else views[2]
        found = infer([METRICS[k] for k in keys], view, Options(resamples=0, threads=1))
        sides = [side_of_target(i.measured) for i in found.values()]
        holds = all(s == "above" for s in sides) if above else "below" in sides
        return "claim" if holds else ""

    return draw


@cache
def _noise_at_target() -> float:
    """The noise with which the ordinal AUPRC of a large sample is 75%."""
    low, high = 0.1, 5.0
    rng = np.random.default_rng(1)
    truth = rng.choice(4, 40_000, p=LEVELS)
    draws = rng.standard_normal(len(truth))
    for _ in range(30):
        noise = math.sqrt(low * high)
        view = rank_severity(truth, truth + noise * draws, levels=4)
        value = METRICS["ordinal_auprc"].measure(view).value
        low, high = (noise, high) if value is not None and value > 0.75 else (low, noise)
    return low


def cells() -> Iterator[Cell]:
    """Every claim, in populations where it is not true; then where it is."""
    flat = replace(ALL, insight=0.0)
    right = (Claim.BETTER.say(side="two"),)
    for name, draw in (
        ("silent at random, confidence says nothing", silenced(flat)),
        ("whole cases silent, confidence says nothing", silenced(flat, by_case=True)),
        ("silent at random, confidence knows", silenced(ALL)),
        ("silent at random, confidence worse than chance", silenced(LAWS["adverse"])),
        ("another system of the law, silent at random", silenced(flat, same=False)),
    ):
        studies = 4000 if "worse" in name else STUDIES  # the one that comes close
        yield Cell(name, draw, (Claim.BETTER,), right, (41, 100), most=0.025, studies=studies)
    for factor, least in ((0.4, 0.85), (0.5, 0.7)):
        name = f"silent at random, errs {factor:g} as often"
        draw = silenced(flat, factor, same=False)
        yield Cell(name, draw, (Claim.BETTER,), right, (41, 100), least)
    yield Cell("two systems of a law, drawn among eleven", equal, BETWEEN, most=0.06)
    noise, alike = alone(0.0, 10), alone(1.0, 10)
    yield Cell("ten confidences of noise", noise, (Claim.TELLS_RIGHT,), most=0.05)
    yield Cell("ten confidences that know alike", alike, (Claim.LOWEST,), most=0.06)
    groups = (Claim.RIGHT_LESS, Claim.RIGHT_MORE)
    yield Cell("eight items that do not differ", sliced(LAWS["beta"]), groups, cases=(41, 100))
    told = ("better",)
    for whole in (True, False):
        said = "any row" if whole else "a sentence"
        pair = (Claim.BETTER_METHOD, Claim.MORE_OFTEN)

        def draw_methods(rng: np.random.Generator, n: int, whole: bool = whole) -> Texts:
            return methods(rng, n, whole=whole)

        name = f"two methods of one law, {said}"
        yield Cell(name, draw_methods, pair, told, (41, 100), most=0.06)
    for key, claims in (
        ("ordinal_auprc", (Claim.RANKS_WELL, Claim.RANKS_POORLY)),
        ("process", (Claim.REASONS_HOLD, Claim.REASONS_FAIL)),
    ):
        for made, above in zip(claims, (True, False), strict=True):
            where = f"{key.replace('_', ' ')} at the mark"
            yield Cell(where, at_target(key, above=above), (made,), ("claim",), (41, 100))
    yield from of_decisions()


def of_decisions() -> Iterator[Cell]:
    """What the commands beside ``evaluate`` and ``score`` claim."""
    silent = (Claim.OWN_COSTS_MORE, Claim.OWN_COSTS_LESS)
    ranked = (Claim.RANK_BY_EXPECTED, Claim.OWN_RANKS_BETTER)
    gates = (Claim.GATE_PASSES,), (Claim.GATE_FAILS,)
    out = (Claim.DISAGREES, Claim.LENIENT, Claim.STRICT)
    for side in (Claim.TOO_SURE, Claim.NOT_SURE):
        yield Cell("a confidence that is a chance", decided.honest, (side,), cases=(20, 100))
    yield Cell("own answers and best levels of one law", decided.own_answers, silent, most=0.05)
    yield Cell("two confidences that know alike", decided.own_confidence, ranked, most=0.05)
    several = (41, 100)
    for name, draw, claims in (
        ("a twentieth of the wrong rows missing", decided.whatever_missing, Claim.WHATEVER_MISSING),
        ("threshold at the risk of all, confidence of noise", decided.certified, Claim.CERTIFIED),
        ("the promise of half of the rows", decided.keeps, Claim.KEEPS),
        ("threshold on totals at the risk of all", decided.cases_certified, Claim.CASES_CERTIFIED),
        ("two judges at the risk of both", decided.cascade, Claim.CASCADE_CERTIFIED),
        ("a judgment of a new case", decided.set_misses, Claim.SETS_HOLD),
        ("the cost of thresholds", decided.cost, Claim.COSTS),
    ):
        yield Cell(name, draw, (claims,), cases=several)
    for of in gates:
        yield Cell("a difference at its bound, risk", decided.gated, of, cases=GATED)
        for whole, how in ((True, "whole cases"), (False, "most of some cases")):
            shares = partial(decided.gated_coverage, whole=whole)
            yield Cell(f"a difference at its bound, {how} silent", shares, of, cases=GATED)
    yield Cell("a difference as planned", decided.shown, (Claim.SHOWN_WITH,), least=POWER)
    where = "a judge at ε, far off in whole cases"
    yield Cell(where, decided.stands_in, (Claim.PASSES_TEST,), cases=(20, 100))
    yield Cell("four people who are alike", decided.stands_out, out, cases=(20, 100))
    mean = (Claim.PEOPLE_WOULD_GIVE,)
    yield Cell("labelled cases", decided.people_would_give, mean, cases=LABELLED)
    where = "labelled cases drawn at random"
    yield Cell(where, decided.at_random, (Claim.NOT_AT_RANDOM,), cases=LABELLED)


def main(arguments: Sequence[str] | None = None) -> None:
    """Count every cell, print it, and write the tables into the page if asked to."""
    parser = argparse.ArgumentParser(prog="simulations.claims", description=__doc__)
    parser.add_argument("--most", type=int, default=10**9, help="studies of a cell, at most")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", default="", help="cells whose name holds this")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args(arguments)
    every = [(at, n) for at, c in enumerate(cells()) if asked.only in c.name for n in c.cases]
    lines = [
        "| population | claim | cases | studies | made, % | promised |",
        "|---|---|---|---|---|---|",
    ]
    with ProcessPoolExecutor(asked.processes) as pool:
        for line in pool.map(_line, every, repeat(asked.most), repeat(asked.seed)):
            lines.append(line)
            print(line, flush=True)
    if asked.write and not asked.only:
        write(PAGE, "claims", "\n".join(lines))
        write(PAGE, "swaps", "\n".join(swap_table(min(PAIRS, asked.most), asked.seed)))


def _line(of: tuple[int, int], most: int, seed: int) -> str:
    """The line of a cell, by its place, at so many cases."""
    place, n = of
    cell = list(cells())[place]
    studies = min(cell.studies, most)
    return cell.row(n, studies, cell.count(n, studies, seed))


def swap_table(studies: int, seed: int) -> Iterator[str]:
    """The swap test of single differences, by law and metric, and over all laws."""
    one, whole = (100 * math.sqrt(0.05 * 0.95 / n) for n in (studies, studies * len(LAWS)))
    yield f"""Percent of {studies} pairs of systems of one law in which the swap test of one
difference claims it. 5 are promised; counting errs by ± {one:.1f} in a cell and by ± {whole:.1f}
over all laws, so a cell that keeps the promise may show {5 + 3 * one:.0f}.
Few cases that err, steps in the metric and marked intervals make the test cautious.
"""
    names: list[str] = []
    for n in swaps.CASES:
        total: Counter[str] = Counter()
        for laws in swaps.nulls():
            counts = swaps.alarms(laws, n, studies, seed)
            if not names:
                names = list(counts)
                head = " | ".join(("law", "cases", *names))
                yield f"| {head} |\n|{'---|' * (len(names) + 2)}"
            claimed = {name: counts[name]["claimed"] for name in names}
            total.update(claimed)
            yield _shares(laws[0].name, n, claimed, studies)
        yield _shares("all", n, total, studies * len(LAWS))


def _shares(law: str, n: int, claimed: Mapping[str, int], studies: int) -> str:
    shares = (f"{100 * count / studies:.1f}" for count in claimed.values())
    return f"| {law} | {n} | " + " | ".join(shares) + " |"


if __name__ == "__main__":
    main()
