"""A studio without a port: requests go straight to the application."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the studio's server is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from starlette.testclient import TestClient

from tetrisprinter.studio.access import AccessPolicy
from tetrisprinter.studio.app import make_app
from tetrisprinter.studio.jobs import JobLimits
from tetrisprinter.studio.store import Store
from tetrisprinter.studio.studio_state import Studio

PORT = 8421
HERE = f"http://127.0.0.1:{PORT}"

Opening = Callable[..., TestClient]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opening]:
    """Open studios over a folder; they are closed in the end."""
    with ExitStack() as stack:

        def opening(folder: Path = tmp_path / "studio", **how: Any) -> TestClient:
            limits = how.pop("limits", JobLimits(workers=1))
            gallery = how.pop("gallery", ())
            names = {"127.0.0.1", "localhost", "::1"}
            studio = Studio(Store(folder), AccessPolicy(names, PORT, **how), limits, gallery)
            client = TestClient(make_app(studio), base_url=HERE, follow_redirects=False)
            client.app_state["studio"] = studio
            return stack.enter_context(client)

        yield opening


@pytest.fixture
def client(opened: Opening) -> TestClient:
    """A studio for one person on their own machine."""
    return opened()
