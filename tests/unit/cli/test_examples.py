"""The pictures that come with the package."""

import json
from pathlib import Path

from tests.support.commands import EXAMPLES, run_here


def test_all_are_listed_and_say_where_they_lie(tmp_path: Path) -> None:
    names = sorted(path.name for path in EXAMPLES.glob("*.png"))
    assert run_here(("examples",), tmp_path).stdout.split() == names
    report = json.loads(run_here(("examples", "--json"), tmp_path).stdout)
    assert (Path(report["folder"]), report["examples"]) == (EXAMPLES, names)
    assert Path(run_here(("examples", "--path"), tmp_path).stdout.strip()) == EXAMPLES


def test_they_are_copied_and_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "heart.png").write_bytes(b"mine")
    said = run_here(("examples", "--copy", "e", "heart", "cat.png"), tmp_path).stdout
    assert said == "e: 1 picture copied, 1 exist already (--force overwrites them)\n"
    assert (tmp_path / "e" / "heart.png").read_bytes() == b"mine"
    assert (tmp_path / "e" / "cat.png").read_bytes() == (EXAMPLES / "cat.png").read_bytes()
    report = run_here(("examples", "--copy", "e", "heart", "--force", "--json"), tmp_path).stdout
    assert json.loads(report) == {"copied": ["e/heart.png"], "kept": []}
    assert (tmp_path / "e" / "heart.png").read_bytes() == (EXAMPLES / "heart.png").read_bytes()
