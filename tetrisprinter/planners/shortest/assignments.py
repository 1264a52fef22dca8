"""Assignments of colours to piece types.

Where a task leaves that open it is printed in many assignments: those in which a short game is
known, and others that differ a little from these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from tetrisprinter.bounds.stacks import TypeColors
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Color
from tetrisprinter.printing.obstacles import find_cut_row
from tetrisprinter.printing.sharing import Assignments
from tetrisprinter.printing.target import Target, assign_shades
from tetrisprinter.printing.task import Task
from tetrisprinter.support.solving import solve_model

__all__ = ["any_assignment", "proposals", "types_assigned"]

_SOLVED = ("OPTIMAL", "FEASIBLE")


def types_assigned(task: Task, target: Target, assignment: TypeColors) -> Mapping[PieceType, Color]:
    """Return the colour of each type: from the task, or else from an assignment."""
    if task.type_colors is not None:
        return task.type_colors
    unseen = (task.background,) if target.dont_care_shade and task.background else ()
    colors, chosen = task.colors + unseen, dict(assignment)
    return {piece: colors[chosen.get(piece, 1) - 1] for piece in PieceType}


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


def proposals(target: Target, seed: int, first: Sequence[TypeColors] = ()) -> Assignments[int]:
    """Return assignments of the target's colours, background included, to all types."""
    shown = Counter(shade for row in target.shades or () for shade in row if shade)
    if target.dont_care_shade:
        shown[target.dont_care_shade] += 1
    return Assignments({shade: shown[shade] for shade in sorted(shown)}, seed, first)
