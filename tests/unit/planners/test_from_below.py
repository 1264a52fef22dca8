"""Bands from the floor and windows of a game, judged by the independent game."""

import random
from collections.abc import Generator, Hashable, Iterator, Sequence

import pytest

from tests.support.judge import judge
from tests.support.small_tasks import draw_printable_task
from tests.support.stacks import play_drops
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.replay import make_plan_from_drops
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.planners.formula import stack_game
from tetrisprinter.planners.from_below import (
    Answer,
    BandJob,
    BandPrint,
    BandSettings,
    Found,
    Question,
    Steps,
    WholeBoard,
    WholeRound,
    ask,
    join_halves,
    list_possible_lines,
    print_alone,
    search_whole,
    search_windows,
    split_print,
)
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task, extend_upwards, make_open_target
from tetrisprinter.printing.types import TypeColors, list_plan_colors

COLORS = ("d03020", "3060c0", "f0c040")
SETTINGS = BandSettings(2, (1,), 3_000)


def draw_picture(chance: random.Random, width: int, rows: int) -> Picture:
    """Draw a picture of patches, without a full or an empty row."""
    drawn = []
    for _ in range(rows):
        row: list[str | None] = []
        while len(row) < width:
            row += [chance.choice((*COLORS[:2], None))] * chance.randint(1, 3)
        row[chance.randrange(width)] = None
        row[width:] = []
        if not any(row):
            row[0] = COLORS[0]
        drawn.append(tuple(row))
    return Picture(tuple(drawn), "patches")


def run(steps: Generator[Sequence[Question], list[Answer], object], limit: int = 1000) -> None:
    """Answer the questions of some steps in this process."""
    questions = next(steps, None)
    while questions is not None and limit > 0:
        answers: list[Answer] = [ask(question) for question in questions]
        limit -= 1
        try:
            questions = steps.send(answers)
        except StopIteration:
            return


def judge_game(found: Found) -> PrintResult:
    """Play a found game in the independent game, and compare it with the picture."""
    task = found.task
    colors = list_plan_colors(task.board, task.color_types(found.types))
    plan = make_plan_from_drops(found.drops, colors, task.board.width, task.board.height)
    result = PrintResult.of(task, plan, "bands")
    judge(result, task.picture, task.background)
    return result


@pytest.mark.parametrize(("seed", "count"), [(0, 1), pytest.param(1, 4, marks=pytest.mark.slow)])
def test_bands_print_pictures(seed: int, count: int) -> None:
    chance, printed, tried = random.Random(seed), 0, 0
    while printed < count:
        tried += 1
        picture = draw_picture(chance, 7, chance.randint(4, 6))
        task = Task.of(picture, (9, picture.height + 10), "auto")
        settings = BandSettings(chance.randint(1, 3), chance.choice(((0,), (1,), (1, 2))), 3_000)
        print_ = BandPrint(task, settings)
        run(print_.print_bands())
        if print_.is_complete:
            judge_game(print_.found)
            printed += 1
            assert print_.cost == 9 * print_.done.game.lines
    assert tried <= 2 * count + 1


@pytest.mark.parametrize(("seed", "count"), [(2, 1), pytest.param(3, 8, marks=pytest.mark.slow)])
def test_two_halves_are_one_game(seed: int, count: int) -> None:
    """What stands of the upper half lies on the lower one; then the seam is opened."""
    chance, printed, shorter = random.Random(seed), 0, 0
    for _ in range(4 * count):
        picture = draw_picture(chance, 7, chance.randint(6, 9))
        types = TypeColors.of({piece: COLORS[piece % 2] for piece in PieceType})
        task = Task.of(picture, (9, picture.height + 10), types)
        halves = split_print(BandPrint(task, SETTINGS))
        if halves is None:
            continue
        lower, upper = halves
        assert lower.end == upper.first
        run(lower.print_bands())
        run(upper.print_bands(), limit=1)
        begun = join_halves(lower, upper)
        assert begun.done.rows == lower.done.rows + max(0, upper.done.rows - 1) * lower.is_complete
        run(upper.print_bands())
        joined = join_halves(lower, upper)
        if not joined.is_complete:
            assert not (lower.is_complete and upper.is_complete)
            continue
        judge_found(joined.found)
        again = stack_game(joined.done.drops, joined.target)
        if again is not None:
            assert again.rows == joined.done.game.rows
            assert set(again.pieces) == set(joined.done.game.pieces)
        before = len(joined.done.drops)
        run(joined.reopen(upper.first))
        judge_found(joined.found)
        shorter += len(joined.done.drops) < before
        printed += 1
        if printed == count:
            break
    assert printed == count
    assert shorter or count == 1


def test_without_a_row_that_divides_the_squares_there_are_no_halves() -> None:
    """On a board of 8 columns the squares of a half are a multiple of four."""
    types = TypeColors.of(dict.fromkeys(PieceType, COLORS[0]))
    odd = Picture.parse("\n".join(["rrrr..r"] * 6), r=COLORS[0])
    assert split_print(BandPrint(Task.of(odd, (8, 20), types), SETTINGS)) is None
    assert split_print(BandPrint(Task.of(odd, (9, 20), types), SETTINGS)) is not None


