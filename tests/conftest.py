"""How the property tests draw their examples."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# The same examples on every machine, however busy it is: what fails, fails for everyone.
settings.register_profile(
    "same",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
# New examples at every run, and many more of them where a test leaves their number open.
settings.register_profile(
    "explore", settings.get_profile("same"), derandomize=False, max_examples=1000
)
settings.load_profile("same")
