"""Bundled synthetic cases and references, written for acumen; nobody real is in them."""
