"""The site of the documentation: whole, without broken links, and fetching nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_site_is_built_and_fetches_nothing(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    config = str(ROOT / "scripts" / "site.yml")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "-s", "-f", config, "-d", str(tmp_path)],
        check=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        timeout=240,
    )
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=.(https?:[^\"'> ]+)",
                            page.read_text("utf-8"))  # fmt: skip
        assert not loaded, page.name
    assert "A heart" in (tmp_path / "player" / "heart.html").read_text("utf-8")
    assert "choose_board" in (tmp_path / "reference" / "printing.html").read_text("utf-8")
