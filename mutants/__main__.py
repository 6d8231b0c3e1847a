"""``python -m mutants``: a seeded sample of faults, and the share of them that the tests notice.

Exit code 1 where they notice too few, over all or in one package; 2 where they fail without one.
A run works in a folder of its own, with caches of its own, so that several may run at once.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mutants.cover import Tests
from mutants.mutate import Mutation
from mutants.run import Trial, record, run
from mutants.sample import package_of, sample

ROOT: Final = Path(__file__).parents[1]
RECORDINGS: Final = ROOT / "build" / "mutants"
LEFT_OUT: Final = ("build", "site", "demo")
"""Folders that no test reads, besides those with a dot."""
WORKFLOWS: Final = ".github"
OVER_ALL, IN_A_PACKAGE = 0.92, 0.88
CONTROLS: Final = 8
"""Trials without a fault: a test that fails in one of them would count as having noticed."""


def main() -> int:
    """Draw, run, tell."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--size", type=int, default=220)
    parser.add_argument("--seed", type=int, default=1, help="another draws other faults")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--package", action="append", help="only this one; may be repeated")
    parser.add_argument("--tests", nargs="+", default=[], help="only these, such as tests/table")
    options = parser.parse_args()
    files = (str(p.relative_to(ROOT)) for p in sorted((ROOT / "src" / "acumen").rglob("*.py")))
    wanted = [f for f in files if not options.package or package_of(f) in options.package]
    sources = {file: (ROOT / file).read_text("utf-8") for file in wanted}
    recording = _recording(options.workers, options.tests)
    tests = Tests(recording)
    trials = []
    for mutation in sample(sources, options.size, options.seed):
        names = tests.of(mutation, sources[mutation.file])
        trials.append(Trial(mutation, names, 60 + 5 * sum(tests.seconds[n] for n in names)))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [Path(folder, str(number)) for number in range(options.workers)]
        for copy in copies:
            shutil.copytree(recording / "project", copy)
        print(f"{len(trials)} faults of seed {options.seed}", flush=True)
        return _report(trials, copies)


def _recording(workers: int, tests: Sequence[str]) -> Path:
    """The folder with what the tests run, made once for its content, and a copy of the project.

    The copy has the loops compiled. Nobody writes into the folder once it stands in its place.
    """
    content = hashlib.sha256(repr(sorted(tests)).encode())
    for path in (
        ROOT / "pyproject.toml",
        *sorted(ROOT.glob("src/**/*")),
        *sorted(ROOT.glob("tests/**/*")),
    ):
        if path.is_file() and "__pycache__" not in path.parts:
            content.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    place = RECORDINGS / content.hexdigest()[:16]
    if place.exists():
        return place
    RECORDINGS.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="unfinished-", dir=RECORDINGS))
    try:
        copy = folder / "project"
        copy.mkdir()
        for top in ROOT.iterdir():
            hidden = top.name.startswith(".") and top.name != WORKFLOWS
            if top.is_dir() and not hidden and top.name not in LEFT_OUT:
                shutil.copytree(top, copy / top.name)
            elif top.is_file():
                shutil.copy2(top, copy)
        record(copy, folder, workers, tests)
        return put(folder, place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put(folder: Path, place: Path) -> Path:
    """Give a folder its place, unless another run was there first; both hold the same."""
    try:
        os.rename(folder, place)
    except OSError:
        if not place.exists():
            raise
    return place


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
