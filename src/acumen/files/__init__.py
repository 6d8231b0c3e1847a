"""Bytes and documents: strict JSON, TOML with lines, CSV text, atomic writing."""
