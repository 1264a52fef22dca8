"""The page in the browser, watched in each module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.browser import renewed
from tests.support.triplex_page import Page, watch


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    yield from watch(renewed(browser), tmp_path_factory.mktemp("page"))
