"""``import tetrisprinter`` offers everything and loads nothing."""

import ast
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tetrisprinter as tp
from tests.oracles.game import picture as replayed
from tests.support.images import draw_gradient, draw_picture
from tests.support.processes import run_python
from tetrisprinter.api import prepare
from tetrisprinter.errors import give_notice

HEART = ".r.r.\nrrrrr\n.rrr.\n..r.."
RED = "d03020"
HEAVY = ("numpy", "cython", "ortools", "pysat", "PIL", "click", "rich", "av")


def run_code(code: str) -> str:
    return run_python("-c", code, check=True).stdout.strip()


def test_importing_it_and_its_names_loads_no_other_library() -> None:
    code = (
        "import sys, tetrisprinter as tp\n"
        f"print([m for m in {HEAVY} if m in sys.modules])\n"
        "for name in tp.__all__: getattr(tp, name)\n"
        f"print([m for m in {HEAVY[:4]} if m in sys.modules])"
    )
    assert run_code(code).split() == ["[]", "[]"]


def test_a_small_picture_is_printed_without_any_other_library() -> None:
    code = (
        "import sys\n"
        "for name in ('numpy', 'PIL', 'ortools', 'pysat'): sys.modules[name] = None\n"
        "import tetrisprinter as tp\n"
        "row = ('d03020', '2050c0', None, '2050c0')\n"
        "picture = tp.Picture((row * 2, row[::-1] * 2))\n"
        "print(tp.print_picture(picture, effort=0.1).drops > 0)"
    )
    assert run_code(code) == "True"


@pytest.mark.parametrize("command", ["", "print ", "triplex generate "])
def test_help_of_the_command_line_loads_no_solver(command: str) -> None:
    code = (
        "import sys; from tetrisprinter.cli import main\n"
        f"sys.argv = 'tetrisprinter {command}--help'.split()\n"
        "try: main()\n"
        f"except SystemExit: print([m for m in {HEAVY[:5]} if m in sys.modules])"
    )
    assert run_code(code).splitlines()[-1] == "[]"


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
    ("thing", "message"),
    [
        (3, "expected a path, an image, an array or a Picture, got int"),
        ("nowhere.png", "nowhere.png: cannot be read"),
        ("qq\nqq", "unknown letter 'q'"),
        ("..\n..", "the picture is empty"),
        (np.zeros((2, 2, 7), np.uint8), "height x width x 3 or 4"),
        (np.zeros((2, 2), np.complex64), "expected numbers"),
        (np.full((1, 1, 4), 77, np.uint8), "half transparent"),
    ],
)
def test_what_holds_no_picture_is_refused_with_a_sentence(thing: object, message: str) -> None:
    with pytest.raises(tp.InputError, match=message):
        tp.print_picture(thing, exact=True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("board", 3, "invalid board 3; expected WxH"),
        ("board", (1, 2, 3), r"invalid board \(1, 2, 3\)"),
        ("board", (10.5, 20), r"invalid board \(10.5, 20\)"),
        ("types", 3, "invalid types 3; expected classic, auto"),
        ("types", [1], r"invalid types \[1\]"),
        ("types", {tp.PieceType.J: 3}, "invalid types .*J.*3"),
        ("pieces", 3, "pieces: expected QueueRules, bag or a queue, got int"),
        ("limits", 3, "'limits'; did you mean 'limit'"),
        ("xyzzy", 3, "choose from exact, repair, fit"),
        ("limit", "5", "expected a Limit or seconds, got str"),
        ("fit", "large", "invalid size 'large'"),
        ("colors", 8, "8 is out of range; expected a whole number, 1 to 7"),
        ("colors", 2.5, "2.5 is out of range; expected a whole number, 1 to 7"),
        ("background", 3, "expected a colour, got int"),
        ("background", "rad", "invalid colour 'rad'"),
        ("convert", 3, "expected a Conversion, got int"),
    ],
)
def test_an_option_of_the_wrong_type_is_refused_with_a_sentence(
    option: str, value: object, message: str
) -> None:
    with pytest.raises(tp.InputError, match=message):
        tp.print_picture(HEART, **{option: value})  # type: ignore[arg-type]


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


