"""Imports point one way, data is never executed, and no scale is written into the code."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.extras import EXTRAS

SOURCE = Path(acumen.__file__).parent
ROOT = SOURCE.parents[1]
BROUGHT = {"pydantic_core", "markupsafe"}  # by pydantic and by jinja2
HOSTS = {"inspect_ai", "pytest", "mlflow", "wandb"}  # which a bridge works inside of
MODULES = {
    ".".join(("acumen", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in sorted(SOURCE.rglob("*.py"))
}


@cache
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(path.read_text("utf-8")) for name, path in MODULES.items()}


@cache
def imports() -> dict[str, set[str]]:
    """What each module imports when it runs: what only a type checker reads is left out."""
    return {name: set(imported(tree)) for name, tree in trees().items()}


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module an import statement names; ``from a import b`` names a and a.b."""
    if isinstance(tree, ast.If) and "TYPE_CHECKING" in ast.unparse(tree.test):
        return
    if isinstance(tree, ast.Import):
        yield from (alias.name for alias in tree.names)
    elif isinstance(tree, ast.ImportFrom) and tree.module:
        yield tree.module
        yield from (f"{tree.module}.{alias.name}" for alias in tree.names)
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.expr):
            yield from imported(node)


PACKAGES = (
    *("errors", "_version", "extras", "types", "defaults", "stages", "threads", "declare"),
    *("files", "table", "views", "values", "metrics", "results", "inference"),
    *("confidence", "calibration", "readers", "policy", "compat"),
    *(
        "raters",
        "labels",
        "evaluation",
        "large",
        "decisions",
        "totals",
        "studies",
        "verdicts",
        "runner",
    ),
    *("charts", "report", "questions", "bridge", "scales", "cli"),
)
"""The rooms of the house; each may look only at those named before it."""


def within(module: str, *parts: str) -> bool:
    return any(module == f"acumen.{p}" or module.startswith(f"acumen.{p}.") for p in parts)


def room(module: str) -> str:
    return module.removeprefix("acumen").lstrip(".").split(".")[0]


def test_every_room_has_its_place() -> None:
    rooms = {room(m) for m in MODULES} - {"", "__main__"}
    rooms |= {path.name for path in SOURCE.iterdir() if path.is_dir()} - {"__pycache__"}
    assert rooms == set(PACKAGES)


def test_the_root_holds_packages_and_ten_modules() -> None:
    names = {path.stem for path in SOURCE.glob("*.py")}
    home = {"__init__", "__main__", "_version"}
    assert names == home | {"errors", "extras", "types", "defaults", "stages", "threads", "declare"}


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_look_only_at_those_before_them(package: str) -> None:
    later = PACKAGES[PACKAGES.index(package) + 1 :]
    wrong = {
        (module, name)
        for module, names in imports().items()
        if room(module) == package
        for name in names
        if within(name, *later)
    }
    assert wrong == set()


FORBIDDEN = {
    "resampling knows no metric": (("inference.resample", "inference.philox"), ("metrics",)),
    "metrics open no file": (("metrics", "views"), ("files.json", "files.toml", "files.csv")),
    "loops know nothing but arrays": (
        tuple(f"views.{m}_kernels" for m in ("ranking", "cell")),
        ("files", "table", "metrics", "views.ranking", "views.confusion", "views.severity"),
    ),
    "a report computes nothing": (
        ("report", "charts"),
        (
            *("views", "inference", "readers", "confidence", "calibration"),
            # titles and units come from the registry; no metric is called
            *(f"metrics.{m}" for m in ("selective", "exact", "agreement", "ordinal", "reasoning")),
            *("metrics.reliability", "metrics.conventions"),
        ),
    ),
    "readers measure nothing": (("readers",), ("metrics", "inference", "views")),
}
"""What a room may not look at although it stands before it."""


def test_defaults_import_nothing_of_ours() -> None:
    assert not [name for name in imports()["acumen.defaults"] if name.startswith("acumen")]


@pytest.mark.parametrize("rule", FORBIDDEN)
def test_what_a_room_may_not_know(rule: str) -> None:
    importers, forbidden = FORBIDDEN[rule]
    assert all(any(within(m, part) for m in MODULES) for part in importers)
    wrong = {
        (module, name)
        for module, names in imports().items()
        if within(module, *importers)
        for name in names
        if within(name, *forbidden)
    }
    assert wrong == set()


