"""Art files of the ``seigot/tetris`` game, whose players draw by hand on 10 x 22.

An art file is JSON: ``color`` gives each piece type a colour, ``block_order`` lists the
pieces as entries ``[index, direction, x, operation]``.
The rules of that game, the art game, are below; they have these consequences:

- The art game cannot play every plan: a piece needs room to appear, to turn and to move in the top
  rows. So :func:`format_art` plays the game that it writes. If no entry can make a drop,
  ``format_art`` refuses the plan and names that drop.
- After the last entry the game continues with the first. If that piece has no room to appear, the
  board is wiped, so such a file is refused. Otherwise the piece falls on the picture, which was
  complete for only one drop. So entries that fill and clear lines above the picture are appended
  (:func:`find_hold_cycle`). ``"hold": N`` is their number. The game ignores this
  key; this package does not read these entries as drops.
- Wide boards need no other format, since pieces can move sideways while they sink. For a board
  other than 10 x 22 the file has ``"board": "WxH"``. The game ignores this key, too, so it must be
  started with a board of that size.

The game draws nothing on empty squares, so its window is visible there. It draws all other
squares, even black ones. So a plan that leaves squares of a type without a colour is refused,
unless a colour for these squares is given, such as that of the window. ``"background":
"0xrrggbb"`` is the colour of empty squares in the picture; the game ignores it.

The art game plays an entry ``[index, direction, x, operation]`` like this:

1. The piece appears in direction 0 with its reference square in column 5 and its topmost square
   in the top row. If it does not fit there, the game is over and wipes the board.
2. It turns clockwise by quarters until it has the given direction, at most four times.
3. Its reference square moves towards column ``x``, at most five steps.
4. It drops (operation 1), or it sinks by one row and continues with step 2 (any other
   operation), until it rests.

*A turn or a step that does not fit is skipped*. It ends the turns, or the steps, in that row of
the board. After the last entry the game continues with the first one on the same field.

Five steps from column 5 reach every column of a board of ten. On wider boards a piece gets further
by sinking, since each row allows five more steps.

The art game never stops dropping pieces, so a finished picture is held by a cycle.
A *cycle* is a sequence of drops after which the field is the same as before. All its pieces lie
above the picture's highest row. They form a *pile* without holes, so a pile is stored as a height
for each column. When all heights are positive, the lowest row is full and clears, and each height
decreases by one. A piece needs support from the pile or from a square in the picture's highest row.

The search for a cycle is A* over piles; its cost is the drops made and an estimate of those still
needed. Only when a pile is expanded, its last piece is tested: can the art game steer it there?
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain, count, product
from pathlib import PurePath
from typing import Any, Final

from tetrisprinter.errors import Hint, InputError, JobError, Setting, give_notice
from tetrisprinter.formats import Format
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import ORIENTATIONS, Orientation, PieceType, Placement
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_plan_from_drops, play
from tetrisprinter.support import parse_size
from tetrisprinter.support.files import parse_json

ART_SIZE: Final = (10, 22)
"""Width and height of the game's board."""

HOLD: Final = 350
"""The default number of drops for which a finished picture stays."""

_UNUSED: Final = "000000"  # The format needs a colour for types that leave no squares, too.


