"""What would people say of all cases, from few that they labelled?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Unpack

from acumen.declare import given, say
from acumen.defaults import CONFIDENCE_LEVEL
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.raters import EstimateDocument


@question(
    "acumen estimate judged.csv --case doc --prediction ai --labelled human --levels 1-5",
    "acumen estimate drawn.csv --case doc --prediction ai --labelled human --inclusion inclusion",
    "acumen estimate two.csv --prediction ai --labelled human --system model --group lang",
    slices=True,
)
def estimate(
    judged: Annotated[
        Any,
        given(
            "Rows with the judge's ratings; - is stdin.",
            kind=str,
            more="A path, a dataframe or a list of rows.",
        ),
    ],
    *,
    labelled: Annotated[
        str,
        say(
            "People's ratings, empty where there are none.",
            metavar="COLUMN",
            more="A case is labelled wholly or not at all, and at random.",
        ),
    ],
    inclusion: options.Inclusion = None,
    confidence_level: options.ConfidenceLevel = CONFIDENCE_LEVEL,
    **reading: Unpack[Reading],
) -> EstimateDocument:
    """What would people say of all cases? From few they labelled and many a judge rated (PPI++).

    The judge's column is ``prediction``; its confidence helps with its errors, two systems are
    compared, and groups are slices.

    Examples
    --------
    >>> import acumen
    >>> rows = [{"case": i, "ai": i % 5, "human": (i % 5 if i % 4 else None)} for i in range(60)]
    >>> document = acumen.estimate(rows, labelled="human", prediction="ai", levels="0-4").document
    >>> document.cases_labelled, round(document.estimates["mean"].estimate.value, 2)
    (45, 2.0)
    """
    from acumen.errors import UsageError
    from acumen.raters.estimate import document_of

    if not 0.0 < confidence_level < 1.0:
        raise UsageError(f"the confidence level must lie between 0 and 1, not {confidence_level}")
    return document_of(judged, labelled, confidence_level, reading, inclusion)
