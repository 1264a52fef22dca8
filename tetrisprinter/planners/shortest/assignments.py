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

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import CLASSIC_TYPES
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.shortest.passes import Slice, spots
from tetrisprinter.printing.obstacles import cut_row
from tetrisprinter.printing.target import Target, colored

__all__ = [
    "Shades",
    "any_shades",
    "classic_types",
    "colors_to_show",
    "covering_shades",
    "types_of_shades",
]

Shades = tuple[tuple[PieceType, int], ...]
"""Which type shows which colour: the colour's number in a target without types."""

_SINGLE = (PieceType.J, PieceType.L, PieceType.T)
_NEARLY_SINGLE = (PieceType.S, PieceType.Z)  # not at one of the walls

_SOLVED = ("OPTIMAL", "FEASIBLE")


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


class _Choice:
    """The choice of a colour for each type, among those the theorem *cut* allows.

    The theorem is not part of the model: a choice that it forbids for some row is ruled out
    together with all that give this row's colours no type more, and the next one is made.

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
        self.shades = range(1, 1 + max(max(row) for row in target.shades or ()))
        self.shows = {(p, s): self.model.new_bool_var("") for p in PieceType for s in self.shades}
        for piece in PieceType:
            self.model.add_exactly_one(self.shows[piece, s] for s in self.shades)
        for shade in self.shades:
            some = set(PieceType) - ({PieceType.O} if _has_odd_run(target, shade) else set())
            self.model.add_bool_or([self.shows[piece, shade] for piece in sorted(some)])

    def next(self, work: float) -> Shades | None:
        """Return the best assignment found in so much deterministic time."""
        self.solver.parameters.max_deterministic_time = work
        while self.solver.status_name(self.solver.solve(self.model)) in _SOLVED:
            chosen = tuple(key for key, x in self.shows.items() if self.solver.boolean_value(x))
            relied_on = [key for key in chosen if key[0] not in self.without]
            row = cut_row(colored(self.target, relied_on))
            if row is None:
                return chosen
            here = set(self.target.shades[row]) if self.target.shades else set()
            more = [
                x
                for key, x in self.shows.items()
                if key[1] in here and key[0] not in self.without and key not in chosen
            ]
            self.model.add_bool_or(more)
        return None


def any_shades(target: Target) -> Shades | None:
    """Return an assignment that the theorem *cut* allows; None if there is none.

    Parameters
    ----------
    target : Target
        With ``shades``.
    """
    return _Choice(target).next(float("inf"))


def covering_shades(target: Target) -> Iterator[Shades]:
    """Yield the assignments whose pieces can cover most of the picture, the best first.

    Parameters
    ----------
    target : Target
        With ``shades``.

    Yields
    ------
    tuple of (PieceType, int)
        The number of each type's colour. Each gives two of J, L, T, S and Z another colour
        than any before. None that the theorem *cut* forbids; so perhaps there is none.
    """
    given = set()
    # A lone square of an I that goes on above it leaves a stalk that little can stand on.
    for without in ((PieceType.I,), ()) if target.width % 4 == 0 else ((),):
        for found in _covering(target, without):
            if found not in given:
                given.add(found)
                yield found
    if not given:
        some = any_shades(target)
        if some is not None:
            yield some


def _covering(target: Target, without: tuple[PieceType, ...]) -> Iterator[Shades]:
    choice = _Choice(target, without)
    model, shows, shades = choice.model, choice.shows, choice.shades
    for owners in (_SINGLE, _SINGLE + _NEARLY_SINGLE):
        if len(shades) <= len(owners):
            for shade in shades:
                model.add_bool_or([shows[piece, shade] for piece in owners])
        else:
            for shade in shades:
                model.add_at_most_one(shows[piece, shade] for piece in owners)
    covering: dict[tuple[int, int], list[Any]] = {}
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
    found = choice.next(1.0)  # the first should be good
    while found is not None:
        yield found
        kept = [shows[key] for key in found if key[0] in _SINGLE + _NEARLY_SINGLE]
        model.add(sum(kept) <= len(kept) - 2)
        found = choice.next(0.4)


def _has_odd_run(target: Target, shade: int) -> bool:
    rows = target.shades or ()
    return any(len(tuple(run)) % 2 for row in rows for value, run in groupby(row) if value == shade)
