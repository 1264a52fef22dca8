"""The model's clauses against the game: what can be played must be a solution."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.oracles.truth import NAMES, fewest_drops
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation, PieceType, Placement
from tetrisprinter.planners.shortest.game import Game, Limits
from tetrisprinter.planners.shortest.model import solve
from tetrisprinter.planners.shortest.passes import Slice, Spot, drawings, drop_order
from tetrisprinter.printing.target import Target, mask_of

EVERY = mask_of(PieceType)


def target_of(width: int, height: int, cells: dict[Cell, PieceType]) -> Target:
    rows = 1 + max(y for _, y in cells)
    allowed = tuple(
        tuple(1 << cells[x, y] if (x, y) in cells else 0 for x in range(width)) for y in range(rows)
    )
    return Target(width, height, allowed, frozenset(cells))


def random_pass(rng: random.Random, width: int, lines: int) -> dict[Cell, PieceType] | None:
    """Play on an empty floor until the first rows, from below, have cleared gap-free."""
    field = Playfield(width, lines + 4)
    cleared = 0
    for _ in range(60):
        if cleared == lines:
            break
        # Rows above the matrix may only be touched where the matrix is full below.
        choices = []
        for o in ORIENTATIONS:
            for x in range(width - o.width + 1):
                tops = field.tops[x : x + o.width]
                y = max(t - b for t, b in zip(tops, o.bottom, strict=True))
                if all(y + b == t for t, b in zip(tops, o.bottom, strict=True)) and (
                    max(o.top) + y + cleared <= lines + 2
                ):
                    choices.append((o, x))
        if not choices:
            return None
        landing = field.drop(*rng.choice(choices))
        if any(row != 0 for row in landing.cleared[:1]):
            return None
        cleared += len(landing.cleared)
        if cleared > lines:
            return None
    if cleared != lines:
        return None
    left = {
        (x, y): PieceType(value)
        for y, row in enumerate(field.rows)
        for x, value in enumerate(row)
        if value
    }
    return left or None


def test_what_random_games_leave_is_a_solution_of_the_pass_they_form() -> None:
    rng = random.Random(11)
    checked = 0
    for _ in range(4000):
        width, lines = rng.randint(4, 7), rng.randint(1, 3)
        left = random_pass(rng, width, lines)
        if left is None or max(y for _, y in left) > 1:
            continue
        target = target_of(width, 14, left)
        drops = (len(left) + width * lines) // 4
        slices = (Slice(0, 0, "c" * lines + "pp"),)
        fitted = tuple(s for s in (x.fitted(14, target.rows) for x in slices) if s)
        game = Game(target, fitted, frozenset(), target.required, exact=True, all_used=True)
        found = solve(game, Limits(work=5))
        assert found.played is not None, (width, lines, left)
        assert found.drops == drops
        checked += 1
        if checked == 40:
            break
    assert checked == 40


def test_a_solution_lands_where_the_model_says() -> None:
    rng = random.Random(3)
    solved = 0
    for _ in range(12):
        width = rng.choice((5, 7, 9))
        cells = {
            (x, y): rng.choice((PieceType.J, PieceType.T, PieceType.L))
            for y in range(2)
            for x in range(width)
            if rng.random() < 0.5
        }
        if {y for _, y in cells} != {0, 1} or len(cells) == 2 * width:
            continue
        target = target_of(width, 16, cells)
        stacks = ("ccpp", "cpcpp", "cccpp", "cpp")
        slices = tuple(
            cut
            for base in range(3)
            for cut in (Slice(base, 3, stack).fitted(16, 2) for stack in stacks)
            if cut
        )
        found = solve(Game(target, slices, frozenset(), target.required), Limits(work=1))
        if found.played is None:
            continue
        solved += 1
        field = Playfield(width, 16)
        for one in found.played:
            pieces = [p for part in one.parts for p in part]
            lines = sum(len(field.drop(p.orientation, p.x).cleared) for p in pieces)
            assert lines == one.cut.lines
        left = {
            (x, y): PieceType(v) for y, row in enumerate(field.rows) for x, v in enumerate(row) if v
        }
        assert left == cells
    assert solved >= 2


def test_drop_order_puts_a_piece_after_what_it_lies_on() -> None:
    flat = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 4)
    square = next(o for o in ORIENTATIONS if o.piece is PieceType.O)
    cut = Slice(0, 0, "ppp")

    def lying(orientation: Orientation, x: int, y: int) -> Spot:
        placement = Placement(orientation, x, y)
        feet = tuple((x + dx, y) for dx in range(orientation.width))
        return Spot(placement, 0, (), placement.cells, range(2), feet)

    upper, lower, late = lying(flat, 0, 2), lying(square, 1, 0), lying(square, 4, 0)
    order = drop_order([(upper, 0), (late, 1), (lower, 0)], cut)
    assert order == [lower, upper, late]
    assert drawings(order, cut) == (tuple(spot.placement for spot in order),)


def test_without_bridging_a_level_is_ordered_by_what_lies_on_what() -> None:
    """A single clearing row cannot be bridged, so what completes it may lie on its own level."""
    flat = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 4)
    cut = Slice(1, 1, "c")

    def at(y: int, matrix: tuple[Cell, ...], picture: tuple[Cell, ...]) -> Spot:
        feet = tuple((x, y) for x in range(4))
        return Spot(Placement(flat, 0, y), 0, matrix, picture, range(2), feet)

    completing = at(1, tuple((x, 0) for x in range(4)), ())
    under = at(0, (), tuple((x, 0) for x in range(4)))
    assert drop_order([(completing, 1), (under, 1)], cut) == [under, completing]


@pytest.mark.parametrize(
    ("width", "rows", "stacks"),
    [
        # A piece reaches below the matrix once its lowest row has gone.
        (5, (".ba.a", "aaa..", ".a.a."), ("cc",)),
        # The upper of two rows goes first.
        (6, (".aa.a.", "....a."), ("10",)),
    ],
)
def test_bridging_reaches_the_true_minimum(
    width: int, rows: tuple[str, ...], stacks: tuple[str, ...]
) -> None:
    color_of = {name: index % 2 for index, name in enumerate(NAMES)}
    if "b" not in "".join(rows):
        color_of = dict.fromkeys(NAMES, 0)
    picture = {
        (x, y): "ab".index(letter)
        for y, row in enumerate(reversed(rows))
        for x, letter in enumerate(row)
        if letter != "."
    }
    allowed = tuple(
        tuple(
            mask_of(t for t in PieceType if (x, y) in picture and color_of[t.name] == picture[x, y])
            for x in range(width)
        )
        for y in range(len(rows))
    )
    target = Target(width, 8, allowed, frozenset(picture))
    slices: list[Slice | None] = []
    for base in range(len(rows) + 1):
        slices.append(Slice(base, 4, "ppp").fitted(8, len(rows)))
        slices += [Slice(base, 3, stack + "ppp").fitted(8, len(rows)) for stack in stacks]
    offered = tuple(cut for cut in slices if cut is not None)
    truth = fewest_drops(width, 8, picture, color_of)
    assert truth is not None
    found = solve(Game(target, offered, frozenset(), target.required), Limits(work=10))
    assert found.drops == truth[0]
    plain = tuple(replace(cut, bridging=False) for cut in offered)
    without = solve(Game(target, plain, frozenset(), target.required), Limits(work=10))
    assert without.played is None or without.drops > truth[0]


def test_squares_tied_by_parity_come_down_through_a_stack_with_picture_rows_between() -> None:
    """On ten columns a pass prints an even number of squares, and these share no piece."""
    rows = (".......a..", "........a.", ".a.a......", "..a...a...")
    cells = {
        (x, y)
        for y, row in enumerate(reversed(rows))
        for x, letter in enumerate(row)
        if letter > "."
    }
    allowed = tuple(tuple(EVERY * ((x, y) in cells) for x in range(10)) for y in range(4))
    target = Target(10, 24, allowed, frozenset(cells))
    below = frozenset(cell for cell in cells if cell[1] < 2)

    def solved(*slices: Slice) -> bool:
        game = Game(target, slices, below, target.required, exact=True, all_used=True)
        found = solve(game, Limits(work=20, core=False))
        assert found.complete or found.played is not None
        return found.played is not None

    assert solved(Slice(2, 2, "cccpccccp"))
    for first, second in ((1, 2), (2, 3), (3, 4), (4, 3), (5, 2)):
        assert not solved(Slice(2, 2, "c" * first + "pp"), Slice(3, 3, "c" * second + "p"))
    assert not solved(Slice(2, 2, "cccccccpp"))


def test_every_column_of_the_classic_board_in_sixteen_drops() -> None:
    """Three cleared rows leave a single J, T or L in any column (a sample of them)."""
    for piece, column in ((PieceType.J, 0), (PieceType.T, 0), (PieceType.L, 20), (PieceType.T, 20)):
        target = target_of(21, 42, {(column, 0): piece})
        cut = Slice(0, 0, "cccp")
        game = Game(target, (cut,), frozenset(), target.required)
        found = solve(game, Limits(work=20))
        assert found.played is not None
        assert (found.drops, found.complete) == (16, True)


def test_o_alone_is_left_nowhere() -> None:
    target = target_of(9, 20, {(4, 0): PieceType.O})
    game = Game(target, (Slice(0, 0, "cccp"),), frozenset(), target.required)
    found = solve(game, Limits(work=20))
    assert found.played is None
    assert found.complete
