"""Rows printed by themselves, in several passes: on what lies below them, or on a platform."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracles.game import picture as replayed
from tests.support.strategies import PALETTE
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import drop_log, play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Run, make_plan
from tetrisprinter.planners.rows.passes import Finder, drop_order
from tetrisprinter.planners.rows.platform import _platforms
from tetrisprinter.planners.rows.steps import State, Step, Steps, StuckError
from tetrisprinter.printing.task import Task

SEVEN = dict(zip(PieceType, PALETTE, strict=False))
RUNS = ("I", "JJ", "LLL", "OO", "S", "TTTT", "Z", ".", "..")
BEAM = 200


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """See to it that no search for a pass knows how to go on."""

    def nowhere(steps: Steps, state: State) -> Step:
        raise StuckError

    monkeypatch.setattr(Steps, "next", nowhere)


def printed(text: str) -> tuple[Plan, dict[str, int]]:
    """Print a drawing in letters of piece types, each in a colour of its own."""
    colors = {piece.name: color for piece, color in SEVEN.items()}
    run = Run(candidates=())
    task = Task.of(Picture.parse(text, **colors), types=SEVEN)
    plan = make_plan(task, "rows", run).plan
    assert replayed(drop_log(plan, play_through(plan))) == task.wanted.cells()
    return plan, run.fallbacks


@pytest.mark.usefixtures("stuck")
@pytest.mark.parametrize(
    ("text", "platforms"),
    [
        ("ZSIIJJJJIISZ\n....JJJJ....", 1),  # squares over nothing, of six types
        ("IIII.OO.TTT\nIIII.OO.TTT", 0),
        ("I\nT", 1),  # a single square over a single one
    ],
)
def test_rows_that_no_search_prints(text: str, platforms: int) -> None:
    plan, others = printed(text)
    assert others == {"row printed in parts": 2}
    assert plan.platforms == platforms


@st.composite
def drawings(draw: st.DrawFn) -> str:
    """Draw rows of runs of all types; an O has two squares beside each other."""
    width = draw(st.integers(4, 12))
    rows = []
    for _ in range(2):
        runs = draw(st.lists(st.sampled_from(RUNS), min_size=1))
        rows.append("".join(["T", *runs])[:width].ljust(width, "."))
    return "\n".join(rows).replace("O.", "T.").replace("\n", ".\n") + "."


@pytest.mark.usefixtures("stuck")
@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(drawings())
def test_on_odd_widths_any_row_can_be_printed_by_itself(text: str) -> None:
    for run in ("OO", "O"):
        text = text.replace(run, "oo" if run == "OO" else "T")
    _, others = printed(text.replace("o", "O"))
    assert set(others) <= {"row printed in parts", "row printed in real time"}


@pytest.mark.parametrize("width", [9, 12])
def test_a_platform_vanishes_with_the_piece_of_its_slot(width: int) -> None:
    rng = random.Random(width)
    ground = frozenset(x for x in range(width) if rng.random() < 0.5) - {0}
    squares = frozenset(range(2, width - 2))
    words = set()
    for platform in _platforms(squares, ground | {width - 1}, width):
        base = platform.pieces(Finder(width, BEAM), ground | {width - 1}, BEAM)
        if base is None:
            continue
        words.add(platform.word)
        below = [int(x in ground or x == width - 1) for x in range(width)]
        field = Playfield.from_rows(width, 10, [below])
        for piece in drop_order(base):
            field.drop(piece.orientation, piece.x)
        assert max(field.tops) == 1 + platform.rows
        assert all(field.tops[x] == max(field.tops) for x in squares)
        field.drop(platform.slot.orientation, platform.slot.x)
        assert [int(bool(v)) for v in field.rows[0]] == below
        assert max(field.tops) == 1
    assert words == {"cbbb", "bbbb"}
