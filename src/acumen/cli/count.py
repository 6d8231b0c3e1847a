"""``acumen count``: the counts of a site, which are all that it gives away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.options import say
from acumen.cli.output import check_targets
from acumen.cli.progress import waiting
from acumen.errors import UsageError

app = typer.Typer(add_completion=False)


@app.command()
@options.reads_rows
def count(
    files: Annotated[str, typer.Argument(help="Files: Parquet, CSV or JSON Lines; * is any name.")],
    output: Annotated[Path, say("Write the counts here.", "--output", "-o")],
    reading: options.Reading,
    engine: options.Engine = None,
    fewest: Annotated[int, say("Leave out cells of fewer rows than this.", min=0)] = 0,
    salt: Annotated[
        str | None, say("A secret of all sites: hashes of case ids show a case at two of them.")
    ] = None,
    against: Annotated[
        Path | None, say("Pooled counts: write the sums over cases that intervals need.")
    ] = None,
    loss: options.Loss = defaults.LOSS,
) -> None:
    """Count rows where they are, to merge the counts of sites without exchanging a row.

    Example: acumen count 'part-*.parquet' --levels 0-3 --fewest 5 --output site.counts

    Example: acumen count 'part-*.parquet' --against pooled.counts --output site.moments
    """
    beside = {"--fewest": fewest, "--salt": salt} if against else {"--loss": loss != defaults.LOSS}
    if odd := [name for name, value in beside.items() if value not in (0, None)]:
        raise UsageError(f"{', '.join(odd)}: not {'with' if against else 'without'} --against")
    check_targets({"--output": output}, [files, against, *options.inputs_of(reading)])
    from acumen import large
    from acumen.files.json import to_json, write_bytes

    with waiting("opening files"):
        document = (
            large.count(files, engine=engine, fewest=fewest, salt=salt, **reading)
            if against is None
            else large.moments(files, against, engine=engine, loss=loss, **reading)
        )
    write_bytes(output, to_json(document.model_dump(mode="json")).encode("utf-8"))
