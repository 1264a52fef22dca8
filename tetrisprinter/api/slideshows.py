"""Slideshows: one game that prints several pictures and pauses at each of them.

All pictures share one board and one assignment of types to colours. Each starts on the field that
the previous picture leaves (:meth:`~tetrisprinter.printing.task.Task.with_start`): the lowest rows
that both pictures have in common stay, and all rows above them are cleared.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tetrisprinter.errors import Hint, InputError, InternalError, JobError, Setting
from tetrisprinter.game.board import Board
from tetrisprinter.game.divisibility import find_unit
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import CLASSIC_TYPES, Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.game.start import Rows
from tetrisprinter.pictures.clock import Layout, draw_clock
from tetrisprinter.pictures.convert import DEFAULT_LIMITS, Conversion, Step
from tetrisprinter.pictures.picture import Color, Picture, parse_rgb
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES, Source, find_source
from tetrisprinter.pictures.squares import choose_palettes, find_nearest, recolor, to_point, to_rgb
from tetrisprinter.planners import Progress, Run, make_plan
from tetrisprinter.planners.run import ignore
from tetrisprinter.printing.boards import MARGIN, ROOM_ABOVE
from tetrisprinter.printing.repair import repair_task
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import (
    TypeColors,
    assign_classic_types,
    read_types,
    share_types,
)
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.executors import Journal
from tetrisprinter.support.limits import Limit

if TYPE_CHECKING:
    from tetrisprinter.render import Rendering

_DEFAULT_COLOR_COUNT: Final = 5
"""The default number of colours: each colour gets a type that leaves single squares."""
_MAX_COLOR_COUNT: Final = 7
_SLIDESHOW_SETTINGS: Final = frozenset((Setting.BOARD, Setting.COLORS, Setting.TYPES))
"""The settings that a slideshow accepts."""
_FREEABLE_TYPES: Final = tuple(PieceType[name] for name in "SZTLJIO")
"""The order in which types are given to new colours; types that leave single squares first."""
_CLOCK_BOARDS: Final = {"steps": (17, 22), "line": (19, 18)}
"""The width and height of a clock's board, by layout."""
_DEFAULT_CONVERSION: Final = Conversion(background="auto", defaults=DEFAULT_LIMITS)


@dataclass(frozen=True, slots=True)
class SharedSettings:
    """The settings that all pictures of a slideshow share."""

    # None: a board of an odd width that holds all pictures
    board: Board | str | tuple[int, int] | None = None
    # The colour of each type; None: the types are shared among the colours of all pictures
    types: str | Mapping[PieceType, Color] | None = None
    colors: int | None = None  # number of colours in all pictures together; None: up to five
    repairs: bool = True  # whether pixels may be changed where no game leaves a picture


_DEFAULT_SETTINGS: Final = SharedSettings()


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

    @property
    def plan(self) -> Plan:
        """The slideshow as one plan; its ``stops`` are the drops that complete a picture."""
        played = self.results[1:] if self.loops else self.results
        plans = [result.plan for result in played]
        return replace(
            plans[0],
            passes=tuple(plan_pass for plan in plans for plan_pass in plan.passes),
            stops=tuple(sorted({stop for stop in accumulate(map(len, plans)) if stop})),
        )

    @property
    def drops(self) -> int:
        """The number of drops."""
        return len(self.plan)

    def save(self, path: str | Path, rendering: Rendering | None = None, **options: Any) -> None:
        """Write the slideshow in the format of the file name; see ``PrintResult.save``."""
        from tetrisprinter.formats import find_format, write_game
        from tetrisprinter.render.save import save

        if find_format(path) is not None:
            write_game(self.plan, path)
        else:
            save(self.plan, path, rendering, **options)

    def __repr__(self) -> str:
        names = ", ".join(result.task.name for result in self.results)
        return f"<Slideshow {format_count(self.drops, 'drop')} on {self.plan.board}: {names}>"


