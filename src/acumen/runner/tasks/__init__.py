"""The tasks that ship, one TOML file each."""
