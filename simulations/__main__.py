"""``python -m simulations``: draw the studies, count, write docs/coverage.md.

Every cell is saved when it is done, so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from acumen.files.json import read_json, write_bytes, write_json
from simulations import best, coverage, items, marks, paired
from simulations.crowds import CROWDS
from simulations.populations import POPULATIONS
from simulations.report import CONTROL_CASES, control_fails, page

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "coverage.md"
CELLS = ROOT / "build" / "simulations"


@dataclass(frozen=True)
class Cell:
    """One population or contest at one number of cases."""

    part: Literal["coverage", "paired", "rows", "crowd", "items", "verdicts", "best"]
    place: int
    cases: int
    studies: int
    resamples: int
    seed: int

    @property
    def file(self) -> Path:
        """Where its counts are saved; the name holds everything they depend on."""
        name = "-".join(
            str(x)
            for x in (self.part, self.place, self.cases, self.studies, self.resamples, self.seed)
        )
        return CELLS / f"{name}.json"

    def count(self) -> dict[str, Any]:
        """Draw the studies and count."""
        what = (self.cases, self.studies)
        how = (self.resamples, self.seed)
        if self.part == "crowd":
            return marks.cover(CROWDS[self.place], *what)
        if self.part == "items":
            return items.count(items.SPREADS[self.place], self.cases, self.studies)
        if self.part == "verdicts":
            return items.judge(*items.JUDGED[self.place], items.SPREADS[-1], self.studies)
        if self.part == "best":
            return best.count(best.CONTESTS[self.place], *best.SHAPES[self.cases], self.studies)
        if self.part == "paired":
            return paired.err(paired.CONTESTS[self.place], *what, *how)
        population = POPULATIONS[self.place]
        if self.part == "rows":
            return coverage.cover_by_rows(population, *what, *how)
        metrics = (*coverage.JUDGED, *coverage.BESIDE)
        return coverage.cover(population, *what, metrics, *how)


def cells(studies: int, pairs: int, crowds: int, resamples: int, seed: int) -> list[Cell]:
    """All cells, the costly ones first."""
    rest = (resamples, seed)
    clustered = [p.name for p in POPULATIONS].index("strong clustering")
    return [
        *(
            Cell("paired", place, n, pairs, *rest)
            for n in paired.CASES
            for place in range(len(paired.CONTESTS))
        ),
        *(
            Cell("coverage", place, n, studies, *rest)
            for n in (20, 41, 100, 10)
            for place in range(len(POPULATIONS))
        ),
        *(Cell("rows", clustered, n, studies, *rest) for n in CONTROL_CASES),
        *(
            Cell("crowd", place, n, crowds, *rest)
            for n in marks.CASES
            for place in range(len(CROWDS))
        ),
        *(
            Cell("items", place, shape, min(crowds, items.STUDIES), *rest)
            for place in range(len(items.SPREADS))
            for shape in range(len(items.SHAPES))
        ),
        *(
            Cell("verdicts", place, n, min(crowds, items.STUDIES), *rest)
            for place, (n, _) in enumerate(items.JUDGED)
        ),
        *(
            Cell("best", place, shape, min(crowds, contest.studies), *rest)
            for place, contest in enumerate(best.CONTESTS)
            for shape in range(len(best.SHAPES))
        ),
    ]


def save(cell: Cell) -> Cell:
    """Count a cell unless its file is there."""
    if not cell.file.exists():
        write_json(cell.file, cell.count())
    return cell


def main() -> None:
    """Count what is missing, then write the page."""
    parser = argparse.ArgumentParser(prog="simulations", description=__doc__)
    parser.add_argument("--studies", type=int, default=coverage.STUDIES)
    parser.add_argument("--pairs", type=int, default=paired.STUDIES)
    parser.add_argument("--crowds", type=int, default=marks.STUDIES)
    parser.add_argument("--resamples", type=int, default=coverage.RESAMPLES)
    parser.add_argument("--seed", type=int, default=coverage.SEED)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--fresh", action="store_true", help="count again what is saved")
    given = parser.parse_args()
    CELLS.mkdir(parents=True, exist_ok=True)
    wanted = cells(given.studies, given.pairs, given.crowds, given.resamples, given.seed)
    if given.fresh:
        for cell in wanted:
            cell.file.unlink(missing_ok=True)
    with ProcessPoolExecutor(given.processes) as pool:
        for done in as_completed([pool.submit(save, cell) for cell in wanted]):
            cell = done.result()
            print(f"{cell.part} {cell.place}: {cell.cases} cases", file=sys.stderr, flush=True)
    counted: dict[tuple[str, int, int], Any] = {
        (c.part, c.place, c.cases): read_json(c.file) for c in wanted
    }
    sizes = (given.studies, given.pairs, given.crowds, given.resamples, given.seed)
    text = page(counted, *sizes)
    write_bytes(given.page, text.encode())
    print(given.page)
    if failed := control_fails(counted):
        sys.exit(f"the negative control covers too well: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
