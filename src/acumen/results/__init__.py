"""The documents on disk, as typed models."""
