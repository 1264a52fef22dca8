"""Which type shows which colour: some assignments that no theorem forbids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from tetrisprinter.bounds.stacks import TypeColors
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.printing.obstacles import find_cut_row, find_theorem
from tetrisprinter.printing.sharing import Assignments
from tetrisprinter.printing.target import Target, assign_shades
from tetrisprinter.support.solving import solve_model

_SOLVED = ("OPTIMAL", "FEASIBLE")


def assignments_near(
    target: Target, known: Sequence[TypeColors], seed: int
) -> Iterator[TypeColors]:
    """Yield assignments that no theorem forbids: some, then others that differ a little from them.

    Parameters
    ----------
    target : Target
        With ``shades``.
    known : sequence of tuple of (PieceType, int)
        Those to begin with; without any, one that no theorem forbids.
    seed : int
        Same seed, same assignments.
    """
    begun = tuple(known) or tuple(filter(None, [any_assignment(target)]))
    ways = list_assignments(target, seed, begun)
    while begun and (one := ways.next(begun)) is not None:
        if find_theorem(assign_shades(target, one)) is None:
            yield one


def any_assignment(target: Target) -> TypeColors | None:
    """Return an assignment that the theorems *O alone* and *cut* allow; None if there is none.

    Each type gets a colour, of the picture or the background's; each colour of the picture gets a
    type. The theorem *cut* is not part of the model: a choice that it forbids for some row is ruled
    out together with all that give this row's colours no type more, and the next one is made.
    """
    from ortools.sat.python import cp_model

    rows = target.shades or ()
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    solver.parameters.num_workers = 1
    shades = range(1, 1 + max(target.dont_care_shade, *map(max, rows)))
    shows = {(piece, shade): model.new_bool_var("") for piece in PieceType for shade in shades}
    for piece in PieceType:
        model.add_exactly_one(shows[piece, shade] for shade in shades)
    for shade in shades:
        if shade != target.dont_care_shade:
            some = set(PieceType) - ({PieceType.O} if _has_odd_run(target, shade) else set())
            model.add_bool_or([shows[piece, shade] for piece in sorted(some)])
    while solver.status_name(solve_model(solver, model)) in _SOLVED:
        chosen = tuple(key for key, x in shows.items() if solver.boolean_value(x))
        row = find_cut_row(assign_shades(target, chosen))
        if row is None:
            return chosen
        # What may be left above it or not depends on the types there.
        here = {shade for one in rows[row : None if target.above else row + 1] for shade in one}
        more = [x for key, x in shows.items() if key[1] in here and key not in chosen]
        model.add_bool_or(more)
    return None


def _has_odd_run(target: Target, shade: int) -> bool:
    rows = target.shades or ()
    return any(len(tuple(run)) % 2 for row in rows for value, run in groupby(row) if value == shade)


def list_assignments(
    target: Target, seed: int, first: Sequence[TypeColors] = ()
) -> Assignments[int]:
    """Return assignments of the target's colours, background included, to all types."""
    shown = Counter(shade for row in target.shades or () for shade in row if shade)
    if target.dont_care_shade:
        shown[target.dont_care_shade] += 1
    return Assignments({shade: shown[shade] for shade in sorted(shown)}, seed, first)
