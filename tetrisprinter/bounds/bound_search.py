"""Raise a bound, from one number of drops to the next that arithmetic allows.

First ``fewest_lines`` looks for nogoods until no stack with so few rows remains, which is fast, or
until it makes no progress. Then for each number of cleared rows that a number of drops allows,
:class:`Refinement` either refutes every stack or finds a game. If all stacks are refuted, the bound
rises. If a game is found, no other game has fewer drops.

A question is answered by counterexample-guided refinement (Clarke, Grumberg, Jha, Lu and Veith
2000). The master problem proposes a stack. Windows of that stack are solved. A window that no game
fits becomes a nogood: a clause of the master problem that excludes all stacks with the same window.

A SAT solver says whether any game fits a window. The answer is a pure function of the query, so it
does not depend on the process that computes it or on earlier queries.

The monolithic encoding is solved beside the search for nogoods. Windows are faster where a few
nogoods exclude most stacks. Where each stack needs nogoods of its own, one formula for all stacks
(:mod:`~tetrisprinter.bounds.stack_formulas`) is faster, and each nogood is a clause that helps its
solver. It is unknown beforehand which method is faster, so both get equal work.

If types are open, the formula leaves them open: a refutation holds for every assignment of types to
colours, and a model has one assignment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import groupby
from math import ceil, inf
from operator import or_
from typing import Any, Final

from tetrisprinter.bounds import stack_formulas
from tetrisprinter.bounds.fewest_lines import (
    CLAUSES_PER_UNIT,
    CONFLICTS_PER_UNIT,
    PROPAGATIONS_PER_UNIT,
    SOLVER,
    FewestLines,
)
from tetrisprinter.bounds.parts import find_drop_bound
from tetrisprinter.bounds.stack_formulas import BoundQuestion, MasterProblem, MonolithicFormula
from tetrisprinter.bounds.stacks import (
    ALL_STACKS,
    Nogood,
    StackWindow,
    TypeColor,
    TypeColors,
    WindowContents,
    WindowFormula,
    iterate_windows_by_height,
    make_window_contents,
    trim_to_final_rows,
)
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.field import Playfield, TopOutError, can_leave
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType
from tetrisprinter.printing.task import Target, compute_drop_bound
from tetrisprinter.sat.solve import (
    Cnf,
    OutOfTimeError,
    check_time,
    open_solver,
    solve_interruptibly,
)
from tetrisprinter.support.executors import HERE, Machines

_PATIENCE: Final = 1.0
"""The search for the fewest lines ends without progress after this multiple of its work so far."""

_LEAST_PATIENCE: Final = 2.0
"""But it ends only after this number of work units without progress."""

_DOUBTFUL: Final = 3
"""How often the bound of a small board is raised before all games are searched for any game."""

_FEW_FIELDS: Final = 1 << 16
"""At most this number of fields is searched for any game, which takes up to three seconds."""

_LARGE: Final = 200
"""The squares of a stack from which on the search for the fewest lines pays; :class:`Refinement`
settles smaller ones at once."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on the drops of any game, and how it was proved."""

    target: Target  # the squares that the board must and may hold at the end of the game
    before: int  # the bound by arithmetic alone
    parts: int  # the bound by arithmetic and by parts of pieces
    after: int  # the bound: no game has fewer drops
    steps: tuple[BoundStep, ...]  # questions and their outcomes, in order
    seconds: float  # wall time
    stopped: bool = False  # whether a limit or an interrupt ended the search early
    impossible: bool = False  # whether no game leaves the target, however many drops it has

    @property
    def game_step(self) -> BoundStep | None:
        """The step that found a game, if any; the game has as many drops as the bound says."""
        return next((step for step in self.steps if step.drops), None)


@contextmanager
def _open_executor(machines: Machines) -> Iterator[Executor | None]:
    """Yield the executor that solves windows, None on this machine; lost workers are a JobError."""
    if machines == HERE:
        yield None
        return
    try:
        with machines.open_executor() as executor:
            yield executor
    except (BrokenExecutor, CancelledError) as error:
        where = f"the cluster at {machines.dask} is lost" if machines.dask else "a worker died"
        raise JobError(f"{where} while bounds were proved") from error


