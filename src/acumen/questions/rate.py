"""Do raters agree, and may an AI judge stand in for one of them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Unpack

from acumen.declare import given, say
from acumen.defaults import CONFIDENCE_LEVEL, EPSILON, FALSE_DISCOVERY, TESTED_BY_T
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import COLUMNS, Reading, column

if TYPE_CHECKING:
    from acumen.raters.alt_test import Score
    from acumen.results.raters import RatingsDocument

_TEST = "The alternative annotator test"
_BIAS = "Columns that may bias a judge"


@question(
    "acumen rate ratings.csv --case doc --rater who --rating stars --judge gpt",
    "acumen rate wide.csv --case doc --raters ann,ben,eve --judge ai --levels 1-5",
)
def rate(
    ratings: Annotated[
        Any,
        given(
            "Ratings, as rows; - is stdin.",
            kind=str,
            more="""A path, a dataframe or a list of rows. Long, one rating a row: ``rater="who"``,
            ``rating="stars"``. Wide, one column a rater: ``raters=["ann", "ben", "eve"]``.""",
        ),
    ],
    *,
    judge: Annotated[
        options.Names,
        say(
            "A judge: a rater's name, or a column; repeatable.",
            kind=list[str] | None,
            more="A judge may leave units out.",
        ),
    ] = (),
    rating: Annotated[str | None, column("What a rater said, with --rater.")] = None,
    raters: Annotated[
        options.Names | None,
        say("One column a rater.", metavar="A,B,C", panel=COLUMNS, kind=str | None),
    ] = None,
    length: Annotated[str | None, column("How long an output is.", _BIAS)] = None,
    own: Annotated[
        str | None, column("Whether it is the judge's own, or whose it is.", _BIAS)
    ] = None,
    position: Annotated[str | None, column("Which of two slots it stood in.", _BIAS)] = None,
    score: Annotated[
        Score, say("What is close: ordinal or nominal.", panel=_TEST, kind=str)
    ] = "ordinal",
    epsilon: Annotated[
        float, say("How much worse it may be: .2 experts, .15 skilled, .1 crowds.", panel=_TEST)
    ] = EPSILON,
    q: Annotated[float, say("Share of false rejections.", "--q", panel=_TEST)] = FALSE_DISCOVERY,
    fewest_instances: Annotated[
        int, say("Instances that a person must have.", panel=_TEST)
    ] = TESTED_BY_T,
    inclusion: options.Inclusion = None,
    by_row: Annotated[bool, say("Take a case's units for independent ones.", panel=_TEST)] = False,
    confidence_level: options.ConfidenceLevel = CONFIDENCE_LEVEL,
    **reading: Unpack[Reading],
) -> RatingsDocument:
    """Do raters agree, and may an AI judge stand in for one of them?

    Agreement among people, and whether a judge may stand in for one of them: the alternative
    annotator test, the judge's errors beside people's, and what biases it.

    Examples
    --------
    >>> import acumen
    >>> rows = [{"case": i, "a": i % 3, "b": (i + (i == 7)) % 3, "ai": i % 3} for i in range(40)]
    >>> document = acumen.rate(rows, raters=["a", "b"], judge="ai").document
    >>> document.judges["ai"].alt_test.winning_rate, document.judges["ai"].alt_test.passes
    (1.0, True)
    """
    from acumen.errors import UsageError
    from acumen.raters.alt_test import Rule
    from acumen.raters.document import document_of
    from acumen.raters.inclusion import beside, drawn_with
    from acumen.raters.reading import read_ratings

    rule = Rule(score, epsilon, q, fewest_instances, by_row, confidence_level)
    if rating is not None and raters is not None:
        raise UsageError("give rating (with rater) or raters, not both")
    truth = rating if raters is None else raters
    keywords: dict[str, Any] = {**reading, **({} if truth is None else {"truth": truth})}
    aside = {"length": length, "own": own, "position": position}
    columns = {name: column for name, column in aside.items() if column is not None}
    groups = [columns[name] for name in ("own", "position") if name in columns]
    keywords |= {"group": groups} if groups else {}
    if position is not None:
        if "repeat" in keywords:
            raise UsageError("give a repeat or a position: both say which draw a rating is")
        keywords["repeat"] = position
    keywords |= beside(keywords, inclusion)
    rows, judges = read_ratings(ratings, keywords, [judge] if isinstance(judge, str) else judge)
    chances = None if inclusion is None else drawn_with(rows.table, inclusion)
    weights = None if chances is None else chances.weights
    document = document_of(rows, judges, columns, rule, weights)
    return document.model_copy(update={"drawn": None if chances is None else chances.facts})
