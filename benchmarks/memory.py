"""One measurement in a process of its own, so that its peak memory is its own.

``python -m benchmarks.memory resample 1000000`` or ``points 10000000``; prints one JSON object.
"""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from pathlib import Path

import numpy as np

from acumen.files.json import to_json
from acumen.inference.influence import statistic_of
from acumen.inference.resample import Bootstrap, replicate
from acumen.metrics import metrics_of
from acumen.views.ranking import Ranking, rank
from acumen.views.weights import CaseWeights
from benchmarks.speed import CORE
from benchmarks.studies import study


def peak() -> float:
    """Most memory this process has held so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would also count the parent's memory before this process began
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def held() -> float:
    """Memory this process holds now, in MB; its peak so far where the system does not say."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return peak()
    return int(statm.read_text().split()[1]) * resource.getpagesize() / (1 << 20)


def forget_peak() -> None:
    """Begin the peak anew (Linux): loading compiled loops may have held more for a moment."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def warm() -> None:
    """Load the compiled loops, so that neither their time nor their memory is counted."""
    tiny = rank([0, 1, 2], [3, 2, 1])
    replicate(statistic_of(metrics_of(Ranking), tiny), Bootstrap(3, 16), threads=1)


def main() -> None:
    """Measure what the arguments say."""
    what, rows = sys.argv[1], int(sys.argv[2])
    warm()
    columns = study(rows // 8)
    forget_peak()
    before = held()
    begun = time.perf_counter()
    view = columns.ranking()
    ranked = time.perf_counter() - begun
    if what == "points":
        every = metrics_of(Ranking)
        values = statistic_of(every, view)(CaseWeights.once(view.n_cases))
        done = len(every)
    else:
        values = replicate(statistic_of(CORE, view), Bootstrap(view.n_cases, 1000), threads=2)
        done = len(CORE)
    assert np.isfinite(values[:2]).all()
    found = {
        "seconds": time.perf_counter() - begun,
        "ranking": ranked,
        "metrics": done,
        "peak_mb": peak(),
        "beyond_input_mb": peak() - before,
    }
    print(to_json(found, indent=None), end="")


if __name__ == "__main__":
    main()
