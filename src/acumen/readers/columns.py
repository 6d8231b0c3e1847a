"""Columns of a long table, one row a judgment -> the table. Shared by arrays, frames and files."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.defaults import LOSS
from acumen.errors import DataError, Problem, UsageError, counted, label, printable, what_came
from acumen.readers.answers import (
    MOST_STRAY,
    Fault,
    Silence,
    are_boolean,
    choose_scale,
    is_code,
    read_levels,
    read_outcomes,
    rows_with_truth,
    truth_faults,
    word_of,
)
from acumen.readers.cells import numbers_of, plain_column
from acumen.readers.decimals import ends_of_decimals, read_decimals
from acumen.readers.distribution import Distribution, Probabilities, read_distribution
from acumen.readers.keys import Rows, bad_id, bad_item, code_rows, failed_cases
from acumen.table.coded import Coded
from acumen.table.distribution import POINT, check_point, under_loss
from acumen.table.judgments import (
    NO_PREDICTION,
    NO_TRUTH,
    FailedCase,
    Judgments,
    Outcome,
    Signal,
    SignalState,
    Source,
)
from acumen.table.levels import number_in
from acumen.table.panel import settle
from acumen.table.repeats import with_consistency
from acumen.table.scale import Scale, find_scale

Column = Sequence[Any] | NDArray[Any] | Coded


def from_columns(
    *,
    case: Column,
    truth: Column | None,
    prediction: Column | None = None,
    item: Column | None = None,
    scale: str | Path | Scale | Iterable[Any] | None = None,
    confidence: ArrayLike | Coded | Signal | None = None,
    outcome: Column | None = None,
    risk_score: Column | None = None,
    weight: Column | None = None,
    repeat: Column | None = None,
    rater: Column | None = None,
    system: Column | None = None,
    groups: Mapping[str, Column] | None = None,
    signals: Mapping[str, ArrayLike | Coded | Signal] | None = None,
    distribution: Any = None,
    point: str | None = None,
    abstain: Iterable[object] = (),
    unanswerable: Iterable[object] = (),
    unparseable: Literal["abstained", "failed"] = "abstained",
    confidence_range: Sequence[float] | None = None,
    declared: bool | None = None,
    complete: bool = False,
    strict: bool = False,
    truth_is: str | None = None,
    planned: int | None = None,
    failed: Sequence[FailedCase] = (),
    source: Source = Source(),  # noqa: B008  (frozen)
    lines: Sequence[int] | NDArray[Any] | None = None,
    warnings: Sequence[str] = (),
) -> Judgments:
    """The table from plain columns. A missing prediction (None, NaN) is an abstention.

    Parameters
    ----------
    case, item, repeat, rater, system
        What tells one judgment from another; only the case must be there.
    truth
        None for data without truth. Rows whose truth is missing are left out and counted;
        ``strict`` refuses them.
    scale, declared
        Levels, a scale, its name or its file. Without one it is that of the items, or the range
        of the numbers that are there. ``declared`` says whether the user named it, as is assumed.
    abstain, unparseable, outcome
        Words for no answer beside the common ones; what becomes of a prediction that is no level
        of a declared scale; and outcomes by name, which win over both.
    unanswerable
        Words of a truth that say that a row cannot be judged: there what is right is to abstain,
        and an answer costs as much as any can.
    confidence, confidence_range, signals
        Numbers a row; the range makes probabilities of a confidence.
    distribution, point
        A probability for every level: an array with a column a level, columns by level, or a list
        or mapping for each row. Where there is no prediction it is a point of these: ``mode``,
        ``median``, ``mean`` (rounded) or ``loss`` (the best level under the loss in use).
    truth_is
        Of several raters: ``panel`` (a loss is the mean over them), a rater's name, ``median``,
        ``mean`` or ``majority``.
    complete
        Whether every case that did not fail must have every item.
    lines
        Lets messages name a file's lines.

    Examples
    --------
    >>> items = ["Sleep", "Tired"]
    >>> table = from_columns(case=[1, 1], item=items, truth=[0, 3], prediction=[0, None])
    >>> table.answered, table.scale.name
    (array([ True, False]), 'phq8')
    >>> from_columns(case=[1, 2, 3], truth=[1, 5, 3], prediction=[1, 4, "n/a"]).scale.levels
    (1, 2, 3, 4, 5)
    >>> p = [[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]]
    >>> from_columns(case=[1, 2], truth=[0, 2], distribution=p, scale="0-2").prediction
    array([0, 2], dtype=int16)
    """
    if prediction is None and distribution is None:
        raise UsageError("a table needs predictions, or a distribution to take them from")
    roles: dict[str, Any] = {"case": case, "item": item, "truth": truth, "prediction": prediction}
    roles |= {"outcome": outcome, "repeat": repeat, "rater": rater, "system": system}
    measures: dict[str, Any] = {"risk_score": risk_score, "weight": weight}
    extras: dict[str, Any] = dict(signals or {})
    extras |= {} if confidence is None else {"confidence": confidence}
    every = [
        {name: plain_column(column, name) for name, column in columns.items() if column is not None}
        for columns in (roles, dict(groups or {}), measures, extras)
    ]
    columns_of_all = {name: column for columns in every for name, column in columns.items()}
    probabilities = None if distribution is None else Probabilities.of(distribution)
    if probabilities is not None:
        columns_of_all["distribution"] = probabilities
    _check_lengths(columns_of_all, source)
    coded, sliced = (
        {n: c.used if isinstance(c, Coded) else Coded.of(c) for n, c in columns.items()}
        for columns in every[:2]
    )
    silence, open_truth = Silence.of(abstain), Silence.of(unanswerable)
    if declared is None:
        declared = scale is not None
    on_scale = _scale(scale, coded, probabilities, silence, open_truth, source)
    _check_unanswerable(open_truth, on_scale, truth is not None)
    levels = _levels_of(probabilities, coded, on_scale, silence, point, source)
    decimals = None if "prediction" not in coded else read_decimals(coded["prediction"], on_scale)
    if decimals is not None:
        coded["prediction"] = decimals.levels
    rows = Rows(coded, lines, on_scale, source)
    numbers, columns = ({n: numbers_of(c) for n, c in group.items()} for group in every[2:])
    said = silence, open_truth
    if levels is not None and levels.confidence is not None and "confidence" not in columns:
        columns["confidence"] = levels.confidence
    faults = () if levels is None else levels.reading.faults
    values = _values(rows, numbers, columns.get("confidence"), said, declared, unparseable, faults)
    if confidence_range is not None:
        columns["confidence"] = _on_range(rows, columns, values.outcome, confidence_range)
    codes = code_rows(rows, values.outcome, {f.case for f in failed}, complete=complete)
    apart: dict[str, Any] = {n: coded[n].in_order() for n in _APART if n in coded}
    apart |= {name: signal.values for name, signal in numbers.items()}
    if "weight" in apart and truth is not None:
        apart["weight"] = _weights(apart["weight"], values)
    table = Judgments(
        scale=on_scale,
        cases=codes.cases,
        items=codes.items,
        case=codes.case,
        item=codes.item,
        truth=values.truth,
        unanswerable=values.unanswerable,
        prediction=values.prediction,
        outcome=values.outcome,
        signals=columns,
        failed=(*failed, *failed_cases(codes, values.outcome, failed)),
        warnings=(
            *warnings,
            *(() if levels is None else levels.reading.notes),
            *(() if decimals is None else [decimals.note]),
            *values.warnings,
            *codes.warnings,
        ),
        source=source,
        line=None if lines is None else np.array(lines, np.int32),
        groups=sliced,
        planned=planned,
        **({} if levels is None else levels.facts(values)),
        score=None if decimals is None else decimals.score,
        **apart,
    )
    _refuse_split_answers(table)
    table = under_loss(with_consistency(table), LOSS)
    return rows_with_truth(settle(table, truth_is), strict=strict)


@dataclass(frozen=True, slots=True)
class _Levels:
    """Probabilities on the scale, and what the predictions are."""

    reading: Distribution
    point: str | None
    own: Coded | None
    """The system's own answers, where a point of the probabilities took their place."""
    scale: Scale
    silence: Silence

    @property
    def confidence(self) -> Signal | None:
        """What a decision model gives beside its probabilities."""
        return self.reading.confidence

    def facts(self, values: _Values) -> dict[str, Any]:
        """The columns that the table has of them."""
        own = self.reading.own
        if self.own is not None:
            own = read_levels(self.own, self.scale, self.silence).ranks
        if self.point is None:
            own = None
        return {"distribution": self.reading.values, "point": self.point, "own": own}


