"""Raters as blocks: agreement among people, judges held against them, and what biases a judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from acumen.report.cells import amount, interval, measured_cell, number, percent, plain, text
from acumen.report.plots import plot
from acumen.results.measured import Delta, Measured
from acumen.results.raters import AltTest, Judge, RatingsDocument

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
FIRST: Final = ("alpha_nominal", "alpha_ordinal", "ac1", "ac2_quadratic", "icc_a_1")
"""Measures that a terminal shows."""
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
STANDING_OUT: Final = {
    "disagrees": "disagrees with the others",
    "lenient": "is more lenient than the others",
    "strict": "is stricter than the others",
}


class Drawing(NamedTuple):
    """A table with its words and, on a page, its chart."""

    key: str
    title: str
    caption: str
    table: Table
    chart: Callable[[], Figure | None] = lambda: None


class Pages(NamedTuple):
    """What any document of raters says, for every medium."""

    title: str
    headline: str
    drawings: Sequence[Drawing]
    sentences: Sequence[str]
    facts: Sequence[Fact]
    settings: Mapping[str, object]
    warnings: Sequence[str]
    verdict: str = ""
    """What a page says first, where no sentence does."""

    def brief(self) -> Iterator[Section | Block]:
        """What a terminal shows."""
        yield Paragraph(self.headline, Tone.STRONG)
        for drawing in self.drawings:
            yield Section(drawing.key, drawing.title, (drawing.table,))
        yield Notes(tuple(map(Note, self.sentences)))
        if self.warnings:
            yield Warnings(tuple(map(plain, self.warnings)))

    def study(self, key: str, command: str | None) -> Study:
        """Everything a page tells."""
        sections = []
        for name, title, caption, table, chart in self.drawings:
            drawn = plot(key, name, chart(), title, caption, table)
            lead = Paragraph(caption, Tone.QUIET)
            sections.append(Section(name, title, (lead, table) if drawn is None else (drawn,)))
        settings = {**self.settings, **({"command": command} if command else {})}
        rows = tuple((text(k.replace("_", " ")), text(v)) for k, v in settings.items())
        table = Table("", ("setting", "value"), rows)
        return Study(
            key=key,
            title=plain(self.title),
            subtitle=self.headline,
            answers=(("What can be concluded", (*filter(None, [self.verdict]), *self.sentences)),),
            facts=Facts(tuple(self.facts)),
            warnings=Warnings(tuple(map(plain, self.warnings))),
            sections=(*sections, Section("provenance", "Provenance", (table,))),
            definitions=("raters", "intervals"),
        )


def pages(document: RatingsDocument, *, full: bool = True) -> Pages:
    """What a document says; ``full`` with every measure of agreement and every pair."""
    people = document.most_raters or len(document.people)
    judges = f" and {counted(len(document.judges), 'judge')}" if document.judges else ""
    skipped = f", {document.skipped} skipped" if document.skipped else ""
    rated = f"{counted(document.units, 'unit')} of {counted(document.cases, 'case')}"
    facts = [Fact("Alpha, ordinal", measured_cell(document.agreement.get("alpha_ordinal")))]
    facts += [
        Fact("Winning rate", percent(judge.alt_test.winning_rate), plain(name))
        for name, judge in document.judges.items()
    ]
    return Pages(
        document.ratings_of or "Ratings",
        f"{people} people{judges}: {counted(document.ratings, 'rating')} of {rated}{skipped}",
        list(_drawings(document, full=full)),
        list(_sentences(document)),
        facts,
        {**document.settings, "acumen": document.acumen_version},
        document.warnings,
    )


def _drawings(document: RatingsDocument, *, full: bool) -> Iterator[Drawing]:
    rows = [
        _row(TITLES[key], measured)
        for key, measured in document.agreement.items()
        if full or key in FIRST
    ]
    rows.append(_row("Levels between two people (noise floor)", document.noise_floor))
    caption = "1 is perfect and 0 is chance; the noise floor is in levels."
    if document.complete_units < document.units:
        caption += f" ICC is of the {document.complete_units} units that all people rated."
    yield Drawing("metrics", "Do people agree", caption, _table("measure", rows))
    yield Drawing(
        "people",
        "Each person among the others",
        "Distance and leniency are in levels; alpha without: of the others, less that of all.",
        _people(document),
        lambda: charts.levels(document),
    )
    names = [*document.people, *document.judges]
    if full and len(names) <= charts.MOST_ROWS:
        yield Drawing(
            "pairs",
            "Who agrees with whom",
            "Quadratic kappa of two raters on the units that both rated.",
            _pairs(document, names),
            lambda: charts.pairs(document),
        )
    if not document.judges:
        return
    yield Drawing(
        "judges",
        "Judges held against people",
        "Risk: levels off a random person; the floor is that of two people on the same units: a "
        "judge without noise of its own lies below it by construction.",
        _judges(document.judges),
        lambda: charts.floors(document),
    )
    for at, (name, judge) in enumerate(document.judges.items() if full else ()):
        yield Drawing(
            f"test-{at}",
            f"May {plain(name)} stand in for a person",
            f"The alternative annotator test, ε = {document.settings['epsilon']:g}; as close: "
            "where the judge is as close to the others as the person. Of all: silence is a loss.",
            _tests(judge),
        )
    yield Drawing(
        "bias",
        "What biases the judge",
        "Intervals that hold 0 show no bias; shares differ in points.",
        _table(
            "effect",
            [
                _row(f"{name}: {title}" if len(document.judges) > 1 else title, measured, unit)
                for name, title, measured, unit in _effects(document, by_level=full)
            ],
        ),
        lambda: charts.effects(
            effect[:3] for effect in _effects(document) if effect[3] is Unit.LEVELS
        ),
    )
    rows = []
    for pair in document.differences:
        pair_names = f"{plain(pair.right)} minus {plain(pair.left)}"
        rows.append(_row(f"Risk, {pair_names}", pair.risk, Unit.LEVELS))
        rows.append(_row(f"As close as a person, {pair_names}", pair.advantage))
    if rows:
        caption = "Right minus left, paired by case, on the units that both answered."
        yield Drawing("differences", "Judges against each other", caption, _table("", rows))


def _row(title: str, measured: Measured | Delta, unit: Unit = Unit.NUMBER) -> tuple[Cell, ...]:
    signed = isinstance(measured, Delta)
    value = measured.delta if isinstance(measured, Delta) else measured.value
    cell = amount(value, unit, signed=signed, reason=measured.reason)
    return Cell(title), cell, interval(measured, unit, signed=signed)


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
    known = {(p.one, p.other): p.kappa for p in document.pairs}
    rows = (
        (
            Cell(plain(a)),
            *(Cell("") if (a, b) not in known else measured_cell(known[a, b]) for b in names[1:]),
        )
        for a in names[:-1]
    )
    return Table("", ("rater", *map(plain, names[1:])), tuple(rows))


def _judges(judges: Mapping[str, Judge]) -> Table:
    few = "nobody has instances enough"
    rows = {
        "People it may stand in for": lambda j: percent(j.alt_test.winning_rate, few),
        "As close as a person": lambda j: measured_cell(j.alt_test.advantage, Unit.SHARE),
        "Coverage": lambda j: measured_cell(j.coverage, Unit.SHARE),
        "Risk, in levels": lambda j: measured_cell(j.risk),
        "Noise floor, same units": lambda j: measured_cell(j.noise_floor),
        "Alpha, judge for a person": lambda j: measured_cell(j.replacement),
        "Alpha, people": lambda j: measured_cell(j.replaced),
        "Difference": lambda j: measured_cell(j.replacement_delta, signed=True),
    }
    cells = tuple((Cell(title), *map(cell, judges.values())) for title, cell in rows.items())
    return Table("", ("", *map(plain, judges)), cells)


def _tests(judge: Judge) -> Table:
    both = {"answered": judge.alt_test, "all": judge.alt_test_charged}
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
        if held is not None
        for name, test in held.raters.items()
    )
    columns = ("person", "of", "instances", "mean D", "as close", "p", "passed")
    return Table("", columns, rows)


def _effects(
    document: RatingsDocument, *, by_level: bool = True
) -> Iterator[tuple[str, str, Measured | Delta, Unit]]:
    """Of every judge: (judge, what, how much, unit)."""
    for name, judge in document.judges.items():
        for key, (title, unit) in EFFECTS.items():
            if (measured := getattr(judge.bias, key)) is not None:
                yield plain(name), title, measured, unit
        levels = judge.bias.by_level if len(document.levels) <= charts.MOST_ROWS else {}
        for level, measured in levels.items() if by_level else ():
            title = f"Leniency where people gave {plain(level)}"
            yield plain(name), title, measured, Unit.LEVELS


def _sentences(document: RatingsDocument) -> Iterator[str]:
    """What the numbers say of each judge, and of people who stand out."""
    for name, judge in document.judges.items():
        yield _verdict(plain(name), judge.alt_test, "on what it answered")
        if judge.alt_test_charged is not None:
            yield f"{plain(name)} answered {judge.coverage.value or 0.0:.1%} of the units."
            yield _verdict(plain(name), judge.alt_test_charged, "with an abstention as a loss")
        alike = [who for who, test in judge.alt_test.raters.items() if test.method == "sign"]
        if alike:
            people = ", ".join(map(plain, alike[:5]))
            yield f"{plain(name)}: every instance of {people} is alike, so the mean alone decides."
    for name, person in document.people.items():
        if person.stands_out is not None:
            yield f"{plain(name)} {STANDING_OUT[person.stands_out]}."
    if document.most_raters is not None:
        looked_at = f"the {len(document.people)} who rated most are looked at one by one"
        yield f"Of {document.most_raters} people, {looked_at}."


def _verdict(name: str, test: AltTest, how: str) -> str:
    few = ", ".join(f"{plain(who)} ({n})" for who, n in list(test.too_few.items())[:5])
    more = f" and {len(test.too_few) - 5} more" if len(test.too_few) > 5 else ""
    tail = f" Too few instances: {few}{more}." if few else ""
    if test.winning_rate is None:
        return f"{name} cannot be tested {how}.{tail}"
    return (
        f"{name} {'passes' if test.passes else 'does not pass'} the alternative annotator test "
        f"{how}: it may stand in for {test.winning_rate:.0%} of the people, of {PASSING_RATE:.0%} "
        f"needed.{tail}"
    )
