"""Totals of cases as sections."""
