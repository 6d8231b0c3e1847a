"""Two runs side by side: the rows of their comparison, and what is claimed of them.

The verdict is the risk at equal coverage. Coverage itself, the rows that both answered and the
charged areas stand beside it, tested together. What depends on how much a side answers is
described, and never a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from acumen.defaults import PRICE, RELIABLE_CASES
from acumen.metrics import METRICS
from acumen.metrics.registry import Unit
from acumen.report.blocks import Cell, Table
from acumen.report.cells import amount, bracketed, measured_cell, p_cell, said, title_of, unit_of
from acumen.report.claims import Claim
from acumen.report.selective.outcomes import in_words, is_small, judged
from acumen.report.words import undone
from acumen.results.metrics import Matched, MetricsArtifact, Population, name
from acumen.values.measured import Delta, Side

SIDES: Final[tuple[Side, Side]] = ("left", "right")


class Row(NamedTuple):
    """A difference of the comparison under its title."""

    title: str
    delta: Delta
    unit: Unit = Unit.LOSS

    @property
    def is_described(self) -> bool:
        """Whether the sides do not answer equally much, so that a number to what each answers
        compares nothing."""
        return self.delta.description is not None


def charged(artifact: MetricsArtifact) -> str:
    """The key of the charged area: by its price."""
    price = float(artifact.options.get("price", PRICE))
    metric = METRICS["augrc_charge"]
    return metric.name if price == PRICE else metric.at(loss=price).name


def rows_of(artifact: MetricsArtifact, function: str) -> list[Row]:
    """What is compared by one confidence function, the verdict first."""
    comparison = artifact.comparison
    deltas = (comparison.deltas or {}).get(function, {})
    rows = []
    risk, times = _risk(artifact)
    if (matched := comparison.matched.get(function)) is not None:
        rows.append(Row(f"{risk}, surest {matched.coverage:.1%}", matched.tested.times(times)))
        if matched.guard.delta != matched.difference.delta:
            rows.append(Row("Same, other side uncut", matched.guard.times(times)))
    keys = (charged(artifact), "augrc_full", "aurc_full", "failure_auroc")
    rows += [Row(title_of(key), deltas[key], unit_of(key)) for key in keys if key in deltas]
    return [row for row in rows if not row.is_described]


def _risk(artifact: MetricsArtifact) -> tuple[str, float]:
    """What a mean loss is called in a table, and what it is multiplied by."""
    if artifact.distance is None:
        return "Mean loss", 1.0
    return f"Mean error{in_words(artifact)}", artifact.distance


def shared_rows(artifact: MetricsArtifact) -> list[Row]:
    """What is compared whatever the confidence."""
    comparison = artifact.comparison
    coverage = _coverage(artifact)
    rows = [] if coverage is None else [Row("Coverage", coverage, Unit.SHARE)]
    if comparison.both is not None:
        risk, times = _risk(artifact)
        rows.append(Row(f"{risk}, both answer", comparison.both.times(times)))
    return rows


def comparison_table(artifact: MetricsArtifact, names: Sequence[str]) -> Table | None:
    """What is tested of two runs, and what is described, by the confidence that is looked at."""
    best = artifact.best_function
    ranked = [] if best is None else rows_of(artifact, best)
    rows = tuple((Cell(row.title), *_cells(row)) for row in (*ranked, *shared_rows(artifact)))
    return Table("", ("", *names, "difference", "p"), rows) if rows else None


def _cells(row: Row) -> list[Cell]:
    sides = [amount(value, row.unit) for value in (row.delta.left, row.delta.right)]
    return [*sides, measured_cell(row.delta, row.unit, signed=True), p_cell(row.delta.p_adjusted)]


def verdict(artifact: MetricsArtifact, names: Sequence[str]) -> str:
    """Which run is better at equal coverage, or that these cases cannot show it; and coverage."""
    if is_small(artifact.population):
        return too_few(artifact.population)
    return " ".join([_at_equal_coverage(artifact, names), *_beside(artifact, names)])


def too_few(people: Population) -> str:
    """That nothing is claimed of so few cases."""
    few = f"{judged(people)} {'is' if people.participants_included == 1 else 'are'} too few"
    return f"{few} to claim a difference (at least {RELIABLE_CASES})."


def better(called: str, than: Sequence[str] = ()) -> str:
    """That a system is better, or better than others; the words that a test has earned."""
    claim = Claim.BETTER.say(side=called)
    return f"{claim} than {listed(than)}" if than else claim


def favoured(artifact: MetricsArtifact) -> dict[Side, list[str]]:
    """Side -> the functions by which it is better at equal coverage."""
    matched = artifact.comparison.matched
    return {side: [f for f, m in matched.items() if m.favours == side] for side in SIDES}


def _at_equal_coverage(artifact: MetricsArtifact, names: Sequence[str]) -> str:
    matched, favours = artifact.comparison.matched, favoured(artifact)
    if not matched and artifact.comparison.deltas:
        return "The file compares no risk at equal coverage, so neither is shown to be better."
    if not matched:
        why = "Without a confidence they cannot be compared at equal coverage."
        both = artifact.comparison.both
        if both is None or both.favours is not None or both.delta is None:
            return why
        by = _by(artifact, both, names)
        return f"On the rows that both answered, neither is shown to err less ({by}). {why}"
    if not all(m.coverage for m in matched.values()):
        return "Nothing can be compared: a side answers nothing."
    people = judged(artifact.population)
    nothing = f"no difference that {people} could show"
    start = f"At equal coverage ({next(iter(matched.values())).coverage:.1%})"
    parts = []
    for side, called in zip(SIDES, names, strict=True):
        functions = favours[side]
        claim = better(called)
        if functions and len(functions) == len(matched):
            every = f" by each of {len(matched)} functions" if len(matched) > 1 else ""
            lead = next((f for f in artifact.functions if f in matched), functions[0])
            first = f"by {name(lead)}, " if every else ""
            little = undone(matched[f].fragility for f in functions)
            by = _by(artifact, matched[lead].difference, names)
            return f"{start} {claim}{every} ({first}{by}).{little}"
        if functions:
            parts.append(f"{claim} by {listed([name(f) for f in functions], 3)}")
    rest = len(matched) - sum(map(len, favours.values()))
    if rest:
        parts.append(f"by the other {rest} {nothing}" if parts else nothing)
    little = undone(m.fragility for m in matched.values() if m.favours is not None)
    return f"{start} {'; '.join(parts)}.{little}"


def _risk_in_words(artifact: MetricsArtifact) -> str:
    if artifact.distance is None:
        return "mean loss"
    return "mean error in levels" if in_words(artifact) else "mean error"


def _by(artifact: MetricsArtifact, risk: Delta, names: Sequence[str]) -> str:
    difference = said(risk.times(artifact.distance or 1.0), Unit.LOSS, signed=True)
    return f"{_risk_in_words(artifact)}, {names[1]} − {names[0]}: {difference}"


def _beside(artifact: MetricsArtifact, names: Sequence[str]) -> Iterator[str]:
    """What else is claimed, each in a sentence: coverage, rows of both, charged areas."""
    called = dict(zip(SIDES, names, strict=True))
    comparison = artifact.comparison
    coverage = _coverage(artifact)
    if coverage is not None and coverage.favours is not None:
        claim = Claim.ANSWERS_MORE.say(side=called[coverage.favours])
        yield f"{claim} ({_shares(coverage)})."
    if comparison.both is not None and comparison.both.favours is not None:
        yield f"{Claim.ERRS_LESS.say(side=called[comparison.both.favours])}."
    key = charged(artifact)
    costs = [by[key] for by in (comparison.deltas or {}).values() if key in by]
    for side in dict.fromkeys(delta.favours for delta in costs):
        if side is not None:
            price = float(artifact.options.get("price", PRICE))
            some = "" if all(d.favours == side for d in costs) else " by some functions"
            claim = Claim.COSTS_LESS.say(side=called[side])
            yield f"{claim}{some} (an abstention costs {price:g})."


def _coverage(artifact: MetricsArtifact) -> Delta | None:
    """The difference in coverage; it is the same by every function."""
    for deltas in (artifact.comparison.deltas or {}).values():
        return deltas.get("cmax")
    return None


def _shares(coverage: Delta) -> str:
    return f"{100 * (coverage.left or 0.0):.1f}% and {100 * (coverage.right or 0.0):.1f}%"


def details(artifact: MetricsArtifact) -> list[str]:
    """The verdict in numbers, by the first function; and the guard, where it alone is against."""
    names, first = artifact.input_names, next(iter(artifact.functions), "")
    matched = artifact.comparison.matched.get(first)
    if matched is None or matched.left is None or matched.right is None:
        return []
    unit = artifact.distance or 1.0
    difference = matched.difference.times(unit)
    interval = difference.interval
    ends = ", without an interval"
    if interval is not None:
        level = f"{100 * interval.confidence_level:g}% interval"
        ends = f", {level} {bracketed(f'{interval.low:+.4f}', f'{interval.high:+.4f}')}"
    numbers = (
        f"Ranked by {name(first)}, the surest {matched.coverage:.1%} of the judgments have a "
        f"{_risk_in_words(artifact)} of {unit * matched.left:.4f} for {names[0]} and "
        f"{unit * matched.right:.4f} for {names[1]}: {difference.delta:+.4f}{ends}."
    )
    return [numbers, *_guarded(matched, names)]


def _guarded(matched: Matched, names: Sequence[str]) -> list[str]:
    """Where the guard alone stands against a claim: what it says."""
    interval, guard = matched.difference.interval, matched.guard.interval
    if matched.favours is not None or interval is None or interval.has_zero or guard is None:
        return []
    if not guard.has_zero:
        return []
    better, other = names if (matched.difference.delta or 0.0) > 0.0 else reversed(names)
    return [
        f"That alone does not make {better} better: against all that {other} answers the "
        f"difference is not shown, so cutting {other} to fewer answers may be what harms it."
    ]


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names in a sentence; of many the first.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a, b and c', 'a, b and 1 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
