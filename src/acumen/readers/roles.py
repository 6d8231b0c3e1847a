"""Which column plays which role: as named, else by the names that people give such columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from acumen.errors import DataError, Problem, label

CONVENTIONS: Final[dict[str, tuple[str, ...]]] = {
    "case": (
        *("case", "case_id", "participant_id", "participant", "subject", "business_id"),
        *("example_id", "dataset_item_id", "id"),
    ),
    "item": ("item", "item_id", "item_name", "question"),
    "truth": ("truth", "ground_truth", "gt", "gold", "y_true"),
    "prediction": ("prediction", "predicted", "pred", "y_pred"),
    "confidence": ("confidence", "conf"),
    "outcome": ("outcome",),
    "risk_score": ("risk_score", "y_score"),
}
"""Names a column goes by when none is given: the first that is there is taken, in any case."""

DRAWN: Final = ("example_id", "dataset_item_id")
"""Names that platforms give to what was asked; their ``id`` is then that of one answer to it."""

COMMON: Final[dict[str, tuple[str, ...]]] = {
    "case": (
        *("patient", "patient_id", "pid", "subject_id", "sample_id", "sample", "doc_id", "doc"),
        *("document", "document_id", "prompt_id", "conversation", "conversation_id", "user_id"),
        *("client", "thread", "entry", "case_number"),
        *("index", "unnamed:_0", "idx", "row", "row_id", "__index_level_0__"),
    ),
    "item": ("item_no", "question_id", "criterion", "dimension", "aspect", "measure", "symptom"),
    "truth": (
        *("target", "label", "reference", "gold_label", "human", "human_rating", "human_score"),
        *("human_label", "expert", "expert_rating", "clinician", "gold_rating", "true_label"),
    ),
    "prediction": (
        *("score", "rating", "judge", "judge_rating", "judge_score", "model_rating", "llm", "ai"),
        *("model_score", "llm_rating", "llm_score", "ai_rating", "ai_score", "answer", "output"),
        *("predicted_label", "model_output", "response"),
    ),
    "confidence": (
        *("prob", "probability", "self_confidence", "model_confidence", "judge_confidence"),
        *("ai_confidence", "llm_confidence", "certainty"),
    ),
}
"""Names that are common but not sure: taken where one column alone has such a name, and told."""

DERIVED: Final = {
    *("correct", "is_correct", "exact_match", "match", "is_match", "hit", "acc", "accuracy"),
    *("abs_err", "abs_error", "absolute_error", "squared_error", "error", "err", "loss"),
    *("residual",),
}
"""Columns that somebody computed from the truth: never a confidence."""

ERRORS: Final = {
    *("error", "errors", "err", "error_message", "error_msg", "exception", "traceback"),
    *("error_type", "api_error", "failure_reason"),
}
"""Columns in which a log says that something went wrong in a row: by their texts, not numbers."""

DECLARED: Final[dict[str, tuple[str, ...]]] = {
    "weight": ("weight", "sample_weight", "sampling_weight"),
    "rater": ("rater", "rater_id", "annotator", "annotator_id", "labeler"),
    "system": (
        *("system", "model", "model_name", "model_id", "provider", "judge_model", "llm_model"),
        *("deployment", "engine", "checkpoint"),
    ),
    "repeat": ("repeat", "run", "epoch", "trial", "replicate"),
    "group": ("sex", "gender", "group", "age_group", "ethnicity", "language", "site"),
}
"""Roles that are never taken by a name; a column of such a name is mentioned."""

NO_CASE: Final = (
    "no column names cases, so each row is a case of its own; where rows belong together, name it: "
    "--case COLUMN"
)
REQUIRED: Final = ("case", "truth", "prediction")
HINTS: Final = {
    "truth": {
        *("human", "gold", "gt", "truth", "true", "label", "target", "expert", "reference"),
        *("rater", "annotator", "annotation", "expected", "clinician", "teacher", "physician"),
        *("experte", "expertin", "mensch", "humain", "humano", "umano"),
    },
    "prediction": {
        *("ai", "model", "llm", "judge", "pred", "predicted", "prediction", "output", "ki", "ia"),
        *("gpt", "chatgpt", "claude", "gemini", "gemma", "llama", "mistral", "mixtral", "qwen"),
        *("deepseek", "grok", "modell", "modelo", "outputs", "eval"),
    },
    "confidence": {
        *("conf", "confidence", "prob", "probability", "certainty", "sure", "konfidenz"),
    },
    "case": {"id", "case", "patient", "subject", "doc", "document", "nr"},
}
"""Words inside of a name by which a column is proposed, and never taken."""
_SLICES: Final = {"group": "--by"}
"""A column to slice by is named where the slices are asked for."""
OPTIONS: Final = {"confidence": "--confidence-column"}


def option_of(role: str) -> str:
    """The option that names a role's column."""
    return OPTIONS.get(role, f"--{role.replace('_', '-')}")


@dataclass(frozen=True, slots=True)
class Roles:
    """Role -> column for the roles that nobody named, and what is to be told of it."""

    columns: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass
class _Choice:
    """Columns that are still free, while roles are given out."""

    free: dict[str, str]
    roles: dict[str, str] = field(default_factory=dict)

    def take(self, role: str, key: str) -> None:
        self.roles[role] = self.free.pop(key)

    def fitting(self, names: Collection[str]) -> list[str]:
        return [key for key in self.free if key in names]


