"""The inner loops run as plain Python: the same files, not compiled."""

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
    """Return the modules of :data:`NAMES`, uncompiled; they import each other uncompiled, too."""
    modules_before = {name: sys.modules.pop(name, None) for name in NAMES}
    loaded: dict[str, ModuleType] = {}
    remaining = list(NAMES)
    try:
        while remaining:
            name = remaining.pop(0)
            path = PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py")
            imported_first = [
                dependency
                for dependency in remaining
                if f"from {dependency} import" in path.read_text("utf-8")
            ]
            if imported_first:  # load this module after those that it imports
                remaining.append(name)
                continue
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = sys.modules[name] = loaded[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
    finally:
        for name, module_before in modules_before.items():
            sys.modules.pop(name, None)
            if module_before is not None:
                sys.modules[name] = module_before
    return loaded


def is_compiled(module: ModuleType) -> bool:
    """Return whether a module runs as compiled code."""
    return not str(module.__file__).endswith(".py")


def is_uncompiled_allowed() -> bool:
    """Return whether the environment says that everything runs uncompiled."""
    return os.environ.get("TETRISPRINTER_UNCOMPILED") == "1"
