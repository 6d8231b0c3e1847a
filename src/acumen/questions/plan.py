"""How many cases does a study need?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Unpack

from acumen.declare import given, say
from acumen.defaults import CONFIDENCE, LOSS, PLAN_METRIC, POWER, SEED
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.decisions import PlanDocument


@question(
    "acumen plan run.json --mode zero_shot --mode few_shot --confidence token_msp --detect .005",
    "acumen plan --sd .1 --detect .03 --non-inferiority --power .9",
)
def plan(
    pilot: Annotated[Any, given("A pilot run; else give --sd.", kind=str | None)] = None,
    other: Annotated[Any, given("Another run, to be compared with it.", kind=str | None)] = None,
    *,
    detect: Annotated[float, say("The difference to show, or the margin.")],
    metric: Annotated[str, say("What is measured.")] = PLAN_METRIC,
    sd: Annotated[float | None, say("A guess of how much cases differ.")] = None,
    non_inferiority: Annotated[bool, say("One-sided: --detect is a margin.")] = False,
    power: Annotated[float, say("The chance to show it.")] = POWER,
    draws: Annotated[float, say("Standard deviation of a judgment between repeats.")] = 0.0,
    agreement: Annotated[
        float | None,
        say(
            "Correlation of a judge with the labels.",
            more="For studies in which only some cases are labelled.",
        ),
    ] = None,
    confidence: options.OneConfidence = CONFIDENCE,
    loss: options.Loss = LOSS,
    mode: options.AnyModes = None,
    calibration: options.Calibration = None,
    seed: Annotated[int, say("Seed of the simulation.", least=0)] = SEED,
    **reading: Unpack[Reading],
) -> PlanDocument:
    """Say how many cases show a difference, from a pilot or from a guess.

    A pilot of two runs, or of two modes of one, tells how much their paired difference varies; of
    one run, how much its own value does.

    Examples
    --------
    >>> import acumen
    >>> acumen.plan(detect=0.03, sd=0.1).document.cases
    90
    """
    import math
    from functools import partial

    import numpy as np

    from acumen.decisions import plan as planning
    from acumen.decisions.gate import find_views
    from acumen.decisions.sample import origin
    from acumen.errors import DataError, UsageError
    from acumen.evaluation.inputs import calibration_of, tables_of
    from acumen.evaluation.plan import Plan
    from acumen.results.decisions import Design, PlanDocument
    from acumen.table.align import align
    from acumen.table.distribution import under_loss
    from acumen.table.losses import find_loss

    if not (detect > 0.0 and 0.0 < power < 1.0):
        raise UsageError("detect is above 0, and power between 0 and 1")
    if (pilot is None) == (sd is None) or (sd is not None and not 0.0 < sd < math.inf):
        raise UsageError("give a pilot, or sd: how much cases differ, above 0")
    if agreement is not None and not -1.0 <= agreement <= 1.0:
        raise UsageError(f"agreement is a correlation, not {agreement:g}")
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(100_000) * (sd or 1.0)
    components, facts = None, dict[str, Any](metric=None)
    if pilot is not None:
        one = mode if mode is None or isinstance(mode, str) or len(mode) == 2 else mode[0]
        inputs = [pilot] if other is None else [pilot, other]
        tables = list(tables_of(inputs, one, reading).values())
        if len(tables) == 2:
            pair = align(tables[0], tables[1])
            tables = [pair.left, pair.right]
        how = Plan(loss=find_loss(loss), calibration=calibration_of(calibration))
        tables = [under_loss(table.scored, how.loss) for table in tables]
        known, views, name = find_views(metric, tables, how, confidence)
        values = planning.pseudo_values(known, views)
        components = planning.components(known, views, float(values.var(ddof=1)))
        facts = {"metric": known.name, **origin(tables[0], name, loss)}
    spread = float(values.std(ddof=1)) if sd is None else sd
    if not spread > 0.0:
        raise DataError(["leaving out any one case changes nothing: there is no sd to plan with"])
    reach = partial(planning.power_at, one_sided=non_inferiority)
    enough = partial(planning.cases_for, power=power, one_sided=non_inferiority)
    n = enough(detect, spread)
    sizes = sorted({max(2, math.ceil(n * share)) for share in (0.25, 0.5, 0.75, 1, 1.5, 2)})
    shifted = detect + values.mean() - values
    by_formula = None if non_inferiority else planning.normal_cases(detect, spread**2, power)
    n_pilot = None if pilot is None else len(values)
    return PlanDocument(
        **facts,
        detect=detect,
        one_sided=non_inferiority,
        sd=spread,
        cases=n,
        power=reach(n, detect, spread),
        simulated=planning.simulate(shifted, n, rng, one_sided=non_inferiority),
        normal_cases=by_formula,
        pilot_cases=n_pilot,
        smallest_effect=n_pilot and planning.smallest(reach, n_pilot, spread, power),
        curve=[Design(cases=size, power=reach(size, detect, spread)) for size in sizes],
        designs=[
            *planning.by_items(components, draws, enough, detect),
            *planning.by_labels(n, agreement, power),
        ],
    )
