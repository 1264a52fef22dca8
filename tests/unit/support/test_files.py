import os
import tempfile
from pathlib import Path

import pytest

from tetrisprinter.errors import InputError
from tetrisprinter.support.files import (
    check_writable,
    is_file,
    open_atomically,
    parse_json,
    write_bytes,
    write_text,
)

LONGEST = "a" * 255  # bytes that a name may have where the tests run


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


def test_what_is_not_finished_never_appears(tmp_path: Path) -> None:
    def interrupted() -> None:
        with open_atomically(tmp_path / "a") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_permissions_are_those_of_an_ordinary_file(tmp_path: Path) -> None:
    ordinary, ours = tmp_path / "ordinary", tmp_path / "ours"
    ordinary.write_text("x")
    for _ in range(2):  # new, and in the place of another
        write_text(ours, "x")
        assert ours.stat().st_mode == ordinary.stat().st_mode


def test_the_longest_name_can_be_written_and_written_over(tmp_path: Path) -> None:
    target = tmp_path / LONGEST
    for text in ("old", "new"):
        check_writable(target)
        write_text(target, text)
        assert target.read_text() == text
    assert list(tmp_path.iterdir()) == [target]


def test_a_device_gets_the_whole_file(tmp_path: Path) -> None:
    write_bytes("/dev/null", b"x")
    assert Path("/dev/null").is_char_device()


def test_a_name_that_is_no_text_stays_out_of_text_files(tmp_path: Path) -> None:
    write_text(tmp_path / "a", "from h\udcff.png")
    assert (tmp_path / "a").read_text(encoding="utf-8") == "from h?.png"


def test_places_that_cannot_be_written_are_refused_at_once(tmp_path: Path) -> None:
    check_writable(tmp_path / "new.txt")
    with pytest.raises(InputError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(InputError, match="no folder"):
        check_writable(tmp_path / "none" / "a.txt")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="no folder"):
        check_writable(tmp_path / "file" / "a.txt")
    with pytest.raises(InputError, match=r"cannot be written: file name too long"):
        check_writable(tmp_path / (LONGEST + "a"))


def test_a_folder_that_one_may_not_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As anybody but root finds it; root may enter everything."""

    def refuse(path: object, **_: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "stat", refuse)
    with pytest.raises(InputError, match=r"o.png: cannot be written: permission denied"):
        check_writable(tmp_path / "o.png")


def test_what_cannot_be_a_name_is_no_file(tmp_path: Path) -> None:
    assert not is_file("F5," * 200)
    assert not is_file("a\0b")
    assert not is_file(tmp_path)
    with tempfile.NamedTemporaryFile() as file:
        assert is_file(file.name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "x:1: invalid JSON"),
        ("[" * 100_000, "x: invalid JSON: nested too deeply"),
        ("[NaN]", "x: invalid JSON: NaN is not a number"),
        ("1" * 10_000, "x: invalid JSON"),
    ],
)
def test_what_is_no_json(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_json(text, "x")
