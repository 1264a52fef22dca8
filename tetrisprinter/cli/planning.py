"""How the commands choose and call a planner."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from tetrisprinter.cli.options import seed_option, workers_option
from tetrisprinter.cli.progress import progress, staged_progress
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import CLASSIC_SIZE, Plan
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners import default_column
from tetrisprinter.support.files import write_text

__all__ = ["Planned", "Planning", "planning_options"]

_COLOR = re.compile(r"#?([0-9a-fA-F]{6})")
_BOARD = re.compile(r"([1-9]\d{0,2})x([1-9]\d{0,2})")


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, which planner made it and what that says about it, for the report."""

    plan: Plan
    planner: str
    report: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Planning:
    """The planner a command was asked to use, with its options."""

    planner: str
    seed: int
    workers: int
    types: str | dict[PieceType, Color]
    board: tuple[int, int] | None
    time_limit: float | None
    effort: float

    def __post_init__(self) -> None:
        if self.planner == "table" and not self.is_classic:
            raise InputError(
                "--types and --board need another planner: table only knows the board of 21x42 "
                "and the colours of J, T and L"
            )

    @property
    def is_classic(self) -> bool:
        """Whether the article's board and colours are asked for."""
        return self.types == "classic" and self.board == CLASSIC_SIZE

    def size(self, picture: Picture) -> tuple[int, int]:
        """Return the board for a picture."""
        if self.board is not None:
            return self.board
        from tetrisprinter.printing.boards import choose_board

        return choose_board(picture)

    def plan(
        self,
        picture: Picture,
        background: Color | None = None,
        keep: Path | None = None,
        begun: Plan | None = None,
    ) -> Planned:
        """Plan a picture.

        Parameters
        ----------
        picture : Picture
            What to print.
        background : str or None
            Empty squares may be filled by a type of this colour.
        keep : Path or None
            Where to leave the plan so far when a planner that goes row by row is interrupted.
        begun : Plan or None
            A plan of the lowest rows that such a planner goes on from.
        """
        if self.planner == "rows":
            return Planned(self._rows(picture, background, keep, begun), "rows")
        if self.planner == "shortest":
            candidates: list[Plan] = []
            # A first plan; what only this planner can print, or explain, has none.
            with contextlib.suppress(TetrisPrinterError):
                candidates.append(self._at_once(picture))
            return self._shortest(picture, background, candidates)
        try:
            plan = self._at_once(picture, keep, begun)
        except JobError:
            if self.planner != "auto" or begun is not None:
                raise
            click.echo(
                f"{picture.name}: not to be printed in real time; the shortest plan is looked for",
                err=True,
            )
            return self._shortest(picture, background, [])
        return Planned(plan, "realtime" if self.planner == "auto" else self.planner)

    def _at_once(
        self, picture: Picture, keep: Path | None = None, begun: Plan | None = None
    ) -> Plan:
        """Plan without a search for fewer drops, the article's way where it applies."""
        if self.is_classic and begun is None:
            return self._classic(picture)
        return self._any_board(picture, keep, begun)

    def _any_board(self, picture: Picture, keep: Path | None, begun: Plan | None) -> Plan:
        from tetrisprinter.planners.direct.planner import plan_any

        width, height = self.size(picture)
        column, shades = default_column(picture.width, width), self._shades(picture)
        with self._kept(picture, keep) as on_row:
            return plan_any(
                picture,
                width,
                height,
                column,
                shades,
                seed=self.seed,
                workers=self.workers,
                begun=begun,
                on_row=on_row,
            )

    def _rows(
        self, picture: Picture, background: Color | None, keep: Path | None, begun: Plan | None
    ) -> Plan:
        from tetrisprinter.planners.rows import plan_rows

        known = None
        if self.is_classic and begun is None:
            with contextlib.suppress(TetrisPrinterError):
                known = self._classic(picture)
        width, height = self.size(picture)
        column, shades = default_column(picture.width, width), self._shades(picture, background)
        with self._kept(picture, keep) as on_row:
            return plan_rows(
                picture,
                width,
                height,
                column,
                shades,
                background=background,
                seed=self.seed,
                effort=self.effort,
                workers=self.workers,
                begun=begun,
                known=known,
                on_row=on_row,
            )

    @contextlib.contextmanager
    def _kept(self, picture: Picture, keep: Path | None) -> Iterator[Callable[[Plan], None]]:
        """Show progress by rows; when interrupted, keep the plan of those that are done."""
        so_far: list[Plan] = []

        def on_row(plan: Plan) -> None:
            so_far[:] = [plan]
            advance()

        with progress(f"planning {picture.name}", picture.height) as advance:
            try:
                yield on_row
            except KeyboardInterrupt:
                if keep is not None and so_far:
                    write_text(keep, str(so_far[0]))
                    click.echo(
                        f"{keep}: the plan of the rows so far; the same command with --resume "
                        "goes on from there",
                        err=True,
                    )
                raise

    def _shades(
        self, picture: Picture, background: Color | None = None
    ) -> dict[PieceType, Color] | None:
        if self.types == "auto":
            return None
        if self.types == "classic":
            from tetrisprinter.planners.shortest.assignments import classic_types

            return dict(classic_types(picture, background))
        assert not isinstance(self.types, str)
        return self.types

    def _classic(self, picture: Picture) -> Plan:
        if self.planner == "table":
            from tetrisprinter.planners.article.table import plan_table

            return plan_table(picture)
        from tetrisprinter.planners.article.realtime import plan_realtime

        with progress(f"planning {picture.name}", picture.height) as on_row:
            return plan_realtime(picture, seed=self.seed, workers=self.workers, on_row=on_row)

    def _shortest(
        self, picture: Picture, background: Color | None, candidates: list[Plan]
    ) -> Planned:
        from tetrisprinter.planners.shortest import Step, plan_shortest

        width, height = self.size(picture)
        with staged_progress(f"planning {picture.name}") as report:

            def show(step: Step) -> None:
                best = "no plan yet" if step.drops is None else f"{step.drops} drops"
                report(f"{step.stage}: {best}, at least {step.bound}", step.fraction)

            result = plan_shortest(
                picture,
                types=self.types,
                background=background,
                width=width,
                height=height,
                seed=self.seed,
                effort=self.effort,
                workers=self.workers,
                time_limit=self.time_limit,
                candidates=candidates,
                progress=show,
            )
        return Planned(
            result.plan,
            "shortest",
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


def _read_board(
    context: click.Context, parameter: click.Parameter, value: str
) -> tuple[int, int] | None:
    if value == "auto":
        return None
    match = _BOARD.fullmatch(value)
    if match is None:
        raise InputError(f"--board: {value!r} is neither auto nor a board such as 21x42 or 10x22")
    return int(match[1]), int(match[2])


def _options(defaults: Mapping[str, str]) -> tuple[Callable[..., Any], ...]:
    return (
        click.option(
            "--planner",
            type=click.Choice(["auto", "rows", "shortest", "realtime", "table"]),
            default="auto",
            show_default=True,
            help="shortest takes the fewest drops and longest; rows prints row by row, carrying "
            "squares upwards, at any size; realtime searches its packings; table takes them from "
            "the tables; auto is realtime, and shortest where that finds "
            "nothing.",
        ),
        click.option(
            "--types",
            default=defaults.get("types", "classic"),
            show_default=True,
            metavar="classic|auto|J=RRGGBB,...",
            callback=_read_types,
            help="Which piece type shows which colour.",
        ),
        click.option(
            "--board",
            default=defaults.get("board", "x".join(map(str, CLASSIC_SIZE))),
            show_default=True,
            metavar="WxH|auto",
            callback=_read_board,
            help="Size of the playfield; auto chooses it for the picture.",
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


def planning_options(**defaults: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options of all planners; the command gets them as ``planning``.

    Parameters
    ----------
    defaults : str
        Defaults that differ for this command, by option.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def gathered(
            *,
            planner: str,
            types: str | dict[PieceType, Color],
            board: tuple[int, int] | None,
            time_limit: float | None,
            effort: float,
            seed: int,
            workers: int,
            **rest: Any,
        ) -> Any:
            chosen = Planning(planner, seed, workers, types, board, time_limit, effort)
            return command(planning=chosen, **rest)

        for option in reversed(_options(defaults)):
            gathered = option(gathered)
        return gathered

    return decorate
