"""A segment of a picture, from one row to another, each finished before the next is done.

A segment ends with a clean row: nothing lies above it. Where the search for the next pass
ends nowhere, what was printed since the last clean row is given up, and the rows from
there to the one that stopped it are printed from a clean state to a clean state
(:mod:`~tetrisprinter.planners.rows.clean`). Every such way is logged and counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace

from tetrisprinter.errors import JobError
from tetrisprinter.game.counting import unit_of
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.rows.budgets import BUDGETS
from tetrisprinter.planners.rows.clean import print_clean
from tetrisprinter.planners.rows.platform import on_platform
from tetrisprinter.planners.rows.site import Site
from tetrisprinter.planners.rows.steps import Steps, StuckError
from tetrisprinter.planners.rows.target import RowTarget, State, Turn
from tetrisprinter.planners.run import ROW_REMEDY, Run
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.task import Task

__all__ = ["BehindError", "NowhereError", "Pace", "Segment"]


class NowhereError(JobError):
    """Nothing is known that goes on from squares somebody else has carried."""


class BehindError(JobError):
    """Another print of the same rows is ahead, and stays so."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The print to be beaten: how many drops it took up to each row.

    Attributes
    ----------
    drops : tuple of int
        Drops until there were no rows, one row and so on; the last are all of them.
    slack : float
        How many drops a print may be behind on the lowest row; the less, the higher it is.
    first : int
        The row with which it begins.
    before : int
        How many drops were taken by what is not counted by whom is asked.
    """

    drops: tuple[int, ...]
    slack: float
    first: int = 0
    before: int = 0

    def check(self, rows: int, drops: int, left: int) -> None:
        """Do nothing while a print may still take fewer drops in the end.

        Parameters
        ----------
        rows, drops : int
            How far it is.
        left : int
            Squares of the picture that are not printed.

        Raises
        ------
        BehindError
            If it is too far behind.
        """
        drops += self.before
        last = len(self.drops) - 1
        row = min(last, rows - self.first)
        slack = self.slack * (1 - row / last)
        if drops > self.drops[row] + slack or drops + left / 4 >= self.drops[-1]:
            raise BehindError("another print is ahead")


@dataclass(slots=True)
class Segment:
    """Rows that are to be printed, and how far that got.

    Attributes
    ----------
    task : Task
        The whole picture.
    types : mapping of PieceType to str
        Which type has which colour.
    target : RowTarget
        The end of the game, up to the segment's last row.
    run : Run
        Clock, seed, effort, and who is told.
    passes : list of Pass
        All that was played, from its first row on.
    farthest : int
        Rows that somebody was told are printed.
    first : int
        The row with which the segment begins; those below it are there.
    steps : Steps
        Chooses its passes.
    ways : dict from int to str
        How passes were found that were not found in the usual way, by the first of them.
    pace : Pace or None
        The print to be beaten.
    reached : dict from int to int
        The drops that it took until so many rows were there.
    """

    task: Task
    types: Mapping[PieceType, Color]
    target: RowTarget
    run: Run
    passes: list[Pass]
    farthest: int
    first: int = 0
    steps: Steps = field(init=False)
    ways: dict[int, str] = field(default_factory=dict)
    pace: Pace | None = None
    reached: dict[int, int] = field(default_factory=dict)
    _clean: list[tuple[int, State]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin a search with as many games as the effort is worth."""
        board, effort = self.task.board, self.run.limit.effort
        beam, work = BUDGETS.states(board.width, effort), self.run.work
        site = Site.of(self.target, board.height, beam, work, BUDGETS.patience)
        self.steps = Steps(site, BUDGETS.games if effort > 1 else 1)

    def alternative(self, run: Run, together: bool, beam_width: int = 1) -> Segment:
        """Return the same segment from its first row on, with passes chosen in another way.

        Parameters
        ----------
        run : Run
            Clock, and who is told.
        together, beam_width
            See :class:`~tetrisprinter.planners.rows.steps.Steps`.
        """
        other = self.from_row(self.first)
        other.run = run
        other.steps.together, other.steps.site.finder.work = together, run.work
        other.steps.follow(beam_width)
        return other

    def from_row(self, first: int) -> Segment:
        """Return a segment that begins with some row, of which nothing is printed."""
        other = copy(self)  # with its search, of which another would have to be made anew
        other.first = other.farthest = first
        other.passes, other._clean, other.ways, other.reached = [], [], {}, {}
        return other

    def printed(self, plan: Plan, state: State, until: int | None = None) -> Plan:
        """Print all rows that are left.

        Parameters
        ----------
        plan : Plan
            Board and colours; its passes are those played so far.
        state : State
            What they leave.
        until : int, optional
            Stop when so many rows are there, whatever is carried.

        Raises
        ------
        NowhereError
            If the squares that were carried lead nowhere.
        JobError
            If a row cannot be printed; :class:`TimeUpError` if the time is up, and
        :class:`BehindError` if it has fallen behind.
        """
        keep = self.run.each_row(self.task.picture, self.farthest, self.first)
        careful = 0
        rows = self.target.rows
        while state.rows < (until or rows) or (state.carried and until is None):
            self.run.check_time(self.task.name)
            if not state.carried:
                self._clean.append((len(self.passes), state))
            if state.rows < careful and not state.carried:
                state = self._alone(state)
            else:
                try:
                    state = self._next(state)
                except StuckError:
                    over = None
                    if self.task.start and not self._clean and state.rows < rows:
                        over = self._on_platform(state)  # there is nothing to begin anew from
                    if over is None:
                        careful, state = state.rows + 1, self._back(state)
                        continue
                    state = over
            self._compare(state, until is None)
            if state.rows > self.farthest and not (state.rows == rows and state.carried):
                self.farthest = state.rows
                keep(replace(plan, passes=tuple(self.passes)), state.rows)
        return replace(plan, passes=tuple(self.passes))

    def _compare(self, state: State, whole: bool) -> None:
        """Note how far this print is, and give it up if it is too far behind."""
        drops = sum(len(one.pieces) for one in self.passes)
        self.reached[state.rows] = drops
        if self.pace is not None:
            left = int(self.target.required[state.rows :].sum()) - len(state.carried)
            left = left if whole else 0
            self.pace.check(state.rows, drops, left)

    def _where(self, row: int) -> str:
        row = min(row, self.target.rows - 1, self.task.picture.height - 1)
        return f"{self.task.name}: row {self.task.picture.image_row(row)} from the top"

    def stages(self) -> tuple[str, ...]:
        """Return the stages that made the passes."""
        if self.steps.beam_width > 1:
            way = Stage.SEVERAL_GAMES
        else:
            way = Stage.PAIRS if self.steps.together else Stage.PASSES
        return Stage.ROWS, way, *sorted(set(self.ways.values()))

    def _next(self, state: State) -> State:
        """Play one more pass, chosen by a search."""
        return self._played(self.steps.next(state))

    def _back(self, state: State) -> State:
        """Give up what was printed since the last clean row."""
        if not self._clean:
            raise NowhereError(f"{self._where(state.rows)} leads nowhere from what is carried")
        count, clean = self._clean.pop()
        if state.carried:
            self.run.fell_back("passes taken back", self._where(state.rows))
        del self.passes[count:]
        self.ways = {number: way for number, way in self.ways.items() if number < count}
        return clean

    def _played(self, turn: Turn) -> State:
        """Play one or some passes."""
        if turn.way:
            self.ways[len(self.passes)] = turn.way
        self.passes += turn.played()
        return turn.after

    def _alone(self, state: State) -> State:
        """Print a row from a clean state to a clean state, or some rows if one cannot be."""
        site = self.steps.site
        most = 1  # on an odd width every row comes out even alone
        if unit_of(self.target.width) > 1:
            most = min(BUDGETS.together, self.target.rows - state.rows)
        for patience in (1, BUDGETS.patience):
            for rows in range(1, most + 1):
                self.run.check_time(self.task.name)
                beam, work = site.beam * patience, self.run.work
                found = print_clean(self.target, site.height, state, rows, beam, work)
                if found is not None:
                    self.run.fell_back(found.way, self._where(state.rows))
                    return self._played(found)
        after = self._on_platform(state)
        if after is None:
            raise self._failure(state.rows)
        return after

    def _on_platform(self, state: State) -> State | None:
        """Print a row on a platform, whatever is carried; after that nothing is taken back."""
        found = on_platform(self.steps.site, state)
        if found is None:
            return None
        self.run.fell_back(found.way, self._where(state.rows))
        self._clean.clear()
        return self._played(found)

    def _failure(self, row: int) -> JobError:
        """Return the error that says which row it was and what would help."""
        return JobError(
            f"{self._where(row)} could not be printed row by row on a board of {self.task.board}",
            ROW_REMEDY,
        )
