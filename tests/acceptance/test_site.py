"""The site of the documentation: whole, without broken links, and fetching nothing."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import BrowserPage
from tests.support.waiting import wait_until

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
    assert "PLAYGROUND" in (tmp_path / "play" / "plans.js").read_text("utf-8")
    assert "choose_board" in (tmp_path / "reference" / "printing.html").read_text("utf-8")


@pytest.mark.slow
def test_the_playground_plays_ready_plans_and_those_of_links_without_a_network(
    browser: Any, tmp_path: Path
) -> None:
    place = tmp_path / "play"
    place.mkdir()
    scripts = ROOT / "scripts"
    for name in ("index.html", "play.js"):
        (place / name).write_bytes((scripts / "playground" / name).read_bytes())
    spec = importlib.util.spec_from_file_location("ready_plans", scripts / "ready_plans.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    (place / "plans.js").write_text(made.make_playground_script(), encoding="utf-8")
    shown = """
        const player = document.getElementById("player").contentDocument;
        if (!player || !player.getElementById("end")) return null;
        player.getElementById("end").click();
        return [player.querySelector("h1").textContent,
                player.getElementById("board").toDataURL()];
    """
    page = BrowserPage(browser, place / "index.html")

    def wait_for_player(name: str) -> str:
        def is_named() -> bool:
            found = page.js(shown)
            return bool(found) and found[0] == name

        wait_until(is_named, f"showing {name}")
        return str(page.js(shown)[1])

    address = page.path.as_uri()
    page.size(1000, 760)
    page.visit(address)
    wait_for_player("cat-face")
    assert page.tab.locator("#plans button").count() == 30
    page.js("document.querySelector('[data-name=heart]').click()")
    ready = wait_for_player("heart")
    page.visit(page.js("return document.getElementById('link').href"))
    assert wait_for_player("heart") == ready
    for size in ((1400, 900), (1024, 768), (844, 390), (390, 844)):
        page.size(*size)
        assert page.js("return document.documentElement.scrollWidth <= innerWidth"), size
    page.visit(address + "#plan=AAAA")
    wait_until(lambda: page.text("wrong"), "an error")
    assert page.text("wrong") == "The link cannot be read."
    page.close()
