"""With what chance each case was drawn to be labelled: from a column, or from the sample itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, UsageError, label, refuse, source_name, what_came
from acumen.readers.label_files import LabelFile, label_files
from acumen.results.labels import EVEN, Drawn, SampleDocument
from acumen.table.coded import Coded
from acumen.table.judgments import Judgments
from acumen.types import CaseId, Floats

DOUBT: Final = 3.0
"""So many standard errors between the cases there are and those that the sample stands for."""
SLACK: Final = 0.02
"""And so large a share of them, since chances are written with few digits at times."""


def is_sample(said: str) -> bool:
    """Whether a sample is named, and not a column."""
    return said.endswith(".json")


def groups_of(reading: Mapping[str, Any]) -> list[str]:
    """The columns that are to be sliced by."""
    said = reading.get("group") or []
    return [said] if isinstance(said, str) else list(said)


def beside(reading: Mapping[str, Any], said: str | None) -> dict[str, Any]:
    """What is to be read as well: the column of chances, as one to slice by is.

    Labels that were drawn otherwise than what is said are refused by what stands beside them.
    """
    files = reading.get("label_files")
    if files is not None and "-" not in ([files] if isinstance(files, str) else files):
        _refuse_others(label_files(files), said)
    if said is None or is_sample(said) or said in groups_of(reading):
        return {}
    return {"group": [*groups_of(reading), said]}


def chances_of(table: Judgments, said: str) -> Floats:
    """The chance of each case; NaN of those of which nothing is said."""
    return _of_sample(table, said) if is_sample(said) else _of_column(table, said)


def _of_column(table: Judgments, column: str) -> Floats:
    group = _filled(table.groups[column])
    values = np.array([_number(value) for value in group.values] + [math.nan])
    of_rows = values[group.codes]
    first = np.full(len(table.cases), -1, np.int64)
    there = np.flatnonzero(~group.missing)
    first[table.case[there][::-1]] = there[::-1]
    problems = list(_problems(table, column, group, of_rows, first[table.case]))
    refuse(problems, table.source.name)
    return np.where(first >= 0, of_rows[first], math.nan)


def _filled(group: Coded) -> Coded:
    """Without what a file leaves blank."""
    is_blank = np.array([isinstance(v, str) and not v.strip() for v in group.values] + [True])
    return replace(group, codes=np.where(is_blank[group.codes], -1, group.codes))


def _problems(
    table: Judgments, column: str, group: Coded, of_rows: Floats, first: NDArray[np.int64]
) -> Iterator[Problem]:
    for row in np.flatnonzero(~group.missing).tolist():
        value = group.values[int(group.codes[row])]
        if not 0.0 < of_rows[row] <= 1.0:
            message = f"a chance is above 0 and at most 1, not {what_came(value)}"
            yield table.problem(row, message, column)
        elif abs(of_rows[row] - of_rows[first[row]]) > EVEN:
            other = group.values[int(group.codes[first[row]])]
            message = (
                f"is {what_came(value)} here and {what_came(other)} in another row of the case"
            )
            yield table.problem(row, message, column)


def _number(value: Any) -> float:
    try:  # written to the last digit, which a level never is
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return math.nan


def _sample(path: str) -> SampleDocument:
    from acumen.results.kinds import read_document

    sample, name = read_document(path), source_name(path)
    if not isinstance(sample, SampleDocument):
        raise DataError(["is no sample: it is what acumen label writes"], name)
    if sample.fingerprint != sample.own_fingerprint:
        message = "its cases or chances are not those that were drawn: somebody changed them"
        raise DataError([Problem(message, field="fingerprint")], name)
    return sample


def _refuse_others(files: Sequence[LabelFile], said: str | None) -> None:
    if said and not is_sample(said) and len(files) > 1 and any(file.has(said) for file in files):
        raise UsageError(
            f"{label(said)} is in several files of labels: say --inclusion SAMPLE.json"
        )
    for file in files:
        if said is None:
            _refuse_unsaid(file)
        elif is_sample(said):
            _refuse_other_draw(file, _sample(said), source_name(said))
        elif file.has("sample") and len(marks := file.texts("sample").values) > 1:
            message = f"has labels of {len(marks)} samples: a chance says nothing of them together"
            raise DataError([Problem(message, field="sample")], file.name)


def _refuse_unsaid(file: LabelFile) -> None:
    """Labels of the marking page that do not all count alike, where nobody asked for weights."""
    if not (file.has("inclusion") and file.has("sample")):
        return
    chances = sorted({_number(value) for value in file.texts("inclusion").values})
    if len(chances) > 1 and chances[-1] - chances[0] > EVEN:
        message = f"its cases were drawn with chances from {chances[0]:.3g} to {chances[-1]:.3g}"
        raise DataError([f"{message}: say --inclusion SAMPLE or --inclusion inclusion"], file.name)


def _refuse_other_draw(file: LabelFile, sample: SampleDocument, name: str) -> None:
    """Labels of the marking page of another sample, or with other chances than were drawn."""
    case, problems = sample.columns["case"], list[Problem]()
    if not all(map(file.has, (case, "inclusion", "sample"))):
        return
    cases, own, marks = map(file.texts, (case, "inclusion", "sample"))
    known = {str(drawn.case): drawn.inclusion for drawn in sample.drawn}
    for row in np.flatnonzero(~cases.missing & ~own.missing & ~marks.missing).tolist():
        mark, chance = (column.values[column.codes[row]] for column in (marks, own))
        of_case = cases.values[cases.codes[row]]
        place: dict[str, Any] = {"case": of_case, "line": file.line(row)}
        if mark != sample.fingerprint:
            message = f"is a label of the sample {label(mark)}, and {name} is {sample.fingerprint}"
            problems.append(Problem(message, **place, field="sample"))
        elif of_case in known and not abs(_number(chance) - known[of_case]) <= EVEN:
            message = f"is {label(chance)}, and was drawn with {known[of_case]:.6g} in {name}"
            problems.append(Problem(message, **place, field="inclusion"))
    refuse(problems, file.name)


def _of_sample(table: Judgments, path: str) -> Floats:
    sample, name = _sample(path), source_name(path)
    chance = {str(case.case): case.inclusion for case in sample.drawn}
    known = {str(case) for case in _every_case(table)}
    problems = [
        Problem(f"{label(case)} was drawn and is not among the rows", field="drawn")
        for case in chance
        if case not in known
    ]
    refuse(problems, name)
    return np.array([chance.get(str(case), math.nan) for case in table.cases])


def _every_case(table: Judgments) -> set[CaseId]:
    """Those of a table, and those whose every row was left out for want of a label."""
    return {*table.cases, *(() if table.unlabelled is None else table.unlabelled.cases)}


def weights_of(
    chances: Floats, labelled: NDArray[np.bool_], table: Judgments, said: str
) -> Floats | None:
    """How many cases each labelled one stands for; None where all had the same chance."""
    lost = np.flatnonzero(labelled & np.isnan(chances))
    what = "was not drawn" if is_sample(said) else "has no chance of being drawn"
    where = f" in {label(source_name(said))}" if is_sample(said) else ""
    problems = [
        Problem(f"case {label(table.cases[at])} is labelled and {what}{where}", field=said)
        for at in lost.tolist()
    ]
    refuse(problems, table.source.name)
    own = chances[labelled]
    return None if np.ptp(own) <= EVEN else np.where(labelled, 1.0 / chances, 0.0)


@dataclass(frozen=True, eq=False)
class Chances:
    """With which the labelled cases of a table were drawn."""

    weights: Floats | None
    """How many cases each of a table stands for; None where all had the same chance."""
    facts: Drawn


def drawn_with(table: Judgments, said: str) -> Chances:
    """Of a table whose every row has a label."""
    own = chances_of(table, said)
    labelled = np.ones(len(own), bool)
    weights = weights_of(own, labelled, table, said)
    return Chances(weights, facts_of(own, len(_every_case(table))))


def facts_of(own: Floats, there: int) -> Drawn:
    """How many of the cases that there are the labelled ones stand for, by their own chances.

    >>> facts_of(np.array([0.5, 0.5]), 4).fits, facts_of(np.array([0.5]), 4).fits
    (True, False)
    """
    weights, n = 1.0 / own, len(own)
    total = float(weights.sum())
    error = math.sqrt(n / max(1, n - 1) * float(((weights - weights.mean()) ** 2).sum()))
    return Drawn(
        least_inclusion=float(own.min()),
        most_inclusion=float(own.max()),
        stands_for=total,
        cases=there,
        fits=abs(total - there) <= DOUBT * error + SLACK * there,
    )
