"""Fumen (``v115@...``), the format in which the Tetris community shares games.

A fumen is a string of *pages*. A page is a field with at most one piece. When the piece locks, full
rows clear, and the next page begins with the resulting field. So a game has one page per drop
and a last page that shows the final field. ``py-fumen-py``, the Python port of the reference
implementation, packs the bits; this module translates between its pages and plans.

Most fumens begin with squares on the field, some of them grey. A page may also show a piece without
locking it; such a page is no drop.

A fumen has ten columns, 23 rows, and standard colours. The comment of the first page has the
plan's header (board, colours, background), so that reading the string gives the same plan. If the
plan has a piece queue, each page's comment begins with a *quiz*: the held piece and the queue.

A *lesson* is a fumen for Jstris, in which the player must place each piece. Users of Jstris make
lessons as *user modes* with the *tutor maker*
(github.com/TSTnb/jstris-tutor-maker), which reads a fumen. According to its source, version 0.3.2:

* Each page is a piece to place. A last page without a piece, as in an ordinary fumen, would stop
  the player.
* A page's comment is a quiz, ``#Q=[hold](current)next``; text after a semicolon is ignored. A
  piece that is not the current piece comes out of the hold. Without a quiz the pieces of the pages
  are the queue.
* Only the lowest twenty rows are used, and the board starts empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final
from urllib.parse import unquote

from tetrisprinter.errors import Hint, InputError, JobError, Setting, give_notice
from tetrisprinter.formats import Format
from tetrisprinter.game.field import Playfield, Rows, check_start
from tetrisprinter.game.piece_queue import STANDARD_COLORS, PieceQueue, spell_pieces
from tetrisprinter.game.pieces import GREY, PieceType, Placement
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_plan_from_drops, play
from tetrisprinter.game.steering import can_tuck

WIDTH: Final = 10
HEIGHT: Final = 23
_QUIZ: Final = re.compile(r"#Q=\[([IJLOSTZ]?)\]\(([IJLOSTZ])\)([IJLOSTZ]*);?")
_VIEWER: Final = "https://fumen.zui.jp/?"
"""The address of the program that invented fumens, to which a fumen is added."""

_MARK: Final = re.compile(r"[vmd](115|110)@")


def format_fumen(
    plan: Plan, source: str = "plan", height: int = HEIGHT, *, with_end: bool = True
) -> str:
    """Write a game as a fumen of ``height`` rows, with or without a page for the final field."""
    import py_fumen_py as fumen

    if plan.width != WIDTH:
        raise JobError(
            f"{source}: the board has {plan.width} columns; a fumen has {WIDTH}",
            Hint(f"plan the picture for {{}} {WIDTH}x{min(plan.height, HEIGHT)}", Setting.BOARD),
        )
    first_field = fumen.Field()
    for y, row in enumerate(plan.start):
        for x, value in enumerate(row):
            if value:
                name = "X" if value == GREY else PieceType(value).name
                first_field.fill(x, y, fumen.Mino[name])
    pages: list[Any] = []
    comments = _make_comments(plan)
    for drop in play(plan, plan.make_field()):
        landing = drop.landing
        if landing.y + landing.orientation.height > height:
            raise JobError(
                f"{source}: drop {drop.index + 1} of {len(plan)} comes to rest above row {height}, "
                f"where {'a fumen' if with_end else 'the board of a lesson'} ends"
            )
        rotation, dx, dy = _map_rotations()[landing.orientation.index]
        operation = fumen.Operation(
            fumen.Mino[landing.orientation.piece.name], rotation, landing.x + dx, landing.y + dy
        )
        pages.append(
            fumen.Page(
                field=None if pages else first_field,
                operation=operation,
                comment=comments[drop.index],
                flags=fumen.Flags(),
            )
        )
    if with_end:  # the last drop may clear rows, and only another page shows the final field
        pages.append(
            fumen.Page(
                field=None if pages else first_field, comment=comments[-1], flags=fumen.Flags()
            )
        )
    return str(fumen.encode(pages))


def make_address(fumen: str) -> str:
    """Return the address of a page that shows a fumen.

    >>> make_address("v115@vhAAgH")
    'https://fumen.zui.jp/?v115@vhAAgH'
    """
    return _VIEWER + fumen.strip()


def parse_fumen(text: str, source: str = "fumen", board: tuple[int, int] | None = None) -> Plan:
    """Read a fumen whose pages are the drops of a game; ``board`` is ignored.

    The game begins with the squares on the field of the first page that drops a piece.
    """
    header, page_number = "", 0  # after the loop: the number of pages
    start: Rows = ()
    field = Playfield(WIDTH, HEIGHT)
    drops: list[Placement] = []
    shown_pages: list[int] = []  # the pages that show a piece without locking it
    for page_number, (rows, piece, action, comment) in enumerate(_read_pages(text, source), 1):
        place = f"{source}: page {page_number}"
        header = header or comment
        if not drops:
            start = check_start(rows, WIDTH, HEIGHT, f"{place}: its field")
            field = Playfield.from_rows(WIDTH, HEIGHT, start)
        if any(
            list(map(bool, row)) != list(map(bool, own))
            for row, own in zip(rows, field.rows, strict=True)
        ):
            raise InputError(f"{place} does not show the field that the pages before it leave")
        for is_set, problem in ((action.rise, "lets the field rise by a row"),
                                (action.mirror, "mirrors the field")):  # fmt: skip
            if is_set:
                raise InputError(f"{place} {problem}; expected drops only")
        if piece is None:
            continue
        if not action.lock:
            shown_pages.append(page_number)
            continue
        if not field.can_hard_drop(piece) and not can_tuck(field, piece):
            name = piece.orientation.piece.name
            raise InputError(f"{place}: the {name} cannot reach its place by a drop or a tuck")
        field.drop(piece.orientation, piece.x, piece.y)
        drops.append(piece)
    if not drops and not start:
        raise InputError(f"{source}: not a game; none of its {page_number} pages drops a piece")
    if shown_pages:
        numbers = ", ".join(map(str, shown_pages))
        pages = f"page {numbers} shows" if len(shown_pages) == 1 else f"pages {numbers} show"
        give_notice(f"{source}: {pages} a piece that does not lock; ignored")
    quiz = _QUIZ.match(header)
    base = _parse_comment(header[quiz.end() :] if quiz else header)
    start = check_start(start, base.width, base.height, f"{source}: its field")
    stops = base.stops if not base.stops or base.stops[-1] <= len(drops) else ()
    queue = base.queue
    if queue is None and quiz and not quiz[1]:
        queue = PieceQueue.parse(quiz[2] + quiz[3])
    if queue is not None:
        try:
            queue = queue.trim_to_played(piece.orientation.piece for piece in drops)
        except InputError:  # the game does not follow this queue
            queue = None
    return make_plan_from_drops(
        drops, base.colors, base.width, base.height, base.background, start, stops, queue
    )


def _make_comments(plan: Plan) -> list[str]:
    """Return the comment of each page: the queue, and on the first page the plan's header.

    Viewers draw a comment of the form ``#Q=[hold](current)next``, a quiz, as a queue. After a
    semicolon any text may follow.
    """
    if plan.queue is None:
        return [plan.header] * (len(plan) + 1)
    comments: list[str] = []
    for turn in plan.queue.trace_turns(plan.list_types()):
        held, current = ("" if piece is None else piece.name for piece in (turn.held, turn.current))
        upcoming = spell_pieces(plan.queue.pieces[turn.position + 1 :])
        comments.append(f"#Q=[{held}]({current}){upcoming};{'' if comments else plan.header}")
    return [*comments, ""]


def _read_pages(
    text: str, source: str
) -> Iterator[tuple[list[list[int]], Placement | None, Any, str]]:
    """Yield each page before its piece is locked: rows from below, piece, flags and comment.

    The loop of the library would apply a page's flags before they can be refused.
    """
    from py_fumen_py.constant import FieldConstants, FieldConstants110
    from py_fumen_py.fumen_buffer import FumenBufferReader

    version, data = _extract_data(text, source)
    reader = FumenBufferReader(FieldConstants if version == "115" else FieldConstants110, data)
    number, comment = 0, ""
    while reader:
        number += 1
        try:
            fumen_field, _ = reader.read_field()
            action = reader.read_action()
            comment = reader.read_comment() if action.comment else comment
            rows = [
                [_read_square(fumen_field.at(x, y)) for x in range(WIDTH)] for y in range(HEIGHT)
            ]
            operation = action.operation
            piece = Placement.find(operation.shape()) if operation.mino.is_colored() else None
        except Exception as error:  # damaged data can make the library raise any error
            if not reader:
                raise InputError(
                    f"{source}: the string ends in the middle of page {number}; expected the whole "
                    "fumen"
                ) from error
            raise InputError(
                f"{source}: page {number} cannot be read; the string is damaged there or before"
            ) from error
        yield rows, piece, action, comment
        fumen_field.apply_action(action)


def _read_square(mino: Any) -> int:
    """Return the value of a square of the library's field; all but the seven types are grey."""
    return int(PieceType.__members__.get(mino.name, GREY)) if mino else 0


