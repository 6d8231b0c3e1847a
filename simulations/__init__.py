"""Do the intervals hold what they promise? Simulated studies from known populations.

``python -m simulations`` draws the studies, asks the library for its intervals and writes how often
they hold the truth to ``docs/coverage.md``.
"""
