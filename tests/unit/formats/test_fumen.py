import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.demands import game
from tests.support.commands import Run
from tests.support.games import COLORS, GREY_WELL
from tests.support.npm import install_npm_packages
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats.fumen import format_fumen, parse_fumen
from tetrisprinter.game.pieces import PieceType, list_orientations
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_plan_from_drops, play_through

# The string that the documentation of the reference implementation (tetris-fumen) decodes.
OPENING = "v115@vhGRQYHAvItJEJmhCAUGJKJJvMJTNJGBJFKYPAUEzP?EJG98AQmqhECDdCA"


def test_a_known_string() -> None:
    """Its first six pages are drops; the seventh is a T turned into a slot."""
    import py_fumen_py

    assert parse_fumen(OPENING).slides == ((6, 0),)
    pages = py_fumen_py.decode(OPENING)[:6]
    plan = parse_fumen(py_fumen_py.encode(pages))
    assert [p.orientation.piece.name for p in plan] == list("IZLSOJ")
    rows = str(play_through(plan).field).split()[-4:]
    assert rows == ["...JJJ....", "L..ZZJS...", "L...ZZSSOO", "LL.IIIISOO"]
    *ours, last = py_fumen_py.decode(format_fumen(plan))
    assert [sorted(page.operation.shape()) for page in ours] == [
        sorted(page.operation.shape()) for page in pages
    ]
    assert last.operation is None
    assert last.field.string().split()[:-1] == [row.replace(".", "_") for row in rows]


def test_what_a_fumen_cannot_say() -> None:
    with pytest.raises(JobError, match=r"the board has 21 columns; .*10x23"):
        format_fumen(Plan((), ()))
    tower = [(list_orientations(PieceType.I)[1], 0)] * 6
    with pytest.raises(JobError, match="drop 6 of 6"):
        format_fumen(make_plan_from_drops(tower, COLORS, 10, 24))
    format_fumen(make_plan_from_drops(tower[1:], COLORS, 10, 24))


def pages_of(*pages: dict[str, Any]) -> str:
    """A fumen of pages given as their flags, with perhaps a piece and a field."""
    import py_fumen_py as fumen

    return str(
        fumen.encode(
            [
                fumen.Page(
                    fumen.Field(page["field"]) if "field" in page else None,
                    fumen.Operation(*page["piece"]) if "piece" in page else None,
                    page.get("comment", ""),
                    fumen.Flags(**page.get("flags", {})),
                )
                for page in ({"field": "", **pages[0]}, *pages[1:])
            ]
        )
    )


def piece(name: str, x: int, y: int) -> tuple[Any, Any, int, int]:
    import py_fumen_py as fumen

    return fumen.Mino[name], fumen.Rotation.SPAWN, x, y


DROPPED: dict[str, Any] = {"piece": piece("O", 4, 0)}


