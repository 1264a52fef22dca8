"""What is shown is what was printed: pixels of pictures against pixels of whatever shows a print.

Every picture has a background of some kind, and every print of one with a background leaves
squares that nobody may see.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.acceptance.conftest import Run
from tests.contract.demands import JUDGES, RGB, _last_image
from tests.support.images import draw_rows
from tetrisprinter import print_picture
from tetrisprinter.game.plan import Plan
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.render import RENDERERS, Rendering
from tetrisprinter.render.paint import Look
from tetrisprinter.render.terminal import draw_as_text

FIGURE = ("..a.a...", "aaa.aaa.", "..a.a...", ".aabaa..", "..bbb...", ".a...a..")
RED, BLUE = "d03020", "3060c0"
KINDS: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "white": ({".": "ffffff", "a": RED, "b": BLUE}, {"background": "ffffff"}),
    "near": (
        {".": "ffffff", "a": "e6f0fa", "b": "fffffe"},
        {"background": "auto", "original": True},
    ),
    "transparent": ({"a": RED, "b": BLUE}, {"background": "000000"}),
    "black figure": ({"a": "000000", "b": BLUE}, {"background": "e8e0d0"}),
}
KINDS_BY_DAY = [
    pytest.param(kind, marks=() if kind in ("white", "transparent") else pytest.mark.slow)
    for kind in KINDS
]
LOOK = Look(8)
Squares = dict[tuple[int, int], RGB]


def rgb(color: str) -> RGB:
    red, green, blue = bytes.fromhex(color)
    return red, green, blue


def read_pixel(image: Image.Image, x: int, y: int) -> RGB | None:
    """A pixel's colour; None where it is transparent."""
    red, green, blue, alpha = image.convert("RGBA").crop((x, y, x + 1, y + 1)).tobytes()
    return (red, green, blue) if alpha else None


@cache
def print_figure(kind: str) -> PrintResult:
    """A print of the picture; with a background, of squares that are not to be seen, too."""
    colors, asked = KINDS[kind]
    setting: dict[str, Any] = {"board": "10x22", "types": "auto", **asked}
    result = print_picture(draw_rows(FIGURE, colors), planner="rows", **setting)
    left = {value for row in result.game.field.rows for value in row if value}
    unseen = [p for p, color in result.plan.colors if color == result.plan.background]
    if asked.get("background", "transparent") != "transparent":
        assert left & set(map(int, unseen)), "the picture must be able to go wrong"
    return result


def list_board_squares(kind: str) -> Squares:
    """The picture's pixels, column and row of the board; around it there is background."""
    colors, asked = KINDS[kind]
    image, task = draw_rows(FIGURE, colors), print_figure(kind).task
    behind = colors.get(".", asked.get("background"))
    assert isinstance(behind, str)
    (left, width), height = (task.column, image.width), image.height
    if print_figure(kind).plan.background is not None:
        (left, width), height = (0, task.board.width), task.board.height
    found = {}
    for y in range(height):
        for x in range(left, left + width):
            px, py = x - task.column, image.height - 1 - y
            inside = 0 <= px < image.width and py >= 0
            found[x, y] = (inside and read_pixel(image, px, py)) or rgb(behind)
    return found


def assert_shows_picture(kind: str, seen: Iterable[tuple[int, int, RGB]], far: int = 0) -> None:
    wanted, there = list_board_squares(kind), {(x, y): color for x, y, color in seen}
    wrong = {
        cell: there.get(cell)
        for cell, color in wanted.items()
        if cell not in there
        or max(abs(a - b) for a, b in zip(color, there[cell], strict=True)) > far
    }
    assert not wrong, f"{kind}: {len(wrong)} squares"


FILMS = {".mp4", ".webm", ".h"}
"""What is compressed with a loss, or has sixteen bits for a colour."""


@pytest.mark.parametrize("kind", KINDS_BY_DAY)
@pytest.mark.parametrize("renderer", RENDERERS)
def test_every_file_ends_with_the_picture(
    run: Run, tmp_path: Path, renderer: str, kind: str
) -> None:
    result, extension = print_figure(kind), RENDERERS[renderer].extensions[0]
    judge, far = JUDGES.get(extension, _last_image), 23 * (extension in FILMS)
    result.save(tmp_path / f"saved{extension}", Rendering(LOOK, full=True))
    result.save(tmp_path / "plan.txt")
    run("play plan.txt -o", f"played{extension}", "--full", "--scale", 8)
    for name in ("saved", "played"):
        data = (tmp_path / f"{name}{extension}").read_bytes()
        assert_shows_picture(kind, judge(data, result.plan), far)


def list_terminal_squares(plan: Plan) -> Iterator[tuple[int, int, RGB]]:
    lines = draw_as_text(plan, "truecolor").splitlines()
    for number, line in enumerate(lines):
        x, y = 0, 2 * (len(lines) - 1 - number)
        upper = lower = (0, 0, 0)
        for said, blocks in re.findall(r"\x1b\[([\d;]*)m(▀*)", line):
            numbers = [int(word) for word in said.split(";")]
            if len(numbers) == 10:
                upper, lower = (numbers[2], numbers[3], numbers[4]), tuple(numbers[7:10])  # type: ignore[assignment]
            for _ in blocks:
                yield x, y + 1, upper
                yield x, y, lower
                x += 1


def test_the_terminal_shows_the_picture() -> None:
    for kind in KINDS:
        seen = list(list_terminal_squares(print_figure(kind).plan))
        high = {y for _, y, _ in seen}
        assert high >= set(range(len(FIGURE)))
        wanted = list_board_squares(kind)
        above = [(x, y, color) for (x, y), color in wanted.items() if y not in high]
        assert_shows_picture(kind, seen + above)


def test_transparent_is_what_was_background(tmp_path: Path) -> None:
    for kind in KINDS:
        result = print_figure(kind)
        if result.plan.background is None:
            continue
        result.save(tmp_path / "a.png", Rendering(Look(1), transparent=True, full=True))
        image = Image.open(tmp_path / "a.png").convert("RGBA")
        there = {
            (x, y): color
            for x in range(image.width)
            for y in range(image.height)
            if (color := read_pixel(image, x, image.height - 1 - y))
        }
        behind = rgb(result.plan.background)
        wanted = {
            cell: color for cell, color in list_board_squares(kind).items() if color != behind
        }
        assert there == wanted


def test_a_dark_figure_is_drawn_on_the_same_field_by_print_and_by_play(
    run: Run, tmp_path: Path
) -> None:
    image = Image.new("RGBA", (10, 2))
    for x in range(17):  # an odd number: one square more must be left somewhere
        image.putpixel((x % 9, x // 9), (0x10, 0x10, 0x10, 255))
    image.transpose(Image.Transpose.FLIP_TOP_BOTTOM).save(tmp_path / "a.png")
    run("print a.png -o printed.png --plan a.txt --board 10x22 --full --effort 0.1")
    run("play a.txt -o played.png --full")
    assert (tmp_path / "printed.png").read_bytes() == (tmp_path / "played.png").read_bytes()
    played = Image.open(tmp_path / "played.png").convert("RGB")
    corner = played.crop((0, 0, 1, 1)).tobytes()
    assert min(corner) > 100, "the figure is seen on it"
