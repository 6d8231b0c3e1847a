"""A seeded sample of faults over all packages, known equivalents left out."""

from __future__ import annotations

import random
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from mutants.mutate import Mutation, mutations

FEWEST: Final = 9
"""In every package, so that one that gets away does not fail it."""
EQUIVALENT: Final = Path(__file__).parent / "equivalent.toml"


def package_of(file: str) -> str:
    """The package below ``acumen`` that a file lies in."""
    name, inside, _ = file.removeprefix("src/acumen/").partition("/")
    return name if inside else "acumen"


def equivalents() -> frozenset[str]:
    """Keys of the faults that change nothing anyone could see."""
    return frozenset(entry["key"] for entry in tomllib.loads(EQUIVALENT.read_text())["mutant"])


def sample(sources: Mapping[str, str], size: int, seed: int) -> list[Mutation]:
    """As many faults: a few of every package, the rest by its lines; at most one a line."""
    packages: dict[str, dict[str, str]] = defaultdict(dict)
    for file in sorted(sources):
        packages[package_of(file)][file] = sources[file]
    lines = {name: "".join(files.values()).count("\n") for name, files in packages.items()}
    extra = max(0, size - FEWEST * len(packages))
    shares = {name: FEWEST + round(extra * n / sum(lines.values())) for name, n in lines.items()}
    return [m for name, files in packages.items() for m in islice(_draw(files, seed), shares[name])]


def _draw(sources: Mapping[str, str], seed: int) -> Iterator[Mutation]:
    """Faults in a random order: an operator first, else constants would crowd out the rest."""
    draw = random.Random(seed)  # noqa: S311  (a sample, not a secret)
    known, lines = equivalents(), set[tuple[str, int]]()
    by_operator: dict[str, list[Mutation]] = defaultdict(list)
    for file, source in sources.items():
        for mutation in mutations(source, file):
            by_operator[mutation.operator].append(mutation)
    for places in by_operator.values():
        draw.shuffle(places)
    while operators := sorted(name for name, places in by_operator.items() if places):
        mutation = by_operator[draw.choice(operators)].pop()
        place = mutation.file, mutation.line
        if place not in lines and mutation.key not in known and _compiles(mutation, sources):
            lines.add(place)
            yield mutation


def _compiles(mutation: Mutation, sources: Mapping[str, str]) -> bool:
    try:
        compile(mutation.applied(sources[mutation.file]), mutation.file, "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True