@pytest.mark.parametrize(("seed", "count"), [(5, 1), pytest.param(6, 3, marks=pytest.mark.slow)])
def test_a_low_end_leaves_complete_rows_and_right_squares_in_one_row_above(
    seed: int, count: int
) -> None:
    """On these rows the planner *rows* prints the remaining ones."""
    chance, ended = random.Random(seed), 0
    for _ in range(4 * count):
        if ended == count:
            return
        task = Task.of(draw_picture(chance, 5, 5), (7, 16), "auto")
        print_ = BandPrint(task, SETTINGS)
        run(print_.print_band())
        run(print_.end_low())
        rows, drops = print_.done.rows, print_.done.drops
        if print_.done.game.height > rows + 1 or not drops:
            continue
        _, left = play_drops(drops, print_.target)
        squares, wanted = {(x, y) for x, y, _ in left}, print_.target.required
        assert {cell for cell in squares if cell[1] < rows} == {c for c in wanted if c[1] < rows}
        assert {cell for cell in squares if cell[1] >= rows} <= {c for c in wanted if c[1] == rows}
        ended += 1
    assert ended == count


def test_possible_numbers_of_lines() -> None:
    """The squares that stay and those that clear are a multiple of four."""
    chance = random.Random(7)
    for _ in range(50):
        picture = draw_picture(chance, chance.randint(3, 9), chance.randint(1, 4))
        width = picture.width + chance.randint(0, 2)
        target = make_open_target(picture, width, 30, 0)
        lines = list_possible_lines(target, 11)
        squares = len(target.required)
        assert lines == tuple(n for n in range(12) if (squares + n * width) % 4 == 0)
        free = make_open_target(picture, width, 30, 0, "808080")
        assert list_possible_lines(free, 11) == tuple(range(12))


@pytest.mark.parametrize("count", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_windows_shorten_a_bad_game(count: int) -> None:
    chance, shortened = random.Random(8), 0
    while shortened < count:
        task = Task.of(draw_picture(chance, 5, 4), (7, 18), "auto")
        known = make_plan(task, "rows", Limit(workers=1, effort=0.1))
        drops = tuple((drop.landing.orientation, drop.landing.x) for drop in known.game.drops)
        typed = Task.of(task.picture, task.board, known.plan.color_of)
        found = list[Found]()
        run(search_windows(Found(typed, drops), found.append, 2_000, set()), 6)
        results = [judge_game(one).drops for one in found]
        assert results == sorted({*results, known.drops}, reverse=True)[1:]
        shortened += bool(found)


def test_refuted_windows_are_not_asked_again() -> None:
    task = Task.of(draw_picture(random.Random(8), 5, 4), (7, 18), "auto")
    plan = make_plan(task, "rows", Limit(workers=1, effort=0.1))
    drops = tuple((drop.landing.orientation, drop.landing.x) for drop in plan.game.drops)
    refuted, found = set[Hashable](), list[Found]()
    run(search_windows(Found(task, drops), found.append, 100_000, refuted))
    drops = min((drops, *(one.drops for one in found)), key=len)
    assert refuted
    again = list(
        count_questions(search_windows(Found(task, drops), found.append, 100_000, refuted))
    )
    assert sum(again) == 0


def count_questions(steps: Steps) -> Iterator[int]:
    """Answer the questions of some steps, and yield how many are asked side by side."""
    questions = next(steps, None)
    while questions is not None:
        yield len(questions)
        try:
            questions = steps.send([ask(question) for question in questions])
        except StopIteration:
            return


def test_a_print_in_one_process_is_the_same_as_band_by_band() -> None:
    """The first print that is complete counts; a spent limit ends it with the rows that stand."""
    task = draw_printable_task(random.Random(4), (8, 8), 8).task
    alone = BandPrint(task, SETTINGS)
    run(alone.print_bands())
    result = print_alone(BandJob((BandPrint(task, SETTINGS), BandPrint(task, SETTINGS))))
    assert (result.print_.done, result.print_.is_complete) == (alone.done, True)
    judge_found(result.print_.found)
    less = print_alone(BandJob((BandPrint(task, SETTINGS),), result.work / 2))
    assert less.print_.done.rows < alone.done.rows
    assert less.work < result.work
    assert less.is_paused
    part = print_alone(BandJob((BandPrint(task, SETTINGS),), leaves_last=True))
    assert part.is_paused
    assert part.print_.has_one_left
    part = print_alone(BandJob((part.print_,), pause=0.0))
    assert (part.print_.done, part.is_paused) == (alone.done, False)


@pytest.mark.parametrize("seed", range(3))
def test_a_whole_game_is_the_shortest_within_its_reach(seed: int) -> None:
    """Numbers that are left are below the best game; the search ends when there is none."""
    task = draw_printable_task(random.Random(seed), (5, 6), 5).task
    boards = [task, Task.of(task.picture, (7, 16), task.types, task.background)]
    found = list[Found]()

    def count_fewest() -> float:
        return min((len(one.drops) for one in found), default=9)

    rounds = [(WholeBoard(board), WholeRound(3, 100_000, 3)) for board in boards]
    while any(board.list_open_numbers(count_fewest()) for board, _ in rounds):
        run(search_whole(rounds, found.append, count_fewest))
    counts = [judge_found(one) for one in found]
    assert counts
    assert min(counts) == count_fewest()


def judge_found(found: Found) -> int:
    """Compare a game on any column of the board with its task; return its drops.

    With a background, squares of its colour may lie above the picture.
    """
    task = found.task
    _, left = play_drops(found.drops, extend_upwards(task.target, task.board.height))
    shown = dict(task.color_types(found.types))
    wanted = task.wanted.cells()
    for x, y, piece in left:
        assert wanted.get((x, y), task.background) == shown[PieceType[piece]]
    assert {cell for cell, color in wanted.items() if color != task.background} <= {
        (x, y) for x, y, _ in left
    }
    return len(found.drops)
