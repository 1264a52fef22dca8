from __future__ import annotations

from pathlib import Path

import pytest

from tetrisprinter.errors import InputError
from tetrisprinter.support.files import check_writable, write_bytes, write_text


def test_a_failed_write_leaves_the_old_file_and_no_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.txt"
    write_text(target, "old")

    def fail(self: Path, other: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(InputError, match=r"a.txt: cannot be written: no space"):
        write_bytes(target, b"new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_permissions_are_those_of_an_ordinary_file(tmp_path: Path) -> None:
    ordinary, ours = tmp_path / "ordinary", tmp_path / "ours"
    ordinary.write_text("x")
    write_text(ours, "x")
    assert ours.stat().st_mode == ordinary.stat().st_mode


def test_places_that_cannot_be_written_are_refused_at_once(tmp_path: Path) -> None:
    check_writable(tmp_path / "new.txt")
    with pytest.raises(InputError, match="is a directory"):
        check_writable(tmp_path)
    with pytest.raises(InputError, match="no directory"):
        check_writable(tmp_path / "none" / "a.txt")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="no directory"):
        check_writable(tmp_path / "file" / "a.txt")
