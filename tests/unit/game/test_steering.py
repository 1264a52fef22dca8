import random
from collections.abc import Sequence

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.contract.demands import bare
from tests.oracles.nes_game import STATES, Console
from tests.support.games import COLORS, games, make_picture
from tests.support.plans import make_random_plan
from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import (
    ORIENTATIONS,
    Orientation,
    PieceType,
    Placement,
    list_orientations,
)
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import make_plan_from_drops, play
from tetrisprinter.game.steering import (
    IllegalMoveError,
    Key,
    find_keys,
    play_moves,
    play_nes,
    reorder_plan,
    walk,
)


def console_cells(name: str, turns: int, x: int, y: int) -> set[tuple[int, int]]:
    """Return the squares of a piece; the oracle's rows count downwards."""
    return {(x + dx, y - dy) for dx, dy in STATES[name][turns % len(STATES[name])]}


def is_free(field: Playfield, hidden: int, piece: PieceType, state: tuple[int, int, int]) -> bool:
    """Whether a piece has room, by the oracle's drawings; rows above the field are empty."""
    return all(
        0 <= x < field.width
        and 0 <= y < field.height + hidden
        and (y >= field.height or not field[x, y])
        for x, y in console_cells(piece.name, *state)
    )


def exhaustive(field: Playfield, piece: PieceType, hidden: int) -> set[Placement]:
    """Every placement in the two top rows reachable by turning and shifting at the spawn."""
    y = field.height - 1 + max(0, hidden - 2)
    states = len(STATES[piece.name])
    reached = {s for s in [(0, field.width // 2)] if is_free(field, hidden, piece, (*s, y))}
    waiting = [*reached]
    for turns, x in waiting:
        for dt, dx in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            state = (turns + dt) % states, x + dx
            if state not in reached and is_free(field, hidden, piece, (*state, y)):
                reached.add(state)
                waiting.append(state)
    found = {Placement.find(console_cells(piece.name, turns, x, y)) for turns, x in reached}
    return {p for p in found if p is not None}


def press(
    field: Playfield, piece: PieceType, keys: Sequence[Key], hidden: int
) -> set[tuple[int, int]]:
    """Follow every press; return the squares in which the piece comes to rest."""
    turns, x, y = 0, field.width // 2, field.height - 1 + max(0, hidden - 2)
    assert is_free(field, hidden, piece, (turns, x, y))
    assert keys[-1] == "drop"
    for key in keys[:-1]:
        turns += {"cw": 1, "ccw": -1}.get(key, 0)
        x += {"right": 1, "left": -1}.get(key, 0)
        y -= key == "down"
        assert is_free(field, hidden, piece, (turns, x, y))
    while is_free(field, hidden, piece, (turns, x, y - 1)):
        y -= 1
    return console_cells(piece.name, turns, x, y)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 8), st.sampled_from([0, 1, 2, 3, 4]))
def test_every_path_is_legal_and_what_is_refused_cannot_be_reached(
    seed: int, width: int, hidden: int
) -> None:
    """On crowded fields: the order turn, shift is not the only one that counts."""
    plan = make_random_plan(width, 7, drops=40, seed=seed)
    field = Playfield(width, 7)
    for _ in play(plan, field):
        pass
    tops = field.tops
    for piece in PieceType:
        reached = exhaustive(field, piece, hidden)
        for orientation in list_orientations(piece):
            for x in range(width - orientation.width + 1):
                expected = any(
                    p.orientation is orientation
                    and p.x == x
                    and all(p.y + b >= tops[x + i] for i, b in enumerate(orientation.bottom))
                    for p in reached
                )
                keys = find_keys(field, orientation, x, hidden)
                if hidden >= 2:  # else a piece may fall before it turns
                    assert (keys is not None) == expected, (piece, orientation.turns, x)
                assert hidden < 4 or keys is not None, "every drop can be steered"
                if keys is not None:
                    y = max(tops[x + i] - low for i, low in enumerate(orientation.bottom))
                    assert press(field, piece, keys, hidden) == set(orientation.place(x, y))


def test_strict_game_lets_a_piece_fall_before_it_turns() -> None:
    field = Playfield(10, 20)
    orientation = list_orientations(PieceType.I)[1]
    keys = find_keys(field, orientation, 0, hidden=0)
    assert keys is not None
    assert keys.count(Key.DOWN) == 2
    assert keys.index(Key.DOWN) < keys.index(Key.CLOCKWISE)
    assert Key.DOWN not in (find_keys(field, orientation, 0) or ())


def test_walk_names_the_press() -> None:
    field = Playfield(6, 6)
    with pytest.raises(IllegalMoveError, match=r"press 3 \(left\)"):
        walk(field, PieceType.T, (Key.LEFT, Key.LEFT, Key.LEFT))
    with pytest.raises(IllegalMoveError, match="I cannot enter"):
        walk(Playfield(3, 6), PieceType.I, ())


def test_top_out_is_still_a_top_out() -> None:
    upright = Placement(list_orientations(PieceType.I)[1], 0, 0)
    plan = Plan((Pass(8, (upright, Placement(upright.orientation, 0, 4))),), (), 10, 6)
    with pytest.raises(TopOutError, match="drop 2"):
        list(play_moves(plan, Playfield(10, 6)))
    outside = Plan((Pass(4, (Placement(upright.orientation, 10, 0),)),), (), 10, 6)
    with pytest.raises(TetrisPrinterError, match="drop 1"):
        list(play_moves(outside, Playfield(10, 6)))


def test_on_few_columns_an_animation_lets_a_piece_enter_as_it_lands() -> None:
    plan = Plan.parse("board 3x9 I=ff0000\n\n" + "A..\n" * 4)
    with pytest.raises(IllegalMoveError, match="cannot be steered to column 0"):
        list(play_moves(plan, Playfield(3, 9)))
    [moved] = play_moves(plan, Playfield(3, 9), lenient=True)
    entry, landing = moved.path
    assert (entry.x, entry.y, landing.x, landing.y) == (0, 9, 0, 0)
    assert entry.orientation is landing.orientation is moved.drop.landing.orientation
    assert moved.keys[-1] is Key.DROP


def play_on_console(plan: Plan) -> int:
    """Press the buttons of every frame on the oracle's console; return the frames in total."""
    console, total = Console(), 0
    for moved, runs in play_nes(plan):
        frames = [button for button, count in runs for _ in range(count)]
        landing = moved.drop.landing
        locked = console.play(landing.orientation.piece.name, frames)
        assert locked == {(x, 19 - y) for x, y in landing.cells}
        total += len(frames)
    return total


def test_the_buttons_of_each_frame_play_the_game_on_the_console() -> None:
    played = 0
    for seed in range(12):
        plan = make_random_plan(10, 14, drops=60, seed=seed)
        frames = play_on_console(plan)
        assert frames > 2 * len(plan)
        played += len(plan)
    assert played > 200


def test_every_place_of_an_empty_console_is_reached() -> None:
    for orientation in ORIENTATIONS:
        for x in range(11 - orientation.width):
            plan = Plan((Pass.make([Placement(orientation, x, 0)]),), (), 10, 20)
            play_on_console(plan)


def test_a_piece_falls_every_second_frame_while_down_is_held() -> None:
    plan = Plan.parse("board 10x6 O=ff0000\n\n....AA....\n....AA....\n")
    [(_, runs)] = play_nes(plan)
    assert runs == (("D", 2 * 19 + 1),), "eighteen rows, and one more to lock"


def test_what_the_console_cannot_play_is_refused() -> None:
    with pytest.raises(IllegalMoveError, match="9 columns; the console's board is 10x20"):
        list(play_nes(Plan.parse("board 9x6 O=ff0000\n\n.AA......\n.AA......\n")))


FLAT, UPRIGHT = list_orientations(PieceType.I)
SQUARE = list_orientations(PieceType.O)[0]


def as_one_pass(plan: Plan) -> Plan:
    """All drops in one pass, so that all of them may change places."""
    pieces = tuple(plan)
    return Plan((Pass(plan.height, pieces),), plan.colors, plan.width, plan.height)


@settings(deadline=None, max_examples=60)
@given(games(6, 12, 12), st.integers(0, 1 << 30))
def test_another_order_leaves_the_same_and_only_makes_what_may_be_made(
    plan: Plan, seed: int
) -> None:
    """Here a drop may be made or not as the dice say, which does not depend on the order."""
    plan = as_one_pass(plan)
    chance = random.Random(seed)
    blocked = [(chance.randrange(6), chance.randrange(3, 12)) for _ in range(2)]

    def may(field: Playfield, orientation: Orientation, x: int) -> bool:
        return not any(x == column and field.tops[5 - column] >= top for column, top in blocked)

    found = reorder_plan(plan, may)
    if found is None:
        event("none")
        return
    event("the same" if found == plan else "another")
    assert make_picture(found) == make_picture(plan)
    assert sorted(map(str, bare(found))) == sorted(map(str, bare(plan)))
    field = Playfield(6, 12)
    for orientation, x in bare(found):
        assert may(field, orientation, x)
        field.drop(orientation, x)


def test_a_piece_may_not_be_the_first() -> None:
    plan = as_one_pass(make_plan_from_drops([(FLAT, 0), (SQUARE, 5)], COLORS, 10, 22))
    found = reorder_plan(plan, lambda *_: True, lambda field, piece: piece is not PieceType.I)
    assert found is not None
    assert bare(found) == [(SQUARE, 5), (FLAT, 0)]
    assert reorder_plan(plan, lambda *_: True, lambda *_: False) is None
    assert reorder_plan(plan, lambda *_: True) == plan
