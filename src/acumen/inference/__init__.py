"""Uncertainty: weightings of the cases, and intervals and differences from them."""