def print_slideshow(
    pictures: Iterable[object],
    *,
    board: Board | str | tuple[int, int] | None = None,
    types: str | Mapping[PieceType, Color] | None = None,
    colors: int | None = None,
    loop: bool = False,
    limit: Limit | None = None,
) -> Slideshow:
    """Print several pictures in one game, each on the field that the previous picture leaves.

    Parameters
    ----------
    pictures : iterable
        Pictures in any form that :func:`~tetrisprinter.api.print_picture` accepts, in order.
    board : Board, str or (int, int), optional
        The board of all pictures; by default of an odd width, and large enough for them.
    types : str or mapping, optional
        The colour of each type, ``"classic"`` (J, T and L) or ``"auto"`` (the default): the types
        are shared among the colours of all pictures.
    colors : int, optional
        The maximum number of colours in all pictures together; by default five.
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
    images, read_steps = read_pictures(map(find_source, pictures))
    tasks, steps = make_slideshow_tasks(images, SharedSettings(board, types, colors))
    return replace(plan_slideshow(tasks, loop=loop, limit=limit), steps=read_steps + steps)


def read_picture(
    source: Source, conversion: Conversion = _DEFAULT_CONVERSION
) -> tuple[Picture, tuple[Step, ...]]:
    """Read a picture of a slideshow; return the picture without its empty margin, and the steps."""
    converted = source.read(conversion)
    return Picture(converted.picture.trim().rows, source.name), converted.steps


def read_pictures(sources: Iterable[Source]) -> tuple[list[Picture], tuple[Step, ...]]:
    """Read pictures as :func:`read_picture` does; each step names its picture."""
    pictures, steps = [], []
    for source in sources:
        picture, own_steps = read_picture(source)
        pictures.append(picture)
        steps += [replace(step, text=f"{picture.name}: {step.text}") for step in own_steps]
    return pictures, tuple(steps)


def plan_slideshow(
    tasks: Sequence[Task],
    *,
    loop: bool = False,
    limit: Limit | None = None,
    report: Callable[[Progress], None] = ignore,
    start: Rows = (),
    journal: Journal | None = None,
) -> Slideshow:
    """Plan tasks one after the other; they have the same board and the same types.

    ``start`` has the rows before the first drop; ``report`` gets the progress. The ``journal`` of
    :func:`open_journal` stores each finished game and supplies the games of an earlier run. The
    other arguments are those of :func:`print_slideshow`.
    """
    if loop and len(tasks) == 1:
        raise InputError("a slideshow in a loop needs two pictures or more, got 1")
    search_limit = limit or Limit(workers=os.cpu_count() or 1)
    _check_counts(tasks, start)
    queue = [*tasks, tasks[0]] if loop else list(tasks)
    results: list[PrintResult] = []
    rows = start
    for number, task in enumerate(queue):
        report(Progress(f"picture {number + 1} of {len(queue)}", number / len(queue)))
        # A loop begins and ends with the field that the first picture leaves.
        task_on_field = task.with_start(rows)
        result = None if journal is None else _read_stored_result(journal, number, task_on_field)
        if result is None:
            result = _plan_picture(task_on_field, search_limit)
            if result.stopped and search_limit.seconds is None:  # stopped by a signal
                raise KeyboardInterrupt
            if journal is not None:
                _store_result(journal, number, result)
        results.append(result)
        rows = result.game.field.used_rows
    return Slideshow(tuple(results), loop)


def _plan_picture(task: Task, limit: Limit) -> PrintResult:
    """Plan one picture; an error gets hints that a slideshow accepts."""
    try:
        return make_plan(task, "auto", Run(limit))
    except InternalError:
        raise
    except JobError as error:
        if all(setting in _SLIDESHOW_SETTINGS for hint in error.hints for setting in hint.settings):
            raise
        board = task.board
        wider = f"{board.width + MARGIN}x{board.height + MARGIN}"
        slideshow_error = type(error)(
            error.message,
            Hint(f"{{}} {wider} leaves more room", Setting.BOARD),
            Hint(f"or {{}} {_DEFAULT_COLOR_COUNT}", Setting.COLORS),
        )
        slideshow_error.obstacle = error.obstacle
        raise slideshow_error from None


def open_journal(path: str | Path, tasks: Sequence[Task], start: Rows = ()) -> Journal:
    """Return the journal of a slideshow; it ignores the games of other slideshows."""
    request = [
        [task.picture.rows, str(task.board), task.column, str(task.types), task.background]
        for task in tasks
    ]
    return Journal(Path(path), [request, [row.hex() for row in start]])


def _read_stored_result(journal: Journal, number: int, task: Task) -> PrintResult | None:
    """Return a picture's stored result, replayed and checked; None if the journal has none."""
    stored = journal.read().get(journal.make_key(number))
    if stored is None:
        return None
    plan = Plan.parse(stored["plan"], str(journal.path))
    return PrintResult.of(task, plan, stored["planner"], stored["seconds"])


