"""Raters as sections: agreement among people, judges beside them, and what biases a judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from acumen.defaults import PASSING_RATE
from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report.blocks import (
    UNDEFINED,
    Cell,
    Detail,
    Fact,
    Facts,
    Head,
    Note,
    Notes,
    Paragraph,
    Section,
    Table,
    Tone,
)
from acumen.report.cells import measured_cell, number, of_words, percent, plain, settings
from acumen.report.claims import Claim
from acumen.report.plots import plot
from acumen.report.samples import of_draw
from acumen.report.sections import Ask, Family, remarks
from acumen.results.raters import AltTest, Judge, RatingsDocument
from acumen.values.measured import Delta, Measured

if TYPE_CHECKING:
    from acumen.charts.theme import Figure

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
    "leniency": ("Leniency, judge minus people", Unit.SCALE),
    "lowest": ("Use of the lowest level, judge minus people", Unit.SHARE),
    "highest": ("Use of the highest level, judge minus people", Unit.SHARE),
    "length": ("Added when the length doubles", Unit.SCALE),
    "self_preference": ("Leniency towards its own outputs, minus that towards others", Unit.SCALE),
    "order_effect": ("First slot minus second", Unit.SCALE),
    "flips": ("Changes with the order", Unit.SHARE),
    "first_slot": ("Favours the first slot (50% is fair)", Unit.SHARE),
    "repeats_equal": ("Two draws of one rating are equal", Unit.SHARE),
    "repeats_alpha": ("Alpha of its own draws", Unit.NUMBER),
}
"""Biases -> what they are called, and their unit."""
STANDING_OUT: Final = {
    "disagrees": Claim.DISAGREES,
    "lenient": Claim.LENIENT,
    "strict": Claim.STRICT,
}


DEFINITIONS: Final = ("raters", "intervals")
CONCLUDED: Final = "What can be concluded"


class Drawing(NamedTuple):
    """A table with its words and, on a page, its chart."""

    key: str
    title: str
    caption: str
    table: Table
    chart: Callable[[], Figure | None] = lambda: None

    @property
    def section(self) -> Section:
        """What every medium shows."""
        return Section(self.key, self.title, (self.table,))

    def more(self, ask: Ask) -> Section:
        """What a page adds: the chart, or else what to see in the table."""
        drawn = plot(ask.study, self.key, self.chart, self.title, self.caption, self.table)
        lead = Paragraph(self.caption, Tone.QUIET)
        return Section(self.key, self.title, (lead,) if drawn is None else (drawn,))


def concluded(sentences: Iterable[str], warnings: Iterable[str]) -> Iterator[Section]:
    """What can be said, the first sentence first, and what to know before trusting it."""
    first, *others = [*sentences] or [""]
    notes = (Notes(tuple(map(Note, others))),) if others else ()
    yield Section("concluded", CONCLUDED, notes, Detail.ANSWER, first)
    yield remarks((), warnings)


def behind(
    ask: Ask, facts: Iterable[Fact], drawings: Iterable[Drawing], origin: Mapping[str, object]
) -> Iterator[Section]:
    """What a page adds: numbers told large, charts, and what it was made with."""
    yield Section("concluded", CONCLUDED, (Facts(tuple(facts)),))
    yield from (drawing.more(ask) for drawing in drawings)
    origin = {**origin, **({"command": ask.command} if ask.command else {})}
    values = settings((key.replace("_", " "), value) for key, value in origin.items())
    yield Section("provenance", "Provenance", (values,))


def _headline(document: RatingsDocument) -> str:
    people = document.most_raters or len(document.people)
    judges = f" and {counted(len(document.judges), 'judge')}" if document.judges else ""
    skipped = f", {document.skipped} skipped" if document.skipped else ""
    rated = f"{counted(document.units, 'unit')} of {counted(document.cases, 'case')}"
    return f"{people} people{judges}: {counted(document.ratings, 'rating')} of {rated}{skipped}"


def _main(document: RatingsDocument, _: Ask) -> Iterator[Section]:
    yield Section("judged", "What was judged", finding=_headline(document))
    first = sorted(_first(document), key=lambda drawing: drawing.key != "judges")
    yield from (drawing.section for drawing in first)
    yield from concluded(_sentences(document), document.warnings)


def _rest(document: RatingsDocument, ask: Ask) -> Iterator[Section]:
    facts = [Fact("Alpha, ordinal", measured_cell(document.agreement.get("alpha_ordinal")))]
    facts += [
        Fact("Winning rate", percent(judge.alt_test.winning_rate), plain(name))
        for name, judge in document.judges.items()
    ]
    more = list(_more(document))
    yield from (drawing.section for drawing in more)
    origin = {**document.settings, "acumen": document.acumen_version}
    yield from behind(ask, facts, [*_first(document), *more], origin)


def _first(document: RatingsDocument) -> Iterator[Drawing]:
    """What most readers need: the first measures, each person, the judges compared with them."""
    caption = f"1 is perfect and 0 is chance; the noise floor is in {_unit(document)}."
    if document.complete_units < document.units:
        caption += f" ICC is of the {document.complete_units} units that all people rated."
    yield Drawing("agreement", "Do people agree", caption, _agreement(document, FIRST))
    yield Drawing(
        "people",
        "Each person among the others",
        f"Distance and leniency are in {_unit(document)}; alpha without: of the others, less that "
        "of all.",
        _people(document),
        lambda: _charts().levels(document),
    )
    if not document.judges:
        return
    yield Drawing(
        "judges",
        "Judges compared with people",
        "Risk: mean error against a random person; the floor is that of two people on the same "
        "units: a judge whose answers have no noise lies below it in any case.",
        _judges(document.judges),
        lambda: _charts().floors(document, _unit(document)),
    )
    biases = list(_biases(document))
    yield Drawing(
        "bias",
        "What biases the judge",
        "Intervals that hold 0 show no bias; shares differ in points.",
        _effects(document, biases),
        lambda: _charts().effects(
            (bias[:3] for bias in biases if bias[3] is Unit.SCALE), _unit(document)
        ),
    )
    rows = []
    for pair in document.differences:
        pair_names = f"{plain(pair.right)} minus {plain(pair.left)}"
        rows.append(_row(f"Risk, {pair_names}", pair.risk, Unit.SCALE))
        rows.append(_row(f"As close as a person, {pair_names}", pair.advantage))
    if rows:
        caption = "Right minus left, paired by case, on the units that both answered."
        yield Drawing("differences", "Judges against each other", caption, _table("", rows))


def _unit(document: RatingsDocument) -> str:
    return "levels" if of_words(document.levels) else "units of the scale"


def _more(document: RatingsDocument) -> Iterator[Drawing]:
    """Every measure, every pair, and what is behind each judge."""
    most, names = _charts().MOST_ROWS, [*document.people, *document.judges]
    caption = f"1 is perfect and 0 is chance; the noise floor is in {_unit(document)}."
    every = _agreement(document, document.agreement)
    yield Drawing("metrics", "Every measure of agreement", caption, every)
    if len(names) <= most:
        yield Drawing(
            "pairs",
            "Who agrees with whom",
            "Quadratic kappa of two raters on the units that both rated.",
            _pairs(document, names),
            lambda: _charts().pairs(document),
        )
    for at, (name, judge) in enumerate(document.judges.items()):
        yield Drawing(
            f"test-{at}",
            f"May {plain(name)} stand in for a person",
            f"The alternative annotator test, ε = {document.settings['epsilon']:g}; as close: "
            "where the judge is as close to the others as the person. Of all: an abstention "
            "counts as a loss.",
            _tests(judge),
        )
    levels = list(_by_level(document)) if len(document.levels) <= most else []
    if levels:
        caption = "Intervals that hold 0 show no bias."
        table = _effects(document, levels)
        yield Drawing("leniency", "Leniency by the level that people gave", caption, table)


def _charts() -> Any:
    """The charts of raters, imported where one is drawn."""
    from acumen.charts import raters

    return raters


def _agreement(document: RatingsDocument, keys: Iterable[str]) -> Table:
    rows = [_row(TITLES[k], document.agreement[k]) for k in keys if k in document.agreement]
    rows.append(_row("Noise floor: two people apart", document.noise_floor))
    return _table("measure", rows)


def _row(title: str, measured: Measured | Delta, unit: Unit = Unit.NUMBER) -> tuple[Cell, ...]:
    return Cell(title), measured_cell(measured, unit, signed=isinstance(measured, Delta))


def _table(name: str, rows: Sequence[tuple[Cell, ...]]) -> Table:
    return Table("", (name, "value"), tuple(rows))


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
    few = "no person has enough instances"
    rows = {
        "People it may stand in for": lambda j: percent(j.alt_test.winning_rate, few),
        "As close as a person": lambda j: measured_cell(j.alt_test.advantage, Unit.SHARE),
        "Coverage": lambda j: measured_cell(j.coverage, Unit.SHARE),
        "Risk: mean error": lambda j: measured_cell(j.risk),
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


Bias = tuple[str, str, Measured | Delta, Unit]
"""Of a judge: who, what, how much, in which unit."""


def _effects(document: RatingsDocument, biases: Iterable[Bias]) -> Table:
    several = len(document.judges) > 1
    rows = [_row(f"{n}: {title}" if several else title, m, unit) for n, title, m, unit in biases]
    return _table("effect", rows)


def _biases(document: RatingsDocument) -> Iterator[Bias]:
    for name, judge in document.judges.items():
        for key, (title, unit) in EFFECTS.items():
            if (measured := getattr(judge.bias, key)) is not None:
                yield plain(name), title, measured, unit


def _by_level(document: RatingsDocument) -> Iterator[Bias]:
    for name, judge in document.judges.items():
        for level, measured in judge.bias.by_level.items():
            yield plain(name), f"Leniency where people gave {plain(level)}", measured, Unit.SCALE


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
            yield f"{STANDING_OUT[person.stands_out].say(person=plain(name))}."
    yield from of_draw(document.drawn)
    if document.most_raters is not None:
        looked_at = f"the {len(document.people)} who rated most are analysed one by one"
        yield f"Of {document.most_raters} people, {looked_at}."


def _verdict(name: str, test: AltTest, how: str) -> str:
    few = ", ".join(f"{plain(who)} ({n})" for who, n in list(test.too_few.items())[:5])
    more = f" and {len(test.too_few) - 5} more" if len(test.too_few) > 5 else ""
    tail = f" Too few instances: {few}{more}." if few else ""
    if test.winning_rate is None:
        return f"{name} cannot be tested {how}.{tail}"
    verdict = f"{name} does not pass the alternative annotator test"
    verdict = Claim.PASSES_TEST.say(judge=name) if test.passes else verdict
    return (
        f"{verdict} {how}: it may stand in for {test.winning_rate:.0%} of the people, of "
        f"{PASSING_RATE:.0%} needed.{tail}"
    )


RATINGS: Final = Family(
    lambda d: Head(plain(d.ratings_of or "Ratings"), _headline(d), DEFINITIONS), (_main,), (_rest,)
)