def prove_bound(  # noqa: PLR0913 - limits and callbacks, which nothing else needs together
    target: Target,
    *,
    max_bound: int | None = None,
    steps: int | None = None,
    seconds: float | None = None,
    work: float = inf,
    machines: Machines = HERE,
    certified: bool = False,
    known_nogoods: Mapping[BoundQuestion, Sequence[Nogood]] | None = None,
    remember: Callable[[BoundQuestion, Nogood], None] = lambda _question, _nogood: None,
    report: Callable[[int, int, int, int], None] = lambda _drops, _lines, _stacks, _nogoods: None,
    settle: Callable[[BoundStep], None] = lambda _step: None,
) -> Bound:
    """Find a bound, and prove that no game that leaves the target has fewer drops.

    Parameters
    ----------
    target : Target
        The squares that the game must and may leave.
    max_bound : int or None
        Stop when the bound reaches this number, such as the drops of a known game.
    steps : int or None
        Raise the bound at most this many times.
    seconds : float or None
        Stop after this wall time.
    work : float
        Stop after this number of work units; the same work gives the same answer everywhere.
    machines : Machines
        Where windows are solved; the answer does not depend on it.
    certified : bool
        Whether a certificate will be written: the steps then list the nogoods that its proofs need.
    known_nogoods : mapping or None
        The nogoods of earlier runs, by question.
    remember : callable
        Called with a question and each new nogood.
    report : callable
        Called to report progress: with the drops and cleared rows in question, and the numbers of
        stacks and nogoods so far.
    settle : callable
        Called with each refuted question; may raise :class:`OutOfTimeError`.

    Returns
    -------
    Bound
        The bound, with the questions that were answered on the way.

    Raises
    ------
    InputError
        If no game leaves the target's number of squares.
    JobError
        If the workers are lost.
    """
    known_nogoods = known_nogoods or {}
    began = time.monotonic()
    deadline = inf if seconds is None else began + seconds
    target = trim_to_final_rows(target)
    if not can_leave(target.width, len(target.required), target.count_spare()):
        raise InputError(f"no game on {target.width} columns leaves {len(target.required)} squares")
    before = compute_drop_bound(target)
    bound = parts = find_drop_bound(target)
    answers: list[BoundStep] = []
    raises = 0
    stopped = impossible = False
    # From earlier runs and from all questions so far
    earlier_nogoods = {one: None for nogoods in known_nogoods.values() for one in nogoods}
    fewest_lines = FewestLines(target, earlier_nogoods)
    searching = fewest_lines.search(lambda: time.monotonic() >= deadline)
    try:
        with closing(searching), _open_executor(machines) as executor:
            while (max_bound is None or bound < max_bound) and (steps is None or raises < steps):
                questions = stack_formulas.list_questions(target, bound)
                most_lines = max(questions, key=lambda question: question.lines)
                windows_before = len(fewest_lines.nogoods)
                is_large = target.width * (target.rows + most_lines.lines) >= _LARGE
                steps_of_search = _raise_lines(fewest_lines, searching, most_lines.lines, work)
                for spent in steps_of_search if is_large else ():
                    work -= spent
                    report(bound, most_lines.lines, 0, len(fewest_lines.nogoods))
                for nogood in fewest_lines.nogoods[windows_before:]:
                    earlier_nogoods[nogood] = None
                    if _can_apply(nogood, most_lines):
                        remember(most_lines, nogood)
                for question in questions:
                    nogoods = dict.fromkeys(known_nogoods.get(question, ()))
                    nogoods |= {one: None for one in earlier_nogoods if _can_apply(one, question)}
                    if fewest_lines.count > question.lines and not certified:
                        # Only a certificate needs a formula for the shortest path
                        step = BoundStep(question, True, tuple(nogoods), 0)
                    else:
                        report_stacks = partial(report, bound, question.lines)
                        search = Refinement(
                            question, executor, deadline, work, report_stacks, certified
                        )
                        step = search.answer_question(nogoods, partial(remember, question))
                        work = search.work
                    answers.append(step)
                    earlier_nogoods |= dict.fromkeys((*step.nogoods, *step.unneeded))
                    if not step.refuted:
                        break
                    settle(step)
                if not step.refuted:
                    stopped = time.monotonic() >= deadline
                    break
                bound = stack_formulas.find_next_drops(target, bound)
                raises += 1
                if raises == _DOUBTFUL and not has_game(target):
                    impossible = True
                    break
    except (KeyboardInterrupt, OutOfTimeError):
        stopped = True
    seconds_used = time.monotonic() - began
    return Bound(target, before, parts, bound, tuple(answers), seconds_used, stopped, impossible)


