"""Text formats of games: plans, TETR.IO maps, drop logs, and the list of all other formats.

:func:`read_game` recognises the format of a file by its content. :func:`write_game` writes the
format of the file's extension. A new format is a module with a :class:`Format`, and a line in
:data:`FORMATS`; commands and help texts then include it. ``docs/extending.md`` has an example.

Words: docs/glossary.md
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final

from tetrisprinter.errors import Hint, InputError, JobError, Setting
from tetrisprinter.game.field import Playfield, Rows, parse_start
from tetrisprinter.game.piece_queue import PieceQueue, QueueRules, spell_pieces
from tetrisprinter.game.pieces import GREY, PieceType, Placement
from tetrisprinter.game.plan import HasPlan, Plan
from tetrisprinter.game.replay import make_drop_log, make_plan_from_drops, play_through
from tetrisprinter.game.steering import can_tuck
from tetrisprinter.pictures.picture import is_color
from tetrisprinter.support import LazyDict
from tetrisprinter.support.files import decode_text, is_file, parse_json, read_text, write_text

_START: Final = 4096  # the number of leading characters by which a format is recognised


@dataclass(frozen=True, slots=True)
class Format:
    """A text form of games."""

    name: str  # the name of the format in :data:`FORMATS`
    extensions: tuple[str, ...]  # in lower case and with the dot; the usual extension is first
    summary: str  # a noun phrase with its article: "a fumen"
    can_parse: Callable[[str], bool]  # whether the start of a text shows that it has this format
    # Reads the game of a text with this name, on a board of this size if the text names none
    parse_text: Callable[[str, str, tuple[int, int] | None], Plan]
    # Writes a game, with its name for messages, as text that ``parse_text`` reads as the same drops
    # on the same board
    format_plan: Callable[[Plan, str], str]

    def parse(self, text: str, source: str = "game", board: tuple[int, int] | None = None) -> Plan:
        """Read a game; ``source`` is its name in messages."""
        return self.parse_text(text, source, board)

    def format(self, plan: Plan, source: str = "plan") -> str:
        """Write a game as text; ``source`` is its name in messages."""
        return self.format_plan(plan, source)


FORMATS: Final = LazyDict[Format](
    {
        "text": "tetrisprinter.formats:TEXT",
        "art": "tetrisprinter.formats.art:ART",
        "fumen": "tetrisprinter.formats.fumen:FUMEN",
        "drop_log": "tetrisprinter.formats:DROP_LOG",
    }
)
"""All formats by name; the first, the format of plans, is the default if no format fits a text."""

_EXPORTS: Final = LazyDict[Callable[[Plan, str], str]](
    {
        ".tetrio": "tetrisprinter.formats:format_map",
        ".lesson": "tetrisprinter.formats.fumen:format_lesson",
    }
)
"""Functions that write a format which cannot be read, by extension."""


def find_format(path: str | PurePath) -> Format | None:
    """Return the format with the longest extension that ends a file's name, or None.

    >>> find_format("game.FUMEN").summary, find_format("a.drops.json").name, find_format("game")
    ('a fumen', 'drop_log', None)
    """
    name = PurePath(path).name.lower()
    matches = [
        (len(ext), format_)
        for format_ in FORMATS.values()
        for ext in format_.extensions
        if name.endswith(ext)
    ]
    return max(matches, key=lambda pair: pair[0])[1] if matches else None


def read_game(path: str | Path, board: tuple[int, int] | None = None) -> Plan:
    """Read a game of any format as a plan.

    Parameters
    ----------
    path : str or Path
        The file. Its content decides the format, or else its name; the default is a plan. Instead
        of a file, a fumen (``v115@...``) or the address of one may be given as a string.
    board : (int, int), optional
        Width and height of the board, for a file that does not give its board.

    Raises
    ------
    InputError
        If the file cannot be read; the message names the line or drop.
    """
    return parse_game(read_game_text(path), path, board)


def is_pasted_fumen(path: str | Path) -> bool:
    """Return whether an argument is a fumen or the address of one, and not the name of a file.

    >>> is_pasted_fumen("https://fumen.zui.jp/?v115@vhAAgH"), is_pasted_fumen("a.fumen")
    (True, False)
    """
    return isinstance(path, str) and FORMATS["fumen"].can_parse(path) and not is_file(path)


def name_game(path: str | Path) -> str:
    """Return the name of a game in messages and titles: its file's name, or ``fumen``."""
    return "fumen" if is_pasted_fumen(path) else str(path)


