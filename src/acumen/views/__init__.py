"""The table made ready for a family of metrics, once."""
