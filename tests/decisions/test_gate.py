"""A gate for continuous integration: the rules by hand, the intervals by their check, the files."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest
from scipy import stats

import acumen
from acumen.cli import run
from acumen.decisions.gate import decide, p_value, together
from acumen.decisions.gate_file import gate_of
from acumen.errors import DataError, UsageError
from acumen.files.json import write_json
from acumen.report.decisions import as_junit
from acumen.results.decisions import Rule, Verdict
from acumen.studies import phq8_run
from acumen.table.judgments import Judgments
from acumen.values.measured import Interval, Measured

D = [0.02, -0.01, 0, 0.03, -0.02, 0.01, 0.04, -0.03, 0, 0.02, 0.01, -0.01]


def silent(shares: Sequence[float]) -> Judgments:
    """A hundred rows a case, of which a share is left open, whole percents."""
    open_rows = [round(100 * share) for share in shares]
    return acumen.from_columns(
        case=np.repeat(np.arange(len(shares)), 100),
        item=np.tile([f"i{k}" for k in range(100)], len(shares)),
        truth=[0, 1] * (50 * len(shares)),
        prediction=[None if k < n else 1 for n in open_rows for k in range(100)],
    )


def test_the_ends_and_p_of_a_mean_are_those_of_the_t_test() -> None:
    """Coverage falls by D in each case: D is worse when positive."""
    base, new = silent([0.3] * 12), silent([0.3 + d for d in D])
    document = acumen.gate(new, base, metric="coverage", margin=0.02).document
    (check,) = document.checks
    assert check.measured.interval is not None
    assert check.measured.value == pytest.approx(0.005, abs=1e-12)
    assert check.measured.interval.standard_error == pytest.approx(0.0059670814, abs=5e-11)
    assert check.measured.interval.high == pytest.approx(0.0157161909, abs=5e-11)
    assert check.p_value == pytest.approx(0.0143958374, abs=5e-11)
    assert document.verdict == "pass"
    assert document.exit_code == 0
    both = acumen.gate(new, base, metric="coverage", margin=0.02, equivalence=True).document
    assert both.checks[0].p_value == pytest.approx(0.0143958374, abs=5e-11)
    assert both.verdict == "pass"
    assert acumen.gate(new, base, metric="coverage", margin=0.015).document.verdict == "undecided"
    assert acumen.gate(new, base, metric="coverage", superiority=True).document.exit_code == 5


@pytest.mark.parametrize(
    ("rule", "low", "high", "bound", "verdict"),
    [
        ("non-inferiority", -1, 0.9, 1, "pass"),
        ("non-inferiority", -1, 1, 1, "undecided"),
        ("non-inferiority", 1, 2, 1, "fail"),
        ("superiority", -1, -0.1, 0, "pass"),
        ("superiority", -1, 0, 0, "undecided"),
        ("superiority", 0, 1, 0, "fail"),
        ("equivalence", -0.9, 0.9, 1, "pass"),
        ("equivalence", -1, 0.9, 1, "undecided"),
        ("equivalence", 1, 2, 1, "fail"),
        ("equivalence", -2, -1, 1, "fail"),
        ("at-least", 0.71, 0.9, 0.7, "pass"),
        ("at-least", 0.7, 0.9, 0.7, "undecided"),
        ("at-least", 0.5, 0.69, 0.7, "fail"),
        ("at-most", 0.1, 0.19, 0.2, "pass"),
        ("at-most", 0.1, 0.2, 0.2, "undecided"),
        ("at-most", 0.21, 0.3, 0.2, "fail"),
    ],
)
def test_the_rules(rule: Rule, low: float, high: float, bound: float, verdict: Verdict) -> None:
    assert decide(rule, low, high, bound) == verdict


def test_all_must_pass_and_one_failure_fails() -> None:
    assert together(["pass", "pass"]) == "pass"
    assert together(["pass", "undecided"]) == "undecided"
    assert together(["undecided", "fail", "pass"]) == "fail"
    assert together([]) == "undecided"


def graded(n: int, seed: int, worse: float = 0.0, **columns: Any) -> Judgments:
    rng = np.random.default_rng(seed)
    truth = np.random.default_rng(99).integers(0, 4, n * 4)
    off = rng.random(n * 4) < 0.2 + worse
    return acumen.from_columns(
        case=np.repeat(np.arange(n), 4),
        item=np.tile(list("abcd"), n),
        truth=truth,
        prediction=np.where(off, (truth + 1) % 4, truth),
        confidence=np.clip(rng.random(n * 4) - 0.3 * off, 0, 1),
        scale=[0, 1, 2, 3],
        **columns,
    )


@pytest.mark.parametrize(
    "metric",
    [
        "augrc",
        "aurc",
        "mean_loss",
        "coverage",
        "ece",
        "quadratic_kappa",
        "mean_loss_at_coverage@0.5",
    ],
)
def test_a_metric_of_any_view_is_gated_and_better_is_better(metric: str) -> None:
    base, better, worse = graded(120, 1), graded(120, 2, -0.19), graded(120, 3, 0.5)
    confidence = "confidence"
    good = acumen.gate(better, base, metric=metric, margin=0.1, confidence=confidence).document
    bad = acumen.gate(worse, base, metric=metric, margin=0.001, confidence=confidence).document
    values = good.checks[0].values
    if metric not in ("coverage", "ece"):
        assert good.verdict == "pass"
        assert bad.verdict == "fail"
        assert good.checks[0].measured.value == pytest.approx(-abs(values[1] - values[0]))
    else:
        assert good.checks[0].measured.value is not None


def test_a_gate_of_one_run_is_undecided_on_thin_data_whatever_the_value() -> None:
    nine = acumen.gate(graded(9, 1), metric="mean_loss", at_most=0.9).document
    assert (nine.verdict, nine.checks[0].why, nine.exit_code) == ("undecided", "few_cases", 5)
    enough = acumen.gate(graded(60, 1), metric="mean_loss", at_most=0.9).document
    assert enough.verdict == "pass"
    demanding = acumen.gate(graded(60, 1), metric="mean_loss", at_most=0.9, least_cases=61).document
    assert (demanding.verdict, demanding.exit_code) == ("undecided", 5)
    counted = [
        acumen.gate(
            graded(9, 1), metric="mean_loss", at_most=0.9, undecided=policy
        ).document.exit_code
        for policy in ("pass", "fail")
    ]
    assert counted == [0, 1]


def test_a_metric_without_a_value_is_undecided_with_its_reason() -> None:
    silent_table = acumen.from_columns(
        case=range(20), truth=[0, 1] * 10, prediction=[None] * 20, confidence=[0.5] * 20
    )
    decision = acumen.gate(silent_table, metric="mean_loss", at_most=0.5)
    assert decision.document.checks[0].why == "no_value"
    assert "no row is answered" in repr(decision) or "answered" in repr(decision)


def test_every_group_must_pass() -> None:
    n = 60
    site = np.repeat(np.where(np.arange(n) < 30, "north", "south"), 4)
    truth = np.random.default_rng(99).integers(0, 4, n * 4)
    off = (site == "south") & (np.random.default_rng(4).random(n * 4) < 0.8)
    table = acumen.from_columns(
        case=np.repeat(np.arange(n), 4),
        item=np.tile(list("abcd"), n),
        truth=truth,
        prediction=np.where(off, (truth + 1) % 4, truth),
        scale=[0, 1, 2, 3],
        groups={"site": list(site)},
    )
    document = acumen.gate(table, metric="accuracy", at_least=0.5, by="site").document
    assert {c.group: c.verdict for c in document.checks} == {
        None: "pass",
        "site=north": "pass",
        "site=south": "fail",
    }
    assert document.verdict == "fail"
    assert sum(c.cases for c in document.checks[1:]) == 60
    with pytest.raises(UsageError, match="no column nobody to slice by"):
        acumen.gate(table, metric="accuracy", at_least=0.5, by="nobody")


def test_another_scale_or_other_cases_than_the_baselines_are_refused() -> None:
    other = acumen.from_columns(
        case=range(120), truth=[0] * 120, prediction=[0] * 120, scale=[0, 1, 2, 3, 4]
    )
    with pytest.raises(DataError, match="different scales"):
        acumen.gate(other, graded(120, 1), metric="mean_loss", margin=0.1)
    with pytest.raises(DataError, match="different cases"):
        acumen.gate(graded(30, 1), graded(31, 1), metric="mean_loss", margin=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "nothing to check: name a metric and a bound"),
        ({"metric": "mean_loss"}, "a metric and what is asked of it"),
        ({"margin": 0.1}, "a metric and what is asked of it"),
        ({"metric": "mean_loss", "margin": 0.1}, "give NEW and BASE"),
        ({"metric": "mean_loss", "at_least": 1, "at_most": 2}, "needs exactly one of"),
        ({"metric": "mean_loss", "margin": -1}, "margin: must be greater than 0"),
        ({"metric": "magic", "at_least": 1}, "no metric 'magic'"),
        (
            {"metric": "mean_loss", "at_least": 1, "undecided": "maybe"},
            "pass or fail, not as 'maybe'",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, DataError), match=message):
        acumen.gate(graded(20, 1), **options)


GATE = """\
confidence = "token_msp"
least_cases = 30

