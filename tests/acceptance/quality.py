"""How good the plans are for pictures of our own, and what made them: so that nothing gets worse.

``scripts/quality`` compares, writes the record anew and reports. Boards and types are named, so
that the planners are guarded apart from the choice of these; nothing depends on a clock.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import JobError
from tetrisprinter.pictures.images import load_picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.printing.task import Task

ROOT: Final = Path(__file__).resolve().parents[2]
RECORD: Final = Path(__file__).with_suffix(".json")

PLANNERS: Final = {"auto": 0.2, "rows": 1.0}
"""Who plans, with which effort: as little as shows a change, because each picture is planned."""
EVERY_DAY: Final = ("auto", 8.0)
"""Whose plans are compared in the everyday suite, and for how much work: those of the pictures
that took least."""

SUM: Final = 1.01
ONE: Final = 1.10
"""How many times as many drops as before all pictures together, and one, may take."""


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


_ANY_BOARD: Final = ", any board"
"""Ends the name of a picture that is printed as the command prints it without an option."""

_EXAMPLES: Final = ROOT / "examples"
_DRAWINGS: Final = ROOT / "tests" / "data" / "quality"

_NAMED_BOARDS: Final = {
    "21x42 classic": (
        *("heart", "invader", "fish", "glyph", "mushroom", "cat", "lighthouse", "fox", "penguin"),
        *("checker", "ring", "discs", "noise", "dots"),
    ),
    "auto auto": ("cactus", "duck", "flag", "letters", "rainbow", "rocket", "smiley"),
    "10x22 auto": (
        *("ten wide, 2 colours, 1", "ten wide, 3 colours, 2", "ten wide, 4 colours, 3"),
        *("ten wide, 5 colours, 4", "ten wide, 2 colours, 5", "ten wide, 4 colours, 7"),
    ),
    "10x22 classic": ("ten wide, classic types",),
    "10x24 auto": ("ten wide, dots",),
    "17x30 auto": ("stripes", "half noise"),
    "21x42 auto": ("comb",),
    "13x26 auto": ("stairs",),
    "15x26 auto": ("discs, free",),
    "13x16 auto": ("noise, six colours",),
    "21x27 auto": ("photo",),
    "25x22 auto": ("noisy photo",),
    "13x82 auto": ("tall noise",),
    "18x30 auto": ("even board",),
    "17x22 auto f0f0f0": ("sky",),
    "10x22 auto f0f0f0": ("ten wide, sky",),
    "21x26 auto f0f0f0": ("noise before a sky",),
    "8x12 auto": ("four squares",),
    "9x12 auto": ("one square", "gap row"),
    "10x12 auto": ("lying", "count"),
    "13x15 auto": ("a word",),
    "7x6 auto": ("low board",),
    "4x12 auto": ("full row",),
    "9x12 O=d03030": ("O alone",),
    "10x22 J=d03030,O=f0c040": ("cut",),
}
"""The pictures by board, types and background: examples, and drawings in ``tests/data/quality``.
No game prints the last ones, nor "gap row" and "count": each by the theorem of that name."""


def _make_task(name: str, board: str, types: str, background: str | None = None) -> Task:
    """Load a picture and choose what it is printed on."""
    path = _EXAMPLES / f"{name.removesuffix(_ANY_BOARD)}.png"
    if not path.exists():
        path = _DRAWINGS / f"{name.replace(', ', '_').replace(' ', '_')}.png"
    return Task.of(load_picture(path), board, types, background)


CASES: Final[Mapping[str, tuple[Callable[[], Task], tuple[str, ...]]]] = {
    name: (
        partial(_make_task, name, *options.split()),
        tuple(PLANNERS),
    )
    for options, names in _NAMED_BOARDS.items()
    for name in names
} | {
    f"{name}{_ANY_BOARD}": (partial(_make_task, name, "auto", "auto"), ("auto",))
    for name in _NAMED_BOARDS["21x42 classic"][:7]
}
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