def format_art(
    plan: Plan, source: str = "plan", hold: int | None = None, unseen: str | None = None
) -> str:
    """Write a game as an art file.

    The finished picture stays for at least ``hold`` drops, which fill and clear rows above it. 0:
    the file ends with the picture. None: :data:`HOLD` on a board of 10 x 22 if possible (if not, a
    notice says so); 0 on other boards, where the search for such drops may take long.

    ``unseen`` is the colour of types that should stay invisible: types without a colour, and types
    that show the plan's background. None: black for types that leave no squares; other types are
    refused.
    """
    entries, field = _make_entries(plan, source)
    hold_entries = _hold_picture(plan, field, hold, source)
    colors, background = dict(plan.colors), plan.background
    if unseen:
        colors = {piece: plan.visible_colors.get(piece, unseen) for piece in colors}
        background = unseen
    else:
        _check_colors(field, colors, source)
    spare_color = unseen or _UNUSED
    entries += hold_entries
    entry_lines = [f"    [{INDEX[piece]}, {', '.join(map(str, row))}]" for piece, row in entries]
    shapes = [f'    "shape{piece.name}": "0x{colors.get(piece, spare_color)}"' for piece in INDEX]
    size = (plan.width, plan.height)
    board_line = "" if size == ART_SIZE else f'  "board": "{plan.width}x{plan.height}",\n'
    hold_line = f'  "hold": {len(hold_entries)},\n' if hold_entries else ""
    behind = f'  "background": "0x{background}",\n' if background else ""
    return (
        "{\n" + board_line + hold_line + behind + '  "color": {\n' + ",\n".join(shapes)
        + '\n  },\n  "block_order": [\n' + ",\n".join(entry_lines) + "\n  ]\n}\n"
    )  # fmt: skip


