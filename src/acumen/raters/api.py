"""The Python door of ratings: its keywords are the options of the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from acumen._version import __version__
from acumen.defaults import CONFIDENCE_LEVEL, EPSILON, FALSE_DISCOVERY, MOST_RATERS, TESTED_BY_T
from acumen.errors import DataError, UsageError, label
from acumen.metrics.registry import Kind
from acumen.raters import agreement
from acumen.raters.alt_test import Rule, Score
from acumen.raters.bias import Beside
from acumen.raters.judge import Study, difference, judge_of, pair_of, rater_of
from acumen.raters.panel import Panel
from acumen.raters.reading import Ratings, read_ratings
from acumen.readers.reading import Reading
from acumen.report.findings import Findings
from acumen.results.raters import RatingsDocument
from acumen.table.judgments import Judgments


def rate(
    data: Any,
    *,
    judge: str | Sequence[str] = (),
    rating: str | None = None,
    raters: str | Sequence[str] | None = None,
    length: str | None = None,
    own: str | None = None,
    position: str | None = None,
    score: Score = "ordinal",
    epsilon: float = EPSILON,
    q: float = FALSE_DISCOVERY,
    fewest_instances: int = TESTED_BY_T,
    by_case: bool = False,
    confidence_level: float = CONFIDENCE_LEVEL,
    **reading: Unpack[Reading],
) -> Findings[RatingsDocument]:
    """Agreement among people, and whether a judge may stand in for one of them.

    Parameters
    ----------
    data
        A path, a dataframe or a list of rows. Long, one rating a row: ``rater="who"``,
        ``rating="stars"``. Wide, one column a rater: ``raters=["ann", "ben", "eve"]``.
    judge
        Judges: names of raters, or of columns of their own. A judge may leave units out.
    length, own, position
        Columns that may bias a judge: the length of an output; whether it is the judge's own (yes,
        1, or the judge's name); and which of two slots it stood in.
    score, epsilon, q, fewest_instances, by_case
        The alternative annotator test: what is close (``ordinal`` or ``nominal``), how much worse
        than a person the judge may be (.2 for experts, .15 for the skilled, .1 for crowds), the
        share of false rejections, the instances a person must have, and whether cases rather than
        instances are independent.
    reading
        How rows are read: ``case``, ``item``, ``rater``, ``repeat`` (draws of one rating),
        ``levels`` and all the others of :class:`~acumen.readers.reading.Reading`.

    Examples
    --------
    >>> import acumen
    >>> rows = [{"case": i, "a": i % 3, "b": (i + (i == 7)) % 3, "ai": i % 3} for i in range(40)]
    >>> found = acumen.rate(rows, raters=["a", "b"], judge="ai").results
    >>> found.judges["ai"].alt_test.winning_rate, found.judges["ai"].alt_test.passes
    (1.0, True)
    """
    rule = Rule(score, epsilon, q, fewest_instances, by_case, confidence_level)
    judges = [judge] if isinstance(judge, str) else list(judge)
    if rating is not None and raters is not None:
        raise UsageError("give rating (with rater) or raters, not both")
    truth = rating if raters is None else raters
    said: dict[str, Any] = {**reading, **({} if truth is None else {"truth": truth})}
    aside = {"length": length, "own": own, "position": position}
    columns = {name: column for name, column in aside.items() if column is not None}
    groups = [columns[name] for name in ("own", "position") if name in columns]
    said |= {"group": groups} if groups else {}
    if position is not None:
        if "repeat" in said:
            raise UsageError("give a repeat or a position: both say which draw a rating is")
        said["repeat"] = position
    ratings, judges = read_ratings(data, said, judges)
    return Findings(_document(ratings, judges, columns, rule))


def _document(
    ratings: Ratings, judges: Sequence[str], aside: Mapping[str, str], rule: Rule
) -> RatingsDocument:
    table = ratings.table
    if not len(ratings.rank):
        raise DataError(["nobody rated anything: every rating is missing"], table.source.name)
    panel = Panel.of(ratings.first)
    codes = {name: panel.raters.index(name) for name in judges if name in panel.raters}
    people, level = panel.without(*codes.values()), rule.confidence_level
    who, counts = np.unique(people.rater), people.counts
    _refuse(table, panel, people, judges)
    study = Study.of(people, rule)
    answers = {name: panel.by(code) for name, code in codes.items()}
    coefficients, complete = agreement.coefficients(people, who.tolist(), level)
    return RatingsDocument(
        acumen_version=__version__,
        ratings_of=table.source.name,
        levels=list(table.scale.levels),
        cases=len(table.cases),
        units=int((panel.per_unit > 0).sum()),
        ratings=len(panel),
        skipped=table.no_truth,
        people={panel.raters[c]: rater_of(study, c, counts[c]) for c in study.ones},
        most_raters=len(who) if len(who) > MOST_RATERS else None,
        complete_units=complete,
        agreement=coefficients,
        noise_floor=agreement.floor(people).measured(Kind.RISK, level),
        pairs=[
            pair_of(panel, a, b, level) for a, b in combinations([*study.ones, *codes.values()], 2)
        ],
        judges={
            n: judge_of(study, a, Beside.of(ratings, aside, codes[n], panel))
            for n, a in answers.items()
        },
        differences=[
            difference(study, (a, b), (answers[a], answers[b])) for a, b in combinations(answers, 2)
        ],
        settings=asdict(rule),
        warnings=list(table.warnings),
    )


def _refuse(table: Judgments, panel: Panel, people: Panel, judges: Sequence[str]) -> None:
    """What leaves nothing to measure, each in a word."""
    who = [panel.raters[code] for code in np.unique(people.rater)]
    shared = people.per_unit > 1
    problems = []
    if len(who) < 2:
        names = f"only {label(who[0])} rated" if who else "nobody but the judge rated"
        problems.append(
            f"{names}: agreement takes two people; one truth and one prediction: acumen evaluate"
        )
    elif not shared.any():
        problems.append(
            f"no two of the {len(who)} people rated the same thing; is there an --item, or are "
            "the ids of the cases written in two ways?"
        )
    else:
        problems += [
            f"judge {label(name)} rated nothing that two people rated"
            for name in judges
            if name not in panel.raters
            or not shared[panel.unit[panel.rater == panel.raters.index(name)]].any()
        ]
    if problems:
        raise DataError(problems, table.source.name)
