"""Which piece type shows which colour.

*classic* is the article's rule: the first three colours, top row first, go to J, T and L,
and no other type is ever left. *auto* leaves the choice to the optimisation. Where the
whole picture fits into one model, the model chooses
(:mod:`~tetrisprinter.planners.shortest.ladder`). Larger pictures get the assignment that
lets pieces of one colour, lying wholly in the picture, cover most of it, with one of J, L
and T for every colour as long as they last: those are the types that can leave a single
square anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from tetrisprinter.errors import InputError
from tetrisprinter.picture import Color, Picture
from tetrisprinter.plan import CLASSIC_TYPES
from tetrisprinter.planners.shortest.passes import Slice, spots
from tetrisprinter.planners.shortest.target import Target
from tetrisprinter.tetromino import PieceType

__all__ = ["classic_types", "colors_to_show", "covering_types", "types_of_shades"]

_SINGLE = (PieceType.J, PieceType.L, PieceType.T)


def colors_to_show(picture: Picture, background: Color | None) -> tuple[Color, ...]:
    """Return the colours that need a type, in order of first appearance."""
    return tuple(color for color in picture.colors() if color != background)


def classic_types(picture: Picture, background: Color | None = None) -> dict[PieceType, Color]:
    """Give the first three colours to J, T and L.

    Raises
    ------
    InputError
        If the picture has more than three colours.
    """
    colors = colors_to_show(picture, background)
    if len(colors) > len(CLASSIC_TYPES):
        raise InputError(
            f"{picture.name}: {len(colors)} colours are more than the three of the classic types "
            "J, T and L; choose --types auto, or name the types (J=ff0000,...)"
        )
    return dict(zip(CLASSIC_TYPES, colors, strict=False))


def types_of_shades(
    shades: tuple[tuple[PieceType, int], ...], colors: tuple[Color, ...]
) -> Mapping[PieceType, Color]:
    """Translate the model's choice; a type it had no use for takes the first colour."""
    chosen = dict(shades)
    return {piece: colors[chosen.get(piece, 1) - 1] for piece in PieceType}


def covering_types(target: Target, colors: tuple[Color, ...]) -> Mapping[PieceType, Color]:
    """Choose the assignment whose pieces can cover most of the picture.

    Parameters
    ----------
    target : Target
        With ``shades``.
    colors : tuple of str
        The colour of shade 1, 2, ...
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    shades = range(1, len(colors) + 1)
    shows = {(p, s): model.new_bool_var("") for p in PieceType for s in shades}
    for piece in PieceType:
        model.add_exactly_one(shows[piece, s] for s in shades)
    for shade in shades:
        model.add_bool_or([shows[piece, shade] for piece in PieceType])
    if len(colors) <= len(_SINGLE):
        for shade in shades:
            model.add_bool_or([shows[piece, shade] for piece in _SINGLE])
    else:
        for shade in shades:
            model.add_at_most_one(shows[piece, shade] for piece in _SINGLE)
    covering: dict[tuple[int, int], list[cp_model.IntVar]] = {}
    pieces = []
    for spot in spots(Slice(target.rows, target.rows, ""), target):
        literal = model.new_bool_var("")
        model.add_implication(literal, shows[spot.placement.orientation.piece, spot.shade])
        pieces.append(literal)
        for cell in spot.picture:
            covering.setdefault(cell, []).append(literal)
    for literals in covering.values():
        model.add_at_most_one(literals)
    # A single square of a colour without J, L or T costs about as much as a covered piece.
    counts = [sum(row.count(s) for row in target.shades or ()) for s in shades]
    owned = [counts[s - 1] * shows[piece, s] for s in shades for piece in _SINGLE]
    model.maximize(4 * sum(pieces) + sum(owned))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_deterministic_time = 3.0
    solver.parameters.catch_sigint_signal = False
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        rest = (piece for piece in PieceType if piece not in _SINGLE)
        return {p: colors[i % len(colors)] for i, p in enumerate((*_SINGLE, *rest))}
    return {p: colors[s - 1] for (p, s), literal in shows.items() if solver.boolean_value(literal)}
