"""A headless Chromium for the tests of the page; they skip, saying why, without one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)


@contextmanager
def chromium(profile: Path, *flags: str) -> Iterator[Any]:
    """Start a browser with a fresh profile; yield its selenium driver."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    driver_path = shutil.which("chromedriver")
    if browser is None or driver_path is None:
        pytest.skip("no chromium with chromedriver here (scripts/install-chromium gets both)")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*_FLAGS, *flags, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=driver_path)
    driver = webdriver.Chrome(options=options, service=service)
    try:
        yield driver
    finally:
        driver.quit()


def renewed(driver: Any) -> Any:
    """Bring a browser that was used back to how a new one is, and return it."""
    driver.get("about:blank")
    for command, values in (
        ("Emulation.clearDeviceMetricsOverride", {}),
        ("Emulation.setTouchEmulationEnabled", {"enabled": False}),
        ("Emulation.setEmulatedMedia", {"features": []}),
        ("Storage.clearDataForOrigin", {"origin": "file://", "storageTypes": "all"}),
    ):
        driver.execute_cdp_cmd(command, values)
    for log in ("browser", "performance"):
        driver.get_log(log)
    return driver


def asked_elsewhere(driver: Any) -> list[str]:
    """List what a page has asked for that does not lie on this machine."""
    asked = set()
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.add(message["params"]["request"]["url"].split("#")[0])
    local = ("file:", "data:", "about:", "chrome:")  # chrome: is the browser's own tab
    return sorted(url for url in asked if not url.startswith(local))
