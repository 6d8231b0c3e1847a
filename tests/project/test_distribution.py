"""What is given to people: the wheel and the source carry what they need and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from acumen import __version__
from tests.docs.stage import ROOT

STEM = f"acumen_eval-{__version__}"
INFO = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
README = """
import shutil, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from tests.docs.blocks import printed_by, run_page
printed, code = printed_by(["acumen", "demo", "demo"])
assert code == 0, printed
shutil.copy("demo/verdicts/results-rag.json", "results.json")
shutil.copy("demo/verdicts/truth.json", "truth.json")
shutil.copy(Path(sys.argv[1]) / "docs" / "data" / "judge.csv", "judge.csv")
run_page(Path(sys.argv[1]) / "README.md", {})
import acumen
print(acumen.__file__)
"""
"""Run all of the README where acumen is installed and nothing else is."""


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the source, built from the working tree."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder / f"{STEM}-py3-none-any.whl", folder / f"{STEM}.tar.gz"


def source() -> set[str]:
    """Every file of the package, as it lies in the working tree."""
    files = (ROOT / "src" / "acumen").rglob("*")
    return {
        path.relative_to(ROOT / "src").as_posix()
        for path in files
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_carries_the_package_and_nothing_else(distributions: tuple[Path, Path]) -> None:
    names = set(zipfile.ZipFile(distributions[0]).namelist())
    assert names == source() | {f"{STEM}.dist-info/{name}" for name in INFO}
    assert distributions[0].stat().st_size < 1_500_000  # studies and the page's script, no pictures


def test_the_source_carries_what_builds_it_and_nothing_else(
    distributions: tuple[Path, Path],
) -> None:
    with tarfile.open(distributions[1]) as archive:
        names = {name.removeprefix(f"{STEM}/") for name in archive.getnames()}
    beside = {"CHANGELOG.md", "README.md", "LICENSE", "PKG-INFO", "pyproject.toml", ".gitignore"}
    assert names == {f"src/{name}" for name in source()} | beside


def test_the_wheel_runs_where_its_source_is_not(
    distributions: tuple[Path, Path], tmp_path: Path
) -> None:
    zipfile.ZipFile(distributions[0]).extractall(tmp_path / "lib")
    (tmp_path / "rows.csv").write_text("case,truth,prediction,confidence\n1,0,0,.9\n2,1,0,.4\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "lib"), "NUMBA_DISABLE_JIT": "1"}
    lines = ["evaluate rows.csv --levels 0-3 --resamples 0 -o metrics.json", "score --help"]
    lines += ["explain augrc", "task check phq8", "report metrics.json -o page.html"]
    for line in lines:
        done = subprocess.run(
            [sys.executable, "-m", "acumen", *line.split()],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").exists()


def test_the_version_and_the_licence_are_one_everywhere(distributions: tuple[Path, Path]) -> None:
    metadata = zipfile.ZipFile(distributions[0]).read(f"{STEM}.dist-info/METADATA").decode()
    assert f"\nVersion: {__version__}\n" in metadata
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert "License ::" not in metadata  # a classifier beside the expression is refused
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {__version__}\n" in citation
    assert f"\n## {__version__} (" in (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("3.11", "wheel"),
        ("3.11", "source"),
        ("3.12", "wheel"),
        ("3.13", "wheel"),
        ("3.14", "wheel"),
    ],
)
def test_the_readme_is_true_in_a_fresh_install(
    version: str, kind: str, distributions: tuple[Path, Path], tmp_path: Path
) -> None:
    own = f"{sys.version_info.major}.{sys.version_info.minor}" == version
    python = sys.executable if own else shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "--version"], capture_output=True).returncode:
        pytest.skip(f"there is no Python {version}")
    subprocess.run([python, "-m", "venv", str(tmp_path / "env")], check=True)
    fresh = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [str(fresh), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    package = distributions[("wheel", "source").index(kind)]
    subprocess.run([*pip, f"{package}[report]"], check=True, capture_output=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [str(fresh), "-c", README, str(ROOT)],
        cwd=tmp_path, env={**environment, "COLUMNS": "80", "NO_COLOR": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "env") in done.stdout
