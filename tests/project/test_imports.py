"""Nobody waits for what draws, fits or renders where no chart, fit or page is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HEAVY = ("altair", "vl_convert", "jinja2", "sklearn", "scipy.stats", "pandas", "openai", "IPython")

SCRIPT = """
import contextlib, io, json, sys
import acumen
from acumen.cli import run

heavy, commands, seen = json.loads(sys.argv[1]), json.loads(sys.argv[2]), {}

def look(what, code):
    new = [name for name in heavy if name in sys.modules and name not in sum(seen.values(), [])]
    seen[f"{what}: {code}"] = new

for command in commands:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = run(command)
    look(" ".join(command), code)
for name, words in {
    "evaluate": {"resamples": 50},
    "threshold": {"risk": 0.3},
    "sets": {"alpha": 0.3},
    "gate": {"metric": "mean_loss", "at_most": 2},
}.items():
    repr(getattr(acumen, name)("rows.csv", **words))
    look(f"acumen.{name}", 0)
repr(acumen.rate("rows.csv", raters=["truth", "human"], judge="prediction"))
look("acumen.rate", 0)
print(json.dumps(seen))
"""


def test_questions_import_nothing_that_draws_or_fits(tmp_path: Path) -> None:
    rows = ["case,truth,prediction,human,confidence"]
    rows += [f"{k},{k % 4},{k * 7 % 11 % 4},{k % 3},{k % 17 / 17}" for k in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(rows), "utf-8")
    judged = ["--prediction", "prediction", "--labelled", "human"]
    commands = [
        ["evaluate", "rows.csv", "--resamples", "50", "-o", "metrics.json"],
        ["evaluate", "rows.csv", "--prediction", "prediction,human", "--resamples", "50"],
        ["threshold", "rows.csv", "--risk", "0.3"],
        ["sets", "rows.csv", "--alpha", "0.3"],
        ["cost", "rows.csv", "--abstain-cost", "0.2"],
        ["gate", "rows.csv", "--metric", "mean_loss", "--at-most", "2"],
        ["plan", "--detect", "0.03", "--sd", "0.1"],
        ["rate", "rows.csv", "--case", "case", "--raters", "truth,human", "--judge", "prediction"],
        ["estimate", "rows.csv", "--case", "case", *judged],
        ["score", "--demo", "--resamples", "50"],
        ["map", "rows.csv"],
        ["show", "metrics.json"],
        ["explain", "mean_loss"],
        ["confidence"],
    ]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(HEAVY), json.dumps(commands)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert {what: names for what, names in seen.items() if names} == {}
    assert {what: int(what.rpartition(": ")[2]) for what in seen if what[-1] not in "015"} == {}
