"""Large neighbourhood search: models of its formula are games, and games are models."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise

import pytest
from pysat.solvers import Solver

from tests.oracles.game import replay
from tests.oracles.slices import Field, random_game
from tests.support.stacks import describe_stack, get_needed_height
from tetrisprinter.bounds.windows import CLEARING
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType
from tetrisprinter.game.plan import Pass
from tetrisprinter.game.plan_from_drops import make_plan_from_drops
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import make_plan
from tetrisprinter.planners.context import Context, Slice
from tetrisprinter.planners.improve import Request, improve
from tetrisprinter.planners.operators import OPERATORS
from tetrisprinter.planners.shortest.budgets import DEFAULT
from tetrisprinter.planners.shortest.formula import (
    FormulaTooLargeError,
    GameFormula,
    Neighbourhood,
    PieceReach,
    make_neighbourhood,
)
from tetrisprinter.planners.shortest.lns import NeighbourhoodSolver, improve_windows
from tetrisprinter.planners.shortest.search import SearchRun, ShortestSearch
from tetrisprinter.planners.shortest.slices import (
    _make_candidate,
    play_candidate,
    search_neighbourhood,
)
from tetrisprinter.planners.shortest.stack import stack_game
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.target import Target
from tetrisprinter.printing.task import Task
from tetrisprinter.support.limits import Limit


def games(seed: int, count: int) -> Iterator[Field]:
    """Play games in which lower rows go before higher ones, or with them."""
    pick = random.Random(seed)
    while count:
        played = random_game(pick, pick.randint(4, 8), pick.randint(1, 5))
        if played is None or not played.filled or not played.gone:
            continue
        went = [row for drop in played.drops for row in drop.cleared]
        if all(lower < upper for lower, upper in pairwise(went)):
            count -= 1
            yield played


def with_more(counts: Sequence[int], chance: random.Random) -> list[int]:
    """Return a stack with more candidates in some slots."""
    rows = []
    for slot, count in enumerate(counts):
        rows += [CLEARING] * (count + (chance.random() < 0.4))
        rows += [slot] * (slot < len(counts) - 1)
    return rows


def left_by(
    drops: Sequence[tuple[Orientation, int]], target: Target
) -> tuple[Field, set[tuple[int, int, str]]]:
    """Drop pieces by the rules alone; return the field and its squares with their types."""
    played = Field(target.width)
    for orientation, x in drops:
        played.drop(orientation.piece.name, frozenset(orientation.cells), x)
    rows = played.there(target.rows)
    left = {
        (x, y, played.filled[r][x]) for y, r in enumerate(rows) for x in played.filled.get(r, ())
    }
    return played, left


def models(
    formula: GameFormula, drops: int, chance: random.Random, fixed: Sequence[int] = ()
) -> Iterator[list[int]]:
    """Yield models of a formula with so many drops at most, each different from the others."""
    room = formula.compute_weight(drops)
    few = (
        formula.assume_at_most(formula.add_weight_counter(max(0, room)), room) if room >= 0 else []
    )
    with Solver("glucose4") as solver:
        formula.pass_clauses(solver.add_clause)
        while room >= 0 and solver.solve(assumptions=[*few, *fixed]):
            model = solver.get_model()
            yield model
            true = [v for v in model if v > 0]
            chosen = chance.sample(true, min(5, len(true)))
            solver.add_clause([-v for v in chosen])


def check_model(formula: GameFormula, model: list[int], target: Target, lines: int) -> int:
    """Play the game of a model; return how many pieces it has."""
    drops = formula.read_game(model)
    found, left = left_by(drops, target)
    assert len(found.gone) <= lines
    assert max(y for drop in found.drops for _, y in drop.real) < target.height
    wanted = {
        (x, y, PieceType(mask.bit_length() - 1).name)
        for y, row in enumerate(target.allowed)
        for x, mask in enumerate(row)
        if mask
    }
    assert left == wanted
    return len(drops)


@pytest.mark.parametrize(("seed", "count"), [(1, 8), pytest.param(2, 75, marks=pytest.mark.slow)])
def test_games_with_fewer_rows_are_found_and_are_games(seed: int, count: int) -> None:
    chance = random.Random(seed)
    for played in games(seed, count):
        target, counts, _ = describe_stack(played, get_needed_height(played))
        rows = with_more(counts, chance)
        target = replace(target, height=target.height + rows.count(CLEARING) - sum(counts))
        formula = GameFormula(target, Neighbourhood(tuple(rows)), PieceReach(8, 8))
        found = list(islice(models(formula, len(played.drops), chance), 5))
        assert found, (counts, played.drops)
        for model in found:
            assert check_model(formula, model, target, len(played.gone)) <= len(played.drops)


def played_plan(played: Field, target: Target) -> tuple[Pass, ...]:
    """Return a random game as passes."""
    drops = [
        (next(o for o in ORIENTATIONS if o.piece.name == drop.piece
              and frozenset(o.cells) == shape), left)
        for drop in played.drops
        for left, shape in [moved(drop.real)]
    ]  # fmt: skip
    return make_plan_from_drops(drops, (), target.width, target.height).passes


@pytest.mark.parametrize(("seed", "count"), [(4, 15), pytest.param(5, 150, marks=pytest.mark.slow)])
def test_the_game_is_a_model_of_each_of_its_windows(seed: int, count: int) -> None:
    """Whatever window of a game is open, the game itself is a model, and all models are games."""
    chance = random.Random(seed)
    for played in games(seed, count):
        target, counts, _ = describe_stack(played, get_needed_height(played) + 4)
        game = stack_game(played_plan(played, target), target)
        first = chance.randrange(target.rows)
        last = chance.randint(first + 1, target.rows)
        reach = PieceReach(8, chance.randint(0, 8))
        window = make_neighbourhood(game, target.width, first, last, chance.randint(0, 2), reach)
        inside = sum(counts[first : last + 1])
        assert len(window.required_candidates) == sum(counts) - inside
        formula = GameFormula(target, window, PieceReach(8, 8))
        drops = len(played.drops)
        found = list(islice(models(formula, drops, chance), 3))
        assert found, (counts, first, last, played.drops)
        for model in found:
            size = check_model(formula, model, target, len(played.gone))
            assert size <= drops
            stays = [(one.orientation, one.x) for one in window.fixed_pieces]
            for one in formula.read_game(model):
                if one in stays:
                    stays.remove(one)
            assert not stays
        check_assumptions(target, played, (first, last), chance)


def check_assumptions(
    target: Target, played: Field, rows: tuple[int, int], chance: random.Random
) -> None:
    """In the formula of all rows a window is open under assumptions: what is outside stays."""
    game = stack_game(played_plan(played, target), target)
    reach = PieceReach(8, 8)
    formula = GameFormula(
        target, make_neighbourhood(game, target.width, 0, target.rows, 1, reach), reach
    )
    assert formula.contains_game(game)
    fixed = formula.assume_fixed_outside(game, *rows)
    outside = [
        (piece.orientation, piece.x)
        for piece in game.pieces
        if not {v for _, v in piece.cells} & set(game.list_rows(*rows))
    ]
    found = list(islice(models(formula, len(played.drops), chance, fixed), 2))
    assert found, (rows, played.drops)
    for model in found:
        check_model(formula, model, target, len(played.gone))
        there = Counter(formula.read_game(model))
        assert there & Counter(outside) == Counter(outside)


PICTURE = Picture.parse(
    ".bbrrbb\nbb.rrrb\nbrrr.bb\nbbrr.bb\nbrrrrb.\nbbbrbb.", r="ff0000", b="0000ff"
)


def shortened(effort: float, workers: int = 1) -> tuple[PrintResult, PrintResult]:
    """Print the picture row by row, and let only this operator look for less."""
    task = Task.of(PICTURE, (7, 14), "auto")
    known = make_plan(task, "rows", Limit(workers=1))
    request = Request(task, limit=Limit(workers=workers, effort=effort), known=(known.plan,))
    table = tuple(one for one in OPERATORS if one.name == "neighbourhood")
    *_, found = improve(request, operators=table)
    return known, found.result


def test_a_known_plan_is_shortened() -> None:
    known, found = shortened(0.5)
    assert found.made_by == ("neighbourhood",)
    assert found.drops < known.drops
    left = replay(found.log())
    assert {cell: found.plan.color_of[PieceType[name]] for cell, name in left.items()} == dict(
        found.task.wanted.cells()
    )
    assert shortened(0.5, workers=2)[1].plan == found.plan


def test_the_rows_that_clear_are_counted_by_slots() -> None:
    for played in games(3, 20):
        target, counts, _ = describe_stack(played, 99)
        game = stack_game(played_plan(played, target), target)
        assert tuple(game.count_slot_clears(target.rows)) == counts
        assert game.is_upward
        assert len(game.pieces) == len(played.drops)
        cells = [cell for piece in game.pieces for cell in piece.cells]
        assert len(set(cells)) == len(cells) == 4 * len(game.pieces)
        assert {v for _, v in cells} <= set(range(len(game.rows)))
        assert [piece.level for piece in game.pieces] == sorted(p.level for p in game.pieces)


def search_of(task: Task, work: float = 0.1) -> ShortestSearch:
    """Return a search that begins with the plan of the planner rows."""
    known = make_plan(task, "rows", Limit(workers=1))
    target = task.target
    budgets = replace(DEFAULT, lns_work=DEFAULT.lns_work * work)
    search = ShortestSearch(
        target, SearchRun(), budgets, check=partial(play_candidate, task, target)
    )
    search.take(_make_candidate(known, target))
    return search


def test_slices_are_small_and_the_same_every_time() -> None:
    task = Task.of(PICTURE, (7, 14), "auto")

    def course() -> list[tuple[float, int]]:
        search = search_of(task)
        return [(used, search.incumbent.drops) for used in islice(improve_windows(search), 12)]

    first = course()
    assert max(used for used, _ in first) <= 0.5
    assert first == course()
    assert first[-1][1] < first[0][1]


def test_it_goes_on_from_an_incumbent_that_somebody_else_found() -> None:
    task = Task.of(PICTURE, (7, 14), "auto")
    other = search_of(task)
    shorter = improve_windows(other)
    before = other.incumbent
    while other.incumbent is before:
        next(shorter)
    search = search_of(task)
    slices = improve_windows(search)
    next(slices)
    search.take(other.incumbent)
    for _ in islice(slices, 12):
        assert search.incumbent.drops <= other.incumbent.drops


def test_a_plan_of_another_board_may_be_shorter_in_the_end() -> None:
    """On seven columns four rows have to go at once, on eight one is enough."""
    best = make_plan(Task.of(PICTURE, (7, 14), "auto"), "rows", Limit(workers=1))
    other = make_plan(Task.of(PICTURE, (8, 14), "auto"), "rows", Limit(workers=1))
    context = Context(Request(best.task, any_board=True), best=best)
    context.keep_plan(other.plan)
    slices = islice(search_neighbourhood(context, iter(())), 60)
    found = [one.plan for one in slices if one.plan is not None]
    shortest = min(found, key=len)
    assert (shortest.board.width, len(shortest)) == (8, 15)


@pytest.mark.slow
def test_the_search_restarts_from_a_longer_print_that_ends_shorter() -> None:
    """No window of the plan on seven columns has a shorter game; prints come one by one."""
    best = make_plan(Task.of(PICTURE, (7, 14), "auto"), "rows", Limit(workers=1))
    context = Context(Request(best.task, any_board=True), best=best)
    other = make_plan(Task.of(PICTURE, (8, 14), "auto"), "rows", Limit(workers=1))
    printed = 0

    def prints() -> Iterator[Slice]:
        nonlocal printed
        for plan in (best.plan, other.plan):
            context.keep_plan(plan)
            printed += 1
            yield Slice(0.1, plan)

    slices = search_neighbourhood(context, prints())
    shortest = (one.plan for one in slices if one.plan and len(one.plan) == 15)
    assert next(shortest).board.width == 8
    assert printed == 2


def test_windows_with_the_same_surroundings_are_told_from_others() -> None:
    """What lies far below a window does not matter, what lies in it does."""
    seen = 0
    for played in games(6, 30):
        target, _, _ = describe_stack(played, get_needed_height(played) + 4)
        game = stack_game(played_plan(played, target), target)
        pieces = list(game.pieces)
        for first in range(target.rows):
            inside = set(game.list_rows(first, first + 1))
            key = game.make_window_key(first, first + 1)
            for n, piece in enumerate(pieces):
                other = replace(game, pieces=(*pieces[:n], *pieces[n + 1 :]))
                if {v for _, v in piece.cells} & inside:
                    assert other.make_window_key(first, first + 1) != key
                    seen += 1
    assert seen > 100


def test_it_ends_when_it_is_stopped() -> None:
    search = search_of(Task.of(PICTURE, (7, 14), "auto"))
    slices = improve_windows(search)
    next(slices)
    search.run.interrupted = True
    assert len(list(slices)) <= 1


def test_a_formula_that_is_too_large_is_not_loaded() -> None:
    search = search_of(Task.of(PICTURE, (7, 14), "auto"))
    search.budgets = replace(search.budgets, lns_clauses=100)
    assert not list(improve_windows(search))
    with pytest.raises(FormulaTooLargeError):
        GameFormula(search.target, Neighbourhood((CLEARING, 0, CLEARING, 1)), PieceReach(), 100)


def test_only_the_solver_keeps_the_clauses_of_a_loaded_formula() -> None:
    """A picture of 48x48 squares has 20 MB of them, and two boards are searched in turns."""
    search = search_of(Task.of(PICTURE, (7, 14), "auto"))
    game = stack_game(search.incumbent.passes or (), search.target)
    window = make_neighbourhood(game, search.target.width, 0, search.target.rows, 1, PieceReach())
    question = NeighbourhoodSolver(search, search.target, window, 0)
    with question.solver:
        assert question.formula.size > 100
        for _ in question.load():
            pass
        assert question.solver.nof_clauses() > 100
        assert question.formula.size == 0


def moved(cells: frozenset[tuple[int, int]]) -> tuple[int, frozenset[tuple[int, int]]]:
    """Return the leftmost column of some cells, and the cells moved into the corner."""
    left, low = (min(cell[i] for cell in cells) for i in (0, 1))
    return left, frozenset((x - left, y - low) for x, y in cells)
