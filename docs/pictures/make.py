"""Draw the pictures of the pages: every command of ``docs/gallery.md``, as it stands.

``python docs/pictures/make.py`` writes them beside itself. It needs no file but those of the
repository: the demo is made first, in a folder that is thrown away. Four pictures are of charts
that acumen has on its pages alone: judges beside people, a few labels, a threshold, a plan.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import acumen
from acumen.charts import raters
from acumen.charts.decisions import curve
from acumen.charts.export import Paper, write_figure
from acumen.charts.theme import Figure
from acumen.results.files import read_document

HERE = Path(__file__).parent
DOCS = HERE.parent


def commands() -> list[list[str]]:
    """The words of every command of the gallery, in their order."""
    blocks = re.findall(
        r"^```console\n(.*?)^```", (DOCS / "gallery.md").read_text("utf-8"), re.M | re.S
    )
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line.split() for line in lines if line.startswith("acumen ")]


def page_charts(folder: Path) -> dict[str, Figure | None]:
    """Charts of the pages on raters and on decisions, by the name of the picture."""
    run = folder / "demo" / "phq8" / "run.json"
    options = {"mode": "few_shot", "confidence": "token_msp"}
    grid = acumen.threshold(run, risk=0.12, **options).document.grid
    power = acumen.plan(sd=0.1, detect=0.03).document.curve
    rows = {"case": "id", "prediction": "ai_rating", "labelled": "human_rating", "levels": "1-5"}
    mean = acumen.estimate(folder / "few.csv", **rows).results.estimates["mean"]
    sides = (("with the judge", mean.estimate), ("labels alone", mean.classical))
    return {
        "raters": raters.floors(read_document(folder / "demo" / "ratings" / "rated.json")),
        "few-labels": raters.effects([(side, "Mean rating", m) for side, m in sides]),
        "threshold": curve(
            [(p.coverage, p.risk) for p in grid if p.risk is not None],
            "share of rows accepted",
            "risk of those",
        ),
        "plan": curve([(d.cases, d.power) for d in power], "cases", "power"),
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for file in (DOCS / "data").iterdir():
            shutil.copy(file, folder)
        for words in [["acumen", "demo", "demo"], *commands()]:
            subprocess.run([sys.executable, "-m", *words], cwd=folder, check=True)
        for name, figure in page_charts(Path(folder)).items():
            write_figure(figure, HERE / f"{name}.svg", Paper.of("5.5in", None))
        for picture in Path(folder).glob("*.svg"):
            shutil.copy(picture, HERE)
