"""``python -m mutants``: a seeded sample of faults, and the share of them that the tests notice.

Exit code 1 where they notice too few, over all or in one package; 2 where they fail without one.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Final

from mutants.cover import Tests
from mutants.mutate import Mutation
from mutants.run import Trial, record, run
from mutants.sample import package_of, sample

ROOT: Final = Path(__file__).parents[1]
BUILD: Final = ROOT / "build" / "mutants"
LEFT_OUT: Final = (".git", ".venv", ".venv-oldest", ".hypothesis", "build", "site", "demo")
OVER_ALL, IN_A_PACKAGE = 0.92, 0.88
CONTROLS: Final = 8
"""Trials without a fault: a test that fails in one of them would count as having noticed."""


def main() -> int:
    """Draw, run, tell."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--package", action="append", help="only this one; may be repeated")
    options = parser.parse_args()
    files = (str(p.relative_to(ROOT)) for p in sorted((ROOT / "src" / "acumen").rglob("*.py")))
    wanted = [f for f in files if not options.package or package_of(f) in options.package]
    sources = {file: (ROOT / file).read_text("utf-8") for file in wanted}
    folder = _recording(options.workers)
    tests = Tests(folder)
    trials = []
    for mutation in sample(sources, options.size, options.seed):
        names = tests.of(mutation, sources[mutation.file])
        trials.append(Trial(mutation, names, 60 + 5 * sum(tests.seconds[n] for n in names)))
    copies = sorted(path for path in folder.iterdir() if path.is_dir())
    return _report(trials, copies[: options.workers])


def _recording(workers: int) -> Path:
    """The folder with copies of the project and what its tests run, made once for its content."""
    content = hashlib.sha256()
    for path in (
        ROOT / "pyproject.toml",
        *sorted(ROOT.glob("src/**/*")),
        *sorted(ROOT.glob("tests/**/*")),
    ):
        if path.is_file() and "__pycache__" not in path.parts:
            content.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    folder = BUILD / content.hexdigest()[:16]
    if (folder / "lines").exists():
        return folder
    shutil.rmtree(BUILD, ignore_errors=True)
    copy = folder / "0"
    for top in ROOT.iterdir():
        if top.is_dir() and top.name not in LEFT_OUT:
            shutil.copytree(top, copy / top.name)
    for top in ROOT.iterdir():
        if top.is_file():
            shutil.copy2(top, copy)
    record(copy, folder, workers)
    for number in range(1, workers):
        shutil.copytree(copy, folder / str(number))
    return folder


def _report(trials: list[Trial], copies: list[Path]) -> int:
    began = time.monotonic()
    kills: dict[str, list[bool]] = defaultdict(list)
    survivors: list[Mutation] = []
    broken: list[Trial] = []

    def tell(trial: Trial, passed: bool) -> None:
        if trial.mutation is None:
            broken.extend([] if passed else [trial])
            return
        kills[package_of(trial.mutation.file)].append(not passed)
        survivors.extend([trial.mutation] if passed else [])
        print("S" if passed else ".", end="", flush=True)

    controls = [Trial(None, t.tests, t.limit) for t in trials[:: max(1, len(trials) // CONTROLS)]]
    run([*controls, *trials], copies, tell)
    print(f"\n{len(trials)} faults in {time.monotonic() - began:.0f} s; not noticed:")
    for m in sorted(survivors, key=lambda m: (m.file, m.line)):
        print(f"\n{m.file}:{m.line}  {m.key}")
    for trial in broken:
        print("without a fault one of these fails:", *trial.tests, sep="\n  ", file=sys.stderr)
    return 2 if broken else _score(kills)


def _score(kills: dict[str, list[bool]]) -> int:
    """Print the share by package and over all; 1 where one is too small."""
    fails = False
    for name in (*sorted(kills), "all"):
        noticed = kills[name] if name != "all" else [x for part in kills.values() for x in part]
        share, least = sum(noticed) / len(noticed), IN_A_PACKAGE if name != "all" else OVER_ALL
        fails |= share < least
        mark = f"  under {least:.0%}" if share < least else ""
        print(f"{name:12} {sum(noticed):4} of {len(noticed):<4} {share:6.1%}{mark}")
    return int(fails)


if __name__ == "__main__":
    sys.exit(main())
