"""The fixture inside pytest, with the real pytest."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
PLUGIN = ("-p", "no:acumen", "-p", "acumen.bridge.pytest_plugin", "-p", "no:cacheprovider", "-rs")
TEST = """
import pytest

@pytest.mark.parametrize("least", [0.5, 0.99, 0.75])
def test_judge(acumen_gate, least):
    result = acumen_gate("rows.csv", metric="accuracy", at_least=least)
    assert result.document.verdict == "pass"
"""


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    rows = ["case,truth,prediction", *(f"{k},{k % 3},{(k + (k % 5 == 0)) % 3}" for k in range(60))]
    pytester.path.joinpath("rows.csv").write_text("\n".join(rows), "utf-8")
    pytester.makepyfile(TEST)
    return pytester


def test_three_verdicts_are_a_pass_a_failure_and_a_clear_failure(folder: pytest.Pytester) -> None:
    done = folder.runpytest_subprocess(*PLUGIN)
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(["the gate fails", "the gate is undecided: there are too few data*"])


def test_an_undecided_gate_may_skip_its_test(folder: pytest.Pytester) -> None:
    folder.makeini("[pytest]\nacumen_undecided = skip")
    done = folder.runpytest_subprocess(*PLUGIN)
    done.assert_outcomes(passed=1, failed=1, skipped=1)
    done.stdout.fnmatch_lines(["*SKIPPED*the gate is undecided*"])


def test_another_word_is_refused(folder: pytest.Pytester) -> None:
    folder.makeini("[pytest]\nacumen_undecided = maybe")
    done = folder.runpytest_subprocess(*PLUGIN)
    done.stdout.fnmatch_lines(["*acumen_undecided is fail or skip, not 'maybe'"])


def test_what_the_gate_itself_decides_goes_first(folder: pytest.Pytester) -> None:
    folder.makepyfile(
        "def test_it(acumen_gate):\n"
        "    acumen_gate('rows.csv', metric='accuracy', at_least=.75, undecided='pass')"
    )
    folder.runpytest_subprocess(*PLUGIN).assert_outcomes(passed=1)


def test_the_example_of_the_page_runs(pytester: pytest.Pytester) -> None:
    page = (ROOT / "docs" / "recipes" / "pytest.md").read_text("utf-8")
    (example,) = re.findall(r"<!-- file: test_judge.py -->\n```python\n(.*?)```", page, re.DOTALL)
    for name in ("new.csv", "old.csv"):
        shutil.copy(ROOT / "docs" / "data" / name, pytester.path)
    pytester.makepyfile(example)
    pytester.runpytest_subprocess(*PLUGIN).assert_outcomes(passed=2)


def test_loading_it_imports_nothing_heavy() -> None:
    code = "import sys, pytest; before = set(sys.modules); import acumen.bridge.pytest_plugin"
    code += "; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {"acumen", "acumen._version", "acumen.bridge", "acumen.bridge.pytest_plugin"}
    assert set(done.stdout.split()) == ours


def test_every_pytest_loads_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"acumen": "acumen.bridge.pytest_plugin"}
