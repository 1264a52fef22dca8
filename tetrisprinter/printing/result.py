"""The result of a task: a plan, its game, and how good the plan is.

A :class:`PrintResult` is made only from a plan whose game was played drop by drop and left the
picture, as :func:`find_differences` decides, for all planners and commands. It looks at the types
of squares, not at an image: a type without a colour must not stay, even where its squares would be
invisible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from tetrisprinter.errors import InputError, InternalError
from tetrisprinter.game.field import Board, Playfield, count_least_drops
from tetrisprinter.game.pieces import GREY, Cell, PieceType
from tetrisprinter.game.plan import GREY_COLOR, Plan
from tetrisprinter.game.replay import Game, make_drop_log, play_through
from tetrisprinter.pictures.picture import Color, Picture, make_field_picture
from tetrisprinter.printing.task import Task, count_rows_to_clear
from tetrisprinter.support import format_count, load

if TYPE_CHECKING:
    from tetrisprinter.pictures.convert import Step
    from tetrisprinter.render import Rendering


def find_differences(task: Task, field: Playfield, colors: Mapping[PieceType, Color]) -> list[Cell]:
    """Return the squares of the board that differ from the task.

    Without a background, transparent squares must be empty. With a background, transparent squares
    and squares of the background's colour may be empty or hold a type of that colour.
    """
    background = task.background
    square_colors = {GREY: GREY_COLOR} | {int(piece): color for piece, color in colors.items()}
    differences: list[Cell] = []
    for y, (row, wanted_row) in enumerate(zip(field.rows, task.wanted.rows, strict=True)):
        for x, (value, color) in enumerate(zip(row, wanted_row, strict=True)):
            shown_color = square_colors.get(value)
            if color is None or color == background:
                is_right = not value or (background is not None and shown_color == background)
            else:
                is_right = shown_color == color
            if not is_right:
                differences.append((x, y))
    return differences


GAMES: Final = "hard drops"
"""The games that bounds and proofs cover: pieces are turned and shifted, then dropped straight.