def _levels_of(
    probabilities: Probabilities | None,
    coded: dict[str, Coded],
    scale: Scale,
    silence: Silence,
    point: str | None,
    source: Source,
) -> _Levels | None:
    """Probabilities on the scale; predictions that are a point of them join the columns."""
    if probabilities is None:
        if point is not None:
            raise UsageError("a point is taken of probabilities: name them (--distribution)")
        return None
    try:
        reading = read_distribution(probabilities, scale, silence)
    except DataError as error:
        raise DataError(error.problems, source=source.name) from None
    own = coded.get("prediction")
    point = POINT if own is None and point is None else point
    if point is not None:
        predictions = reading.predictions(scale, check_point(point), LOSS)
        coded["prediction"] = Coded.of(predictions)
    if (outcome := reading.outcomes(coded.get("outcome"))) is not None:
        coded["outcome"] = outcome
    return _Levels(reading, point, own, scale, silence)


def _weights(weight: NDArray[np.float64], values: _Values) -> NDArray[np.float64]:
    """Weights, of rows without a truth too: they are left out, so nobody asks for theirs."""
    left_out = values.truth == NO_TRUTH
    if values.unanswerable is not None:
        left_out &= ~values.unanswerable
    return np.where(left_out & np.isnan(weight), 1.0, weight)