def read_game_text(path: str | Path) -> str:
    """Return the text of a game: the content of a file, or the fumen given in place of a file."""
    if is_pasted_fumen(path):
        return str(path)
    text = read_text(path, list_formats())
    if not text:
        raise InputError(f"{path}: the file is empty; expected {list_formats()}")
    return text


def decode_game(data: bytes) -> str | None:
    """Return the text of a game; None if the data is something else, such as an image."""
    try:
        text = decode_text(data, "game")
    except InputError:
        return None
    return text if _find_by_content(text) is not None or is_map(text) else None


def parse_game(text: str, path: str | Path, board: tuple[int, int] | None = None) -> Plan:
    """Read the text of a game; ``path`` is its file. The rest is as in :func:`read_game`."""
    if is_map(text):
        return read_plan_beside(text, path)
    return _recognise_format(text, path).parse(text, name_game(path), board)


def _find_by_content(text: str) -> Format | None:
    """Return the format that a text shows at its start, or None."""
    start = text.lstrip("\ufeff \t\r\n")[:_START]
    return next((form for form in FORMATS.values() if form.can_parse(start)), None)


def _recognise_format(text: str, path: str | Path) -> Format:
    """Return the format of a text, by its content or else by the name of its file."""
    return _find_by_content(text) or find_format(path) or FORMATS["text"]


def list_skipped_moves(
    text: str, path: str | Path, board: tuple[int, int] | None = None
) -> list[str]:
    """List the moves of an art file (see ``art``) that its game skips, one sentence each.

    The list is empty for all other formats. ``text`` is the content of the file ``path``.
    """
    if _recognise_format(text, path) is not FORMATS["art"]:
        return []
    from tetrisprinter.formats.art import read_art

    return read_art(text, str(path), board)[1]


def format_game(plan: Plan, path: str | PurePath, source: str = "plan") -> str:
    """Return a game in the format of a file's name; the default is a plan.

    ``.tetrio`` gives a TETR.IO map with the pieces only, ``.lesson`` a fumen for Jstris lessons.
    """
    extension = PurePath(path).suffix.lower()
    if extension in _EXPORTS:
        return _EXPORTS[extension](plan, source) + "\n"
    return (find_format(path) or FORMATS["text"]).format(plan, source)


def write_game(plan: Plan | HasPlan, path: str | Path) -> None:
    """Write a plan, or the plan of a result, to a file in the format of its name.

    Raises
    ------
    ArgumentError
        If ``plan`` is neither a plan nor a result.
    InputError
        If the file cannot be written.
    JobError
        If the format cannot express the game.
    """
    write_text(path, format_game(Plan.unwrap(plan), path, str(path)))


def can_write_game(path: str | PurePath) -> bool:
    """Return whether a file's name is that of a game; a name without an extension is a plan's."""
    extension = PurePath(path).suffix.lower()
    return not extension or extension in _EXPORTS or find_format(path) is not None


def list_formats() -> str:
    """Return the formats of games as text.

    >>> list_formats()
    'a plan, an art file, a fumen or the game as played'
    """
    *others, last = [form.summary for form in FORMATS.values()]
    return f"{', '.join(others)} or {last}"


def list_game_extensions() -> tuple[str, ...]:
    """List the extensions of all formats of games."""
    return (*(ext for form in FORMATS.values() for ext in form.extensions), *_EXPORTS)


OWN_COLORS: Final = (".fumen", ".lesson", ".tetrio")
"""The extensions of formats whose programs fix the colour of each type."""


def find_patchy_colors(plan: Plan, field: Playfield) -> dict[str, tuple[PieceType, ...]]:
    """Return the colours that several types show on a plan's final field, with these types.

    >>> from tetrisprinter.game.plan import Plan
    >>> from tetrisprinter.game.replay import play_through
    >>> plan = Plan.parse("board 8x6 O=ff0000 I=ff0000 T=00ff00\\n\\n.....BB.\\nAAAA.BB.\\n")
    >>> find_patchy_colors(plan, play_through(plan).field)
    {'ff0000': (<PieceType.I: 1>, <PieceType.O: 4>)}
    """
    counts = Counter(square for row in field.rows for square in row if square)
    types_of_color: dict[str, tuple[PieceType, ...]] = {}
    for number, _ in counts.most_common():
        color = plan.color_of.get(PieceType(number)) if number != GREY else None
        if color is not None and color != plan.background:
            types_of_color[color] = (*types_of_color.get(color, ()), PieceType(number))
    return {color: pieces for color, pieces in types_of_color.items() if len(pieces) > 1}


# The text form of plans (tetrisprinter.game.plan), the only lossless format.