def _store_result(journal: Journal, number: int, result: PrintResult) -> None:
    entry = {"plan": str(result.plan), "planner": result.planner, "seconds": result.seconds}
    with journal.open() as file:
        file.write(json.dumps([journal.make_key(number), entry]) + "\n")


def make_slideshow_tasks(
    pictures: Sequence[Picture], shared: SharedSettings = _DEFAULT_SETTINGS
) -> tuple[list[Task], tuple[Step, ...]]:
    """Return tasks for pictures that share board and types, and the steps that changed pictures."""
    if not pictures:
        raise InputError("a slideshow needs a picture, got none")
    for picture in pictures:
        if not picture.rows:
            raise InputError(f"{picture.name}: the picture is empty; nothing to print")
    reduced, steps = _share_palette(pictures, shared.colors)
    playfield = Board.convert(shared.board) if shared.board is not None else _choose_board(reduced)
    _check_size(reduced, playfield)
    type_colors = read_types(shared.types or "auto")
    if isinstance(type_colors, str):
        assign_types = assign_classic_types if type_colors == "classic" else share_types
        type_colors = TypeColors.of(assign_types(_join_pictures(reduced)))
    tasks = []
    for picture in reduced:
        column = (playfield.width - picture.width) // 2
        task = Task.of(picture, playfield, type_colors, column=column)
        may_change = shared.repairs and find_unit(playfield.width) == 1
        repaired, changes = repair_task(task) if may_change else (picture, ())
        if changes:
            pixels = "1 pixel" if len(changes) == 1 else f"{len(changes)} pixels"
            steps += (Step(f"{picture.name}: {pixels} repaired", Setting.EXACT),)
            task = replace(task, picture=repaired)
        tasks.append(task)
    return tasks, steps


def make_clock_tasks(
    first: int,
    count: int,
    color: Color = "f5f5f5",
    layout: Layout = "steps",
    board: Board | str | None = None,
    types: str | Mapping[PieceType, Color] | None = None,
) -> list[Task]:
    """Return a clock's tasks, one for each minute from ``first``, each on an empty board."""
    playfield = Board.convert(board) if board is not None else Board(*_CLOCK_BOARDS[layout])
    type_colors = read_types(types) if types is not None else None
    if type_colors is None or isinstance(type_colors, str):
        shown_types = CLASSIC_TYPES if type_colors == "classic" else PieceType
        type_colors = TypeColors.of(dict.fromkeys(shown_types, color))
    max_width = max(
        left_margin + face.width
        for face, left_margin in (draw_clock(m, color, layout) for m in (0, 671))
    )
    tasks = []
    for minute in range(first, first + count):
        picture, left_margin = draw_clock(minute, color, layout)
        column = (playfield.width - max_width) // 2 + left_margin
        tasks.append(Task(picture, playfield, column, type_colors))
    _check_size([task.picture for task in tasks], playfield)
    return tasks