def _refuse_split_answers(table: Judgments) -> None:
    """Raters judge one answer: rows of one judgment that differ in it are several judgments."""
    if table.rater is None:
        return
    _, first, of = np.unique(
        table.row_keys("repeat", "system"), return_index=True, return_inverse=True
    )
    answer = table.prediction * len(Outcome) + table.outcome
    split = np.flatnonzero(answer != answer[first[of]])
    if len(split):
        hint = "is there a column in which the judgments differ (--item, --repeat, --system)?"
        message = f"raters of one judgment have different predictions for it; {hint}"
        problem = table.problem(int(split[0]), message, "prediction")
        raise DataError([replace(problem, rows=len(split))], source=table.source.name)


_APART: Final = ("repeat", "rater", "system")


def _check_unanswerable(words: Silence, scale: Scale, has_truth: bool) -> None:
    """Refuse words for what cannot be judged that are levels, or that no truth could hold."""
    if words.declared and not has_truth:
        raise UsageError("unanswerable names words of the truth, and there is no truth")
    if levels := [word for word in sorted(words.declared) if _is_level(word, scale)]:
        raise UsageError(f"unanswerable: {label(levels[0])} is a level of {scale.allowed}")


def _is_level(word: str, scale: Scale) -> bool:
    number = number_in(word) if scale.is_numeric else None
    try:
        scale.rank(word if number is None else number)
    except ValueError:
        return False
    return True


def _scale(
    scale: Any,
    coded: Mapping[str, Coded],
    probabilities: Probabilities | None,
    silence: Silence,
    open_truth: Silence,
    source: Source,
) -> Scale:
    if scale is not None:
        return find_scale(scale)
    if not len(coded["case"]):
        raise DataError(["there are no rows in it"], source=source.name)
    answers = coded.get("prediction")
    if probabilities is not None:  # what it may answer is known better than what it did
        known = [] if answers is None else answers.values
        answers = Coded.of([*known, *probabilities.level_names])
    assert answers is not None
    answers = ends_of_decimals(coded.get("truth"), answers, silence)
    try:
        columns = coded.get("item"), coded.get("truth"), answers
        return choose_scale(*columns, silence, open_truth)
    except DataError as error:
        raise DataError(error.problems, source=source.name) from None


