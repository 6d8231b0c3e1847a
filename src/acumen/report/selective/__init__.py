"""Metrics documents of selective prediction as blocks."""
