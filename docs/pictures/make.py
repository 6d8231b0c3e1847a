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

from pydantic import BaseModel

import acumen
from acumen.charts import raters
from acumen.charts.export import write_figure
from acumen.charts.paper import Paper
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
    threshold = acumen.threshold(run, risk=0.12, **options)
    plan = acumen.plan(sd=0.1, detect=0.03)
    rows = {"case": "id", "prediction": "ai_rating", "labelled": "human_rating", "levels": "1-5"}
    mean = acumen.estimate(folder / "few.csv", **rows).document.estimates["mean"]
    sides = ("with the judge", "labels alone")
    named = zip(sides, (mean.estimate, mean.classical), strict=True)
    return {
        "raters": raters.floors(
            read_document(folder / "demo" / "ratings" / "rated.json"), "units of the scale"
        ),
        "few-labels": raters.estimates(
            [("Mean rating", side, measured) for side, measured in named if measured], sides, ""
        ),
        "threshold": decided(threshold.document),
        "plan": decided(plan.document),
    }


def decided(document: BaseModel) -> Figure | None:
    """The chart that the page of a decision has."""
    from acumen.report.decisions import drawing_of

    seen = drawing_of(document)
    return None if seen is None else seen.figure()


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
