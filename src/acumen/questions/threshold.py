"""Above which confidence may answers be used, so that few of them are wrong?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from acumen.declare import say
from acumen.defaults import CONFIDENCE, DELTA, EXACT_TEST, LOSS, STARTS
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.decisions import ThresholdDocument


@question(
    "acumen threshold run.json --mode few_shot --confidence token_msp --risk .2 -o threshold.json",
    "acumen threshold rows.csv --risk .1 --delta .05 --loss zero_one --method exact "
    "--grid .5,.7,.9",
    "acumen threshold run.json --mode few_shot --confidence token_msp --coverage .5",
    "acumen threshold rows.csv --risk .3 --loss zero_one --grid .5,.7 --repeated",
    "acumen threshold rows.csv --risk .3 --loss zero_one --starts auto",
    "acumen threshold rows.csv --risk .35 --loss zero_one --also abs=.5",
)
def threshold(
    run: options.Run,
    *,
    risk: Annotated[float | None, say("The largest risk allowed, in units of the loss.")] = None,
    coverage: Annotated[
        float | None,
        say(
            "Instead of a risk: the share of all rows to keep.",
            more="""The cut that keeps it is found, and the risk that can be promised above it.""",
        ),
    ] = None,
    also: Annotated[
        Mapping[str, float] | Sequence[str],
        say(
            "A further risk that is kept as well, LOSS=RISK; repeatable.",
            metavar="LOSS=RISK",
            kind=list[str] | None,
            more="""All hold together with the one chance of error: each is tested at all of it.""",
        ),
    ] = (),
    confidence: options.OneConfidence = CONFIDENCE,
    delta: Annotated[float, say("Chance that the true risk is larger.")] = DELTA,
    method: Annotated[
        str | None,
        say(
            "exact, approx, sgr or crc; by default what suits the data.",
            more="""exact: binomial, or by case the test that is named; approx: Korn–Graubard; crc
            promises the mean loss of a case. By default exact where it can be sharp: one
            right-or-wrong item a case, or 200 cases.""",
        ),
    ] = None,
    test: Annotated[str, say("Of exact: betting or hoeffding-bentkus.")] = EXACT_TEST,
    starts: Annotated[
        str | Sequence[float],
        say(
            "Shares of the grid where the search begins, or auto.",
            kind=str,
            more="""``auto`` takes two by the number of cases, and they share the chance of error
            as they succeed. Those that are given have equal parts of it, handed on.""",
        ),
    ] = STARTS,
    grid: Annotated[
        str | Sequence[float] | None,
        say(
            "ranks, values, apart, or thresholds with commas.",
            kind=str | None,
            more="""``ranks`` of the answered rows, ``values`` of a discrete confidence, or
            ``apart``: ranks in a fifth of the cases, which are not tested.""",
        ),
    ] = None,
    most_items: Annotated[
        int | None,
        say(
            "The most judgments that a case can have.",
            least=1,
            more="By default the scale's items, or the most there are.",
        ),
    ] = None,
    repeated: Annotated[
        bool,
        say(
            "Choose again while cases are added; needs a grid of thresholds.",
            more="""The promise is of all thresholds that are ever delivered, by betting.""",
        ),
    ] = False,
    inclusion: options.Inclusion = None,
    loss: options.Loss = LOSS,
    mode: options.Mode = None,
    calibration: options.Calibration = None,
    **reading: Unpack[Reading],
) -> ThresholdDocument:
    """Find the confidence above which answers may be used, so that their risk is at most --risk.

    With --coverage: the cut that keeps so many rows, and the risk that can be promised above it.

    Over the draw of these cases, the true risk of what it accepts is larger with chance ``delta``
    at most. Where nothing can be certified, the document says how many cases could.

    Examples
    --------
    >>> import acumen
    >>> table = acumen.from_columns(case=range(60), truth=[0] * 60, prediction=[0] * 56 + [1] * 4,
    ...                             confidence=[0.9] * 50 + [0.4] * 10)
    >>> document = acumen.threshold(table, risk=0.1).document
    >>> document.threshold, document.method, round(document.coverage.value, 2)
    (0.4, 'exact', 0.83)
    """
    import numpy as np

    from acumen.confidence import compute
    from acumen.decisions.keep import cut_for, promise
    from acumen.decisions.sample import (
        hashes_of,
        one_confidence,
        origin,
        sample_of,
        with_more,
        with_weights,
    )
    from acumen.decisions.threshold import (
        Search,
        also_of,
        asked_repeatedly,
        cases_needed,
        coverage_of,
        grid_of,
        least_open,
        method_and_test,
        numbers_of,
        undone_by,
    )
    from acumen.errors import UsageError
    from acumen.evaluation.inputs import calibration_of, one_table
    from acumen.raters.inclusion import beside, drawn_with
    from acumen.results.decisions import ThresholdDocument
    from acumen.table.distribution import under_loss

    drawn: dict[str, Any] = {**reading, **beside(reading, inclusion)}
    read = one_table(run, mode, drawn).scored  # type: ignore[arg-type]  # keywords of this door
    table = under_loss(read, loss)
    chances = None if inclusion is None else drawn_with(table, inclusion)
    artifact = calibration_of(calibration)
    name = one_confidence(confidence, table, artifact)
    sample = sample_of(table, name, loss, artifact)
    sample = with_weights(sample, table, None if chances is None else chances.weights)
    if not 0.0 < delta < 1.0:
        raise UsageError(f"delta is a chance between 0 and 1, not {delta:g}")
    if (risk is None) == (coverage is None):
        raise UsageError("say how much may go wrong (--risk), or how much to keep (--coverage)")
    if risk is not None and not 0.0 < risk < sample.most_loss:
        most = sample.most_loss
        raise UsageError(f"a risk is between 0 and the largest loss, {most:g}, not {risk:g}")
    if coverage is not None and not 0.0 < coverage <= 1.0:
        raise UsageError(f"a coverage is above 0 and at most 1, not {coverage:g}")
    if coverage is not None and grid is not None:
        raise UsageError("a coverage has one cut; leave the grid out")
    if also and coverage is not None:
        raise UsageError("a cut that keeps a coverage is promised one risk; leave --also out")
    if also and method in ("sgr", "crc"):
        raise UsageError(f"{method} promises one risk; several at once take exact or approx")
    sample = with_more(sample, table, name, [also] if isinstance(also, str) else also, artifact)
    design, largest = most_items or len(table.scale.items), int(sample.rows.max())
    if most_items is not None and most_items < largest:
        raise UsageError(f"most_items is {most_items}, and a {table.scale.case} has {largest} rows")
    if repeated and coverage is not None:
        raise UsageError("a cut that keeps a coverage moves with the cases; leave --repeated out")
    if repeated and sample.weight is not None:
        raise UsageError("cases that come one by one are not drawn; leave --inclusion out")
    own = asked_repeatedly(method, grid) if repeated else None
    by, test_by = own or method_and_test(method, test, sample)
    begins = () if starts == "auto" else numbers_of(starts, "starts")
    alpha = 1.0 if risk is None else risk / sample.most_loss
    further = tuple(other.alpha for other in sample.also)
    search = Search(by, test_by, alpha, delta, begins, max(design, largest), further)
    if coverage is None:
        tested, thresholds = grid_of(sample, grid, search)
        points = search.certify(tested, thresholds)
    else:
        tested, cut = cut_for(sample, coverage, search)
        search, point = promise(tested, cut, search)
        points, thresholds = [point], np.array([cut])
    best = next((p for p in reversed(points) if p.certified), None)
    undone, hidden = undone_by(search, tested, best)
    return ThresholdDocument(
        **origin(table, name, loss),
        threshold=None if best is None else best.threshold,
        certified=best is not None,
        risk=None if best is None else best.risk,
        coverage=coverage_of(table, best, compute(name, table, calibration=artifact), sample),
        target_coverage=coverage,
        alpha=search.alpha * sample.most_loss if risk is None else risk,
        delta=None if by == "crc" else delta,
        method=by,
        test=test_by,
        method_is_default=method is None and not repeated,
        cases=sample.n,
        cases_apart=sample.n - tested.n,
        cases_needed=cases_needed(search, tested, thresholds, sample.n) if best is None else None,
        fewest_cases=search.fewest_cases if coverage is None else None,
        items=search.items,
        items_declared=design >= largest,
        least_open=least_open(sample, search.alphas) if best is None else None,
        undone_by=undone,
        unseen=hidden,
        grid=points,
        also=also_of(sample, best),
        drawn=None if chances is None else chances.facts,
        case_hashes=hashes_of(table),
    )
