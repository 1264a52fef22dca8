"""From any image to a task that can be done, and what to try when it cannot.

What somebody asks for is kept; what is not said is chosen: a picture that the article's
board holds in up to three colours goes there, any other gets a board of its own and all
seven types. If no game leaves the picture, the nearest one that some game leaves takes its
place (:mod:`~tetrisprinter.printing.repair`). Everything that was done is told as a
:class:`~tetrisprinter.pictures.convert.Step` with the thing that would have it otherwise.

Where even then no plan is found, :func:`easier` says what to ask for instead: a colour fewer
and a size smaller, in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from tetrisprinter.errors import Thing
from tetrisprinter.game.board import CLASSIC_BOARD, Board
from tetrisprinter.game.plan import CLASSIC_TYPES
from tetrisprinter.pictures.convert import USUAL, Conversion, Converted, Step, Usual
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.printing.boards import MARGIN, ROOM_ABOVE
from tetrisprinter.printing.repair import Change, repair
from tetrisprinter.printing.task import CLASSIC_WIDTH, Task
from tetrisprinter.printing.types import TypeColors, TypesAsked, colors_to_show
from tetrisprinter.support.sizes import size_text

__all__ = ["Suited", "Wishes", "easier", "suited", "usual_for"]

CLASSIC_HEIGHT: Final = CLASSIC_BOARD.height - ROOM_ABOVE
"""Rows of the highest picture that the article prints on its board."""

_SMALL: Final = 12
"""Columns and rows up to which a board has no margin to spare."""

_TOLD: Final = 3
"""How many changed pixels a step names."""

_LEAST: Final = 4
"""The shortest long side of a picture that is still tried."""


_UNSAID: Final = Conversion(usual=USUAL)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What somebody asks for; None is whatever suits the picture.

    Attributes
    ----------
    conversion : Conversion
        What may be done to the image; its ``usual`` is what suits the board.
    board : Board, "auto" or None
        The playfield; auto is one made for the picture, None may also be the article's.
    types : "classic", "auto", TypeColors or None
        Which type shows which colour.
    repairs : bool
        Whether pixels may be changed where no game leaves the picture.
    """

    conversion: Conversion = _UNSAID
    board: Board | Literal["auto"] | None = None
    types: TypesAsked | None = None
    repairs: bool = True

    @property
    def is_exact(self) -> bool:
        """Whether the picture is to be printed as it is, or not at all."""
        return self.conversion.usual is None

    def task(self, picture: Picture, background: Color | None = None) -> Task:
        """Return the task for a picture, with what is not said chosen."""
        colors = colors_to_show(picture, background)
        few = len(colors) <= len(CLASSIC_TYPES)
        board = self.board
        if board is None:
            small = picture.width <= CLASSIC_WIDTH and picture.height <= CLASSIC_HEIGHT
            classic = small and few and self.types in (None, "classic")
            board = CLASSIC_BOARD if classic or self.types == "classic" else "auto"
        types = self.types
        if types is None:
            types = "classic" if board == CLASSIC_BOARD and few else "auto"
        return Task.of(picture, board, types, background)


@dataclass(frozen=True, slots=True)
class Suited:
    """A task, and how it came to be.

    Attributes
    ----------
    task : Task
        What to print, perhaps repaired.
    wishes : Wishes
        What was asked for.
    steps : tuple of Step
        What was done and chosen.
    changes : tuple of Change
        Which pixels were repaired.
    background : str or None
        The colour that was left empty.
    """

    task: Task
    wishes: Wishes
    steps: tuple[Step, ...] = ()
    changes: tuple[Change, ...] = ()
    background: Color | None = None


