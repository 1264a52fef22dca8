import random

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.contract.demands import bare
from tests.oracles.nes_game import Console
from tests.support.games import COLORS, games, make_picture
from tests.support.plans import make_random_plan, plans
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

# The states of the 1989 console game by clockwise presses from the spawn, as offsets from
# the centre square with y downwards: written down independently of the package.
CONSOLE = {
    "I": ["-2,0 -1,0 0,0 1,0", "0,-2 0,-1 0,0 0,1"],
    "J": ["-1,0 0,0 1,0 1,1", "0,-1 0,0 -1,1 0,1", "-1,-1 -1,0 0,0 1,0", "0,-1 1,-1 0,0 0,1"],
    "L": ["-1,0 0,0 1,0 -1,1", "-1,-1 0,-1 0,0 0,1", "1,-1 -1,0 0,0 1,0", "0,-1 0,0 0,1 1,1"],
    "O": ["-1,0 0,0 -1,1 0,1"],
    "S": ["0,0 1,0 -1,1 0,1", "0,-1 0,0 1,0 1,1"],
    "T": ["-1,0 0,0 1,0 0,1", "0,-1 -1,0 0,0 0,1", "0,-1 -1,0 0,0 1,0", "0,-1 0,0 1,0 0,1"],
    "Z": ["-1,0 0,0 0,1 1,1", "1,-1 0,0 1,0 0,1"],
}


def console_cells(name: str, turns: int, x: int, y: int) -> set[tuple[int, int]]:
    states = CONSOLE[name]
    pairs = [pair.split(",") for pair in states[turns % len(states)].split()]
    return {(x + int(dx), y - int(dy)) for dx, dy in pairs}


def replay(plan: Plan, hidden: int) -> None:
    """Follow every press on a plain set of squares that knows nothing of the package."""
    filled: set[tuple[int, int]] = set()
    top = plan.height + hidden
    for moved in play_moves(plan, Playfield(plan.width, plan.height), hidden):
        name = moved.drop.landing.orientation.piece.name
        turns, x, y = 0, plan.width // 2, plan.height - 1 + max(0, hidden - 2)

        def free(
            turns: int,
            x: int,
            y: int,
            name: str = name,
            filled: frozenset[tuple[int, int]] = frozenset(filled),
        ) -> bool:
            cells = console_cells(name, turns, x, y)
            return not cells & filled and all(
                0 <= cx < plan.width and 0 <= cy < top for cx, cy in cells
            )

        assert free(turns, x, y)
        assert moved.keys[-1] == "drop"
        for key in moved.keys[:-1]:
            turns += {"cw": 1, "ccw": -1}.get(key, 0)
            x += {"right": 1, "left": -1}.get(key, 0)
            y -= key == "down"
            assert free(turns, x, y), (moved.drop.index, key)
        while free(turns, x, y - 1):
            y -= 1
        cells = console_cells(name, turns, x, y)
        assert cells == set(moved.drop.landing.cells) == set(moved.path[-1].cells)
        filled |= cells
        for row in range(plan.height - 1, -1, -1):
            if all((column, row) in filled for column in range(plan.width)):
                filled = {(cx, cy - (cy > row)) for cx, cy in filled if cy != row}


@settings(max_examples=60, deadline=None)
@given(plans(), st.sampled_from([0, 1, 2, 4]))
def test_every_path_is_legal_or_refused_by_number(plan: Plan, hidden: int) -> None:
    try:
        replay(plan, hidden)
    except IllegalMoveError as refusal:
        error: Exception | None = refusal
    else:
        error = None
    assert error is None or str(error).startswith("drop ")
    assert error is None or hidden < 4, "with four hidden rows every drop can be steered"


def exhaustive(field: Playfield, piece: PieceType, hidden: int) -> set[Placement]:
    """Every placement in the two top rows reachable by turning and shifting at the spawn."""
    y = field.height - 1 + max(0, hidden - 2)

    def free(turns: int, x: int) -> bool:
        return all(
            0 <= cx < field.width
            and 0 <= cy < field.height + hidden
            and (cy >= field.height or not field[cx, cy])
            for cx, cy in console_cells(piece.name, turns, x, y)
        )

    states = len(CONSOLE[piece.name])
    middle = field.width // 2
    reached = {(0, middle)} if free(0, middle) else set()
    while True:
        more = {
            ((turns + dt) % states, x + dx)
            for turns, x in reached
            for dt, dx in ((1, 0), (-1, 0), (0, 1), (0, -1))
        }
        more = {s for s in more if free(*s)} | reached
        if more == reached:
            break
        reached = more
    found = {Placement.find(console_cells(piece.name, turns, x, y)) for turns, x in reached}
    return {p for p in found if p is not None}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 8), st.integers(2, 3))
def test_refuses_exactly_what_exhaustive_search_cannot_reach(
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
                assert (keys is not None) == expected, (piece, orientation.turns, x)


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
