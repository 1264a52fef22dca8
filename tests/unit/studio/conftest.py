"""A studio without a port: requests go straight to the application."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the studio's server is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from starlette.testclient import TestClient

from tetrisprinter.studio.app import Studio, make_app
from tetrisprinter.studio.jobs import JobLimits, Jobs

HERE = "http://127.0.0.1:8421"

StudioOpener = Callable[..., TestClient]


@pytest.fixture
def open_studio(tmp_path: Path) -> Iterator[StudioOpener]:
    """Open studios over a folder; they are closed in the end."""
    with ExitStack() as stack:

        def open_one(
            folder: Path = tmp_path / "studio", limits: JobLimits | None = None
        ) -> TestClient:
            jobs = Jobs(folder, limits or JobLimits(workers=1))
            client = TestClient(make_app(Studio(jobs)), base_url=HERE, follow_redirects=False)
            client.app_state["jobs"] = jobs
            return stack.enter_context(client)

        yield open_one


@pytest.fixture
def client(open_studio: StudioOpener) -> TestClient:
    """A studio for one person on their own machine."""
    return open_studio()
