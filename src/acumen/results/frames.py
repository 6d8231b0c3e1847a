"""Records as a table of whatever library there is."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

LIBRARIES: Final = ("pandas", "polars", "pyarrow")


def frame_of(records: Sequence[Mapping[str, Any]], backend: Any = None) -> Any:
    """A column for each key, in a library that is in use, else one that is installed.

    A plain install has none of them: then it is the list of records.
    """
    used = [name for name in LIBRARIES if name in sys.modules]
    there = used or [name for name in LIBRARIES if find_spec(name) is not None]
    if backend is None and not there:
        return [dict(record) for record in records]
    import narwhals as nw

    keys = list(dict.fromkeys(key for record in records for key in record))
    columns = {key: [record.get(key) for record in records] for key in keys}
    return nw.from_dict(columns, backend=backend or there[0]).to_native()
