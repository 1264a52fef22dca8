"""Every theorem forbids what it should, says where, and is told in things."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.strategies import PALETTE
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.obstacles import OBSTACLES, forbidden_by, obstacle, risk_of_i, target_of
from tetrisprinter.printing.task import Task

RED, GREEN = "d03020", "208040"
LONELY = Picture(
    tuple((None,) * y + (color,) + (None,) * (7 - y) for y, color in enumerate(PALETTE))
)

CASES = {
    "full row": (Task.of(Picture.parse("r..\nrrr"), "3x9"), {(0, 0), (1, 0), (2, 0)}),
    "gap row": (Task.of(Picture.parse("r.\n..\nrr"), "9x9"), {(x, 1) for x in range(-3, 6)}),
    "count": (Task.of(Picture.parse("rr.\n.r."), "12x9", {PieceType.T: RED}), set()),
    "O alone": (
        Task.of(Picture.parse("rrr.g\ngg.rr"), "9x9", {PieceType.O: RED, PieceType.T: GREEN}),
        {(0, 1)},
    ),
    "cut": (
        Task.of(
            Picture.parse("..rr....\n....g...\n.g...r.r\n.r......\n.....g.."),
            "8x20",
            {PieceType.J: RED, PieceType.T: GREEN},
        ),
        {(x, 3) for x in range(8)},
    ),
}


def test_there_is_a_case_for_every_theorem() -> None:
    assert [theorem.name for theorem in OBSTACLES] == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_it_is_named_and_placed(name: str) -> None:
    task, cells = CASES[name]
    found = obstacle(task)
    assert found is not None
    assert found.theorem == name
    assert set(found.cells) == cells
    assert found.remedies
    assert "--" not in str(found)
    theorem = forbidden_by(target_of(task))
    assert theorem is not None
    assert theorem.name == name


@pytest.mark.parametrize(
    ("picture", "asked", "message"),
    [
        ("rrr", {"board": "2x9"}, "does not fit on a board of 2x9; the smallest .* is 5x1"),
        ("rrr", {"board": "9x9", "column": 7}, "3 columns from column 7 on leave the board"),
        ("rr", {"background": RED}, "no square that would have to be printed"),
        ("rgby", {"types": "classic"}, "4 colours are more than the three of the classic types"),
        ("rg", {"types": f"J={RED}"}, f"no piece type has the colour {GREEN}; the types have"),
    ],
)
def test_what_does_not_go_together_is_no_theorem(
    picture: str, asked: Mapping[str, object], message: str
) -> None:
    task = Task.of(Picture.parse(picture), **asked)  # type: ignore[arg-type]
    found = obstacle(task)
    assert found is not None
    assert found.theorem == ""
    with pytest.raises(InputError, match=message):
        raise found.error("p")


def test_a_background_that_a_type_may_have_lifts_what_counts_squares() -> None:
    picture = Picture.parse("rrr\n...\nr.r")
    for types, free in (("auto", True), ("classic", False), (f"J={RED},T=000000", True)):
        found = obstacle(Task.of(picture, "12x12", types, "000000"))
        assert (found is None) == free
        assert obstacle(Task.of(picture, "12x12", types)) is not None
    told = obstacle(Task.of(picture, "12x12", "classic", "000000"))
    assert told is not None
    assert "types shared among its colours may show the background" in str(told)


def test_seven_colours_need_o_whoever_chooses() -> None:
    found = obstacle(Task.of(LONELY, "9x20"))
    assert found is not None
    assert found.theorem == "O alone"
    assert "no other suits O better" in str(found)
    assert obstacle(Task.of(LONELY, "9x20", background="000000")) is not None


def test_what_is_at_risk() -> None:
    picture = Picture.parse("r.rrrr\nrggggr")
    types = {PieceType.I: RED, PieceType.J: GREEN}
    assert "3 of its pixels lie in no run of four" in (
        risk_of_i(Task.of(picture, "21x42", types)) or ""
    )
    shared = types | {PieceType.T: RED}
    for task in (
        Task.of(picture),
        Task.of(picture, types="classic"),
        Task.of(picture, types=shared),
    ):
        assert risk_of_i(task) is None