def has_game(target: Target) -> bool:
    """Return whether any game may leave the target; on a large board the answer is always True.

    All fields that hard drops reach are searched. While types have no colours, each piece may have
    any shade, also another than earlier pieces of its type. In a number bit ``width * y + x`` is
    the square (x, y); a field is a number for each kind, the squares of pieces of that kind.
    """
    width, height, cells = target.width, target.height, target.width * target.rows
    full_row = (1 << width) - 1
    if full_row**height > _FEW_FIELDS:
        return True
    masks = [mask for row in target.allowed for mask in row]
    if target.shades is None:
        of_type = {p: sum(1 << n for n in range(cells) if masks[n] >> p & 1) for p in PieceType}
        allowed = sorted(set(of_type.values()))
        kinds = {piece: [allowed.index(squares)] for piece, squares in of_type.items()}
    else:
        shades = [shade for row in target.shades for shade in row]
        allowed = [
            sum(1 << n for n in range(cells) if masks[n] and shades[n] == shade)
            for shade in target.list_shades()
        ]
        kinds = {piece: list(range(len(allowed))) for piece in PieceType}
    drops = [
        (orientation.height, sum(1 << width * y + x for x, y in orientation.place(left, 0)), kind)
        for orientation in ORIENTATIONS
        for left in range(width - orientation.width + 1)
        for kind in kinds[orientation.piece]
    ]
    required = sum(1 << width * y + x for x, y in target.required)
    empty = (0,) * len(allowed)
    reached, waiting = {empty}, [empty]
    while waiting:
        if len(reached) > _FEW_FIELDS:
            return True
        field_before = waiting.pop()
        squares = reduce(or_, field_before)
        for shape_height, shape, kind in drops:
            y = height
            while y and not squares & shape << width * (y - 1):
                y -= 1
            if y + shape_height > height:
                continue
            layers = list(field_before)
            layers[kind] |= shape << width * y
            all_squares = squares | shape << width * y
            for row in reversed(range(y, y + shape_height)):
                if all_squares >> width * row & full_row == full_row:
                    below = (1 << width * row) - 1
                    layers = [n & below | n >> width * (row + 1) << width * row for n in layers]
            field_after = tuple(layers)
            if field_after in reached:
                continue
            if not required & ~reduce(or_, field_after) and not any(
                layer & ~may for layer, may in zip(field_after, allowed, strict=True)
            ):
                return True
            reached.add(field_after)
            waiting.append(field_after)
    return False


def _raise_lines(
    fewest_lines: FewestLines, searching: Iterator[float], lines: int, work: float
) -> Iterator[float]:
    """Search until no game clears so few lines, or without progress; yield the work of each step.

    A step is skipped if all work is used up.
    """
    idle, count = 0.0, fewest_lines.count
    while count <= lines and idle <= max(_LEAST_PATIENCE, _PATIENCE * fewest_lines.work):
        spent = next(searching, None) if work > 0 else None
        if spent is None:
            return
        work -= spent
        idle = idle + spent if fewest_lines.count == count else 0.0
        count = fewest_lines.count
        yield spent


def _can_apply(nogood: Nogood, question: BoundQuestion) -> bool:
    """Return whether a nogood of another question also excludes stacks of this one."""
    return (
        nogood.window != ALL_STACKS
        and nogood.spare >= question.spare
        and sum(nogood.window.counts) <= question.lines
    )


_ROUNDS: Final = (0.1, 0.4, 1.6)
"""Work units for each window in the first rounds, before any window gets more."""

_EFFORT: Final = 20_000
"""Conflicts after which the solver gives up on a window; a whole stack gets ten times as many."""

_ALONE: Final = 0.2
"""Windows of up to this number of work units are solved here: sending them takes longer."""

_CORE: Final = 1_000
"""The limit of conflicts when it is checked whether a nogood can be left out."""

_NEAR: Final = 8
"""The number of windows similar to a nogood that are solved after it is found."""


@dataclass(frozen=True, slots=True)
class BoundStep:
    """The outcome of one question."""

    question: BoundQuestion
    refuted: bool  # whether no game clears this number of rows
    # The nogoods. If the question is refuted, these nogoods exclude every stack, and few could be
    # left out. The nogood of all stacks (``ALL_STACKS``) is included if the monolithic encoding was
    # needed
    nogoods: tuple[Nogood, ...]
    stacks: int  # how many stacks were checked
    drops: tuple[tuple[Orientation, int], ...] = ()  # the game, if one was found
    types: TypeColors = ()  # the colours of the types in that game, if they were open
    seconds: float = 0.0  # wall time
    unneeded: tuple[Nogood, ...] = ()  # further nogoods, which the refutation does not need

    @property
    def is_monolithic(self) -> bool:
        """Whether the monolithic encoding was needed."""
        return self.refuted and any(one.window == ALL_STACKS for one in self.nogoods)


