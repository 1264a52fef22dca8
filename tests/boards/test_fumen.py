from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.boards.test_art import COLORS, games, picture_of
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats.fumen import fumen_text, parse_fumen
from tetrisprinter.formats.replay import plan_of_drops
from tetrisprinter.game.pieces import PieceType, orientations_of
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through

# The string that the documentation of the reference implementation (tetris-fumen) decodes.
OPENING = "v115@vhGRQYHAvItJEJmhCAUGJKJJvMJTNJGBJFKYPAUEzP?EJG98AQmqhECDdCA"


def test_a_known_string() -> None:
    """Its first six pages are drops; the seventh is a T turned into a slot."""
    import py_fumen_py

    with pytest.raises(InputError, match="page 7: the T does not lie where it would fall"):
        parse_fumen(OPENING)
    pages = py_fumen_py.decode(OPENING)[:6]
    plan = parse_fumen(py_fumen_py.encode(pages))
    assert [p.orientation.piece.name for _, p in plan.drops()] == list("IZLSOJ")
    rows = str(play_through(plan).field).split()[-4:]
    assert rows == ["...JJJ....", "L..ZZJS...", "L...ZZSSOO", "LL.IIIISOO"]
    ours = py_fumen_py.decode(fumen_text(plan))
    assert [sorted(page.operation.shape()) for page in ours] == [
        sorted(page.operation.shape()) for page in pages
    ]


@settings(deadline=None)
@given(games(10, 22, 22))
def test_one_page_per_drop_and_back(plan: Plan) -> None:
    if not len(plan):
        return
    text = fumen_text(plan)
    assert text.startswith("v115@")
    again = parse_fumen(text)
    assert (again.width, again.height, again.colors) == (10, 22, plan.colors)
    assert [(p.orientation, p.x) for _, p in again.drops()] == [
        (p.orientation, p.x) for _, p in plan.drops()
    ]
    assert picture_of(again) == picture_of(plan)


def test_what_a_fumen_cannot_say() -> None:
    with pytest.raises(JobError, match=r"10 columns but the board has 21.*--board 10x23"):
        fumen_text(Plan((), ()))
    tower = [(orientations_of(PieceType.I)[1], 0)] * 6
    with pytest.raises(JobError, match="drop 6 of 6"):
        fumen_text(plan_of_drops(tower, COLORS, 10, 24))
    fumen_text(plan_of_drops(tower[1:], COLORS, 10, 24))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v115@!!", "is not a fumen"),
        ("hello", "is not a fumen"),
        ("v115@vhAAgH", "page 1 drops no piece"),
    ],
)
def test_bad_fumens(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_fumen(text, "x.fumen")


def test_a_page_that_does_not_fall() -> None:
    import py_fumen_py as fumen

    piece = fumen.Operation(fumen.Mino.O, fumen.Rotation.SPAWN, 4, 5)
    text = fumen.encode([fumen.Page(fumen.Field(), piece, "", fumen.Flags())])
    with pytest.raises(InputError, match="page 1: the O does not lie where it would fall"):
        parse_fumen(text)
