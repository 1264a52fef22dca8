"""What the tests of pictures, films and pages share."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.pages import Page


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    page = Page(browser, tmp_path_factory.mktemp("page") / "page.html")
    page.size(1000, 760)
    yield page
    page.close()
