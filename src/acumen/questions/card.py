"""What does a promise rest on, and do other data bear it out?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from acumen.declare import given, say
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.cards import CardCheckDocument, CardDocument

Prompt = Annotated[
    str | Path | None,
    say("The file of the prompt; the card keeps its digest.", kind=Path | None, is_file=True),
]


@question(
    "acumen card make rows.csv --threshold promise.json --judge judge-1 "
    "--labelled-by 'two clinicians' -o card.json",
    "acumen card make rows.csv --threshold promise.json --judge judge-1 --prompt prompt.txt "
    "--labelled-by 'two clinicians, 2026' --levels 0-2 -o card.json --html card.html",
    name="card make",
)
def card(
    run: options.Run,
    *,
    threshold: Annotated[
        Any,
        say(
            "The threshold whose promise it is, as acumen threshold wrote it.",
            kind=Path,
            is_file=True,
            more="Or the result itself.",
        ),
    ],
    judge: Annotated[str, say("The model that judged, with its settings.", is_by_hand=True)],
    labelled_by: Annotated[str, say("Whose labels are the truth.", is_by_hand=True)],
    prompt: Prompt = None,
    mode: options.Mode = None,
    calibration: options.Calibration = None,
    **reading: Unpack[Reading],
) -> CardDocument:
    """Put all that a promise rests on into one file, which shows if somebody changes it.

    It holds the judge, its prompt by a digest, the scale, fingerprints of the data, whose labels
    are the truth, the threshold with its promise, agreement and signed error. No text of a case
    and no id is in it.

    Examples
    --------
    >>> import acumen
    >>> table = acumen.from_columns(case=range(60), truth=[0, 1] * 30, prediction=[0, 1] * 30,
    ...                             confidence=[0.9] * 50 + [0.4] * 10)
    >>> promise = acumen.threshold(table, risk=0.1)
    >>> card = acumen.card(table, threshold=promise, judge="judge-1", labelled_by="a nurse")
    >>> card.document.threshold.alpha, len(card.document.digest)
    (0.1, 64)
    """
    from acumen.decisions.card import card_of
    from acumen.evaluation.inputs import calibration_of, one_table

    table = one_table(run, mode, reading).scored
    return card_of(table, threshold, judge, labelled_by, prompt, calibration_of(calibration))


@question(
    "acumen card check card.json labelled.csv",
    "acumen card check card.json labelled.csv --prompt prompt.txt --levels 0-2 --json",
    name="card check",
)
def check_card(
    card: Annotated[Any, given("The card, as acumen card make wrote it.", kind=str)],
    run: Annotated[Any, given("Other labelled cases, judged in the same way.", kind=str)],
    *,
    prompt: Prompt = None,
    other_cases: Annotated[
        bool, say("Ids from which the promise was made name other cases here.")
    ] = False,
    mode: options.Mode = None,
    calibration: options.Calibration = None,
    **reading: Unpack[Reading],
) -> CardCheckDocument:
    """Pass (exit code 0), fail (1) or leave undecided (5) what a card promises, on other data.

    It passes where the risk is shown to be at most the promised one, and fails where it is shown to
    be above, or fewer rows are accepted than on the card: each by mistake in at most 5% of studies.

    Examples
    --------
    >>> import acumen
    >>> tables = [
    ...     acumen.from_columns(case=range(k, k + 60), truth=[0, 1] * 30, prediction=[0, 1] * 30,
    ...                         confidence=[0.9] * 50 + [0.4] * 10)
    ...     for k in (0, 60)
    ... ]
    >>> promise = acumen.threshold(tables[0], risk=0.1)
    >>> card = acumen.card(tables[0], threshold=promise, judge="j", labelled_by="a nurse")
    >>> acumen.check_card(card, tables[1]).document.verdict
    'pass'
    """
    from acumen.decisions.card import check_of_card, made_of
    from acumen.evaluation.abstain import on_scale_of
    from acumen.evaluation.inputs import calibration_of, one_table

    document = made_of(card)
    reading = on_scale_of(document.threshold, run, reading)
    table = one_table(run, mode, reading).scored
    calibrated = calibration_of(calibration)
    return check_of_card(document, table, prompt, calibrated, other_cases=other_cases)
