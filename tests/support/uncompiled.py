"""The inner loops as Python runs them: the same files, not compiled."""

import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import tetrisprinter

PACKAGE = Path(tetrisprinter.__file__).parent
NAMES = tuple(
    ".".join(("tetrisprinter", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in sorted(PACKAGE.rglob("_kernel*.py"))
)
"""The modules of compiled loops."""


@cache
def load_uncompiled() -> dict[str, ModuleType]:
    """Return all of them, uncompiled, by name; they know one another only."""
    kept = {name: sys.modules.pop(name, None) for name in NAMES}
    made: dict[str, ModuleType] = {}
    waiting = list(NAMES)
    try:
        while waiting:
            name = waiting.pop(0)
            path = PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py")
            needs = [
                other for other in waiting if f"from {other} import" in path.read_text("utf-8")
            ]
            if needs:  # after those that it imports
                waiting.append(name)
                continue
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = sys.modules[name] = made[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
    finally:
        for name, module_before in kept.items():
            sys.modules.pop(name, None)
            if module_before is not None:
                sys.modules[name] = module_before
    return made


def is_compiled(module: ModuleType) -> bool:
    """Whether a module runs as compiled code."""
    return not str(module.__file__).endswith(".py")


def is_uncompiled_allowed() -> bool:
    """Whether somebody chose to run everything uncompiled."""
    return os.environ.get("TETRISPRINTER_UNCOMPILED") == "1"
