"""acumen: how far can an AI's ordinal judgments be trusted, when it may abstain?

>>> import acumen
>>> rows = {"case": [1, 2, 3, 4], "truth": [2, 1, 1, 0], "prediction": [2, 3, 1, None]}
>>> table = acumen.from_columns(**rows, confidence=[2, 2, 1, 0])
>>> evaluation = acumen.evaluate(table, loss="abs", resamples=0)
>>> evaluation.artifact.confidence_variants["confidence"].augrc_full
0.25
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from acumen._version import __version__

if TYPE_CHECKING:
    from acumen import errors
    from acumen.errors import AcumenError, DataError, UsageError
    from acumen.evaluation.api import compare, evaluate
    from acumen.evaluation.evaluation import Evaluation
    from acumen.evaluation.plan import Plan
    from acumen.inference.options import Options
    from acumen.items.compute import ItemPrediction
    from acumen.readers import from_frame, read, read_run
    from acumen.readers.columns import judgments as from_columns
    from acumen.table.judgments import Judgments
    from acumen.table.scale import Scale

_HOMES = {
    "AcumenError": "acumen.errors",
    "DataError": "acumen.errors",
    "Evaluation": "acumen.evaluation.evaluation",
    "ItemPrediction": "acumen.items.compute",
    "Judgments": "acumen.table.judgments",
    "Options": "acumen.inference.options",
    "Plan": "acumen.evaluation.plan",
    "Scale": "acumen.table.scale",
    "UsageError": "acumen.errors",
    "compare": "acumen.evaluation.api",
    "errors": "acumen.errors",
    "evaluate": "acumen.evaluation.api",
    "from_columns": "acumen.readers.columns:judgments",
    "from_frame": "acumen.readers",
    "read": "acumen.readers",
    "read_run": "acumen.readers",
}
"""Public name -> the module it lives in, imported when the name is first asked for."""

__all__ = [
    "AcumenError",
    "DataError",
    "Evaluation",
    "ItemPrediction",
    "Judgments",
    "Options",
    "Plan",
    "Scale",
    "UsageError",
    "__version__",
    "compare",
    "errors",
    "evaluate",
    "from_columns",
    "from_frame",
    "read",
    "read_run",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'acumen' has no attribute '{name}'")
    home, _, other_name = _HOMES[name].partition(":")
    module = import_module(home)
    # a module that is itself the public name, such as errors
    value = module if home == f"{__name__}.{name}" else getattr(module, other_name or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
