"""Estimates from cases drawn with different chances: by hand, laws, coverage, refusals."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError
from acumen.labels.design import chances, draw
from acumen.raters.inclusion import facts_of
from acumen.raters.ppi import Sample, power
from acumen.results.raters import EstimateDocument, RatingsDocument
from simulations.labels import covered
from tests.raters.test_estimate import LABELLED, OTHERS, sample

SIZES, YS, FS = LABELLED.rows[:, 0], LABELLED.y[:, 0, 0], LABELLED.f[:, 0, 0]
CHANCES = np.array([0.5, 0.2, 0.8, 0.4, 0.25, 0.6])


def drawn(chance: Any) -> Sample:
    return Sample(LABELLED.rows, LABELLED.y, LABELLED.f, np.ones(1), 1.0 / np.asarray(chance))


def by_hand(chance: Any, bounds: tuple[float, float] = (0.0, 1.0)) -> tuple[float, float, float]:
    """Value, weight and variance, written out case by case."""
    m_u, f_u = OTHERS.rows[:, 0], OTHERS.f[:, 0, 0]
    m, y, f, w = SIZES, YS, FS, 1 / np.asarray(chance)

    def estimate(s: Any) -> tuple[float, float, float]:
        total, n = (w[s] * m[s]).sum(), len(m[s])
        mean_y, mean_f = (w[s] * y[s]).sum() / total, (w[s] * f[s]).sum() / total
        ahead = mean_f + (m[s] * mean_f - f[s]).sum() / m_u.sum()
        a = w[s] * (y[s] - mean_y * m[s]) / total
        b = w[s] * (f[s] - mean_f * m[s]) / total * (1 + m[s].sum() / m_u.sum())
        b += (m[s] * mean_f - f[s]) / m_u.sum()
        k = n / (n - 1)
        weight = k * (a * b).sum() / (k * (b**2).sum() + variance_u)
        weight = min(bounds[1], max(bounds[0], weight))
        return mean_y + weight * (f_u.sum() / m_u.sum() - ahead), weight, ahead - mean_f

    total = (w * m).sum()
    off = (m * (w * f).sum() / total - f).sum() / m_u.sum()
    centre = f_u.sum() / m_u.sum() - off
    n_u = len(m_u)
    variance_u = n_u / (n_u - 1) * ((f_u - centre * m_u) ** 2).sum() / m_u.sum() ** 2
    value, weight, _ = estimate(slice(None))
    left = [estimate(np.arange(6) != c)[0] for c in range(6)]
    own = 5 / 6 * ((np.array(left) - np.mean(left)) ** 2).sum()
    return value, weight, own + weight**2 * variance_u


def test_it_is_the_formula_written_out_case_by_case() -> None:
    powered = power(drawn(CHANCES), OTHERS)
    value, weight, variance = by_hand(CHANCES)
    assert 0.05 < weight < 0.95
    assert powered.value[0] == pytest.approx(value, abs=1e-12)
    assert powered.weight == pytest.approx(weight, abs=1e-12)
    assert powered.variance[0] == pytest.approx(variance, abs=1e-12)
    # the numbers that definitions.md has
    assert (value, weight, variance) == pytest.approx(NUMBERS, abs=1e-9)


NUMBERS = (1.7531270138, 0.6671326517, 0.1140840946)


@pytest.mark.parametrize("chance", [0.25, 0.9])
def test_where_all_chances_are_the_same_it_is_the_estimate_without_them(chance: float) -> None:
    with_chances, without = power(drawn([chance] * 6), OTHERS), power(LABELLED, OTHERS)
    for name in ("value", "weight", "variance", "degrees", "of_others"):
        expected = np.asarray(getattr(without, name))
        assert np.asarray(getattr(with_chances, name)) == pytest.approx(expected, abs=1e-12), name


def test_without_the_judge_it_is_the_weighted_mean_of_hajek() -> None:
    powered = power(drawn(CHANCES), OTHERS, (0.0, 0.0))
    assert powered.value[0] == pytest.approx((YS / CHANCES).sum() / (SIZES / CHANCES).sum())


def test_of_rows_it_is_active_inference_with_the_weighted_means_taken_out() -> None:
    rng = np.random.default_rng(7)
    f = rng.normal(3.0, 1.0, 60)
    y = f + rng.normal(0.5, 0.4, 60)
    chance = chances(rng.random(60), 15)
    s = draw(range(60), chance, 3)
    w, rest = 1 / chance[s], np.setdiff1d(np.arange(60), s)
    own = Sample(np.ones((15, 1)), y[s][:, None, None], f[s][:, None, None], np.ones(1), w)
    others = sample(np.ones(len(rest)), np.zeros(len(rest)), f[rest])
    powered = power(own, others)
    # the published estimator: the mean over all of a prediction, and what labels correct of it
    part = powered.weight * 60 / len(rest)  # PPI++ says it of the others, active inference of all
    mean_y, mean_f = np.average(y[s], weights=w), np.average(f[s], weights=w)
    y0, f0 = y - mean_y, f - mean_f
    published = (part * f0).mean() + (w * (y0[s] - part * f0[s])).sum() / 60
    assert powered.value[0] == pytest.approx(mean_y + published, abs=1e-12)
    # and the published one as it stands, where the weights add up to the cases
    w = w * 60 / w.sum()
    scaled = Sample(own.rows, own.y, own.f, own.sign, w)
    powered = power(scaled, others)
    part = powered.weight * 60 / len(rest)
    published = (part * f).mean() + (w * (y[s] - part * f[s])).sum() / 60
    assert powered.value[0] == pytest.approx(published, abs=1e-12)


def test_a_constant_added_to_all_ratings_is_added_to_the_estimate() -> None:
    before = power(drawn(CHANCES), OTHERS)
    rows = LABELLED.rows[:, :, None]
    moved = Sample(
        LABELLED.rows, LABELLED.y + 5 * rows, LABELLED.f + 5 * rows, np.ones(1), 1 / CHANCES
    )
    others = Sample(OTHERS.rows, OTHERS.y, OTHERS.f + 5 * OTHERS.rows[:, :, None], np.ones(1))
    after = power(moved, others)
    assert after.value[0] == pytest.approx(before.value[0] + 5)
    assert after.variance[0] == pytest.approx(before.variance[0])


@pytest.mark.parametrize("labelled", [20, 40, 80])
@pytest.mark.parametrize("judge", ["good", "useless", "biased"])
def test_intervals_hold_the_truth_of_cases_drawn_by_doubt(judge: str, labelled: int) -> None:
    share, _ = covered(np.random.default_rng([5, labelled]), 200, labelled, judge, "doubt")
    assert share >= 0.90  # of 200 studies: 95% less three standard errors


def rows(cases: int = 60, budget: int = 20) -> list[dict[str, Any]]:
    """Cases of one to three rows; those that are drawn by doubt have labels and chances."""
    every = [(c, r) for c in range(cases) for r in range(c % 3 + 1)]
    size = np.array([1.0 + (c * 7) % 5 for c in range(cases)])
    chance = chances(size, budget)
    own = {*draw([f"d{c}" for c in range(cases)], chance, 1).tolist()}
    return [
        {
            "doc": f"d{c}",
            "part": r,
            "ai": min(5, (c * 7 + r) % 5 + 1 + (c % 4 == 0)),
            "human": (c * 7 + r) % 5 + 1 if c in own else None,
            "chance": float(chance[c]) if c in own else None,
        }
        for c, r in every
    ]


def estimated(data: Any, **options: Any) -> EstimateDocument:
    columns = {"case": "doc", "item": "part", "prediction": "ai", "levels": "1-5"}
    keywords: dict[str, Any] = columns | {"labelled": "human", "inclusion": "chance"} | options
    document = acumen.estimate(data, **keywords).document
    assert isinstance(document, EstimateDocument)
    return document


def test_a_column_of_chances_weighs_the_labels() -> None:
    document = estimated(rows())
    classical = document.estimates["mean"].classical
    assert classical is not None
    labelled = [row for row in rows() if row["human"] is not None]
    total = sum(row["human"] / row["chance"] for row in labelled)
    assert classical.value == pytest.approx(total / sum(1 / row["chance"] for row in labelled))
    assert document.slices == {}
    facts = document.labels.drawn
    assert facts is not None
    assert facts.fits is True
    weights = {row["doc"]: 1 / row["chance"] for row in labelled}
    assert facts.stands_for == pytest.approx(sum(weights.values()))
    assert facts.least_inclusion == pytest.approx(1 / max(weights.values()))


def test_a_column_of_chances_may_be_sliced_by_too_where_it_is_asked_for() -> None:
    assert [*estimated(rows(), group="chance").slices] == ["chance"]
    assert [*estimated(rows(), group="part").slices] == ["part"]


def test_chances_that_are_all_the_same_change_nothing_at_all() -> None:
    even = [row | {"chance": None if row["human"] is None else 1 / 3} for row in rows()]
    with_chances, without = estimated(even), estimated(even, inclusion=None)
    assert with_chances.estimates == without.estimates
    assert with_chances.at_least == without.at_least


@pytest.mark.parametrize(
    ("chance", "message"),
    [
        (0, "a chance is above 0 and at most 1, not 0"),
        (1.5, "a chance is above 0 and at most 1, not 1.5"),
        ("often", "a chance is above 0 and at most 1, not the text 'often'"),
        ("nan", "a chance is above 0 and at most 1"),
        (None, "is labelled and has no chance of being drawn"),
    ],
)
def test_what_is_no_chance_is_refused_with_its_place(chance: Any, message: str) -> None:
    data = rows()
    first = next(at for at, row in enumerate(data) if row["human"] is not None)
    case = data[first]["doc"]
    broken = [row | ({"chance": chance} if row["doc"] == case else {}) for row in data]
    with pytest.raises(DataError, match=message) as error:
        estimated(broken)
    assert str(case) in str(error.value)


def test_a_blank_cell_is_no_chance(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [*rows()[0]])
        writer.writeheader()
        writer.writerows({k: "" if v is None else v for k, v in row.items()} for row in rows())
    assert estimated(path).estimates == estimated(rows()).estimates


def test_a_case_has_one_chance() -> None:
    data = rows()
    at = next(at for at, row in enumerate(data) if row["human"] is not None and row["part"] == 1)
    data[at] = data[at] | {"chance": 0.9}
    with pytest.raises(DataError, match=r"is 0\.9 here and .* in another row of the case"):
        estimated(data)


def fits(data: Any) -> bool | None:
    facts = estimated(data).labels.drawn
    return None if facts is None else facts.fits


def test_labels_that_are_not_those_of_the_draw_are_flagged() -> None:
    data = rows()
    gone = [*dict.fromkeys(row["doc"] for row in data if row["human"] is not None)][:8]
    fewer = [row | ({"human": None} if row["doc"] in gone else {}) for row in data]
    assert fits(data) is True
    assert fits(fewer) is False
    edited = [row | {"chance": row["chance"] and min(1.0, 2 * row["chance"])} for row in data]
    assert fits(edited) is False


def test_how_many_cases_the_labelled_ones_stand_for() -> None:
    drawn_ = facts_of(np.array([0.5, 0.25]), 6)
    assert (drawn_.stands_for, drawn_.cases, drawn_.fits) == (6.0, 6, True)
    # two weights of 4 say 8 and leave no room for 6
    assert facts_of(np.array([0.25, 0.25]), 6).fits is False


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    judged = [row | {"sure": (int(row["doc"][1:]) * 37 % 100) / 100} for row in rows()]
    (tmp_path / "judged.json").write_text(json.dumps(judged))
    draw_it = "label judged.json --budget 20 --for estimate --case doc --item part --prediction ai"
    line = f"{draw_it} --confidence-column sure --levels 1-5 -o sample.json"
    assert run(line.split()) == 0
    drawn_cases = {c["case"] for c in json.loads((tmp_path / "sample.json").read_text())["drawn"]}
    for row in judged:
        row["human"] = (int(row["doc"][1:]) * 7 + row["part"]) % 5 + 1
        row["human"] = row["human"] if row["doc"] in drawn_cases else None
    (tmp_path / "labelled.json").write_text(json.dumps(judged))
    return tmp_path


LINE = "estimate labelled.json --case doc --item part --prediction ai --labelled human --levels 1-5"


def test_the_sample_itself_says_the_chances(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*LINE.split(), "--inclusion", "sample.json", "-o", "estimate.json"]) == 0
    assert "drawn with chances from" in capsys.readouterr().out
    labels = json.loads((folder / "estimate.json").read_text())["labels"]
    chance = [c["inclusion"] for c in json.loads((folder / "sample.json").read_text())["drawn"]]
    assert labels["drawn"]["stands_for"] == pytest.approx(sum(1 / c for c in chance))
    assert labels["drawn"]["fits"] is True


@pytest.mark.parametrize("what", ["chance", "case", "other sample", "foreign label", "no sample"])
def test_a_sample_that_is_not_that_of_the_labels_is_refused(
    what: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads((folder / "sample.json").read_text())
    rows_ = json.loads((folder / "labelled.json").read_text())
    message = "its cases or chances are not those that were drawn: somebody changed them"
    if what == "chance":
        content["drawn"][0]["inclusion"] = 0.9
    elif what == "case":
        content["drawn"][0]["case"] = "d999"
    elif what == "other sample":
        line = "label judged.json --budget 20 --for rate --case doc --item part --prediction ai"
        assert run([*line.split(), "--levels", "1-5", "--seed", "9", "-o", "sample.json"]) == 0
        content = json.loads((folder / "sample.json").read_text())
        message = "is labelled and was not drawn in sample.json"
    elif what == "foreign label":
        drawn_cases = {c["case"] for c in content["drawn"]}
        row = next(row for row in rows_ if row["doc"] not in drawn_cases)
        row["human"] = 3
        message = f"case {row['doc']} is labelled and was not drawn in sample.json"
    else:
        content = {"kind": "plan"}
        message = "sample.json"
    (folder / "sample.json").write_text(json.dumps(content))
    (folder / "labelled.json").write_text(json.dumps(rows_))
    capsys.readouterr()
    assert run([*LINE.split(), "--inclusion", "sample.json"]) == 3
    assert message in capsys.readouterr().err


def labels_of(folder: Path, **change: Any) -> list[dict[str, Any]]:
    """What the marking page hands over of the sample in a folder; of its first label, changes."""
    sample_ = json.loads((folder / "sample.json").read_text())
    parts = {c["case"]: range(int(c["case"][1:]) % 3 + 1) for c in sample_["drawn"]}
    every = [
        {"doc": c["case"], "part": part, "label": part + 1, "rater": "Ann"}
        | {"inclusion": c["inclusion"], "sample": sample_["fingerprint"]}
        for c in sample_["drawn"]
        for part in parts[c["case"]]
    ]
    return [every[0] | change, *every[1:]]


BESIDE = "estimate judged.json --labels labels.json --on doc,part --case doc --item part"
BESIDE = f"{BESIDE} --prediction ai --labelled label --levels 1-5"


@pytest.mark.parametrize(
    ("change", "inclusion", "message"),
    [
        ({}, ["--inclusion", "sample.json"], None),
        ({}, ["--inclusion", "inclusion"], None),
        ({}, [], "drawn with chances from"),
        ({"sample": "f" * 16}, ["--inclusion", "sample.json"], "a label of the sample ffff"),
        ({"sample": "f" * 16}, ["--inclusion", "inclusion"], "has labels of 2 samples"),
        ({"inclusion": 0.9}, ["--inclusion", "sample.json"], "is 0.9, and was drawn with"),
        ({"inclusion": "much"}, ["--inclusion", "sample.json"], "is much, and was drawn with"),
    ],
)
def test_labels_of_the_page_are_held_against_the_sample_that_they_name(
    change: dict[str, Any],
    inclusion: list[str],
    message: str | None,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "labels.json").write_text(json.dumps(labels_of(folder, **change)))
    code = run([*BESIDE.split(), *inclusion])
    error = capsys.readouterr().err
    assert code == (0 if message is None else 3), error
    assert (message or "") in error


def test_chances_of_several_raters_are_those_of_the_sample(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ann", "ben"):
        own = [row | {"rater": name} for row in labels_of(folder)]
        (folder / f"{name}.json").write_text(json.dumps(own))
    files = "judged.json --labels ann.json --labels ben.json --on doc,part --case doc --item part"
    line = [*f"rate {files} --levels 1-5 --judge ai --inclusion".split()]
    assert run([*line, "inclusion"]) == 2
    assert "say --inclusion SAMPLE.json" in capsys.readouterr().err
    assert run([*line, "sample.json"]) == 0
    line = f"estimate {files} --levels 1-5 --prediction ai --labelled label".split()
    assert run([*line, "--inclusion", "sample.json"]) == 2
    assert "give one file of --labels" in capsys.readouterr().err


def rated(chance_of: Any, times: Any = lambda _: 1) -> list[dict[str, Any]]:
    """Forty cases of one to two units, three people and a judge; a case stands there some times."""
    return [
        {
            "doc": f"d{c} {copy}",
            "part": r,
            "ann": (c * 7 + r) % 4,
            "ben": min(3, (c * 7 + r) % 4 + (c % 5 == 0)),
            "eve": max(0, (c * 7 + r) % 4 - (c % 7 == r)),
            "ai": ((c * 7 + r) % 4 + (c % 6 == 0)) % 4,
            "words": 50 + (c * 13) % 70,
            "chance": chance_of(c),
        }
        for c in range(40)
        for r in range(c % 2 + 1)
        for copy in range(times(c))
    ]


def ratings(data: Any, **options: Any) -> RatingsDocument:
    columns = {"case": "doc", "item": "part", "raters": ["ann", "ben", "eve"], "levels": "0-3"}
    keywords: dict[str, Any] = columns | {"judge": "ai", "length": "words"} | options
    document = acumen.rate(data, **keywords).document
    assert isinstance(document, RatingsDocument)
    return document


def test_ratings_of_a_case_count_as_often_as_it_stands_for_one() -> None:
    weighed = ratings(rated(lambda c: 1 / (c % 3 + 1)), inclusion="chance")
    copied = ratings(rated(lambda _: 1.0, lambda c: c % 3 + 1))
    assert weighed.units < copied.units
    same = [key for key in weighed.agreement if key.startswith("ac")]
    assert len(same) == 4
    for key in same:  # of copies every mean and share is the same
        assert weighed.agreement[key].value == pytest.approx(copied.agreement[key].value), key
    assert weighed.noise_floor.value == pytest.approx(copied.noise_floor.value)
    one, other = weighed.judges["ai"], copied.judges["ai"]
    for key in ("coverage", "risk", "noise_floor"):
        assert getattr(one, key).value == pytest.approx(getattr(other, key).value), key
    assert one.alt_test.advantage.value == pytest.approx(other.alt_test.advantage.value)
    for name, test in one.alt_test.raters.items():
        assert test.difference == pytest.approx(other.alt_test.raters[name].difference)
        assert test.method == "by_case"
    assert one.bias.leniency.value == pytest.approx(other.bias.leniency.value)
    pairs = {(pair.one, pair.other): pair.kappa.value for pair in copied.pairs}
    for pair in weighed.pairs:
        assert pair.kappa.value == pytest.approx(pairs[pair.one, pair.other])
    # copies are no further cases: the interval knows of forty
    narrow, wide = (d.agreement["alpha_ordinal"].interval for d in (copied, weighed))
    assert narrow is not None
    assert wide is not None
    assert wide.high - wide.low > narrow.high - narrow.low


def test_what_divides_by_how_many_there_are_is_near_that_of_copies() -> None:
    weighed = ratings(rated(lambda c: 1 / (c % 3 + 1)), inclusion="chance")
    copied = ratings(rated(lambda _: 1.0, lambda c: c % 3 + 1))
    for key in weighed.agreement:  # alpha and the ICC divide by one less
        assert weighed.agreement[key].value == pytest.approx(copied.agreement[key].value, abs=0.01)


def test_ratings_of_cases_drawn_alike_are_as_without_chances() -> None:
    data = rated(lambda _: 0.25)
    with_chances, without = ratings(data, inclusion="chance"), ratings(data)
    assert with_chances.drawn is not None
    assert with_chances.drawn.constant
    assert not with_chances.drawn.fits  # forty labelled of forty, and each says one of four
    assert with_chances.model_copy(update={"drawn": None}) == without.model_copy(
        update={"command": with_chances.command}
    )
