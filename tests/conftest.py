"""How the suite runs Hypothesis: the same examples every time, unless it is told otherwise.

``scripts/fuzz-tests`` draws examples at random instead, with the other profile.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("suite")
