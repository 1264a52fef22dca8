"""The page in the browser, watched in each module."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.triplex_page import Page, open_game


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    page = open_game(browser, tmp_path_factory.mktemp("page"))
    yield page
    page.close()
