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


@pytest.fixture(params=["nameless", "named"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of writing: where the system has files without names, and where not."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)


@pytest.mark.usefixtures("_way")
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


@pytest.mark.usefixtures("_way")
def test_what_is_not_finished_never_appears(tmp_path: Path) -> None:
    def interrupted() -> None:
        with open_atomically(tmp_path / "a") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_between_two_names_of_a_file_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.txt"
    write_text(target, "old")
    link = os.link

    def link_and_interrupt(source: str, name: Path, *, src_dir_fd: int) -> None:
        link(source, name, src_dir_fd=src_dir_fd)  # which fails where the target has the name
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "link", link_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.usefixtures("_way")
def test_permissions_are_those_of_an_ordinary_file(tmp_path: Path) -> None:
    ordinary, ours = tmp_path / "ordinary", tmp_path / "ours"
    ordinary.write_text("x")
    for _ in range(2):  # new, and in the place of another
        write_text(ours, "x")
        assert ours.stat().st_mode == ordinary.stat().st_mode


@pytest.mark.usefixtures("_way")
def test_the_longest_name_can_be_written_and_written_over(tmp_path: Path) -> None:
    target = tmp_path / LONGEST
    for text in ("old", "new"):
        check_writable(target)
        write_text(target, text)
        assert target.read_text() == text
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_is_nameless_while_it_is_written(tmp_path: Path) -> None:
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_RDWR))
    except (AttributeError, OSError):
        pytest.skip("this file system has no files without names")
    with open_atomically(tmp_path / "a") as file:
        file.write(b"x")
        file.flush()
        assert list(tmp_path.iterdir()) == []
    assert (tmp_path / "a").read_bytes() == b"x"


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
