"""The table of judgments and what it is made of: scale, losses, signals."""