@dataclass(slots=True)
class Refinement:
    """The search for nogoods that exclude every stack of one question."""

    question: BoundQuestion
    executor: Executor | None  # solves the windows that take long; None: this process solves them
    deadline: float  # when to stop, on the clock of ``time.monotonic()``
    work: float  # work units that are left
    report: Callable[[int, int], None]  # called with the numbers of stacks and nogoods so far
    certified: bool = False  # whether a certificate will be written
    _spent: float = 0.0  # work units that windows took
    # The last answer for a window and types, and its limit of conflicts
    _seen: dict[tuple[StackWindow, TypeColors], tuple[WindowAnswer, float]] = field(
        default_factory=dict
    )
    # By window: sets of type colours, of which each game needs one; and sets with which a game fits
    _refuted: dict[StackWindow, set[frozenset[TypeColor]]] = field(default_factory=dict)
    _fits: dict[StackWindow, set[frozenset[TypeColor]]] = field(default_factory=dict)
    _new_nogoods: list[Nogood] = field(default_factory=list)  # new nogoods, not yet in the formula

    @property
    def is_over(self) -> bool:
        """Whether time or work is used up."""
        return self.work <= 0 or time.monotonic() >= self.deadline

    def answer_question(
        self, nogoods: Iterable[Nogood], remember: Callable[[Nogood], None]
    ) -> BoundStep:
        """Refute all stacks or find a game; call ``remember`` with each new nogood."""
        began = time.monotonic()
        all_nogoods = list(nogoods)
        earlier_known = set(all_nogoods)
        monolithic = MonolithicSolver(self.question, self.deadline, certified=self.certified)
        master = MasterProblem(self.question, all_nogoods)
        stacks = 0
        drops: tuple[tuple[Orientation, int], ...] = ()
        types: TypeColors = ()
        refuted = is_unrefuted = False
        with (
            closing(monolithic),
            open_solver(SOLVER, master.cnf.clauses) as solver,
        ):
            while not (drops or self.is_over):
                has_stack = solve_interruptibly(solver)
                if not has_stack:
                    refuted = has_stack is False  # None: a signal interrupted the solver
                    break
                counts, types = master.read_model(solver.get_model())
                if self._try_monolithic(monolithic, all_nogoods, is_last=is_unrefuted):
                    is_unrefuted = False
                elif monolithic.drops or is_unrefuted:
                    drops, types = monolithic.drops, monolithic.types
                    break
                else:
                    stacks += 1
                    is_unrefuted, last = self._check_stack(counts, types)
                    drops = last.drops
                new_nogoods, self._new_nogoods = self._new_nogoods, []
                for nogood in new_nogoods:
                    all_nogoods.append(nogood)
                    remember(nogood)
                    solver.add_clause(stack_formulas.make_exclusion_clause(master, nogood))
                self.report(stacks, len(all_nogoods))
        needed = self._minimise_nogoods(all_nogoods) if refuted else tuple(all_nogoods)
        # The nogoods in the proof of the nogood of all stacks are needed, too.
        if any(one.window == ALL_STACKS for one in needed):
            is_earlier = any(one.window == ALL_STACKS and one in earlier_known for one in needed)
            used = set(all_nogoods) if is_earlier else monolithic.used
            clauses = (one for one in all_nogoods if one in used and one.window != ALL_STACKS)
            needed = tuple(dict.fromkeys((*needed, *clauses)))
        unneeded = tuple(sorted(set(all_nogoods) - set(needed)))
        seconds = time.monotonic() - began
        types = types if drops else ()
        return BoundStep(self.question, refuted, needed, stacks, drops, types, seconds, unneeded)

    def _try_monolithic(
        self, monolithic: MonolithicSolver, nogoods: Sequence[Nogood], *, is_last: bool
    ) -> bool:
        """Solve the monolithic encoding with as much work as the windows took.

        In the last attempt, use twice that work. Return whether all stacks are refuted.
        """
        work_before = monolithic.work
        nogood = monolithic.find_nogood(
            nogoods, min((1 + is_last) * self._spent, work_before + self.work)
        )
        self.work -= monolithic.work - work_before
        self._new_nogoods += [nogood] if nogood else []
        return nogood is not None

    def _minimise_nogoods(self, nogoods: Sequence[Nogood]) -> tuple[Nogood, ...]:
        """Return the nogoods without those that are not needed to exclude every stack."""
        master = MasterProblem(self.question)
        by_literal = {master.cnf.add_variable(): one for one in nogoods}
        for literal, nogood in by_literal.items():
            master.cnf.add_clause(-literal, *stack_formulas.make_exclusion_clause(master, nogood))
        with open_solver(SOLVER, master.cnf.clauses) as solver:
            if solve_interruptibly(solver, list(by_literal)) is None:  # interrupted by a signal
                return tuple(nogoods)
            core = list(solver.get_core() or ())
            for literal in tuple(core):
                if literal not in core:
                    continue
                fewer = [other for other in core if other != literal]
                if solve_interruptibly(solver, fewer, _CORE) is False:
                    core = list(solver.get_core() or ())
        return tuple(by_literal[literal] for literal in sorted(core))

    def _estimate_cost(self, window: StackWindow) -> float:
        """Estimate the work units that writing the formula of a window takes."""
        lines = sum(window.counts)
        rows = len(window.picture_rows) + lines
        return 2 * self.question.target.width * (rows * (1 + lines)) ** 2 / CLAUSES_PER_UNIT

    def _make_sort_key(self, window: StackWindow) -> tuple[int, int]:
        """Return a key that sorts windows by cost, and windows of similar cost by height."""
        return int(self._estimate_cost(window) / _ALONE), len(window.picture_rows)

    def _check_stack(self, counts: tuple[int, ...], types: TypeColors) -> tuple[bool, WindowAnswer]:
        """Solve the windows of a stack; return whether none is a nogood, and the last answer.

        All windows get a little work, from the cheapest on, before any gets more: most nogoods are
        refuted at once, while solving a window that some game fits can take for ever.
        """
        windows = sorted(
            (window for same_height in iterate_windows_by_height(counts) for window in same_height),
            key=self._make_sort_key,
        )
        last_answer = WindowAnswer(False, unknown=True)
        for work_each in (*_ROUNDS, None):
            affordable = [
                v for v in windows if work_each is None or self._estimate_cost(v) <= work_each
            ]
            for _, group in groupby(affordable, key=self._make_sort_key):
                group_windows = list(group)
                answers = self._solve_windows(group_windows, types, work_each)
                pairs = zip(group_windows, answers, strict=True)
                nogood_windows = [window for window, answer in pairs if answer.impossible]
                if nogood_windows:
                    self._check_neighbours(nogood_windows, types)
                    return False, last_answer
                last_answer = answers[-1]
                if self.is_over:
                    return True, WindowAnswer(False, unknown=True)
        return True, last_answer

    def _check_neighbours(self, windows: Sequence[StackWindow], types: TypeColors) -> None:
        """Solve windows that differ from the window of a nogood by one cleared row in one slot.

        Continue with the windows of the nogoods found, until about ``_NEAR`` windows are solved.
        """
        checked = set(windows)
        waiting = list(windows)
        solved = 0
        while waiting and solved < _NEAR and not self.is_over:
            window = waiting.pop(0)
            neighbors = []
            for slot, count in enumerate(window.counts):
                for new_count in (count - 1, count + 1):
                    counts = (*window.counts[:slot], new_count, *window.counts[slot + 1 :])
                    neighbor = StackWindow(window.first, counts, window.floor, window.top)
                    is_possible = new_count >= 0 and sum(counts) <= self.question.lines
                    is_new = is_possible and neighbor not in checked
                    if is_new and self._estimate_cost(neighbor) <= _ROUNDS[0]:
                        neighbors.append(neighbor)
            checked.update(neighbors)
            solved += len(neighbors)
            answers = self._solve_windows(neighbors, types, _ROUNDS[0])
            for neighbor, answer in zip(neighbors, answers, strict=True):
                if answer.impossible:
                    waiting.append(neighbor)

    def _solve_windows(
        self, windows: Sequence[StackWindow], types: TypeColors, work_each: float | None
    ) -> list[WindowAnswer]:
        """Solve some windows; reuse an earlier answer if it had at least as much work."""
        efforts: dict[StackWindow, float] = {}  # of the windows to solve
        answered: dict[StackWindow, WindowAnswer] = {}
        max_effort = convert_to_conflicts(self.work)  # no window gets more than the remaining work
        for window in windows:
            is_stack = window.floor and window.top
            effort: float = _EFFORT * (10 if is_stack else 1)
            if work_each is not None:
                effort = convert_to_conflicts(work_each)
            effort = min(max_effort, effort)
            answer, earlier_effort = self._seen.get(
                (window, types), (WindowAnswer(False, unknown=True), 0.0)
            )
            if any(one.isdisjoint(types) for one in self._refuted.get(window, ())):
                answered[window] = WindowAnswer(True)
            elif not is_stack and any(one <= set(types) for one in self._fits.get(window, ())):
                answered[window] = WindowAnswer(False)
            elif not answer.unknown or earlier_effort >= effort:
                answered[window] = answer
            else:
                efforts[window] = effort
        seconds_left = self.deadline - time.monotonic()
        solve = partial(solve_window, self.question, types, seconds=seconds_left)
        has_costly = sum(self._estimate_cost(window) > _ALONE for window in efforts) > 1
        if self.executor is not None and has_costly:
            answers: Iterator[WindowAnswer] = self.executor.map(solve, efforts, efforts.values())
        else:
            answers = map(solve, efforts, efforts.values())
        for window, answer in zip(efforts, answers, strict=True):
            answered[window] = answer
            self._seen[window, types] = (answer, efforts[window])
            self.work -= answer.work
            self._spent += answer.work
            self._fits.setdefault(window, set()).update(map(frozenset, answer.fits))
            needed_pairs = {frozenset(one.without) for one in answer.nogoods}
            self._refuted.setdefault(window, set()).update(needed_pairs)
            self._new_nogoods += answer.nogoods
            if self.work <= 0:  # ignore later answers of workers: they vary with timing
                break
        return [answered.get(window, WindowAnswer(False, unknown=True)) for window in windows]


