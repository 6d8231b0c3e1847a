"""Raters as blocks: agreement among people, judges held against them, and what biases a judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from acumen.charts import raters as charts
from acumen.charts.theme import Figure
from acumen.defaults import PASSING_RATE
from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report.blocks import (
    UNDEFINED,
    Block,
    Cell,
    Fact,
    Facts,
    Note,
    Notes,
    Paragraph,
    Section,
    Study,
    Table,
    Tone,
    Warnings,
)
from acumen.report.cells import interval, measured_cell, number, percent, plain, text
from acumen.report.plots import plot
from acumen.results.measured import Delta, Measured
from acumen.results.raters import AltTest, Bias, Judge, RatingsDocument

TITLES: Final = {
    "alpha_nominal": "Krippendorff's alpha, nominal",
    "alpha_ordinal": "Krippendorff's alpha, ordinal",
    "alpha_interval": "Krippendorff's alpha, interval",
    "ac1": "Gwet's AC1",
    "ac2_linear": "Gwet's AC2, linear",
    "ac2_quadratic": "Gwet's AC2, quadratic",
    "ac2_ordinal": "Gwet's AC2, ordinal",
    "icc_1_1": "ICC(1,1), raters differ by unit",
    "icc_a_1": "ICC(A,1), absolute agreement",
    "icc_c_1": "ICC(C,1), consistency",
    "icc_1_k": "ICC(1,k), of the mean",
    "icc_a_k": "ICC(A,k), of the mean",
    "icc_c_k": "ICC(C,k), of the mean",
}
EFFECTS: Final = {
    "leniency": ("Leniency, judge minus people", Unit.LEVELS),
    "lowest": ("Use of the lowest level, judge minus people", Unit.SHARE),
    "highest": ("Use of the highest level, judge minus people", Unit.SHARE),
    "length": ("Levels that a doubling of the length adds", Unit.LEVELS),
    "self_preference": ("Leniency to its own outputs, less that to others'", Unit.LEVELS),
    "order_effect": ("First slot minus second", Unit.LEVELS),
    "flips": ("Changes when the order does", Unit.SHARE),
    "first_slot": ("Favours the first slot (50% is fair)", Unit.SHARE),
    "repeats_equal": ("Two draws of one rating are equal", Unit.SHARE),
    "repeats_alpha": ("Alpha of its own draws", Unit.NUMBER),
}
"""Biases -> what they are called, and their unit."""


class _Drawing(NamedTuple):
    """A table with its words and, on a page, its chart."""

    key: str
    title: str
    caption: str
    table: Table
    chart: Callable[[], Figure | None] | None = None


def brief(document: RatingsDocument, *, full: bool = False) -> Iterator[Section | Block]:
    """What a terminal shows; ``full`` adds every measure of agreement and every pair."""
    yield Paragraph(_headline(document), Tone.STRONG)
    for drawing in _drawings(document, full=full):
        key = "metrics" if drawing.key == "agreement" else drawing.key
        yield Section(key, drawing.title, (drawing.table,))
    yield Notes(tuple(Note(line) for line in _sentences(document)))
    if document.warnings:
        yield Warnings(tuple(map(plain, document.warnings)))


def study_of(document: RatingsDocument, key: str, command: str | None = None) -> Study:
    """Everything a page tells of raters."""
    sections = []
    for drawing in _drawings(document, full=True):
        figure = None if drawing.chart is None else drawing.chart()
        drawn = plot(key, drawing.key, figure, drawing.title, drawing.caption, drawing.table)
        lead = Paragraph(drawing.caption, Tone.QUIET)
        blocks = (lead, drawing.table) if drawn is None else (drawn,)
        sections.append(Section(drawing.key, drawing.title, blocks))
    facts = [Fact("Alpha, ordinal", measured_cell(document.agreement.get("alpha_ordinal")))]
    facts += [
        Fact("Winning rate", percent(judge.alt_test.winning_rate), plain(name))
        for name, judge in document.judges.items()
    ]
    settings = document.settings.model_dump()
    rows = [(text(k.replace("_", " ")), text(v)) for k, v in settings.items()]
    rows += [(text("acumen"), text(document.acumen_version))]
    rows += [(text("command"), text(command))] if command else []
    sections.append(
        Section("provenance", "Provenance", (Table("", ("setting", "value"), tuple(rows)),))
    )
    limits = (
        "A judge without noise of its own lies below the noise floor by construction: below it is "
        "no proof of more skill than people's.",
        "The intervals speak of cases like these, and of these people.",
    )
    return Study(
        key=key,
        title=plain(document.ratings_of or "Ratings"),
        subtitle=_headline(document),
        answers=(
            ("What can be concluded", tuple(_sentences(document))),
            ("What cannot be concluded", limits),
        ),
        facts=Facts(tuple(facts)),
        warnings=Warnings(tuple(map(plain, document.warnings))),
        sections=tuple(sections),
        definitions=("intervals",),
    )


def _headline(document: RatingsDocument) -> str:
    people = len(document.people) if document.most_raters is None else document.most_raters
    who = counted(people, "person") if people == 1 else f"{people} people"
    judges = f" and {counted(len(document.judges), 'judge')}" if document.judges else ""
    skipped = f", {document.skipped} skipped" if document.skipped else ""
    rated = f"{counted(document.units, 'unit')} of {counted(document.cases, 'case')}"
    return f"{who}{judges}: {counted(document.ratings, 'rating')} of {rated}{skipped}"


def _drawings(document: RatingsDocument, *, full: bool) -> Iterator[_Drawing]:
    first = ("alpha_nominal", "alpha_ordinal", "ac1", "ac2_quadratic", "icc_a_1")
    keys = TITLES if full else first
    rows = [_row(TITLES[k], m) for k, m in document.agreement.items() if k in keys]
    rows.append(_row("Levels between two people (noise floor)", document.noise_floor))
    caption = "1 is perfect and 0 is chance; the noise floor is in levels."
    if document.complete_units < document.units:
        caption += f" ICC is of the {document.complete_units} units that all people rated."
    yield _Drawing("agreement", "Do people agree", caption, _table("measure", rows))
    yield _Drawing(
        "people",
        "Each person among the others",
        "Distance and leniency are in levels; alpha without: of the others, less that of all.",
        _people(document),
        lambda: charts.levels(document),
    )
    names = [*document.people, *document.judges]
    if full or len(names) <= 7:
        yield _Drawing(
            "pairs",
            "Who agrees with whom",
            "Quadratic kappa of two raters on the units that both rated.",
            _pairs(document, names),
            lambda: charts.pairs(document),
        )
    if not document.judges:
        return
    yield _Drawing(
        "judges",
        "Judges held against people",
        "Risk: levels off a random person; the noise floor is that of two people on the same "
        "units. Replacement: alpha with the judge in a person's place, and with the person.",
        _judges(document.judges),
        lambda: charts.floors(document),
    )
    for name, judge in document.judges.items():
        yield _Drawing(
            f"test-{list(document.judges).index(name)}",
            f"May {plain(name)} stand in for a person",
            f"The alternative annotator test, ε = {document.settings.epsilon:g}; as close: where "
            "the judge is as close to the others as the person.",
            _tests(judge),
        )
    yield _Drawing(
        "bias",
        "What biases the judge",
        "Intervals that hold 0 show no bias; shares differ in points.",
        _bias(document.judges),
        lambda: charts.effects(
            (name, EFFECTS[key][0], measured)
            for name, judge in document.judges.items()
            for key, measured in _measures(judge.bias)
            if EFFECTS[key][1] is Unit.LEVELS
        ),
    )
    if document.differences:
        yield _Drawing(
            "differences",
            "Judges against each other",
            "Right minus left, paired by case, on the units that both answered.",
            _differences(document),
        )


def _row(title: str, measured: Measured | Delta, unit: Unit = Unit.NUMBER) -> tuple[Cell, ...]:
    signed = isinstance(measured, Delta)
    cell = measured_cell(measured, unit, signed=signed)
    value = Cell(cell.text, cell.value, cell.hint)
    return Cell(title), value, interval(measured, unit, signed=signed)


def _table(name: str, rows: Sequence[tuple[Cell, ...]]) -> Table:
    return Table("", (name, "value", "interval"), tuple(rows))


def _people(document: RatingsDocument) -> Table:
    rows = tuple(
        (
            Cell(plain(name)),
            number(person.ratings),
            measured_cell(person.distance),
            measured_cell(person.leniency),
            measured_cell(person.alpha_without, signed=True),
            Cell(person.stands_out or UNDEFINED),
        )
        for name, person in document.people.items()
    )
    columns = ("rater", "ratings", "distance", "leniency", "alpha without", "stands out")
    return Table("", columns, rows)


def _pairs(document: RatingsDocument, names: Sequence[str]) -> Table:
    if len(names) > charts.MOST_ROWS:
        rows = tuple(
            (Cell(f"{plain(p.one)} and {plain(p.other)}"), number(p.units), measured_cell(p.kappa))
            for p in document.pairs
        )
        return Table("", ("pair", "units", "kappa"), rows)
    known = {(p.one, p.other): p.kappa for p in document.pairs}
    cells = (
        (
            Cell(plain(a)),
            *(Cell("") if (a, b) not in known else measured_cell(known[a, b]) for b in names[1:]),
        )
        for a in names[:-1]
    )
    return Table("", ("rater", *map(plain, names[1:])), tuple(cells))


def _judges(judges: dict[str, Judge]) -> Table:
    rows = tuple(
        (
            Cell(plain(name)),
            percent(judge.alt_test.winning_rate, "nobody has instances enough"),
            measured_cell(judge.alt_test.advantage),
            measured_cell(judge.coverage, Unit.SHARE),
            measured_cell(judge.risk),
            measured_cell(judge.noise_floor),
            measured_cell(judge.replacement),
            measured_cell(judge.replaced),
        )
        for name, judge in judges.items()
    )
    columns = ("judge", "wins", "as close", "coverage", "risk", "floor", "with judge", "people")
    return Table("", columns, rows)


def _tests(judge: Judge) -> Table:
    charged = judge.alt_test_charged
    both = {"answered": judge.alt_test}
    both |= {} if charged is None else {"all, silence a loss": charged}
    rows = tuple(
        (
            Cell(plain(name)),
            Cell(how),
            number(test.instances),
            number(test.difference, "+.3f"),
            number(test.advantage, ".3f"),
            number(test.p_value, ".4f"),
            Cell("yes" if test.passes else "no"),
        )
        for how, held in both.items()
        for name, test in held.raters.items()
    )
    columns = ("person", "of", "instances", "mean D", "as close", "p", "passed")
    return Table("", columns, rows)


def _measures(bias: Bias) -> Iterator[tuple[str, Measured | Delta]]:
    for key in EFFECTS:
        measured = getattr(bias, key)
        if measured is not None:
            yield key, measured


def _bias(judges: dict[str, Judge]) -> Table:
    rows = []
    for name, judge in judges.items():
        lead = f"{plain(name)}: " if len(judges) > 1 else ""
        rows += [_row(lead + EFFECTS[k][0], m, EFFECTS[k][1]) for k, m in _measures(judge.bias)]
        rows += [
            _row(f"{lead}Leniency where people gave {plain(use.level)}", use.leniency, Unit.LEVELS)
            for use in judge.bias.by_level
        ]
    return _table("effect", rows)


def _differences(document: RatingsDocument) -> Table:
    rows = []
    for pair in document.differences:
        names = f"{plain(pair.right)} minus {plain(pair.left)}"
        rows.append(_row(f"Risk, {names}", pair.risk, Unit.LEVELS))
        rows.append(_row(f"As close as a person, {names}", pair.advantage))
    return _table("difference", rows)


def _sentences(document: RatingsDocument) -> Iterator[str]:
    """What the numbers say of each judge, and of people who stand out."""
    for name, judge in document.judges.items():
        yield _verdict(plain(name), judge.alt_test, "on what it answered")
        if judge.alt_test_charged is not None:
            share = 0.0 if judge.coverage.value is None else judge.coverage.value
            yield f"{plain(name)} answered {share:.1%} of what two people or more rated."
            yield _verdict(plain(name), judge.alt_test_charged, "with an abstention as a loss")
        signs = [r for r in judge.alt_test.raters.values() if r.method == "sign"]
        if signs:
            yield (
                f"{plain(name)}: of {counted(len(signs), 'person')} every instance is alike, so "
                "the mean alone decides."
            )
    words = {
        "disagrees": "disagrees with the others",
        "lenient": "is more lenient than the others",
        "strict": "is stricter than the others",
    }
    for name, person in document.people.items():
        if person.stands_out is not None:
            yield f"{plain(name)} {words[person.stands_out]}."
    if document.most_raters is not None:
        yield (
            f"Of {document.most_raters} people, the {len(document.people)} who rated most are "
            "looked at one by one."
        )


def _verdict(name: str, test: AltTest, how: str) -> str:
    few = ", ".join(f"{plain(who)} ({n})" for who, n in list(test.too_few.items())[:5])
    more = f" and {len(test.too_few) - 5} more" if len(test.too_few) > 5 else ""
    tail = f" Too few instances: {few}{more}." if few else ""
    if test.winning_rate is None:
        return f"{name} cannot be tested {how}.{tail}"
    passed = "passes" if test.passes else "does not pass"
    return (
        f"{name} {passed} the alternative annotator test {how}: it may stand in for "
        f"{test.winning_rate:.0%} of the people, of {PASSING_RATE:.0%} needed.{tail}"
    )
