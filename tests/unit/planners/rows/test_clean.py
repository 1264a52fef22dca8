"""Rows printed from a clean state to a clean state, judged by the plain simulator."""

import random
from dataclasses import replace

import pytest

from tests.support.dropping import drop_pieces
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.planners.rows.chooser import print_on_platform
from tetrisprinter.planners.rows.passes import PassFinder
from tetrisprinter.planners.rows.row_print import print_clean
from tetrisprinter.planners.rows.target import RowState, RowStep, RowTarget
from tetrisprinter.planners.run import Stage, Work, WorkSpentError

HEIGHT = 14
BEAM = 60


def target_of(ground: frozenset[int], *rows: list[int]) -> RowTarget:
    """Return a target of sets of types for each square, over some squares of any type."""
    below = [0b11111110 * (x in ground) for x in range(len(rows[0]))]
    required = (frozenset(x for x, mask in enumerate(row) if mask) for row in (below, *rows))
    return RowTarget(tuple(map(tuple, (below, *rows))), tuple(required), HEIGHT)


def check(target: RowTarget, state: RowState, found: RowStep) -> int:
    """Play the passes on the rows below, compare what they leave, and count the drops."""
    passes, after = found.list_drops(), found.after
    start = {(x, y): "?" for y in range(state.rows) for x in target.required[y]}
    start |= {(x, state.rows): "?" for x in state.carried}
    pieces = [piece for one in passes for piece in one.pieces]
    drops, field = drop_pieces(pieces, start, (target.width, HEIGHT))
    rows = after.rows
    assert field.keys() == {(x, y) for y in range(rows) for x in target.required[y]}
    for (x, y), name in field.items():
        known = name == "?" and y < state.rows
        assert known or target.allowed[y][x] >> PieceType[name] & 1
    assert after == target.make_clean_state(rows)
    return len(drops)


def hard_row(rng: random.Random) -> tuple[RowTarget, RowState]:
    """Return a row of a few types over few squares or over holes, on an odd width."""
    width = rng.choice((7, 9, 11))
    share = rng.choice((0.15, 0.7))
    ground = frozenset(x for x in range(1, width - 1) if rng.random() < share) | {width - 1}
    kinds = [piece for piece in PieceType if piece is not PieceType.O]
    pool = rng.sample(kinds, rng.randint(1, 5))
    density = rng.choice((0.15, 0.5, 0.9))
    row = [1 << rng.choice(pool) if rng.random() < density else 0 for _ in range(width)]
    row[:2] = 0, 0  # where nothing is to be left, a slot has its place
    row[rng.randrange(2, width)] = 1 << rng.choice(pool)
    target = target_of(ground, row)
    return target, target.make_clean_state(1)


def test_hard_rows_on_odd_widths_are_printed() -> None:
    ways, rng = [], random.Random(2)
    for _ in range(4):
        target, state = hard_row(rng)
        found = print_clean(target, state, beam=BEAM)
        assert found is not None
        check(target, state, found)
        ways.append(found.fallback)
        if found.fallback is Stage.PLATFORM:
            low = replace(target, height=4)
            assert print_clean(low, state, beam=BEAM) is None, "no room for it"
    assert set(ways) == {Stage.ALONE, Stage.IN_PARTS, Stage.PLATFORM}


def test_squares_that_may_stay_make_up_the_number_that_an_even_width_can_leave() -> None:
    one = 1 << PieceType.T
    target = target_of(frozenset(range(7)), [one, one, 0, one, 0, 0, 0, 0])
    assert print_clean(target, target.make_clean_state(1), beam=BEAM) is None
    unseen = replace(target, allowed=(target.allowed[0], (one, one, 0, one, one, one, one, 0)))
    found = print_clean(unseen, target.make_clean_state(1), beam=BEAM)
    assert found is not None
    assert len(found.after.ground) == 4
    assert found.after.ground >= target.required[1]


def test_rows_are_printed_together_where_one_alone_has_a_wrong_number() -> None:
    red = 1 << PieceType.L | 1 << PieceType.J
    row = [0, red, red, red, red, red, red, 0]
    target = target_of(frozenset(range(1, 7)), row, row)
    state = target.make_clean_state(1)
    assert print_clean(target, state, BEAM, 1) is None
    found = print_clean(target, state, BEAM, 2)
    assert found is not None
    assert found.fallback is Stage.TOGETHER
    check(target, state, found)


def test_what_is_carried_becomes_a_part_of_the_platform() -> None:
    row = [0, 0, 0, 0, 0, 0, 0, 1 << PieceType.L | 1 << PieceType.Z]
    target = target_of(frozenset({2}), row)
    finder = PassFinder(target.width, 200, patience=6)
    for carried in ({5}, {0, 3, 4, 5, 7}, {2}):  # over the last no platform can be built
        state = RowState(1, frozenset({2}), frozenset(carried))
        found = print_on_platform(target, finder, state)
        assert found is not None
        low = replace(target, height=5)
        assert print_on_platform(low, finder, state) is None, "no room for it"
        check(target, state, found)


def test_a_row_ends_when_its_work_is_spent() -> None:
    red = 1 << PieceType.L | 1 << PieceType.J
    target = target_of(frozenset(range(1, 7)), *[[0, red, red, red, red, red, red, 0]] * 2)
    with pytest.raises(WorkSpentError):
        print_clean(target, target.make_clean_state(1), BEAM, 2, Work(most=1e-6))
