"""Ratings of any shape as rows of one rating each: people and judges alike are raters.

Long rows name the rater; of wide ones each column is a rater. A judge is a rater's name, a column
of its own, or what a format calls the prediction. What a table calls truth is what a rater said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, UsageError, label
from acumen.readers.inputs import table_of
from acumen.readers.reading import Reading
from acumen.readers.templates import variables_of
from acumen.table.judgments import NO_PREDICTION, NO_TRUTH, Judgments

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ratings:
    """One rating a row: who gave it, its rank, and the row of the table it stands in."""

    ranks: Ints
    """Every rank that is given anywhere: a later draw may have one of its own."""

    table: Judgments
    raters: tuple[str, ...]
    rater: Ints
    rank: Ints
    row: Ints

    @property
    def unit(self) -> Ints:
        """What is rated: a case's item, by number."""
        return np.unique(self.table.row_keys(), return_inverse=True)[1][self.row]

    def take(self, rows: NDArray[Any]) -> Ratings:
        """Some of the ratings."""
        return replace(self, rater=self.rater[rows], rank=self.rank[rows], row=self.row[rows])

    @property
    def first(self) -> Ratings:
        """Of several draws of one rating, the first."""
        key = self.unit * len(self.raters) + self.rater
        return self.take(np.unique(key, return_index=True)[1])


def read_ratings(
    data: Any, reading: Mapping[str, Any], judges: Sequence[str]
) -> tuple[Ratings, list[str]]:
    """The ratings of an input, and who of the raters is a judge."""
    said = dict(reading)
    truth, wide = said.get("truth"), "rater" not in said
    columns = [] if truth is None else truth.split(",") if isinstance(truth, str) else list(truth)
    columns = [column.strip() for column in columns]
    if not wide and len(columns) > 1:
        raise UsageError("give one column of ratings with a rater, or several without one")
    predicted = said.get("prediction")
    predicted = [predicted] if isinstance(predicted, str) else predicted or []
    if any(variables_of(column) for column in columns):  # raters and a judge stand side by side
        columns, predicted = [], []
    judges = list(dict.fromkeys([*judges, *predicted]))
    if columns:
        columns += [j for j in judges if j not in columns] if wide else []
        # a table has predictions: the ratings themselves, so whoever rates is a system too
        said |= {"truth": columns if len(columns) > 1 else columns[0], "prediction": columns[0]}
        said |= {} if wide else {"system": said.pop("rater")}
    elif judges and "label_files" in said:  # people's ratings are beside the judge's
        said |= {"prediction": judges[0]}
    try:
        table = read_as(data, said, truth="rating", prediction=None)
    except DataError as error:
        names = [label(name) for problem in error.problems for name in problem.columns]
        more = f"{_WHO}; there are {', '.join(names)}" if names else _WHO
        others = () if names else error.problems
        raise error if columns else DataError([*others, more], error.source) from None
    people = table.rater if wide or not columns else table.system
    if people is None:
        one = f"only {label(columns[0])} rated: agreement takes two people" if columns else _WHO
        raise DataError([one], table.source.name)
    names = [str(value) for value in people.values]
    rater, rank, row = [people.codes], [table.truth], [np.arange(len(table))]
    first = judges[0] if judges and "label_files" in said else "prediction"
    rows = {} if columns else {first: table}
    for column in () if wide else [j for j in judges if j not in names]:
        rows[column] = read_as(
            data, said | {"prediction": column}, truth="rating", prediction="judge"
        )
    for name, own in rows.items():
        # a judge beside every person's rating is one rating
        there = np.flatnonzero(own.prediction != NO_PREDICTION)
        key = own.row_keys("repeat")[there]
        both = np.unique(np.stack([key, own.prediction[there]]), axis=1)
        there = there[np.unique(key, return_index=True)[1]]
        if both.shape[1] > len(there):
            several = f"judge {label(name)} has several ratings of one thing"
            raise DataError([several], own.source.name)
        rater.append(np.full(len(there), len(names)))
        names.append(name)
        rank, row = [*rank, own.prediction[there]], [*row, there]
    who, ranks, at = (np.concatenate(part).astype(np.int64) for part in (rater, rank, row))
    there = ranks != NO_TRUTH
    every = np.unique(ranks[there])
    ratings = Ratings(every, table, tuple(names), who[there], ranks[there], at[there])
    return ratings, [*judges, *(n for n in rows if n not in judges)]


_WHO = (
    "who rated what? name --case COLUMN --item COLUMN, then --rater COLUMN --rating COLUMN where a "
    "row is one rating, or --raters A,B,C where each is a column"
)


def read_as(data: Any, said: Mapping[str, Any], **fields: str | None) -> Judgments:
    """The table of an input; problems name the fields as a user knows them, None drops theirs."""
    reading: Reading = {**said}  # type: ignore[typeddict-item]  # keywords of a door
    try:
        return table_of(data, None, reading)
    except DataError as error:
        problems = [
            replace(problem, field=fields.get(problem.field or "", problem.field))
            for problem in error.problems
            if fields.get(problem.field or "", "") is not None
        ]
        raise DataError(problems, error.source) from None
