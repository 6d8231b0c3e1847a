"""Agreement among people, and whether a judge may stand in for one of them, as a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations

import numpy as np

from acumen._version import __version__
from acumen.defaults import MOST_RATERS
from acumen.errors import DataError, label
from acumen.metrics.registry import Kind
from acumen.raters import agreement
from acumen.raters.alt_test import Rule
from acumen.raters.bias import Beside
from acumen.raters.judge import Study, difference, judge_of, pair_of, rater_of
from acumen.raters.panel import Panel
from acumen.raters.reading import Ratings
from acumen.results.raters import RatingsDocument
from acumen.table.judgments import Judgments
from acumen.types import Floats


def document_of(
    ratings: Ratings,
    judges: Sequence[str],
    aside: Mapping[str, str],
    rule: Rule,
    of_cases: Floats | None = None,
) -> RatingsDocument:
    """What raters agree on, and how each judge stands beside them; cases may count differently."""
    table = ratings.table
    if not len(ratings.rank):
        raise DataError(["nobody rated anything: every rating is missing"], table.source.name)
    panel = Panel.of(ratings.first, of_cases)
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