A tuck under an overhang can save drops (``docs/bounds.md`` has an example).
"""


@dataclass(frozen=True, slots=True)
class DropBound:
    """A lower bound on the drops of the games that print a picture on one board.

    It carries the board, because another board may allow a shorter game.

    Examples
    --------
    >>> bound = DropBound(30, Board(14, 29))
    >>> print(bound)
    no game of hard drops on this board of 14x29 has fewer than 30
    >>> bound.combine(DropBound(31, Board(14, 29))).drops
    31
    """

    drops: int  # no game of hard drops on the board has fewer
    board: Board

    def combine(self, other: DropBound) -> DropBound:
        """Return the higher of two bounds for one board; bounds of two boards are an error."""
        if self.board != other.board:
            raise InternalError(
                f"internal error: a bound for the board {other.board} is used on {self.board}; "
                "please report it"
            )
        return self if self.drops >= other.drops else other

    def __str__(self) -> str:
        return f"no game of {GAMES} on this board of {self.board} has fewer than {self.drops}"


class Proof(StrEnum):
    """The class of games of hard drops in which a print provably has the fewest drops."""

    NONE = "no"
    ALL_GAMES = "all games"  # all games on the board of the print


@dataclass(frozen=True, slots=True, repr=False)
class PrintResult:
    """A print: played, compared with its task, and ready to be saved.

    Attributes
    ----------
    task : Task
        The task.
    plan : Plan
        The drops.
    game : Game
        The played plan: its drops and the field it leaves.
    planner : str
        The name of the planner.
    drop_bound : DropBound
        No game of hard drops does the task on its board with fewer drops.
    seconds : float
        Wall time of planning.
    stopped : bool
        Whether a limit or an interrupt ended the search early.
    fallbacks : tuple of (str, int)
        The unusual methods that the planner had to use, and how often.
    steps : tuple of Step
        The changes of the image and the choices made for it; the ``argument`` of a step is the
        library's argument that changes this choice.
    made_by : tuple of str
        The stages of the planner that made the plan, in their order.
    work : float
        Work units of the search, about CPU seconds, but the same on every machine.
    remembered : "no", "start" or "all"
        Whether a cache had a game of this picture: the search started with it, or all of the search
        was done before.
    """

    task: Task
    plan: Plan
    game: Game
    planner: str
    drop_bound: DropBound
    seconds: float = 0.0
    stopped: bool = False
    fallbacks: tuple[tuple[str, int], ...] = ()
    steps: tuple[Step, ...] = ()
    made_by: tuple[str, ...] = ()
    work: float = 0.0
    remembered: Literal["no", "start", "all"] = "no"

    def __post_init__(self) -> None:
        bound = self.drop_bound
        if bound.board != self.task.board or bound.drops > self.drops:
            raise InternalError(
                f"{self.task.name}: internal error: a game of {format_count(self.drops, 'drop')} "
                f"on {self.task.board}, but {bound}; please report it"
            )

    @classmethod
    def of(cls, task: Task, plan: Plan, planner: str, seconds: float = 0.0) -> PrintResult:
        """Play a plan and compare the field with the task.

        The bound comes from counting squares and rows alone. The result's plan gets the task's
        background, which is the colour of empty squares wherever the plan is drawn.
        """
        if plan.board != task.board:
            raise InputError(
                f"{task.name}: the plan is for the board {plan.board}; the task needs {task.board}"
            )
        plan = replace(plan, background=task.background)
        if task.pieces is not None:
            queue = plan.queue
            if (
                queue is None
                or queue.hold > task.pieces.hold
                or (queue.pieces != task.pieces.deal(len(queue.pieces)))
            ):
                raise InputError(f"{task.name}: the piece queues of plan and task differ")
            queue.trace_turns(plan.list_types())
        if plan.start != task.start:
            raise InputError(f"{task.name}: the plan starts on another board than the task")
        game = play_through(plan)
        differences = find_differences(task, game.field, plan.color_of)
        if task.type_colors is not None:
            differences = differences or find_differences(task, game.field, task.type_colors)
        if differences:
            x, y = differences[0]
            raise InternalError(
                f"{task.name}: internal error: the print differs from the image in "
                f"{len(differences)} squares, first at column {x}, row {y} of the board; "
                "please report it"
            )
        # With a background a game may leave further squares, at most all but one of each row.
        max_squares = (task.board.width - 1) * task.board.height
        spare_squares = max_squares - task.pixels if task.background is not None else 0
        lines, squares = 0, task.pixels - task.squares_at_start
        if task.start and task.type_colors is not None:
            lines = count_rows_to_clear(task.start, task.target)
        least_drops = count_least_drops(task.board.width, squares, spare_squares, lines)
        return cls(task, plan, game, planner, DropBound(least_drops, task.board), seconds)

    def is_shortest(self, any_board: bool) -> bool:
        """Return whether no game is shorter; on an open board it is proved if no line clears."""
        return self.proof is Proof.ALL_GAMES and not (any_board and self.lines)

    def raise_bound(self, bound: DropBound) -> PrintResult:
        """Return the result with another bound for its board, if that is higher."""
        return replace(self, drop_bound=self.drop_bound.combine(bound))

    @property
    def bound(self) -> int:
        """No game of hard drops on the board of the print has fewer drops."""
        return self.drop_bound.drops

    @property
    def proof(self) -> Proof:
        """``"all games"`` if no game on the board has fewer drops, as the bound says."""
        return Proof.ALL_GAMES if self.drops <= self.bound else Proof.NONE

    @property
    def shown(self) -> Picture:
        """The picture on the final field, without the board around the picture.

        An empty square gets the background's colour, unless the picture is transparent there.
        """
        picture, field_picture = self.task.picture, make_field_picture(self.plan, self.game.field)
        columns = slice(self.task.column, self.task.column + picture.width)
        rows = (
            tuple(
                self.task.background
                if shown_color is None and pixel_color is not None
                else shown_color
                for shown_color, pixel_color in zip(row[columns], picture_row, strict=True)
            )
            for row, picture_row in zip(field_picture.rows, picture.rows, strict=False)
        )
        return Picture(tuple(rows), self.task.name)

    @property
    def drops(self) -> int:
        """The number of dropped pieces."""
        return len(self.game.drops)

    @property
    def lines(self) -> int:
        """The number of cleared rows."""
        return self.game.lines

    @property
    def pixels(self) -> int:
        """The number of squares that the task prints."""
        return self.task.pixels

    @property
    def stack(self) -> int:
        """The greatest height of the stack at any time, in rows, before full rows clear."""
        tops = (drop.landing.y + drop.landing.orientation.height for drop in self.game.drops)
        return max(tops, default=0)

    @property
    def cells_per_pixel(self) -> float:
        """Cells dropped per printed square; 1 is the physical limit."""
        return 4 * self.drops / max(1, self.pixels)

    def save(
        self,
        path: str | Path,
        rendering: Rendering | None = None,
        *,
        title: str = "",
        report: Callable[[int, int], None] | None = None,
        **options: Any,
    ) -> None:
        """Write the print to a file whose extension names the format.

        Options of the rendering, such as ``seconds=10`` and ``style="outlines"``, are those of
        :func:`tetrisprinter.save`.
        """
        save = load("tetrisprinter.api.prints:save_plan")
        save(self.plan, path, rendering, title=title or self._title, report=report, **options)

    def count_pieces(self) -> dict[Color, int]:
        """Return the number of dropped pieces of each colour, the most common first.

        A piece whose type has no colour in the plan is not counted: it leaves no square.

        Examples
        --------
        >>> import tetrisprinter as tp
        >>> tp.print_picture("r=d03020\\nrrrr").count_pieces()
        {'d03020': 1}
        """
        color_of = self.plan.color_of
        colors = (color_of[piece] for piece in self.plan.list_types() if piece in color_of)
        return dict(Counter(colors).most_common())

    @property
    def claim(self) -> str:
        """A clause that says what is proved about the number of drops, and for which games."""
        if self.proof is Proof.NONE:
            return str(self.drop_bound)
        # A game that begins on an empty board needs a piece for each four squares on every board.
        is_for_every_board = not self.task.start and 4 * (self.drops - 1) < self.pixels
        place = "any board" if is_for_every_board else f"this board of {self.task.board}"
        return f"proved: no game of {GAMES} on {place} has fewer"

    @property
    def _title(self) -> str:
        """The heading of files: the name of the image, without folder and extension."""
        return Path(self.task.name).stem

    def log(self) -> dict[str, object]:
        """Return the played game as plain data, for an independent check."""
        return make_drop_log(self.plan, self.game)

    def __str__(self) -> str:
        squares = format_count(self.pixels, "square")
        drops, lines = format_count(self.drops, "drop"), format_count(self.lines, "line")
        return (
            f"{self.task.name}: {squares} on {self.task.board} by {self.planner}: "
            f"{drops}, {lines} ({self.claim})"
        )

    def __repr__(self) -> str:
        return f"<PrintResult {' '.join(str(self).split())}>"

    def _repr_html_(self) -> str:
        """Return HTML that plays the game in a notebook."""
        html: str = load("tetrisprinter.render.still:draw_plan_html")(self.plan, self._title)
        return html

    def _repr_png_(self) -> bytes | None:
        png: bytes | None = load("tetrisprinter.render.still:draw_plan_png")(self.plan)
        return png
