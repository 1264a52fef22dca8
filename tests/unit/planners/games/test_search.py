"""Whole games are legal games that leave the picture, whatever the types and the workers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import gcd

import pytest
from pysat.solvers import Solver

from tests.oracles.game import replay
from tetrisprinter.bounds.formula import WindowFormula
from tetrisprinter.bounds.stacks import final_rows, scene, stack_of
from tetrisprinter.game.pieces import Orientation, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import drop_log, play_through
from tetrisprinter.planners.games.search import GameFound, Room, Upward
from tetrisprinter.planners.games.uses import OUTLOOK_ROWS, uses
from tetrisprinter.planners.shortest.budgets import ShortestBudgets
from tetrisprinter.planners.shortest.games import games_fit, whole_games
from tetrisprinter.planners.shortest.running import SearchRun
from tetrisprinter.planners.shortest.search import Search
from tetrisprinter.printing.target import Target, mask_of

HEIGHT = 14
SMALL = (0, 1, 19, 28, 33, 36, 44, 53, 59)
"""Numbers of small targets that are looked at by every game."""


def made(seed: int) -> Target:
    """Make a small target up, in which types have colours; no row of it is full or empty."""
    pick = random.Random(seed)
    width, rows = pick.choice((5, 6, 7, 9, 10, 11)), pick.randint(2, 6)
    types = pick.sample(list(PieceType), 7)
    colors = [types[:3], types[3:5], types[5:]][: pick.randint(1, 3)]
    allowed = []
    for _ in range(rows):
        row = [mask_of(pick.choice(colors)) if pick.random() < 0.8 else 0 for _ in range(width)]
        row[pick.randrange(width)] = 0
        allowed.append(tuple(row))
    if width % 2 == 0 and sum(map(bool, sum(allowed, ()))) % 2:
        return made(seed + 1000)  # no game leaves so many squares
    cells = frozenset((x, y) for y, row in enumerate(allowed) for x, m in enumerate(row) if m)
    return Target(width, HEIGHT, tuple(allowed), cells)


def small(seed: int) -> Target:
    """Make a smaller one up."""
    pick = random.Random(seed)
    width, rows = pick.choice((4, 5, 5, 6)), pick.randint(1, 3)
    types = pick.sample(list(PieceType), 7)
    colors = [types[:3], types[3:5], types[5:]][: pick.randint(1, 3)]
    allowed = []
    for _ in range(rows):
        row = [mask_of(pick.choice(colors)) if pick.random() < 0.7 else 0 for _ in range(width)]
        row[pick.randrange(width)] = 0
        row[row.index(0) - 1] = row[row.index(0) - 1] or mask_of(colors[0])
        allowed.append(tuple(row))
    cells = frozenset((x, y) for y, row in enumerate(allowed) for x, m in enumerate(row) if m)
    if len(cells) % gcd(width, 4) or any(all(row) for row in allowed):
        return small(seed + 1000)
    return Target(width, HEIGHT, tuple(allowed), cells)


def check(found: GameFound, target: Target) -> int:
    """Play a game by rules of our own; return its drops."""
    plan = Plan(found.passes(), (), target.width, HEIGHT)
    drops = [(piece.orientation, piece.x) for piece in plan]
    assert 4 * len(drops) == len(target.required) + target.width * found.lines
    left = replay(drop_log(plan, play_through(plan)))
    assert left.keys() == target.required
    assert all(target.may_hold(x, y, PieceType[letter]) for (x, y), letter in left.items())
    return len(drops)


def test_games_leave_the_picture() -> None:
    lines = []
    for seed in range(20):
        target = made(seed)
        search, room = Upward(target), Room(target.width, 60)
        best: GameFound | None = None
        for again in range(2):
            found = search.find(room, again, best)
            assert found is None or best is None or found.lines <= best.lines
            best = found or best
            if best is not None:
                check(best, target)
        lines.append(None if best is None else best.lines)
    printed = [one for one in lines if one is not None]
    assert len(printed) > 5
    assert max(printed) > 4


def test_workers_and_rooms_do_not_matter() -> None:
    rows = ("1111222200", "1111222200", "3333333300")
    numbered = tuple(tuple(map(int, row)) for row in rows)
    allowed = tuple(tuple(mask_of(PieceType) if s else 0 for s in row) for row in numbered)
    cells = frozenset((x, y) for y, row in enumerate(numbered) for x, s in enumerate(row) if s)
    open_ = Target(10, HEIGHT, allowed, cells, numbered)
    budgets = ShortestBudgets(games=(60, 13, 1))
    found = []
    for workers in (1, 3):
        search = Search(open_, SearchRun(seed=5, workers=workers), budgets)
        assert games_fit(search)
        whole_games(search, 1.0)
        found.append((search.incumbent, search.assignments))
    assert found[0] == found[1]
    passes, assignment = found[0][0].passes, found[0][0].assignment
    assert passes is not None
    assert found[0][0].drops * 4 % 10 == len(cells) % 10
    assert {shade for _, shade in assignment} == {1, 2, 3}


@pytest.mark.parametrize("outlook", range(1 << OUTLOOK_ROWS))
def test_uses_lie_in_rows_that_are_there(outlook: int) -> None:
    clears = [outlook >> row & 1 for row in range(OUTLOOK_ROWS)]
    for use in uses(outlook):
        assert use.rows[0] == 0
        gone = [row for row in range(OUTLOOK_ROWS) if clears[row] and sum(clears[:row]) < use.late]
        between = set(range(use.rows[-1] + 1)) - set(use.rows)
        assert between <= set(gone)
        assert not set(use.rows) & set(gone)
        assert use.completes < 0 or use.completes in use.rows


def test_optional_squares_are_for_others() -> None:
    target = made(1)
    wide = Target(13, HEIGHT, ((2,) * 12 + (0,),), frozenset((x, 0) for x in range(12)))
    full = Target(4, HEIGHT, ((2,) * 4,), frozenset((x, 0) for x in range(3)), above=2)
    assert games_fit(Search(target, SearchRun()))
    assert not games_fit(Search(wide, SearchRun()))
    assert not games_fit(Search(full, SearchRun()))  # a count that needs an unseen square


def other_kind(drops: Sequence[tuple[Orientation, int]], width: int) -> str:
    """Play a game of straight drops; say why the search does not know its kind, if it does not."""
    rows: list[tuple[int, set[int]]] = []  # of the stack, with what lies in them
    came = 0
    gone: list[int] = []
    lay: list[tuple[set[int], int]] = []
    for orientation, x in drops:
        cells = [(x + dx, dy) for dx, dy in orientation.cells]
        y = len(rows)
        while y and not any(
            y - 1 + dy < len(rows) and cx in rows[y - 1 + dy][1] for cx, dy in cells
        ):
            y -= 1
        while len(rows) < y + orientation.height:
            rows.append((came, set()))
            came += 1
        for cx, dy in cells:
            rows[y + dy][1].add(cx)
        lay.append(({rows[y + dy][0] for _, dy in cells}, len(gone)))
        full = [row for row, squares in rows if len(squares) == width]
        rows = [row for row in rows if row[0] not in full]
        if len(full) > 1 or (gone and full and full[0] < gone[-1]):
            return "rows go at once, or not from below"
        gone += full
    if any({row, row + 1, row + 2, row + 3} <= set(gone) for row in gone):
        return "four in a row"
    for its, before in lay:
        late = before - sum(row < min(its) for row in gone)
        near = sum(min(its) + more in gone for more in (1, 2, 3))
        if max(its) - min(its) > 3 or not -3 <= late <= min(2, near):
            return "a piece far from its rows"
    return ""


def from_below(target: Target, lines: int) -> Iterator[tuple[tuple[Orientation, int], ...]]:
    """Yield a game for each stack that has one in which rows go one at a time, from below."""
    target = final_rows(target)
    for slots in combinations_with_replacement(range(target.rows + 1), lines):
        counts = tuple(slots.count(slot) for slot in range(target.rows + 1))
        formula = WindowFormula(scene(target, stack_of(counts), 0))
        with Solver("glucose4", bootstrap_with=formula.cnf.clauses) as solver:
            in_order = [ranks[k] for k, (_, ranks) in enumerate(sorted(formula.rank.items()))]
            alone = [-literal for literal in formula._at_once if literal is not False]
            known = [literal for literal in in_order if literal is not True]
            if solver.solve(assumptions=[*known, *alone]):
                yield formula.game(solver.get_model())


@pytest.mark.parametrize("seed", SMALL)
def test_a_search_that_left_nothing_out_agrees_with_the_formulas(seed: int) -> None:
    """What it finds is a game of the formulas, and it finds every number of rows that they do."""
    target = small(seed)
    search = Upward(target)
    found = search.find(Room(target.width, 3000), 0, most=3)
    assert not search.left_out
    lines = 4 if found is None else found.lines
    if found is not None:
        check(found, target)
    for fewer in range(lines + (found is not None)):
        if (len(target.required) + target.width * fewer) % 4 == 0:
            games = [other_kind(game, target.width) for game in from_below(target, fewer)]
            assert games if fewer == lines else all(games)


def test_a_search_without_room_says_so() -> None:
    target = made(0)
    search = Upward(target)
    search.find(Room(target.width, 60), 0)
    assert search.left_out
