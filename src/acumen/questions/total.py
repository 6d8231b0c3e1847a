"""What do the items of a person add up to, and on which side of the cut is that?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from acumen.declare import given, say
from acumen.defaults import ALPHA, CONFIDENCE, CONFIDENCE_LEVEL, DELTA
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.evaluation.inputs import Modes
    from acumen.results.totals import CaseThreshold, TotalsDocument
    from acumen.table.totals import Side
    from acumen.totals.document import Aggregate, System

_PROMISE = "Which cases may be used"
_OPEN = "Cases with open items"


@question(
    "acumen total run.json --mode few_shot --cut 10 --bands 5,10,15,20 --output total.json",
    "acumen total run.json --mode few_shot --prorate .75 --confidence token_msp --risk 2",
)
def total(
    *inputs: Annotated[
        Any,
        given(
            f"Run files ({options.FORMATS}); - is stdin.",
            metavar="RUN…",
            kind=str,
            alias="--input",
            more="One a system, as for :func:`evaluate`; two systems are compared.",
        ),
    ],
    mode: Annotated[
        Modes,
        say(
            "Mode of each run; two compare those of one run.",
            kind=list[str] | None,
        ),
    ] = None,
    total: Annotated[
        str | None, say("Which total, where the scale declares several.", metavar="NAME")
    ] = None,
    cut: Annotated[float | None, say("The cut of the total; else that of the scale.")] = None,
    positive: Annotated[
        Side | None,
        say(
            "Positive is high (at the cut or above) or low (at the cut or below).",
            kind=str | None,
        ),
    ] = None,
    bands: Annotated[
        str | Sequence[float] | None,
        say("Where bands begin, with commas; else as declared.", kind=str | None),
    ] = None,
    prorate: Annotated[
        float | None,
        say(
            "Share of the items that must be answered for a total.",
            panel=_OPEN,
            more="By default all: an open item leaves a range.",
        ),
    ] = None,
    alpha: Annotated[
        float, say("Chance that an interval does not hold the truth.", panel=_OPEN)
    ] = ALPHA,
    confidence: Annotated[
        str, say("The confidence function of the items.", panel=_PROMISE)
    ] = CONFIDENCE,
    aggregate: Annotated[
        Aggregate,
        say("Confidence of a case: min or mean of those of its items.", panel=_PROMISE, kind=str),
    ] = "min",
    risk: Annotated[
        float | None,
        say("Find a threshold: the largest mean error of totals, in points.", panel=_PROMISE),
    ] = None,
    wrong: Annotated[
        float | None,
        say("Find a threshold: the largest share on the wrong side.", panel=_PROMISE),
    ] = None,
    delta: Annotated[float, say("Chance that the true risk is larger.", panel=_PROMISE)] = DELTA,
    by: Annotated[
        options.Names | None,
        say("Slice the cases by a column; repeatable.", metavar="COLUMN", kind=list[str] | None),
    ] = None,
    confidence_level: options.ConfidenceLevel = CONFIDENCE_LEVEL,
    **reading: Unpack[Reading],
) -> TotalsDocument:
    """Add up the items of each case, and hold the totals and their side of a cut against the truth.

    A case with open items has a range from the least to the most that its total may be; it is
    decided where the whole range lies on one side of the cut, and open otherwise.

    Examples
    --------
    >>> import acumen
    >>> rows = [{"case": c, "item": i, "truth": c % 3, "prediction": None if c == i == 4 else c % 3}
    ...         for c in range(12) for i in range(5)]
    >>> document = acumen.total(rows, levels="0-2", cut=6).document
    >>> [(row.total, row.low, row.high, row.decision) for row in document.systems[0].rows[3:5]]
    [(0.0, 0.0, 0.0, 'below'), (None, 4.0, 6.0, 'open')]
    """
    from acumen.decisions.threshold import numbers_of
    from acumen.errors import UsageError
    from acumen.evaluation.build import input_names
    from acumen.evaluation.inputs import tables_of, with_groups
    from acumen.table.align import on_one_scale
    from acumen.totals.document import Plan, System, document_of
    from acumen.totals.formula import total_of

    if not inputs:
        raise UsageError("give an input: a path, a table, a dataframe or a list of rows")
    if not 0.0 < delta < 1.0:
        raise UsageError(f"delta is a chance between 0 and 1, not {delta:g}")
    if positive not in (None, "high", "low"):
        raise UsageError("positive is high or low: the side of the cut that is looked for")
    columns = (by,) if isinstance(by, str) else tuple(by or ())
    tables = tables_of(inputs, mode, with_groups(reading, columns, inputs))
    tables = dict(zip(tables, on_one_scale([*tables.values()]), strict=True))
    is_named = len(inputs) == 1 and isinstance(inputs[0], Mapping)
    names = list(tables) if is_named else input_names([*tables.values()])
    starts = None if bands is None else numbers_of(bands, "bands")
    declared = total_of(next(iter(tables.values())).scale, total)
    plan = Plan(
        total=declared.cut_at(cut, starts, positive),
        prorate=prorate,
        alpha=alpha,
        confidence=confidence,
        aggregate=aggregate,
        by=columns,
        level=confidence_level,
    )
    systems = [System.of(n, t, plan) for n, t in zip(names, tables.values(), strict=True)]
    asked = {"total": risk, "side": wrong}
    thresholds = {system.name: _thresholds(system, asked, delta) for system in systems}
    return document_of(systems, thresholds, plan)


def _thresholds(
    system: System, asked: Mapping[str, float | None], delta: float
) -> list[CaseThreshold]:
    """The thresholds that are asked for, thresholds among cases as if each were one judgment."""
    from acumen.errors import UsageError
    from acumen.questions.threshold import threshold
    from acumen.results.totals import CaseThreshold

    thresholds = []
    low, high = system.read.sums.formula.ends
    for of, limit in asked.items():
        if limit is None:
            continue
        most = 1.0 if of == "side" else high - low
        if not 0.0 < limit < most:
            what = "wrong is a share of cases" if of == "side" else "risk is in points of the total"
            raise UsageError(f"{what}, between 0 and {most:g}, not {limit:g}")
        if of not in system.tables:
            needs = {
                "the truth (--truth COLUMN)": system.read.sums.has_truth,
                "a confidence (--confidence-column COLUMN)": system.confidence is not None,
                "a cut (--cut)": of == "total" or system.read.sums.formula.total.cut is not None,
            }
            lacks = [what for what, is_there in needs.items() if not is_there]
            lacks = lacks or ["totals on a scale of at most 1000 levels"]
            raise UsageError(f"a threshold needs {' and '.join(lacks)}")
        case, step = system.tables[of], system.tables[of].step
        own = threshold(case.table, risk=limit / step, delta=delta, loss=case.loss).document
        thresholds.append(
            CaseThreshold(
                of=of,  # type: ignore[arg-type]  # one of the two names above
                risk=limit,
                delta=delta,
                certified=own.certified,
                threshold=own.threshold,
                risk_here=None if own.risk is None else own.risk * step,
                coverage=own.coverage,
                method=own.method,
                test=own.test,
                cases_needed=own.cases_needed,
            )
        )
    return thresholds