def _make_entries(plan: Plan, source: str) -> tuple[list[tuple[PieceType, Row]], Playfield]:
    """Return the entries of a plan and the final field, or raise a JobError if none exist."""
    width, height = plan.width, plan.height
    if width < SMALLEST_BOARD[0] or height < SMALLEST_BOARD[1]:
        raise JobError(
            f"{source}: the board {width}x{height} is too small for the art game; expected at "
            f"least {SMALLEST_BOARD[0]}x{SMALLEST_BOARD[1]}, because its pieces appear at column "
            f"{SMALLEST_BOARD[0] - 2}"
        )
    if plan.start:
        raise JobError(
            f"{source}: the game begins with squares on the board; the art game begins with none"
        )
    if plan.slides:
        raise JobError(
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
            raise JobError(
                f"{source}: drop {number} of {len(drops)} is impossible in the art game: the "
                f"{piece.orientation.piece.name} {entry}; the plan must leave more of the board's "
                f"upper rows empty (plan it for {width}x{height - 2} or lower, or use a taller "
                "board)"
            )
        entries.append((piece.orientation.piece, entry))
        field.drop(piece.orientation, piece.x)
    if entries and not can_spawn(field, entries[0][0]):
        raise JobError(
            f"{source}: the art game would clear the picture: after the last piece it starts "
            f"again, and the first piece {entries[0][0].name} has no room"
        )
    return entries, field


def _check_colors(field: Playfield, colors: dict[PieceType, str], source: str) -> None:
    """Raise a JobError if the final field has a square of a type without a colour."""
    for y, cells in enumerate(field.rows):
        for x, value in enumerate(cells):
            if value and PieceType(value) not in colors:
                name = PieceType(value).name
                raise JobError(
                    f"{source}: the game leaves a square of {name} at column {x}, row {y}, but "
                    f"{name} has no colour; the art game draws every square, so give {name} a "
                    "colour",
                    Hint("or choose {}, such as the window colour of the game", Setting.UNSEEN),
                )


def _hold_picture(
    plan: Plan, field: Playfield, hold: int | None, source: str
) -> list[tuple[PieceType, Row]]:
    """Return entries that keep the picture complete for ``hold`` drops, or no entries."""
    is_art_size = (plan.width, plan.height) == ART_SIZE
    drops = (HOLD if is_art_size else 0) if hold is None else hold
    if not drops or not len(plan):
        return []
    cycle = find_hold_cycle(field)
    if cycle:
        return list(cycle) * -(-drops // len(cycle))
    problem = (
        f"{source}: the picture cannot be held: above it only {plan.height - max(field.tops)} of "
        f"{plan.height} rows are empty"
    )
    if hold is not None:
        raise JobError(problem, Hint("{} writes the file without holding it", Setting.NO_HOLD))
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
        placement, reasons, _ = outcome
        skipped += [f"{place} {reason}" for reason in reasons]
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


def format_start_command(path: str | PurePath) -> str:
    """Return the command that shows an art file, for the game's own folder.

    Level 1 takes the pieces in the order of the file. ``-t -1`` keeps the game from ending after
    180 seconds or pieces.

    >>> format_start_command("art/a.json")
    'python start.py -l 1 -t -1 -m art -d 200 --art_config_filepath art/a.json'
    """
    return f"python start.py -l 1 -t -1 -m art -d 200 --art_config_filepath {path}"


ART: Final = Format(
    "art",
    (".json",),
    "an art file",
    lambda start: start.startswith("{") and ('"block_order"' in start or '"color"' in start),
    parse_art,
    format_art,
)


SPAWN_COLUMN: Final = 5
SPAWN_ROW: Final = 1
MAX_TURNS: Final = 4
MAX_STEPS: Final = 5
DROP: Final = 1
SINK: Final = 0
SMALLEST_BOARD: Final = (SPAWN_COLUMN + 2, 4)
"""The narrowest and lowest board on which every piece can appear."""

Row = tuple[int, int, int]
"""An entry of an art file without its piece: direction, x and operation."""

_ScreenCell = tuple[int, int]
"""A square ``(x, y)`` of the art game: x to the right, y DOWNWARDS from its top row."""

INDEX: Final = {p: i for i, p in enumerate((PieceType[c] for c in "ILJTOSZ"), 1)}
"""The game's number (``index``) of each piece."""
PIECE: Final = {index: piece for piece, index in INDEX.items()}

# The squares of the pieces in direction 0, relative to the reference square.
_SHAPE: Final[dict[PieceType, tuple[_ScreenCell, ...]]] = {
    PieceType.I: ((0, -1), (0, 0), (0, 1), (0, 2)),
    PieceType.L: ((0, -1), (0, 0), (0, 1), (1, 1)),
    PieceType.J: ((0, -1), (0, 0), (0, 1), (-1, 1)),
    PieceType.T: ((0, -1), (0, 0), (0, 1), (1, 0)),
    PieceType.O: ((0, 0), (0, -1), (1, 0), (1, -1)),
    PieceType.S: ((0, 0), (0, -1), (-1, 0), (1, -1)),
    PieceType.Z: ((0, 0), (0, -1), (1, 0), (-1, -1)),
}
_STATES: Final = {PieceType.O: 1, PieceType.I: 2, PieceType.S: 2, PieceType.Z: 2}
"""The number of directions in which a piece looks different, if it is not four."""


def _turn_cells(piece: PieceType, direction: int) -> tuple[_ScreenCell, ...]:
    """Return a turned piece's squares relative to its reference square, y downwards."""
    cells = _SHAPE[piece]
    for _ in range(direction % _STATES.get(piece, 4)):
        cells = tuple((-y, x) for x, y in cells)
    return cells


_SQUARES: Final = {
    piece: tuple(_turn_cells(piece, direction) for direction in range(4)) for piece in PieceType
}


def _map_orientations() -> dict[int, tuple[int, int]]:
    """Map each orientation, by index, to its direction and the column of its reference square."""
    directions: dict[int, tuple[int, int]] = {}
    for piece in PieceType:
        for direction in range(4):
            placement = Placement.find((x, -y) for x, y in _SQUARES[piece][direction])
            assert placement is not None
            directions.setdefault(placement.orientation.index, (direction, -placement.x))
    return directions


_DIRECTIONS: Final = _map_orientations()


@dataclass(slots=True)
class _FallingCells:
    """A moving piece of the art game."""

    field: Playfield
    piece: PieceType
    direction: int = 0
    x: int = SPAWN_COLUMN
    y: int = SPAWN_ROW

    def list_cells(self, direction: int, x: int, y: int) -> list[_ScreenCell]:
        """Return the squares of the piece, moved there; y counts downwards from the top row."""
        return [(x + dx, y + dy) for dx, dy in _SQUARES[self.piece][direction]]

    def is_inside(self, direction: int, x: int, y: int) -> bool:
        """Return whether the piece, moved there, would lie inside the board."""
        width, height = self.field.width, self.field.height
        return all(
            0 <= cx < width and 0 <= cy < height for cx, cy in self.list_cells(direction, x, y)
        )

    def can_be_at(self, direction: int, x: int, y: int) -> bool:
        """Return whether the piece, moved there, would lie on empty cells of the board."""
        field, top = self.field, self.field.height - 1
        return self.is_inside(direction, x, y) and not any(
            field[cx, top - cy] for cx, cy in self.list_cells(direction, x, y)
        )

    def steer(self, direction: int, x: int) -> tuple[str, ...]:
        """Turn and step as far as possible in one row; return the skipped moves as clauses."""
        skipped = []
        for _ in range(MAX_TURNS):
            if self.direction == direction:
                break
            turned = (self.direction + 1) % 4
            if not self.can_be_at(turned, self.x, self.y):
                if self.direction != direction % 4:
                    skipped.append(f"has no room to turn at column {self.x}")
                break
            self.direction = turned
        for _ in range(MAX_STEPS):
            if self.x == x:
                break
            step = self.x + (1 if x > self.x else -1)
            if not self.can_be_at(self.direction, step, self.y):
                if self.is_inside(self.direction, step, self.y):
                    skipped.append(f"is stopped by the squares in its way at column {self.x}")
                break
            self.x = step
        return tuple(skipped)

    def move_down(self) -> bool:
        """Move down by a row if there is room; return whether the piece moved."""
        if not self.can_be_at(self.direction, self.x, self.y + 1):
            return False
        self.y += 1
        return True

    def find_placement(self) -> Placement:
        """Return the placement of the piece, with y upwards."""
        top = self.field.height - 1
        placement = Placement.find(
            (cx, top - cy) for cx, cy in self.list_cells(self.direction, self.x, self.y)
        )
        assert placement is not None
        return placement


def can_spawn(field: Playfield, piece: PieceType) -> bool:
    """Return whether a piece has room to appear; otherwise the game is over."""
    falling = _FallingCells(field, piece)
    return falling.can_be_at(0, falling.x, falling.y)


def drop_entry(
    field: Playfield, piece: PieceType, entry: Row
) -> tuple[Placement, tuple[str, ...], bool] | None:
    """Play an entry without changing the field; return None if the piece has no room to appear.

    Return where the piece comes to rest; the turns and steps that were skipped in that row, as
    clauses; and whether squares in the way caused a skipped move in any row. A stop at a wall is no
    clause: players write column 0 for "as far left as possible".
    """
    direction, x, operation = entry
    falling = _FallingCells(field, piece)
    if not falling.can_be_at(0, falling.x, falling.y):
        return None
    blocked = False
    while True:
        skipped = falling.steer(direction, x)
        blocked = blocked or bool(skipped)
        if operation == DROP:
            while falling.move_down():
                pass
        elif falling.move_down():
            continue
        return falling.find_placement(), skipped, blocked


def can_steer(field: Playfield, orientation: Orientation, column: int) -> bool:
    """Return whether an art-file entry can bring the piece to its hard-drop landing place."""
    return not isinstance(format_entry(field, orientation, column), str)


def format_entry(
    field: Playfield, orientation: Orientation, column: int, *, direct_only: bool = False
) -> Row | str:
    """Return an entry that brings the piece to its hard-drop landing place, or why none does.

    Entries without skipped moves are preferred, then drops to sinks. ``direct_only`` tries only
    entries with the piece's own direction and column.
    """
    wanted = Placement(orientation, column, field.find_landing_row(orientation, column))
    direction, dx = _DIRECTIONS[orientation.index]
    direct = [(direction, column + dx, operation) for operation in (DROP, SINK)]
    indirect = () if direct_only else product(range(4), range(field.width), (DROP, SINK))
    blocked_entry: Row | None = None
    problem = ""
    for entry in chain(direct, indirect):
        outcome = drop_entry(field, orientation.piece, entry)
        if outcome is None:
            return "has no room to appear: squares are in the way at the top of the board"
        rest, skipped, was_blocked = outcome
        if rest == wanted:
            if not was_blocked:
                return entry
            blocked_entry = blocked_entry or entry
        if blocked_entry and entry not in direct:
            break
        problem = problem or next(
            iter(skipped), f"comes to rest before it has walked to column {column + dx}"
        )
    return blocked_entry or problem


_Pile = tuple[int, ...]
_Step = tuple[Orientation, int]
_Drops = tuple[tuple[PieceType, Row], ...]

_TRIES: Final = 30_000
"""The search with one limit of height ends when its piles together have this number of columns."""


def find_hold_cycle(field: Playfield) -> _Drops:
    """Return entries of an art file that leave the field unchanged; empty if none are found."""
    picture_rows = max(field.tops)
    # Low piles first: they leave the most room for moving pieces.
    for max_height in range(1, field.height - picture_rows + 1):
        cycle = _find_hold_cycle(field, picture_rows, max_height)
        if cycle is not None:
            return cycle
    return ()


def _find_hold_cycle(field: Playfield, picture_rows: int, max_height: int) -> _Drops | None:
    """Find a cycle whose piles have at most ``max_height`` rows; return its entries, or None."""
    empty: _Pile = (0,) * field.width
    supported = tuple(top == picture_rows and picture_rows > 0 for top in field.tops)
    tie_breaker = count()
    # Entries: cost, a tie-breaker, the pile, the tested drops that lead to it, and an untested one
    # with the pile before it.
    heap: list[tuple[float, int, _Pile, _Drops, tuple[_Pile, _Step] | None]] = [
        (0.0, next(tie_breaker), empty, (), None)
    ]
    expanded: set[_Pile] = set()
    while heap and len(expanded) * field.width < _TRIES:
        _, _, pile, drops, untested = heappop(heap)
        if pile in expanded and any(pile):
            continue
        if untested is not None:
            pile_before, step = untested
            field_before = _make_field(field, picture_rows, pile_before)
            entry = format_entry(field_before, *step, direct_only=True)
            if isinstance(entry, str):
                continue
            drops = (*drops, (step[0].piece, entry))
            if not any(pile) and can_spawn(field, drops[0][0]):
                return drops
        expanded.add(pile)
        for step, next_pile in _iterate_steps(pile, supported, max_height):
            missing_cells = field.width * max(next_pile) - sum(next_pile)
            cost = len(drops) + 1 + missing_cells * 2
            heappush(heap, (cost, next(tie_breaker), next_pile, drops, (pile, step)))
    return None


def _iterate_steps(
    pile: _Pile, supported: tuple[bool, ...], max_height: int
) -> Iterator[tuple[_Step, _Pile]]:
    """Yield the steps that leave no holes in a pile, each with the pile after the step."""
    for orientation in ORIENTATIONS:
        for x in range(len(pile) - orientation.width + 1):
            y = pile[x] - orientation.bottom[0]
            if y < 0 or y + orientation.height > max_height:
                continue
            columns = range(x, x + orientation.width)
            if any(pile[c] != y + b for c, b in zip(columns, orientation.bottom, strict=True)):
                continue
            if not any(pile[c] or supported[c] for c in columns):
                continue
            heights = list(pile)
            for c, top in zip(columns, orientation.top, strict=True):
                heights[c] = y + top
            cleared = min(heights)
            yield (orientation, x), tuple(h - cleared for h in heights)


def _make_field(field: Playfield, picture_rows: int, pile: _Pile) -> Playfield:
    """Return the field with a pile above the picture's rows."""
    rows = [*field.rows[:picture_rows]]
    rows += [bytes(PieceType.I if h > y else 0 for h in pile) for y in range(max(pile, default=0))]
    return Playfield.from_rows(field.width, field.height, rows)
