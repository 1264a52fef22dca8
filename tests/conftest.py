"""What all tests share: the examples that Hypothesis makes, and a browser.

Hypothesis makes the same examples every time, unless it is told otherwise:
``scripts/fuzz tests`` draws examples at random, with the other profile.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests.support.browser import chromium

settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("suite")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start one browser for all tests of pages; :func:`~tests.support.browser.renewed` it."""
    with chromium(tmp_path_factory.mktemp("browser") / "profile") as driver:
        yield driver
