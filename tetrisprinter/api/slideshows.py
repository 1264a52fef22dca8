"""Slideshows: one game that prints several pictures and pauses at each of them.

All pictures share one board and one assignment of types to colours. Each starts on the field that
the previous picture leaves (:meth:`~tetrisprinter.printing.task.Task.with_start`): the lowest rows
that both pictures have in common stay, and all rows above them are cleared.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any, Final, NamedTuple

from tetrisprinter.api.preparation import PreparedTask, choose_conversion
from tetrisprinter.api.prints import save_plan
from tetrisprinter.api.request import PictureRequest
from tetrisprinter.errors import Hint, InputError, InternalError, JobError, Setting
from tetrisprinter.formats import decode_game, name_game, parse_game, read_game_text
from tetrisprinter.game.field import Board, Playfield, Rows, TopOutError, find_unit
from tetrisprinter.game.pieces import GREY, PieceType
from tetrisprinter.game.plan import CLASSIC_TYPES, Plan
from tetrisprinter.game.replay import play, play_through
from tetrisprinter.pictures import convert, reduction
from tetrisprinter.pictures.convert import Conversion, ConvertedPicture, DefaultLimits, Step
from tetrisprinter.pictures.drawings import are_apart
from tetrisprinter.pictures.picture import Color, Picture, parse_rgb
from tetrisprinter.pictures.reduction import Point, Rgb
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES, Source, find_source, make_bytes_source
from tetrisprinter.pictures.text import SMALL, Layout, draw_clock, draw_seconds
from tetrisprinter.planners import Progress, Run, make_plan
from tetrisprinter.planners.run import LOG, TimeUpError, ignore
from tetrisprinter.printing.obstacles import repair_task
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import MARGIN, ROOM_ABOVE, Task
from tetrisprinter.printing.types import TypeColors, assign_classic_types, read_types, share_types
from tetrisprinter.render import Rendering
from tetrisprinter.support import format_count
from tetrisprinter.support.executors import Journal
from tetrisprinter.support.files import is_pipe, read_bytes
from tetrisprinter.support.options import Limit

_DEFAULT_COLOR_COUNT: Final = 5
"""The default number of colours: each colour gets a type that leaves single squares."""
_MAX_COLOR_COUNT: Final = 7
_LARGER_BOARDS: Final = 3
"""How many larger boards are tried if a picture cannot be printed."""
_FREEABLE_TYPES: Final = tuple(PieceType[name] for name in "SZTLJIO")
"""The order in which types are given to new colours; types that leave single squares first."""
_CLOCK_BOARDS: Final = {"steps": (17, 22), "line": (19, 18)}
"""The width and height of a clock's board, by layout."""
_SECONDS_BOARD: Final = (9, 16)
"""The board of the seconds: the narrowest one for two digits, so that few squares are cleared."""
VIDEO_SUFFIXES: Final = (".mp4", ".webm", ".mov", ".mkv", ".avi", ".m4v", ".mpg", ".mpeg", ".ogv")
"""The extensions of videos; their frames share one palette."""
DEFAULT_VIDEO_SIZE: Final = (24, 24)
"""The width and height into which the frames of a video are scaled."""
_LIMITS: Final = DefaultLimits(keeps_margins=True)
"""The limits of a picture of a slideshow."""
_DEFAULT_REQUEST: Final = PictureRequest()


class ReadPictures(NamedTuple):
    """The pictures of a slideshow, and what was done when they were read."""

    pictures: list[Picture]
    steps: tuple[Step, ...]
    background: Color | None  # the colour that was left empty in all pictures
    seconds: tuple[float, ...] = ()  # of a video: how long each picture is shown


@dataclass(frozen=True, slots=True)
class Slideshow:
    """A game that prints several pictures one after the other."""

    # The prints in their order; each starts on the field that the previous one leaves. The first
    # starts on an empty board, or on the field of an earlier game
    results: tuple[PrintResult, ...]
    # Whether the last print is the first picture again. Then the plan starts with that picture on
    # the board, and can be repeated forever
    loops: bool = False
    steps: tuple[Step, ...] = ()  # the changes of the pictures
    # The colour in which empty squares are drawn, which was left empty in all pictures
    background: Color | None = None

    @property
    def plan(self) -> Plan:
        """The slideshow as one plan; its ``stops`` are the drops that complete a picture."""
        played = self.results[1:] if self.loops else self.results
        background = self.background or played[0].plan.background
        return Plan.join([result.plan for result in played], background=background)

    @property
    def drops(self) -> int:
        """The number of drops."""
        return len(self.plan)

    def save(self, path: str | Path, rendering: Rendering | None = None, **options: Any) -> None:
        """Write the slideshow in the format of the file name; see ``PrintResult.save``."""
        save_plan(self.plan, path, rendering, **options)

    def __repr__(self) -> str:
        names = ", ".join(result.task.name for result in self.results)
        return f"<Slideshow {format_count(self.drops, 'drop')} on {self.plan.board}: {names}>"


