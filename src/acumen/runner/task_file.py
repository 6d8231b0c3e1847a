"""Read a task from its one TOML file, and say all that is wrong with it at once.

::

    task = read_task("phq8")             # one that ships
    task = read_task("mine.toml")        # one of your own
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from acumen.errors import UsageError, label
from acumen.files.json import decode_text, read_bytes, source_name
from acumen.files.toml import shipped, shipped_text
from acumen.runner.task import Task
from acumen.runner.task_reader import TaskReader

_SHIPPED: Final = "acumen.runner.tasks"


def builtin_tasks() -> tuple[str, ...]:
    """The names of the tasks that ship with acumen."""
    return shipped(_SHIPPED)


def read_task(name: str | Path) -> Task:
    """A task by its name, or from a ``.toml`` file; refuses with all that is wrong with it."""
    if isinstance(name, Path) or str(name).endswith(".toml"):
        return parse_task(read_bytes(name), source=source_name(name))
    if name not in builtin_tasks():
        known = ", ".join(builtin_tasks())
        raise UsageError(f"no task {label(name)}; there are {known}, or give a .toml file")
    return parse_task(shipped_text(_SHIPPED, name).encode(), source=f"{name}.toml")


def parse_task(data: bytes, source: str) -> Task:
    """A task from the bytes of its file; ``DataError`` with every problem, by line and key.

    >>> parse_task(b'name = "mood"\\nspeed = 3\\nscale = "phq8"\\n', "m.toml")
    Traceback (most recent call last):
    acumen.errors.DataError: m.toml: inputs: is missing: what a case has, as { note = "text" }
    m.toml: reply: is missing
    m.toml: prompt: is missing
    m.toml: line 2, speed: is not a key of a task
    """
    reader = TaskReader(decode_text(data, source), source)
    task = reader.task(hashlib.sha256(data).hexdigest())
    if task is None:
        raise reader.refusal
    return task