def test_pages_that_only_show_something(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr("tetrisprinter.errors.LISTENERS", [heard.append])
    shown = [{"comment": "a title"}, DROPPED, {"comment": "so far", "flags": {"lock": False}},
             {"piece": piece("T", 4, 2)}, {}]  # fmt: skip
    plan = parse_fumen(pages_of(*shown))
    assert [p.orientation.piece.name for p in plan] == ["O", "T"]
    assert not heard
    unlocked = {**DROPPED, "flags": {"lock": False}}
    assert len(parse_fumen(pages_of(DROPPED, unlocked), "a.fumen")) == 1
    assert heard == ["a.fumen: page 2 shows a piece that does not lock; ignored"]


def test_squares_on_the_first_field_begin_the_game() -> None:
    import py_fumen_py

    plan = parse_fumen(GREY_WELL)
    assert plan.header.endswith("start=" + "/".join(["GGG....GGG"] * 4))
    assert str(play_through(plan).field).split()[-2:] == ["GGG....GGG"] * 2
    last_page = py_fumen_py.decode(format_fumen(plan))[-1]
    assert last_page.field.string().split()[:2] == ["XXX____XXX"] * 2
    assert parse_fumen(format_fumen(plan)) == plan == Plan.parse(str(plan))
    coloured = parse_fumen(pages_of({"comment": "a title"}, {**DROPPED, "field": "TX________"}))
    assert coloured.header.endswith("start=TG........")
    only_shown = parse_fumen(pages_of({"field": "TX________"}))
    assert (len(only_shown), only_shown.start) == (0, coloured.start)


def test_grey_squares_are_drawn_grey(run: Run, tmp_path: Path) -> None:
    from PIL import Image

    (tmp_path / "grey.fumen").write_text(GREY_WELL)
    for name in ("x.gif", "x.png", "x.html", "smooth.gif"):
        run("play grey.fumen -o", name, *(["--smooth"] if "smooth" in name else []))
    for name in ("x.gif", "x.png", "smooth.gif"):
        with Image.open(tmp_path / name) as image:
            colors = {color for _, color in image.convert("RGB").getcolors() or ()}
        assert (0x9A, 0x9A, 0x9A) in colors, name
    assert "#9a9a9a" in (tmp_path / "x.html").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", r"not a fumen; expected a text that begins with v115@"),
        ("v115@!!", "invalid '!' after v115@"),
        (f"{OPENING}\n{OPENING}\n", "2 fumens in one file"),
        ("v115@vhBTDLAAA", "page 1 lets the field rise by a row"),
        ("v115@vhBTLJTrB", "page 2: the O cannot reach its place"),
        (OPENING[:-1], "ends in the middle of page 7"),
        ("v115@", "not a game; none of its"),
        ("v115@zzzzzzzz", "page 1 cannot be read"),
        (pages_of({}), "none of its 1 pages drops a piece"),
        (pages_of(DROPPED, {"piece": piece("O", 0, 5)}), "page 2: the O cannot reach its place"),
        (pages_of({**DROPPED, "flags": {"mirror": True}}, {}), "page 1 mirrors the field"),
        (pages_of({**DROPPED, "flags": {"lock": False}}), "none of its 1 pages drops a piece"),
        (
            pages_of({"piece": piece("O", 4, 1), "field": "X" * 10}),
            "page 1: its field: row 0 from the floor is full",
        ),
        (
            pages_of({**DROPPED, "field": "X_________\n__________"}),
            "row 0 from the floor is empty below",
        ),
        (pages_of(DROPPED, {"field": "OO________"}), "page 2 does not show the field"),
        (
            pages_of(
                {
                    **DROPPED,
                    "field": "\n".join(["X_________"] * 5),
                    "comment": "board 10x3 O=ff0000",
                }
            ),
            "its field: 10x5 squares do not fit on 10x3",
        ),
    ],
)
def test_texts_that_are_no_fumen(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_fumen(text, "x.fumen")


@settings(deadline=None, max_examples=50)
@given(st.integers(6, len(OPENING) - 1), st.sampled_from("Ah?/0"))
def test_a_damaged_string_is_told_in_one_sentence(place: int, other: str) -> None:
    for text in (OPENING[:place], OPENING[:place] + other + OPENING[place + 1 :]):
        try:
            parse_fumen(text, "x.fumen")
        except InputError as error:
            told = str(error)
        else:
            continue
        assert told.startswith("x.fumen: ")
        assert "\n" not in told


def test_an_address_and_several_lines_are_read() -> None:
    plan = make_plan_from_drops([(list_orientations(PieceType.O)[0], 3)] * 9, COLORS, 10, 22)
    text = format_fumen(plan)
    assert len(text) > 60
    for given_text in (
        f"https://example.org/fumen/?{text}&more=1",
        text[:40] + "\n" + text[40:] + "\r\n",
        text.replace("v115@", "d115@"),
    ):
        assert parse_fumen(given_text) == plan


READER = """
const { decoder, encoder } = require('tetris-fumen');
const texts = require('fs').readFileSync(0, 'utf8').split('\\n').filter(Boolean);
console.log(JSON.stringify(texts.map((text) => {
  const pages = decoder.decode(text);
  return {
    pages: pages.map((page) => ({
      piece: page.operation && page.operation.type,
      cells: page.operation ? page.mino().positions().map(({ x, y }) => [x, y]) : [],
      rows: page.field.str({ reduced: false, garbage: false }).split('\\n'),
      lock: page.flags.lock,
    })),
    again: encoder.encode(pages),
  };
})));
"""


def test_the_reference_implementation_reads_the_same_game(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    plans = [game(10, 22, 20, drops, seed) for seed, drops in enumerate((1, 12, 60, 120))]
    texts = [format_fumen(plan) for plan in plans]
    read = subprocess.run(
        [node, "-e", READER],
        input="\n".join(texts),
        env={**os.environ, "NODE_PATH": str(install_npm_packages(tmp_path, "tetris-fumen"))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert read.returncode == 0, read.stderr
    for plan, text, told in zip(plans, texts, json.loads(read.stdout), strict=True):
        played = play_through(plan)
        *drops, last = told["pages"]
        assert [(page.get("piece"), sorted(map(tuple, page["cells"]))) for page in drops] == [
            (drop.landing.orientation.piece.name, sorted(drop.landing.cells))
            for drop in played.drops
        ]
        assert all(page["lock"] for page in drops)
        assert "piece" not in last
        assert "".join(last["rows"][-22:]) == "".join(str(played.field).split()).replace(".", "_")
        assert parse_fumen(told["again"]) == plan == parse_fumen(text)


def test_dealt_pieces_are_a_quiz_that_viewers_follow() -> None:
    import py_fumen_py as fumen

    plan = Plan.parse(
        "board 10x20 O=f0f000 I=00f0f0 L=f0a000 queue=IOLS hold\n\nAA......C.\nAABBBBCCC.\n"
    )
    written = format_fumen(plan)
    comments = [page.comment or "" for page in fumen.decode(written)]
    assert [comment.split(";")[0] for comment in comments] == [
        "#Q=[](I)OLS",
        "#Q=[I](L)S",
        "#Q=[L](S)",
        "",
    ]
    assert parse_fumen(written) == plan