_HEADER: Final = re.compile(
    r"board \d+x\d+|[0-9a-f]{6}( [0-9a-f]{6}){2}( background=[0-9a-f]{6})?\s*(\n|$)"
)


TEXT: Final = Format(
    "text",
    (".txt", ".plan"),
    "a plan",
    lambda start: _HEADER.match(start) is not None,
    lambda text, source, board: Plan.parse(text, source),  # a plan names its board
    lambda plan, source: str(plan),
)


# TETR.IO maps: a starting field and a piece queue, as a string of 400 characters, ten columns by
# forty rows from the top row down: "_" is empty, "z l o s i j t" are squares of the types, "#" is
# garbage, and "@" is garbage that does not clear. The queue follows after a "?", and the held piece
# after another "?". After the queue the game deals its own pieces.
#
# A map has no drops, so it is not a format of games. A plan with a piece queue is written as an
# empty field with this queue, so that a player gets the same pieces. Reading a map gives its queue.
# The drops of a map are in a plan beside it: print --for tetrio writes heart.tetrio.txt beside
# heart.tetrio.
#
# Source: the Tetris wiki (https://tetris.wiki/User:ZaptorZap).

_WIDTH: Final = 10
_CELLS: Final = 400
_MAP: Final = re.compile(r"([_#@zlosijt]{400})(?:\?([zlosijt]*))?(?:\?([zlosijt]?))?", re.I)


def format_map(plan: Plan, source: str = "plan") -> str:
    """Write the pieces of a plan as a map with an empty field."""
    if plan.queue is None:
        raise JobError(
            f"{source}: the game has no piece queue; a TETR.IO map needs one (plan it with "
            "--pieces)"
        )
    if plan.start:
        raise JobError(
            f"{source}: the game begins with squares on the board; a TETR.IO map of a print begins "
            "with none"
        )
    if plan.width != _WIDTH or plan.height > _CELLS // _WIDTH:
        raise JobError(
            f"{source}: the board is {plan.width}x{plan.height}; a TETR.IO map has 10x40 squares",
            Hint("plan the picture for {} 10x20", Setting.BOARD),
        )
    return "_" * _CELLS + "?" + spell_pieces(plan.queue.pieces).lower()


def is_map(text: str) -> bool:
    """Return whether a text is a map, apart from its piece queue."""
    return _MAP.match(text.strip()) is not None


def read_plan_beside(text: str, path: str | Path) -> Plan:
    """Return the plan that lies beside a map and plays the map's pieces."""
    queue = parse_map(text, str(path))
    plan_files = [Path(f"{path}.txt"), Path(path).with_suffix(".txt")]
    for plan_file in filter(is_file, plan_files):
        try:
            plan = Plan.read(plan_file)
        except InputError:
            continue  # another text of the same name
        if plan.queue is not None and plan.queue.pieces == queue.pieces:
            return plan
    raise InputError(
        f"{path}: a TETR.IO map has pieces but no drops; expected the plan of its game in "
        f"{' or '.join(map(str, plan_files))}"
    )


def parse_map(text: str, source: str = "map") -> PieceQueue:
    """Read the queue of a map with an empty field and an empty hold."""
    match = _MAP.fullmatch(text.strip())
    if match is None:
        raise InputError(
            f"{source}: not a TETR.IO map; expected 400 squares _ z l o s i j t # @, then ? and a "
            "queue"
        )
    filled = _CELLS - match[1].count("_")
    if filled:
        raise InputError(
            f"{source}: {filled} squares on the field; a print begins with an empty board"
        )
    if not match[2]:
        raise InputError(f"{source}: no queue; expected pieces after the field")
    if match[3]:
        raise InputError(f"{source}: a piece in hold; a print begins with an empty hold")
    return PieceQueue.parse(match[2].upper())


def read_pieces(text: str) -> QueueRules:
    """Read a queue from a map or from a text that :meth:`QueueRules.parse` reads.

    >>> read_pieces("_" * 400 + "?tio") == read_pieces("TIO") == QueueRules.parse("TIO")
    True
    """
    if len(text) < _CELLS or "?" not in text:
        return QueueRules.parse(text)
    return QueueRules(parse_map(text).pieces, 0)


# The drop log: the played game as JSON, with the cells of every piece (docs/formats.md). A program
# that replays a log needs no rules of falling, because each drop has its cells. Reading a log
# checks that every piece can fall or be steered to its cells.

_LIMIT: Final = 9999  # columns or rows, as in a plan