def continue_file(
    path: str | Path,
    pictures: Sequence[Picture],
    shared: SharedSettings,
    limit: Limit | None = None,
    report: Callable[[Progress], None] = ignore,
    games: Path | None = None,
) -> tuple[list[Task], tuple[Step, ...], Rows]:
    """Prepare pictures to follow a game or a picture from a file; return tasks, steps, start rows.

    An image file, recognised by its extension, is printed first. The image shares board and types
    with the other pictures, and its game is stored in the file ``games``, beside the games of
    the slideshow (:func:`open_journal`). Any other file is read as a game.
    """
    if Path(path).suffix.lower() not in IMAGE_SUFFIXES:
        from tetrisprinter.formats import read_game

        return continue_game(read_game(path), pictures, shared, str(path))
    first_pictures, first_steps = read_pictures([find_source(path)])
    tasks, steps = make_slideshow_tasks([*first_pictures, *pictures], shared)
    journal = None if games is None else open_journal(games, tasks[:1])
    first_show = plan_slideshow(tasks[:1], limit=limit, report=report, journal=journal)
    return tasks[1:], first_steps + steps, first_show.results[-1].game.field.used_rows


def continue_game(
    plan: Plan,
    pictures: Sequence[Picture],
    shared: SharedSettings = _DEFAULT_SETTINGS,
    name: str = "the game",
) -> tuple[list[Task], tuple[Step, ...], Rows]:
    """Prepare pictures to follow a game; return tasks, steps and the rows that the game leaves.

    Types keep the colours that they have in the game. New colours get types that have no colour
    yet, or types of which the game leaves no square.
    """
    if shared.board or shared.types:
        raise InputError(
            f"{name}: the game sets the board and the types; leave --board and --types out"
        )
    rows = play_through(plan).field.used_rows
    reduced, steps = _share_palette(pictures, shared.colors)
    types = dict(plan.colors)
    needed_colors = {color for picture in reduced for color in picture.colors()}
    visible_types = {PieceType(value) for row in rows for value in row if value}
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
        raise InputError(
            f"too many new colours: the pictures add {len(new_colors)}, but only {len(free)} piece "
            "types are free in the game",
            *([Hint(f"{{}} {color_limit} is enough", Setting.COLORS)] if color_limit else ()),
        )
    for color, piece in zip(new_colors, free, strict=False):
        types[piece] = color
    _check_size(reduced, plan.board, of_game=True)
    tasks, task_steps = make_slideshow_tasks(
        reduced, SharedSettings(plan.board, types, _MAX_COLOR_COUNT, repairs=shared.repairs)
    )
    return tasks, steps + task_steps, rows


def _share_palette(
    pictures: Sequence[Picture], colors: int | None
) -> tuple[list[Picture], tuple[Step, ...]]:
    """Reduce the pictures to one palette of up to ``colors`` colours; return pictures and steps."""
    counts: dict[Color, int] = {}
    for picture in pictures:
        for color in picture.cells().values():
            counts[color] = counts.get(color, 0) + 1
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
    rgb_colors = [parse_rgb(color) for color in sorted(counts)]
    points = [to_point(rgb) for rgb in rgb_colors for _ in range(counts[bytes(rgb).hex()])]
    *_, palette = choose_palettes(points, color_limit)
    palette = recolor(palette, points)
    new_colors = {
        bytes(rgb).hex(): bytes(to_rgb(palette[find_nearest(to_point(rgb), palette)[0]])).hex()
        for rgb in rgb_colors
    }
    text = f"{len(rgb_colors)} colours in all pictures reduced to {color_limit}"
    recolored = [
        Picture(
            tuple(tuple(c and new_colors[c] for c in row) for row in picture.rows), picture.name
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
        names = ", ".join(f"{task.name} ({task.pixels} squares)" for task in refused)
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
