"""Agreement among several: numbers of the literature, other libraries, and laws."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.metrics.registry import Kind
from acumen.raters import agreement
from acumen.raters.panel import Panel
from tests.raters.tables import SHROUT_FLEISS, TEXTBOOK, panel_of, random_table

TABLES = 200


@pytest.fixture(scope="module")
def textbook() -> Panel:
    return panel_of(list(zip(*TEXTBOOK, strict=True)))


@pytest.mark.parametrize(
    ("distance", "value"),
    [("nominal", 0.7434210526), ("ordinal", 0.8153875038), ("interval", 0.8491071429)],
)
def test_alpha_of_krippendorffs_table(textbook: Panel, distance: str, value: float) -> None:
    assert agreement.alpha(textbook, distance).value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ac1", 0.7754440681),
        ("ac2_linear", 0.8587391364),
        ("ac2_quadratic", 0.9140007236),
        ("ac2_ordinal", 0.8989397699),
    ],
)
def test_gwets_coefficients_of_the_same_table(textbook: Panel, name: str, value: float) -> None:
    assert agreement.gwet(textbook, agreement.WEIGHTS[name]).value == pytest.approx(value, abs=1e-9)


def test_gwets_coefficient_depends_on_the_declared_scale() -> None:
    table = list(zip(*TEXTBOOK, strict=True))
    wide = agreement.gwet(panel_of(table, "1-7"), "nominal").value
    assert wide > agreement.gwet(panel_of(table), "nominal").value + 0.005
    alphas = [
        agreement.alpha(panel_of(table, levels), "ordinal").value for levels in ("1-5", "1-7")
    ]
    assert alphas[0] == alphas[1]


def test_the_six_correlations_of_shrout_and_fleiss() -> None:
    found, units = agreement.intraclass(panel_of(SHROUT_FLEISS, "1-10"), [0, 1, 2, 3])
    assert units == 6
    assert [round(found[name].value, 6) for name in agreement.ICC] == [
        *(0.165742, 0.289764, 0.714841),
        *(0.442797, 0.620051, 0.909316),
    ]


def test_alpha_is_that_of_the_library_krippendorff() -> None:
    library = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(1)
    for turn in range(TABLES):
        levels = int(rng.integers(2, 6))
        table = random_table(rng, levels)
        distance = agreement.ALPHAS[turn % 3]
        ours = agreement.alpha(panel_of(table, f"1-{levels}"), distance).value
        theirs = library.alpha(
            table.T, value_domain=list(range(1, levels + 1)), level_of_measurement=distance
        )
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_gwets_coefficients_are_those_of_the_library_irrcac() -> None:
    raw = pytest.importorskip("irrCAC.raw", reason="its pins forbid the SciPy that we need")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    kinds = {
        "nominal": "identity",
        "linear": "linear",
        "quadratic": "quadratic",
        "ordinal": "ordinal",
    }
    for turn in range(TABLES):
        levels = int(rng.integers(2, 6))
        table = random_table(rng, levels)
        kind = list(kinds)[turn % 4]
        cac = raw.CAC(
            pandas.DataFrame(table),
            weights=kinds[kind],
            categories=list(range(1, levels + 1)),
            digits=12,
        )
        theirs = cac.gwet()["est"]["coefficient_value"]
        ours = agreement.gwet(panel_of(table, f"1-{levels}"), kind).value
        assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.filterwarnings("ignore")  # pingouin's own, of pandas
@pytest.mark.parametrize("tables", [40, pytest.param(TABLES, marks=pytest.mark.slow)])
def test_the_correlations_are_those_of_the_library_pingouin(tables: int) -> None:
    pingouin = pytest.importorskip("pingouin")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(tables):
        table = random_table(rng, 5)
        units, raters = table.shape
        rows = {"u": np.repeat(np.arange(units), raters), "r": np.tile(np.arange(raters), units)}
        frame = pandas.DataFrame({**rows, "v": table.ravel()})
        found, complete = agreement.intraclass(panel_of(table), list(range(raters)))
        if complete < 5:  # where pingouin gives up
            continue
        theirs = pingouin.intraclass_corr(frame, "u", "r", "v", nan_policy="omit")["ICC"].to_numpy()
        ours = [found[name].value for name in agreement.ICC]
        assert ours == pytest.approx(theirs.tolist(), abs=1e-6)
        seen += 1
    assert seen > tables / 2


def test_cohens_kappa_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(4)
    for _ in range(20):
        table = random_table(rng, 4, full=True)
        panel = panel_of(table, "1-4")
        confusion = panel.confusion(panel.by(0), panel.by(1))
        theirs = cohen_kappa_score(table[:, 0], table[:, 1], weights="quadratic")
        assert agreement.kappa(confusion, panel.ranks).value == pytest.approx(theirs, abs=1e-12)


def test_leaving_out_a_case_is_the_table_without_it() -> None:
    rng = np.random.default_rng(5)
    table = random_table(rng, 5)
    for value in (
        lambda p: agreement.alpha(p, "ordinal"),
        lambda p: agreement.gwet(p, "ordinal"),
        agreement.floor,
    ):
        left_out = value(panel_of(table)).left_out
        for case in (0, 3):
            without = value(panel_of(np.delete(table, case, axis=0))).value
            assert left_out[case] == pytest.approx(without, abs=1e-12)


def test_the_noise_floor_by_hand() -> None:
    # unit 0: |1-3| = 2; unit 1: pairs 0, 1, 1 of three raters = 2/3; unit 2 has one rating
    panel = panel_of([[1, 3, None], [2, 2, 3], [5, None, None]])
    assert agreement.floor(panel).value == pytest.approx((2 + 2 / 3) / 2)


def test_all_alike_has_no_value_and_says_why() -> None:
    measured = agreement.alpha(panel_of([[2, 2]] * 5), "ordinal").measured(
        Kind.CORRELATION, 0.95, "one level"
    )
    assert (measured.value, measured.reason) == (None, "one level")
