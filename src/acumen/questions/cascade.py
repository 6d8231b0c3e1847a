"""Which judge answers what, at which price, so that the whole keeps one promise?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from acumen.declare import given, say
from acumen.defaults import CONFIDENCE, DELTA, LOSS
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.cascades import CascadeDocument


@question(
    "acumen cascade gpt.csv llama.csv --risk .3 --loss zero_one --price 1,20 --person-price 100",
    "acumen cascade llama.csv gpt.csv qwen.csv --risk .35 --loss zero_one --price 1,5,20 "
    "--person-price 50 --delta .05",
)
def cascade(
    *inputs: Annotated[
        Any,
        given(
            "Runs of the same cases, the first judge first.",
            kind=str,
            metavar="RUN...",
            more="Or tables, dataframes, lists of rows.",
        ),
    ],
    risk: Annotated[float, say("The largest risk allowed of all that is not referred.")],
    price: Annotated[
        str | Sequence[float], say("Price of a row at each stage, with commas.", kind=str)
    ],
    person_price: Annotated[float, say("Price of a row that people answer.", least=0)],
    confidence: options.OneConfidence = CONFIDENCE,
    delta: Annotated[float, say("Chance that the true risk is larger.")] = DELTA,
    loss: options.Loss = LOSS,
    intersection_only: options.Intersection = False,
    **reading: Unpack[Reading],
) -> CascadeDocument:
    """Find thresholds for judges that are asked one after another, with one promise of the whole.

    What a stage is not sure enough of goes to the next, and what no stage accepts to people. The
    answer is compared with each stage alone and against people alone.

    Examples
    --------
    >>> import acumen
    >>> facts = dict(case=range(200), truth=[0, 1] * 100, scale=[0, 1])
    >>> small = acumen.from_columns(**facts, prediction=[0, 1] * 50 + [0] * 100,
    ...                             confidence=[0.9] * 100 + [0.2] * 100)
    >>> large = acumen.from_columns(**facts, prediction=[0, 1] * 100, confidence=[0.9] * 200)
    >>> document = acumen.cascade(small, large, risk=0.1, price=[1, 10], person_price=100).document
    >>> document.certified, round(document.cascade.price, 1)
    (True, 6.4)
    """
    from acumen.decisions.cascade import MOST_STAGES, Prices, aligned, cascade_of
    from acumen.errors import UsageError
    from acumen.evaluation.build import input_names
    from acumen.evaluation.inputs import tables_of
    from acumen.table.align import refuse_identical

    tables = [table.scored for table in tables_of(inputs, None, reading).values()]
    if not 2 <= len(tables) <= MOST_STAGES:
        raise UsageError(f"a cascade has 2 to {MOST_STAGES} stages, not {len(tables)}")
    names = input_names(tables)
    refuse_identical(tables, names)
    prices = prices_of(price, len(tables))
    if not 0.0 <= person_price < float("inf"):
        raise UsageError(f"person_price is {person_price:g}; a price is 0 or more")
    tables = aligned(tables, intersection_only=intersection_only)
    return cascade_of(tables, names, Prices(prices, person_price), risk, delta, confidence, loss)


def prices_of(price: str | Sequence[float], stages: int) -> list[float]:
    """A price for each stage."""
    from acumen.errors import UsageError, counted, printable

    try:
        values = [float(part) for part in (price.split(",") if isinstance(price, str) else price)]
    except (TypeError, ValueError):
        raise UsageError(f"price: numbers with commas, not '{printable(str(price))}'") from None
    if len(values) != stages:
        raise UsageError(f"{counted(len(values), 'price')} for {stages} stages: each needs its own")
    for at, value in enumerate(values, 1):
        if not 0.0 <= value < float("inf"):
            raise UsageError(f"price: that of stage {at} is {value:g}; a price is 0 or more")
    return values
