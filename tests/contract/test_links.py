"""Every link of README, CONTRIBUTING and docs leads to a file and a heading that exist."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
MADE_WITH_THE_SITE = ("print/", "play/", "player/", "reference/", "commands.md")


def without_code(text: str) -> str:
    return re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.M | re.S)


@cache
def anchors(page: Path) -> frozenset[str]:
    """List the anchors of a page's headings, as Python-Markdown and GitHub make them."""
    titles = re.findall(r"^#+ (.+)$", without_code(page.read_text("utf-8")), re.M)
    kept = (re.sub(r"[^\w\s-]", "", title).strip().lower() for title in titles)
    return frozenset(re.sub(r"[\s]+", "-", title) for title in kept)


def list_broken_links(page: Path, text: str) -> list[str]:
    wrong = []
    prose = re.sub(r"`[^`\n]+`", "", without_code(text))
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        name, _, anchor = link.partition("#")
        if "://" in link or name.startswith(MADE_WITH_THE_SITE):
            continue
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    return wrong


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        assert list_broken_links(page, page.read_text("utf-8")) == [], page.name


def test_pages_that_the_package_names_exist() -> None:
    pattern = re.compile(r"docs/\w+\.md")
    for path in (ROOT / "tetrisprinter").rglob("*.py"):
        for name in pattern.findall(path.read_text("utf-8")):
            assert (ROOT / name).exists(), f"{path.name}: {name}"
