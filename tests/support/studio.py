"""Checks of the pages of the studio, and downloads from them."""

from pathlib import Path
from typing import Any

from tests.support.npm import install_npm_packages


def read_axe_core(folder: Path) -> str:
    """Install axe-core from npm; return its source text."""
    return (install_npm_packages(folder, "axe-core@4") / "axe-core" / "axe.min.js").read_text(
        "utf-8"
    )


def assert_accessible(page: Any, axe: str, page_name: str, rules: str = "") -> None:
    """Assert that axe-core finds no violation on a page; ``rules`` may extend its options."""
    page.evaluate(axe)
    report = page.evaluate(f"axe.run(document, {{ iframes: false{rules} }})")
    violations = [
        f"{rule['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for rule in report["violations"]
        for node in rule["nodes"]
    ]
    assert violations == [], page_name


def download_file(page: Any, kind: str) -> bytes:
    """Download a file of the finished job that the page shows; return its bytes."""
    page.evaluate("document.querySelector('#more-files').open = true")
    with page.expect_download(timeout=300_000) as download:
        page.click(f"#files [data-kind={kind}]")
    return Path(download.value.path()).read_bytes()
