"""Records as a dataframe of whatever library there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

from acumen.errors import UsageError

LIBRARIES: Final = ("pandas", "polars", "pyarrow")


def frame_of(records: Sequence[Mapping[str, Any]], backend: Any = None) -> Any:
    """A column for each key; by default in the first library that is installed."""
    import narwhals as nw

    backend = backend or next((name for name in LIBRARIES if find_spec(name)), None)
    if backend is None:
        raise UsageError(f"a frame needs one of {', '.join(LIBRARIES)}; records() needs none")
    keys = list(dict.fromkeys(key for record in records for key in record))
    columns = {key: [record.get(key) for record in records] for key in keys}
    return nw.from_dict(columns, backend=backend).to_native()
