"""Advice of refusals: whoever follows it is not refused again."""

from __future__ import annotations

from typing import Final

import pytest

from tests.acceptance.conftest import Draw, Run
from tetrisprinter.cli import find_command
from tetrisprinter.cli.groups import COMMANDS
from tetrisprinter.cli.words import options_of, told
from tetrisprinter.errors import Hint, InputError, Setting

TO: Final = ("-o", "o.png", "--exact", "--effort", "0.1")

CASES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]] = {
    # advice: (rows of the image, what is refused, what is advised)
    "--board auto takes": (
        ("rrr",), ("print", "a.png", "--board", "2x9"), ("print", "a.png", "--board", "auto")),
    "take a board of at least 5 columns (--board auto": (
        ("rrr",), ("print", "a.png", "--board", "3x9"), ("print", "a.png", "--board", "auto")),
    "or leave a pixel of it empty (leaving --exact out)": (
        ("rrrr",), ("print", "a.png", "--board", "4x9"), ("print", "a.png", "--board", "4x9", "!")),
    "leaving --exact out fills a pixel of it": (
        ("r", ".", "r", "r"), ("print", "a.png", "--types", "classic"),
        ("print", "a.png", "--types", "classic", "!")),
    "--background lets a type have a colour that is not seen": (
        ("r", ".", "r", "r"), ("print", "a.png", "--types", "auto"),
        ("print", "a.png", "--types", "auto", "--background", "308040")),
    "or a board of 11 columns": (
        ("rrr",), ("print", "a.png", "--board", "10x22"), ("print", "a.png", "--board", "11x22")),
    "leaving --exact out would fill": (
        ("r.r", "rrr"), ("print", "a.png", "--board", "10x22"),
        ("print", "a.png", "--board", "10x22", "!")),
    "--types auto take up to seven": (
        ("rgby",), ("print", "a.png", "--types", "classic"),
        ("print", "a.png", "--types", "auto")),
    "--colors 3 would do": (
        ("rgby",), ("print", "a.png", "--types", "classic"),
        ("print", "a.png", "--types", "classic", "--colors", "3")),
    "--types auto give every colour one": (
        ("rgb",), ("print", "a.png", "--types", "J=d03020"),
        ("print", "a.png", "--types", "auto")),
    "--board 10x20 is usual": (
        ("rrrr",), ("print", "a.png", "--pieces", "bag", "--board", "40x40"),
        ("print", "a.png", "--pieces", "bag", "--board", "10x20")),
    "plan the picture for --board 10x22": (
        ("rrrr",), ("convert", "a.png", "-o", "a.fumen", "--board", "21x22"),
        ("convert", "a.png", "-o", "a.fumen", "--board", "10x22")),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("advice", CASES)
def test_who_follows_advice_is_not_refused(run: Run, draw: Draw, advice: str) -> None:
    rows, refused, advised = CASES[advice]
    draw("a.png", *rows)
    exact: tuple[str, ...] = () if refused[0] == "convert" else TO
    result = run(*refused, *exact, code=_code(run, refused, exact))
    assert advice in result.stderr
    words = [word for word in advised if word != "!"]
    if "!" in advised:
        exact = tuple(word for word in exact if word != "--exact")
    run(*words, *exact)


def _code(run: Run, refused: tuple[str, ...], exact: tuple[str, ...]) -> int:
    """Return 1 where a theorem forbids the picture, else 2."""
    try:
        run(*refused, *exact, code=2)
    except AssertionError:
        return 1
    return 2


@pytest.mark.slow
@pytest.mark.parametrize("planner", ["table"])
def test_what_is_advised_for_a_planner_of_one_board(run: Run, draw: Draw, planner: str) -> None:
    draw("a.png", *["r" * 30] * 3)
    refused = run("print", "a.png", "--planner", planner, *TO, code=2)
    assert "another --planner" in refused.stderr
    run("print", "a.png", "--planner", "rows", *TO)
    assert "makes it fit" in refused.stderr
    run("print", "a.png", "--planner", planner, *(word for word in TO if word != "--exact"))


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_names_an_option_that_it_lacks(name: str) -> None:
    command = find_command([name])
    options = options_of(command)
    for thing in Setting:
        error = InputError("a.png: cannot be", Hint("{} helps", thing))
        advice = told(error, [name], options).removeprefix("a.png: cannot be")
        for word in advice.partition(" helps")[0].split():
            assert not word.startswith("--") or word in options or word == "--exact"
