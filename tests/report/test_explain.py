"""Every metric can be explained, and each fact about it has one home."""

from __future__ import annotations

import re

import pytest

from acumen.cli import run
from acumen.errors import UsageError
from acumen.metrics import METRICS
from acumen.report.explain import explain, notes

YEAR = re.compile(r"\b(19|20)\d\d\b")


def test_every_metric_has_a_note_and_every_note_a_metric() -> None:
    assert sorted(notes()) == sorted(METRICS)
    assert {key for note in notes().values() for key in note} == {
        *("caution", "example", "formula", "reference")
    }


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_has_a_caution_and_one_formula_and_one_home_for_its_reference(name: str) -> None:
    docstring = METRICS[name].function.__doc__ or ""
    note = notes()[name]
    assert note["caution"].endswith(".")
    assert note["example"].endswith(".")
    assert re.search(r"\d", note["example"])
    assert ("formula" in note) != (".. math::" in docstring)
    assert ("reference" in note) != bool(YEAR.search(docstring))


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_says_which_way_is_better_as_the_registry_does(name: str) -> None:
    entry, better = explain(name), METRICS[name].better
    other = {"higher": "lower is better", "lower": "higher is better", None: "lower is better"}
    assert other[better] not in entry.text.lower()


def test_a_range_is_that_of_the_interval() -> None:
    ranges = {name: explain(name).range for name in METRICS}
    assert ranges["accuracy"] == "0 to 1"
    assert ranges["aurc"] == "0 or more"
    assert ranges["quadratic_kappa"] == "-1 to 1"
    assert ranges["signed_error"] == "any number"
    assert ranges["nap_ge"] == "at most 1"


def test_a_key_of_a_document_is_explained_and_a_mistyped_name_is_told() -> None:
    assert explain("mean_loss_at_coverage@0.3").metric.title == "Mean loss at coverage 0.3"
    with pytest.raises(UsageError, match="did you mean augrc or eaugrc or aurc"):
        explain("agrc")
    with pytest.raises(UsageError, match="acumen explain lists them"):
        explain("qqqq")


def test_the_command_prints_a_metric_and_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "eaurc"]) == 0
    printed = capsys.readouterr().out
    assert "AURC above its optimum" in printed
    assert "Range:      any number\nBetter:     lower\nExample:    An AURC of 0.037" in printed
    assert "Reference:  Geifman" in printed
    assert "Caution:    It is small where errors are few" in printed
    assert "``" not in printed
    assert ">>>" not in printed
    assert run(["explain", "--full"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(METRICS)
    assert run(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 120
