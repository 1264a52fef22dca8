"""The paths of the checkout; importing this module restarts the script in ``.venv``.

So every script of a fresh clone can be started by its name alone, once ``scripts/test`` or
``scripts/demo`` has made ``.venv``.
"""

import ast
import os
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_VENV = ROOT / ".venv"
PYTHON = str(_VENV / "bin" / "python" if _VENV.is_dir() else sys.executable)

if _VENV.is_dir() and Path(sys.prefix) != _VENV:
    os.execv(PYTHON, [PYTHON, *sys.argv])
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
os.environ["TETRISPRINTER_CACHE"] = ""  # the scripts measure searches, not remembered games


def run_subject(folder: str, usage: str) -> None:
    """Run the module of ``scripts/FOLDER`` that the first argument names."""
    modules = {path.stem: path for path in sorted((ROOT / "scripts" / folder).glob("*.py"))}
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in modules and {"-h", "--help"} & {*sys.argv[2:]}:
        print(ast.get_docstring(ast.parse(modules[name].read_text("utf-8"))))
        return
    if name in modules:
        sys.argv[:2] = [f"{sys.argv[0]} {name}"]
        try:
            runpy.run_path(str(modules[name]), run_name="__main__")
        except KeyboardInterrupt:
            sys.exit(130)
        return
    lines = [usage.strip(), ""]
    for subject, path in modules.items():
        first = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n")[0]
        lines.append(f"  {subject:12} {first}")
    print("\n".join(lines))  # in one call: a reader such as `head` may end before the last line
    if name not in ("-h", "--help"):
        sys.exit(f"unknown subject {name!r}; choose from {', '.join(modules)}")
