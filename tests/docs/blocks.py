"""The code blocks of a page, run in order in one folder, and what they print compared.

- ``python``: run with the names of the blocks before it, as a script; with ``>>>``, as a doctest.
- ``console``, ``sh``, ``bash`` or no language, beginning with ``acumen`` or ``$``: each command is
  run. Where commands begin with ``$``, the lines after one are its whole output; ``…`` alone on a
  line stands for any lines.
- ``text`` after either: lines that it prints, in this order.
- ``make TARGET``: the Makefile has it.
- ``toml``, ``json``, ``csv``, ``yaml``: read as what they are; after ``<!-- file: NAME -->`` they
  are written for the blocks that follow.
- ``<!-- not run: REASON -->`` before a block leaves it out. ``test_pages`` counts them.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from acumen.cli import run

Printed = tuple[str, int]
"""What a command prints, and its exit code."""
FENCE = re.compile(
    r"(?:^<!-- (?P<word>file|not run): (?P<note>[^\n]*?) -->\n+)?"
    r"^(?P<indent> *)```(?P<language>[\w{}-]*)[^\n]*\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
SHELL = ("console", "sh", "bash", "shell")
DATA = ("toml", "json", "csv", "yaml", "yml")
ANSWERS = ("gate", "watch", "card")
"""Commands whose exit code is an answer."""
EXITS = {0, 1, 5}
GAPS = {"…", "..."}
MAKEFILE = Path(__file__).parents[2].joinpath("Makefile").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page."""

    line: int
    language: str
    text: str
    word: str | None
    note: str | None

    @classmethod
    def of(cls, found: re.Match[str]) -> Block:
        """The block that ``FENCE`` found in a page."""
        line = found.string[: found.start("text")].count("\n")
        return cls(line, found["language"], found["text"], found["word"], found["note"])


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page; directives of the site's own are none."""
    return [Block.of(m) for m in FENCE.finditer(text) if not m["language"].startswith("{")]


def run_page(
    path: Path, names: dict[str, Any], done: Mapping[str, Printed] = MappingProxyType({})
) -> None:
    """Run every block of a page in the working folder; what ``done`` has was run for it before."""
    printed = ""
    for block in blocks(path.read_text("utf-8")):
        try:
            printed = run_block(block, names, printed, done)
        except BaseException as error:
            error.add_note(f"{path.name}, line {block.line}")
            raise


def run_block(
    block: Block, names: dict[str, Any], printed: str, done: Mapping[str, Printed]
) -> str:
    """Run one block; what it printed, which an output after it is compared with."""
    language = block.language
    if block.word == "not run":
        return ""
    if block.word == "file":
        Path(str(block.note)).write_text(block.text, "utf-8")
    if language == "python":
        return _python(block, names)
    if is_shell(block):
        return "\n".join(_shell(*command, done) for command in commands_of(block.text))
    if language == "text" and printed:
        hold(block.text, printed, whole=False)
        return printed
    assert language in DATA, f"a block that nothing runs: ```{language}; mark it as not run"
    if language == "toml":
        tomllib.loads(block.text)
    elif language == "json":
        json.loads(block.text)
    return printed


def is_shell(block: Block) -> bool:
    """Whether commands stand in it."""
    return block.language in SHELL or bool(
        not block.language and re.match(r"\$ |acumen ", block.text)
    )


def _python(block: Block, names: dict[str, Any]) -> str:
    out = io.StringIO()
    if block.text.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block.text, names, "page", None, block.line)
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
        failed = runner.run(test, out=out.write, clear_globs=False).failed
        names.update(test.globs)
        assert not failed, out.getvalue()
        return ""
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(block.text, f"line {block.line}", "exec"), names)
        except SystemExit as end:
            if end.code not in EXITS:
                raise
    return out.getvalue()


def commands_of(text: str) -> list[tuple[str, str | None]]:
    """The commands of a block, each with the output after it; None where none is shown."""
    text = text.replace("\\\n", " ")
    if not text.startswith("$ "):
        return [(line, None) for line in text.splitlines() if line.strip()]
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    pairs = [part.partition("\n") for part in parts]
    return [(command, output if output.strip() else None) for command, _, output in pairs]


def _shell(command: str, output: str | None, done: Mapping[str, Printed]) -> str:
    printed = run_command(command, done)
    if output is not None:
        hold(output, printed, whole=True)
    return printed


def run_command(command: str, done: Mapping[str, Printed]) -> str:
    """Run a command, which must succeed; ``> FILE`` takes what it prints."""
    words = shlex.split(command, comments=True)
    if words[0] == "make":
        assert f"\n{words[1]}:" in MAKEFILE
        return ""
    printed, code = done.get(command) or printed_by(words)
    assert code == 0 or (words[1] in ANSWERS and code in EXITS), f"{command}: {code}\n{printed}"
    return printed


def printed_by(words: list[str]) -> Printed:
    """What a command prints, and its exit code."""
    assert words[0] == "acumen", f"not a command of acumen: {words[0]}"
    target = words[words.index(">") + 1] if ">" in words else None
    arguments = words[1 : words.index(">")] if target else words[1:]
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for _ in "12")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    texts = []
    for stream in (out, err):
        stream.seek(0)
        texts.append(stream.read())
    if target:
        Path(target).write_text(texts[0], "utf-8")
    return texts[0] if code in EXITS else "".join(texts), code


def hold(page: str, printed: str, *, whole: bool) -> None:
    """The lines of the page are those that were printed: all of them, or some in this order."""
    expected = [" ".join(line.split()) for line in page.splitlines() if line.strip()]
    text = " ".join(printed.split())  # a sentence may be broken into lines in another place
    if whole and not GAPS & {*expected}:
        assert [" ".join(x.split()) for x in printed.splitlines() if x.strip()] == expected
    for line in expected:
        if line not in GAPS:
            _, there, text = text.partition(line)
            assert there, f"not printed, or not here: {line}\n{printed}"
