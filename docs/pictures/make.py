"""Draw the pictures of the pages: every command of ``docs/gallery.md``, as it stands.

``python docs/pictures/make.py`` writes them beside itself. It needs no file but those of the
repository: the demo is made first, in a folder that is thrown away.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
DOCS = HERE.parent


def commands() -> list[list[str]]:
    """The words of every command of the gallery, in their order."""
    blocks = re.findall(
        r"^```console\n(.*?)^```", (DOCS / "gallery.md").read_text("utf-8"), re.M | re.S
    )
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line.split() for line in lines if line.startswith("acumen ")]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for file in (DOCS / "data").iterdir():
            shutil.copy(file, folder)
        for words in [["acumen", "demo", "demo"], *commands()]:
            subprocess.run([sys.executable, "-m", *words], cwd=folder, check=True)
        for picture in Path(folder).glob("*.svg"):
            shutil.copy(picture, HERE)
