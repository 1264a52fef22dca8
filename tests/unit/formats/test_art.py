import json
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.oracles.art_game import play_art
from tests.support.games import COLORS, games, make_picture
from tests.support.seigot import CLIENTS, play_in_seigot
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats.art import format_art, parse_art, read_art
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, list_orientations
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_plan_from_drops

EVERY_COLOR = {f"shape{piece.name}": f"0x{color}" for piece, color in COLORS}


def format_held_art(plan: Plan, hold: int) -> str:
    """An art file that is held, or that ends with the picture if that cannot be."""
    try:
        return format_art(plan, hold=hold)
    except JobError as error:
        assert "rows are empty; a hold of 0 writes" in str(error)  # noqa: PT017
        return format_art(plan, hold=0)


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(games(10, 22, 18))
def test_what_is_written_plays_to_the_same_picture_and_reads_back_as_the_same_game(
    plan: Plan,
) -> None:
    if not len(plan):
        return
    text = format_held_art(plan, 12)
    held = json.loads(text).get("hold", 0)
    event("held" if held else "not held")
    played = play_art(text)
    assert (played.blocked, played.over) == ([], None)
    picture = make_picture(plan).cells()
    assert len(played.after) == len(plan) + held
    assert played.after[len(plan) - 1] == played.squares == picture
    for shown in played.after[len(plan) :]:
        assert picture.items() <= shown.items()
        assert min(y for _, y in shown.keys() - picture.keys() or {(0, 99)}) > max(
            (y for _, y in picture), default=-1
        )
    again = parse_art(text)
    assert [p.orientation for p in again] == [p.orientation for p in plan]
    assert make_picture(again) == make_picture(plan)
    assert str(Plan.parse(str(again))) == str(again)


@settings(deadline=None, max_examples=30)
@given(games(21, 42, 34))
def test_wide_boards_are_walked_while_sinking(plan: Plan) -> None:
    if not len(plan):
        return
    text = format_art(plan)
    assert json.loads(text)["board"] == "21x42"
    played = play_art(text, 21, 42)
    assert played.blocked == []
    assert played.squares == make_picture(plan).cells()
    assert make_picture(parse_art(text)) == make_picture(plan)


@st.composite
def towers(draw: st.DrawFn) -> Plan:
    """Draw games that pile up in a few columns until a drop would not fit below the top."""
    random = draw(st.randoms(use_true_random=False))
    columns = random.sample(range(10), draw(st.integers(1, 4)))
    field = Playfield(10, 22)
    made: list[tuple[Orientation, int]] = []
    for _ in range(80):
        orientation = random.choice(ORIENTATIONS)
        x = min(random.choice(columns), 10 - orientation.width)
        if max(field.tops[x : x + orientation.width]) + orientation.height > 22:
            break
        field.drop(orientation, x)
        made.append((orientation, x))
    return make_plan_from_drops(made, COLORS, 10, 22)


@settings(deadline=None, max_examples=60)
@given(towers())
def test_a_game_that_needs_a_blocked_move_is_refused_and_only_such_a_game(plan: Plan) -> None:
    if not len(plan):
        return
    try:
        text = format_art(plan, hold=0)
    except JobError as error:
        if "the art game would clear the picture" in str(error):
            event("lost")
            index = "ILJTOSZ".index(plan[0].orientation.piece.name) + 1
            again = play_art(art([[index, 0, 5, 1]]), before=make_picture(plan).cells())
            assert again.over == 0
            return
        event("refused")
        number = int(str(error).partition("drop ")[2].split()[0])
        drops = [(p.orientation, p.x) for p in plan]
        before, after = (make_picture(make_plan_from_drops(drops[:n], COLORS, 10, 22)).cells()
                         for n in (number - 1, number))  # fmt: skip
        if number > 1:
            begun = make_plan_from_drops(drops[: number - 1], COLORS, 10, 22)
            with suppress(JobError):
                assert play_art(format_art(begun, hold=0)).squares == before
        # No row of numbers whatever makes this drop.
        index = "ILJTOSZ".index(drops[number - 1][0].piece.name) + 1
        for direction, x, operation in product(range(4), range(10), (0, 1)):
            tried = play_art(art([[index, direction, x, operation]]), before=before)
            assert tried.over == 0 or tried.squares != after
    else:
        event("written")
        played = play_art(text)
        assert (played.squares, played.over) == (make_picture(plan).cells(), None)


