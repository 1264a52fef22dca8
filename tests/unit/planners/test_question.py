"""Questions to a solver: each answer is the game it says, and none on a small board is shorter."""

import random
from dataclasses import replace
from itertools import count

import pytest

from tests.support.small_tasks import draw_printable_task, find_truth
from tests.support.stacks import find_drop, play_drops
from tetrisprinter.errors import InternalError
from tetrisprinter.game.field import Board
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners.formula import GameFormula, StackedGame, stack_game
from tetrisprinter.planners.from_below import Answer, Question, ask, list_possible_lines
from tetrisprinter.printing.task import Target, Task, extend_upwards

COLORS = ("d03020", "3060c0", "f0c040")


def draw_picture(chance: random.Random, width: int, rows: int, colors: int = 2) -> Picture:
    """Draw a dense picture without a full or an empty row."""
    drawn = []
    for _ in range(rows):
        row: list[str | None] = [
            chance.choice(COLORS[:colors]) if chance.random() < 0.7 else None for _ in range(width)
        ]
        row[chance.randrange(width)] = None
        if not any(row):
            row[0] = COLORS[0]
        drawn.append(tuple(row))
    return Picture(tuple(drawn))


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


@pytest.mark.parametrize(("seed", "most"), [(0, 2), pytest.param(1, 6, marks=pytest.mark.slow)])
def test_answers_are_games_in_bands_and_in_windows(seed: int, most: int) -> None:
    """A picture is printed in two bands; then each of its windows is asked again."""
    chance, printed, tried = random.Random(seed), 0, 0
    while printed < most:
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
    assert tried <= 2 * most + 2, "most pictures are printed"


def test_pieces_outside_a_band_stay() -> None:
    chance = random.Random(3)
    picture = draw_picture(chance, 7, 6)
    target = Task.of(picture, (7, 20), "auto").target
    answer = ask(make_question(target, conflicts=50_000))
    assert answer.game is not None
    question = make_question(
        target, game=answer.game, first=0, need=2, last=2,
        numbers=tuple(range(answer.game.lines + 1)),
    )  # fmt: skip
    outside = [
        (p.orientation, p.x)
        for p in answer.game.pieces
        if all(answer.game.rows[v] >= 2 for _, v in p.cells)
    ]
    again = ask(question)
    check_answer(question, again)
    drops = list(again.drops)
    for drop in outside:
        drops.remove(drop)


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
