"""Manifests in the one spelling that the package writes and reads."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any


def format_json(data: Any) -> str:
    text = json.dumps(data, indent=1)
    if isinstance(data, dict) and "certificates" in data:  # their numbers stand in lines
        text = re.sub(r"\[[\d\s,]+\]", lambda found: " ".join(found[0].split()), text)
    return text + "\n"


def edit_json(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(format_json(data))