def art(rows: list[Any], **more: Any) -> str:
    return json.dumps({"color": EVERY_COLOR, "block_order": rows, **more})


def test_the_refusal_says_which_drop_and_what_would_help() -> None:
    upright = list_orientations(PieceType.I)[1]
    tower = make_plan_from_drops([(upright, 5)] * 5 + [(upright, 0)], COLORS, 10, 22)
    with pytest.raises(JobError, match=r"drop 6 of 6 .* no room to appear.*10x20"):
        format_art(tower)
    wall = make_plan_from_drops([(upright, 7)] * 5 + [(upright, 9)], COLORS, 10, 22)
    with pytest.raises(JobError, match=r"drop 6 of 6 .* stopped by the squares .* column 6"):
        format_art(wall)
    with pytest.raises(JobError, match="at least 7x4"):
        format_art(Plan((), (), 6, 22))


def test_squares_that_have_no_colour_are_not_written_as_black_ones() -> None:
    square, bar = list_orientations(PieceType.O)[0], list_orientations(PieceType.I)[0]
    colors = ((PieceType.O, "d03020"), (PieceType.J, "000000"))
    left = make_plan_from_drops([(square, 8), (bar, 3)], colors, 10, 22)
    assert len(make_picture(left).cells()) == 4  # the bar is not seen there
    with pytest.raises(
        JobError, match=r"p\.txt: the game leaves a square of I at column 3, row 0, but I has"
    ):
        format_art(left, "p.txt")
    gone = make_plan_from_drops([(square, 8), (bar, 0), (bar, 4)], colors, 10, 22)
    played = play_art(format_art(gone, hold=0))
    assert played.lines == 1
    assert played.squares == make_picture(gone).cells() == {(8, 0): "d03020", (9, 0): "d03020"}


ODD_ROWS = [[1, 0, 6, 1]] * 5 + [[3, 3, 5, 1], [1, 0, 9, 1], [3, 4, -3, 7]]


def test_what_the_game_plays_is_read_and_what_it_skips_is_said() -> None:
    """An I that cannot pass a tower, a J that cannot turn, and numbers no manual knows."""
    plan, skipped = read_art(art(ODD_ROWS, board="10x21"), "a.json")
    assert make_picture(plan).cells() == play_art(art(ODD_ROWS), 10, 21).squares
    assert skipped == [
        "a.json: drop 6: the J has no room to turn at column 5",
        "a.json: drop 7: the I is stopped by the squares in its way at column 5",
    ]
    assert [(p.orientation.piece.name, p.x) for p in plan][5:] == [
        ("J", 4), ("I", 5), ("J", 0),
    ]  # fmt: skip
    assert parse_art(art([[3, 0, 2, 1]])) == parse_art(art([[3, 4, 2, 1]]))


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 7),
            st.integers(-1, 5),
            st.integers(-2, 11),
            st.sampled_from((0, 1, 1, 2)),
        ),
        min_size=1,
        max_size=60,
    )
)
def test_any_file_is_read_as_the_game_plays_it(rows: list[tuple[int, ...]]) -> None:
    played = play_art(art(rows))
    try:
        plan, _ = read_art(art(rows))
    except InputError as error:
        told = str(error)
    else:
        event("read")
        assert played.over in (None, len(rows))
        assert make_picture(plan).cells() == played.squares
        return
    if "has no room to appear" in told:
        event("over")
        assert played.over is not None
        assert f"drop {played.over + 1}:" in told
    else:
        assert "is tucked under" in told


UPRIGHT = list_orientations(PieceType.I)[1]
SQUARE = list_orientations(PieceType.O)[0]
FLAT = list_orientations(PieceType.I)[0]

