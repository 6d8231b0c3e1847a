"""More rows than a machine holds: counts of cells, made where the rows live, and their metrics."""

from acumen.large.api import count as count
from acumen.large.api import evaluate as evaluate
from acumen.large.api import measure as measure
from acumen.large.api import moments as moments
from acumen.large.counts import Counts as Counts