def needed(tree: ast.Module) -> Iterator[str]:
    """The modules of ours that a module imports, at its top or inside a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            # of a package that is asked for its modules nothing else is needed
            yield from parts & {*MODULES} or {node.module}


def without_types(tree: ast.Module) -> ast.Module:
    """The module as it runs: what only a type checker reads is left out."""

    class Remover(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
            return [] if "TYPE_CHECKING" in ast.unparse(node.test) else self.generic_visit(node)

    return Remover().visit(ast.parse(ast.unparse(tree)))


def test_no_module_imports_itself_in_a_circle() -> None:
    """Neither at the top of modules nor inside functions, where it would only happen later."""
    graph = {
        name: {t for t in needed(without_types(tree)) if t in MODULES and t != name}
        for name, tree in trees().items()
    }
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path, name))
        if name not in done:
            for target in sorted(graph[name]):
                # a package's own modules may look at the package's other modules
                if not name.startswith(f"{target}."):
                    visit(target, (*path, name))
            done.add(name)

    for name in graph:
        visit(name, ())


CACHE_OF_LOOPS = "acumen.views.compiled"


@pytest.mark.parametrize(
    "module", [m for m in MODULES if within(m, "metrics", "views") and m != CACHE_OF_LOOPS]
)
def test_metrics_and_kernels_touch_no_file(module: str) -> None:
    assert not imports()[module] & {"pathlib", "io", "os", "json", "tempfile", "csv"}
    assert "open" not in called(trees()[module])


def called(tree: ast.AST) -> set[str]:
    return {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


@pytest.mark.parametrize("module", MODULES)
def test_nothing_executes_data(module: str) -> None:
    assert not called(trees()[module]) & {"eval", "exec", "compile", "__import__"}
    roots = {name.split(".")[0] for name in imports()[module]}
    assert not roots & {"pickle", "joblib", "yaml", "marshal", "shelve", "dill", "cloudpickle"}


def test_what_is_imported_is_installed_or_belongs_to_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    plain = {re.split(r"[\[<>=]", name)[0] for name in project["dependencies"]}
    known = plain | {module for modules in EXTRAS.values() for module in modules}
    known |= {"acumen", *BROUGHT, *HOSTS, *sys.stdlib_module_names}
    unknown = {m: {n.split(".")[0] for n in names} - known for m, names in imports().items()}
    assert {m: names for m, names in unknown.items() if names} == {}


def modules_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}; print(*sys.modules, file=sys.stderr)"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(SOURCE.parent)},
    )
    return set(done.stderr.split())


def test_importing_acumen_is_light() -> None:
    assert not modules_after("import acumen") & {"numpy", "typer", "pydantic", "numba", "scipy"}


def test_the_version_is_told_before_anything_heavy_is_imported() -> None:
    code = "sys.argv = ['acumen', '--version']; from acumen.__main__ import main; main()"
    assert not modules_after(code) & {"numpy", "typer", "rich", "pydantic", "numba"}


def test_help_imports_no_numpy() -> None:
    code = "from acumen.cli import run; run(['--help'])"
    assert not modules_after(code) & {"numpy", "pydantic"}


def test_a_scale_that_ships_is_read_without_pydantic() -> None:
    code = "from acumen.table.scale import Scale; Scale.named('phq8')"
    assert "pydantic" not in modules_after(code)


def study(levels: list[Any], n: int = 12) -> dict[str, Any]:
    """Two items a case; the prediction is the next level up every third time."""
    top = len(levels) - 1
    records = []
    for number in range(n):
        truth = {"a": number % (top + 1), "b": (number * 7) % (top + 1)}
        predicted = {k: min(t + (number % 3 == 0), top) for k, t in truth.items()}
        records.append(
            {
                "participant_id": number,
                "success": True,
                "ground_truth_items": {k: levels[v] for k, v in truth.items()},
                "predicted_items": {k: levels[v] for k, v in predicted.items()},
                "item_signals": {k: {"llm_evidence_count": number % 5} for k in truth},
            }
        )
    return {"experiments": [{"results": {"mode": "m", "results": records}}]}


@pytest.mark.parametrize(
    "levels",
    [[0, 1], list(range(11)), [-1, 0, 1], ["no", "yes"], [f"step {i}" for i in range(11)]],
    ids=["two", "eleven", "below zero", "two labels", "eleven labels"],
)
def test_any_number_of_levels_runs_through_evaluate(levels: list[Any], tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps(study(levels)))
    (tmp_path / "scale.toml").write_text(f'name = "s"\nlevels = {json.dumps(levels)}\n')
    out = tmp_path / "out.json"
    options = ["--scale", str(tmp_path / "scale.toml"), "--confidence", "llm", "--quiet"]
    options += ["--bootstrap-resamples", "50", "--output", str(out)]
    assert run(["evaluate", str(tmp_path / "run.json"), *options]) == 0
    document = json.loads(out.read_text())
    (variant,) = document["confidence_variants"].values()
    top = len(levels) - 1
    off = sum(
        min(t + 1, top) - t for k in range(0, 12, 3) for t in (k % (top + 1), k * 7 % (top + 1))
    )
    assert document["loss"]["raw_multiplier"] == top
    assert document["scale"]["levels"] == levels
    assert variant["metrics"]["mean_loss"]["value"] == pytest.approx(off / 24 / top, abs=1e-15)
    assert variant["metrics"]["accuracy"]["value"] == pytest.approx(1 - off / 24, abs=1e-15)


def test_no_command_takes_the_place_of_what_runs_it() -> None:
    """Importing a module sets its name in its package: ``acumen.cli.run`` must stay a function."""
    from acumen import cli

    for name in cli.COMMANDS:
        cli.app_of(name)
    assert inspect.isfunction(cli.run)
    assert isinstance(cli.COMMANDS, tuple)