_WORTH: Final = 2
"""The formula is written when the work limit reaches this multiple of the writing work."""

_MOST_CLAUSES: Final = 4_000_000
"""The greatest number of clauses; each takes 150 bytes until the solver has them."""

_TURN: Final = 500
"""Conflicts between two readings of the clock."""


def is_solution(target: Target, drops: Sequence[tuple[Orientation, int]]) -> bool:
    """Return whether a game leaves exactly the required squares, in their colours."""
    playfield = Playfield(target.width, target.height)
    try:
        for orientation, x in drops:
            playfield.drop(orientation, x)
    except TopOutError:
        return False
    squares = {(x, y): piece for y, row in enumerate(playfield.rows) for x, piece in enumerate(row)}
    squares = {cell: piece for cell, piece in squares.items() if piece}
    if squares.keys() != target.required:
        return False
    shades = target.shades
    type_colors = {(piece, shades[y][x]) for (x, y), piece in squares.items()} if shades else ()
    return len(type_colors) == len({piece for piece, _ in type_colors}) and all(
        target.may_hold(x, y, PieceType(piece)) for (x, y), piece in squares.items()
    )


@dataclass(slots=True)
class MonolithicSolver:
    """An incremental solver of the monolithic encoding of one question."""

    question: BoundQuestion
    deadline: float  # when to stop, on the clock of ``time.monotonic()``
    work: float = 0.0  # work units so far
    certified: bool = False  # whether a certificate will be written; ``used`` is then filled
    drops: tuple[tuple[Orientation, int], ...] = ()  # the game, if one was found
    types: TypeColors = ()  # the colours of the types in that game, if they were open
    # Whether a model was no game, because rows out of reach have no order: the solver then gives up
    has_invalid_model: bool = False
    used: set[Nogood] = field(default_factory=set)  # the nogoods that the refutation needed
    _switches: dict[int, Nogood] = field(default_factory=dict)  # by literal that switches one on
    _formula: MonolithicFormula | None = None
    _solver: Any = field(default=None, repr=False)
    _making: float = 0.0  # work units of writing the formula
    _added: int = 0  # how many of the known nogoods have been added

    @property
    def _clauses(self) -> int:
        """The estimated number of clauses."""
        target, lines = self.question.target, self.question.lines
        return stack_formulas.estimate_clauses(
            target, lines, stack_formulas.choose_reach(target, lines)
        )

    @property
    def is_suitable(self) -> bool:
        """Whether rows clear, no square is optional, the formula is small, and no model failed."""
        return (
            self.question.lines > 0
            and not self.question.target.count_spare()
            and self._clauses <= _MOST_CLAUSES
            and not self.has_invalid_model
        )

    def find_nogood(self, nogoods: Sequence[Nogood], work_limit: float) -> Nogood | None:
        """Look for a game within a work limit; return the nogood of all stacks if there is none."""
        if not self.is_suitable or work_limit <= self.work:
            return None
        if self._formula is None and (
            work_limit < _WORTH * estimate_work(self._clauses, 0) or not self._write_formula()
        ):
            return None
        for nogood in nogoods[self._added :]:
            self._add_nogood(nogood)
        self._added = len(nogoods)
        answer: bool | None = None
        while answer is None and self.work < work_limit and time.monotonic() < self.deadline:
            answer = solve_interruptibly(self._solver, list(self._switches), _TURN)
            done = int(self._solver.accum_stats()["propagations"])
            self.work = self._making + done / PROPAGATIONS_PER_UNIT
        if answer:
            self._store_game(set(self._solver.get_model()))
        if answer is not False:
            return None
        core = self._solver.get_core() or ()
        self.used |= {self._switches[literal] for literal in core}
        return Nogood(ALL_STACKS, (), self.question.spare)

    def _store_game(self, model: set[int]) -> None:
        """Store the game of a model, given its literals; give up if the model is no game."""
        assert self._formula is not None
        drops = self._formula.read_game(model)
        self.has_invalid_model = not is_solution(self.question.target, drops)
        if not self.has_invalid_model:
            self.drops = drops
            self.types = tuple(key for key, one in self._formula.shows.items() if one in model)

    def _add_nogood(self, nogood: Nogood) -> None:
        """Add the clause of a nogood; with ``certified`` a literal switches the clause on."""
        assert self._formula is not None
        clause = stack_formulas.make_exclusion_clause(self._formula, nogood)
        if self.certified and nogood.window != ALL_STACKS:
            switch = self._formula.cnf.add_variable()
            self._switches[switch] = nogood
            clause.append(-switch)
        if not self.certified or nogood.window != ALL_STACKS:
            self._solver.add_clause(clause)

    def _write_formula(self) -> bool:
        """Write the formula and load it into a solver; return False if time ran out."""
        try:
            check_clock = partial(check_time, self.deadline)
            formula = MonolithicFormula(self.question, check_clock)
            clauses = formula.cnf.clauses
            self._making = self.work = estimate_work(len(clauses), 0)
            self._solver = open_solver(SOLVER, ())
            formula.cnf.load_into(self._solver, check_clock)
        except OutOfTimeError:
            return False
        clauses.clear()
        self._formula = formula
        return True

    def close(self) -> None:
        """Free the solver's memory."""
        if self._solver is not None:
            self._solver.delete()


