"""Which cases shall people label, and what precision will that give?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Unpack

from acumen.declare import given, say
from acumen.defaults import CONFIDENCE_LEVEL, DELTA, SEED
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import COLUMNS, Reading

if TYPE_CHECKING:
    from acumen.questions.marking import Marking

_PAGE = "The marking page"


@question(
    "acumen label replies.csv --budget 40 --for rate --case doc --prediction ai --levels 1-5",
    "acumen label replies.csv --budget 20 --for estimate --case doc --prediction ai --levels 1-5 "
    "--confidence-column sure --show text --page mark.html -o sample.json",
)
def label(
    judged: Annotated[
        Any,
        given(
            "Rows with the judge's ratings; - is stdin.",
            kind=str,
            more="A path, a dataframe or a list of rows.",
        ),
    ],
    *,
    budget: Annotated[int, say("How many cases people can label.")],
    purpose: Annotated[str, say("What the labels are for: estimate, threshold or rate.", "--for")],
    show: Annotated[
        options.Names,
        say(
            "A column of text that people read; repeatable.",
            metavar="COLUMN",
            kind=list[str] | None,
            panel=COLUMNS,
            is_by_hand=True,
        ),
    ] = (),
    guidelines: Annotated[
        str | None,
        say(
            "A text file with guidelines for those who label.",
            panel=_PAGE,
            kind=str | None,
            is_file=True,
            is_by_hand=True,
        ),
    ] = None,
    seed: Annotated[int, say("Decides which cases are drawn.", least=0)] = SEED,
    confidence_level: options.ConfidenceLevel = CONFIDENCE_LEVEL,
    delta: Annotated[float, say("Of a threshold: chance that the true risk is larger.")] = DELTA,
    **reading: Unpack[Reading],
) -> Marking:
    """Draw whole cases to label, each with a known chance, and make a page to label them on.

    The sample says with what chance each case was drawn and what precision to expect. The page
    works offline and does not show what the judge said; it hands over a CSV or JSON file that
    ``--labels`` joins to the rows.

    Examples
    --------
    >>> import acumen
    >>> rows = [{"doc": i, "ai": i % 5 + 1, "text": f"Text {i}"} for i in range(60)]
    >>> sample = acumen.label(rows, budget=20, purpose="estimate", case="doc", prediction="ai",
    ...                       levels="1-5", show="text")
    >>> len(sample.document.drawn), sample.document.drawn[0].inclusion
    (20, 0.3333333333333333)
    >>> sample.page().startswith("<!doctype html>")
    True
    """
    from acumen.errors import UsageError, printable
    from acumen.labels.design import PURPOSES
    from acumen.labels.document import sample_of
    from acumen.questions.marking import Marking, guidelines_of

    known = {name: name for name in PURPOSES}
    if purpose not in known:
        listed = ", ".join(known)
        raise UsageError(f"labels are for {listed}, not for '{printable(str(purpose))}'")
    for name, chance in (("confidence level", confidence_level), ("delta", delta)):
        if not 0.0 < chance < 1.0:
            raise UsageError(f"the {name} must lie between 0 and 1, not {chance:g}")
    columns = [show] if isinstance(show, str) else list(dict.fromkeys(show))
    document, rows = sample_of(
        judged, known[purpose], budget, seed, columns, confidence_level, delta, reading
    )
    words = reading.get("unanswerable") or ()
    return Marking(
        document,
        rows=tuple(rows),
        show=tuple(columns),
        guidelines=guidelines_of(guidelines),
        unanswerable=words if isinstance(words, str) else next(iter(words), None),
    )
