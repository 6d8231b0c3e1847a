"""More rows than a machine holds: counts of cells, made where the rows live, and their metrics."""

from acumen.large.api import evaluate as evaluate
from acumen.large.files import count as count
from acumen.large.files import merge as merge
from acumen.large.files import moments as moments
