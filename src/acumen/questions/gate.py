"""May this run replace that one, or does it meet a bound? An answer for continuous integration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack, cast

from acumen.declare import given, say
from acumen.defaults import CONFIDENCE, LOSS, MISSING
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.decisions import Check, GateDocument
    from acumen.table.losses import AnyLoss

_NAMES = list[str] | None


@question(
    "acumen gate new.json base.json --metric augrc --metric mae --margin .01 --junit gate.xml",
    "acumen gate scored.json --metric auprc --metric process --metric consistency --at-least .75",
    "acumen gate new.json base.json --metric total_accuracy --margin .05 --missing bound",
    "acumen gate rows.csv --metric quadratic_kappa --at-least .5 --least-cases 20 --by site",
    "acumen gate rows.csv --metric accuracy --at-least .6 --repeated",
)
def gate(
    new: options.Run,
    base: Annotated[Any, given("The baseline, a run of the same cases.", kind=str | None)] = None,
    *,
    metric: Annotated[
        options.Names | None, say("A metric that must pass; repeatable.", kind=_NAMES)
    ] = None,
    margin: Annotated[float | None, say("How much worse than the baseline is allowed.")] = None,
    equivalence: Annotated[bool, say("The margin holds both ways.")] = False,
    superiority: Annotated[bool, say("Ask for better than the baseline.")] = False,
    at_least: Annotated[float | None, say("The least value of the new run.")] = None,
    at_most: Annotated[float | None, say("The largest value of the new run.")] = None,
    file: Annotated[
        str | Path | None,
        say("A gate file (TOML) with several requirements.", kind=Path | None, is_file=True),
    ] = None,
    by: Annotated[
        options.Names | None, say("A column to slice by: all groups must pass.", kind=_NAMES)
    ] = None,
    least_cases: Annotated[int | None, say("With fewer cases it does not pass.", least=0)] = None,
    undecided: Annotated[str | None, say("pass or fail: what undecided counts as.")] = None,
    repeated: Annotated[
        bool, say("Ask again while cases are added: the promise covers all answers.")
    ] = False,
    most_items: Annotated[
        int | None, say("With --repeated: the most judgments that a case can have.", least=1)
    ] = None,
    confidence: Annotated[str | None, say("The confidence function to go by.")] = None,
    loss: Annotated[
        AnyLoss | None, say("As of acumen evaluate.", kind=str | None, is_file=True)
    ] = None,
    mode: options.Mode = None,
    calibration: options.Calibration = None,
    intersection_only: options.Intersection = False,
    missing: options.Missing = MISSING,
    **reading: Unpack[Reading],
) -> GateDocument:
    """Pass (exit code 0), fail (1) or leave undecided (5) what is asked of a run.

    It is asked against a baseline, or against fixed bounds. Two predictions of one file are the new
    one and the baseline: ``--prediction NEW,BASE``. Every metric must pass, in every group
    of ``by``. Where there are too few data to decide, the verdict is ``undecided``; with
    ``missing="bound"`` also where it depends on what rows without a usable reply might have been.

    Examples
    --------
    >>> import acumen
    >>> table = acumen.from_columns(case=range(20), truth=[0, 1] * 10, prediction=[0, 1] * 10)
    >>> acumen.gate(table, metric="accuracy", at_least=0.7).document.verdict
    'pass'
    """
    import numpy as np

    from acumen.decisions.gate import (
        bounded_check_of,
        check_of,
        find_views,
        groups_of,
        measure,
        measuring_repeatedly,
        missing_sides,
        together,
    )
    from acumen.decisions.gate_file import gate_of
    from acumen.decisions.sample import made_now, origin
    from acumen.errors import UsageError, printable
    from acumen.evaluation.inputs import calibration_of, one_table, two_systems
    from acumen.evaluation.missing import count_as_wrong, how_of, keep
    from acumen.evaluation.plan import Plan
    from acumen.inference.fragile import unseen
    from acumen.results.decisions import GateDocument
    from acumen.table.align import align, refuse_identical
    from acumen.table.distribution import under_loss
    from acumen.table.judgments import Judgments
    from acumen.table.losses import find_loss

    kinds = {"margin": margin, "equivalence": equivalence, "superiority": superiority}
    from acumen.decisions.verdict_gate import checks_of, scores_in

    asks = gate_of(file, _listed(metric), **kinds, at_least=at_least, at_most=at_most)
    columns, policy = [*asks.by, *_listed(by)], undecided or asks.undecided
    if policy not in (None, "pass", "fail"):
        raise UsageError(f"undecided counts as pass or fail, not as '{printable(policy)}'")
    if most_items is not None and not repeated:
        raise UsageError("most_items belongs to a gate that is asked repeatedly: --repeated")
    if repeated and how_of(missing) == "bound":
        raise UsageError("bounds over missing rows hold for one look: leave out one of the two")
    if (scores := scores_in(new)) is not None:
        if repeated:
            raise UsageError("scored verdicts have intervals of their own; leave --repeated out")
        if how_of(missing) != "drop":
            raise UsageError(
                "scored verdicts have their own count of what failed; leave missing out"
            )
        if base is not None or columns:
            raise UsageError(
                "scored verdicts are checked against bounds, or as two methods of one file: acumen "
                "score BASE NEW -o both.json, and give that alone"
            )
        held = [*checks_of(scores, asks.require, max(least_cases or 0, asks.least_cases))]
        return GateDocument(
            **made_now(),
            verdict=together([check.verdict for check in held]),
            undecided_counts_as=cast("Any", policy),
            checks=held,
            cases=min(check.cases for check in held),
            least_cases=max(least_cases or 0, asks.least_cases),
        )
    if columns and not isinstance(new, Judgments):
        reading = {**reading, "group": [*_listed(reading.get("group")), *columns]}
    tables = two_systems(new, mode, reading) if base is None else []
    if not tables:
        tables = [one_table(side, mode, reading) for side in (new, base) if side is not None]
    if len(tables) == 1 and any(r.is_of_two for r in asks.require):
        raise UsageError(
            "a margin needs a baseline: give NEW and BASE, or two predictions of one "
            "file, the new one first: --prediction NEW,BASE"
        )
    own_loss = find_loss(asks.loss or LOSS if loss is None else loss)
    tables = [under_loss(table, own_loss) for table in tables]
    if how_of(missing) == "wrong":
        tables = [count_as_wrong(table, own_loss) for table in tables]
    with_missing = [keep(table) for table in tables] if missing == "bound" else []

    def aligned(sides: list[Judgments]) -> list[Judgments]:
        if len(sides) == 2:
            pair = align(sides[1], sides[0], intersection_only=intersection_only)
            sides = [pair.left, pair.right]
        return [side.scored for side in sides]

    tables = aligned(tables)
    if len(tables) == 2:
        refuse_identical(tables, ["the baseline", "the new run"])
    whole = dict(groups_of(aligned(with_missing), columns)) if with_missing else {}
    plan = Plan(loss=own_loss, calibration=calibration_of(calibration))
    selector = confidence or asks.confidence or CONFIDENCE
    least, names = max(least_cases or 0, asks.least_cases), set[str]()
    checks: list[Check] = []
    measuring = measuring_repeatedly(most_items) if repeated else measure
    for group, sides in groups_of(tables, columns):
        for asked in asks.require:
            of = sides if asked.is_of_two else sides[-1:]
            known, views, name = find_views(asked.metric, of, plan, selector, repeatedly=repeated)
            facts = {"group": group, "cases": len(sides[0].cases)}
            fewest, rule = 0 if group else least, asked.asked[0]
            if whole:
                of = whole[group] if asked.is_of_two else whole[group][-1:]
                bounded = missing_sides(known, of, plan, name)
                checks.append(bounded_check_of(rule, known, views, bounded, fewest, facts))
            else:
                checks.append(check_of(rule, known, views, fewest, facts, measuring))
            names |= set() if name is None else {name}
    return GateDocument(
        **origin(tables[0], max(names, default=None), own_loss),
        verdict=together([check.verdict for check in checks]),
        undecided_counts_as=cast("Any", policy),
        checks=checks,
        cases=len(tables[0].cases),
        least_cases=least,
        repeated=repeated,
        unseen=unseen(np.ones(len(tables[0].cases))),
    )


def _listed(value: options.Names | None) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())
