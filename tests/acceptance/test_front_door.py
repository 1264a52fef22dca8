"""``import tetrisprinter`` offers everything and loads nothing."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tetrisprinter as tp
from tests.oracles.game import picture as replayed
from tests.support.commands import EXAMPLES
from tests.support.images import draw_picture
from tests.support.processes import run_python
from tetrisprinter.api import prepare
from tetrisprinter.errors import give_notice

HEART = ".r.r.\nrrrrr\n.rrr.\n..r.."
RED = "d03020"


IMPORTED = """
import sys, tetrisprinter as tp
assert not {heavy} & sys.modules.keys()
for name in tp.__all__: getattr(tp, name)
assert not {solvers} & sys.modules.keys()
"""
REGISTERED = """
import sys
from tetrisprinter.formats import FORMATS
from tetrisprinter.packings.finders import FINDERS
from tetrisprinter.planners import PLANNERS
from tetrisprinter.render import RENDERERS
names = [*FORMATS, *FINDERS, *RENDERERS, *PLANNERS]
assert "tetrisprinter.render.page" not in sys.modules
things = [thing for kind in (FORMATS, FINDERS, RENDERERS, PLANNERS) for thing in kind.values()]
assert len(names) == len(things) > 10
assert "tetrisprinter.render.page" in sys.modules
assert not {heavy} & sys.modules.keys()
"""
ALONE = """
import sys
for name in ("numpy", "PIL", "ortools", "pysat"): sys.modules[name] = None
import tetrisprinter as tp
row = ("d03020", "2050c0", None, "2050c0")
assert tp.print_picture(tp.Picture((row * 2, row[::-1] * 2)), effort=0.1).drops
"""
HELP = """
import sys
from tetrisprinter.cli import main
for words in ((), ("print",), ("triplex", "generate")):
    sys.argv = ["tetrisprinter", *words, "--help"]
    try: main()
    except SystemExit: assert not {solvers} & sys.modules.keys()