def print_slideshow(  # noqa: PLR0913 - one for each option of the command
    pictures: Iterable[object],
    *,
    board: Board | str | tuple[int, int] | None = None,
    types: str | Mapping[PieceType, Color] | None = None,
    colors: int | None = None,
    background: str | None = None,
    loop: bool = False,
    limit: Limit | None = None,
) -> Slideshow:
    """Print several pictures in one game, each on the field that the previous picture leaves.

    Parameters
    ----------
    pictures : iterable
        Pictures in any form that :func:`~tetrisprinter.api.print_picture` accepts, in order.
    board : Board, str or (int, int), optional
        The board of all pictures; by default of an odd width, and large enough for them. If a
        picture cannot be printed on it, three larger boards are tried.
    types : str or mapping, optional
        The colour of each type, ``"classic"`` (J, T and L) or ``"auto"`` (the default): the types
        are shared among the colours of all pictures.
    colors : int, optional
        The maximum number of colours in all pictures together; by default five.
    background : str, optional
        The colour that is left empty in all pictures; ``"transparent"``: none. By default the
        background that the pictures have in common, if there is one.
    loop : bool
        Whether to print the first picture again at the end.
    limit : Limit, optional
        The limits of the search for each picture.

    Returns
    -------
    Slideshow
        The game; each picture that it leaves was compared with the requested one.

    Raises
    ------
    InputError
        If a picture cannot be read or does not fit on the board.
    JobError
        If a picture cannot be printed after the previous one.

    Examples
    --------
    >>> film = print_slideshow(["rr.\\nr..", "r..\\nrrr"], board="9x12")
    >>> film.plan.stops[-1] == film.drops
    True
    """
    options = {"board": board, "types": types, "colors": colors, "background": background}
    request = PictureRequest.of(options)
    read = read_pictures(map(find_source, pictures), request.conversion.background)
    tasks, steps = make_slideshow_tasks(read.pictures, request)
    return plan_slideshow(
        tasks,
        loop=loop,
        limit=limit,
        may_enlarge_board=not request.has_named_board,
        steps=read.steps + steps,
        background=read.background,
    )


def read_pictures(sources: Iterable[Source], background: str | None = None) -> ReadPictures:
    """Read pictures without their empty margins, with one background for all or none.

    ``background`` is that of a :class:`Conversion`; None: the one that the pictures have in common.
    """
    sources = list(sources)
    if background not in (None, "auto"):
        converted = [_read_source(source, background) for source in sources]
        color = None if background == "transparent" else convert.parse_color(background)
    else:
        converted, color = _share_background(sources)
    own_steps = [
        (source.name, step)
        for source, one in zip(sources, converted, strict=True)
        for step in one.steps
        if step.setting is not Setting.BACKGROUND
    ]
    steps = _merge_steps(own_steps)
    if color is not None:
        steps += (Step(f"{color} left empty in all pictures", Setting.BACKGROUND),)
    pictures = [
        Picture(one.picture.trim().rows, source.name)
        for source, one in zip(sources, converted, strict=True)
    ]
    return ReadPictures(pictures, steps, color)


def _read_source(source: Source, background: str) -> ConvertedPicture:
    """Read a picture with a background; the margins are kept."""
    return source.read(Conversion(background=background, defaults=_LIMITS))


def is_video(path: str | Path) -> bool:
    """Return whether a file is a video, by its extension."""
    return Path(path).suffix.lower() in VIDEO_SUFFIXES


