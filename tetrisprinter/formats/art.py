"""Art files of the ``seigot/tetris`` game, whose players draw by hand on 10 x 22.

An art file is JSON: ``color`` gives each piece type a colour, ``block_order`` lists the
pieces as entries ``[index, direction, x, operation]``, which :mod:`~tetrisprinter.formats.art_game`
plays. The rules of that game, the art game, have these consequences:

- The art game cannot play every plan: a piece needs room to appear, to turn and to move in the top
  rows. So :func:`format_art` plays the game that it writes. If no entry can make a drop,
  ``format_art`` refuses the plan and names that drop.
- After the last entry the game continues with the first. If that piece has no room to appear, the
  board is wiped, so such a file is refused. Otherwise the piece falls on the picture, which was
  complete for only one drop. So entries that fill and clear lines above the picture are appended
  (:mod:`~tetrisprinter.formats.art_hold`). ``"hold": N`` is their number. The game ignores this
  key; this package does not read these entries as drops.
- Wide boards need no other format, since pieces can move sideways while they sink. For a board
  other than 10 x 22 the file has ``"board": "WxH"``. The game ignores this key, too, so it must be
  started with a board of that size.

The game draws nothing on empty squares, so its window is visible there. It draws all other
squares, even black ones. So a plan that leaves squares of a type without a colour is refused,
unless a colour for these squares is given, such as that of the window. ``"background":
"0xrrggbb"`` is the colour of empty squares in the picture; the game ignores it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from tetrisprinter.errors import Hint, InputError, JobError, Setting
from tetrisprinter.formats import Format
from tetrisprinter.formats.art_game import (
    INDEX,
    PIECE,
    SMALLEST_BOARD,
    Row,
    can_spawn,
    drop_entry,
    format_entry,
)
from tetrisprinter.formats.art_hold import find_hold_cycle
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Orientation, PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.plan_from_drops import make_plan_from_drops
from tetrisprinter.game.replay import play
from tetrisprinter.support.files import parse_json
from tetrisprinter.support.notices import give_notice
from tetrisprinter.support.sizes import parse_size

ART_SIZE: Final = (10, 22)
"""Width and height of the game's board."""

HOLD: Final = 350
"""The default number of drops for which a finished picture stays."""

_UNUSED: Final = "000000"  # The format needs a colour for types that leave no squares, too.


class ArtError(JobError):
    """A drop that the art game cannot make; the message gives its number."""


@dataclass(frozen=True, slots=True)
class ArtOptions:
    """Options of an art file."""

    # The finished picture stays for at least this number of drops, which fill and clear rows above
    # it. 0: the file ends with the picture. None: :data:`HOLD` on a board of 10 x 22 if possible
    # (if not, a notice says so); 0 on other boards, where the search for such drops may take long
    hold: int | None = None
    # The colour of types that should stay invisible: types without a colour, and types that show
    # the plan's background. None: black for types that leave no squares; other types are refused
    unseen: str | None = None


def format_art(plan: Plan, source: str = "plan", options: ArtOptions | None = None) -> str:
    """Write a game as an art file."""
    options = options or ArtOptions()
    entries, field = _make_entries(plan, source)
    hold_entries = _hold_picture(plan, field, options, source)
    unseen = options.unseen or _UNUSED
    colors, background = dict(plan.colors), plan.background
    if options.unseen:
        colors = {piece: plan.visible_colors.get(piece, unseen) for piece in colors}
        background = unseen
    else:
        _check_colors(field, colors, source)
    entries += hold_entries
    entry_lines = [f"    [{INDEX[piece]}, {', '.join(map(str, row))}]" for piece, row in entries]
    shapes = [f'    "shape{piece.name}": "0x{colors.get(piece, unseen)}"' for piece in INDEX]
    size = (plan.width, plan.height)
    board_line = "" if size == ART_SIZE else f'  "board": "{plan.width}x{plan.height}",\n'
    hold_line = f'  "hold": {len(hold_entries)},\n' if hold_entries else ""
    behind = f'  "background": "0x{background}",\n' if background else ""
    return (
        "{\n" + board_line + hold_line + behind + '  "color": {\n' + ",\n".join(shapes)
        + '\n  },\n  "block_order": [\n' + ",\n".join(entry_lines) + "\n  ]\n}\n"
    )  # fmt: skip


