"""From any picture to a task, and what is tried when it cannot be done."""

from collections.abc import Callable
from itertools import pairwise
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from tests.oracles.game import picture as replayed
from tests.support.commands import EXAMPLES
from tests.support.images import draw_gradient, draw_rows
from tests.support.strategies import sprites
from tetrisprinter.api import prepare, print_picture, print_prepared, prints
from tetrisprinter.api.preparation import (
    PreparedTask,
    Version,
    iterate_simpler_sizes,
    prepare_source,
)
from tetrisprinter.api.request import PictureRequest
from tetrisprinter.errors import InputError, InternalError, JobError, Setting
from tetrisprinter.game.field import CLASSIC_BOARD, Board
from tetrisprinter.pictures.convert import Conversion
from tetrisprinter.pictures.images import load_picture
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import find_source, make_text_source
from tetrisprinter.planners.rows import estimate_photo_seconds
from tetrisprinter.planners.run import Run
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.support.signals import Stop

NOT_REPAIRED = Conversion()


def of(image: object, request: PictureRequest | None = None) -> PreparedTask:
    return prepare_source(find_source(image), request or PictureRequest())


def print_rows(prepared: PreparedTask) -> PrintResult:
    """Print row by row."""
    *_, best = print_prepared(prepared, "rows", Run())
    assert best.result is not None
    return best.result


def try_versions(
    prepared: PreparedTask, work: Callable[[Version], None], seconds: float = inf
) -> list[str]:
    """Plan by a function that fails, from 0 to some seconds; return why simpler versions follow."""
    stop = Stop()
    stop.deadline = seconds
    reasons: list[str] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(prints, "find_plans", lambda version, *_: work(version))
        attempts = print_prepared(prepared, "auto", Run(stop=stop))
        with pytest.raises(JobError):
            reasons.extend(attempt.reason for attempt in attempts)
    return list(filter(None, reasons))


