"""The rolling horizon where rows do not come out one by one."""

from __future__ import annotations

from itertools import islice

from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.shortest.horizon import _LISTS, _height_lists, roll
from tetrisprinter.planners.shortest.menus import interleaved
from tetrisprinter.planners.shortest.session import Session
from tetrisprinter.printing.target import Target, make_target

A, B, C = "d03030", "3060c0", "f0c040"
TYPES: dict[PieceType, Color] = {
    **dict.fromkeys((PieceType.I, PieceType.J, PieceType.S, PieceType.Z), A),
    **dict.fromkeys((PieceType.L, PieceType.O), B),
    PieceType.T: C,
}


def target_of(*rows: str) -> Target:
    """Return the target of a picture, drawn from its top, on a board of its width."""
    colors = {"a": A, "b": B, "c": C, ".": None}
    picture = Picture(tuple(tuple(colors[c] for c in row) for row in reversed(rows)))
    return make_target(picture, TYPES, picture.width, 22, 0, None)


def test_even_widths_need_picture_rows_between_clearing_rows() -> None:
    # Plain matrices, together no higher than nine rows, are proved not to print it.
    target = target_of("......a.b.")
    played = roll(target, Session())
    assert played is not None
    assert frozenset().union(*(p.printed for p in played)) == target.required
    assert any("cpc" in p.cut.stack for p in played)


def test_a_row_is_tried_with_every_kind_of_stack() -> None:
    lists = list(islice(_height_lists(10, 2, 2), _LISTS))
    totals = [sum(stack.count("c") for menu in menus for stack in menu) for menus in lists]
    assert totals == sorted(totals)
    # It prints single squares in two rows over "..a..c.a.a", where nothing plain does.
    assert (("ccpccccc",), (), ()) in lists
    assert ((), (), ("ccccccc",)) in lists
    assert (("ccc",), (), ("cc",)) in lists
    assert all((2 + 10 * total) % 4 == 0 for total in totals)


def test_stacks_share_their_clearing_rows_evenly_first() -> None:
    assert interleaved(6, 2) == ["cccpccc", "ccpcccc", "ccccpcc"]
    assert interleaved(6, 3) == ["ccpccpcc"]
    assert interleaved(3, 2) == []
    assert all(stack.count("c") == 11 for stack in interleaved(11, 4))
