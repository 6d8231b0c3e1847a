"""``acumen task``: look at a task file before a run."""

from __future__ import annotations

from typing import Annotated

import typer

from acumen.cli.output import emit

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback()
def task() -> None:
    """Check a task file, or list the tasks that ship."""


@app.command()
def check(
    task: Annotated[str, typer.Argument(help="A task's name or its .toml file.")],
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of the reply.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", hidden=True)] = False,
) -> None:
    """Say what is wrong with a task file, all of it at once; or what the task asks.

    Example: acumen task check mine.toml
    """
    from acumen.files.json import to_json
    from acumen.runner.schema import reply_schema
    from acumen.runner.task_file import read_task

    read = read_task(task)
    if schema:
        emit(to_json(reply_schema(read)))
        return
    evidence = read.reply.evidence
    lines = [
        f"{read.name}: {read.title}",
        f"  scale       {read.scale.name} ({read.scale.allowed})",
        f"  items       {', '.join(read.scale.items)}",
        f"  a case has  id, {', '.join(read.inputs)}, truth",
        f"  prompts use {', '.join(f'case.{name}' for name in read.inputs)}; never id or truth",
        f"  may abstain {', '.join(['null', *read.reply.abstain])}",
        f"  confidence  {read.reply.confidence or 'none'}",
        f"  evidence    {f'{evidence.kind} from {evidence.source}' if evidence else 'none'}",
        f"  few-shot    {'yes' if read.takes_references else 'no: the prompt uses no references'}",
        f"  repairs     {read.repairs} after an unusable reply",
        f"  max tokens  {read.max_tokens}",
    ]
    typer.echo("\n".join(lines))


@app.command("list")
def list_tasks() -> None:
    """The tasks that ship with acumen."""
    from acumen.runner.task_file import builtin_tasks, read_task

    for name in builtin_tasks():
        typer.echo(f"{name:<10} {read_task(name).title}")
