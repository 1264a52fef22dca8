"""What everything registered has to stand, written once: the tests run it, and so can a toy.

A demand is a function that takes the thing and fails with an assertion.
"""

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.oracles.brute_packing import Brute
from tests.support.plans import make_random_plan
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats import Format
from tetrisprinter.game.field import Playfield, TopOutError
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_plan_from_drops, play_through
from tetrisprinter.packings.finders import Finder, Lister
from tetrisprinter.packings.problem import Infeasible, Packing, PackingProblem, Unknown
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.render import Renderer, Rendering, check_output, save
from tetrisprinter.render.frames import Timing
from tetrisprinter.render.paint import Look
from tetrisprinter.support.options import Limit

COLORS = tuple((PieceType[name], f"{37 * i:02x}{255 - 30 * i:02x}80") for i, name in
               enumerate("ILJTOSZ"))  # fmt: skip
"""All types, in the order in which the art game counts them."""

TOPPLING = Plan.parse("board 4x6 I=ff0000\n\n" + "A...\n" * 4 + "\n" + "A...\n" * 4)
"""Its second drop tops out."""

NEAR = tuple(zip((kind for kind, _ in COLORS), ("ffffff", "fffffe", "e6f0fa", "000000"),
                 strict=False))  # fmt: skip
"""Colours that are easily mistaken for each other, or for a background of the first one."""

RGB = tuple[int, int, int]


def game(width: int, height: int, tallest: int, drops: int, seed: int) -> Plan:
    """A random game that never stacks higher than some row, drawn as bare drops are."""
    low = make_random_plan(width, tallest, drops, seed)
    return make_plan_from_drops(bare(low), COLORS, width, height)


def one_sentence(error: pytest.ExceptionInfo[BaseException]) -> str:
    """The message, which must be one line that says something."""
    message = str(error.value)
    assert message
    assert "\n" not in message
    return message


# Renderers


def _last_image(data: bytes, plan: Plan) -> Iterator[tuple[int, int, RGB]]:
    """The middles of the squares of the last frame that Pillow finds."""
    from PIL import Image, ImageSequence

    with Image.open(io.BytesIO(data)) as image:
        *_, last = (frame.convert("RGB") for frame in ImageSequence.Iterator(image))
    yield from _middles(last, plan)


def _last_video_frame(data: bytes, plan: Plan) -> Iterator[tuple[int, int, RGB]]:
    import av

    with av.open(io.BytesIO(data)) as video:
        *_, last = video.decode(video=0)
    yield from _middles(last.to_image(), plan)


