"""How the commands choose and call a planner."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import click

from tetrisprinter.cli.options import seed_option, workers_option
from tetrisprinter.cli.progress import progress, staged_progress
from tetrisprinter.errors import InputError
from tetrisprinter.picture import Color, Picture
from tetrisprinter.plan import CLASSIC_SIZE, Plan
from tetrisprinter.tetromino import PieceType

__all__ = ["Planned", "Planning", "planning_options"]

_COLOR = re.compile(r"#?([0-9a-fA-F]{6})")
_BOARD = re.compile(r"([1-9]\d{0,2})x([1-9]\d{0,2})")


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan and what its planner says about it, for the report."""

    plan: Plan
    report: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Planning:
    """The planner a command was asked to use, with its options."""

    planner: str
    seed: int
    workers: int
    types: str | dict[PieceType, Color]
    background: Color | None
    board: tuple[int, int]
    time_limit: float | None
    effort: float

    def __post_init__(self) -> None:
        classic = self.types == "classic" and self.background is None and self.board == CLASSIC_SIZE
        if self.planner != "shortest" and not classic:
            raise InputError(
                f"--types, --background and --board need --planner shortest: {self.planner} only "
                "knows the board of 21x42 and the colours of J, T and L"
            )

    def plan(self, picture: Picture) -> Planned:
        """Plan a picture."""
        if self.planner == "shortest":
            return self._shortest(picture)
        return Planned(self._classic(picture))

    def _classic(self, picture: Picture) -> Plan:
        if self.planner == "table":
            from tetrisprinter.planners.table import plan_table

            return plan_table(picture)
        from tetrisprinter.planners.realtime import plan_realtime

        with progress(f"planning {picture.name}", picture.height) as on_row:
            return plan_realtime(picture, seed=self.seed, workers=self.workers, on_row=on_row)

    def _shortest(self, picture: Picture) -> Planned:
        from tetrisprinter.planners.shortest import Step, plan_shortest

        candidates: list[Plan] = []
        if self.types == "classic" and self.board == CLASSIC_SIZE and self.background is None:
            from tetrisprinter.planners.realtime import plan_realtime

            with contextlib.suppress(InputError):  # what only this planner can print, or explain
                candidates.append(plan_realtime(picture, seed=self.seed, workers=self.workers))
        with staged_progress(f"planning {picture.name}") as report:

            def show(step: Step) -> None:
                best = "no plan yet" if step.drops is None else f"{step.drops} drops"
                report(f"{step.stage}: {best}, at least {step.bound}", step.fraction)

            result = plan_shortest(
                picture,
                types=self.types,
                background=self.background,
                width=self.board[0],
                height=self.board[1],
                seed=self.seed,
                effort=self.effort,
                workers=self.workers,
                time_limit=self.time_limit,
                candidates=candidates,
                progress=show,
            )
        return Planned(
            result.plan,
            {
                "pixels": result.pixels,
                "bound": result.bound,
                "proved": result.proved,
                "stack": result.stack,
                "stopped": result.stopped,
            },
        )


def _read_types(
    context: click.Context, parameter: click.Parameter, value: str
) -> str | dict[PieceType, Color]:
    if value in ("classic", "auto"):
        return value
    types: dict[PieceType, Color] = {}
    for part in value.split(","):
        name, _, color = part.partition("=")
        match = _COLOR.fullmatch(color)
        if name not in PieceType.__members__ or match is None or PieceType[name] in types:
            raise InputError(
                f"--types: {part!r} is not a piece type with a colour of its own; give classic, "
                "auto, or a list such as J=ff0000,T=ffffff,L=0000ff"
            )
        types[PieceType[name]] = match[1].lower()
    return types


def _read_color(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> Color | None:
    if value is None:
        return None
    match = _COLOR.fullmatch(value)
    if match is None:
        raise InputError(f"--background: {value!r} is not a colour such as 000000")
    return match[1].lower()


def _read_board(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, int]:
    match = _BOARD.fullmatch(value)
    if match is None:
        raise InputError(f"--board: {value!r} is not a board such as 21x42 or 10x22")
    return int(match[1]), int(match[2])


_OPTIONS = (
    click.option(
        "--planner",
        type=click.Choice(["shortest", "realtime", "table"]),
        default="realtime",
        show_default=True,
        help="shortest takes the fewest drops and longest; realtime searches its packings; "
        "table takes them from the tables.",
    ),
    click.option(
        "--types",
        default="classic",
        show_default=True,
        metavar="classic|auto|J=RRGGBB,...",
        callback=_read_types,
        help="Which piece type shows which colour.",
    ),
    click.option(
        "--background",
        metavar="RRGGBB",
        callback=_read_color,
        help="Squares of this colour may stay empty or be filled by a type that has it.",
    ),
    click.option(
        "--board",
        default="x".join(map(str, CLASSIC_SIZE)),
        show_default=True,
        metavar="WxH",
        callback=_read_board,
        help="Size of the playfield.",
    ),
    click.option(
        "--time-limit",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Take the best plan found by then.",
    ),
    click.option(
        "--effort",
        type=click.FloatRange(min=0, min_open=True),
        default=1.0,
        show_default=True,
        help="How much longer than usual to look for a shorter plan.",
    ),
    seed_option,
    workers_option,
)


def planning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of all planners; the command gets them as ``planning``."""

    @functools.wraps(command)
    def gathered(
        *,
        planner: str,
        types: str | dict[PieceType, Color],
        background: Color | None,
        board: tuple[int, int],
        time_limit: float | None,
        effort: float,
        seed: int,
        workers: int,
        **rest: Any,
    ) -> Any:
        chosen = Planning(planner, seed, workers, types, background, board, time_limit, effort)
        return command(planning=chosen, **rest)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered
