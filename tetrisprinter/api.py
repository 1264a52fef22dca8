"""The verbs of the front door that take several steps at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from tetrisprinter.errors import JobError, TetrisPrinterError
from tetrisprinter.formats import FORMATS, format_of, game_text
from tetrisprinter.game.board import Board
from tetrisprinter.pictures.sources import as_picture
from tetrisprinter.planners import Planner, Progress, Run, make_plan
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Asked, Task
from tetrisprinter.support.limits import Limit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from tetrisprinter.game.plan import Plan
    from tetrisprinter.pictures.convert import Conversion
    from tetrisprinter.pictures.picture import Picture

__all__ = ["make_game", "print_picture"]

_LOWER = (0, 2, 4)
"""How many rows of the board to leave to the other game for moving pieces, in turn."""


def print_picture(
    picture: Picture | str | Path | Image.Image | NDArray[np.uint8],
    *,
    convert: Conversion | None = None,
    repair: bool = False,
    planner: str | Planner = "auto",
    limit: Limit | None = None,
    tell: Callable[[Progress], None] | None = None,
    **asked: Unpack[Asked],
) -> PrintResult:
    """Print a picture: plan it, play every drop, compare what is left with it.

    Parameters
    ----------
    picture : Picture, str, Path, PIL.Image.Image or array
        What to print; see :func:`~tetrisprinter.pictures.sources.as_picture`.
    convert : Conversion, optional
        What may be done to an image: scaling, reducing colours, leaving out a background.
        By default nothing.
    repair : bool
        Print the nearest printable picture where this one cannot be.
    planner : str or Planner
        One of ``tetrisprinter.PLANNERS``: ``"shortest"`` takes longest and the fewest drops.
    limit : Limit, optional
        What ends the search; by default as many workers as there are processors, and no
        limit of time.
    tell : callable, optional
        Called with a :class:`~tetrisprinter.planners.run.Progress` whenever there is news.
    board : Board, str or (int, int)
        The playfield, such as ``"21x42"``; by default it is chosen for the picture.
    types : str or mapping of PieceType to str
        Which piece type shows which colour: ``"auto"`` (the default), ``"classic"``, or
        such as ``"J=ff0000,T=ffffff"``.
    background : str or None
        A colour that may stay empty, and that may be left where the picture is transparent;
        by default the one that ``convert`` found.
    column : int or None
        Where the picture's leftmost column stands.

    Returns
    -------
    PrintResult
        The plan and the game, with what is known of how good it is.

    Raises
    ------
    InputError
        If something cannot be read, or what is asked for does not go together.
    JobError
        If no game prints the picture (the error has the ``obstacle``), or no plan was found.

    Examples
    --------
    >>> result = print_picture("r.r\\nrrr", board="21x42", types="classic", planner="table")
    >>> result.drops, result.lines, result.pixels
    (80, 15, 5)
    """
    converted = as_picture(picture, convert)
    if converted.background is not None:
        asked.setdefault("background", converted.background)
    task = Task.of(converted.picture, **asked)
    if repair:
        from tetrisprinter.printing.repair import repair as repaired

        task = Task.of(repaired(task)[0], **asked)
    run = Run(limit or Limit(workers=os.cpu_count() or 1), tell or (lambda _: None))
    return make_plan(task, planner, run)


def make_game(
    task: Task,
    path: str | Path,
    make: Callable[[Task], PrintResult],
    name: str = "",
    write: Callable[[Plan, str], str] | None = None,
) -> tuple[PrintResult, str]:
    """Plan a task so that the format which a file's name asks for can express the game.

    The art game needs rows to move its pieces in. If a plan leaves too few, it is made
    again as if the board were lower.

    Parameters
    ----------
    task : Task
        What is to be printed.
    path : str or Path
        Only its name counts.
    make : callable
        Who plans, such as :func:`~tetrisprinter.planners.make_plan`.
    name : str
        What messages call the game; the task's name if empty.
    write : callable, optional
        What writes a plan, given also the name for messages; by default the format which
        the file's name asks for, without options.

    Returns
    -------
    PrintResult and str
        The print, and the game in that format.

    Raises
    ------
    JobError
        If the format cannot express any of the plans.

    Examples
    --------
    >>> from tetrisprinter.pictures.picture import Picture
    >>> task = Task.of(Picture.parse("rr\\nrr"), "10x22")
    >>> result, text = make_game(task, "square.fumen", make_plan)
    >>> text[:5]
    'v115@'
    """
    board, refused = task.board, None
    write = write or (lambda plan, source: game_text(plan, path, source))
    for rows in _LOWER if format_of(path) is FORMATS["art"] else (0,):
        try:
            result = make(replace(task, board=Board(board.width, board.height - rows)))
        except TetrisPrinterError:
            if refused is not None:
                raise refused from None
            raise
        plan = replace(result.plan, width=board.width, height=board.height)
        result = replace(result, task=task, plan=plan)
        try:
            return result, write(plan, name or task.name)
        except JobError as error:
            refused = refused or error
    assert refused is not None
    raise refused
