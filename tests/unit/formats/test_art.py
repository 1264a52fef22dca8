from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.oracles.art_game import play_art
from tests.support.games import COLORS, games, picture_of
from tetrisprinter.errors import InputError
from tetrisprinter.formats import game_text, read_game
from tetrisprinter.formats.art import ArtError, art_text, parse_art
from tetrisprinter.formats.replay import plan_of_drops
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, orientations_of
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through

EVERY_COLOR = {f"shape{piece.name}": f"0x{color}" for piece, color in COLORS}


@settings(deadline=None)
@given(games(10, 22, 18))
def test_what_is_written_plays_to_the_same_picture_and_reads_back_as_the_same_game(
    plan: Plan,
) -> None:
    if not len(plan):
        return
    text = art_text(plan)
    played = play_art(text)
    assert played.blocked == []
    assert played.squares == picture_of(plan).cells()
    again = parse_art(text)
    assert [p.orientation for _, p in again.drops()] == [p.orientation for _, p in plan.drops()]
    assert picture_of(again) == picture_of(plan)
    assert str(Plan.parse(str(again))) == str(again)


@settings(deadline=None)
@given(games(21, 42, 34))
def test_wide_boards_are_walked_while_sinking(plan: Plan) -> None:
    if not len(plan):
        return
    text = art_text(plan)
    assert json.loads(text)["board"] == "21x42"
    played = play_art(text, 21, 42)
    assert played.blocked == []
    assert played.squares == picture_of(plan).cells()
    assert picture_of(parse_art(text)) == picture_of(plan)


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
    return plan_of_drops(made, COLORS, 10, 22)


@settings(deadline=None)
@given(towers())
def test_a_game_that_needs_a_blocked_move_is_refused_and_only_such_a_game(plan: Plan) -> None:
    if not len(plan):
        return
    try:
        text = art_text(plan)
    except ArtError as error:
        event("refused")
        number = int(str(error).partition("drop ")[2].split()[0])
        drops = [(p.orientation, p.x) for _, p in plan.drops()]
        before, after = (picture_of(plan_of_drops(drops[:n], COLORS, 10, 22)).cells()
                         for n in (number - 1, number))  # fmt: skip
        if number > 1:
            played = play_art(art_text(plan_of_drops(drops[: number - 1], COLORS, 10, 22)))
            assert (played.blocked, played.squares) == ([], before)
        # No row of numbers whatever makes this drop without a move that is blocked.
        index = "ILJTOSZ".index(drops[number - 1][0].piece.name) + 1
        for direction, x, operation in product(range(4), range(10), (0, 1)):
            tried = play_art(art([[index, direction, x, operation]]), before=before)
            assert tried.blocked or tried.squares != after
    else:
        event("written")
        assert play_art(text).blocked == []


def art(rows: list[Any], **more: Any) -> str:
    return json.dumps({"color": EVERY_COLOR, "block_order": rows, **more})


def test_the_refusal_says_which_drop_and_what_would_help() -> None:
    upright = orientations_of(PieceType.I)[1]
    tower = plan_of_drops([(upright, 5)] * 5 + [(upright, 0)], COLORS, 10, 22)
    with pytest.raises(ArtError, match=r"drop 6 of 6 .* no room to appear.*10x20"):
        art_text(tower)
    wall = plan_of_drops([(upright, 7)] * 5 + [(upright, 9)], COLORS, 10, 22)
    with pytest.raises(ArtError, match=r"drop 6 of 6 .* stopped by the squares .* column 6"):
        art_text(wall)
    with pytest.raises(ArtError, match="at least 7x4"):
        art_text(Plan((), (), 6, 22))


def test_squares_that_have_no_colour_are_not_written_as_black_ones() -> None:
    square, bar = orientations_of(PieceType.O)[0], orientations_of(PieceType.I)[0]
    colors = ((PieceType.O, "d03020"), (PieceType.J, "000000"))
    left = plan_of_drops([(square, 8), (bar, 3)], colors, 10, 22)
    assert len(picture_of(left).cells()) == 4  # the bar is not seen there
    with pytest.raises(ArtError, match=r"p\.txt: leaves a square of I at column 3, row 0 .* I has"):
        art_text(left, "p.txt")
    gone = plan_of_drops([(square, 8), (bar, 0), (bar, 4)], colors, 10, 22)
    played = play_art(art_text(gone))
    assert played.lines == 1
    assert played.squares == picture_of(gone).cells() == {(8, 0): "d03020", (9, 0): "d03020"}


def test_black_squares_are_squares() -> None:
    jay = orientations_of(PieceType.J)[0]
    plan = plan_of_drops([(jay, 4)], ((PieceType.J, "000000"),), 10, 22)
    assert sorted(play_art(art_text(plan)).squares.values()) == ["000000"] * 4


def test_files_drawn_by_hand_lean_on_the_walls() -> None:
    """The I lying flat cannot have its reference square in column 0; it stops at the wall."""
    plan = parse_art(art([[1, 1, 0, 1], [1, 3, 9, 0], [5, 2, 4, 0]]))
    assert [(p.orientation.piece.name, p.x) for _, p in plan.drops()] == [
        ("I", 0), ("I", 6), ("O", 4),
    ]  # fmt: skip
    assert (plan.width, plan.height) == (10, 22)
    assert play_through(plan).lines == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "at least one piece"),
        ([[1, 0, 0, 1], [8, 0, 0, 1]], "drop 2: 8 is no piece"),
        ([[1, 4, 0, 1]], "drop 1: direction 4"),
        ([[1, 0, 10, 1]], "drop 1: column 10"),
        ([[1, 0, -1, 1]], "drop 1: column -1"),
        ([[1, 0, 0, 2]], "drop 1: the last number"),
        ([[1, 0, 0]], "drop 1: must be four whole numbers"),
        ([[1, 0, 5, 1]] * 6, "drop 6: the I has no room to appear"),
        ([[1, 0, 7, 1]] * 5 + [[1, 0, 9, 1]], "drop 6: the I is stopped by the squares"),
        ([[1, 0, 6, 1]] * 5 + [[3, 3, 5, 1]], "drop 6: the J has no room to turn"),
    ],
)
def test_bad_art_files(rows: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_art(art(rows), "a.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "a.json:1: is not JSON"),
        ("{}", "'color' and 'block_order'"),
        (json.dumps({"color": {}, "block_order": []}), "the colour of shapeI"),
        (json.dumps({"color": {**EVERY_COLOR, "shapeO": "red"}, "block_order": []}), "shapeO"),
        (art([[1, 0, 0, 1]], board="wide"), "'board' must be like"),
        (art([[1, 0, 0, 1]], board="0x3"), "'board' must be like"),
    ],
)
def test_texts_that_are_no_art_file(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_art(text, "a.json")


def test_one_door_to_all_formats(tmp_path: Any) -> None:
    plan = plan_of_drops([(ORIENTATIONS[0], 3), (ORIENTATIONS[5], 0)], COLORS, 10, 22)
    for suffix in (".txt", ".json", ".fumen"):
        path = tmp_path / f"game{suffix}"
        path.write_text(game_text(plan, suffix))
        again = read_game(path)
        assert picture_of(again) == picture_of(plan)
