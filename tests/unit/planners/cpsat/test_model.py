"""The model's clauses against the game: what can be played must be a solution."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.oracles.truth import NAMES, fewest_drops
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS, Cell, Orientation, PieceType, Placement
from tetrisprinter.game.plan import Pass
from tetrisprinter.planners.cpsat.model import solve
from tetrisprinter.planners.cpsat.problem import PassProblem
from tetrisprinter.planners.passes.order import drawings, ordered
from tetrisprinter.planners.passes.placements import PassPlacement
from tetrisprinter.planners.passes.shape import PassShape
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
        shapes = (PassShape(0, 0, "c" * lines + "pp"),)
        fitted = tuple(s for s in (x.fitted(14, target.rows) for x in shapes) if s)
        game = PassProblem(target, fitted, frozenset(), target.required, all_used=True)
        found = solve(game, 5)
        assert found.passes is not None, (width, lines, left)
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
        shapes = tuple(
            shape
            for base in range(3)
            for shape in (PassShape(base, 3, stack).fitted(16, 2) for stack in stacks)
            if shape
        )
        found = solve(PassProblem(target, shapes, frozenset(), target.required), (1))
        if found.passes is None:
            continue
        solved += 1
        field = Playfield(width, 16)
        for one in found.passes:
            pieces = [p for part in one.parts for p in part.pieces]
            lines = sum(len(field.drop(p.orientation, p.x).cleared) for p in pieces)
            assert lines == one.shape.lines
        left = {
            (x, y): PieceType(v) for y, row in enumerate(field.rows) for x, v in enumerate(row) if v
        }
        assert left == cells
    assert solved >= 2


def test_drop_order_puts_a_piece_after_what_it_lies_on() -> None:
    flat = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 4)
    square = next(o for o in ORIENTATIONS if o.piece is PieceType.O)
    shape = PassShape(0, 0, "ppp")

    def lying(orientation: Orientation, x: int, y: int) -> PassPlacement:
        placement = Placement(orientation, x, y)
        feet = tuple((x + dx, y) for dx in range(orientation.width))
        return PassPlacement(placement, 0, (), placement.cells, range(2), feet, placement.cells)

    upper, lower, late = lying(flat, 0, 2), lying(square, 1, 0), lying(square, 4, 0)
    order = ordered([(upper, 0), (late, 1), (lower, 0)])
    assert order == [lower, upper, late]
    assert drawings(order, shape) == (Pass(3, tuple(one.placement for one in order)),)


def test_without_bridging_a_level_is_ordered_by_what_lies_on_what() -> None:
    """A single clearing row cannot be bridged, so what completes it may lie on its own level."""
    flat = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 4)

    def at(y: int, matrix: tuple[Cell, ...], picture: tuple[Cell, ...]) -> PassPlacement:
        feet = tuple((x, y) for x in range(4))
        return PassPlacement(Placement(flat, 0, y), 0, matrix, picture, range(2), feet, feet)

    completing = at(1, tuple((x, 0) for x in range(4)), ())
    under = at(0, (), tuple((x, 0) for x in range(4)))
    assert ordered([(completing, 1), (under, 1)]) == [under, completing]


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
    shapes: list[PassShape | None] = []
    for base in range(len(rows) + 1):
        shapes.append(PassShape(base, 4, "ppp").fitted(8, len(rows)))
        shapes += [PassShape(base, 3, stack + "ppp").fitted(8, len(rows)) for stack in stacks]
    offered = tuple(shape for shape in shapes if shape is not None)
    truth = fewest_drops(width, 8, picture, color_of)
    assert truth.drops is not None
    found = solve(PassProblem(target, offered, frozenset(), target.required), 10)
    assert found.drops == truth.drops
    plain = tuple(replace(shape, bridging=False) for shape in offered)
    without = solve(PassProblem(target, plain, frozenset(), target.required), 10)
    assert without.passes is None or without.drops > truth.drops


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

    def solved(*shapes: PassShape) -> bool:
        game = PassProblem(target, shapes, below, target.required, all_used=True)
        found = solve(game, 20)
        assert found.complete or found.passes is not None
        return found.passes is not None

    assert solved(PassShape(2, 2, "cccpccccp"))
    for first, second in ((1, 2), (2, 3), (3, 4), (4, 3), (5, 2)):
        assert not solved(
            PassShape(2, 2, "c" * first + "pp"),
            PassShape(3, 3, "c" * second + "p"),
        )
    assert not solved(PassShape(2, 2, "cccccccpp"))


def test_every_column_of_the_classic_board_in_sixteen_drops() -> None:
    """Three cleared rows leave a single J, T or L in any column (a sample of them)."""
    for piece, column in ((PieceType.J, 0), (PieceType.T, 0), (PieceType.L, 20), (PieceType.T, 20)):
        target = target_of(21, 42, {(column, 0): piece})
        shape = PassShape(0, 0, "cccp")
        game = PassProblem(target, (shape,), frozenset(), target.required)
        found = solve(game, 20)
        assert found.passes is not None
        assert (found.drops, found.complete) == (16, True)


def test_o_alone_is_left_nowhere() -> None:
    target = target_of(9, 20, {(4, 0): PieceType.O})
    game = PassProblem(target, (PassShape(0, 0, "cccp"),), frozenset(), target.required)
    found = solve(game, 20)
    assert found.passes is None
    assert found.complete