def test_messages_name_things_where_the_command_line_names_options() -> None:
    with pytest.raises(tp.TetrisPrinterError, match="a smaller size 17x32 scales it") as raised:
        tp.print_picture(
            "r" * 19 + "\n" + "r" * 19,
            board="21x42",
            types="classic",
            planner="article",
            exact=True,
        )
    assert "--" not in str(raised.value)
    assert raised.value.obstacle is not None
    assert "--fit 17x32 scales it" in raised.value.format_with(
        {setting: "--fit" for hint in raised.value.hints for setting in hint.settings}
    )


def test_a_result_is_written_and_saved_as_a_plan_is(tmp_path: Path) -> None:
    result = tp.print_picture(HEART, board="auto", effort=0.1)
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
        (lambda: tp.print_picture("rr\nrr", planner=5), "unknown planner 5"),  # type: ignore[arg-type]
        (lambda: tp.print_picture("rr\nrr", bord="9x9"), "did you mean 'board'"),
        (lambda: tp.print_picture("rr\nrr", report=3), "report: expected a function"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_meant_is_one_sentence(call: Callable[[], object], said: str) -> None:
    with pytest.raises(tp.InputError, match=said) as raised:
        call()
    assert isinstance(raised.value, TypeError)


def test_a_number_is_a_limit_of_seconds() -> None:
    assert tp.print_picture("rr\nrr", board="9x12", limit=20).drops == 1


def test_everything_shows_itself_on_one_line() -> None:
    result = tp.print_picture("rr\nrr", board="9x12")
    field = tp.Playfield(4, 4)
    shown = (result, result.plan, result.game, result.task, result.task.picture, field)
    more = (tp.PLANNERS, tp.Run(), tp.Limit(), result.game.drops[0], prepare("rr\nrr"))
    for thing in (*shown, *more):
        assert "\n" not in repr(thing)
        assert " object at 0x" not in repr(thing)
        assert len(repr(thing)) < 200, repr(thing)


def test_a_photo_is_made_to_fit_and_exact_refuses_it() -> None:
    image = draw_gradient(60, 40)
    result = tp.print_picture(image, fit=8, colors=2, effort=0.1)
    assert result.task.picture.width == 8
    assert {step.argument.split("=")[0] for step in result.steps} >= {"fit", "colors"}
    with pytest.raises(tp.InputError):
        tp.print_picture(image, exact=True)


def test_the_shortest_chooses_board_and_types() -> None:
    limit = tp.Limit(workers=1, effort=0.02)
    result = tp.print_picture("rrgg\nr.gg\nrrg.", planner="shortest", limit=limit)
    assert result.planner == "shortest"
    assert "board: " in str(result.steps[-1])
    named = tp.print_picture("rrgg\nr.gg", planner="shortest", board="9x12", limit=limit)
    assert str(named.task.board) == "9x12"


def test_effort_is_an_argument() -> None:
    heart = tp.Picture.parse(HEART, r=RED)
    same = tp.print_picture(heart, limit=tp.Limit(effort=0.2))
    assert tp.print_picture(heart, effort=0.2).plan == same.plan
    with pytest.raises(tp.InputError, match="effort: expected a number, got str"):
        tp.print_picture(heart, effort="2")  # type: ignore[arg-type]


@pytest.mark.parametrize("planner", ["auto", "rows", "shortest"])
def test_a_refusal_names_the_theorem_for_every_planner(planner: str) -> None:
    full = tp.Picture.parse("rrrr", r=RED)
    with pytest.raises(tp.JobError, match="'full row'") as refused:
        tp.print_picture(full, board="4x10", exact=True, planner=planner)
    assert refused.value.obstacle is not None


def test_the_ways_to_read_the_drops_of_a_plan_agree() -> None:
    plan = tp.print_picture(HEART, effort=0.1).plan
    assert tuple(plan) == plan.drops == plan[:]
    assert len(plan) == len(plan.drops) > 0
    assert [plan[number] for number in range(len(plan))] == list(plan.drops)
    assert plan[-1] == plan.drops[-1]
