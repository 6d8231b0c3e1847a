"""Which levels hold the truth, with a promise?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Unpack

from acumen.declare import say
from acumen.defaults import ALPHA
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.decisions import SetsDocument


@question(
    "acumen sets run.json --mode few_shot --alpha .2 -o sets.json",
    "acumen sets rows.csv --levels 0-2 --probabilities p_low,p_middle,p_high",
)
def sets(
    run: options.Run,
    *,
    alpha: Annotated[float, say("Chance that a set does not hold the truth.")] = ALPHA,
    method: Annotated[
        str | None,
        say(
            "aps or distance; by default what the run allows.",
            more="""``aps`` grows sets by the chances of levels, which are those of
            ``probabilities`` or the shares of sampled replies; ``distance`` needs none.""",
        ),
    ] = None,
    probabilities: Annotated[
        options.Names,
        say(
            "Signals of the levels' chances, with commas.",
            kind=str,
            more="One a level, lowest first.",
        ),
    ] = "",
    mode: options.Mode = None,
    **reading: Unpack[Reading],
) -> SetsDocument:
    """Make sets of neighbouring levels that hold the truth as often as --alpha promises.

    The promise is of a new case like these and any of its answered judgments. As ``calibration`` of
    other cases it makes the confidence ``interval_width``.

    Examples
    --------
    >>> import acumen
    >>> table = acumen.from_columns(case=range(20), truth=[0] * 15 + [1] * 5, prediction=[0] * 20,
    ...                             scale=[0, 1, 2])
    >>> document = acumen.sets(table, alpha=0.1).document
    >>> document.method, document.bound, document.width
    ('distance', 1.0, 2.0)
    """
    from acumen.decisions.sets import document_of
    from acumen.errors import UsageError
    from acumen.evaluation.inputs import one_table

    if not 0.0 < alpha < 1.0:
        raise UsageError(f"alpha is a chance between 0 and 1, not {alpha:g}")
    table = one_table(run, mode, reading).scored.on_levels
    return document_of(table, alpha, method, probabilities)
