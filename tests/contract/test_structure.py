"""The figures of ``scripts/structure``, on a package small enough to be counted by hand."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "structure"
FILES = {
    "__init__.py": "__all__ = ['a', 'b']\n",
    "ground.py": '"""Two\nlines."""\n__all__ = ["x"]\nclass Thing:\n    """One."""\n',
    "middle/__init__.py": "",
    "middle/one.py": "from house import ground\nfrom house.middle.two import wide\n_hidden = 1\n",
    "middle/two.py": (
        "from ..ground import x\nclass _Thing: ...\ndef wide(self, b, *, c, d, e, f, g, h): ...\n"
    ),
    "roof.py": "def late():\n    import house.middle.one\n",
}


def test_a_small_package_is_counted(tmp_path: Path) -> None:
    for name, text in FILES.items():
        path = tmp_path / "house" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    command = [sys.executable, str(SCRIPT), str(tmp_path / "house"), "--list"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert "| (top) | 3 | 8 | 3 | 4 |" in lines
    assert "| middle | 3 | 6 | 0 | 1 |" in lines
    assert "| all | 6 | 14 | 3 | 5 |" in lines
    assert "imports between packages: 3" in lines
    assert "functions of more than 6 parameters: 1" in lines
    assert "class names in several modules: 1" in lines
    for line in (
        "  middle -> ground: 2",
        "  roof -> middle: 1",
        "  middle/two.py: wide: 7",
        "  Thing: ground.py, middle/two.py",
    ):
        assert line in lines


def test_the_messages_of_each_package_are_listed(tmp_path: Path) -> None:
    house = tmp_path / "house"
    for name, text in {
        "studio/__init__.py": "",
        "roof/__init__.py": (
            "def check(rows):\n    raise InputError(f'{rows} are too few; expected {rows} rows',\n"
            "        Hint('take more rows'))\nprint('this is no message')\n"
        ),
    }.items():
        (house / name).parent.mkdir(parents=True, exist_ok=True)
        (house / name).write_text(text, encoding="utf-8")
    command = [sys.executable, str(SCRIPT), str(house), "--messages"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split("\n# ")[1:] == [
        "roof\nroof/__init__.py:2: {} are too few; expected {} rows\n"
        "roof/__init__.py:3: take more rows\n",
        "studio\n",
    ]
