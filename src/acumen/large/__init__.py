"""More rows than a machine holds: counts of cells, made where the rows live, and their metrics."""