def guess_roles(
    names: Sequence[str],
    named: Mapping[str, Collection[str]],
    needs: Collection[str] = REQUIRED,
    look: Callable[[], Mapping[str, str]] | None = None,
    certain: Callable[[], Mapping[str, str]] | None = None,
) -> Roles:
    """Columns for the roles that are not ``named`` (role -> the columns it was given).

    Where a role has none, ``look`` says which columns may be meant by what is in them, and
    ``certain`` those of which nothing depends on a guess, if there are such for all roles.

    >>> guess_roles(["pid", "gt", "llm"], {}).columns
    {'truth': 'gt', 'case': 'pid', 'prediction': 'llm'}
    """
    gone = {column for columns in named.values() for column in columns}
    choice = _Choice({folded_name(name): name for name in reversed(names) if name not in gone})
    choice.free = dict(reversed(choice.free.items()))
    for role, known in CONVENTIONS.items():
        if role not in named and (fits := choice.fitting(known)):
            choice.take(role, min(fits, key=known.index))
    sure = set(choice.roles)
    for role, known in COMMON.items():
        if role == "prediction" and "distribution" in named:
            continue  # what is not surely the system's own answer is taken of its probabilities
        fits = choice.fitting(known)
        if role not in named and role not in choice.roles and len(fits) == 1:
            choice.take(role, fits[0])
    missing = [r for r in needs if r not in choice.roles and r not in named]
    notes = []
    if missing == ["truth"] and not _proposals("truth", choice):
        listed = ", ".join(map(label, names))
        notes = [f"no column of {listed} is taken as the truth; if one is it: --truth COLUMN"]
    elif missing and (columns := certain() if certain is not None else {}):
        parts = (f"{label(n)} as the {r} ({option_of(r)})" for r, n in columns.items())
        notes = [f"by words in their names and their levels are taken: {', '.join(parts)}"]
        notes += [] if "case" in columns or "case" in named else [NO_CASE]
        return Roles(columns, tuple(notes))
    elif missing == ["case"] and look is not None and "case" not in look():
        notes = [NO_CASE]
    elif missing:
        raise DataError([_no_column(missing, names, choice, look)])
    return Roles(choice.roles, (*notes, *_notes(choice, sure, named)))


def has_case(names: Sequence[str]) -> bool:
    """Whether some column bears a name that cases go by."""
    known = {*CONVENTIONS["case"], *COMMON["case"]}
    return any(folded_name(name) in known for name in names)


def folded_name(name: str) -> str:
    """A column's name as it is compared."""
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


def _no_column(
    missing: Sequence[str],
    names: Sequence[str],
    choice: _Choice,
    look: Callable[[], Mapping[str, str]] | None,
) -> Problem:
    """Which roles have no column, and options to paste."""
    if len(names) == 1:
        only = f"has one column alone, {label(names[0])}"
        marks = "a table has commas, semicolons, tabs or | between its cells"
        return Problem(f"{only}: is it a table? {marks}", columns=(*names,))
    roles = sorted(missing, key=list(CONVENTIONS).index)
    listed = ", ".join(label(name) for name in names) or "no columns"
    if look is None:
        proposals, more = {role: _proposal(role, choice) for role in roles}, ""
    else:
        proposals, more = {**dict.fromkeys(roles), **look()}, " (see acumen map FILE)"
    options = " ".join(
        f"{option_of(role)} {_quoted(name) if name else 'COLUMN'}"
        for role, name in proposals.items()
    )
    if VERDICT in names and not {*CASES}.isdisjoint(names):
        as_rows = f"as rows, its columns must be named: {options}"
        return Problem(f"this is a verdict study: use acumen score; {as_rows}", columns=(*names,))
    message = f"no column for the {' and the '.join(roles)}; there are {listed}"
    from acumen.readers.mapping import resemblance  # pydantic: for an error alone

    hint = resemblance(names)
    more += f"; {hint}" if hint else ""
    known = [(option_of(role), name) for role, name in proposals.items() if name]
    amends = tuple(known) if len(known) == len(proposals) else ()
    return Problem(f"{message}; name it: {options}{more}", columns=tuple(names), amends=amends)


VERDICT: Final = "verdict"
CASES: Final = ("business_id", "case_id", "sample_id")
"""Columns of which a verdict study has the first and one of the others."""


def _proposals(role: str, choice: _Choice) -> list[str]:
    """Free columns of a common name, or with a word in it that fits the role."""
    fits = choice.fitting(COMMON.get(role, ()))
    fits += [key for key in choice.free if HINTS.get(role, set()) & set(re.split(r"\W|_", key))]
    return [key for key in fits if key not in DERIVED]


def _proposal(role: str, choice: _Choice) -> str | None:
    fits = _proposals(role, choice)
    return choice.free.pop(fits[0]) if fits else None


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[\w.,/+-]+", name) else "'" + name.replace("'", "'\\''") + "'"


def _notes(choice: _Choice, sure: set[str], named: Mapping[str, Collection[str]]) -> list[str]:
    notes = []
    guesses = {role: name for role, name in choice.roles.items() if role not in sure}
    if guesses:
        parts = (f"{label(n)} as the {r} ({option_of(r)})" for r, n in guesses.items())
        notes.append(f"by their names these columns are taken: {', '.join(parts)}")
    could = [
        f"{label(choice.free[key])} ({_SLICES.get(role) or option_of(role)} "
        f"{_quoted(choice.free[key])})"
        for role, known in DECLARED.items()
        if role not in named
        for key in choice.fitting(known)
    ]
    if "confidence" not in choice.roles and "confidence" not in named:
        proposal = _proposal("confidence", choice)
        if proposal is not None:
            could.append(f"{label(proposal)} (--confidence-column {_quoted(proposal)})")
    if could:
        notes.append(f"columns that are not used unless you name them: {', '.join(could)}")
    return notes
