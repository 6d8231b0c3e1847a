"""What is in a file, and what can be measured with it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Unpack

from acumen.declare import given
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.survey import Survey


def _mapping(survey: Survey) -> str:
    from acumen.files.toml import to_toml

    return to_toml(survey.mapping)


@question("acumen map ratings.csv", "acumen map log.json --output mapping.toml", keep=_mapping)
def map_(
    run: Annotated[
        Any,
        given(
            f"A run file ({options.FORMATS}); - is stdin.",
            kind=str,
            more="A path, a dataframe or a list of rows.",
        ),
    ],
    *,
    mode: options.Mode = None,
    **reading: Unpack[Reading],
) -> Survey:
    """What is in a file: its columns' roles with reasons, levels, outcomes, what it can answer.

    Roles that the keywords leave open are guessed, by their names first. No long text is shown.
    ``--output`` writes a mapping to start from (TOML).
    """
    from acumen.readers.survey import survey

    return survey(run, mode=mode, **reading)


survey = map_
