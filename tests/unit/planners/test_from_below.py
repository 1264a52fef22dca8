"""Bands from the floor and windows of a game, and the questions that they ask a solver."""

import random
from collections import Counter
from collections.abc import Generator, Hashable, Sequence
from dataclasses import replace
from itertools import count

import pytest

from tests.oracles.slices import random_game
from tests.support.small_tasks import draw_printable_task, find_truth
from tests.support.stacks import (
    describe_stack,
    find_drop,
    get_needed_height,
    list_drops,
    play_drops,
    play_upward_games,
)
from tetrisprinter.bounds.stacks import CLEARING
from tetrisprinter.errors import InternalError
from tetrisprinter.game.field import Board
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.planners.formula import (
    FormulaTooLargeError,
    GameFormula,
    PieceReach,
    StackedGame,
    Window,
    stack_game,
)
from tetrisprinter.planners.from_below import (
    Answer,
    BandPrint,
    BandSettings,
    Found,
    Question,
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
from tetrisprinter.printing.task import Target, Task, extend_upwards
from tetrisprinter.printing.types import TypeColors

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


def run(steps: Generator[Sequence[Question], list[Answer], object], limit: int = 1000) -> int:
    """Answer the questions of some steps in this process; return how many there were."""
    asked, questions = 0, next(steps, None)
    while questions is not None and limit > 0:
        asked += len(questions)
        limit -= 1
        try:
            questions = steps.send([ask(question) for question in questions])
        except StopIteration:
            break
    return asked


def test_bands_print_pictures() -> None:
    chance, printed, tried = random.Random(0), 0, 0
    while printed < 2:
        tried += 1
        picture = draw_picture(chance, 7, chance.randint(4, 6))
        task = Task.of(picture, (9, picture.height + 10), "auto")
        settings = BandSettings(chance.randint(1, 3), chance.choice(((0,), (1,), (1, 2))), 3_000)
        print_ = BandPrint(task, settings)
        run(print_.print_bands())
        if print_.is_complete:
            judge_found(print_.found)
            printed += 1
            assert print_.cost == 9 * print_.done.game.lines
    assert tried <= 5


def test_two_halves_are_one_game() -> None:
    """What stands of the upper half lies on the lower one; then the seam is opened."""
    chance, printed = random.Random(3), 0
    for _ in range(8):
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
        assert len(joined.done.drops) <= before
        printed += 1
        if printed == 2:
            break
    assert printed == 2


def test_without_a_row_that_divides_the_squares_there_are_no_halves() -> None:
    """On a board of 8 columns the squares of a half are a multiple of four."""
    types = TypeColors.of(dict.fromkeys(PieceType, COLORS[0]))
    odd = Picture.parse("\n".join(["rrrr..r"] * 6), r=COLORS[0])
    assert split_print(BandPrint(Task.of(odd, (8, 20), types), SETTINGS)) is None
    assert split_print(BandPrint(Task.of(odd, (9, 20), types), SETTINGS)) is not None


def test_a_low_end_leaves_complete_rows_and_right_squares_in_one_row_above() -> None:
    """On these rows the planner *rows* prints the remaining ones."""
    chance = random.Random(5)
    for _ in range(4):
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
        return
    pytest.fail("no print has a low end")


def test_windows_shorten_a_bad_game() -> None:
    chance, found = random.Random(8), list[Found]()
    while not found:
        task = Task.of(draw_picture(chance, 5, 4), (7, 18), "auto")
        known = make_plan(task, "rows", Limit(workers=1, effort=0.1))
        drops = tuple((drop.landing.orientation, drop.landing.x) for drop in known.game.drops)
        typed = Task.of(task.picture, task.board, known.plan.color_of)
        run(search_windows(Found(typed, drops), found.append, 2_000, set()), 6)
        results = [judge_found(one) for one in found]
        assert results == sorted({*results, known.drops}, reverse=True)[1:]


def test_refuted_windows_are_not_asked_again() -> None:
    task = Task.of(draw_picture(random.Random(8), 5, 4), (7, 18), "auto")
    plan = make_plan(task, "rows", Limit(workers=1, effort=0.1))
    drops = tuple((drop.landing.orientation, drop.landing.x) for drop in plan.game.drops)
    refuted, found = set[Hashable](), list[Found]()
    run(search_windows(Found(task, drops), found.append, 100_000, refuted))
    drops = min((drops, *(one.drops for one in found)), key=len)
    assert refuted
    assert run(search_windows(Found(task, drops), found.append, 100_000, refuted)) == 0


def test_a_print_in_one_process_is_the_same_as_band_by_band() -> None:
    """The first print that is complete counts; a spent limit ends it with the rows that stand."""
    task = draw_printable_task(random.Random(4), (8, 8), 8).task
    alone = BandPrint(task, SETTINGS)
    run(alone.print_bands())
    result = print_alone([BandPrint(task, SETTINGS), BandPrint(task, SETTINGS)])
    assert (result.print_.done, result.print_.is_complete) == (alone.done, True)
    judge_found(result.print_.found)
    less = print_alone([BandPrint(task, SETTINGS)], result.work / 2)
    assert less.print_.done.rows < alone.done.rows
    assert less.work < result.work
    assert less.is_paused
    part = print_alone([BandPrint(task, SETTINGS)], leaves_last=True)
    assert part.is_paused
    assert part.print_.has_one_left
    part = print_alone([part.print_], pause=0.0)
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


# ---- Each answer of a solver is the game that it says, and none on a small board is shorter.
def make_question(target: Target, **changes: object) -> Question:
    """Return the question for a whole game."""
    game = StackedGame(tuple(range(target.rows)))
    numbers = list_possible_lines(target, 3 * (target.rows + 1))
    question = Question(target, game, 0, target.rows, target.rows, numbers)
    return replace(question, **changes)  # type: ignore[arg-type]


def check_answer(question: Question, answer: Answer) -> None:
    """Play the answer by the rules alone, and compare it with the question."""
    target, game = question.target, answer.game
    assert game is not None
    played, left = play_drops(answer.drops, target)
    if target.shades is None:
        assert all(target.allowed[y][x] >> PieceType[name] & 1 for x, y, name in left)
    else:
        shade_of = dict(answer.types)
        assert all(target.shades[y][x] == shade_of[PieceType[name]] for x, y, name in left)
    filled = {(x, y) for x, y, _ in left}
    assert filled >= {(x, y) for x, y in target.required if y < question.need}
    assert max(y for drop in played.drops for _, y in drop.real) < target.height
    assert len(played.gone) == game.lines
    if not question.counts_drops:
        assert game.lines in range(1 + max(question.numbers))
    assert len(answer.drops) == len(game.pieces)
    assert len(game.rows) == target.rows + game.lines
    kept = {piece.cells for piece in game.pieces}
    assert len({cell for cells in kept for cell in cells}) == 4 * len(kept)
    replayed = stack_game(answer.drops, target)
    if replayed is not None and replayed.rows == game.rows:
        assert {piece.cells for piece in replayed.pieces} == kept


def test_answers_are_games_in_bands_and_in_windows() -> None:
    """A picture is printed in two bands; then each of its windows is asked again."""
    chance, printed, tried = random.Random(0), 0, 0
    while printed < 2:
        tried += 1
        width, rows = chance.choice((5, 7)), chance.randint(3, 5)
        picture = draw_picture(chance, width, rows)
        target = Task.of(picture, (width, rows + chance.choice((9, 14))), "auto").target
        end = chance.randint(1, rows - 1)
        last = min(rows, end + chance.randint(0, 2))
        lower = make_question(target, need=end, last=last, numbers=tuple(range(20)))
        answer = ask(lower)
        if answer.game is None:
            continue
        check_answer(lower, answer)
        assert answer.game.height <= last
        upper = make_question(target, game=answer.game, first=max(0, end - 1))
        answer = ask(upper)
        if answer.game is None:
            continue
        check_answer(upper, answer)
        printed += 1
        for first in range(rows - 1):
            assert answer.game is not None
            window = make_question(
                target, game=answer.game, first=first, need=first + 2, last=first + 2,
                numbers=list_possible_lines(target, answer.game.lines),
            )  # fmt: skip
            answer = ask(window)
            check_answer(window, answer)  # the game itself is an answer
    assert tried <= 6, "most pictures are printed"


def test_a_game_is_an_answer_to_the_question_for_each_of_its_windows() -> None:
    """Whatever window of a game is open, the pieces outside stay."""
    chance, above = random.Random(4), 0
    for played in play_upward_games(4, 15):
        # The ceiling is high, because unused candidates count as rows below it.
        target, _, _ = describe_stack(played, get_needed_height(played) + 30)
        game = stack_game(list_drops(played), target)
        assert game is not None
        first = chance.randrange(target.rows)
        last = chance.randint(first + 1, target.rows)
        above += game.reaches(last)
        numbers = tuple(range(game.lines + 1))
        question = make_question(
            target, game=game, first=first, need=last, last=last, numbers=numbers, candidates=2
        )
        answer = ask(question)
        check_answer(question, answer)
        drops = list(answer.drops)
        for piece in game.pieces:
            if all(game.rows[v] >= last for _, v in piece.cells):
                drops.remove((piece.orientation, piece.x))
    assert above, "some windows have rows above"


@pytest.mark.parametrize("has_error", ["no game", "another game", "above the ceiling"])
def test_a_model_that_is_not_its_game_is_an_internal_error(
    has_error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such models were dropped in silence."""
    flat = next(o for o in ORIENTATIONS if (o.piece, o.width) == (PieceType.I, 4))
    wrong = {"no game": ((flat, 0),), "another game": (), "above the ceiling": ((flat, 0),) * 20}
    monkeypatch.setattr(GameFormula, "read_game", lambda _formula, _model: wrong[has_error])
    target = Task.of(Picture.parse("rr..\nrr.."), (5, 9), "auto").target
    with pytest.raises(InternalError, match="internal error in a formula"):
        ask(make_question(target))


@pytest.mark.parametrize("seed", range(3))
def test_on_small_boards_no_game_is_shorter(seed: int) -> None:
    """The oracle tries all games. The formula knows those whose rows clear from below."""
    chance, seen = random.Random(seed), 0
    for number in count():
        if seen == 8:
            break
        task = draw_printable_task(chance, (4, 5), 5).task
        if task.picture.height > 2:
            continue
        high = replace(task, board=Board(task.board.width, 64 // task.board.width - 1))
        truth = find_truth(high, max_drops=5, states=100_000)
        target = extend_upwards(high.target, 3)
        answer = ask(make_question(target, numbers=tuple(range(1, 9)), counts_drops=True))
        if truth.drops is None:
            assert not answer.drops or len(answer.drops) > truth.searched
            continue
        stack = stack_game([find_drop(cells) for cells in truth.game], target)
        assert all(refuted < truth.drops for refuted in answer.refuted) or stack is None, number
        if stack is not None:
            assert len(answer.drops) == truth.drops, number
            seen += 1


# ---- Games in the rows of their stacks: positions, times and numbers of cleared rows.
def test_the_rows_that_clear_are_counted_by_slots_and_no_two_pieces_share_a_square() -> None:
    for played in play_upward_games(3, 20):
        target, counts, _ = describe_stack(played, 99)
        game = stack_game(list_drops(played), target)
        assert game is not None
        assert game.lines == sum(counts)
        for row in range(target.rows):
            assert game.count_lines_within(row, row + 1) == counts[row] + counts[row + 1]
        assert game.count_lines_within(0, target.rows) == game.lines
        assert game.height == target.rows
        assert game.reaches(target.rows - 1)
        assert not game.reaches(target.rows)
        assert len(game.pieces) == len(played.drops)
        cells = [cell for piece in game.pieces for cell in piece.cells]
        assert len(set(cells)) == len(cells) == 4 * len(game.pieces)
        assert {v for _, v in cells} <= set(range(len(game.rows)))
        assert [piece.level for piece in game.pieces] == sorted(p.level for p in game.pieces)


def test_only_games_whose_rows_clear_from_below_have_a_stack() -> None:
    """The formula says that lower rows clear before higher ones, or with them."""
    pick, seen = random.Random(5), Counter[bool]()
    while seen[False] < 5:
        played = random_game(pick, pick.randint(4, 6), 3)
        if played is None or not played.filled:
            continue
        cleared = [row for drop in played.drops for row in drop.cleared]
        is_upward = cleared == sorted(cleared)
        target, _, _ = describe_stack(played, 99)
        assert (stack_game(list_drops(played), target) is not None) == is_upward
        seen[is_upward] += 1
    assert seen[True]


def test_a_formula_that_is_too_large_is_refused() -> None:
    target = Task.of(Picture.parse(".bbrrbb\nbb.rrrb"), (7, 14), "auto").target
    with pytest.raises(FormulaTooLargeError):
        GameFormula(target, Window((CLEARING, 0, CLEARING, 1)), PieceReach(), 100)
