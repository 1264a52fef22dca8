"""Remembered games: whatever lies in the folder, the answer is a game that was checked."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

import tetrisprinter as tp
from tetrisprinter.api import cache as cache_module
from tetrisprinter.api import prints
from tetrisprinter.api.cache import CACHE_VARIABLE, find_default_folder, find_folder
from tetrisprinter.api.preparation import Version
from tetrisprinter.errors import ArgumentError, Hint, Setting

PICTURE = tp.Picture.parse(".r.r.\nrrrrr\n.rrr.\n..r..", r="d03020")
OTHER = tp.Picture.parse("r.r\nrrr", r="d03020")

FirstPrint = tuple[tp.PrintResult, Path]


@pytest.fixture(scope="module")
def first_print(tmp_path_factory: pytest.TempPathFactory) -> FirstPrint:
    """The game of the picture, and a folder where it is remembered."""
    folder = tmp_path_factory.mktemp("filled")
    return tp.print_picture(PICTURE, effort=0.1, cache=folder), folder


@pytest.fixture
def folder(first_print: FirstPrint, tmp_path: Path) -> Path:
    """A folder with one game."""
    return Path(shutil.copytree(first_print[1], tmp_path / "games"))


def damage(path: Path, kind: str) -> None:
    text = path.read_text()
    checksum, _, body = text.partition("\n")
    if kind == "cut":
        path.write_text(text[: len(text) // 2])
    elif kind == "changed":
        path.write_text(text.replace('"bound": ', '"bound": 9'))
    elif kind == "foreign":
        path.write_bytes(os.urandom(999))
    elif kind == "folder":
        path.unlink()
        path.mkdir()
    else:  # written by a program that computes the checksum, too
        new_body = {
            "no plan": body.replace('"plan": ', '"plane": '),
            "other plan": body.replace("\\n", "\\nZ", 1),
            "other steps": body.replace('"steps": [', '"steps": [["a", "b"], '),
        }[kind]
        path.write_text(f"{sha256(new_body.encode()).hexdigest()}\n{new_body}")
    assert checksum


@pytest.mark.parametrize(
    "kind",
    ["cut", "changed", "foreign", "folder", "no plan", "other plan", "other steps"],
)
def test_a_damaged_or_foreign_file_counts_as_missing(
    folder: Path, first_print: FirstPrint, kind: str
) -> None:
    (path,) = folder.iterdir()
    damage(path, kind)
    result, game = tp.print_picture(PICTURE, effort=0.1, cache=folder), first_print[0]
    assert (result.remembered, result.drops, result.bound) == ("no", game.drops, game.bound)
    assert result.shown == game.shown
    if kind == "cut":
        assert tp.print_picture(PICTURE, effort=0.1, cache=folder).remembered == "all"


def test_the_game_of_another_picture_is_not_taken(folder: Path, tmp_path: Path) -> None:
    """A file under the wrong name is complete, but its game does not print the picture."""
    (path,) = folder.iterdir()
    tp.print_picture(OTHER, effort=0.1, cache=tmp_path / "other")
    (other,) = (tmp_path / "other").iterdir()
    shutil.copy(path, other)
    result = tp.print_picture(OTHER, effort=0.1, cache=tmp_path / "other")
    assert result.remembered == "no"
    assert result.shown.rows == tp.print_picture(OTHER, effort=0.1).shown.rows


def test_what_decides_the_game_decides_the_entry(folder: Path) -> None:
    for options in (
        {"board": "9x20"},
        {"types": "classic"},
        {"column": 1},
        {"limit": tp.Limit(seed=3, effort=0.002)},
        {"planner": "rows"},
        {"pieces": "bag", "effort": 0.01},
    ):
        result = tp.print_picture(PICTURE, cache=folder, **{"effort": 0.002} | options)
        assert result.remembered == "no", options
    assert tp.print_picture(PICTURE, effort=0.05, cache=folder).remembered == "all"
    two = tp.Limit(workers=2, effort=0.1)
    assert tp.print_picture(PICTURE, limit=two, cache=folder).remembered == "all"
    assert tp.print_picture(PICTURE, effort=0.2, cache=folder).remembered == "start"


def test_a_time_limit_counts_as_spent(tmp_path: Path) -> None:
    found = tp.print_picture(OTHER, limit=0.2, cache=tmp_path)
    again = tp.print_picture(OTHER, limit=0.1, cache=tmp_path)
    assert (again.remembered, again.drops) == ("all", found.drops)


def test_a_search_that_was_left_early_is_remembered(tmp_path: Path) -> None:
    steps = tp.print_steps(OTHER, effort=0.1, cache=tmp_path)
    first = next(steps)
    steps.close()  # type: ignore[attr-defined]
    second = next(iter(tp.print_steps(OTHER, effort=0.1, cache=tmp_path)))
    assert (second.remembered, second.drops) == ("start", first.drops)


def test_a_longer_search_is_never_worse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a search that ignores the known game, or finds none, ends with a game as short."""
    known = tp.print_picture(PICTURE, effort=0.1, cache=tmp_path)
    longer = tp.print_picture(PICTURE, board="9x20", effort=0.1, planner="rows")

    def find_longer(*_: object) -> Iterator[tp.PrintResult]:
        yield longer

    def find_none(*_: object) -> Iterator[tp.PrintResult]:
        yield from ()
        raise tp.JobError("no plan")

    for search in (find_longer, find_none):
        monkeypatch.setattr(prints, "_find_new_plans", search)
        assert tp.print_picture(PICTURE, effort=0.3, cache=tmp_path).plan == known.plan