@dataclass(frozen=True, slots=True)
class _Values:
    """The columns of values, checked."""

    truth: NDArray[np.int16]
    unanswerable: NDArray[np.bool_] | None
    prediction: NDArray[np.int16]
    outcome: NDArray[np.uint8]
    warnings: tuple[str, ...]


def _values(
    rows: Rows,
    numbers: Mapping[str, Signal],
    confidence: Signal | None,
    words: tuple[Silence, Silence],
    declared: bool,
    unparseable: str,
    faults_of_levels: Sequence[Fault] = (),
) -> _Values:
    """Every column of values; all that is wrong in any of them is told at once."""
    coded, scale, (silence, open_truth) = rows.coded, rows.scale, words
    problems = rows.odd("case", bad_id, "must be a whole number or a text, not null")
    if problems and isinstance(problems[0].case, float):
        # pandas makes floats of a column of ids as soon as one is missing
        hint = f"{problems[0].message}; if the column holds whole numbers, cast it to them"
        problems[0] = replace(problems[0], message=hint)
    problems += rows.odd("item", lambda item: bad_item(item, scale), "must be a name, not null")
    for name in _APART:
        problems += rows.odd(name, lambda value: None, "is missing")
    boolean = are_boolean(coded.get("truth"), coded["prediction"])
    reading = read_levels(coded["prediction"], scale, silence, boolean=boolean)
    truth, unanswerable, notes = np.full(len(coded["case"]), NO_TRUTH, np.int16), None, []
    if "truth" in coded:
        truths = read_levels(coded["truth"], scale, open_truth, boolean=boolean)
        truth = truths.ranks
        notes = [*truths.silence_notes, *_unsaid(open_truth, coded["truth"], "unanswerable")]
        unanswerable = truths.declared if open_truth.declared else None
        problems += rows.problems(truth_faults(truths), "truth")
    outcomes = read_outcomes(
        reading,
        coded.get("outcome"),
        declared=declared,
        unparseable=Outcome.FAILED if unparseable == "failed" else Outcome.UNPARSEABLE,
        truths=() if "truth" not in coded else coded["truth"].values,
    )
    problems += rows.problems(outcomes.faults, "prediction")
    problems += rows.problems(outcomes.stated_faults, "outcome")
    problems += rows.problems(faults_of_levels, "distribution")
    for name, signal in numbers.items():
        problems += rows.problems(_not_numbers(signal), name)
    if confidence is not None:
        # nobody looks at the confidence of a row that was not answered
        answered = outcomes.outcome == Outcome.ANSWERED
        faults = [fault for fault in _not_numbers(confidence) if answered[fault.row]]
        if any(str(confidence.other[fault.row]).endswith("%") for fault in faults[:1]):
            hint = "leave out the % and declare the range: --confidence-range 0,100"
            faults[0] = replace(faults[0], message=f"{faults[0].message}; {hint}")
        problems += rows.problems(faults, "confidence")
    if len(truth) == 0:
        problems.append(Problem("there are no rows in it"))
    seen = open_truth.numbers(coded.get("truth")), silence.numbers(coded["prediction"])
    codes = sorted({n for n in seen[1] if is_code(n, seen[0])})
    hint = _hint_of(codes, coded["prediction"])
    if problems:
        if not codes:
            problems = scale.hint(problems, [*seen[0], *seen[1]])
        for at, p in enumerate(problems):
            if codes and p.off_scale and p.field == "prediction":
                problems[at] = replace(p, message=f"{p.message}; {hint}")
        raise DataError(problems, source=rows.source.name)
    if seen[0] and min(seen[0]) == 1 and min(seen[1], default=1) == 0 and max(seen[1]) > 1:
        codes = [0, *codes] if max(seen[1]) >= max(seen[0]) else codes  # else one counts from 0
        hint = _hint_of(codes, coded["prediction"])
    if codes and scale.inferred:
        listed = ", ".join(f"{code:g}" for code in codes)
        note = f"prediction: {listed} is no truth and read as a level; {hint}"
        outcomes.warnings.append(note)
    ends = [(min(part), max(part)) for part in seen if part]
    if (
        scale.inferred
        and len(ends) == 2
        and {b - a for a, b in zip(*ends, strict=True)} in ({1}, {-1})
    ):
        first, second = (f"{low:g} to {high:g}" for low, high in ends)
        note = f"the truth runs from {first}, the prediction from {second}: is one counted from 0?"
        outcomes.warnings.append(note)
    split = (word for word in silence.declared if "," in word)
    notes += _unsaid(Silence.of(split), reading.column, "abstain")
    ranks = reading.ranks
    ranks[outcomes.outcome != Outcome.ANSWERED] = NO_PREDICTION
    notes += outcomes.warnings
    return _Values(truth, unanswerable, ranks, outcomes.outcome, tuple(notes))


