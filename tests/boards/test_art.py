from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.art_game import play_art
from tetrisprinter.errors import InputError
from tetrisprinter.formats import game_text, read_game
from tetrisprinter.formats.art import ArtError, art_text, parse_art
from tetrisprinter.formats.replay import plan_of_drops
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, orientations_of
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through, shown
from tetrisprinter.pictures.picture import Picture

COLORS = tuple((piece, f"{30 * piece:02x}{20 * piece:02x}80") for piece in PieceType)
EVERY_COLOR = {f"shape{piece.name}": f"0x{color}" for piece, color in COLORS}


def games(width: int, height: int, tallest: int) -> st.SearchStrategy[Plan]:
    """Random games that never stack higher than ``tallest`` rows."""
    drops = st.lists(
        st.tuples(st.sampled_from(ORIENTATIONS), st.integers(0, width - 1)), max_size=80
    )

    def played(wanted: list[tuple[Orientation, int]]) -> Plan:
        field = Playfield(width, height)
        made = []
        for orientation, column in wanted:
            x = min(column, width - orientation.width)
            if max(field.tops[x : x + orientation.width]) + orientation.height <= tallest:
                field.drop(orientation, x)
                made.append((orientation, x))
        return plan_of_drops(made, COLORS, width, height)

    return drops.map(played)


def picture_of(plan: Plan) -> Picture:
    return shown(plan, play_through(plan).field)


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


@settings(deadline=None)
@given(games(10, 22, 22))
def test_a_game_that_needs_a_blocked_move_is_refused_and_only_such_a_game(plan: Plan) -> None:
    if not len(plan):
        return
    try:
        text = art_text(plan)
    except ArtError as error:
        number = int(str(error).partition("drop ")[2].split()[0])
        drops = [(p.orientation, p.x) for _, p in plan.drops()]
        shorter = plan_of_drops(drops[: number - 1], COLORS, 10, 22)
        if number > 1:
            assert play_art(art_text(shorter)).blocked == []
    else:
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
