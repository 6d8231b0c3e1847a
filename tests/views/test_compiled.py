"""Compiling: said once, cached where something can be written, in memory where nothing can."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from acumen.views.compiled import COMPILING, IN_MEMORY, _is_of_cache, compiled

# A module with two small loops of its own, so that a cold start takes a moment, not ten seconds.
LOOPS = """
from acumen.views.compiled import compiled, inlined

@inlined
def half(x):
    return x / 2

@compiled
def total(n):
    out = 0.0
    for i in range(n):
        out += half(i)
    return out

@compiled
def count(n):
    return n + 1

print(total(5), count(1), total(7))
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "loops.py").write_text(LOOPS)
    return folder


def start(folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Import the loops in a fresh process."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_"))}
    paths = os.pathsep.join([str(folder), *(p for p in sys.path if p)])
    done = subprocess.run(
        [sys.executable, "-c", "import loops"],
        env=kept | {"PYTHONPATH": paths} | dict(environment),
        capture_output=True, text=True, check=True, cwd=folder,
    )  # fmt: skip
    assert done.stdout.split() == ["5.0", "2", "10.5"]
    return done


def without_cache_beside(folder: Path) -> None:
    """Make the install folder as good as read-only: also root cannot make a folder in a file."""
    (folder / "__pycache__").write_text("")


def test_the_first_use_says_once_that_it_compiles_and_later_starts_load_the_cache(
    installed: Path,
) -> None:
    first = start(installed, {})
    assert first.stderr == COMPILING + "\n"
    assert list(installed.glob("__pycache__/loops.total*.nbc"))
    assert start(installed, {}).stderr == ""


@pytest.mark.parametrize(("pattern", "size"), [("*.nbi", 0), ("*.nbc", 200)])
def test_a_damaged_cache_is_made_anew(installed: Path, pattern: str, size: int) -> None:
    start(installed, {})
    for path in installed.glob(f"__pycache__/{pattern}"):
        path.write_bytes(path.read_bytes()[:size])
    assert start(installed, {}).stderr == COMPILING + "\n"
    assert start(installed, {}).stderr == ""


ARRAYS = """
import numpy as np
from acumen.views.compiled import compiled, inlined

@inlined
def twos(n):
    if n > 7:
        raise KeyError("inner")
    return np.full(n, 2.0)

@compiled
def sums(n):
    zeros = np.zeros(n)
    if n == 5:
        raise ValueError("five")
    return zeros + twos(n), (n, 1.5)

print(sums(2))
for n in (5, -1, 9):
    try:
        sums(n)
    except (KeyError, ValueError) as error:
        print(repr(error))
"""


def test_a_loop_from_the_cache_makes_arrays_and_raises_as_it_did_when_it_was_compiled(
    tmp_path: Path,
) -> None:
    (tmp_path / "arrays.py").write_text(ARRAYS)
    paths = os.pathsep.join([str(tmp_path), *(p for p in sys.path if p)])
    run = partial(
        subprocess.run, [sys.executable, "-c", "import arrays"], env={"PYTHONPATH": paths},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    first, second = run(), run()
    assert (first.stderr, second.stderr) == (COMPILING + "\n", "")
    assert first.stdout == second.stdout
    assert first.stdout.splitlines() == [
        "(array([2., 2.]), (2, 1.5))",
        "ValueError('five')",
        "ValueError('negative dimensions not allowed')",
        "KeyError('inner')",
    ]


def test_a_loop_from_the_cache_goes_with_one_that_is_compiled(installed: Path) -> None:
    start(installed, {})
    (part,) = installed.glob("__pycache__/loops.count*.nbi")
    part.unlink()
    assert start(installed, {}).stderr == COMPILING + "\n"


def test_what_a_loop_raises_is_no_damage_of_its_cache() -> None:
    def fail() -> None:
        raise EOFError

    with pytest.raises(EOFError) as raised:
        fail()
    assert not _is_of_cache(raised.value)


@pytest.mark.slow
def test_a_changed_source_is_compiled_and_announced_again(installed: Path) -> None:
    start(installed, {})
    (installed / "loops.py").write_text(LOOPS.replace("out = 0.0", "out = 0.0 * n"))
    assert start(installed, {}).stderr == COMPILING + "\n"


def test_a_read_only_install_folder_is_cached_in_the_users_folder(
    installed: Path, tmp_path: Path
) -> None:
    without_cache_beside(installed)
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    assert start(installed, environment).stderr == COMPILING + "\n"
    assert list((tmp_path / "cache").rglob("*.nbc"))
    assert start(installed, environment).stderr == ""


@pytest.mark.slow
def test_a_folder_named_in_the_environment_is_used_first(installed: Path, tmp_path: Path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "named")}
    assert start(installed, environment).stderr == COMPILING + "\n"
    assert list((tmp_path / "named").rglob("*.nbc"))
    assert not list(installed.rglob("*.nbc"))
    assert start(installed, environment).stderr == ""


def test_where_no_cache_can_be_written_it_compiles_in_memory_and_says_so(
    installed: Path, tmp_path: Path
) -> None:
    without_cache_beside(installed)
    blocked = tmp_path / "file"
    blocked.write_text("")
    environment = {"XDG_CACHE_HOME": str(blocked), "HOME": str(blocked)}
    for _ in range(2):
        assert start(installed, environment).stderr == IN_MEMORY + "\n"


@pytest.mark.slow
def test_a_cache_that_cannot_be_saved_after_all_does_not_stop_the_work(
    installed: Path, tmp_path: Path
) -> None:
    vanish = (
        "from numba.core.caching import IndexDataCacheFile\n"
        "def full(*_):\n"
        "    raise OSError(28, 'No space left on device')\n"
        "IndexDataCacheFile.save = full\n"
    )
    (installed / "loops.py").write_text(vanish + LOOPS)
    done = start(installed, {})
    assert done.stderr == COMPILING + "\n"
    assert not list(installed.glob("__pycache__/*.nbc"))


def test_the_loops_run_as_plain_python_when_compiling_is_switched_off(installed: Path) -> None:
    assert start(installed, {"NUMBA_DISABLE_JIT": "1"}).stderr == ""


COLD = """
import numpy as np
from acumen.metrics import metrics_of
from acumen.inference.paired import compare
from acumen.inference.options import Options
from acumen.views.ranking import Ranking, rank
rng = np.random.default_rng(0)
case = np.repeat(np.arange(20), 8)
left, right = (
    rank(rng.integers(0, 4, 160), rng.random(160), rng.random(160) < 0.8, case=case, n_cases=20)
    for _ in range(2)
)
compare(metrics_of(Ranking), left, right, Options(resamples=200))
"""


@pytest.mark.slow
def test_all_loops_are_compiled_with_one_word_and_then_found_in_the_cache(tmp_path: Path) -> None:
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }
    told = [
        subprocess.run(
            [sys.executable, "-c", COLD],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stderr
        for _ in range(2)
    ]
    assert told == [COMPILING + "\n", ""]


def test_an_interrupt_that_numba_hides_is_one_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def hand_over(*_: object) -> object:
        try:
            raise SystemError("returned a result with an exception set") from KeyboardInterrupt()
        except SystemError as error:
            raise SystemError("returned a result with an exception set") from error

    monkeypatch.setattr("acumen.views.compiled._loop", lambda _: hand_over)
    monkeypatch.setattr("numba.config.DISABLE_JIT", 0)
    with pytest.raises(KeyboardInterrupt):
        compiled(lambda: 0)()
