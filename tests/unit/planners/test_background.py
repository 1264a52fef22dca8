"""The background is a colour: what is claimed is held against all games, for every option."""

from typing import Any

import pytest

from tests.support.judge import judge
from tests.support.shortest import plan_shortest
from tests.support.strategies import PALETTE
from tetrisprinter.errors import JobError
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners.run import Stage
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import make_open_target
from tetrisprinter.printing.types import has_dont_care_squares

A, B, C = PALETTE[:3]
GREY = "808080"
HEIGHT = 8


def draw(*rows: str) -> Picture:
    """Return a picture, drawn from its top; ``g`` is the background's colour."""
    colors = {"a": A, "b": B, "c": C, "g": GREY, ".": None}
    return Picture(tuple(tuple(colors[c] for c in row) for row in reversed(rows)))


def plan_briefly(picture: Picture, background: Color | None, **options: Any) -> PrintResult:
    """Plan for a board as wide as the picture, not for long."""
    chosen = {"types": "auto", "effort": 0.1, "workers": 1, **options}
    return plan_shortest(
        picture, background=background, width=picture.width, height=HEIGHT, column=0, **chosen
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows", [("a.....",), ("a....", ".....", "a...."), ("a...",), ("aaa.", "aaag")]
)
def test_pictures_that_only_unseen_squares_print(rows: tuple[str, ...]) -> None:
    """An odd number of squares on an even width; an empty row; no multiple of four."""
    picture = draw(*rows)
    hidden = Picture(tuple(tuple(c if c == A else None for c in row) for row in picture.rows))
    with pytest.raises(JobError, match="a type have the colour of empty squares"):
        plan_briefly(hidden, None)
    with pytest.raises(JobError, match="a type the colour of the background"):
        plan_briefly(hidden, GREY, types=dict.fromkeys(PieceType, A))
    with pytest.raises(JobError, match="a type may also get the background colour"):
        plan_briefly(hidden, GREY, types="classic")
    result = plan_briefly(picture, GREY)
    judge(result, picture, GREY)
    assert GREY in dict(result.plan.colors).values()


def test_with_seven_colours_no_type_is_left_for_the_background() -> None:
    picture = Picture(tuple((color, None, None) for color in PALETTE))
    assert make_open_target(picture, 3, 12, 0, GREY).count_spare() == 0
    assert not has_dont_care_squares(picture, "auto", GREY)
    assert has_dont_care_squares(Picture(picture.rows[:6]), "auto", GREY)
    assert make_open_target(picture, 3, 12, 0, PALETTE[0]).dont_care_shade == 7
    wide = Picture(tuple((*row, *[None] * 5) for row in picture.rows))
    with pytest.raises(JobError, match=r"6 and .* leave a type free"):
        plan_shortest(wide, types="auto", width=8, height=12)


def test_a_candidate_counts_when_it_was_checked() -> None:
    """One leaves another picture, one has other types, one does not fit under the ceiling."""
    flat = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 4)

    def plan(color: Color, count: int = 1, x: int = 0) -> Plan:
        pieces = tuple(Placement(flat, x, y) for y in range(count))
        return Plan((Pass(count, pieces),), ((PieceType.I, color),), 5, HEIGHT)

    picture = draw("aaaa.", "aaaa.")
    for wrong in (plan(A), plan(B, 2), plan(A, 2, 1), plan(A, HEIGHT + 1)):
        result = plan_briefly(picture, None, candidates=[wrong])
        assert (result.drops, result.proof) == (2, Proof.ALL_GAMES)
        assert result.made_by == (Stage.FIRST,)
    types = {PieceType.I: B, PieceType.O: A}
    result = plan_briefly(picture, None, types=types, candidates=[plan(A, 2)])
    assert result.made_by != (Stage.KNOWN,)
    judge(result, picture)
    right = plan_briefly(picture, None, candidates=[plan(A, 2)])
    assert right.made_by == (Stage.KNOWN,)