def _unsaid(words: Silence, column: Coded, option: str) -> Iterator[str]:
    """What to tell of declared words that no row says."""
    role = "prediction" if option == "abstain" else "truth"
    for word in sorted(words.declared - {*map(word_of, column.values)}):
        parts = [shlex.quote(part.strip()) for part in word.split(",")]
        each = " ".join(f"--{option} {part}" for part in parts)
        hint = f"; of several words name each: {each}" if len(parts) > 1 else ""
        yield f"{role}: no row says {label(word)}{hint}"


def _on_range(
    rows: Rows, signals: Mapping[str, Signal], outcome: NDArray[np.uint8], span: Sequence[float]
) -> Signal:
    """The confidence, whose range was declared, on 0 to 1."""
    signal, (low, high) = signals.get("confidence"), span
    if signal is None:
        raise UsageError("a range is declared for a confidence that is not there")
    if not low < high:
        raise UsageError(f"a range of confidence must rise, not run from {low:g} to {high:g}")
    number = (signal.state == SignalState.NUMBER) & (outcome == Outcome.ANSWERED)
    beyond = number & ~((signal.values >= low) & (signal.values <= high))
    if beyond.any():
        at = int(np.argmax(beyond))
        message = f"{signal.values[at]:g} is outside the declared range {low:g} to {high:g}"
        fault = Fault(at, message, int(beyond.sum()))
        raise DataError([rows.problem(fault, "confidence")], source=rows.source.name)
    return replace(signal, values=(signal.values - low) / (high - low))


def _hint_of(codes: Sequence[float], predictions: Coded) -> str:
    """What to say of codes that no truth has; what many rows have may be a level."""
    words = " ".join(f"--abstain {code:g}" for code in codes)
    pairs = zip(predictions.values, predictions.counts, strict=True)
    rows = sum(int(count) for value, count in pairs if number_in(value) in codes)
    if rows <= MOST_STRAY * len(predictions):
        return f"if it means no answer: {words}"
    listed = " and ".join(f"{code:g}" for code in codes)
    many = f"{listed} in {rows} of {counted(len(predictions), 'row')}"
    return f"{many} may be a level: name the levels with --levels, or say what means no answer"


def _check_lengths(columns: Mapping[str, Any], source: Source) -> None:
    lengths = {k: len(c.values if isinstance(c, Signal) else c) for k, c in columns.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{printable(name)} {n}" for name, n in lengths.items())
        raise DataError([f"columns differ in length: {sizes}"], source=source.name)


def _not_numbers(signal: Signal) -> list[Fault]:
    return [Fault(row, f"must be a number, not {what_came(v)}") for row, v in signal.other.items()]
