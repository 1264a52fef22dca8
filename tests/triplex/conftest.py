"""The page in the browser, one browser for each module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.render.browser import chromium
from tests.triplex.driven import Page, watch


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("browser")
    with chromium(folder / "profile") as driver:
        yield from watch(driver, folder)