def _extract_data(text: str, source: str) -> tuple[str, str]:
    """Return the version (115 or 110) of the only fumen in a text, and its encoded pages."""
    text = unquote(text)  # an address may write @ + / as %40 %2B %2F
    marks = list(_MARK.finditer(text))
    if not marks:
        raise InputError(f"{source}: not a fumen; expected a text that begins with v115@")
    if len(marks) > 1:
        raise InputError(f"{source}: {len(marks)} fumens in one file; expected one")
    data = re.sub(r"[?\r\n]", "", text[marks[0].end() :].partition("&")[0].strip())
    invalid = re.search(r"[^A-Za-z0-9+/]", data)
    if invalid:
        raise InputError(
            f"{source}: not a fumen: invalid {invalid[0]!r} after {marks[0][0]}; expected letters, "
            "digits, + and /"
        )
    return marks[0][1], data


@cache
def _map_rotations() -> dict[int, tuple[Any, int, int]]:
    """Map each orientation, by index, to a fumen's rotation and the position of its centre."""
    import py_fumen_py as fumen

    rotations: dict[int, tuple[Any, int, int]] = {}
    order = (
        fumen.Rotation.SPAWN,
        fumen.Rotation.RIGHT,
        fumen.Rotation.REVERSE,
        fumen.Rotation.LEFT,
    )
    for piece in PieceType:
        for rotation in order:
            shape = fumen.Operation(fumen.Mino[piece.name], rotation, 0, 0).shape()
            placement = Placement.find((x, y) for x, y in shape)
            assert placement is not None
            rotations.setdefault(
                placement.orientation.index, (rotation, -placement.x, -placement.y)
            )
    return rotations


_STANDARD: Final = tuple(STANDARD_COLORS.items())


def _parse_comment(comment: str) -> Plan:
    """Return a plan without drops from a header; the default has standard colours, 10 x 23."""
    try:
        plan = Plan.parse(comment)
    except InputError:
        plan = Plan((), ())
    return plan if plan.width == WIDTH else Plan((), _STANDARD, WIDTH, HEIGHT)


FUMEN: Final = Format(
    "fumen",
    (".fumen",),
    "a fumen",
    # The first line contains the mark of a fumen's version
    lambda start: _MARK.search(unquote(start.partition("\n")[0])) is not None,
    parse_fumen,
    lambda plan, source: format_fumen(plan, source) + "\n",
)


_ROWS: Final = 20


def format_lesson(plan: Plan, source: str = "plan") -> str:
    """Write a game as a fumen for the tutor maker."""
    if plan.start:
        raise JobError(
            f"{source}: the game begins with squares on the board; a lesson begins with none"
        )
    return format_fumen(plan, source, _ROWS, with_end=False)