def _make_entries(plan: Plan, source: str) -> tuple[list[tuple[PieceType, Row]], Playfield]:
    """Return the entries of a plan and the final field, or raise an ArtError if none exist."""
    width, height = plan.width, plan.height
    if width < SMALLEST_BOARD[0] or height < SMALLEST_BOARD[1]:
        raise ArtError(
            f"{source}: the board {width}x{height} is too small for the art game; expected at "
            f"least {SMALLEST_BOARD[0]}x{SMALLEST_BOARD[1]}, because its pieces appear at column "
            f"{SMALLEST_BOARD[0] - 2}"
        )
    if plan.start:
        raise ArtError(
            f"{source}: the game begins with squares on the board; the art game begins with none"
        )
    if plan.slides:
        raise ArtError(
            f"{source}: {len(plan.slides)} pieces are tucked under other squares; in the art "
            "game pieces only fall"
        )
    field = Playfield(width, height)
    drops = list(plan)
    entries: list[tuple[PieceType, Row]] = []
    normal_game = play(plan, plan.make_field())  # raises an error if the plan tops out
    for number, (piece, _) in enumerate(zip(drops, normal_game, strict=True), 1):
        entry = format_entry(field, piece.orientation, piece.x)
        if isinstance(entry, str):
            raise ArtError(
                f"{source}: drop {number} of {len(drops)} is impossible in the art game: the "
                f"{piece.orientation.piece.name} {entry}; the plan must leave more of the board's "
                f"upper rows empty (plan it for {width}x{height - 2} or lower, or use a taller "
                "board)"
            )
        entries.append((piece.orientation.piece, entry))
        field.drop(piece.orientation, piece.x)
    if entries and not can_spawn(field, entries[0][0]):
        raise ArtError(
            f"{source}: the art game would clear the picture: after the last piece it starts "
            f"again, and the first piece {entries[0][0].name} has no room"
        )
    return entries, field


def _check_colors(field: Playfield, colors: dict[PieceType, str], source: str) -> None:
    """Raise an ArtError if the final field has a square of a type without a colour."""
    for y, cells in enumerate(field.rows):
        for x, value in enumerate(cells):
            if value and PieceType(value) not in colors:
                name = PieceType(value).name
                raise ArtError(
                    f"{source}: the game leaves a square of {name} at column {x}, row {y}, but "
                    f"{name} has no colour; the art game draws every square, so give {name} a "
                    "colour",
                    Hint("or choose {}, such as the window colour of the game", Setting.UNSEEN),
                )


