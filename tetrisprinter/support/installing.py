"""The command that installs a missing package, for messages."""

from __future__ import annotations

import sys
from pathlib import Path


def format_install_command(*packages: str) -> str:
    """Return the command that adds packages to this environment; pip cannot change that of pipx."""
    environment = Path(sys.prefix)
    is_of_pipx = environment.parent.name == "venvs" and "pipx" in environment.parts
    if is_of_pipx or (environment / "pipx_metadata.json").is_file():
        return f"pipx inject {environment.name} {' '.join(packages)}"
    return f"pip install {' '.join(packages)}"