[[require]]
metric = "augrc"
margin = 0.05

[[require]]
metric = "quadratic_kappa"
at_least = 0.5
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "require: is missing: a list of [[require]] tables"),
        ("require = []", "line 1, require: must not be empty"),
        ("[[require]]\nmetric = 'mae'\nmargn = 1", "line 3, require[0].margn: is not a key"),
        ("[[require]]\nmetric = 'mae'", "needs exactly one of margin"),
        ("[[require]]\nmetric = 'mae'\nmargin = 'x'", "must be a number, not the text 'x'"),
        (
            "undecided = 'maybe'\n[[require]]\nmetric = 'mae'\nsuperiority = true",
            "'pass' or 'fail'",
        ),
        ("least_cases = -1\n[[require]]\nmetric = 'mae'\nmargin = 1", "at least 0, not -1"),
        ("[[require]\n", "gate.toml: line 1"),
    ],
)
def test_a_wrong_gate_file_gets_clear_errors(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text(text)
    with pytest.raises(DataError) as refusal:
        gate_of(tmp_path / "gate.toml", [])
    assert message in str(refusal.value)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    study = phq8_run()
    for experiment in study["experiments"]:
        mode = experiment["provenance"]["mode"]
        write_json(tmp_path / f"{mode}.json", {**study, "experiments": [experiment]})
    (tmp_path / "gate.toml").write_text(GATE)
    return tmp_path


JUNIT: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"tests", "failures", "errors", "name", "time"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"time", "skipped", "timestamp", "hostname", "id", "package"},
        {"testcase", "properties", "system-out", "system-err"},
    ),
    "testcase": (
        {"name", "classname"},
        {"time", "status", "assertions"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
}
"""The common schema: element -> attributes it must have, those it may have, elements inside."""


def check_junit(text: str) -> ElementTree.Element:
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        must, may, inside = JUNIT[element.tag]
        assert must <= element.attrib.keys() <= must | may
        assert {child.tag for child in element} <= inside
    for suite in root.iter("testsuite"):
        for key, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert int(suite.attrib[key]) == len(list(suite.iter(tag)))
    return root


def test_the_command_reads_a_gate_file_and_writes_every_form(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = {name: runs / name for name in ("gate.json", "gate.xml", "gate.md", "gate.html")}
    arguments = ["gate", str(runs / "few_shot.json"), str(runs / "zero_shot.json")]
    arguments += ["--file", str(runs / "gate.toml"), "-o", str(out["gate.json"])]
    arguments += ["--junit", str(out["gate.xml"]), "--markdown", str(out["gate.md"])]
    assert run([*arguments, "--html", str(out["gate.html"])]) == 0
    assert capsys.readouterr().out.startswith(
        "What was decided\nThe gate passes (39 cases; checks: 2 pass"
    )
    difference, kappa = json.loads(out["gate.json"].read_text())["checks"]
    assert len(difference["values"]) == 2
    assert kappa["values"] == [kappa["measured"]["value"]]  # a bound is of the new run alone


def test_exit_codes_and_forms(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new, base = str(runs / "few_shot.json"), str(runs / "zero_shot.json")
    ask = ["--metric", "augrc", "--margin", ".05", "--confidence", "token_msp"]
    forms = ["-o", str(runs / "g.json"), "--junit", str(runs / "g.xml")]
    forms += ["--markdown", str(runs / "g.md"), "--html", str(runs / "g.html")]
    assert run(["gate", new, base, *ask, *forms]) == 0
    assert capsys.readouterr().out.startswith(
        "What was decided\nThe gate passes (39 cases; checks: 1 pass"
    )
    ask[ask.index(".05")] = ".001"
    assert run(["gate", base, new, *ask]) == 1
    capsys.readouterr()
    check_junit((runs / "g.xml").read_text("utf-8"))
    assert "| verdict | metric |" in (runs / "g.md").read_text("utf-8")
    assert "The gate passes" in (runs / "g.html").read_text("utf-8")
    assert run(["schema", "gate"]) == 0
    jsonschema.validate(
        json.loads((runs / "g.json").read_text()), json.loads(capsys.readouterr().out)
    )
    assert run(["report", str(runs / "g.json"), "-o", str(runs / "again.html")]) == 0
    assert run(["gate", new, "--metric", "quadratic_kappa", "--at-least", ".95"]) == 1
    assert run(["gate", new, "--metric", "quadratic_kappa", "--at-least", ".81"]) == 5
    assert run(["gate", new, "--metric", "nothing", "--at-least", ".8"]) == 2


def test_what_counts_as_pass_or_fail_does_so_in_junit() -> None:
    thin = graded(9, 1)
    tags = {}
    for policy in (None, "pass", "fail"):
        document = acumen.gate(thin, metric="mean_loss", at_most=0.9, undecided=policy).document
        case = check_junit(as_junit(document)).find("testsuite/testcase")
        assert case is not None
        tags[policy] = [child.tag for child in case]
    assert tags == {None: ["error"], "pass": [], "fail": ["failure"]}
    group = acumen.gate(
        acumen.from_columns(
            case=range(20),
            truth=[0, 1] * 10,
            prediction=[0, 1] * 10,
            groups={"g": ["<a&\x00\x1b>"] * 20},
        ),
        metric="accuracy",
        at_least=0.5,
        by="g",
    ).document
    check_junit(as_junit(group))


def interval(method: str = "jackknife-t", error: float | None = 0.5) -> Interval:
    return Interval(low=0.0, high=1.0, method=method, standard_error=error)


@pytest.mark.parametrize(
    ("rule", "value", "t"),
    [
        ("non-inferiority", 0.25, -1.5),
        ("non-inferiority", 1.5, 1.0),
        ("equivalence", 0.25, -1.5),  # 0.25 − 1 is nearer to 0 than −0.25 − 1
        ("equivalence", -0.75, -0.5),
    ],
)
def test_the_p_value_of_a_rule_is_that_of_its_t_test(rule: Rule, value: float, t: float) -> None:
    measured = Measured(value=value, interval=interval())
    assert p_value(rule, measured, 1.0, 12) == pytest.approx(stats.t.cdf(t, 11))


@pytest.mark.parametrize(
    "measured",
    [
        Measured(value=None, reason="none"),
        Measured(value=1.0, interval=interval("bca")),
    ],
)
def test_without_a_t_interval_there_is_no_p_value(measured: Measured) -> None:
    assert p_value("non-inferiority", measured, 1.0, 12) is None


@pytest.mark.parametrize(
    ("in_file", "option", "least", "verdict"),
    [(0, None, 0, "pass"), (0, 13, 13, "undecided"), (13, None, 13, "undecided"),
     (13, 12, 13, "undecided"), (12, 5, 12, "pass")],
)  # fmt: skip
def test_the_larger_of_two_least_numbers_of_cases_counts(
    in_file: int, option: int | None, least: int, verdict: str, tmp_path: Path
) -> None:
    table = silent([0.0] * 12)
    path = tmp_path / "gate.toml"
    path.write_text(f'least_cases = {in_file}\n[[require]]\nmetric = "coverage"\nat_least = 0.5\n')
    document = acumen.gate(table, file=path, least_cases=option).document
    assert (document.least_cases, document.verdict) == (least, verdict)


def whole_cases_silent(silent_cases: int, cases: int, rows: int = 4) -> Judgments:
    """Everything answered but in the first few cases, which answer nothing."""
    left = silent_cases * rows
    return acumen.from_columns(
        case=np.repeat(np.arange(cases), rows),
        item=np.tile([f"i{k}" for k in range(rows)], cases),
        truth=[0, 1] * (cases * rows // 2),
        prediction=[None if k < left else 1 for k in range(cases * rows)],
    )


@pytest.mark.parametrize(("silent_cases", "high"), [(0, 0.0705), (1, 0.1106), (2, 0.1457)])
def test_coverage_that_few_cases_lose_is_bounded_by_the_share_of_such_cases(
    silent_cases: int, high: float
) -> None:
    """Of 41 cases 0, 1, 2 fall silent: the exact upper ends of a binomial share."""
    base, new = whole_cases_silent(0, 41), whole_cases_silent(silent_cases, 41)
    (check,) = acumen.gate(new, base, metric="coverage", margin=0.1).document.checks
    assert check.measured.interval is not None
    expected = stats.beta.ppf(0.95, silent_cases + 1, 41 - silent_cases)
    assert expected == pytest.approx(high, abs=5e-5)
    assert check.measured.interval.high >= expected - 1e-12
    (alone,) = acumen.gate(new, metric="coverage", at_least=0.9).document.checks
    assert alone.measured.interval is not None
    assert alone.measured.interval.low <= 1 - expected + 1e-12


def test_a_case_larger_than_the_others_may_be_the_one_that_falls_silent() -> None:
    def of_sizes(sizes: list[int]) -> float:
        case = np.repeat(np.arange(len(sizes)), sizes)
        item = np.concatenate([np.arange(m) for m in sizes])
        n = len(case)
        table = acumen.from_columns(
            case=case, item=[f"i{k}" for k in item], truth=[0] * n, prediction=[0] * n, scale=[0, 1]
        )
        (check,) = acumen.gate(table, metric="coverage", at_least=0.5).document.checks
        assert check.measured.interval is not None
        return check.measured.interval.low

    one_size, unequal = of_sizes([4] * 41), of_sizes([2] * 20 + [4] + [6] * 20)
    share = 1 - 0.05 ** (1 / 41)
    assert one_size <= 1 - share + 1e-12
    assert unequal <= 1 - share * 6 / 4 + 1e-12


def chance_of_more(falls: list[Fraction], end: Fraction) -> float:
    """P(Σ E (x − end) > 0) over exponential E, in partial fractions: no two amounts are equal."""
    amounts = [fall - end for fall in falls]
    return float(
        sum(
            math.prod(a / (a - other) for other in amounts if other is not a)
            for a in amounts
            if a > 0
        )
    )


def test_the_end_of_a_skewed_difference_is_that_with_one_more_case_like_the_worst() -> None:
    """Coverage falls much in a few cases, and a little in many."""
    percents = [*range(26), 60, 70, 75, 80]
    base, new = silent([0.1] * 30), silent([0.1 + p / 100 for p in percents])
    (check,) = acumen.gate(new, base, metric="coverage", margin=0.5).document.checks
    found = check.measured.interval
    assert found is not None
    falls = [Fraction(p, 100) for p in percents]
    more = falls[-1] + Fraction(1, 10**9)  # the worst once more, and no two alike
    assert chance_of_more([*falls, more], Fraction(found.high)) == pytest.approx(0.05, abs=1e-6)
    error = np.std(np.array(percents) / 100, ddof=1) / math.sqrt(30)
    assert found.high > np.mean(percents) / 100 + stats.t.ppf(0.95, 29) * error
    assert found.method == "jackknife-t, one case more"
    assert check.p_value is None


def test_a_pass_is_undone_by_as_many_cases_as_its_own_end_allows() -> None:
    base = whole_cases_silent(0, 100)
    (check,) = acumen.gate(base, base, metric="coverage", margin=0.1).document.checks
    assert check.verdict == "pass"
    lost = next(k for k in range(1, 50) if stats.beta.ppf(0.95, k + 1, 100) >= 0.1)
    assert check.undone_by == lost
