"""The formula of a window: its models are games, and games are models."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

import pytest
from pysat.solvers import Solver

from tests.support.small_tasks import draw_printable_task
from tests.support.stacks import (
    describe_stack,
    get_needed_height,
    list_drops,
    play_drops,
    play_upward_games,
)
from tetrisprinter.bounds.stacks import CLEARING
from tetrisprinter.game.pieces import Orientation, PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.planners.formula import (
    FormulaTooLargeError,
    GameFormula,
    PieceReach,
    StackedGame,
    Window,
    open_rows,
    stack_game,
)
from tetrisprinter.printing.task import Target, Task

PICTURE = Picture.parse(
    ".bbrrbb\nbb.rrrb\nbrrr.bb\nbbrr.bb\nbrrrrb.\nbbbrbb.", r="ff0000", b="0000ff"
)


def add_candidates(counts: Sequence[int], chance: random.Random) -> list[int]:
    """Return a stack with more candidates in some slots."""
    rows = []
    for slot, count in enumerate(counts):
        rows += [CLEARING] * (count + (chance.random() < 0.4))
        rows += [slot] * (slot < len(counts) - 1)
    return rows


def list_models(formula: GameFormula, drops: int, chance: random.Random) -> Iterator[list[int]]:
    """Yield models of a formula with at most ``drops`` drops, each different from the others."""
    weight = formula.compute_weight(drops)
    if weight < 0:
        return
    limit = formula.assume_at_most(formula.add_weight_counter(weight), weight)
    with Solver("glucose4") as solver:
        formula.pass_clauses(solver.add_clause)
        while solver.solve(assumptions=limit):
            model = solver.get_model()
            yield model
            true = [v for v in model if v > 0]
            solver.add_clause([-v for v in chance.sample(true, min(5, len(true)))])


def check_model(formula: GameFormula, model: list[int], target: Target, lines: int) -> int:
    """Play the game of a model; return how many pieces it has."""
    drops = formula.read_game(model)
    played, left = play_drops(drops, target)
    assert len(played.gone) <= lines
    assert max(y for drop in played.drops for _, y in drop.real) < target.height
    assert left == {
        (x, y, PieceType(mask.bit_length() - 1).name)
        for y, row in enumerate(target.allowed)
        for x, mask in enumerate(row)
        if mask
    }
    check_stack(formula, model, target, drops)
    return len(drops)


def check_stack(
    formula: GameFormula, model: list[int], target: Target, drops: Sequence[tuple[Orientation, int]]
) -> None:
    """The stack that is read from a model has the pieces, rows and lines of a replay."""
    read, replayed = formula.read_stack(model, target.rows), stack_game(drops, target)
    if replayed is None:
        return
    assert read.lines == replayed.lines
    assert sorted((p.orientation.index, p.x) for p in read.pieces) == sorted(
        (p.orientation.index, p.x) for p in replayed.pieces
    )
    if read.rows == replayed.rows:
        assert {p.cells for p in read.pieces} == {p.cells for p in replayed.pieces}


def check_levels(window: Window) -> None:
    """A piece in a clearing row lands before the row clears, or with at most three rows above."""
    candidates = [number for number, row in enumerate(window.rows) if row == CLEARING]
    for piece in window.fixed_pieces:
        own = [candidates.index(v) for _, v in piece.cells if v in candidates]
        assert all(piece.highest_level <= number + 4 for number in own)
        assert piece.lowest_level <= piece.highest_level


@pytest.mark.parametrize(("seed", "count"), [(1, 8), pytest.param(2, 20, marks=pytest.mark.slow)])
def test_games_with_fewer_rows_are_found_and_are_games(seed: int, count: int) -> None:
    chance = random.Random(seed)
    for played in play_upward_games(seed, count):
        target, counts, _ = describe_stack(played, get_needed_height(played))
        rows = add_candidates(counts, chance)
        target = replace(target, height=target.height + rows.count(CLEARING) - sum(counts))
        formula = GameFormula(target, Window(tuple(rows)), PieceReach(8, 8))
        found = list(islice(list_models(formula, len(played.drops), chance), 5))
        assert found, (counts, played.drops)
        for model in found:
            assert check_model(formula, model, target, len(played.gone)) <= len(played.drops)


def test_no_piece_rises_above_a_ceiling() -> None:
    """The lowest board on which the game fits; on a lower one there may be no game at all."""
    chance, lower = random.Random(7), 0
    for played in play_upward_games(7, 12):
        height = get_needed_height(played)
        target, counts, _ = describe_stack(played, height)
        rows = tuple(add_candidates(counts, random.Random(0)))
        for ceiling in (height, height - 1):
            if ceiling >= target.rows:
                low = replace(target, height=ceiling)
                formula = GameFormula(low, Window(rows), PieceReach(8, 8))
                found = list(islice(list_models(formula, len(played.drops), chance), 3))
                for model in found:
                    check_model(formula, model, low, len(played.gone))
                lower += not found
    assert lower, "the ceiling refuses some games"


@pytest.mark.parametrize(("seed", "count"), [(4, 15), pytest.param(6, 40, marks=pytest.mark.slow)])
def test_the_game_is_a_model_of_each_of_its_windows(seed: int, count: int) -> None:
    """Whatever window of a game is open, the game itself is a model, and all models are games.

    The ceiling is high, because unused candidates count as rows below it. One game in some hundred
    is no model: a square is filled below what was left of a piece, after that had cleared, too.
    """
    chance, above = random.Random(seed), 0
    for played in play_upward_games(seed, count):
        target, counts, _ = describe_stack(played, get_needed_height(played) + 30)
        game = stack_game(list_drops(played), target)
        assert game is not None
        first = chance.randrange(target.rows)
        last = chance.randint(first + 1, target.rows)
        above += game.reaches(last)
        reach = PieceReach(8, chance.randint(0, 8))
        window = open_rows(game, target.width, (first, last), last, chance.randint(0, 2), reach)
        inside = sum(counts[first : last + 1])
        assert len(window.required_candidates) == sum(counts) - inside
        check_levels(window)
        formula = GameFormula(target, window, PieceReach(8, 8))
        drops = len(played.drops)
        found = list(islice(list_models(formula, drops, chance), 3))
        assert found, (counts, first, last, played.drops)
        for model in found:
            assert check_model(formula, model, target, len(played.gone)) <= drops
            stays = [(one.orientation, one.x) for one in window.fixed_pieces]
            for one in formula.read_game(model):
                if one in stays:
                    stays.remove(one)
            assert not stays
    assert above, "some windows have rows above"


def test_a_line_counter_says_how_many_more_rows_clear() -> None:
    chance = random.Random(8)
    for played in play_upward_games(8, 8):
        target, counts, _ = describe_stack(played, get_needed_height(played) + 4)
        game = stack_game(list_drops(played), target)
        assert game is not None
        last = chance.randint(1, target.rows)
        window = open_rows(game, target.width, (0, last), last, 2, PieceReach(8, 8))
        formula = GameFormula(target, window, PieceReach(8, 8))
        known, counter = len(window.required_candidates), formula.add_line_counter()
        with Solver("glucose4") as solver:
            formula.pass_clauses(solver.add_clause)
            for limit, literal in enumerate(counter):
                if solver.solve(assumptions=[-literal]):
                    read = formula.read_stack(solver.get_model(), target.rows)
                    assert known <= read.lines <= known + limit
                else:
                    assert known + limit < sum(counts)


@pytest.mark.parametrize("height", [2, 4])
def test_no_level_of_a_fixed_piece_is_far_above_its_clearing_row(height: int) -> None:
    """Such a piece had all levels up to the end of the window, and some models were no games."""
    task = Task.of(Picture(PICTURE.rows * 3), (7, 30), "auto")
    plan = make_plan(task, "rows", Limit(workers=1, effort=0.1)).plan
    drops = [(piece.orientation, piece.x) for piece in plan]
    game = stack_game(drops, task.target)
    assert game is not None
    for first, candidates in product(range(0, 18 - height, 3), (0, 3)):
        rows = (first, first + height)
        check_levels(open_rows(game, 7, rows, rows[1], candidates, PieceReach()))


def test_open_types_show_one_colour_each() -> None:
    """Each type of a model gets the colour of the squares that it covers."""
    chance, printed = random.Random(1), 0
    for _ in range(8):
        task = draw_printable_task(chance, (4, 6), 6).task
        target = replace(task, types="auto").target
        assert target.shades is not None
        game = StackedGame(tuple(range(target.rows)))
        window = open_rows(game, target.width, (0, target.rows), target.rows, 3, PieceReach())
        formula = GameFormula(target, window)
        found = list(islice(list_models(formula, 20, chance), 3))
        printed += bool(found)
        for model in found:
            shade_of = dict(formula.read_types(model))
            _, left = play_drops(formula.read_game(model), target)
            for x, y, piece in left:
                assert target.shades[y][x] == shade_of[PieceType[piece]]
            assert {(x, y) for x, y, _ in left} >= target.required
    assert printed >= 6


def test_a_formula_that_is_too_large_is_refused() -> None:
    target = Task.of(PICTURE, (7, 14), "auto").target
    with pytest.raises(FormulaTooLargeError):
        GameFormula(target, Window((CLEARING, 0, CLEARING, 1)), PieceReach(), 100)
