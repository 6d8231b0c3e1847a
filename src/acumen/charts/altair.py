"""Altair, imported when the first chart is drawn: most commands draw none and need not wait."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from acumen.extras import need

__all__ = ["Figure", "alt"]

if TYPE_CHECKING:
    import altair as alt

    Figure = alt.Chart | alt.LayerChart | alt.FacetChart
    """What a chart is drawn as."""
else:

    class _Altair:
        """Stands for the module until a name of it is asked for."""

        def __getattr__(self, name: str) -> Any:
            if sys.modules.get("altair") is None:
                need("report", "a chart")
            import altair

            return getattr(altair, name)

    alt, Figure = _Altair(), Any
