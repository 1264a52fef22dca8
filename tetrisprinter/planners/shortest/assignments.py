"""Which piece type shows which colour.

*classic* is the article's rule: the first three colours, top row first, go to J, T and L,
and no other type is ever left. *auto* leaves the choice to the optimisation. Where the
whole picture fits into one model, the model chooses
(:mod:`~tetrisprinter.planners.shortest.portfolio`). Larger pictures get the assignment that
lets pieces of one colour, lying wholly in the picture, cover most of it, with one of J, L
and T for every colour as long as they last: those are the types that can leave a single
square anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from tetrisprinter.game.counting import makes_pieces
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Color
from tetrisprinter.planners.shortest.budgets import DEFAULT, Budgets
from tetrisprinter.planners.shortest.placements import pass_placements
from tetrisprinter.planners.shortest.problem import Assignment
from tetrisprinter.planners.shortest.shape import PassShape
from tetrisprinter.printing.obstacles import cut_row
from tetrisprinter.printing.target import Target, closed, colored
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import NEARLY_SINGLE, SINGLE

__all__ = [
    "any_assignment",
    "covering_assignments",
    "types_assigned",
]

_SOLVED = ("OPTIMAL", "FEASIBLE")


def types_assigned(task: Task, target: Target, assignment: Assignment) -> Mapping[PieceType, Color]:
    """Return which type has which colour: as the task says, or else as they were assigned.

    Parameters
    ----------
    task : Task
        What is printed; it may leave the types open.
    target : Target
        Its end of the game, in which the background may have a number, the last.
    assignment : tuple of (PieceType, int)
        The number of each type's colour, from 1; a type without one takes the first colour.
    """
    if task.type_colors is not None:
        return task.type_colors
    unseen = (task.background,) if target.unseen and task.background else ()
    colors, chosen = task.colors + unseen, dict(assignment)
    return {piece: colors[chosen.get(piece, 1) - 1] for piece in PieceType}


class _Choice:
    """The choice of a colour for each type, among those the theorem *cut* allows.

    The theorem is not part of the model: a choice that it forbids for some row is ruled out
    together with all that give this row's colours no type more, and the next one is made.

    Each type gets a colour, of the picture or the background's; each colour of the picture
    gets a type.

    Parameters
    ----------
    target : Target
        With ``shades``.
    without : tuple of PieceType
        Types that the theorem is not to rely on.
    """

    def __init__(self, target: Target, without: tuple[PieceType, ...] = ()) -> None:
        from ortools.sat.python import cp_model

        self.target = target
        self.without = without
        self.model = cp_model.CpModel()
        self.solver = cp_model.CpSolver()
        self.solver.parameters.num_workers = 1
        self.solver.parameters.catch_sigint_signal = False
        self.shades = range(1, 1 + max(target.unseen, *map(max, target.shades or ())))
        self.seen = [shade for shade in self.shades if shade != target.unseen]
        self.shows = {(p, s): self.model.new_bool_var("") for p in PieceType for s in self.shades}
        for piece in PieceType:
            self.model.add_exactly_one(self.shows[piece, s] for s in self.shades)
        for shade in self.seen:
            some = set(PieceType) - ({PieceType.O} if _has_odd_run(target, shade) else set())
            self.model.add_bool_or([self.shows[piece, shade] for piece in sorted(some)])

    def next(self, work: float) -> Assignment | None:
        """Return the best assignment found in so much deterministic time."""
        self.solver.parameters.max_deterministic_time = work
        while self.solver.status_name(self.solver.solve(self.model)) in _SOLVED:
            chosen = tuple(key for key, x in self.shows.items() if self.solver.boolean_value(x))
            relied_on = [key for key in chosen if key[0] not in self.without]
            row = cut_row(colored(self.target, relied_on))
            if row is None:
                return chosen
            # What may be left above it or not depends on the types there.
            last = None if self.target.above else row + 1
            here = {shade for one in (self.target.shades or ())[row:last] for shade in one}
            more = [
                x
                for key, x in self.shows.items()
                if key[1] in here and key[0] not in self.without and key not in chosen
            ]
            self.model.add_bool_or(more)
        return None


def any_assignment(target: Target) -> Assignment | None:
    """Return an assignment that the theorem *cut* allows; None if there is none.

    Parameters
    ----------
    target : Target
        With ``shades``.
    """
    return _Choice(target).next(float("inf"))


def covering_assignments(target: Target, budgets: Budgets = DEFAULT) -> Iterator[Assignment]:
    """Yield the assignments whose pieces can cover most of the picture, the best first.

    Parameters
    ----------
    target : Target
        With ``shades``.
    budgets : Budgets
        How long to look for each.

    Yields
    ------
    tuple of (PieceType, int)
        The number of each type's colour. Each gives two of J, L, T, S and Z another colour
        than any before, and one type at least the background's if that is open. None that the
        theorem *cut* forbids; so perhaps there is none.
    """
    given = set()
    # A lone square of an I that goes on above it leaves a pillar that little can stand on.
    for without in ((PieceType.I,), ()) if makes_pieces(target.width) else ((),):
        for found in _covering(target, without, budgets):
            if found not in given:
                given.add(found)
                yield found
    if not given:
        some = any_assignment(target)
        if some is not None:
            yield some


def _covering(
    target: Target, without: tuple[PieceType, ...], budgets: Budgets
) -> Iterator[Assignment]:
    choice = _Choice(target, without)
    model, shows, shades = choice.model, choice.shows, choice.seen
    for owners in (SINGLE, SINGLE + NEARLY_SINGLE):
        if len(shades) <= len(owners):
            for shade in shades:
                model.add_bool_or([shows[piece, shade] for piece in owners])
        else:
            for shade in shades:
                model.add_at_most_one(shows[piece, shade] for piece in owners)
    if target.unseen:
        few = len(shades) < len(SINGLE + NEARLY_SINGLE)
        useful = SINGLE + NEARLY_SINGLE if few else tuple(PieceType)
        model.add_bool_or([shows[piece, target.unseen] for piece in useful])
    covering: dict[tuple[int, int], list[Any]] = {}
    pieces = []
    for one in pass_placements(PassShape(target.rows, target.rows), closed(target)):
        literal = model.new_bool_var("")
        model.add_implication(literal, shows[one.placement.orientation.piece, one.shade])
        pieces.append(literal)
        for cell in one.picture:
            covering.setdefault(cell, []).append(literal)
    for literals in covering.values():
        model.add_at_most_one(literals)
    # A single square of a colour without J, L or T costs about as much as a covered piece.
    counts = [sum(row.count(s) for row in target.shades or ()) for s in shades]
    owned = [counts[s - 1] * shows[piece, s] for s in shades for piece in SINGLE]
    model.maximize(4 * sum(pieces) + sum(owned))
    found = choice.next(budgets.covering)
    while found is not None:
        yield found
        kept = [shows[key] for key in found if key[0] in SINGLE + NEARLY_SINGLE]
        model.add(sum(kept) <= len(kept) - 2)
        found = choice.next(budgets.covering_next)


def _has_odd_run(target: Target, shade: int) -> bool:
    rows = target.shades or ()
    return any(len(tuple(run)) % 2 for row in rows for value, run in groupby(row) if value == shade)
