"""Cards: what they hold, that an edit shows, and what other data say of them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.decisions.bounds import Accepted
from acumen.errors import DataError, UsageError
from acumen.results.cards import CardCheckDocument, CardDocument, digest_of

WORDS: dict[str, Any] = {"judge": "judge-1", "labelled_by": "two clinicians"}


def study(cases: int, wrong: int, start: int = 0, silent: int = 0, sure: float = 0.9) -> Any:
    """A row a case: some wrong by 2 of 2 levels, then some that say nothing."""
    answers: list[int | None] = [2] * wrong + [None] * silent + [0] * (cases - wrong - silent)
    return acumen.from_columns(
        case=range(start, start + cases),
        truth=[0] * cases,
        prediction=answers,
        confidence=[sure] * cases,
        scale=[0, 1, 2],
    )


def card(**more: Any) -> Any:
    data = study(100, 5)
    return acumen.card(data, threshold=acumen.threshold(data, risk=0.15), **WORDS, **more)


def check(other: Any, **more: Any) -> CardCheckDocument:
    return acumen.check_card(card(), other, **more).document


def test_a_card_holds_what_its_promise_rests_on(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Rate it.")
    document = card(prompt=prompt).document
    assert document.prompt.sha256 == hashlib.sha256(b"Rate it.").hexdigest()
    assert (document.data.cases, document.data.answered, document.of_promise) == (100, 100, 100)
    assert (document.threshold.alpha, document.threshold.threshold) == (0.15, None)
    agreement = {a.metric: a for a in document.agreement}
    assert agreement["total_accuracy"].answered.value == pytest.approx(0.95)
    assert agreement["signed_error"].accepted.value == pytest.approx(0.1)
    text = acumen.Result(document).to_json()
    assert "Rate it" not in text


def test_a_card_is_read_as_it_was_written_and_however_it_is_laid_out(tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    result = card()
    result.write(path)
    assert acumen.Result.read(path) == result
    content = json.loads(path.read_text())
    assert content["digest"] == digest_of(content)
    path.write_text(json.dumps(dict(reversed(content.items()))))
    assert acumen.Result.read(path).document == result.document


@pytest.mark.parametrize(
    "edit",
    [
        lambda content: content["threshold"].update(alpha=0.2),
        lambda content: content.update(labelled_by="ten clinicians"),
        lambda content: content.update(digest=None),
        lambda content: content["agreement"].pop(),
        lambda content: content.update(note="checked"),
    ],
)
def test_an_edited_card_is_refused_wherever_it_is_read(tmp_path: Path, edit: Any) -> None:
    path = tmp_path / "card.json"
    card().write(path)
    content = json.loads(path.read_text())
    edit(content)
    path.write_text(json.dumps(content))
    words = "card.json: digest: does not fit: the card was changed after it was made"
    for use in (
        lambda: acumen.check_card(path, study(50, 1, 200)),
        lambda: acumen.Result.read(path),
        lambda: acumen.evaluate(study(50, 1, 200), threshold=path, resamples=0),
        lambda: acumen.watch([], promise=path),
    ):
        with pytest.raises(DataError, match=words):
            use()


@pytest.mark.parametrize(
    ("other", "verdict", "code"),
    [
        (study(100, 5, 200), "pass", 0),
        (study(100, 40, 200), "fail", 1),
        (study(40, 4, 200), "undecided", 5),
        (study(9, 9, 200), "undecided", 5),
        (study(100, 5, 200, silent=30), "fail", 1),
    ],
)
def test_other_data_bear_a_card_out_or_break_it(other: Any, verdict: str, code: int) -> None:
    document = check(other)
    assert (document.verdict, document.exit_code) == (verdict, code)


def test_the_ends_of_the_risk_are_those_at_which_its_two_tests_turn() -> None:
    interval = check(study(60, 9, 200)).checks[0].measured.interval
    assert interval is not None
    rows, loss = np.ones((1, 60)), np.array([[1.0] * 9 + [0.0] * 51])
    upper, lower = Accepted.of(rows, loss), Accepted.of(rows, rows - loss)
    assert upper.p_value(interval.high + 2e-4)[0] <= 0.05 < upper.p_value(interval.high - 2e-4)[0]
    right = 1 - interval.low
    assert lower.p_value(right + 2e-4)[0] <= 0.025 < lower.p_value(right - 2e-4)[0]


def test_agreement_is_shown_and_decides_nothing() -> None:
    silent = study(200, 0, 200)
    document = check(silent)
    assert document.before[0].answered.value == pytest.approx(0.95)
    assert document.agreement[0].answered.value == 1.0
    assert document.verdict == "pass"


def test_ids_that_made_the_promise_are_refused_unless_they_are_other_cases() -> None:
    with pytest.raises(DataError, match="10 ids of 100 made the promise; check it with others"):
        check(study(100, 5, 90))
    assert check(study(100, 5, 90), other_cases=True).shared == 10


def test_a_card_of_another_scale_or_prompt_is_refused(tmp_path: Path) -> None:
    other = acumen.from_columns(
        case=range(300, 340), truth=[0, 3] * 20, prediction=[0, 3] * 20, confidence=[0.5] * 40
    )
    with pytest.raises(
        DataError, match=r"the card: is for the scale levels, not for .*: its levels are 0, 1"
    ):
        check(other)
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("Rate it.")
    two.write_text("Rate it!")
    with pytest.raises(UsageError, match="the card names no prompt"):
        check(study(50, 1, 200), prompt=one)
    named = card(prompt=one)
    with pytest.raises(DataError, match=r"two.txt: is not the prompt of the card \(one.txt\)"):
        acumen.check_card(named, study(50, 1, 200), prompt=two)
    assert acumen.check_card(named, study(50, 1, 200), prompt=one).document.verdict == "pass"


def test_a_card_needs_a_promise_and_its_words() -> None:
    data = study(20, 5)
    open_ = acumen.threshold(data, risk=0.1)
    with pytest.raises(DataError, match="certifies no threshold"):
        acumen.card(data, threshold=open_, **WORDS)
    with pytest.raises(UsageError, match="says which judge it is of"):
        acumen.card(
            data, threshold=acumen.threshold(data, risk=0.6), judge=" ", labelled_by="a nurse"
        )


def test_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, start, wrong in (("rows", 0, 5), ("later", 200, 60)):
        lines = [f"{start + k},0,{2 * (k < wrong)},0.9" for k in range(100)]
        Path(f"{name}.csv").write_text("\n".join(["case,truth,prediction,confidence", *lines]))
    acumen.threshold("rows.csv", risk=0.15, levels="0-2").write("promise.json")
    make = ["card", "make", "rows.csv", "--levels", "0-2", "--threshold", "promise.json"]
    said = ["--judge", "judge-1", "--labelled-by", "two clinicians"]
    assert run([*make, *said, "-o", "card.json", "--html", "card.html"]) == 0
    assert "two clinicians" in Path("card.html").read_text("utf-8")
    written: CardDocument = acumen.Result[CardDocument].read("card.json").document
    assert str(written.command).startswith("acumen card make rows.csv ")
    capsys.readouterr()
    assert run(["card", "check", "card.json", "later.csv"]) == 1
    words = " ".join(capsys.readouterr().out.split())
    assert "The promise is broken here: the risk of what is accepted is above 0.15" in words
    assert run(["watch", "later.csv", "--promise", "card.json"]) == 1


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (
            lambda d: d["checks"][0].update(metric="future"),
            "metric: must be 'risk' or 'coverage', not",
        ),
        (
            lambda d: d["checks"][1].update(rule="superiority"),
            "rule: must be 'at-most' or 'at-least', not",
        ),
        (lambda d: d["checks"].reverse(), "checks: are of the risk and then of the coverage"),
        (lambda d: d["checks"].clear(), "checks: are of the risk and then of the coverage"),
    ],
)
def test_a_check_of_what_is_not_known_is_refused_in_words(
    tmp_path: Path, edit: Any, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "check.json"
    content = json.loads(acumen.Result(check(study(100, 5, 200))).to_json())
    edit(content)
    path.write_text(json.dumps(content))
    assert run(["show", str(path)]) == 3
    assert words in " ".join(capsys.readouterr().err.split())


COSTS = [[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [9.0, 3.0, 0.0]]
SPREAD = {0: (0.75, 0.25, 0.0), 1: (0.15, 0.85, 0.0), 2: (0.0, 0.2, 0.8)}
"""They cost 0.5, 0.15 and 0.2 by these costs, and an eighth at most by rungs."""


def rated(start: int) -> list[dict[str, Any]]:
    """Rows with probabilities; of the last level a third is wrong, by two rungs."""
    return [
        {
            "case": start + k,
            "truth": 0 if k % 9 == 2 else k % 3,
            **dict(zip(("p0", "p1", "p2"), SPREAD[k % 3], strict=True)),
        }
        for k in range(126)
    ]


READING: dict[str, Any] = {"distribution": "p0,p1,p2", "levels": [0, 1, 2]}


def test_a_threshold_on_costs_of_a_file_rates_by_these_wherever_it_goes(tmp_path: Path) -> None:
    costs, path = tmp_path / "triage.toml", tmp_path / "promise.json"
    costs.write_text(f"matrix = {json.dumps(COSTS)}\n")
    asked: dict[str, Any] = {"risk": 0.9, "confidence": "expected_loss", "method": "approx"}
    promise = acumen.threshold(rated(0), loss=costs, grid=[-0.28], starts="1", **asked, **READING)
    assert promise.document.costs == COSTS
    assert promise.document.coverage.value == pytest.approx(2 / 3)
    promise.write(path)
    for loss in ("abs_norm", costs):
        later = acumen.evaluate(
            rated(200), confidence="expected_loss", loss=loss, threshold=path, resamples=0,
            **READING,
        )  # fmt: skip
        assert later["coverage"].value == pytest.approx(2 / 3)
    made = acumen.card(rated(0), threshold=path, **WORDS, **READING)
    risk, coverage = acumen.check_card(made, rated(200), **READING).document.checks
    assert coverage.measured.value == pytest.approx(2 / 3)
    assert risk.measured.value == pytest.approx(14 * 2 / 84)
    seen = acumen.watch(rated(200), promise=path, **READING).document
    assert (seen.coverage.value, seen.risk.value) == pytest.approx((2 / 3, 14 * 2 / 84))


def test_a_threshold_on_named_costs_rates_by_these_on_a_card_and_in_a_stream() -> None:
    """By rungs, as rows are read, all of them would be accepted."""
    asked: dict[str, Any] = {"risk": 1.2, "confidence": "expected_loss", "loss": "squared"}
    promise = acumen.threshold(
        rated(0), grid=[-0.22], starts="1", method="approx", **asked, **READING
    )
    assert promise.document.coverage.value == pytest.approx(2 / 3)
    made = acumen.card(rated(0), threshold=promise, **WORDS, **READING)
    checks = acumen.check_card(made, rated(200), **READING).document.checks
    assert checks[1].measured.value == pytest.approx(2 / 3)
    seen = acumen.watch(rated(200), promise=promise, **READING).document
    assert seen.coverage.value == pytest.approx(2 / 3)


def test_one_under_costs_that_are_not_kept_is_refused_by_its_name(tmp_path: Path) -> None:
    """Older files hold the name alone, and a function of one's own cannot be kept."""
    asked: dict[str, Any] = {
        "risk": 1.5,
        "confidence": "expected_loss",
        "loss": lambda p, t: 2 * abs(p - t),
    }
    promise = acumen.threshold(rated(0), grid=[-0.5], starts="1", **asked, **READING)
    assert promise.document.costs is None
    path = tmp_path / "old.json"
    promise.write(path)
    message = "old.json: is under the loss own, whose costs it does not hold"
    with pytest.raises(DataError, match=message):
        acumen.evaluate(rated(200), confidence="expected_loss", threshold=path, **READING)
    with pytest.raises(DataError, match=message):
        acumen.card(rated(0), threshold=path, **WORDS, **READING)
    with pytest.raises(DataError, match=message):
        acumen.watch(rated(200), promise=path, **READING)