_CALL: Final = 2
"""The least cost of a call to the solver, in conflicts."""

_SLICE: Final = 2_000
"""Conflicts between two readings of the clock."""


@dataclass(frozen=True, slots=True)
class WindowAnswer:
    """What the solver found about a window."""

    impossible: bool  # whether no game fits
    unknown: bool = False  # whether the solver gave up
    # If the window is a complete stack and a game fits: its pieces and columns, in drop order
    drops: tuple[tuple[Orientation, int], ...] = ()
    work: float = 0.0  # work units, about a second each
    # Nogoods: for the requested types, and for other types that were tried along the way
    nogoods: tuple[Nogood, ...] = ()
    # Type colours with which a game fits; with more type colours it fits, too
    fits: tuple[TypeColors, ...] = ()


_CACHED_CLAUSES: Final = 5_000_000
"""The most clauses of stored formulas, 150 bytes each; windows with more work use them again."""


_FORMULAS: Final[dict[WindowContents, WindowFormula]] = {}
"""The formulas of this process that may be used again, the most recently used last."""


def get_formula(contents: WindowContents, deadline: float) -> WindowFormula:
    """Return the formula of a window, stored or newly written; drop those not used for long."""
    # No OrderedDict: it hides an interrupt in the hash of a key behind a KeyError.
    formula = _FORMULAS.pop(contents, None)
    formula = formula or WindowFormula(contents, partial(check_time, deadline))
    _FORMULAS[contents] = formula
    clauses = sum(len(one.cnf.clauses) for one in _FORMULAS.values())
    while clauses > _CACHED_CLAUSES and len(_FORMULAS) > 1:
        clauses -= len(_FORMULAS.pop(next(iter(_FORMULAS))).cnf.clauses)
    return formula