def read_video(
    path: str | Path,
    fps: float = 4.0,
    size: tuple[int, int] = DEFAULT_VIDEO_SIZE,
    request: PictureRequest = _DEFAULT_REQUEST,
) -> ReadPictures:
    """Read the frames of a video or of an animated image, with one palette and one background.

    ``fps`` frames of each second are taken and scaled to fit into ``size``. The request names the
    number of colours beside the background (by default one) and the background (by default the
    commonest colour). Equal neighbours become one picture.
    """
    images = list(_sample_frames(path, fps, size))
    if not images:
        raise InputError(f"{path}: the file has no frames; expected a video")
    points = {
        rgb: reduction.to_point(rgb)
        for rgb in {rgb for image in images for row in image for rgb in row}
    }
    # A few thousand squares decide as well as all of them, in a second.
    squares = [points[rgb] for image in images for row in image for rgb in row]
    sample = squares[:: max(1, len(squares) // 4096)]
    color_count = min(_MAX_COLOR_COUNT, request.conversion.colors or 1)
    color_of = _replace_colors(points, sample, color_count + 1)
    counts = Counter(color_of[rgb] for image in images for row in image for rgb in row)
    background: Color | None = counts.most_common(1)[0][0]
    named = request.conversion.background
    if named == "transparent":
        background = None
    elif named not in (None, "auto"):
        asked = reduction.to_point(parse_rgb(convert.parse_color(named)))
        shown = [reduction.to_point(parse_rgb(color)) for color in counts]
        background = list(counts)[reduction.find_nearest(asked, shown)[0]]
    grids = [
        tuple(
            tuple(None if (color := color_of[rgb]) == background else color for rgb in row)
            for row in reversed(image)
        )
        for image in images
    ]
    steps: tuple[Step, ...] = ()
    if any(_has_empty_row_below(grid) for grid in grids):  # which no game leaves
        edge = next((c for c, _ in counts.most_common() if c != background), "f5f5f5")
        grids = [tuple((edge, *row, edge) for row in grid) for grid in grids]
        text = "a column added on either side, because no game leaves an empty row below squares"
        steps = (Step(text, Setting.BACKGROUND),)
    pictures: list[Picture] = []
    seconds: list[float] = []
    for number, grid in enumerate(grids):
        if pictures and pictures[-1].rows == grid:
            seconds[-1] += 1 / fps
        else:
            pictures.append(Picture(grid, f"{Path(path).stem}, frame {number}"))
            seconds.append(1 / fps)
    return ReadPictures(pictures, steps, background, tuple(seconds))


def _replace_colors(
    points: Mapping[Rgb, Point], sample: Sequence[Point], color_count: int
) -> dict[Rgb, Color]:
    """Return for each colour the nearest of the colours that suit a sample of squares best."""
    *_, palette = reduction.choose_palettes(sample, color_count)
    palette = reduction.recolor(palette, sample)
    return {
        rgb: bytes(reduction.to_rgb(palette[reduction.find_nearest(point, palette)[0]])).hex()
        for rgb, point in points.items()
    }


def _has_empty_row_below(rows: Sequence[Sequence[object]]) -> bool:
    """Return whether some row of a picture, bottom row first, is empty below squares."""
    filled = [any(row) for row in rows]
    return any(not lower and upper for lower, upper in pairwise(filled))


def _sample_frames(
    path: str | Path, fps: float, size: tuple[int, int]
) -> Iterator[list[list[tuple[int, int, int]]]]:
    """Yield frames of a video at a rate, each scaled and as rows of colours, top row first."""
    from PIL import Image

    from tetrisprinter.render.encoders import require_video

    av = require_video(f"{path}: reading a video")
    try:
        with av.open(BytesIO(read_bytes(path))) as video:
            due = 0.0
            for number, frame in enumerate(video.decode(video=0)):
                rate = video.streams.video[0].average_rate or 25
                time = frame.time if frame.time is not None else number / float(rate)
                # A frame is shown until the next one begins, so it may be taken several times.
                end = time + float(frame.duration * frame.time_base) if frame.duration else time
                scaled = None
                while due < max(end, time + 1e-6) - 1e-6:
                    if scaled is None:
                        image = frame.to_image()
                        width, height = convert.fit_size(image.size, size)
                        small = image.resize((width, height), Image.Resampling.BOX)
                        data = small.convert("RGB").tobytes()
                        pixels = list(zip(data[::3], data[1::3], data[2::3], strict=True))
                        scaled = [pixels[at : at + width] for at in range(0, len(pixels), width)]
                    yield scaled
                    due += 1 / fps
    except av.error.FFmpegError as error:
        raise InputError(f"{path}: not a video that can be read: {error.strerror}") from error


def _trim_common_columns(pictures: Sequence[Picture], board: Board | None) -> list[Picture]:
    """Trim columns that are transparent in all pictures, if these are frames of equal width.

    Pictures of different widths are trimmed one by one. A picture that is exactly as wide as a
    given board is not trimmed: it says where on the board its figure stands.
    """
    if len({picture.width for picture in pictures}) > 1:
        return [
            picture if board and picture.width == board.width else picture.trim_columns()
            for picture in pictures
        ]
    if board and all(picture.width == board.width for picture in pictures):
        return list(pictures)
    columns = zip(*(row for picture in pictures for row in picture.rows), strict=True)
    filled = [x for x, column in enumerate(columns) if any(column)]
    if not filled:
        return list(pictures)
    shown = slice(min(filled), max(filled) + 1)
    return [
        replace(picture, rows=tuple(row[shown] for row in picture.rows)) for picture in pictures
    ]


def _share_background(sources: Sequence[Source]) -> tuple[list[ConvertedPicture], Color | None]:
    """Convert pictures with their commonest background, and return it; None if no picture has one.

    Empty squares are drawn in its colour, so every picture looks right. A picture that is partly
    transparent keeps its own colours.
    """
    converted = [_read_source(source, "auto") for source in sources]
    grounds = Counter(one.background for one in converted if one.background is not None)
    if not grounds:
        return converted, None
    ground = grounds.most_common(1)[0][0]
    for number, (source, one) in enumerate(zip(sources, converted, strict=True)):
        if one.background is None:
            has_own = any(None in row for row in one.picture.rows)
        else:  # the same background, perhaps with small errors, as in photos
            has_own = not are_apart(parse_rgb(one.background), parse_rgb(ground))
        if has_own:
            continue
        for background in (ground, "transparent"):  # a picture of nothing but the ground keeps it
            with suppress(InputError):
                converted[number] = _read_source(source, background)
                break
    return converted, ground


def _merge_steps(steps: Iterable[tuple[str, Step]]) -> tuple[Step, ...]:
    """Merge the steps of pictures, each given with its picture's name, into one per setting."""
    by_setting: dict[Setting, list[tuple[str, Step]]] = {}
    for name, step in steps:
        by_setting.setdefault(step.setting, []).append((name, step))
    merged = []
    for (name, step), *others in by_setting.values():
        text = f"{name}: {step.text}"
        if others:
            text += (
                f"; {format_count(len({other for other, _ in others}), 'more picture')} likewise"
            )
        merged.append(Step(text, step.setting))
    return tuple(merged)


def plan_slideshow(  # noqa: PLR0913 - what a command and the studio ask for
    tasks: Sequence[Task],
    *,
    loop: bool = False,
    limit: Limit | None = None,
    report: Callable[[Progress], None] = ignore,
    start: Rows = (),
    games: Path | None = None,
    may_enlarge_board: bool = False,
    steps: tuple[Step, ...] = (),
    background: Color | None = None,
) -> Slideshow:
    """Plan tasks one after the other; they have the same board and the same types.

    ``start`` has the rows before the first drop; ``report`` gets the progress. The file ``games``
    stores each finished game and supplies the games of an earlier run. With ``may_enlarge_board``
    larger boards are tried if a picture cannot be printed. The slideshow gets ``steps`` and
    ``background`` as they are. The other arguments are those of :func:`print_slideshow`.
    """
    if loop and len(tasks) == 1:
        raise InputError("a slideshow in a loop needs two pictures or more, got 1")
    limit = limit or Limit(workers=os.cpu_count() or 1)
    share = min(1.0, _FULL_SEARCHES / len(tasks))
    limit = limit.scale_effort(share)
    board, tasks_on_board = tasks[0].board, list(tasks)
    first_error: JobError | None = None
    for _ in range(1 + _LARGER_BOARDS):
        if first_error is not None:
            width = board.width + MARGIN
            # A single square is cheap on these widths; see :mod:`~tetrisprinter.printing.task`.
            board = Board(width + (1 - width) % 4, board.height + MARGIN)
            tasks_on_board = [
                replace(task, board=board, column=(board.width - task.picture.width) // 2)
                for task in tasks
            ]
        try:
            results = _plan_on_board(tasks_on_board, loop, limit, report, start, games)
            return Slideshow(tuple(results), loop, steps, background)
        except (InternalError, TimeUpError):
            raise
        except JobError as error:
            # A theorem holds on larger boards, too.
            if first_error is None and (not may_enlarge_board or error.obstacle is not None):
                raise
            if first_error is not None:
                LOG.info("%s: %s", board, error)
            first_error = first_error or error
    assert first_error is not None
    raise _replace_hints(first_error, tasks, Hint(f"boards up to {board} were tried"))


def _plan_on_board(
    tasks: Sequence[Task],
    loop: bool,
    limit: Limit,
    report: Callable[[Progress], None],
    start: Rows,
    games: Path | None,
) -> list[PrintResult]:
    """Plan tasks on their board, as :func:`plan_slideshow` does."""
    _check_counts(tasks, start)
    journal = None
    if games is not None:  # it ignores the games of other slideshows
        pictures = [
            [task.picture.rows, str(task.board), task.column, str(task.types), task.background]
            for task in tasks
        ]
        journal = Journal(games, [pictures, [row.hex() for row in start]])
    queue = [*tasks, tasks[0]] if loop else list(tasks)
    results: list[PrintResult] = []
    rows = start
    for number, task in enumerate(queue):
        report_picture = partial(_report_picture, report, number, len(queue))
        report_picture(Progress(""))
        # A loop begins and ends with the field that the first picture leaves.
        task_on_field = task.with_start(rows)
        result = None if journal is None else _read_stored_result(journal, number, task_on_field)
        if result is None:
            result = _plan_picture(task_on_field, limit, tasks, report=report_picture)
            if result.stopped and limit.seconds is None:  # stopped by a signal
                raise KeyboardInterrupt
            if journal is not None:
                plan = str(result.plan)
                entry = {"plan": plan, "planner": result.planner, "seconds": result.seconds}
                with journal.open() as file:
                    file.write(json.dumps([journal.make_key(number), entry]) + "\n")
        results.append(result)
        rows = result.game.field.used_rows
    return results


_FULL_SEARCHES: Final = 8
"""The pictures of a longer show share the work of so many searches."""


def _report_picture(
    report: Callable[[Progress], None], number: int, count: int, progress: Progress
) -> None:
    """Report the progress of one of several pictures as a part of the whole."""
    stage = f"picture {number + 1} of {count}"
    if progress.drops is not None:
        stage += f", {format_count(progress.drops, 'piece')}"
    report(Progress(stage, (number + progress.fraction) / count))


def _plan_picture(
    task: Task,
    limit: Limit,
    tasks: Sequence[Task],
    planner: str = "auto",
    report: Callable[[Progress], None] = ignore,
) -> PrintResult:
    """Plan one picture of ``tasks``; an error gets hints that a slideshow accepts."""
    try:
        return make_plan(task, planner, Run(limit, report))
    except (InternalError, TimeUpError):
        raise
    except JobError as error:
        if error.obstacle is not None:
            raise
        wider = f"{task.board.width + MARGIN}x{task.board.height + MARGIN}"
        hint = (
            Hint(f"{{}} {wider} may leave more room", Setting.BOARD)
            if task.start
            else Hint("{} tries larger boards", Setting.AUTO_BOARD)
        )
        raise _replace_hints(error, tasks, hint) from None


def _replace_hints(error: JobError, tasks: Sequence[Task], board_hint: Hint) -> JobError:
    """Return an error with hints that a slideshow accepts."""
    colors = len({color for task in tasks for color in task.colors})
    fewer = min(_DEFAULT_COLOR_COUNT, colors - 1)
    color_hints = [Hint(f"{{}} {fewer} may help", Setting.COLORS)] if fewer else []
    return type(error)(error.message, board_hint, *color_hints)


def _read_stored_result(journal: Journal, number: int, task: Task) -> PrintResult | None:
    """Return a picture's stored result, replayed and checked; None if the journal has none."""
    stored = journal.read().get(journal.make_key(number))
    if stored is None:
        return None
    plan = Plan.parse(stored["plan"], str(journal.path))
    return PrintResult.of(task, plan, stored["planner"], stored["seconds"])


def make_slideshow_tasks(
    pictures: Sequence[Picture], request: PictureRequest = _DEFAULT_REQUEST
) -> tuple[list[Task], tuple[Step, ...]]:
    """Return tasks for pictures that share board and types, and the steps that changed pictures."""
    if not pictures:
        raise InputError("a slideshow needs a picture, got none")
    for picture in pictures:
        if not picture.rows:
            raise InputError(f"{picture.name}: the picture is empty; nothing to print")
    board = request.board if isinstance(request.board, Board) else None
    trimmed = _trim_common_columns(pictures, board)
    reduced, steps = _share_palette(trimmed, request.conversion.colors)
    playfield = board or _choose_board(reduced)
    _check_size(reduced, playfield)
    type_colors = request.types or "auto"
    if isinstance(type_colors, str):
        assign_types = assign_classic_types if type_colors == "classic" else share_types
        type_colors = TypeColors.of(assign_types(_join_pictures(reduced)))
    tasks = []
    repairs: list[tuple[str, Step]] = []
    for picture in reduced:
        column = (playfield.width - picture.width) // 2
        task = Task.of(picture, playfield, type_colors, column=column)
        may_change = request.repairs and find_unit(playfield.width) == 1
        repaired, changes = repair_task(task) if may_change else (picture, ())
        if changes:
            text = f"{format_count(len(changes), 'square')} repaired"
            repairs.append((picture.name, Step(text, Setting.EXACT)))
            task = replace(task, picture=repaired)
        tasks.append(task)
    return tasks, steps + _merge_steps(repairs)


def make_clock_tasks(  # noqa: PLR0913 - one for each option of the command
    first: int,
    count: int,
    color: Color = "f5f5f5",
    layout: Layout = "steps",
    board: Board | str | None = None,
    types: str | Mapping[PieceType, Color] | None = None,
    hours: int = 24,
    font: str = SMALL,
) -> list[Task]:
    """Return a clock's tasks, one for each minute from ``first``, each on an empty board.

    ``hours`` is 12 or 24, and ``font`` names the digits as in
    :func:`~tetrisprinter.pictures.text.draw_clock`.
    """
    faces = [draw_clock(m, color, layout, hours, font) for m in range(first, first + count)]
    widest = [draw_clock(m, color, layout, hours, font) for m in (0, 600, 671)]
    named = None if board == "auto" else board
    return _place_faces(faces, widest, named or _CLOCK_BOARDS[layout], types, color)


def make_second_tasks(
    color: Color = "f5f5f5",
    board: Board | str | None = None,
    types: str | Mapping[PieceType, Color] | None = None,
    font: str = SMALL,
) -> list[Task]:
    """Return the tasks of a display of seconds, 00 to 59, each on an empty board of its own."""
    faces = [draw_seconds(second, color, font) for second in range(60)]
    named = None if board == "auto" else board
    return _place_faces(faces, faces, named or _SECONDS_BOARD, types, color)


def _place_faces(
    faces: Sequence[tuple[Picture, int]],
    widest: Sequence[tuple[Picture, int]],
    board: Board | str | tuple[int, int],
    types: str | Mapping[PieceType, Color] | None,
    color: Color,
) -> list[Task]:
    """Return the tasks of faces, all centred on the board as the widest ones are."""
    playfield = Board.convert(board)
    type_colors = None if types is None else read_types(types)
    if type_colors is None or isinstance(type_colors, str):
        shown_types = CLASSIC_TYPES if type_colors == "classic" else PieceType
        type_colors = TypeColors.of(dict.fromkeys(shown_types, color))
    max_width = max(left_margin + face.width for face, left_margin in widest)
    left = (playfield.width - max_width) // 2
    tasks = [Task(face, playfield, left + margin, type_colors) for face, margin in faces]
    _check_size([task.picture for task in tasks], playfield)
    return tasks


class Cycle(NamedTuple):
    """Games that lead from each picture of a cycle to the next one, and from the last to the first.

    Several pictures may be left by the same game: in a clock it changes the minutes of any hour.
    """

    start: Rows  # the first picture, with the squares of any type
    games: tuple[Plan, ...]  # the different games
    numbers: tuple[int, ...]  # for each picture the game that leads from it to the next one


def plan_cycle(
    tasks: Sequence[Task],
    limit: Limit,
    report: Callable[[Progress], None] = ignore,
    period: int = 60,
) -> Cycle:
    """Plan a cycle of pictures of one colour, with as few different games as possible.

    The game of ``period`` pictures before is tried first, because it often fits again.
    """
    boards = [_fill_picture(task) for task in tasks]
    games: list[Plan] = []
    numbers: list[int] = []
    for at, board in enumerate(boards):
        report(Progress(f"picture {at + 1} of {len(tasks)}", at / len(tasks)))
        next_task, next_board = tasks[(at + 1) % len(tasks)], boards[(at + 1) % len(tasks)]
        likely = [numbers[at - period]] if at >= period else []
        known = [*likely, *(number for number in range(len(games)) if number not in likely)]
        fitting = (n for n in known if _leads_to(games[n], board, next_board))
        number = next(fitting, None)
        if number is None:
            number = len(games)
            # Row by row, rows that are right stay, so the game fits where other rows differ
            game = _plan_picture(next_task.with_start(board), limit, tasks, "rows").plan
            games.append(game)
        numbers.append(number)
    return Cycle(boards[0], tuple(games), tuple(numbers))


def _fill_picture(task: Task) -> Rows:
    """Return the rows of a board on which a picture of one colour stands, of T squares."""
    rows = [bytearray(task.board.width) for _ in range(task.picture.height)]
    for x, y in task.picture.cells():
        rows[y][task.column + x] = PieceType.T
    return tuple(map(bytes, rows))


def _leads_to(plan: Plan, start: Rows, rows: Rows) -> bool:
    """Return whether a game on a board leaves these rows, whatever the types of their squares."""
    field = Playfield.from_rows(plan.width, plan.height, start)
    try:
        for _ in play(plan, field):
            pass
    except TopOutError:
        return False
    return [[*map(bool, row)] for row in field.used_rows] == [[*map(bool, row)] for row in rows]


def fit_panel(width: int, height: int) -> Board:
    """Return the board of a clock on a panel: of an odd width, so that any minute is possible.

    >>> print(fit_panel(32, 16))
    31x16
    """
    return Board(width - 1 + width % 2, height)


def continue_file(  # noqa: PLR0913 - what a command and a print ask for
    path: str | Path,
    pictures: Sequence[Picture],
    request: PictureRequest,
    background: str | None,
    limit: Limit | None = None,
    report: Callable[[Progress], None] = ignore,
    games: Path | None = None,
) -> tuple[list[Task], tuple[Step, ...], Rows]:
    """Prepare pictures to follow a game or a picture from a file; return tasks, steps, start rows.

    An image file, recognised by its extension (in a pipe by its content), is printed first. The
    image gets the ``background`` and shares board and types with the other pictures, and its game
    is stored in the file ``games``, beside the games of the slideshow. Any other file is read as a
    game.
    """
    game_text: str | None = None
    if is_pipe(path):
        data = read_bytes(path)
        first_source = make_bytes_source(data, str(path), Path(path).stem)
        game_text = decode_game(data)
    elif Path(path).suffix.lower() in IMAGE_SUFFIXES:
        first_source = find_source(path)
    else:
        game_text = read_game_text(path)
    if game_text is not None:
        return continue_game(parse_game(game_text, path), pictures, request, name_game(path))
    first = read_pictures([first_source], background)
    tasks, steps = make_slideshow_tasks([*first.pictures, *pictures], request)
    first_show = plan_slideshow(tasks[:1], limit=limit, report=report, games=games)
    return tasks[1:], first.steps + steps, first_show.results[-1].game.field.used_rows


def prepare_from_start(
    start_from: str,
    source: Source,
    request: PictureRequest,
    limit: Limit,
    report: Callable[[Progress], None] = ignore,
) -> PreparedTask:
    """Prepare a picture to follow a game or a picture from a file; see :func:`continue_file`."""
    conversion = choose_conversion(request, request.conversion.defaults)
    converted = source.read(conversion)
    picture = Picture(converted.picture.trim().rows, source.name)
    types = None if request.types == "auto" else request.types
    board = None if request.board == "auto" else request.board
    tasks, steps, start = continue_file(
        start_from,
        [picture],
        replace(request, conversion=conversion, board=board, types=types),
        conversion.background,
        limit,
        report,
    )
    task = tasks[0].with_start(start)
    placed = replace(
        request,
        conversion=conversion,
        board=task.board,
        types=task.type_colors,
        column=task.column,
    )
    return PreparedTask(source, placed, task, converted.steps + steps)


def continue_game(
    plan: Plan,
    pictures: Sequence[Picture],
    request: PictureRequest = _DEFAULT_REQUEST,
    name: str = "the game",
) -> tuple[list[Task], tuple[Step, ...], Rows]:
    """Prepare pictures to follow a game; return tasks, steps and the rows that the game leaves.

    Types keep the colours that they have in the game. New colours get types that have no colour
    yet, or types of which the game leaves no square.
    """
    if request.board or request.types:
        raise InputError(
            f"{name}: the game sets the board and the types; leave --board and --types out"
        )
    rows = play_through(plan).field.used_rows
    trimmed = _trim_common_columns(pictures, plan.board)
    reduced, steps = _share_palette(trimmed, request.conversion.colors)
    types = dict(plan.colors)
    needed_colors = {color for picture in reduced for color in picture.colors()}
    visible_types = {PieceType(value) for row in rows for value in row if value not in (0, GREY)}
    free: list[PieceType] = []
    for piece in _FREEABLE_TYPES:
        other_colors = [
            color for other, color in types.items() if other is not piece and other not in free
        ]
        if piece not in visible_types and types.get(piece) not in needed_colors - set(other_colors):
            free.append(piece)
    new_colors = sorted(needed_colors - set(types.values()))
    if len(new_colors) > len(free):
        color_limit = len(free) - (PieceType.O in free)  # O shows no single squares
        free_types = f"only {format_count(len(free), 'piece type is', 'piece types are')} free"
        raise InputError(
            f"too many new colours: the pictures add {len(new_colors)}, but "
            f"{free_types if free else 'no piece type is free'} in the game",
            *([Hint(f"{{}} {color_limit} is enough", Setting.COLORS)] if color_limit else ()),
        )
    for color, piece in zip(new_colors, free, strict=False):
        types[piece] = color
    _check_size(reduced, plan.board, of_game=True)
    tasks, task_steps = make_slideshow_tasks(
        reduced,
        PictureRequest(
            Conversion(colors=_MAX_COLOR_COUNT),
            plan.board,
            TypeColors.of(types),
            repairs=request.repairs,
        ),
    )
    return tasks, steps + task_steps, rows


def _share_palette(
    pictures: Sequence[Picture], colors: int | None
) -> tuple[list[Picture], tuple[Step, ...]]:
    """Reduce the pictures to one palette of up to ``colors`` colours; return pictures and steps."""
    counts = Counter(color for picture in pictures for color in picture.cells().values())
    color_limit = colors or (
        _DEFAULT_COLOR_COUNT if len(counts) > _DEFAULT_COLOR_COUNT else len(counts)
    )
    if color_limit > _MAX_COLOR_COUNT:
        raise InputError(
            f"{color_limit} colours are too many; "
            f"expected at most {_MAX_COLOR_COUNT}, one for each piece type"
        )
    if len(counts) <= color_limit:
        return list(pictures), ()
    points = {parse_rgb(color): reduction.to_point(parse_rgb(color)) for color in sorted(counts)}
    sample = [point for rgb, point in points.items() for _ in range(counts[bytes(rgb).hex()])]
    new_colors = _replace_colors(points, sample, color_limit)
    text = f"{len(counts)} colours in all pictures reduced to {color_limit}"
    recolored = [
        Picture(
            tuple(tuple(c and new_colors[parse_rgb(c)] for c in row) for row in picture.rows),
            picture.name,
        )
        for picture in pictures
    ]
    return recolored, (Step(text, Setting.COLORS),)


def _join_pictures(pictures: Sequence[Picture]) -> Picture:
    """Stack all pictures into one picture, from which the shared types are chosen."""
    width = max(picture.width for picture in pictures)
    rows = [row + (None,) * (width - len(row)) for picture in pictures for row in picture.rows]
    return Picture(tuple(rows), "the slideshow")


def _choose_board(pictures: Sequence[Picture]) -> Board:
    """Return a board for all pictures; its odd width lets a game leave any number of squares."""
    width = max(9, *(picture.width + any(None not in row for row in picture.rows)
                     for picture in pictures))  # fmt: skip
    height = max(picture.height for picture in pictures)
    return Board(width + 1 - width % 2, height + ROOM_ABOVE)


def _check_size(pictures: Sequence[Picture], board: Board, *, of_game: bool = False) -> None:
    """Refuse pictures that do not fit on the board; ``of_game``: the board cannot be changed."""
    large_pictures = [
        picture
        for picture in pictures
        if picture.width > board.width or picture.height > board.height
    ]
    full_row_pictures = [
        picture for picture in pictures if any(None not in row for row in picture.rows)
    ]
    for refused, reason in (
        (large_pictures, "too large for"),
        (
            [picture for picture in full_row_pictures if picture.width == board.width],
            "a full row would be cleared on",
        ),
    ):
        if refused:
            names = ", ".join(
                f"{picture.name} ({picture.width}x{picture.height})" for picture in refused
            )
            larger = _choose_board(pictures)
            raise InputError(
                f"{names}: {reason} a board of {board} that all pictures share",
                Hint(f"begin with a game on {larger}")
                if of_game
                else Hint(f"{{}} {larger} is large enough for all", Setting.BOARD),
            )


def _check_counts(tasks: Sequence[Task], start: Rows) -> None:
    """Refuse pictures whose numbers of squares no game on the board can leave."""
    board = tasks[0].board
    unit, start_squares = find_unit(board.width), tasks[0].with_start(start).squares_at_start
    refused = [task for task in tasks if (task.pixels - start_squares) % unit]
    if refused:
        names = ", ".join(
            f"{task.name} ({format_count(task.pixels, 'square')})" for task in refused
        )
        if start:
            lower = refused[0].pixels - (refused[0].pixels - start_squares) % unit
            raise JobError(
                f"{names}: a game on {board.width} columns changes the {start_squares} squares at "
                f"the beginning by a multiple of {unit}, e.g. to {lower} or {lower + unit}"
            )
        width = board.width + 1
        raise JobError(
            f"{names}: a game on {board.width} columns leaves a multiple of {unit} squares",
            Hint(f"{{}} {Board(width, board.height)} allows any number", Setting.BOARD),
        )


def compute_default_seconds(plan: Plan) -> float:
    """Return the default duration of a slideshow without pauses: at most 6 seconds a picture."""
    ends = [*plan.stops, len(plan)]
    drop_counts = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
    return float(sum(min(6, ceil(drops / 8)) for drops in drop_counts)) or 1.0
