"""Every default number, in a file that imports nothing, so that the command line can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CONFIDENCE_LEVEL: Final = 0.95
"""Confidence level of an interval unless another is asked for."""

RESAMPLES: Final = 10_000
"""Resamples of the cases."""

RESAMPLED_ROWS: Final = 4_000
"""Beyond this many rows no resample is drawn unless asked for: the default intervals need none."""

SWAPS: Final = 10_000
"""Swaps of two systems within cases, for a test of their difference."""

SEED: Final = 42
"""Seed of the resamples and swaps, and of the folds of a cross-fit."""

INTERVAL: Final = "default"
"""Method of the intervals: the one that holds best for each metric."""

ITEMS: Final = "fixed"
"""The items are the only ones there are; of ``random`` ones, intervals speak of new ones too."""

ESTIMAND: Final = "row"
"""Every row counts alike; by ``case``, every case does."""

CONFIDENCE: Final = "default"
"""Which confidence functions: those that every run can compute."""

LOSS: Final = "abs_norm"
"""What a wrong level costs: its distance, as a share of the longest distance."""

COVERAGE_GRID: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Coverages at which the risk is measured."""

RISKS: Final = (0.1, 0.25)
"""Risks up to which the coverage is asked for, in units of the loss."""

FOLDS: Final = 10
"""Folds of cases for cross-fitting a calibrator."""

CALIBRATOR: Final = "temperature"
"""Which calibrator is fitted."""

CALIBRATION_TARGET: Final = "correctness"
"""What a calibrated confidence is the probability of."""

AREA_COVERAGE: Final = 0.5
"""Coverage up to which areas are measured, beside those up to the largest."""

MISSING: Final = "drop"
"""What becomes of rows that came to nothing usable: they are left out, and counted."""

PRICE: Final = 1.0
"""What an abstention costs in the charged areas, in units of the loss: as much as a loss of 1."""

RANK_BY: Final = "risk"
"""What systems are ordered by: the mean loss at the coverage that all of them reach."""

FEWEST_CASES: Final = 2
"""With fewer cases there is no interval."""

RELIABLE_CASES: Final = 10
"""With fewer cases an interval is marked unreliable and no difference is claimed."""

FEWEST_ITEMS: Final = 5
"""With fewer items that are a sample, an interval is marked unreliable."""

LARGEST_SHARE: Final = 0.2
"""Where one case holds this share of the weight, intervals are marked unreliable."""

BINS: Final = 10
"""Bins of equal width in which a confidence is compared with what came true."""

FEWEST_AT_LEVEL: Final = 9
"""With fewer cases at a level, an interval that rests on the level is marked unreliable."""

TARGET: Final = 75
"""Percent above which a score of a verdict study gets its tick."""

CELLS: Final = ("right_sound", "right_unsound", "wrong_sound", "wrong_unsound")
"""Whether a verdict is right × whether its reasons are sound; each verdict is in one of them."""
PROCESS_WEIGHTS: Final[Mapping[str, int]] = {
    "incident_precision": 35,
    "severity_accuracy": 30,
    "modifier_accuracy": 15,
    "verdict_support_rate": 15,
    "snippet_validity": 5,
}
"""The five components of the process score and what each weighs, in percent: whole, so that sums
of them are exact and all right is 100 and not a hair more."""

CONSISTENCY_SAMPLES: Final = 5
"""How often a run asks each case where the environment enables consistency."""

EPSILON: Final = 0.15
"""How much a judge may be worse than a person who is skilled, for what it saves; experts .2,
crowds .1."""

FALSE_DISCOVERY: Final = 0.05
"""Share of false rejections among those of the alternative annotator test."""

TESTED_BY_T: Final = 30
"""Instances of a person from which on the alternative annotator test takes a t-test."""

PASSING_RATE: Final = 0.5
"""Share of the people that a judge must pass."""

MOST_RATERS: Final = 50
"""People who are looked at one by one, where there are more."""

ENGINES: Final = ("duckdb", "polars", "dask")
"""What opens files that stay where they are, the default first."""

DELTA: Final = 0.1
"""The chance that a certified threshold may break its promise."""

ALPHA: Final = 0.1
"""The chance that a prediction set may miss the truth."""

EXACT_TEST: Final = "betting"
"""Of two exact tests by case, the one taken: chosen before a loss is seen."""

FALSE_ALARM: Final = 0.05
"""The chance that a stream is alarmed of although the promise holds, however long it is."""

EVERY: Final = 10
"""Cases of a stream from one look to the next."""

STARTS: Final = "auto"
"""Shares of the answered rows at which the search for a threshold begins."""

COSTS: Final = "abs"
"""What an error costs where abstaining has a price: as much as it is levels off."""

FEWEST_IN_GROUP: Final = 20
"""Cases with as many open items from which on intervals of totals are made for them apart."""

COST_FOLDS: Final = 5
"""Folds of cases on which the cheapest threshold is chosen and paid for."""

POWER: Final = 0.8
"""The chance that a planned study shows what it looks for."""

PLAN_METRIC: Final = "augrc"
"""What a study is planned for."""
COVERAGE_TOLERANCE: Final = 1e-9
"""Two coverages, or two risks, that differ by less are one: they are sums of floats."""