def _hold_picture(
    plan: Plan, field: Playfield, options: ArtOptions, source: str
) -> list[tuple[PieceType, Row]]:
    """Return entries that keep the picture complete for the drops in ``options``, or no entries."""
    is_art_size = (plan.width, plan.height) == ART_SIZE
    drops = (HOLD if is_art_size else 0) if options.hold is None else options.hold
    if not drops or not len(plan):
        return []
    cycle = find_hold_cycle(field)
    if cycle:
        return list(cycle) * -(-drops // len(cycle))
    problem = (
        f"{source}: the picture cannot be held: above it only {plan.height - max(field.tops)} of "
        f"{plan.height} rows are empty"
    )
    if options.hold is not None:
        raise ArtError(problem, Hint("{} writes the file without holding it", Setting.NO_HOLD))
    give_notice(f"{problem}; it is complete for one drop only (P pauses the game)")
    return []


def parse_art(text: str, source: str = "art", board: tuple[int, int] | None = None) -> Plan:
    """Read an art file and play it by the rules of the art game; return the plan."""
    return read_art(text, source, board)[0]


def read_art(
    text: str, source: str = "art", board: tuple[int, int] | None = None
) -> tuple[Plan, list[str]]:
    """Read an art file; return its plan and the moves that the game skips, as sentences."""
    content = _load(text, source)
    width, height = board or _read_board(content, source)
    colors = _read_colors(content, source)
    background = None
    if "background" in content:
        background = _read_color(content["background"], "the background", source)
    field = Playfield(width, height)
    drops: list[tuple[Orientation, int]] = []
    skipped: list[str] = []
    for number, row in enumerate(_list_entries(content, source), 1):
        piece, entry = _read_entry(row, f"{source}: drop {number}")
        place = f"{source}: drop {number}: the {piece.name}"
        outcome = drop_entry(field, piece, entry)
        if outcome is None:
            raise InputError(
                f"{place} has no room to appear; the game would end and clear the board"
            )
        placement = outcome.rest
        skipped += [f"{place} {reason}" for reason in outcome.skipped]
        if not field.can_hard_drop(placement):
            raise InputError(f"{place} is tucked under other squares; a plan has hard drops only")
        field.drop(placement.orientation, placement.x)
        drops.append((placement.orientation, placement.x))
    return make_plan_from_drops(drops, colors, width, height, background), skipped


def _list_entries(content: dict[str, Any], source: str) -> list[object]:
    """Return the entries up to the finished picture, without the entries that hold it."""
    entries = content.get("block_order")
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{source}: 'block_order' is empty; expected at least one piece")
    count = content.get("hold", 0)
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < len(entries):
        raise InputError(
            f"{source}: invalid 'hold' {count!r}; expected the number of pieces after the picture, "
            f"0 to {len(entries) - 1}"
        )
    return entries[: len(entries) - count]


def _load(text: str, source: str) -> dict[str, Any]:
    """Return the JSON object of an art file."""
    content = parse_json(text, source)
    if not isinstance(content, dict) or not {"color", "block_order"} <= content.keys():
        raise InputError(
            f"{source}: not an art file; expected a JSON object with 'color' and 'block_order'"
        )
    return content


def _read_board(content: dict[str, Any], source: str) -> tuple[int, int]:
    """Read the size of the board; the default is the game's own."""
    text = content.get("board")
    if text is None:
        return ART_SIZE
    size = parse_size(str(text))
    if size is None:
        raise InputError(f"{source}: invalid 'board' {text!r}; expected e.g. '21x42'")
    return size


def _read_colors(content: dict[str, Any], source: str) -> tuple[tuple[PieceType, str], ...]:
    """Read the colour of each piece type, in the order of the game's numbers."""
    shapes = content["color"]
    colors: list[tuple[PieceType, str]] = []
    for piece in INDEX:
        value = shapes.get(f"shape{piece.name}") if isinstance(shapes, dict) else None
        colors.append((piece, _read_color(value, f"shape{piece.name}", source)))
    return tuple(colors)


def _read_color(value: object, name: str, source: str) -> str:
    """Read a colour such as ``0xff8000``; return its six hex digits."""
    try:
        number = int(str(value), 16)
    except ValueError:
        number = -1
    if not 0 <= number <= 0xFFFFFF:
        raise InputError(f"{source}: invalid colour of {name} {value!r}; expected e.g. 0xff8000")
    return f"{number:06x}"


def _read_entry(row: object, place: str) -> tuple[PieceType, Row]:
    """Read an entry; return its piece, and its direction, column and operation."""
    if (
        not isinstance(row, Sequence)
        or len(row) != 4
        or not all(isinstance(v, int) and not isinstance(v, bool) for v in row)
    ):
        raise InputError(f"{place}: expected four whole numbers [index, direction, x, operation]")
    index, direction, x, operation = row
    if index not in PIECE:
        raise InputError(
            f"{place}: unknown piece {index}; expected 1 to 7 for I, L, J, T, O, S and Z"
        )
    return PIECE[index], (direction, x, operation)


class _Art:
    """The format of art files; see :class:`Format`."""

    name = "art"
    extensions = (".json",)
    summary = "an art file"

    def can_parse(self, start: str) -> bool:
        """Return whether a text looks like JSON with a key of an art file."""
        return start.startswith("{") and ('"block_order"' in start or '"color"' in start)

    def parse(self, text: str, source: str = "art", board: tuple[int, int] | None = None) -> Plan:
        """Read an art file; see :func:`parse_art`."""
        return parse_art(text, source, board)

    def format(self, plan: Plan, source: str = "plan") -> str:
        """Write an art file; see :func:`format_art`."""
        return format_art(plan, source)


def format_start_command(path: str | PurePath) -> str:
    """Return the command that shows an art file, for the game's own folder.

    Level 1 takes the pieces in the order of the file. ``-t -1`` keeps the game from ending after
    180 seconds or pieces.

    >>> format_start_command("art/a.json")
    'python start.py -l 1 -t -1 -m art -d 200 --art_config_filepath art/a.json'
    """
    return f"python start.py -l 1 -t -1 -m art -d 200 --art_config_filepath {path}"


ART: Final[Format] = _Art()
