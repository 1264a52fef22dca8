from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats import FORMATS, read_game, write_game
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import play_through

CLASSIC = "ff0000 00ff00 0000ff\n\n"
HEX = st.integers(0, 0xFFFFFF).map("{:06x}".format)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans whose passes stack pieces on top of each other, of any length."""
    width = draw(st.integers(4, 30))
    passes = []
    for _ in range(draw(st.integers(0, 3))):
        pieces: list[Placement] = []
        y = 0
        for o in draw(st.lists(st.sampled_from(ORIENTATIONS), min_size=1, max_size=62)):
            pieces.append(Placement(o, draw(st.integers(0, width - o.width)), y))
            y += o.height
        passes.append(Pass(y, tuple(pieces)))
    colors = draw(
        st.lists(st.tuples(st.sampled_from(list(PieceType)), HEX), unique_by=lambda pair: pair[0])
    )
    background = draw(st.none() | HEX)
    return Plan(tuple(passes), tuple(colors), width, draw(st.integers(1, 60)), background)


@given(plans())
def test_text_form_round_trips(plan: Plan) -> None:
    assert Plan.parse(str(plan)) == plan
    assert str(Plan.parse(str(plan))) == str(plan)


def test_either_header_ends_with_background_or_start() -> None:
    header = "ff8000 ffffff 0000ff start=" + "." * 20 + "J"
    assert Plan.parse(header + "\n").header == header
    classic = Plan.parse("ff0000 00ff00 0000ff background=00ff00\n")
    assert (classic.is_classic, classic.background) == (True, "00ff00")
    assert classic.colors[1] == (PieceType.T, "00ff00")
    assert classic.visible_colors == {PieceType.J: "ff0000", PieceType.L: "0000ff"}
    assert str(classic) == "ff0000 00ff00 0000ff background=00ff00\n"
    bare = Plan.parse("board 4x9 background=ffffff\n")
    assert (bare.colors, bare.background) == ((), "ffffff")


def test_long_passes_are_several_blocks_and_one_pass_again() -> None:
    o = ORIENTATIONS[0]
    tall = Pass(140, tuple(Placement(o, 0, y) for y in range(140)))
    for passes in (
        (Pass(70, tall.pieces[:70]),),
        (tall,),
        (Pass(62, tall.pieces[:62]), Pass(62, tall.pieces[:62])),  # another, over the same cells
        (Pass(62, tall.pieces[:62]), Pass(63, tall.pieces[:63])),
        (Pass(62, tall.pieces[:61]), Pass(62, tall.pieces[61:62])),
    ):
        plan = Plan(passes, (), 4, 150)
        assert Plan.parse(str(plan)) == plan
        assert str(plan).count("\n\n") == sum(-(-len(p.pieces) // 62) for p in passes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "p.txt:1: not the first line of a plan; expected the colours"),
        ("ff0000 00ff00\n", "p.txt:1: not the first line"),
        ("FF0000 00ff00 0000ff\n", "lower-case"),
        ("board 0x10\n", "p.txt:1: the board is empty"),
        ("board 4x10 background=white\n", "p.txt:1: not the first line"),
        ("background=ffffff board 4x10\n", "p.txt:1: not the first line"),
        ("board 4x10 J=ff0000 J=00ff00\n", "p.txt:1: a piece type was given two colours"),
        (CLASSIC + "AAAA\n", "p.txt:3: lines of 4 characters; expected 21"),
        ("board 4x9\n\nAAAA\n..B\n", "p.txt:4: 3 characters"),
        ("board 4x9\n\nAAAA\n\nAAA.\n", "p.txt:5: the 3 squares 'A' are not a tetromino"),
        ("board 4x9\n\nBBBB\n", "p.txt:3: the block has a piece 'B' but no 'A'"),
        ("board 4x9\n\nAA A\n", "p.txt:3: invalid ' ' at character 3"),
        ("board 4x9\n\nAA\u00e9A\n", "invalid"),
    ],
)
def test_a_malformed_plan_names_file_and_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        Plan.parse(text, "p.txt")


TEXT = """\
board 10x8 J=ff0000 O=00ff00 background=000000 start=J........./JJJ.....JJ stops=1,2

...AABBBB.
...AA.....
"""


def test_a_plan_with_a_start_is_written_as_it_was_read() -> None:
    plan = Plan.parse(TEXT)
    assert str(plan) == TEXT
    assert plan.start == (bytes([2, 2, 2, 0, 0, 0, 0, 0, 2, 2]), bytes([2] + [0] * 9))
    assert plan.stops == (1, 2)
    assert str(play_through(plan).field).split()[-2:] == ["J..OOIIII.", "JJJOO...JJ"]


@pytest.mark.parametrize("name", ["plan.txt", "plan.fumen", "plan.drops.json"])
def test_formats_keep_start_and_stops(name: str, tmp_path: Path) -> None:
    plan = Plan.parse(TEXT)
    write_game(plan, tmp_path / name)
    again = read_game(tmp_path / name)
    assert (again.start, again.stops, again.background) == (plan.start, (1, 2), "000000")
    assert play_through(again).field.rows == play_through(plan).field.rows


def test_an_art_file_begins_with_an_empty_board() -> None:
    with pytest.raises(JobError, match="begins with squares on the board"):
        FORMATS["art"].format(Plan.parse(TEXT))


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("board 4x8 start=JJJJ", "is full"),
        ("board 4x8 start=J.../..../J...", "empty below a square"),
        ("board 4x8 start=J./J", "do not fit on 4x8"),
        ("board 4x1 start=J.../J...", "do not fit on 4x1"),
        ("board 4x8 start=X...", "expected I J L O S T Z"),
        ("board 4x8 stops=4,4", "increasing"),
        ("board 4x8 J=ff0000 stops=9\n\nAAA.\nA...", "a stop after drop 9; the plan has 1"),
    ],
)
def test_what_no_game_leaves_is_refused(header: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Plan.parse(header + "\n")