def usual_for(board: Board | Literal["auto"] | None, types: TypesAsked | None) -> Usual:
    """Return what happens to an image that does not fit what is asked for.

    Examples
    --------
    >>> usual_for(Board(21, 42), "classic").side
    (17, 32)
    >>> usual_for(Board(10, 22), None).side, usual_for(None, None).side
    ((9, 12), (48, 48))
    """
    usual = USUAL
    if isinstance(board, Board):
        width = board.width - (MARGIN if board.width > _SMALL else 1)
        height = board.height - (ROOM_ABOVE if board.height >= 2 * ROOM_ABOVE else MARGIN)
        side = (max(1, width), max(1, height))
        usual = replace(usual, side=side, as_is=(board.width, board.height))
    if types == "classic":
        few = len(CLASSIC_TYPES)
        side = (CLASSIC_WIDTH, CLASSIC_HEIGHT) if board is None else usual.side
        usual = replace(usual, side=side, as_is=side, colors=few, most=few)
    elif isinstance(types, TypeColors):
        # Whether the colours are those of the types is another question.
        usual = replace(usual, most=len(set(types.values())))
    return usual


def suited(read: Callable[[Conversion], Converted], wishes: Wishes) -> Suited:
    """Make a task of an image.

    Parameters
    ----------
    read : callable
        Returns the image, converted as it is told to.
    wishes : Wishes
        What is asked for.

    Raises
    ------
    InputError
        If the image cannot be read, or holds nothing.

    Examples
    --------
    >>> picture = Picture.parse("r..\\n...\\nrrr")
    >>> found = suited(lambda how: Converted(picture), Wishes())
    >>> print(found.task.board, *found.steps)
    21x42 1 pixel repaired: column 0, row 1: empty -> d03020 (the row was empty below squares)
    """
    conversion = wishes.conversion
    if conversion.usual == USUAL:
        conversion = replace(conversion, usual=usual_for(wishes.board, wishes.types))
    converted = read(conversion)
    steps = list(converted.steps)
    picture = converted.picture
    # Squares of a background that nobody asked for stay empty: plans that may fill some of
    # them are found less often, and a pixel that is repaired is told.
    background = converted.background if wishes.conversion.background is not None else None
    task = wishes.task(picture, background)
    changes: tuple[Change, ...] = ()
    if wishes.repairs:
        better, changes = repair(task)
        if changes:
            task = wishes.task(better, background)
            steps.append(Step(_repaired(changes), Thing.EXACT))
    if wishes.board is None and task.board != CLASSIC_BOARD:
        steps.append(Step(f"board {task.board}", Thing.BOARD))
        if wishes.types is None:
            steps.append(Step("all types shared among its colours", Thing.TYPES))
    return Suited(task, wishes, tuple(steps), changes, converted.background)


def _repaired(changes: tuple[Change, ...]) -> str:
    pixels = "pixel" if len(changes) == 1 else "pixels"
    told = "; ".join(map(str, changes[:_TOLD]))
    more = f"; and {len(changes) - _TOLD} more" if len(changes) > _TOLD else ""
    return f"{len(changes)} {pixels} repaired: {told}{more}"


def easier(found: Suited) -> Iterator[tuple[Wishes, str]]:
    """Yield what to ask for instead, when no plan is found, and what it is in words.

    Nothing for a picture that is to be printed as it is or not at all.

    Examples
    --------
    >>> task = Task.of(Picture.parse("rrrrrrggg\\nrrrrrrggg"))
    >>> [said for _, said in easier(Suited(task, Wishes()))]
    ['1 colour', '7x1 squares', '5x1 squares', '4x1 squares']
    """
    wishes, picture = found.wishes, found.task.picture
    if wishes.is_exact:
        return
    colors = len(found.task.colors)
    size = (float(picture.width), float(picture.height))
    conversion = wishes.conversion
    while True:
        if colors > 1:
            colors -= 1
            conversion = replace(conversion, colors=colors)
            yield (
                replace(wishes, conversion=conversion),
                f"{colors} colour{'s' if colors > 1 else ''}",
            )
        size = (size[0] * 0.8, size[1] * 0.8)
        fit = (max(1, int(size[0])), max(1, int(size[1])))
        if max(fit) < _LEAST:
            return
        conversion = replace(conversion, fit=fit)
        yield replace(wishes, conversion=conversion), f"{size_text(*fit)} squares"
