"""Every option that several questions take, declared once; what is special stands in place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from acumen.declare import given, python, say
from acumen.defaults import ENGINES
from acumen.readers.formats import titles

if TYPE_CHECKING:
    from acumen.calibration import Calibration as Calibrator
    from acumen.evaluation.inputs import Modes
    from acumen.evaluation.missing import How
    from acumen.inference.options import Method
    from acumen.questions.result import Result
    from acumen.stages import Watcher
    from acumen.table.losses import AnyLoss

FORMATS = ", ".join(titles())
"""The formats of a run, as help lists them."""
MORE = "Or a table (:class:`Judgments`), a dataframe, or a list of rows."

Run = Annotated[
    Any, given(f"A run file ({FORMATS}); - is stdin.", kind=str, alias="--input", more=MORE)
]
Mode = Annotated[str | None, say("Which mode of a run file that holds several.")]
AnyModes = Annotated["Modes", say("A mode; two compare those of one run.", kind=list[str] | None)]
OneConfidence = Annotated[str, say("The confidence function to go by.")]
Loss = Annotated[
    "AnyLoss",
    say(
        "abs_norm, abs, zero_one, squared, or a TOML file of costs.",
        kind=str,
        is_file=True,
        more="""Also costs by truth and prediction, or a function of the predicted and the true
        level, which is called with the levels as the scale has them.""",
    ),
]
Calibration = Annotated[
    "str | Path | Calibrator | Result[Any] | None",
    say(
        "A calibration artifact, for the calibrated functions.",
        kind=Path | None,
        is_file=True,
        more="Its file, or what :func:`calibrate` made.",
    ),
]
Inclusion = Annotated[
    str | None,
    say(
        "Chances with which cases were drawn to be labelled.",
        metavar="COLUMN|SAMPLE",
        is_file=True,
        more="A column of them, or the sample that ``acumen label`` wrote.",
    ),
]
Resamples = Annotated[
    int, say("Resamples of the cases.", "--resamples", "--bootstrap-resamples", least=0)
]
Seed = Annotated[int, say("Seed of the resamples.", least=0)]
Interval = Annotated["Method", say("default, percentile or bca.", kind=str)]
ConfidenceLevel = Annotated[
    float, say("Confidence level of the intervals.", "--confidence-level", "--level")
]
Intersection = Annotated[bool, say("With two inputs: compare the cases both have.")]
Missing = Annotated[
    "How",
    say(
        "How rows without a usable reply count: drop, wrong or bound.",
        kind=str,
        more="Left out; wrong answers, less sure than all others; or left out, with bounds over "
        "all that they might have been.",
    ),
]
Engine = Annotated[
    str | None, say(f"Leave rows in files and let an engine count: {', '.join(ENGINES)}.")
]
Texts = Annotated[
    bool,
    say(
        "Keep and show the texts of cases that a run quotes.",
        "--texts",
        is_by_hand=True,
        more="Without it no text of a case is kept.",
    ),
]
Progress = Annotated[
    "Watcher | None",
    python("Called with what is being done and the share of the work that is done, from 0 to 1."),
]
Names = str | Sequence[str]
"""A name, or several."""