def parse_drop_log(text: str, source: str = "drops", board: tuple[int, int] | None = None) -> Plan:
    """Read a drop log; ``board`` is ignored, because a log names its own."""
    content = _load(text, source)
    width, height = (_read_side(content, side, source) for side in ("width", "height"))
    colors = _read_colors(content, source)
    start = _read_start(content, width, height, source)
    field = Playfield.from_rows(width, height, start)
    drops: list[Placement] = []
    for number, drop in enumerate(content["drops"], 1):
        piece = _read_placement(drop, f"{source}: drop {number}")
        if not field.can_hard_drop(piece) and not can_tuck(field, piece):
            raise InputError(
                f"{source}: drop {number}: the {piece.orientation.piece.name} cannot "
                "reach its place by a drop or a tuck"
            )
        field.drop(piece.orientation, piece.x, piece.y)
        drops.append(piece)
    background = _read_background(content, source)
    stops = _read_stops(content, len(drops), source)
    return make_plan_from_drops(drops, colors, width, height, background, start, stops)


def format_drop_log(plan: Plan, source: str = "plan") -> str:
    """Play the plan and write its log."""
    return json.dumps(make_drop_log(plan, play_through(plan)))


DROP_LOG: Final = Format(
    "drop_log",
    (".drops.json",),
    "the game as played",
    lambda start: start.startswith("{") and '"drops"' in start,
    parse_drop_log,
    format_drop_log,
)


def _load(text: str, source: str) -> dict[str, Any]:
    """Read the JSON object of a drop log."""
    content = parse_json(text, source)
    if not isinstance(content, dict) or not isinstance(content.get("drops"), list):
        raise InputError(
            f"{source}: not a drop log; expected a JSON object with 'width', 'height', "
            "'colors' and a list of 'drops'"
        )
    return content


def _read_side(content: dict[str, Any], side: str, source: str) -> int:
    """Read the width or the height of the board."""
    value = content.get(side)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _LIMIT:
        raise InputError(f"{source}: invalid '{side}'; expected a whole number from 1 to {_LIMIT}")
    return value


def _read_colors(content: dict[str, Any], source: str) -> tuple[tuple[PieceType, str], ...]:
    """Read the colours of the types."""
    value = content.get("colors")
    if not isinstance(value, dict):
        raise InputError(
            f"{source}: invalid 'colors'; expected an object of piece types and colours"
        )
    colors = []
    for name, color in value.items():
        piece = PieceType.__members__.get(name)
        if piece is None or not is_color(color):
            raise InputError(
                f"{source}: invalid entry {name!r} ({color!r}) of 'colors'; expected a piece type "
                "and six lower-case hex digits"
            )
        colors.append((piece, color))
    return tuple(colors)


def _read_background(content: dict[str, Any], source: str) -> str | None:
    """Read the background colour; None if the log has no background."""
    color = content.get("background")
    if color is None or is_color(color):
        return color
    raise InputError(
        f"{source}: invalid 'background' {color!r}; expected six lower-case hex digits"
    )


def _read_start(content: dict[str, Any], width: int, height: int, source: str) -> Rows:
    """Read the rows with which the game begins."""
    lines = content.get("start", [])
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise InputError(
            f"{source}: invalid 'start'; expected a list of rows such as '..JJ.', top first"
        )
    return parse_start(lines, width, height, source)


def _read_stops(content: dict[str, Any], drops: int, source: str) -> tuple[int, ...]:
    """Read the numbers of drops after which the pictures of a slideshow are complete."""
    stops = content.get("stops", [])
    if isinstance(stops, list) and all(type(stop) is int for stop in stops):
        fits = not stops or (stops[0] >= 0 and stops[-1] <= drops)
        if fits and stops == sorted(set(stops)):
            return tuple(stops)
    raise InputError(
        f"{source}: invalid 'stops'; expected drop numbers in increasing order, up to {drops}"
    )


def _read_placement(drop: object, place: str) -> Placement:
    """Read the placement of a drop from its cells; check that they form its piece."""
    cells = drop.get("cells") if isinstance(drop, dict) else None
    try:
        placement = Placement.find((x, y) for x, y in cells)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        placement = None
    if placement is None or not all(isinstance(v, int) for v in (placement.x, placement.y)):
        raise InputError(f"{place}: invalid 'cells'; expected the four squares [x, y] of a piece")
    assert isinstance(drop, dict)
    if drop.get("piece") != placement.orientation.piece.name:
        raise InputError(
            f"{place}: the piece is {drop.get('piece')!r} but its squares form "
            f"{placement.orientation.piece.name}"
        )
    return placement