def solve_window(
    question: BoundQuestion,
    types: TypeColors,
    window: StackWindow,
    effort: float,
    seconds: float = float("inf"),
) -> WindowAnswer:
    """Find out whether any game fits a window.

    ``types`` are the colours to try for the types, empty if the task fixes the types. ``effort`` is
    the limit of conflicts, ``seconds`` that of wall time.

    The first attempt allows any number of optional squares, so that its nogoods hold for all
    questions.
    """
    deadline = time.monotonic() + seconds
    target, spare = question.target, question.spare
    optional_count = target.count_spare()
    wide_contents = make_window_contents(target, window, optional_count)
    narrow_contents = make_window_contents(target, window, spare)
    solve = partial(_solve_contents, types, window, effort, deadline)
    answer = solve(wide_contents, optional_count)
    if wide_contents == narrow_contents:
        return answer
    if answer.impossible:
        return replace(answer, fits=())
    second = solve(narrow_contents, spare)
    nogoods = (*answer.nogoods, *(one for one in second.nogoods if one not in answer.nogoods))
    return replace(second, nogoods=nogoods, work=answer.work + second.work)


def _solve_contents(
    types: TypeColors,
    window: StackWindow,
    effort: float,
    deadline: float,
    contents: WindowContents,
    spare: int,
) -> WindowAnswer:
    """Solve the formula of a window in which at most ``spare`` optional squares stay."""
    with open_solver(SOLVER, ()) as solver:
        try:
            formula = get_formula(contents, deadline)
            formula.cnf.load_into(solver, partial(check_time, deadline))
        except OutOfTimeError:
            return WindowAnswer(False, unknown=True)
        window_solver = _WindowSolver(window, formula, solver, spare, effort, deadline)
        answer = window_solver.solve_with(types)
        if answer is None:
            return WindowAnswer(False, unknown=True, work=window_solver.work)
        drops: tuple[tuple[Orientation, int], ...] = ()
        if answer and window.floor and window.top:
            drops = formula.read_game(solver.get_model())
        if types and not drops:
            window_solver.solve_with_others()
        results = tuple(window_solver.nogoods), tuple(window_solver.fits)
        return WindowAnswer(not answer, False, drops, window_solver.work, *results)