def flat(size: int) -> Image.Image:
    """Shapes in five flat colours, each with an odd edge, on no background."""
    image = Image.new("RGBA", (size, size))
    pen = ImageDraw.Draw(image)
    for n, color in enumerate(("red", "navy", "gold", "teal", "white")):
        far = size - 1 - n * size // 9
        pen.ellipse((n * size // 16, n * size // 20, far, far), color)
    return image


def test_what_the_articles_board_holds_goes_there() -> None:
    found = of(Picture.parse("r.g\nrgg"))
    assert (found.task.board, found.task.types, found.steps) == (CLASSIC_BOARD, "classic", ())
    assert not found.request.has_named_board
    assert not found.request.has_named_types
    for picture in ("rgby", "r" * 18, "\n".join("r" * 33)):
        found = of(Picture.parse(picture))
        assert found.task.types == "auto"
        assert found.task.board != CLASSIC_BOARD
        assert [step.setting for step in found.steps] == [Setting.BOARD, Setting.TYPES]
    assert of(Picture.parse("rr"), PictureRequest(board="auto")).task.types == "auto"
    assert of(Picture.parse("rr"), PictureRequest(types="classic")).task.board == CLASSIC_BOARD


@settings(deadline=None, max_examples=5)
@given(st.integers(8, 40), st.integers(9, 50), st.sampled_from([None, "classic", "auto"]))
def test_a_photo_fits_whatever_board_is_given(width: int, height: int, types: str | None) -> None:
    board = Board(width, height)
    found = of(draw_gradient(160, 145), PictureRequest(board=board, types=types))  # type: ignore[arg-type]
    assert found.task.fits
    assert len(found.task.colors) <= (3 if types == "classic" else 7)
    why = find_obstacle(found.task)
    assert why is None or why.theorem == "cut", why


@settings(deadline=None, max_examples=40)
@given(sprites())
def test_a_printable_picture_is_left_alone(sprite: Picture) -> None:
    found = of(sprite)
    if find_obstacle(PictureRequest().make_task(sprite, found.background)) is None:
        assert found.changes == ()
        assert found.alternative is None
    empty = {found.background, None}
    trimmed = sprite.trim().trim_columns()
    for there, wanted in zip(found.task.picture.rows, trimmed.rows, strict=False):
        for a, b in zip(there, wanted, strict=True):
            assert found.changes or a == b or {a, b} <= empty
    exact = of(sprite, PictureRequest(conversion=NOT_REPAIRED, repairs=False))
    assert exact.task.picture.rows == trimmed.rows


def test_empty_columns_cost_nothing_and_places_are_those_of_the_image() -> None:
    bare, framed = of(Picture.parse("r.r\n.r.")), of(Picture.parse("...r.r..\n....r..."))
    assert framed.task.picture.rows == bare.task.picture.rows
    assert framed.task.board == bare.task.board
    gap = Picture.parse("...r\n....\n...r")
    repaired = of(gap, PictureRequest(types="classic"))
    assert [change.x for change in repaired.changes] == [3]


def find_place(result: PrintResult) -> set[tuple[int, int]]:
    """Return the squares of the board that a print leaves."""
    return set(replayed(result.log()))


@pytest.mark.parametrize(
    ("options", "column"),
    [
        ({"board": "10x12"}, 1),  # exactly as wide as the board: every column has its place
        ({"board": "11x12"}, 4),  # in the middle
        ({"board": "13x12", "column": 2}, 3),
        ({"column": 0, "board": "12x12"}, 1),
    ],
)
def test_the_place_of_a_figure_is_kept_where_it_is_meant(
    options: dict[str, Any], column: int
) -> None:
    image = Picture.parse(".rr.......\n.rr.......")
    result = print_picture(image, exact=True, effort=0.1, **options)
    assert find_place(result) == {(x + column, y) for x in (0, 1) for y in (0, 1)}


@pytest.mark.parametrize(
    ("background", "size"), [("", "2x11 squares"), ("ffffff", "10x11 squares")]
)
def test_simpler_versions_are_scaled_with_the_empty_columns_of_the_image(
    background: str, size: str
) -> None:
    """Else a figure on a wide background would lose most of its size at the first step."""
    colors = {"r": "d03020", "g": "308040"} | ({".": background} if background else {})
    image = draw_rows(["....rg...."] * 12, colors)
    found = of(image, PictureRequest(board=Board(15, 13)))
    assert found.task.picture.width == 2
    fit, _, description = next(iterate_simpler_sizes(found))
    assert description == size
    assert prepare(image, board="15x13", fit=fit).task.picture.height == 11


@pytest.mark.slow
def test_transparent_pictures_are_printed_exactly_before_they_are_repaired() -> None:
    picture = Picture.parse("r.r\n...\nr.r\nrrr")
    result = print_picture(picture, effort=0.1)
    assert result.task.background == "000000"
    assert result.shown.rows[3] == ("d03020", result.shown.rows[3][1], "d03020")
    left = {cell for cell, color in replayed(result.log()).items() if color != "000000"}
    assert left == {(x + result.task.column, y) for x, y in picture.cells()}
    # Black squares could not be told from black ground; on another field they would be seen.
    black = Picture.parse("k.k\n...\nk.k\nkkk")
    assert of(black).task.background is None
    assert of(picture, PictureRequest(field=None)).changes


@pytest.mark.slow
def test_a_repair_that_is_much_shorter_is_taken() -> None:
    found = of(Picture.parse("r.r\n...\nr.r\nrrr"), PictureRequest(board=Board(21, 42)))
    assert found.alternative is not None
    better = print_rows(found)
    exact, mended = (
        print_rows(one)
        for one in (PreparedTask(found.source, found.request, found.task), found.alternative)
    )
    kept = exact.drops <= 1.2 * mended.drops
    assert better.drops == (exact if kept else mended).drops
    assert better.task.picture == (exact if kept else mended).task.picture
    assert found.find_printed(better).changes == (() if kept else found.alternative.changes)


@pytest.mark.parametrize(("size", "is_scaled"), [(128, False), (129, True)])
def test_flat_pictures_of_up_to_128_squares_are_not_scaled(size: int, is_scaled: bool) -> None:
    found = prepare(flat(size))
    assert any(step.setting is Setting.FIT for step in found.steps) == is_scaled
    if not is_scaled:
        assert (found.task.picture.width, len(found.task.colors)) == (size, 5)


def test_less_than_a_third_of_a_picture_is_refused() -> None:
    with pytest.raises(InputError, match="too large for a board of 5x5: 16x16 squares"):
        prepare(flat(16), board="5x5")
    prepare(flat(16), board="5x5", fit=(2, 2))  # that is asked for
    found = prepare(flat(16), board="10x22")
    assert found.task.picture.width == 9


def test_easier_and_easier_until_a_third_is_left() -> None:
    found = of(draw_gradient(160, 160))
    tries, colors = list(iterate_simpler_sizes(found)), len(found.task.colors)
    assert [said for *_, said in tries[:4]] == [
        *(f"{colors - 1} colours", "38x38 squares", f"{colors - 2} colours", "30x30 squares")
    ]
    sizes = []
    for fit, limit, _ in (*tries[:5], tries[-1]):
        task = prepare(draw_gradient(160, 160), fit=fit, colors=limit).task
        sizes.append((len(task.colors), task.picture.width))
    assert all(a != b and a[0] >= b[0] and a[1] >= b[1] for a, b in pairwise(sizes))
    assert sizes[-1][1] >= 16
    exact = of(draw_gradient(9, 9), PictureRequest(conversion=Conversion()))
    assert list(iterate_simpler_sizes(exact)) == []


def test_a_picture_that_fills_its_board_loses_rows_first() -> None:
    """So a rabbit of 10x21 squares is not scaled to 8x16 to give the last pieces room."""
    found = of(flat(21).crop((5, 0, 15, 21)), PictureRequest(board=Board(10, 22)))
    said = [description for *_, description in iterate_simpler_sizes(found)]
    assert found.task.picture.height == 21
    assert said[:3] == ["10x20 squares", "10x19 squares", f"{len(found.task.colors) - 1} colours"]


def test_a_text_is_never_scaled() -> None:
    text = make_text_source("printed by playing Tetris")
    found = prepare_source(text, PictureRequest())
    assert found.task.picture.width > 48  # where an image would be scaled
    assert list(iterate_simpler_sizes(found)) == []
    narrow = prepare_source(text, PictureRequest(board=Board(10, 22)))
    with pytest.raises(InputError):
        list(print_prepared(narrow, "auto", Run()))


def test_a_planners_fault_alters_nothing() -> None:
    tried: list[Version] = []

    def work(version: Version) -> None:
        tried.append(version)
        raise InternalError("wrong")

    try_versions(of(draw_gradient(40, 40)), work)
    assert len(tried) == 1


def test_one_limit_of_time_for_all_that_is_tried() -> None:
    deadlines: list[float] = []

    def work(version: Version) -> None:
        deadlines.append(version.first_plan_deadline)
        raise JobError("no plan")

    try_versions(of(draw_gradient(40, 40)), work, 1e9)
    assert all(a <= b for a, b in pairwise(deadlines))
    assert all(until < 1e9 for until in deadlines[:-1])


def test_what_cannot_be_ready_in_time_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 0.0)  # a busy machine would try less
    tried: list[tuple[int, int, float]] = []

    def work(version: Version) -> None:
        task = version.prepared.task
        picture = task.picture
        tried.append((picture.width, len(task.colors), estimate_photo_seconds(picture)))
        raise JobError("no plan")

    said = try_versions(of(draw_gradient(160, 120)), work, seconds=4)
    assert tried[0][0] >= 24
    assert all(ready <= 2 for _, _, ready in tried)
    assert all(later[2] < earlier[2] for earlier, later in pairwise(tried))
    assert tried[-1][0] == 19  # a third of the width
    assert all(
        f"{width}x" in one for one, (width, *_) in zip(said[::-1], tried[::-1], strict=False)
    )


def test_the_board_that_was_chosen_is_told() -> None:
    """Not the one that the picture was prepared for."""
    wide = Picture.parse("\n".join(["r." * 14] * 2), r="d03020")
    ready = prepare(wide)
    assert Setting.BOARD in [step.setting for step in ready.steps]
    assert Setting.BOARD not in [step.setting for step in ready.certain_steps]
    result = print_picture(wide, effort=0.1)
    assert result.task.board != ready.task.board
    told = [step.text for step in result.steps if step.setting is Setting.BOARD]
    assert [text.split()[1] for text in told] == [str(result.task.board.width)]


def test_named_types_choose_the_colours() -> None:
    named = "J=d03020,L=2060d0,T=f0f0f0,S=d03020"
    found = prepare(draw_gradient(90, 60), types=named)
    assert set(found.task.colors) == {"d03020", "2060d0", "f0f0f0"}
    assert any("of the given piece types" in str(step) for step in found.steps)
    assert len(prepare(draw_gradient(90, 60), types=named, colors=2).task.colors) == 2


def test_colours_that_no_named_type_has_are_replaced() -> None:
    image = EXAMPLES / "heart.png"
    found = prepare(image, types="I=d02020,Z=ffffff,J=2020d0")
    assert set(found.task.colors) == {"d02020", "ffffff"}
    assert any("colours replaced" in str(step) for step in found.steps)
    assert len(found.task.picture.cells()) == len(prepare(image).task.picture.cells())
    far = prepare(image, types="I=2040d0,Z=ffffff")  # white is nearer to both of its colours
    assert set(far.task.colors) == {"2040d0", "ffffff"}
    own = prepare(image).task.colors
    assert set(prepare(image, types=f"J={own[0]},L={own[1]}").task.colors) == set(own)
    exact = prepare(image, types="I=d02020,Z=ffffff,J=2020d0", exact=True)
    assert set(exact.task.colors) == set(own)  # and the planner refuses it


@pytest.mark.parametrize(("types", "exact"), [("classic", True), ("J=d03020,L=2060d0", False)])
def test_a_board_that_is_not_named_stays_open(types: str, exact: bool) -> None:
    rows = "\n".join("rb." * 12 if y % 2 else "brr" * 12 for y in range(7))
    picture = Picture.parse(rows, r="d03020", b="2060d0")
    found = prepare(picture, types=types, exact=exact)
    assert found.task.picture.width == 36
    assert not found.request.keeps_board
    assert found.task.board.width >= 36


SPRITES = sorted(path.stem for path in (EXAMPLES / "ten").glob("*.png"))


@pytest.mark.parametrize("name", SPRITES)
def test_a_sprite_for_ten_columns_is_printed_as_it_is(name: str) -> None:
    prepared = prepare(EXAMPLES / "ten" / f"{name}.png", board="10x20")
    assert (prepared.steps, prepared.changes) == ((), ())


@pytest.mark.parametrize("name", ["duck", "fish", "mushroom", "penguin"])
def test_shrunk_pixel_art_keeps_its_eyes_and_gets_no_new_colours(name: str) -> None:
    """The black eyes of the duck and of the mushroom have fewer pixels than one square."""
    path = EXAMPLES / f"{name}.png"
    shrunk = prepare(path, board="10x20").task.picture
    assert set(shrunk.colors()) == set(load_picture(path).colors())