def test_a_search_without_a_game_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A simpler picture is printed at once, with the same words; more effort searches again."""
    searched: list[str] = []

    def find_none(version: Version, *_: object) -> Iterator[tp.PrintResult]:
        searched.append(version.prepared.task.name)
        yield from ()
        raise tp.JobError(f"{version.prepared.task.name}: no plan", Hint("try {}", Setting.EFFORT))

    monkeypatch.setattr(prints, "_find_new_plans", find_none)
    renamed = replace(PICTURE, name="renamed")
    for picture, effort in ((PICTURE, 0.2), (renamed, 0.2), (renamed, 0.1), (renamed, 0.4)):
        with pytest.raises(tp.JobError) as raised:
            tp.print_picture(picture, effort=effort, exact=True, cache=tmp_path)
        assert raised.value.message == f"{picture.name}: no plan"
        assert raised.value.hints == (Hint("try {}", Setting.EFFORT),)
    assert searched == [PICTURE.name, "renamed"]
    monkeypatch.undo()
    found = tp.print_picture(PICTURE, effort=0.5, exact=True, cache=tmp_path)
    assert found.remembered == "no"
    assert tp.print_picture(PICTURE, effort=0.1, exact=True, cache=tmp_path).remembered == "all"


def test_a_search_that_gave_up_does_not_answer_for_an_exact_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ended soon because a simpler picture followed; an exact picture has none."""
    searched: list[bool] = []

    def find_none(version: Version, *_: object) -> Iterator[tp.PrintResult]:
        searched.append(version.has_simpler)
        yield from ()
        raise tp.JobError(f"{version.prepared.task.name}: no plan")

    monkeypatch.setattr(prints, "_find_new_plans", find_none)
    two_colors = tp.Picture.parse("r.b\nrrb", r="d03020", b="3060c0")
    for exact, expected in ((False, [True, False]), (False, []), (True, [False]), (False, [])):
        searched.clear()
        with pytest.raises(tp.JobError, match="no plan"):
            tp.print_picture(two_colors, effort=0.2, exact=exact, cache=tmp_path)
        assert searched == expected


def test_the_least_recently_used_games_go(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (first,) = folder.iterdir()
    (folder / "notes.txt").write_text("x" * 9999)
    os.utime(first, (1, 1))
    tp.print_picture(OTHER, effort=0.1, cache=folder)
    tp.print_picture(PICTURE, effort=0.1, cache=folder)  # now the other one is older
    assert first.stat().st_mtime > 1
    (second,) = (path for path in folder.glob("*.game") if path != first)
    os.utime(second, (1, 1))
    room = sum(path.stat().st_size for path in folder.glob("*.game")) + 100
    monkeypatch.setattr(cache_module, "_MAX_BYTES", room)
    tp.print_picture(OTHER, board="9x20", effort=0.1, cache=folder)
    assert first.exists()
    assert not second.exists()
    assert (folder / "notes.txt").exists()


def test_a_folder_that_cannot_be_used_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    result = tp.print_picture(OTHER, effort=0.1, cache=tmp_path / "file" / "games")
    assert result.remembered == "no"
    assert (tmp_path / "file").read_text() == "mine"


def test_the_folder_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert find_default_folder() is None  # in the tests nothing is remembered
    assert find_folder(True) is None
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    assert find_default_folder() == tmp_path
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    for platform, variable, value, place in (
        ("linux", "XDG_CACHE_HOME", str(tmp_path / "x"), "x"),
        ("linux", "XDG_CACHE_HOME", "relative", ".cache"),
        ("linux", "XDG_CACHE_HOME", "", ".cache"),
        ("darwin", "XDG_CACHE_HOME", "", "Library/Caches"),
        ("win32", "LOCALAPPDATA", str(tmp_path / "y"), "y"),
    ):
        monkeypatch.setattr("sys.platform", platform)
        monkeypatch.setenv(variable, value)
        assert find_default_folder() == tmp_path / place / "tetrisprinter"
    with pytest.raises(ArgumentError, match="cache: expected True, False or a folder, got int"):
        tp.print_picture(OTHER, cache=3)  # type: ignore[arg-type]


def test_steps_get_better_and_the_last_one_comes_twice() -> None:
    steps = list(tp.print_steps(PICTURE, effort=0.3))
    assert len(steps) > 1
    for earlier, later in pairwise(steps[:-1]):
        assert (later.drops, -later.bound) < (earlier.drops, -earlier.bound)
    assert steps[-1].plan == steps[-2].plan
    assert tp.print_picture(PICTURE, effort=0.3).plan == steps[-1].plan
    with pytest.raises(ArgumentError, match="unknown argument 'cahce'; did you mean 'cache'"):
        tp.print_steps(PICTURE, cahce=True)
