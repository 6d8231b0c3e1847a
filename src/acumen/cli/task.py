"""``acumen task``: look at a task file before a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen.cli.options import say
from acumen.cli.output import emit
from acumen.extras import need

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback()
def task() -> None:
    """Check a task file, begin a new one, or look at those that ship.

    Example: acumen task check phq8

    Example: acumen task new mine.toml --like judge
    """


@app.command()
def check(
    task: Annotated[str, typer.Argument(help="A task's name or its .toml file.")],
    schema: Annotated[bool, say("Print the JSON Schema of the reply.", "--schema")] = False,
) -> None:
    """Say what is wrong with a task file, all of it at once; or what the task asks.

    Example: acumen task check mine.toml
    """
    need("run", "acumen task")
    from acumen.files.json import to_json
    from acumen.runner.schema import reply_schema
    from acumen.runner.task_file import read_task

    content = read_task(task)
    if schema:
        emit(to_json(reply_schema(content)))
        return
    evidence = content.reply.evidence
    few_shot = "yes" if content.takes_references else "no: the prompt uses no references"
    lines = [
        f"{content.name}: {content.title}",
        f"  scale       {content.scale.name} ({content.scale.allowed})",
        f"  items       {', '.join(content.scale.items)}",
        f"  a case has  id, {', '.join(content.inputs)}, truth",
        f"  prompts use {', '.join(f'case.{name}' for name in content.inputs)}; never id or truth",
        f"  may abstain {', '.join(['null', *content.reply.abstain])}",
        f"  confidence  {content.reply.confidence or 'none'}",
        f"  evidence    {f'{evidence.kind} from {evidence.source}' if evidence else 'none'}",
        f"  few-shot    {few_shot}",
        f"  repairs     {content.repairs} after an unusable reply",
        f"  max tokens  {content.max_tokens}",
    ]
    typer.echo("\n".join(lines))


@app.command()
def show(task: Annotated[str, typer.Argument(help="The name of a task that ships.")]) -> None:
    """Print the file of a task that ships, to be read or changed.

    Example: acumen task show phq8 > mine.toml
    """
    need("run", "acumen task")
    from acumen.runner.task_file import task_text

    typer.echo(task_text(task), nl=False)


@app.command()
def new(
    output: Annotated[Path, typer.Argument(help="The .toml file to write.")],
    like: Annotated[str, say("Which task that ships to begin with.")] = "judge",
) -> None:
    """Begin a task of your own, from one that ships and runs as it is.

    Example: acumen task new mine.toml
    """
    need("run", "acumen task")
    from acumen.errors import UsageError
    from acumen.files.json import write_bytes
    from acumen.runner.task_file import task_text

    if output.exists():
        raise UsageError(f"{output.name} is there already: choose another name")
    write_bytes(output, task_text(like).encode())
    typer.echo(f"wrote {output}; look at it with: acumen task check {output}", err=True)


@app.command("list")
def list_tasks() -> None:
    """The tasks that ship with acumen."""
    need("run", "acumen task")
    from acumen.runner.task_file import builtin_tasks, read_task

    for name in builtin_tasks():
        typer.echo(f"{name:<10} {read_task(name).title}")
