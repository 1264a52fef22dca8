"""The site of the documentation: whole, without broken links, and fetching nothing."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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
    tmp_path: Path,
) -> None:
    from tests.support.browser import chromium

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
    (place / "plans.js").write_text(made.playground(), encoding="utf-8")
    shown = """
        const told = document.getElementById("player").contentDocument;
        if (!told || !told.getElementById("end")) return null;
        told.getElementById("end").click();
        return [told.querySelector("h1").textContent, told.getElementById("board").toDataURL()];
    """

    def until_shown(driver: Any, name: str) -> str:
        def named() -> bool:
            found = driver.execute_script(shown)
            return bool(found) and found[0] == name

        wait_until(named, f"showing {name}")
        return str(driver.execute_script(shown)[1])

    with chromium(tmp_path / "profile") as driver:
        address = (place / "index.html").as_uri()
        driver.get(address)
        until_shown(driver, "cat-face")
        assert len(driver.find_elements("css selector", "#plans button")) == 30
        driver.execute_script("document.querySelector('[data-name=heart]').click()")
        ready = until_shown(driver, "heart")
        link = driver.execute_script("return document.getElementById('link').href")
        driver.get("about:blank")
        driver.get(link)
        assert until_shown(driver, "heart") == ready
        for size in ((1400, 900), (1024, 768), (844, 390), (390, 844)):
            driver.set_window_size(*size)
            wide = "return document.documentElement.scrollWidth <= innerWidth"
            assert driver.execute_script(wide), size
        driver.get("about:blank")
        driver.get(address + "#plan=AAAA")
        wrong = "return document.getElementById('wrong').textContent"
        wait_until(lambda: driver.execute_script(wrong), "an error")
        assert driver.execute_script(wrong) == "The link cannot be read."
