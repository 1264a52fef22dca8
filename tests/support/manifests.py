"""JSON files in the only format that the package writes and accepts."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any


def format_json(data: Any) -> str:
    """Return the text of a JSON file as the package writes it."""
    text = json.dumps(data, indent=1)
    if (
        isinstance(data, dict) and "certificates" in data
    ):  # a manifest has each list of numbers on one line
        text = re.sub(r"\[[\d\s,]+\]", lambda match: " ".join(match[0].split()), text)
    return text + "\n"


def edit_json(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Apply a change to the data of a JSON file."""
    data = json.loads(path.read_text())
    change(data)
    path.write_text(format_json(data))