@dataclass(slots=True)
class _WindowSolver:
    """A solver of one window, which tries assignments of types one after the other."""

    window: StackWindow
    formula: WindowFormula
    solver: Any  # a python-sat solver that has the formula's clauses
    spare: int  # how many optional squares may be left
    effort: float  # the limit of conflicts
    deadline: float  # when to stop, on the clock of ``time.monotonic()``
    nogoods: list[Nogood] = field(default_factory=list)  # see :class:`WindowAnswer`
    fits: list[TypeColors] = field(default_factory=list)
    calls: int = 0  # how often the solver was called

    @property
    def work(self) -> float:
        """Work units so far."""
        conflicts = int(self.solver.accum_stats()["conflicts"]) + _CALL * self.calls
        return estimate_work(len(self.formula.cnf.clauses), conflicts)

    def can_fit(self, without: TypeColors) -> bool | None:
        """Return whether a game fits in which some types must not show some colours.

        Return None if the answer takes too long.
        """
        answer: bool | None = None
        self.calls += 1
        literals = [-self.formula.shows[key] for key in without]
        conflict_limit = int(min(_SLICE, self.effort))
        for _ in range(ceil(self.effort / conflict_limit)):
            answer = solve_interruptibly(self.solver, literals, conflict_limit)
            if answer is not None or time.monotonic() >= self.deadline:
                break
        if answer:
            self.fits.append(self.formula.read_types(self.solver.get_model()))
        return answer

    def add_nogood(self) -> None:
        """Add the nogood of the last refutation, reduced to the type colours that matter."""
        keys = {-literal: key for key, literal in self.formula.shows.items()}
        core = [keys[literal] for literal in self.solver.get_core() or ()]
        for key in tuple(core):
            smaller_core = [other for other in core if other != key]
            if time.monotonic() >= self.deadline:
                break
            if self.can_fit(tuple(smaller_core)) is False:
                core = smaller_core
        self.nogoods.append(Nogood(self.window, tuple(sorted(core)), self.spare))

    def solve_with(self, types: TypeColors) -> bool | None:
        """Solve the window with some types; keep the nogood or the fit; return None if unknown."""
        without = [key for key in self.formula.shows if types and key not in types]
        answer = self.can_fit(tuple(without))
        if answer is False:
            self.add_nogood()
        return answer

    def solve_with_others(self) -> None:
        """Try other assignments of types that are still undecided; about double the work so far.

        This is much faster than a query for each assignment of types.
        """
        work_limit = 2 * self.work + convert_to_conflicts(0) / CONFLICTS_PER_UNIT
        assignments = Cnf()
        shows = {key: assignments.add_variable() for key in self.formula.shows}
        for piece in PieceType:
            assignments.add_exactly_one([shows[key] for key in shows if key[0] == piece])
        with open_solver(SOLVER, assignments.clauses) as solver:
            added: set[tuple[int, ...]] = set()
            while self.work < work_limit and time.monotonic() < self.deadline:
                decided = {tuple(-shows[key] for key in types) for types in self.fits}
                decided |= {tuple(shows[key] for key in one.without) for one in self.nogoods}
                for clause in sorted(decided - added):
                    solver.add_clause(clause)
                added = decided
                if () in decided or not solve_interruptibly(solver):
                    return
                true = set(solver.get_model())
                types = tuple(key for key, literal in shows.items() if literal in true)
                if self.solve_with(types) is None:
                    return


def convert_to_conflicts(work: float) -> float:
    """Convert work units to conflicts, but to no fewer than 200."""
    return max(_SLICE / 10, work * CONFLICTS_PER_UNIT)


def estimate_work(clauses: int, conflicts: int) -> float:
    """Return the work units that a number of clauses and a number of conflicts take."""
    return clauses / CLAUSES_PER_UNIT + conflicts / CONFLICTS_PER_UNIT
