"""The planner for the fewest drops: any board, any type colours, any printable picture.

:func:`plan_shortest` is all there is to call. Behind it, from the bottom:
``target`` (what each square may hold), ``passes`` (slices of a game), ``model`` (the joint
optimisation of a list of passes), ``horizon``, ``improve`` and ``ladder`` (which lists to
try), ``types`` (colours to types), ``theorems`` and ``bounds`` (what cannot be).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.game.pieces import PieceType, Placement
from tetrisprinter.game.plan import CLASSIC_SIZE, CLASSIC_TYPES, Pass, Plan
from tetrisprinter.game.replay import Game, play_through, shown
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners import default_column
from tetrisprinter.planners.shortest.assignments import (
    any_shades,
    classic_types,
    colors_to_show,
    covering_shades,
    types_of_shades,
)
from tetrisprinter.planners.shortest.game import Played
from tetrisprinter.planners.shortest.ladder import Climbed, climb
from tetrisprinter.planners.shortest.session import Progress, Session, Step
from tetrisprinter.printing.counting import fewest_drops
from tetrisprinter.printing.obstacles import obstacle
from tetrisprinter.printing.target import Target, make_open_target, make_target

__all__ = ["Progress", "ShortestResult", "Step", "plan_shortest"]

_UNUSED = "000000"


@dataclass(frozen=True, slots=True)
class ShortestResult:
    """A plan and how good it is.

    Attributes
    ----------
    plan : Plan
        The plan, replayed and compared with the picture.
    drops, lines : int
        Pieces dropped and rows cleared.
    pixels : int
        Squares of the picture, background squares not counted.
    bound : int
        No game whatsoever prints the picture in fewer drops.
    proved : str
        ``"all games"`` if the plan meets the bound, ``"passes"`` if it is the shortest for
        the passes that were offered, else ``"no"``.
    stack : int
        The height of the highest square at any time.
    seconds : float
        Wall time.
    stopped : bool
        Whether a time limit or Ctrl-C ended the search early.
    """

    plan: Plan
    drops: int
    lines: int
    pixels: int
    bound: int
    proved: str
    stack: int
    seconds: float
    stopped: bool

    @property
    def cells_per_pixel(self) -> float:
        """Cells dropped per printed square; 1 is the physical limit."""
        return 4 * self.drops / self.pixels


def plan_shortest(
    picture: Picture,
    *,
    types: str | Mapping[PieceType, Color] = "classic",
    background: Color | None = None,
    width: int = CLASSIC_SIZE[0],
    height: int = CLASSIC_SIZE[1],
    column: int | None = None,
    seed: int = 0,
    effort: float = 1.0,
    workers: int = 2,
    time_limit: float | None = None,
    candidates: Sequence[Plan] = (),
    progress: Progress | None = None,
) -> ShortestResult:
    """Plan a picture in as few drops as can be found.

    Parameters
    ----------
    picture : Picture
        What the field is to show.
    types : str or mapping of PieceType to str
        ``"classic"``, ``"auto"``, or the colour of every type that may stay visible.
    background : str or None
        Squares of this colour, and transparent ones, may be left empty or be filled by a
        type of this colour.
    width, height : int
        The board.
    column : int or None
        Where the picture's first column stands; None for the usual place.
    seed : int
        Same seed, same plan, whatever the number of workers.
    effort : float
        How much longer than usual to try.
    workers : int
        How many solves may run side by side.
    time_limit : float or None
        Seconds after which the best plan so far is returned.
    candidates : sequence of Plan
        Plans of the same picture by other planners, for the case that they are better.
    progress : callable or None
        Called with a :class:`Step` whenever there is news.

    Returns
    -------
    ShortestResult

    Raises
    ------
    InputError
        If the picture does not fit or a colour has no type.
    JobError
        If a theorem forbids the picture, or nothing was found in time.
    """
    began = time.monotonic()
    session = Session(
        seed=seed,
        effort=effort,
        workers=workers,
        deadline=float("inf") if time_limit is None else began + time_limit,
        progress=progress,
    )
    at = default_column(picture.width, width) if column is None else column
    place = (width, height, at)
    if not colors_to_show(picture, background):
        raise InputError(f"{picture.name}: has no square that would have to be printed")
    for plan in candidates:
        session.found(len(plan))
    found, target, mapping = _search(picture, types, background, place, session)
    choices = [plan for plan in candidates if _fits(plan, picture, target, at, background)]
    if found.played is not None:
        choices.insert(0, _plan(found.played, mapping, width, height))
    if not choices and session.interrupted:
        raise KeyboardInterrupt
    if not choices:
        why = "in the time given" if session.stopped else "with this effort"
        raise JobError(
            f"{picture.name}: no plan was found {why}; try a larger --effort, a higher board or "
            "--types auto"
        )
    best = min(choices, key=len)
    game = play_through(best)
    if not _shows(best, game, picture, at, background):
        raise TetrisPrinterError(f"{picture.name}: the plan prints something else; a fault")
    bound = max(session.bound, fewest_drops(target))
    proved = "no"
    if len(best) <= bound:
        proved = "all games"
    elif found.listed and best is choices[0]:
        proved = "passes"
    return ShortestResult(
        plan=best,
        drops=len(game.drops),
        lines=game.lines,
        pixels=len(target.required),
        bound=bound,
        proved=proved,
        stack=max(d.landing.y + d.landing.orientation.height for d in game.drops),
        seconds=time.monotonic() - began,
        stopped=session.stopped,
    )


def _search(
    picture: Picture,
    types: str | Mapping[PieceType, Color],
    background: Color | None,
    place: tuple[int, int, int],
    session: Session,
) -> tuple[Climbed, Target, Mapping[PieceType, Color]]:
    """Choose the types if need be and climb the ladder."""
    if types == "auto":
        colors = colors_to_show(picture, background)
        if len(colors) > len(PieceType):
            raise InputError(
                f"{picture.name}: {len(colors)} colours, but there are only seven piece types"
            )
        target = make_open_target(picture, *place, background)
        _refuse(picture, target)
        if any_shades(target) is None:
            raise JobError(
                f"{picture.name}: cannot be printed: whichever type shows which colour, some row "
                "cannot be made up of pieces that leave as many squares above it as the picture "
                "has there (theorems 'O alone' and 'cut'); use fewer colours or an odd width"
            )
        found = climb(target, session)
        mapping = types_of_shades(found.shades or next(covering_shades(target)), colors)
        return found, make_target(picture, mapping, *place, background), mapping
    if isinstance(types, str):
        if types != "classic":
            raise InputError(f"types are 'classic', 'auto' or a mapping, not {types!r}")
        mapping = classic_types(picture, background)
    else:
        mapping = types
    target = make_target(picture, mapping, *place, background)
    _refuse(picture, target)
    return climb(target, session), target, mapping


def _refuse(picture: Picture, target: Target) -> None:
    why = obstacle(target)
    if why is not None:
        raise JobError(f"{picture.name}: cannot be printed: {why}")


def _plan(
    played: Sequence[Played], mapping: Mapping[PieceType, Color], width: int, height: int
) -> Plan:
    """Draw the passes, each cut to the rows it uses."""
    passes: list[Pass] = []
    for one in played:
        for part in filter(None, one.parts):
            low = min(p.y for p in part)
            top = max(p.y + p.orientation.height for p in part)
            pieces = tuple(Placement(p.orientation, p.x, p.y - low) for p in part)
            passes.append(Pass(top - low, pieces))
    colors = tuple((piece, mapping[piece]) for piece in PieceType if piece in mapping)
    if (width, height) == CLASSIC_SIZE and set(mapping) <= set(CLASSIC_TYPES):
        colors = tuple((piece, mapping.get(piece, _UNUSED)) for piece in CLASSIC_TYPES)
    return Plan(tuple(passes), colors, width, height)


def _fits(
    plan: Plan, picture: Picture, target: Target, column: int, background: Color | None
) -> bool:
    return (plan.width, plan.height) == (target.width, target.height) and _shows(
        plan, play_through(plan), picture, column, background
    )


def _shows(plan: Plan, game: Game, picture: Picture, column: int, background: Color | None) -> bool:
    """Whether the game leaves the picture; background and empty squares are the same."""
    if background is None:
        used = {piece for piece, _ in plan.colors}
        if any(v and PieceType(v) not in used for row in game.field.rows for v in row):
            return False
    wanted = picture.placed(plan.width, plan.height, column)
    left = shown(plan, game.field)
    nothing = (None, background)
    return all(
        left.rows[y][x] == wanted.rows[y][x]
        or (left.rows[y][x] in nothing and wanted.rows[y][x] in nothing)
        for x, y in left.differences(wanted)
    )
