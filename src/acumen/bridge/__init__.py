"""Bridges into other tools, each behind an extra of its own."""