EDGES: dict[str, tuple[list[tuple[Orientation, int]], str]] = {
    "one drop": ([(FLAT, 0)], "held"),
    "one square wide at the left": ([(UPRIGHT, 0)] * 4, "held"),
    "full column at the left": ([(UPRIGHT, 0)] * 5, "complete for one drop"),
    "full column at the right": ([(UPRIGHT, 9)] * 5, "complete for one drop"),
    "both": ([(UPRIGHT, 0), (UPRIGHT, 9)] * 4, "held"),
    "spawn columns 18 rows high": ([(SQUARE, 4)] * 9, "held"),
    "spawn columns 20 rows high": ([(SQUARE, 4)] * 10, "complete for one drop"),
    "spawn columns, an I first": ([(FLAT, 0), *[(SQUARE, 4)] * 10], "would clear the picture"),
    "21 rows beside them": (
        [(SQUARE, 8), *[(UPRIGHT, 9)] * 4, (SQUARE, 0), (list_orientations(PieceType.L)[1], 8)],
        "complete for one drop",
    ),
    "ten columns, one row less one": ([(FLAT, 0), (FLAT, 4), (UPRIGHT, 8)], "held"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not CLIENTS.is_dir(), reason="the game is not there")
@pytest.mark.parametrize("name", EDGES)
def test_edges_in_the_game_itself(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr("tetrisprinter.errors.LISTENERS", [heard.append])
    drops, expected = EDGES[name]
    plan, text = make_plan_from_drops(drops, COLORS, 10, 22), ""
    try:
        text = format_art(plan, name)  # a notice comes once for each name
    except JobError as error:
        heard = [str(error)]
    assert "".join(heard).count(expected) == (expected != "held")
    if text:
        (tmp_path / "a.json").write_text(text)
        seen = play_in_seigot(tmp_path / "a.json")
        assert seen == [(shown, 0) for shown in play_art(text).after]
        assert seen[-1][0] == make_picture(plan).cells()


def test_the_colour_of_what_is_not_to_be_seen() -> None:
    plan = make_plan_from_drops([(FLAT, 0), (SQUARE, 5)], ((PieceType.I, "ffffff"),), 10, 22)
    with pytest.raises(
        JobError, match=r"leaves a square of O .* or choose a colour for unseen types"
    ):
        format_art(plan)
    colors = json.loads(format_art(plan, unseen="f0f0f0"))["color"]
    assert colors == {f"shape{name}": "0xf0f0f0" for name in "LJTOSZ"} | {"shapeI": "0xffffff"}
    on_white = replace(plan, background="ffffff")
    art = format_art(on_white, unseen="f0f0f0")
    assert set(json.loads(art)["color"].values()) == {"0xf0f0f0"}
    # Read again, there is nothing to be seen on the colour of that window either.
    assert make_picture(parse_art(art)).cells() == make_picture(on_white).cells() == {}
    with pytest.raises(InputError, match="invalid colour of the background"):
        parse_art(art.replace('"background": "0xf0f0f0"', '"background": "white"'))


def test_what_only_the_game_s_own_board_has() -> None:
    plan = make_plan_from_drops([(FLAT, 0)], COLORS, 12, 20)
    assert "hold" not in json.loads(format_art(plan))
    held = json.loads(format_art(plan, hold=10))
    assert held["hold"] >= 10
    assert play_art(json.dumps(held), 12, 20).squares == make_picture(plan).cells()
    tall = make_plan_from_drops([(SQUARE, 4)] * 10, COLORS, 10, 22)
    with pytest.raises(
        JobError, match=r"cannot be held: above it only 2 of 22 rows are empty; a hold of 0"
    ):
        format_art(tall, hold=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (art([]), "at least one piece"),
        (art([[1, 0, 0, 1], [8, 0, 0, 1]]), "drop 2: unknown piece 8"),
        (art([[1, 0, 0]]), "drop 1: expected four whole numbers"),
        (art([[1, 0, 5, 1]] * 6), "drop 6: the I has no room to appear"),
        ("{", "a.json:1: invalid JSON"),
        ("{}", "'color' and 'block_order'"),
        (json.dumps({"color": {}, "block_order": []}), "invalid colour of shapeI"),
        (json.dumps({"color": {**EVERY_COLOR, "shapeO": "red"}, "block_order": []}), "shapeO"),
        (art([[1, 0, 0, 1]], board="wide"), "invalid 'board'"),
        (art([[1, 0, 0, 1]], board="0x3"), "invalid 'board'"),
        (art([[1, 0, 10, 1], [1, 1, 9, 1], [5, 0, 8, 0]], board="12x6"), "drop 3: the O is tucked"),
        (
            art([[1, 0, 0, 1]], hold=1),
            "invalid 'hold' .*; expected the number of pieces after the picture, 0 to 0",
        ),
        (art([[1, 0, 0, 1]], hold="long"), "invalid 'hold'"),
    ],
)
def test_texts_that_are_no_art_file(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_art(text, "a.json")
