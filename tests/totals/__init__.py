"""Totals of cases: sums, ranges, cuts, and what may be promised."""
