"""The result of a task: a plan, its game, and how good the plan is.

A :class:`PrintResult` is made only from a plan whose game was played drop by drop and left the
picture, as :func:`~tetrisprinter.printing.comparing.find_differences` decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tetrisprinter.errors import InputError, InternalError
from tetrisprinter.game.divisibility import count_least_drops
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import Game, make_drop_log, play_through
from tetrisprinter.pictures.picture import Picture, make_field_picture
from tetrisprinter.printing.comparing import find_differences
from tetrisprinter.printing.target import count_rows_to_clear
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.writers import find_writer
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.displays import HTML, PNG

if TYPE_CHECKING:
    from tetrisprinter.pictures.convert import Step
    from tetrisprinter.render import Rendering


GAMES: Final = "hard drops"
"""The games that bounds and proofs cover: pieces are turned and shifted, then dropped straight.

A tuck under an overhang can save drops (``docs/bounds.md`` has an example).
"""


class Proof(StrEnum):
    """The class of games of hard drops in which a print provably has the fewest drops."""

    NONE = "no"
    ALL_GAMES = "all games"


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
    bound : int
        No game of hard drops does the task with fewer drops.
    proof : Proof
        ``"all games"`` if the plan meets the bound, else ``"no"``.
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
    """

    task: Task
    plan: Plan
    game: Game
    planner: str
    bound: int = 0
    proof: Proof = Proof.NONE
    seconds: float = 0.0
    stopped: bool = False
    fallbacks: tuple[tuple[str, int], ...] = ()
    steps: tuple[Step, ...] = ()
    made_by: tuple[str, ...] = ()
    work: float = 0.0

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
        bound = count_least_drops(task.board.width, squares, spare_squares, lines)
        proof = Proof.ALL_GAMES if len(plan) <= bound else Proof.NONE
        return cls(task, plan, game, planner, bound, proof, seconds)

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
    ) -> None:
        """Write the print to a file whose extension names the format."""
        writer = find_writer(path)
        writer.save(self.plan, path, rendering, title=title or self._title, report=report)

    @property
    def claim(self) -> str:
        """A clause that says what is proved about the number of drops, and for which games."""
        if self.proof is Proof.ALL_GAMES:
            return f"proved: no game of {GAMES} has fewer"
        return f"no game of {GAMES} has fewer than {self.bound}"

    @property
    def _title(self) -> str:
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
        return HTML["plan"](self.plan, self._title)

    def _repr_png_(self) -> bytes | None:
        return PNG["plan"](self.plan)
