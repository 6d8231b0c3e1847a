"""Every claim has one home, and a population in which it is counted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.defaults import ALPHA, DELTA, POWER
from acumen.report.claims import OF_KIND, Claim
from acumen.report.selective import compared as words
from acumen.report.selective.screen import screen
from acumen.report.selective.words import conclusion, knows
from acumen.results.kinds import LISTED
from acumen.results.metrics import MetricsArtifact
from acumen.values.measured import Delta, Flag, Interval, Side
from simulations import watching
from simulations.claims import SIDES, Cell, cells, compared, verdict
from simulations.laws import LAWS, draw_pair

SOURCE = Path(acumen.__file__).parent


@pytest.mark.parametrize("claim", Claim, ids=lambda claim: claim.name)
def test_a_claim_is_made_by_its_entry_and_not_in_words_of_its_own(claim: Claim) -> None:
    uses = [
        file.name
        for file in (SOURCE / "report").rglob("*.py")
        if file.name != "claims.py" and f"Claim.{claim.name}" in file.read_text("utf-8")
    ]
    assert uses
    assert 0.0 < claim.value.error <= CHOSEN.get(claim, 0.05)


CHOSEN = {
    **dict.fromkeys((Claim.CERTIFIED, Claim.KEEPS, Claim.CASES_CERTIFIED), DELTA),
    Claim.CASCADE_CERTIFIED: DELTA,
    Claim.SETS_HOLD: ALPHA,
    Claim.SHOWN_WITH: 1.0 - POWER,
}
"""Claims whose chance the user gives, and what it is by default."""


def test_every_claim_is_counted_where_it_is_not_true() -> None:
    counted = {c for cell in cells() if cell.least is None for c in cell.claims}
    powers = {Claim.SHOWN_WITH}  # what a plan claims is that a study shows what is there
    assert counted | powers | set(watching.CLAIMS) == set(Claim)
    assert any(cell.least is not None and powers & set(cell.claims) for cell in cells())
    for cell in cells():
        assert cell.limit <= max(0.06, *(CHOSEN.get(c, 0.0) for c in cell.claims))


def test_every_kind_of_document_says_what_it_may_claim() -> None:
    assert set(OF_KIND) == set(LISTED)
    assert {claim for claims in OF_KIND.values() for claim in claims} == set(Claim)


def test_the_page_has_a_promised_and_a_counted_rate_of_every_claim() -> None:
    """In the table, or for those that streams and cards make, in the words below it."""
    page = (Path(__file__).parents[2] / "docs" / "claims.md").read_text("utf-8")
    rows = [line.split("|")[2] for line in page.splitlines() if line.count("|") == 7]
    told = {name.strip() for row in rows for name in row.split(",")}
    names = {claim.name.lower().replace("_", " ") for claim in set(Claim) - set(watching.CLAIMS)}
    assert names <= told
    for claim in watching.CLAIMS:
        longest = max(re.split(r"\{\w+\}", claim.value.words), key=len).strip()
        assert longest in page or "*the promise holds here*" in page


CLAIMING = re.compile(
    r"\b((is|are|was|ranks?|reasons?|costs?|errs?|answers?) (now )?(better|worse|more|less|lower|"
    r"higher|best|well|poorly|stricter|lenient|biased|overconfident|underconfident|calibrated)|"
    r"passes|fails|certified (that|at)|may be used|holds? (here|the truth|whatever)|"
    r"separates right|stands? (in for|whatever)|(more|less) often|disagrees? with|significant(ly)?|"
    r"proves?|outperforms?|beats|shows that|below every|unlike the others|is broken|"
    r"has the lower)\b"
)
"""What a sentence that claims something is made with."""
DENIES = re.compile(
    r"\b(no|not|nothing|none|neither|whether|which|cannot|open|only if)\b|\?", re.IGNORECASE
)
"""What a sentence that claims nothing says of it."""
EXPLAINED = (
    "lower is better",
    " is better",  # which way a metric goes, in a caption of a table or a chart
    "the better the function warns",
    "turned so that positive is worse",
    "; that it is lower for ",  # and then that it does not stand, or what it takes
    "a system that answers less has a smaller area",  # of any area
    "stand in for a person",
    "People it may stand in for",
    "it may stand in for x of the people",  # after whether it passes
    "The promise holds here: ",  # before the claims of a check
    "The promise is broken here: ",
)
"""What says how to read a number, or stands before a claim."""


def literals(file: Path) -> Iterator[str]:
    """The texts of a module that are not its documentation."""
    tree = ast.parse(file.read_text("utf-8"))
    alone = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    joined = (n for n in ast.walk(tree) if isinstance(n, ast.JoinedStr))
    inner = {id(part) for n in joined for part in n.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and id(node) not in inner:
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in alone | inner
        ):
            yield node.value


def test_no_sentence_claims_anything_without_an_entry() -> None:
    files = [f for f in (SOURCE / "report").rglob("*.py") if f.name != "claims.py"]
    claiming = {
        f"{file.name}: {text}"
        for file in files
        for text in literals(file)
        if CLAIMING.search(text)
        and not DENIES.search(text)
        and not any(known in text for known in EXPLAINED)
    }
    assert not claiming, f"make an entry in report/claims.py: {sorted(claiming)}"


@pytest.mark.parametrize("claim", Claim, ids=lambda claim: claim.name)
def test_words_of_a_claim_are_known_by_what_claims_are_made_with(claim: Claim) -> None:
    """But for those whose own words say a number: these are found by the test of their entry."""
    numbers = {
        *(Claim.KEEPS, Claim.CASCADE_CERTIFIED, Claim.SHOWN_WITH, Claim.COSTS, Claim.GATE_PASSES),
        *(Claim.PEOPLE_WOULD_GIVE, Claim.RANK_BY_EXPECTED, Claim.REASONS_HOLD),
        *(Claim.REASONS_FAIL, Claim.PROMISE_HOLDS, Claim.ALARM_RISK, Claim.ALARM_COVERAGE),
        *(Claim.BETTER_METHOD, Claim.SETS_HOLD),
    }
    words = re.sub(r"\{\w+\}", "x", claim.value.words)
    assert claim in numbers or CLAIMING.search(words), words


def tables() -> tuple[acumen.Judgments, acumen.Judgments]:
    """40 cases of 3: the left answers all, the right two of three and errs less."""
    rng = np.random.default_rng(0)
    n = 120
    truth = rng.integers(0, 4, n)
    made = []
    for error, silent in ((0.5, False), (0.1, True)):
        guess = np.where(rng.random(n) < error, (truth + 1) % 4, truth)
        prediction = [
            None if silent and i % 3 == 0 else int(level) for i, level in enumerate(guess)
        ]
        made.append(
            acumen.from_columns(
                case=[i // 3 for i in range(n)], item=[f"item {i % 3}" for i in range(n)],
                truth=truth.tolist(), prediction=prediction, confidence=rng.random(n),
                scale=acumen.Scale("law", (0, 1, 2, 3)),
            )
        )  # fmt: skip
    return made[0], made[1]


@pytest.fixture(scope="module")
def pair() -> MetricsArtifact:
    return acumen.compare(*tables(), confidence="confidence", resamples=0, loss="abs").document


def test_the_verdict_rests_on_equal_coverage_and_coverage_stands_beside_it(
    pair: MetricsArtifact,
) -> None:
    matched = pair.comparison.matched["confidence"]
    assert matched.coverage == pytest.approx(2 / 3)
    assert matched.favours == "right"
    text = conclusion(pair)
    assert text.startswith("At equal coverage (66.7%) ")
    assert " is better (mean error, " in text
    assert " answers more (100.0% and 66.7%)." in text
    numbers = " ".join(words.details(pair))
    assert "the surest 66.7% of the judgments have a mean error of" in numbers


def test_what_depends_on_how_much_is_answered_is_described_only(pair: MetricsArtifact) -> None:
    deltas = (pair.comparison.deltas or {})["confidence"]
    for key in ("augrc_full", "aurc_full", "mean_loss", "accuracy", "failure_auroc"):
        assert (deltas[key].favours, deltas[key].description) == (None, "coverage_differs")
        assert deltas[key].p_value is not None
        assert deltas[key].p_adjusted is None
    for key in ("cmax", "augrc_charge"):
        assert deltas[key].description is None
        assert deltas[key].p_adjusted is not None
    assert deltas["cmax"].favours == "left"
    assert pair.comparison.both is not None
    assert pair.comparison.both.favours == "right"


def test_where_both_answer_all_areas_may_be_a_verdict() -> None:
    left, _ = tables()
    deltas = acumen.compare(left, left, resamples=0, confidence="confidence").document.comparison
    assert deltas.deltas is not None
    assert deltas.deltas["confidence"]["augrc_full"].description is None
    assert deltas.deltas["confidence"]["eaurc"].description == "not_in_family"


def test_a_price_and_a_coverage_may_be_asked_for() -> None:
    options: dict[str, Any] = {"price": 0.25, "matched_coverage": 0.4, "confidence": "confidence"}
    made = acumen.compare(*tables(), resamples=0, **options).document
    deltas = (made.comparison.deltas or {})["confidence"]
    assert deltas["augrc_charge@0.25"].p_adjusted is not None
    assert deltas["augrc_charge"].description == "coverage_differs"
    assert made.comparison.matched["confidence"].coverage == 0.4
    assert "charged" in str(acumen.compare(*tables(), resamples=0, **options))
    with pytest.raises(acumen.UsageError, match="a price must be 0 or more"):
        acumen.compare(*tables(), price=-1.0)
    with pytest.raises(acumen.UsageError, match="more than all systems answer"):
        acumen.compare(*tables(), matched_coverage=0.9)


def test_a_guard_that_fails_is_told(pair: MetricsArtifact) -> None:
    matched = pair.comparison.matched["confidence"]
    open_guard = Delta(delta=-0.1, interval=Interval(low=-0.3, high=0.1, method="x"))
    undecided = matched.model_copy(update={"guard": open_guard, "favours": None})
    comparison = pair.comparison.model_copy(update={"matched": {"confidence": undecided}})
    undecided_pair = pair.model_copy(update={"comparison": comparison})
    told = " ".join([conclusion(undecided_pair), *words.details(undecided_pair)])
    assert "That alone does not make" in told
    assert "no difference that 40 cases could show" in told


NUMBERS = "mean error, R − L: -0.250 [-0.400, -0.100]"
OPEN = "no difference that 40 cases could show"


@pytest.mark.parametrize(
    ("favours", "sentence"),
    [
        ({"a": "left"}, f"L is better ({NUMBERS})"),
        ({"a": "right", "b": "right"}, f"R is better by each of 2 functions (by a, {NUMBERS})"),
        ({"a": None, "b": None}, OPEN),
        ({"a": "left", "b": "right"}, "L is better by a; R is better by b"),
        ({"a": "right", "b": None}, f"R is better by a; by the other 1 {OPEN}"),
        (
            {"a": "left", "b": "right", "c": "left", "d": None, "e": None},
            f"L is better by a and c; R is better by b; by the other 2 {OPEN}",
        ),
        (
            {"a": "left", "b": "left", "c": "left", "d": "left", "e": None},
            f"L is better by a, b, c and 1 more; by the other 1 {OPEN}",
        ),
    ],
)
def test_each_side_is_better_by_the_functions_that_favour_it(
    favours: dict[str, Side | None], sentence: str, pair: MetricsArtifact
) -> None:
    assert at_equal_coverage(pair, favours) == f"At equal coverage (62.5%) {sentence}."


def test_nothing_is_compared_without_a_function_or_an_answer(pair: MetricsArtifact) -> None:
    alone = at_equal_coverage(pair, {})
    assert alone == "Without a confidence they cannot be compared at equal coverage."
    silent = at_equal_coverage(pair, {"a": "left"}, coverage=0.0)
    assert silent == "Nothing can be compared: a side answers nothing."


@pytest.mark.parametrize(
    ("cases", "sentence"),
    [
        (1, "1 case is too few to claim a difference (at least 10)."),
        (9, "9 cases are too few to claim a difference (at least 10)."),
        (10, "At equal coverage (62.5%) no difference that 10 cases could show."),
    ],
)
def test_nothing_is_claimed_of_few_cases(cases: int, sentence: str, pair: MetricsArtifact) -> None:
    people = pair.population.model_copy(update={"participants_included": cases})
    few = pair.model_copy(update={"population": people})
    assert at_equal_coverage(few, {"a": None}) == sentence


def at_equal_coverage(
    pair: MetricsArtifact, favours: dict[str, Side | None], coverage: float = 0.625
) -> str:
    """The verdict on L and R, whose risks differ by 0.25, and nothing beside it."""
    interval = Interval(low=-0.4, high=-0.1, method="x")
    numbers: dict[str, Any] = {"coverage": coverage, "fragility": None}
    numbers |= {"difference": Delta(delta=-0.25, interval=interval)}
    first = pair.comparison.matched["confidence"]
    matched = {f: first.model_copy(update=numbers | {"favours": s}) for f, s in favours.items()}
    alone = {"matched": matched, "deltas": None, "both": None}
    comparison = pair.comparison.model_copy(update=alone)
    return words.verdict(pair.model_copy(update={"comparison": comparison}), ("L", "R"))


def test_a_function_chosen_as_best_is_judged_by_the_limit_that_allows_for_the_choice() -> None:
    left, _ = tables()
    rng = np.random.default_rng(1)
    noise = {f"f{i}": (lambda confidence, r=r: r) for i, r in enumerate(rng.random((6, 120)))}
    made = acumen.evaluate(left, confidence=noise, resamples=200).document
    assert made.best is not None
    limit = made.best.discrimination
    assert limit is not None
    alone = made.sides[made.best.name][0].metrics["failure_auroc"].interval
    assert alone is not None
    assert limit.low < alone.low
    told = " ".join(section.finding for section in screen(made))
    assert (Claim.TELLS_RIGHT.say(called="") in told) == (min(limit.low, alone.low) > 0.5)


@pytest.mark.parametrize("better", [1.0, 0.5])
def test_a_verdict_that_is_counted_is_the_sentence_that_is_printed(better: float) -> None:
    rng = np.random.default_rng(3)
    law = replace(LAWS["beta"], answers=None)
    said = set()
    for _ in range(6):
        left, right = draw_pair((law, law.with_errors(better)), rng, 20)
        right = right.silenced(rng, 0.3, by_case=False)
        claims = [Claim.BETTER.say(side=side) for side in SIDES.values()]
        text = compared(left, right, rng, functions=1)
        assert [c for c in claims if c in text] == [c for c in claims if c == verdict(left, right)]
        said.add(verdict(left, right))
    assert len(said) == 2  # open in some studies, claimed in others


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell", list(cells()), ids=lambda cell: f"{cell.name}, {cell.claims[0].name}"
)
def test_a_claim_is_false_no_more_often_than_it_promises(cell: Cell) -> None:
    studies = 200
    share = cell.count(cell.cases[-1], studies, seed=5) / studies
    if cell.least is not None:
        assert share >= cell.least - 3 * (cell.least * (1 - cell.least) / studies) ** 0.5
    else:
        assert share <= cell.limit + 3 * (cell.limit * (1 - cell.limit) / studies) ** 0.5


def test_nothing_is_claimed_on_an_interval_that_is_marked() -> None:
    """One case holds most rows; by its own interval the confidence tells right from wrong."""
    rng = np.random.default_rng(3)
    size = [*[2] * 24, 200]
    case = np.repeat(np.arange(25), size)
    truth = rng.integers(0, 2, len(case))
    prediction = np.where(rng.random(len(case)) < 0.3, 1 - truth, truth)
    sure = 0.8 * (prediction == truth) + 0.2 * rng.random(len(case))
    table = acumen.from_columns(
        case=case.tolist(), truth=truth.tolist(), prediction=prediction.tolist(),
        confidence=sure.tolist(), item=[f"{i}" for i in range(len(case))], scale="0,1",
    )  # fmt: skip
    document = acumen.evaluate(table, resamples=0, confidence="confidence").document
    (variant,) = document.sides["confidence"]
    found = variant.metrics["failure_auroc"].interval
    assert found is not None
    assert found.low > 0.5
    assert not found.is_reliable
    assert "is not shown" in knows(document, variant)
    marks = {"interval": found.model_copy(update={"flags": ()})}
    plain = variant.metrics["failure_auroc"].model_copy(update=marks)
    metrics = {**variant.metrics, "failure_auroc": plain}
    assert Claim.TELLS_RIGHT.say(called="") in knows(
        document, variant.model_copy(update={"metrics": metrics})
    )


def test_an_interval_that_holds_every_value_is_not_in_the_sentence() -> None:
    rows = [{"case": n, "truth": n % 2, "pred": n // 2 % 2, "sure": n * 7 % 10} for n in range(10)]
    document = acumen.evaluate(rows, confidence_column="sure", resamples=0).document
    ((variant,),) = document.sides.values()
    auroc = variant.metrics["failure_auroc"]
    for low, written in ((0.0, False), (0.1, True)):
        ends = Interval(low=low, high=1.0, method="x")
        metrics = {"failure_auroc": auroc.model_copy(update={"interval": ends})}
        words = knows(document, variant.model_copy(update={"metrics": metrics}))
        assert ("[" in words) == written, words


def test_what_is_claimed_of_a_chosen_function_needs_both_of_its_intervals_unmarked() -> None:
    """The one that allows for the choice bears no marks: those of the function count as well."""
    left, _ = tables()
    rng = np.random.default_rng(1)
    noise = {f"f{i}": (lambda confidence, r=r: r) for i, r in enumerate(rng.random((2, 120)))}
    document = acumen.evaluate(left, confidence=noise, resamples=200).document
    assert document.best is not None
    (variant,) = document.sides[document.best.name]
    auroc = variant.metrics["failure_auroc"]
    high, low = (Interval(low=end, high=0.9, method="x") for end in (0.8, 0.7))
    best = document.best.model_copy(update={"discrimination": low})
    chosen = document.model_copy(update={"best": best})
    for interval, claims in ((high, True), (high.with_flag(Flag.DOMINATED), False)):
        marked = auroc.model_copy(update={"interval": interval})
        metrics = {**variant.metrics, "failure_auroc": marked}
        words = knows(chosen, variant.model_copy(update={"metrics": metrics}))
        assert (Claim.TELLS_RIGHT.say(called="") in words) == claims