def _middles(image: Any, plan: Plan) -> Iterator[tuple[int, int, RGB]]:
    scale = image.width // plan.width
    for y in range(plan.height):
        for x in range(plan.width):
            place = (x * scale + scale // 2, (plan.height - 1 - y) * scale + scale // 2)
            yield x, y, image.getpixel(place)


def _played_page(data: bytes, plan: Plan) -> Iterator[tuple[int, int, RGB]]:
    """Play the numbers that a page holds, by the rules alone."""
    found = re.search(r'id="data">(.*?)</script>', data.decode())
    assert found is not None
    said = json.loads(found[1])
    rows: list[list[int]] = [[0] * said["width"] for _ in range(said["height"])]
    for drop in said["drops"]:
        shape, column = said["shapes"][drop // said["width"]], drop % said["width"]
        y = said["height"]
        cells = [(column + dx, dy) for dx, dy in shape["cells"]]
        while all(dy + y - 1 >= 0 and not _is_filled(rows, x, dy + y - 1) for x, dy in cells):
            y -= 1
        for x, dy in cells:
            rows[dy + y][x] = shape["type"]
        left = [row for row in rows if not all(row)]
        rows = left + [[0] * said["width"] for _ in range(said["height"] - len(left))]
    for y, row in enumerate(rows):
        for x, kind in enumerate(row):
            color = said["colors"][kind if said["visible"][kind] else 0][0]
            red, green, blue = bytes.fromhex(color[1:])
            yield x, y, (red, green, blue)


def read_header(text: str) -> dict[str, Any]:
    """The numbers that a C header holds, by the ends of their names."""
    found: dict[str, Any] = {
        name: int(value) for name, value in re.findall(r"#define \w+_([A-Z]+) (\d+)\n", text)
    }
    for name, values in re.findall(r"\w+_(\w+)\[\d+\] = \{([^}]*)\}", text):
        found[name] = [int(value, 0) for value in values.split(",")]
    return found


def _play_header(data: bytes, plan: Plan) -> Iterator[tuple[int, int, RGB]]:
    """Play the numbers that a C header holds, by the rules alone."""
    said = read_header(data.decode())
    field = Playfield(said["WIDTH"], said["HEIGHT"])
    for drop in said["drops"][: said["DROPS"]]:
        field.drop(ORIENTATIONS[drop >> 10 & 31], drop & 1023)
    for y, row in enumerate(field.rows):
        for x, value in enumerate(row):
            color = said["colors"][value if said["VISIBLE"] >> value & 1 else 0]
            red, green, blue = color >> 11, color >> 5 & 63, color & 31
            yield x, y, (round(red * 255 / 31), round(green * 255 / 63), round(blue * 255 / 31))


def _is_filled(rows: list[list[int]], x: int, y: int) -> bool:
    return y < len(rows) and bool(rows[y][x])


JUDGES: dict[str, Callable[[bytes, Plan], Iterable[tuple[int, int, RGB]]]] = {
    ".mp4": _last_video_frame,
    ".webm": _last_video_frame,
    ".html": _played_page,
    ".h": _play_header,
}
"""Who sees how a file ends; Pillow, where nobody is named."""

LOSSY = {".mp4", ".webm", ".h"}
"""What is compressed with a loss, or has sixteen bits for a colour."""


def renderer_stands(renderer: Renderer, folder: Path) -> None:
    """Everything that is asked of a renderer."""
    plan = game(9, 16, 14, 40, seed=3)
    plan = Plan(plan.passes, COLORS[:4], plan.width, plan.height)
    how = Rendering(Look(8), Timing(every=7, fps=10, hold=0.5), title="A & B", full=True)
    renderer.check(how)
    assert renderer.extensions
    assert all(re.fullmatch(r"\.[a-z0-9]+", extension) for extension in renderer.extensions)
    assert renderer.summary.split()[0] in {"a", "an", "the"}
    _same_bytes_that_end_with_the_picture(renderer, plan, how)
    behind = replace(plan, colors=NEAR, background=NEAR[0][1])
    left = make_field_picture(behind, play_through(behind).field)
    assert len(left.cells()) < len(make_field_picture(plan, play_through(plan).field).cells())
    _same_bytes_that_end_with_the_picture(renderer, behind, how)
    _refuses_early(renderer, folder)


def _same_bytes_that_end_with_the_picture(renderer: Renderer, plan: Plan, how: Rendering) -> None:
    reports: list[tuple[int, int]] = []
    first, second = io.BytesIO(), io.BytesIO()
    renderer.write(first, plan, how, lambda done, of: reports.append((done, of)))
    renderer.write(second, plan, how)
    assert first.getvalue() == second.getvalue()
    if reports:
        assert reports == sorted(reports)
        assert reports[-1][0] == reports[-1][1] == len(reports)
    wanted = make_field_picture(plan, play_through(plan).field)
    assert len(set(wanted.cells().values())) > 2, "the picture must be able to go wrong"
    judge = JUDGES.get(renderer.extensions[0], _last_image)
    most = 23 * (renderer.extensions[0] in LOSSY)
    seen = 0
    for x, y, color in judge(first.getvalue(), plan):
        right = bytes.fromhex(wanted.rows[y][x] or plan.background or "000000")
        assert max(abs(a - b) for a, b in zip(color, right, strict=True)) <= most, (x, y, color)
        seen += 1
    assert seen == plan.width * plan.height
    empty = io.BytesIO()
    renderer.write(empty, Plan((), (), 5, 6), how)
    judged = list(judge(empty.getvalue(), Plan((), (), 5, 6)))
    assert len(judged) == 30
    assert all(max(color) <= most for _, _, color in judged)


def _refuses_early(renderer: Renderer, folder: Path) -> None:
    extension = renderer.extensions[0]
    path = folder / f"print{extension}"
    with pytest.raises(TopOutError, match="drop 2"):
        save(TOPPLING, path)
    with pytest.raises(InputError) as error:
        save(TOPPLING, folder / "nowhere" / path.name)
    assert "nowhere" in one_sentence(error)
    if not renderer.has_transparency:
        with pytest.raises(InputError) as error:
            save(TOPPLING, path, Rendering(transparent=True))
        assert path.name in one_sentence(error)
    assert not list(folder.iterdir()), "what was refused left a file"
    assert check_output(folder / f"PRINT{extension.upper()}") is renderer


# Formats


def format_stands(form: Format, folder: Path) -> None:
    """Everything that is asked of a format."""
    assert form.extensions
    assert all(re.fullmatch(r"(\.[a-z0-9]+)+", extension) for extension in form.extensions)
    for seed in range(6):
        plan = game(10, 22, 17, 12 * (seed + 1), seed)
        plan = replace(plan, background=(None, "f0e0d0", COLORS[seed][1])[seed % 3])
        text = form.format(plan, "a")
        assert text == form.format(plan, "b"), "what it is called is for messages only"
        again = form.parse(text, "a")
        assert again == plan, "a game of bare drops comes back exactly"
        assert form.can_parse(text[:4096])
    _same_game(form)
    for garbage in ("", "{", "{}", "\x00\x01", "hello\n\nthere", "board 10x22\n\n?", "v115@!!"):
        with pytest.raises(InputError) as error:
            form.parse(garbage + " nothing", "some file")
        assert "some file" in one_sentence(error)


def _same_game(form: Format) -> None:
    """Passes may be lost, the game may not; what was read is written as it was."""
    for seed in range(4):
        plan = make_random_plan(10, 20, 30, seed)
        try:
            text = form.format(plan)
        except JobError:  # what it cannot say, such as a move that another game forbids
            continue
        again = form.parse(text)
        assert bare(again) == bare(plan)
        assert (again.width, again.height) == (plan.width, plan.height) or not plan.colors
        assert dict(plan.colors).items() <= dict(again.colors).items()
        assert form.parse(form.format(again)) == again


def bare(plan: Plan) -> list[tuple[Orientation, int]]:
    """The drops and nothing else."""
    return [(piece.orientation, piece.x) for piece in plan]


# Finders


def small_problems() -> Iterator[tuple[PackingProblem, Brute]]:
    """Every row of presets in small matrices, some of them over squares."""
    for width, rows, squares in (
        (1, 4, ()), (2, 2, ()), (3, 4, ()), (4, 1, ()), (4, 3, (1,)), (4, 4, ()),
        (5, 3, (0, 3)), (5, 4, ()), (6, 2, (2,)), (7, 3, ()),
    ):  # fmt: skip
        brute = Brute(width, rows, frozenset(squares))
        for bits in range(0, (1 << width) - (rows > 1), 1 if width < 6 else 5):
            presets = tuple(((x, 0),) for x in range(width) if bits >> x & 1)
            yield PackingProblem(width, rows, presets, frozenset(squares)), brute


def finder_stands(finder: Finder) -> None:
    """Everything that is asked of a finder."""
    answered = set()
    for problem, brute in small_problems():
        result = finder.find(problem)
        assert isinstance(result, Packing | Infeasible | Unknown)
        answered.add(type(result))
        if isinstance(result, Packing):
            assert result.problem == problem
            result.check()
        else:
            assert result.reason
            assert "\n" not in result.reason
        if isinstance(result, Unknown):
            assert not finder.is_complete, problem
        else:
            assert isinstance(result, Packing) == brute.can_fill(problem.start), problem
    assert {Packing, Infeasible} <= answered or not finder.is_complete
    assert Packing in answered
    _same_seed_same_answer(finder)
    if isinstance(finder, Lister):
        _lists_all(finder)


def _same_seed_same_answer(finder: Finder) -> None:
    presets = (tuple((4 + i, 0) for i in range(3)),)
    problem = PackingProblem(9, 3, presets)
    for seed in (0, 1, 2**40):
        one, two, many = (
            finder.find(problem, Limit(seed=seed, workers=workers)) for workers in (1, 1, 3)
        )
        assert one == two == many, "neither chance nor the number of workers decides"


def _lists_all(finder: Lister) -> None:
    counts = set()
    for problem, brute in small_problems():
        if problem.width < 6:
            found = [frozenset(packing.pieces) for packing in finder.find_all(problem)]
            assert len(set(found)) == len(found) == brute.tilings(problem.start), problem
            counts.add(len(found))
    assert max(counts) > 1
    problem = PackingProblem(9, 3, (tuple((4 + i, 0) for i in range(3)),))
    with pytest.raises(JobError, match="time limit of") as error:
        list(finder.find_all(problem, Limit(seconds=1e-9)))
    one_sentence(error)
