import random
from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.contract.demands import game
from tests.oracles.srs_game import Board, cells
from tests.support.games import COLORS, games
from tetrisprinter.errors import InputError
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.piece_queue import PieceQueue
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, list_orientations
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_plan_from_drops
from tetrisprinter.game.steering import Guideline, IllegalMoveError, play_by_guideline

UPRIGHT = list_orientations(PieceType.I)[1]
SQUARE = list_orientations(PieceType.O)[0]


def list_squares(field: Playfield) -> set[tuple[int, int]]:
    return {(x, y) for y, row in enumerate(field.rows) for x, v in enumerate(row) if v}


def count_played_drops(plan: Plan, rules: Guideline) -> int:
    """Have the oracle press the keys of every drop; return how many drops it took."""
    board = Board(set(), plan.width, rules.visible)
    played = 0
    for moved in play_by_guideline(plan, rules):
        landing = moved.drop.landing
        name = landing.orientation.piece.name
        locked = board.play(name, [str(key) for key in moved.keys])
        assert locked == set(landing.cells)
        assert set(moved.path[0].cells) == cells(name, board.spawn(name))
        assert set(moved.path[-1].cells) == locked
        board.lock(locked)
        played += 1
    return played


@settings(deadline=None, max_examples=60)
@given(games(10, 22, 21), st.booleans())
def test_every_path_is_played_by_the_oracle_or_refused_by_number(plan: Plan, held: bool) -> None:
    rules = Guideline(10, 22, long_presses=held)
    try:
        assert count_played_drops(plan, rules) == len(plan)
    except IllegalMoveError as error:
        told = str(error)
    else:
        event("played")
        return
    event("refused")
    drops = list(plan)
    number = int(told.split()[1])
    before = make_plan_from_drops(
        [(p.orientation, p.x) for p in drops[: number - 1]], COLORS, 10, 22
    )
    assert count_played_drops(before, Guideline(10, 22)) == number - 1
    field = Playfield(10, 22)
    for piece in drops[: number - 1]:
        field.drop(piece.orientation, piece.x)
    refused = drops[number - 1]
    landing = set(
        refused.orientation.place(refused.x, field.find_landing_row(refused.orientation, refused.x))
    )
    board = Board(list_squares(field), 10, 20)
    ways = [found for _, found in board.presses(refused.orientation.piece.name)]
    assert landing not in ways or min(y for _, y in landing) >= 20


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_no_path_has_fewer_presses(seed: int) -> None:
    """On fields full of towers, against everything that the oracle can do."""
    chance = random.Random(seed)
    width = chance.choice((5, 7, 10))
    rules = Guideline(width, 14, visible=12)
    field = Playfield.from_rows(width, 14, [_row(chance, width, y) for y in range(13)])
    board = Board(list_squares(field), width, 12)
    piece = chance.choice(list(PieceType))
    fewest: dict[frozenset[tuple[int, int]], int] = {}
    for presses, locked in board.presses(piece.name):
        fewest.setdefault(frozenset(locked), presses)
    for orientation in list_orientations(piece):
        for x in range(width - orientation.width + 1):
            try:
                y = field.find_landing_row(orientation, x)
            except TopOutError:
                continue
            keys = rules.find_keys(field, orientation, x)
            reached = fewest.get(frozenset(orientation.place(x, y)))
            if isinstance(keys, str):
                assert reached is None or y >= 12
            else:
                assert len(keys) == reached
                squares = set(orientation.place(x, y))
                assert board.play(piece.name, [str(k) for k in keys]) == squares


def _row(chance: random.Random, width: int, y: int) -> list[int]:
    row = [int(chance.random() < (0.9 if y < 8 else 0.25)) for _ in range(width)]
    row[chance.randrange(width)] = 0
    return row


def test_a_board_below_the_top_is_answered_from_memory_alike() -> None:
    plan = game(10, 22, 15, 120, 4)
    rules = Guideline(10, 22)
    remembered = [moved.keys for moved in play_by_guideline(plan, rules)]
    afresh = []
    field = Playfield(10, 22)
    for piece in plan:
        afresh.append(Guideline(10, 22).find_keys(field, piece.orientation, piece.x))
        field.drop(piece.orientation, piece.x)
    assert remembered == afresh


@pytest.mark.parametrize("width", [4, 5, 9, 10, 21])
def test_spawns_in_the_middle_rounded_to_the_left(width: int) -> None:
    rules = Guideline(width, 22)
    for piece in PieceType:
        path = rules.walk(Playfield(width, 22), piece, ())
        board = Board(set(), width, rules.visible)
        assert set(path[0].cells) == cells(piece.name, board.spawn(piece.name))
    with pytest.raises(InputError, match="3 columns is too narrow"):
        Guideline(3, 9)


def test_what_cannot_be_steered_says_why() -> None:
    tall = make_plan_from_drops([(UPRIGHT, 4)] * 5 + [(SQUARE, 0), (SQUARE, 8)], COLORS, 10, 22)
    assert count_played_drops(tall, Guideline(10, 22)) == 7
    covered = make_plan_from_drops(
        [(SQUARE, 4)] * 10 + [(ORIENTATIONS[0], 4), (SQUARE, 0)], COLORS, 10, 22
    )
    with pytest.raises(IllegalMoveError, match=r"drop 11 of 12 .* the I would lock wholly above"):
        list(play_by_guideline(covered))
    spawn = make_plan_from_drops([(SQUARE, 4)] * 9 + [(UPRIGHT, 4), (SQUARE, 0)], COLORS, 10, 22)
    with pytest.raises(IllegalMoveError, match=r"drop 11 of 11 .* the O has no room to spawn"):
        list(play_by_guideline(spawn))
    with pytest.raises(TopOutError, match="drop 6"):
        list(play_by_guideline(Plan.parse("board 4x20 I=ff0000\n" + ("\n" + "A...\n" * 4) * 6)))


def test_a_key_that_is_held_counts_once() -> None:
    plan = make_plan_from_drops([(SQUARE, 8), (UPRIGHT, 0)], COLORS, 10, 22)
    singly = [" ".join(moved.keys) for moved in play_by_guideline(plan)]
    held = [
        " ".join(moved.keys)
        for moved in play_by_guideline(plan, Guideline(10, 22, long_presses=True))
    ]
    assert singly == ["right right right right drop", "ccw left left left left drop"]
    assert held == ["hold right drop", "cw hold left drop"]


def test_the_key_for_hold_is_pressed_where_the_queue_asks_for_it() -> None:
    drops = [(list_orientations(piece)[0], x) for piece, x in ((PieceType.I, 0), (PieceType.O, 4),
                                                             (PieceType.T, 6))]  # fmt: skip
    plan = make_plan_from_drops(drops, COLORS, 10, 20)
    plan = replace(plan, queue=PieceQueue.parse("TIOTI"))
    waiting, hold, played = list("TIOTI"), "", []
    for moved in play_by_guideline(plan):
        current = waiting.pop(0)
        if moved.presses[0] == "hold":
            current, hold = hold or waiting.pop(0), current
        played.append(current)
        assert "hold" not in moved.presses[1:]
    assert played == [piece.name for piece in plan.list_types()]
    assert hold
