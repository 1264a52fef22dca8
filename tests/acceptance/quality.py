"""How good the plans are for pictures of our own, and what made them: so that nothing gets worse.

``scripts/quality`` compares, writes the record anew and reports. Boards and types are named, so
that the planners are guarded apart from the choice of these; nothing depends on a clock.
"""

import json
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import JobError
from tetrisprinter.pictures.images import load_picture
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.printing.task import Task

ROOT: Final = Path(__file__).resolve().parents[2]
RECORD: Final = Path(__file__).with_suffix(".json")

PLANNERS: Final = {"auto": 1.0, "rows": 1.0, "shortest": 0.5}
"""Who plans, with which effort."""
EVERY_DAY: Final = ("auto", 20.0)
"""Whose plans are compared in the everyday suite, and for how much work: those of the pictures
that took least."""

SUM: Final = 1.01
ONE: Final = 1.10
"""How many times as many drops as before all pictures together, and one, may take."""

_INKS: Final = ("d03030", "f0c040", "3060c0", "30a050", "8040a0", "202020", "f0f0f0")

_Dots = Callable[[int, int], int | None]
"""The number of the ink at a column and a row, counted from below; None where there is none."""


@dataclass(frozen=True)
class Found:
    """What came of a task.

    Attributes
    ----------
    drops : int or None
        None if there is no plan.
    work : float
        How much was searched, the same on every machine.
    made_by : tuple of str
        The stages that made the plan; without one why there is none.
    fallbacks : dict from str to int
        Other ways than the usual ones, and how often they were taken.
    """

    drops: int | None
    work: float
    made_by: tuple[str, ...]
    fallbacks: Mapping[str, int]