"""


@pytest.mark.parametrize("code", [IMPORTED, REGISTERED, ALONE, HELP])
def test_no_library_is_loaded_before_it_is_needed(code: str) -> None:
    solvers = {"numpy", "cython", "ortools", "pysat"}
    heavy = {*solvers, "PIL", "click", "rich", "av", "py_fumen_py"}
    done = run_python("-c", code.format(heavy=heavy, solvers=solvers))
    assert done.returncode == 0, done.stderr


def test_all_names_are_there_typed_and_listed() -> None:
    assert sorted(tp.__all__) == sorted(tp._HOMES)
    for name in tp.__all__:
        assert getattr(tp, name) is not None
        assert name in dir(tp)
    tree = ast.parse(Path(str(tp.__file__)).read_text())
    typed = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {
        alias.asname or alias.name
        for node in typed.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == set(tp.__all__)
    for package in (tp.packings, tp.patterns, tp.triplex):
        assert all(getattr(package, name) is not None for name in package.__all__)
        assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tp.nothing  # noqa: B018


def heart_of(kind: str, folder: Path) -> object:
    picture = tp.Picture.parse(HEART, r=RED)
    image = draw_picture(picture)
    image.save(folder / "heart.png")
    return {
        "picture": picture,
        "drawing": f"r={RED}\n{HEART}",
        "path": folder / "heart.png",
        "name": str(folder / "heart.png"),
        "image": image,
        "array": np.array(image),
    }[kind]


@pytest.mark.parametrize("kind", ["picture", "drawing", "path", "name", "image", "array"])
def test_whatever_holds_a_picture_is_printed(kind: str, tmp_path: Path) -> None:
    options = {"board": "21x42", "types": "classic", "planner": "table"}
    result = tp.print_picture(heart_of(kind, tmp_path), **options)  # type: ignore[arg-type]
    heart = tp.Picture.parse(HEART, r=RED)
    assert replayed(result.log()) == heart.place_on_board(21, 42, 2).cells()
    assert result.shown.rows == heart.rows
    assert result.drops == len(result.plan)
    assert 4 * result.drops == result.pixels + 21 * result.lines


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"picture": 3}, "expected a path, an image, an array or a Picture, got int"),
        ({"picture": "nowhere.png"}, "nowhere.png: cannot be read"),
        ({"picture": "..\n.."}, "the picture is empty"),
        ({"picture": np.zeros((2, 2, 7), np.uint8)}, "height x width x 3 or 4"),
        ({"picture": np.full((1, 1, 4), 77, np.uint8), "exact": True}, "half transparent"),
        ({"board": 3}, "invalid board 3; expected WxH"),
        ({"board": (1, 2, 3)}, r"invalid board \(1, 2, 3\)"),
        ({"board": (10.5, 20)}, r"invalid board \(10.5, 20\)"),
        ({"types": 3}, "invalid types 3; expected classic, auto"),
        ({"types": [1]}, r"invalid types \[1\]"),
        ({"types": {tp.PieceType.J: 3}}, "invalid types .*J.*3"),
        ({"pieces": 3}, "pieces: expected QueueRules, bag or a queue, got int"),
        ({"limits": 3}, "'limits'; did you mean 'limit'"),
        ({"xyzzy": 3}, "choose from exact, repair, fit"),
        ({"limit": "5"}, "expected a Limit or seconds, got str"),
        ({"effort": "2"}, "effort: expected a number, got str"),
        ({"fit": "large"}, "invalid size 'large'"),
        ({"colors": 8}, "8 is out of range; expected a whole number, 1 to 7"),
        ({"colors": 2.5}, "2.5 is out of range; expected a whole number, 1 to 7"),
        ({"background": 3}, "expected a colour, got int"),
        ({"background": "rad"}, "invalid colour 'rad'"),
        ({"convert": 3}, "expected a Conversion, got int"),
        ({"planner": 5}, "unknown planner 5"),
        ({"report": 3}, "report: expected a function"),
    ],
)
def test_what_cannot_be_printed_is_refused_with_a_sentence(
    options: dict[str, Any], message: str
) -> None:
    arguments = {"picture": HEART, **options}
    with pytest.raises(tp.InputError, match=message):
        tp.print_picture(arguments.pop("picture"), **arguments)


def test_an_image_is_converted_on_request() -> None:
    image = Image.new("RGB", (40, 20), (1, 2, 3))
    image.paste((250, 0, 0), (10, 10, 30, 20))
    result = tp.print_picture(
        image,
        convert=tp.Conversion(fit=(8, 8), background="auto"),
        board="21x42",
        effort=0.1,
    )
    assert result.task.background == "010203"
    assert set(result.shown.colors()) - {"010203"} == {"fa0000"}
    assert result.pixels == 8


def test_it_prints_nothing_and_tells_who_asks(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tetrisprinter.errors.LISTENERS", [])  # as in a new process
    reported: list[str] = []
    tp.print_picture(
        HEART, board="9x16", effort=0.1, report=lambda news: reported.append(str(news))
    )
    assert reported[0] == "first plan"
    assert any(" drops, at least " in line for line in reported)
    assert capfd.readouterr() == ("", "")


def test_notices_are_given_once_to_who_listens(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    heard: list[str] = []
    monkeypatch.setattr("tetrisprinter.errors.LISTENERS", [heard.append])
    sentences = [f"wait a moment, {tmp_path}", f"or two, {tmp_path}"]  # nobody said so before
    for sentence in (*sentences, *sentences):
        give_notice(sentence)
    assert heard == sentences


def test_a_result_is_written_and_saved_as_a_plan_is(tmp_path: Path) -> None:
    result = tp.print_picture(HEART, board="9x16", effort=0.02)
    tp.write_plan(result, tmp_path / "a.txt")
    assert tp.read_plan(tmp_path / "a.txt") == result.plan
    tp.save(result, tmp_path / "a.png")
    tp.save(result.plan, tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert tp.play(result).drops == result.game.drops


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tp.write_plan("a.txt", "b.txt"), "expected a Plan or a PrintResult, got str"),  # type: ignore[arg-type]
        (lambda: tp.save(3, "a.png"), "expected a Plan or a PrintResult, got int"),  # type: ignore[arg-type]
        (lambda: tp.play(tp.Picture.parse("rr")), "expected a Plan or a PrintResult, got Picture"),  # type: ignore[arg-type]
        (lambda: tp.make_plan(tp.Picture.parse("rr")), r"use Task.of\(picture\)"),  # type: ignore[arg-type]
        (lambda: tp.make_plan(tp.Task.of(tp.Picture.parse("rr")), run=5), "got int"),  # type: ignore[arg-type]
        (lambda: tp.make_plan(tp.Task.of(tp.Picture.parse("rr")), 5), "unknown planner 5"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_meant_is_one_sentence(call: Callable[[], object], said: str) -> None:
    with pytest.raises(tp.InputError, match=said) as raised:
        call()
    assert isinstance(raised.value, TypeError)


def test_everything_shows_itself_on_one_line() -> None:
    result = tp.print_picture("rr\nrr", board="9x12")
    field = tp.Playfield(4, 4)
    shown = (result, result.plan, result.game, result.task, result.task.picture, field)
    more = (tp.PLANNERS, tp.Run(), tp.Limit(), result.game.drops[0], prepare("rr\nrr"))
    for thing in (*shown, *more):
        assert "\n" not in repr(thing)
        assert " object at 0x" not in repr(thing)
        assert len(repr(thing)) < 200, repr(thing)


def test_effort_and_seconds_are_arguments() -> None:
    heart = tp.Picture.parse(HEART, r=RED)
    same = tp.print_picture(heart, limit=tp.Limit(effort=0.1))
    assert tp.print_picture(heart, effort=0.1).plan == same.plan
    assert tp.print_picture("rr\nrr", board="9x12", limit=20).drops == 1


def test_the_ways_to_read_the_drops_of_a_plan_agree() -> None:
    plan = tp.read_plan(EXAMPLES / "plans" / "heart.txt")
    assert tuple(plan) == plan.drops == plan[:]
    assert len(plan) == len(plan.drops) > 0
    assert [plan[number] for number in range(len(plan))] == list(plan.drops)
    assert plan[-1] == plan.drops[-1]
