"""Does a promise still hold? Asked of every case that comes, for as long as they come."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from acumen.declare import given, python, say
from acumen.defaults import EVERY, FALSE_ALARM
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.watching import WatchDocument


@question(
    "acumen watch labelled.csv --promise promise.json --state watch.json --time day",
    "acumen watch rows.csv --promise promise.json --every 20 --least-coverage .4 --json",
    says="looks",
)
def watch(
    stream: Annotated[
        Any, given("Labelled rows (CSV or JSON Lines), case after case; - is stdin.", kind=str)
    ],
    *,
    promise: Annotated[
        Any,
        say(
            "The threshold whose promise is watched, or a card of it.",
            kind=Path,
            is_file=True,
            more="A file that acumen wrote, or the result itself.",
        ),
    ],
    state: Annotated[
        str | Path | None,
        say("Keep the state in this file, and continue from it.", kind=Path | None),
    ] = None,
    every: Annotated[int, say("Cases between two looks.", least=1)] = EVERY,
    delta: Annotated[float, say("Chance of a false alarm, over the whole stream.")] = FALSE_ALARM,
    least_coverage: Annotated[
        float | None, say("Also alarm where a smaller share of all rows is accepted.")
    ] = None,
    most_items: Annotated[
        int | None, say("The most judgments of a case; else those of the promise.", least=1)
    ] = None,
    time: Annotated[str | None, say("A column whose values never fall, such as a date.")] = None,
    calibration: options.Calibration = None,
    looks: Annotated[
        Callable[[WatchDocument], None] | None,
        python("Called after each look with all that is known."),
    ] = None,
    **reading: Unpack[Reading],
) -> WatchDocument:
    """Watch whether a threshold keeps its promise, case by case, with an alarm (exit code 1).

    A stream has each case once, all of its rows together. The bounds hold at all looks together,
    so one may look as often as one likes and stop at will; a false alarm has the chance ``delta``,
    however long the stream is. It ends at the alarm. With ``state``, the next call goes on.

    Examples
    --------
    >>> import acumen
    >>> table = acumen.from_columns(case=range(60), truth=[0] * 60, prediction=[0] * 56 + [1] * 4,
    ...                             confidence=[0.9] * 50 + [0.4] * 10)
    >>> promise = acumen.threshold(table, risk=0.1)
    >>> rows = [dict(case=f"n{k}", truth=int(k % 2), prediction=0, confidence=0.8)
    ...         for k in range(100)]
    >>> document = acumen.watch(rows, promise=promise, every=1).document
    >>> document.cases, document.alarms[0].of, document.exit_code
    (10, 'risk', 1)
    """
    from acumen.decisions.watch import Watch, certified, promise_of, state_of, watched
    from acumen.errors import DataError, UsageError, counted
    from acumen.evaluation.abstain import on_scale_of
    from acumen.evaluation.inputs import calibration_of
    from acumen.files.json import to_json, write_bytes
    from acumen.readers.request import Request
    from acumen.readers.stream import Stream

    if reading.get("label_files"):
        raise UsageError("a stream brings its labels with its rows; leave the files of labels out")
    _, document = certified(promise)
    reading = on_scale_of(document, stream, reading)
    held = promise_of(document, delta, least_coverage, most_items)
    known = Watch(held, state_of(state))
    answer = known.document()
    rows = Stream(stream, Request.of(reading), known.seen, time, known.last_time)
    if known.alarmed:
        if looks is not None:
            looks(answer)
        return answer
    for answer in watched(known, rows, document, every, calibration_of(calibration)):
        if state is not None:
            write_bytes(state, to_json(answer.model_dump(mode="json")).encode("utf-8"))
        if looks is not None:
            looks(answer)
    if answer.unlabelled and not answer.cases:
        unseen = f"{counted(answer.unlabelled, 'row')}, and none has a truth: nothing was watched"
        raise DataError([f"{unseen}; name its column: --truth COLUMN"], source=rows.name)
    if looks is not None and not answer.looks:
        looks(answer)  # nobody shall take silence for a promise that is kept
    return answer
