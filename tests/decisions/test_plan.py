"""How many cases: the published numbers, power by simulation, and designs of equal power."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from scipy import stats

import acumen
from acumen.cli import run
from acumen.decisions.plan import cases_for, normal_cases, power_at
from acumen.errors import DataError, UsageError
from acumen.files.json import write_json
from acumen.studies import phq8_run


@pytest.mark.parametrize(
    ("sd", "effect", "one_sided", "cases", "power"),
    [
        (0.25, 0.05, False, 199, 0.8017),
        (0.1, 0.03, False, 90, 0.8038),
        (0.1, 0.03, True, 71, 0.8047),
    ],
)
def test_the_known_numbers_by_the_noncentral_t(
    sd: float, effect: float, one_sided: bool, cases: int, power: float
) -> None:
    assert cases_for(effect, sd, 0.8, one_sided=one_sided) == cases
    reach = power_at(cases, effect, sd, one_sided=one_sided)
    assert reach == pytest.approx(power, abs=5e-5)
    assert power_at(cases - 1, effect, sd, one_sided=one_sided) < 0.8
    critical = stats.t.ppf(0.95 if one_sided else 0.975, cases - 1)
    shift = effect * np.sqrt(cases) / sd
    assert reach == pytest.approx(stats.nct.sf(critical, cases - 1, shift), abs=1e-6)


@pytest.mark.parametrize("n", [2, 3, 5, 41, 1000, 100_000])
@pytest.mark.parametrize("shift", [0.5, 2.8, 5.0])
def test_power_is_that_of_the_noncentral_t_at_every_number_of_cases(n: int, shift: float) -> None:
    reach = power_at(n, shift / np.sqrt(n), 1.0, one_sided=True)
    expected = stats.nct.sf(stats.t.ppf(0.95, n - 1), n - 1, shift)
    assert reach == pytest.approx(expected, abs=1e-12)


def test_millers_numbers() -> None:
    assert normal_cases(0.03, 1 / 9) == pytest.approx(968.9975, abs=5e-5)
    assert normal_cases(0.03, 1 / 9 + 2 / 6) == pytest.approx(3875.99, abs=5e-3)
    assert normal_cases(0.0663667, 1 / 9) == pytest.approx(198, abs=5e-4)
    assert normal_cases(0.1327333, 1 / 9 + 2 / 6) == pytest.approx(198, abs=5e-4)


def test_a_guess_is_planned_for_and_the_simulation_agrees() -> None:
    document = acumen.plan(detect=0.05, sd=0.25).document
    assert document.cases == 199
    assert document.simulated == pytest.approx(document.power, abs=0.03)
    assert {d.cases: d.power for d in document.curve}[199] == document.power
    huge = acumen.plan(detect=5, sd=0.25).document
    assert huge.cases <= 3
    with pytest.raises(DataError, match="more than 1,000,000 cases"):
        acumen.plan(detect=1e-6, sd=1)


def pair(n: int, items: int = 6) -> tuple[Any, Any]:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 4, n * items)
    rows: dict[str, Any] = {
        "case": np.repeat(np.arange(n), items),
        "item": np.tile([f"i{k}" for k in range(items)], n),
    }
    tables = []
    for shift in (0.0, 0.1):
        hard = np.repeat(rng.random(n) * 0.4, items)
        off = rng.random(n * items) < hard + shift
        prediction = np.where(off, np.where(truth < 3, truth + 1, 2), truth)
        tables.append(
            acumen.from_columns(
                **rows,
                truth=truth,
                prediction=prediction,
                confidence=rng.random(n * items),
                scale=[0, 1, 2, 3],
            )
        )
    return tables[0], tables[1]


def test_a_pilots_sd_is_that_of_its_paired_differences_by_case() -> None:
    left, right = pair(50)
    document = acumen.plan(left, right, metric="mean_loss", detect=0.02).document
    losses = [np.abs(t.prediction - t.truth).reshape(50, 6).mean(axis=1) / 3 for t in (left, right)]
    assert document.sd == pytest.approx((losses[1] - losses[0]).std(ddof=1))
    assert document.pilot_cases == 50
    smallest = document.smallest_effect
    assert smallest is not None
    assert power_at(50, smallest, document.sd, one_sided=False) == pytest.approx(0.8, abs=1e-6)
    assert document.cases == cases_for(0.02, document.sd, 0.8)


def test_designs_have_the_power_that_the_formula_says_by_components_of_variance() -> None:
    left, right = pair(200)
    document = acumen.plan(left, right, metric="mean_loss", detect=0.02, draws=0.1).document
    rows = [np.abs(t.prediction - t.truth).reshape(200, 6) / 3 for t in (left, right)]
    x = rows[1] - rows[0]
    within = x.var(axis=1, ddof=1).mean()
    between = max(0, x.mean(axis=1).var(ddof=1) - within / 6)
    for design in document.designs:
        m = design.items
        noise = min(0.01, within)
        sd = np.sqrt(between + (within - noise + noise / design.repeats) / m)
        assert design.cases == pytest.approx(cases_for(0.02, sd, 0.8), abs=1)
    by_items = {(d.items, d.repeats): d.cases for d in document.designs}
    assert by_items[3.0, 1] > by_items[6.0, 1] > by_items[12.0, 1]
    assert by_items[6.0, 3] < by_items[6.0, 1]


def test_labels_that_a_judge_saves() -> None:
    document = acumen.plan(detect=0.03, sd=0.1, agreement=0.8).document
    labels = {d.judged or 0: d.cases for d in document.designs}
    for more, k in labels.items():
        assert (
            k / (1 - 0.64 * more / (k + more)) >= 90 > (k - 1) / (1 - 0.64 * more / (k - 1 + more))
        )
    assert labels[900] < labels[90] < 90
    useless = acumen.plan(detect=0.03, sd=0.1, agreement=0.0).document
    assert {d.cases for d in useless.designs} == {90}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"detect": 0, "sd": 1}, "detect is above 0"),
        ({"detect": 0.1}, "give a pilot, or sd"),
        ({"detect": 0.1, "sd": -1}, "give a pilot, or sd"),
        ({"detect": 0.1, "sd": 1, "power": 1}, "power between 0 and 1"),
        ({"detect": 0.1, "sd": 1, "agreement": 2}, "a correlation, not 2"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        acumen.plan(**options)


def test_a_pilot_without_spread_is_refused() -> None:
    table = acumen.from_columns(case=range(12), truth=[0, 1] * 6, prediction=[0, 1] * 6)
    with pytest.raises(DataError, match="there is no sd to plan with"):
        acumen.plan(table, metric="accuracy", detect=0.1)


def test_the_command_its_schema_and_its_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_json(tmp_path / "run.json", phq8_run())
    arguments = ["plan", str(tmp_path / "run.json"), "--mode", "zero_shot", "--mode", "few_shot"]
    arguments += ["--detect", ".005", "--confidence", "token_msp"]
    files = ["-o", str(tmp_path / "p.json"), "--html", str(tmp_path / "p.html")]
    assert run([*arguments, *files]) == 0
    assert "show a difference of AUGRC: 0.005 with power" in " ".join(
        capsys.readouterr().out.split()
    )
    assert run(["schema", "plan"]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.validate(json.loads((tmp_path / "p.json").read_text()), schema)
    assert "s1-chart-plan" in (tmp_path / "p.html").read_text("utf-8")
    assert run(["report", str(tmp_path / "p.json"), "-o", str(tmp_path / "q.html")]) == 0
    assert run(["plan", "--sd", ".1", "--detect", ".03", "--non-inferiority", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cases"] == 71


def test_the_curve_goes_from_a_quarter_of_the_cases_to_twice_as_many() -> None:
    document = acumen.plan(sd=0.25, detect=0.05).document
    assert [design.cases for design in document.curve] == [50, 100, 150, 199, 299, 398]


@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("n", [2, 3, 4, 7, 8, 199])
def test_as_many_cases_as_have_exactly_the_power_are_enough(n: int, one_sided: bool) -> None:
    power = power_at(n, 0.05, 0.25, one_sided=one_sided)
    assert cases_for(0.05, 0.25, power, one_sided=one_sided) == n
    above = float(np.nextafter(power, 1.0))
    assert cases_for(0.05, 0.25, above, one_sided=one_sided) == n + 1


@pytest.mark.parametrize(("one_sided", "cases"), [(False, 90), (True, 71)])
def test_millers_number_stands_beside_a_two_sided_plan_alone(one_sided: bool, cases: int) -> None:
    document = acumen.plan(detect=0.03, sd=0.1, non_inferiority=one_sided).document
    assert (document.one_sided, document.cases) == (one_sided, cases)
    # (1.95996 + 0.84162)² · 0.01 / 0.0009
    expected = None if one_sided else pytest.approx(87.2098, abs=5e-4)
    assert document.normal_cases == expected
    assert (document.pilot_cases, document.smallest_effect, document.metric) == (None, None, None)
