"""Mappings that ship: how the files of other tools become rows, one TOML file each."""
