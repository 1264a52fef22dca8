"""What all tests share: the examples that Hypothesis makes, and a browser.

Hypothesis makes the same examples every time, unless it is told otherwise:
``pytest -m hypothesis --hypothesis-profile random`` draws examples at random.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests.support.browser import chromium

settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("suite")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start one browser for a module. Its loop must not outlive it: others run loops, too."""
    with chromium() as started:
        yield started
