"""The Python doors of ratings: their keywords are the options of the commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Unpack, get_args

import numpy as np

from acumen._version import __version__
from acumen.defaults import CONFIDENCE_LEVEL, EPSILON, FALSE_DISCOVERY, MOST_RATERS, TESTED_BY_T
from acumen.errors import DataError, UsageError, label, what_came
from acumen.files.json import to_json, write_bytes
from acumen.metrics.registry import Kind
from acumen.raters import agreement
from acumen.raters.alt_test import Rule, Score
from acumen.raters.bias import Beside
from acumen.raters.judge import Study, difference, judge_of, pair_of, rater_of
from acumen.raters.panel import Panel
from acumen.raters.reading import read_ratings
from acumen.readers.reading import Reading
from acumen.report.brief import brief
from acumen.results.measured import Measured
from acumen.results.raters import EstimateDocument, RateSettings, RatingsDocument
from acumen.table.judgments import Judgments


@dataclass(frozen=True, repr=False)
class Findings:
    """What was found about raters, as a document that shows itself."""

    results: RatingsDocument | EstimateDocument

    @property
    def document(self) -> dict[str, Any]:
        """All of it as one document, as ``--output`` writes it."""
        return self.results.model_dump(mode="json")

    def to_json(self) -> str:
        """The document as strict JSON."""
        return to_json(self.document)

    def write(self, path: str | Path) -> None:
        """Save the document, atomically."""
        write_bytes(path, self.to_json().encode("utf-8"))

    def __repr__(self) -> str:
        from acumen.report.terminal import render

        return render(brief(self.results))

    def _repr_html_(self) -> str:
        from acumen.report.notebook import html

        return html(brief(self.results))


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
) -> Findings:
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
    rule = _rule(score, epsilon, q, fewest_instances, by_case, confidence_level)
    judges = [judge] if isinstance(judge, str) else list(dict.fromkeys(judge))
    if rating is not None and raters is not None:
        raise UsageError("give rating (with rater) or raters, not both")
    truth = rating if raters is None else raters
    said = {**reading, **({} if truth is None else {"truth": truth})}
    aside = {"length": length, "own": own, "position": position}
    columns = {name: column for name, column in aside.items() if column is not None}
    table, judges = read_ratings(data, said, judges, columns)
    return Findings(_document(table, judges, rule))


def _rule(score: Score, epsilon: float, q: float, fewest: int, by_case: bool, level: float) -> Rule:
    if score not in get_args(Score):
        raise UsageError(f"a score is ordinal or nominal, not {what_came(score)}")
    for name, value in (("q", q), ("the confidence level", level)):
        if not 0.0 < value < 1.0:
            raise UsageError(f"{name} must lie between 0 and 1, not {value}")
    if not 0.0 <= epsilon < 1.0:
        raise UsageError(f"epsilon must be at least 0 and below 1, not {epsilon}")
    if fewest < 2:
        raise UsageError(f"a test takes at least 2 instances, not {fewest}")
    return Rule(epsilon, q, score, fewest, by_case, level)


def _document(table: Judgments, judges: Sequence[str], rule: Rule) -> RatingsDocument:
    panel = _panel(table)
    predicted = [n for n in panel.raters if n in judges]
    codes = {name: panel.raters.index(name) for name in predicted}
    people = panel.without(*codes.values())
    who = np.unique(people.rater)
    _refuse(table, panel, people, [j for j in judges if j not in codes], codes)
    counts = people.counts
    busiest = who[np.argsort(-counts[who].sum(axis=1), kind="stable")][:MOST_RATERS]
    study = Study(people, sorted(busiest.tolist()), rule)
    answers = {name: panel.by(code) for name, code in codes.items()}
    ones = [*study.ones, *codes.values()]
    iccs, complete = agreement.intraclass(people, who.tolist())
    named = sorted(answers)
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
        agreement=_agreement(people, rule.level)
        | {n: e.measured(Kind.GAIN, rule.level, _NO_ICC) for n, e in iccs.items()},
        noise_floor=agreement.floor(people).measured(Kind.RISK, rule.level),
        pairs=[pair_of(panel, a, b, rule.level) for a, b in combinations(ones, 2)],
        judges={
            n: judge_of(study, answers[n], Beside.of(table, n, panel)) for n in judges if n in codes
        },
        differences=[
            difference(study, (a, b), (answers[a], answers[b])) for a, b in combinations(named, 2)
        ],
        settings=RateSettings(
            score=rule.score,
            epsilon=rule.epsilon,
            q=rule.q,
            fewest_instances=rule.fewest_instances,
            by_case=rule.by_case,
            confidence_level=rule.level,
        ),
        warnings=list(table.warnings),
    )


_NO_ICC = "fewer than two units were rated by all people, or all of them alike"


def _panel(table: Judgments) -> Panel:
    """The first draw of every rating."""
    if not table.has_truth:
        raise DataError(["nobody rated anything: every rating is missing"], table.source.name)
    first = np.unique(table.row_keys("rater"), return_index=True)[1]
    return Panel.of(table, first)


def _agreement(people: Panel, level: float) -> dict[str, Measured]:
    reason = "everybody gave one and the same level"
    out = {
        f"alpha_{distance}": agreement.alpha(people, distance).measured(
            Kind.CORRELATION, level, reason
        )
        for distance in agreement.ALPHAS
    }
    return out | {
        name: agreement.gwet(people, kind).measured(Kind.GAIN, level, reason)
        for name, kind in agreement.WEIGHTS.items()
    }


def _refuse(
    table: Judgments, panel: Panel, people: Panel, silent: Sequence[str], judges: dict[str, int]
) -> None:
    """What leaves nothing to measure, each in a word."""
    who = [panel.raters[code] for code in np.unique(people.rater)]
    problems = []
    if len(who) < 2:
        names = f"only {label(who[0])} rated" if who else "nobody but the judge rated"
        problems.append(
            f"{names}: agreement takes two people; one truth and one prediction: acumen evaluate"
        )
    elif not (people.per_unit > 1).any():
        problems.append(
            f"no two of the {len(who)} people rated the same thing; is there an --item, or are "
            "the ids of the cases written in two ways?"
        )
    problems += [f"judge {label(name)} rated nothing" for name in silent]
    problems += [
        f"judge {label(name)} rated nothing that two people rated"
        for name, code in judges.items()
        if not problems and not (people.per_unit[panel.unit[panel.rater == code]] > 1).any()
    ]
    if problems:
        raise DataError(problems, table.source.name)