def _drawn(name: str, size: tuple[int, int], dots: _Dots) -> Picture:
    """Draw a picture; a row without a square gets one."""
    width, height = size
    rows: list[tuple[Color | None, ...]] = []
    for y in range(height):
        found = [dots(x, y) for x in range(width)]
        if all(dot is None for dot in found):
            found[width // 2] = 0
        rows.append(tuple(None if dot is None else _INKS[dot] for dot in found))
    return Picture(tuple(rows), name)


def _noise(seed: int, share: float, colors: int = 3) -> _Dots:
    pick = random.Random(seed)
    return lambda x, y: pick.randrange(colors) if pick.random() < share else None


def _photo(size: tuple[int, int], colors: int, grain: float) -> _Dots:
    """Sine bands with some grain, as a photo of few colours has them."""
    pick = random.Random(colors)

    def dot(x: int, y: int) -> int:
        u, v = x / size[0], y / size[1]
        light = 0.5 + 0.3 * math.sin(5 * u + 3 * v) + 0.2 * math.sin(9 * v * u + 1)
        return min(colors - 1, max(0, int(colors * (light + pick.gauss(0, grain)))))

    return dot


def _shapes(seed: int, colors: int, stray: float = 0.0) -> _Dots:
    """Coherent shapes on nine of ten columns, some with stray squares."""
    pick = random.Random(seed)
    sites = [(pick.uniform(0, 9), pick.uniform(0, 16), pick.randrange(colors)) for _ in range(12)]

    def dot(x: int, y: int) -> int | None:
        if x == 9:
            return None
        if pick.random() < stray:
            return pick.randrange(colors)
        return min(((sx - x) ** 2 + (sy - y) ** 2, ink) for sx, sy, ink in sites)[1]

    return dot


def _discs(size: tuple[int, int], seed: int) -> _Dots:
    """Discs over each other."""
    pick = random.Random(seed)
    (width, height), small = size, min(size)
    discs = [
        (pick.uniform(0, width), pick.uniform(0, height), pick.uniform(0.2, 0.4) * small, ink)
        for ink in (0, 1, 2, 0, 1)
    ]
    return lambda x, y: next(
        (ink for dx, dy, radius, ink in discs if (x - dx) ** 2 + (y - dy) ** 2 < radius**2), None
    )


def _ring(middle: float, colors: int) -> _Dots:
    def dot(x: int, y: int) -> int | None:
        far = math.hypot(x - middle, y - middle)
        return (x + y) // 5 % colors if 0.6 * middle < far < middle + 1 else None

    return dot


def _checker(x: int, y: int) -> int | None:
    return (x // 2 + y // 2) % 3 if (x + y) % 2 else None


def _stripes(x: int, y: int) -> int | None:
    return y // 2 % 2 if x % 5 else None


def _comb(x: int, y: int) -> int | None:
    return 0 if x % 4 == 0 or y % 6 == 0 else None


def _stairs(x: int, y: int) -> int | None:
    return (x + y) // 4 % 5 if x + y < 12 else None


def _on_sky(size: tuple[int, int], seed: int) -> _Dots:
    """Discs before a sky, whose colour is the last one."""
    discs = _discs(size, seed)
    return lambda x, y: -1 if (ink := discs(x, y)) is None else ink


def _example(name: str) -> Callable[[], Task]:
    path = ROOT / "examples" / f"{name}.png"
    return lambda: Task.of(load_picture(path), "21x42", "classic")


def _on_a_board_of_its_own(name: str) -> Callable[[], Task]:
    path = ROOT / "examples" / f"{name}.png"
    return lambda: Task.of(load_picture(path), "auto", "auto")


def _made(
    size: tuple[int, int], dots: Callable[[], _Dots], board: str, types: str = "auto"
) -> Callable[[], Task]:
    return lambda: Task.of(_drawn(f"{board} {types}", size, dots()), board, types)


def _sky(size: tuple[int, int], dots: Callable[[], _Dots], board: str) -> Callable[[], Task]:
    def make() -> Task:
        return Task.of(_drawn(board, size, dots()), board, "auto", _INKS[-1])

    return make


def _text(text: str, board: str, types: str = "auto") -> Callable[[], Task]:
    def make() -> Task:
        ink = {".": None, **dict(zip("abcdefg", _INKS, strict=True))}
        rows = tuple(tuple(ink[letter] for letter in row) for row in reversed(text.split()))
        return Task.of(Picture(rows, text), board, types)

    return make


_AT_ONCE: Final = "auto", "rows"
"""Who is asked for a picture that takes *shortest* long."""
_ALL: Final = tuple(PLANNERS)

_ANY_BOARD: Final = ", any board"
"""Ends the name of a picture that is printed as the command prints it without an option."""

CASES: Final[Mapping[str, tuple[Callable[[], Task], tuple[str, ...]]]] = {
    "heart": (_example("heart"), _ALL),
    **{
        name: (_example(name), _AT_ONCE)
        for name in ("invader", "fish", "glyph", "mushroom", "cat", "lighthouse", "fox", "penguin")
    },
    **{
        f"{name}{_ANY_BOARD}": (_on_a_board_of_its_own(name), ("auto",))
        for name in ("heart", "invader", "fish", "glyph", "mushroom", "cat", "lighthouse")
    },
    **{
        name: (_on_a_board_of_its_own(name), _AT_ONCE)
        for name in (
            *("cactus", "duck", "flag", "letters", "rainbow", "rocket", "smiley"),
        )
    },
    **{
        f"ten wide, {colors} colours, {seed}": (
            _made((10, 14), partial(_shapes, seed, colors, stray), "10x22"),
            _ALL if seed <= 3 else _AT_ONCE,
        )
        for seed, colors, stray in (
            (1, 2, 0.0), (2, 3, 0.0), (3, 4, 0.0), (4, 5, 0.0), (5, 2, 0.1), (7, 4, 0.1),
        )
    },
    "ten wide, classic types": (
        _made((10, 12), lambda: _shapes(8, 3), "10x22", "classic"), _AT_ONCE),
    "ten wide, dots": (_made((9, 12), lambda: _noise(1, 0.3, 2), "10x24"), _AT_ONCE),
    "checker": (_made((16, 16), lambda: _checker, "21x42", "classic"), _AT_ONCE),
    "ring": (_made((16, 16), lambda: _ring(7.5, 3), "21x42", "classic"), _AT_ONCE),
    "stripes": (_made((14, 14), lambda: _stripes, "17x30"), _AT_ONCE),
    "comb": (_made((17, 18), lambda: _comb, "21x42"), _AT_ONCE),
    "stairs": (_made((12, 12), lambda: _stairs, "13x26"), _ALL),
    "discs": (_made((16, 24), lambda: _discs((16, 24), 3), "21x42", "classic"), _AT_ONCE),
    "discs, free": (_made((12, 12), lambda: _discs((12, 12), 4), "15x26"), _AT_ONCE),
    "noise": (_made((16, 16), lambda: _noise(2, 0.7), "21x42", "classic"), _AT_ONCE),
    "half noise": (_made((12, 12), lambda: _noise(3, 0.4), "17x30"), _AT_ONCE),
    "dots": (_made((17, 24), lambda: _noise(4, 0.1), "21x42", "classic"), _AT_ONCE),
    "noise, six colours": (_made((10, 6), lambda: _noise(5, 0.6, 6), "13x16"), _AT_ONCE),
    "photo": (_made((16, 17), lambda: _photo((16, 17), 5, 0.03), "21x27"), _AT_ONCE),
    "noisy photo": (_made((20, 12), lambda: _photo((20, 12), 4, 0.25), "25x22"), _AT_ONCE),
    "tall noise": (_made((8, 72), lambda: _noise(6, 0.7, 2), "13x82"), _AT_ONCE),
    "even board": (_made((14, 14), lambda: _discs((14, 14), 10), "18x30"), _AT_ONCE),
    "sky": (_sky((12, 12), lambda: _on_sky((12, 12), 6), "17x22"), _AT_ONCE),
    "ten wide, sky": (_sky((10, 12), lambda: _on_sky((10, 12), 7), "10x22"), _AT_ONCE),
    "noise before a sky": (_sky((16, 16), lambda: _on_sky((16, 16), 8), "21x26"), _AT_ONCE),
    "four squares": (_text("aa aa", "8x12"), _ALL),
    "one square": (_text("a", "9x12"), _ALL),
    "lying": (_text("aaaabbbb aaaabbbb", "10x12"), _ALL),
    "a word": (_text("a.a.aaa.a a.a.a...a aaa.aa..a a.a.a.... a.a.aaa.a", "13x15"), _AT_ONCE),
    "low board": (_text("aba bab aba bab", "7x6"), _ALL),
    # What no game prints, by each of the theorems that say so.
    "full row": (_text("aaaa aaaa", "4x12"), _ALL),
    "gap row": (_text("aa .. aa", "9x12"), _ALL),
    "count": (_text("aaa aa.", "10x12"), _ALL),
    "O alone": (_text("a.a aaa", "9x12", f"O={_INKS[0]}"), _ALL),
    "cut": (
        _text("a......... ..bb...... a.........", "10x22", f"J={_INKS[0]},O={_INKS[1]}"), _ALL),
}  # fmt: skip
"""What is planned, by name: the task, and who is asked."""


def measure(name: str, planner: str) -> Found:
    """Plan a task."""
    task = CASES[name][0]()
    try:
        limit = Limit(workers=2, effort=PLANNERS[planner])
        result = make_plan(task, planner, Run(limit, any_board=name.endswith(_ANY_BOARD)))
    except JobError as error:
        why = "no plan was found" if error.obstacle is None else error.obstacle.theorem
        return Found(None, 0.0, (why,), {})
    return Found(result.drops, round(result.work, 3), result.made_by, dict(result.fallbacks))


def recorded() -> dict[str, dict[str, Found]]:
    """Return what was found before, by planner and picture."""
    said: dict[str, dict[str, Any]] = json.loads(RECORD.read_text())
    return {
        planner: {
            name: Found(one["drops"], one["work"], tuple(one["made_by"]), one["fallbacks"])
            for name, one in found.items()
        }
        for planner, found in said.items()
    }


def quickest(planner: str, most: float) -> tuple[str, ...]:
    """Return the pictures that took least work, as many as can be planned with so much."""
    chosen, work = [], 0.0
    for name, one in sorted(recorded()[planner].items(), key=lambda item: item[1].work):
        work += one.work
        if work <= most:
            chosen.append(name)
    return tuple(chosen)


def worse(before: Mapping[str, Found], now: Mapping[str, Found]) -> list[str]:
    """Say in which ways plans are worse than those recorded, for the same pictures."""
    said = []
    for name, found in now.items():
        old = before[name].drops
        if old is not None and (found.drops is None or found.drops > ONE * old):
            said.append(f"{name}: {found.drops} drops, {old} before")
    both = [(before[name].drops, one.drops) for name, one in now.items()]
    old = sum(drops for drops, _ in both if drops)
    new = sum(drops for was, drops in both if was and drops)
    if new > SUM * old:
        said.append(f"all together: {new} drops, {old} before")
    return said
