"""Art files of the ``seigot/tetris`` game, whose players draw by hand on 10 x 22.

An art file is JSON: ``color`` gives each piece type a colour, ``block_order`` lists the
pieces as rows ``[index, direction, x, operation]``. The game plays a row like this. The
piece appears in direction 0 with its reference square in column 5 and its topmost square
in the top row. It is turned clockwise, one quarter after the other, until its direction
is the one asked for; then its reference square is moved towards column ``x``, at most
five steps; then it drops (operation 1), or it sinks by one row and all of this is tried
again (operation 0), until it lies on something. *A turn or a step that does not fit is
not made*, and neither are those after it.

Two things follow from these rules, and this module is built around them.

- A game of ours need not be playable there: a piece must find room to appear, to turn and
  to walk in the uppermost rows. :func:`art_text` therefore plays what it writes by the
  rules above and refuses, with the number of the drop, what would need a move that does
  not fit.
- Five steps from column 5 reach every column of a board of ten. Further away a piece gets
  by sinking: each row it sinks allows five more steps. So wider boards need no other
  format, only operation 0 where five steps are too few. The game's own board is 10 x 22;
  for any other size the file says ``"board": "WxH"``, which the game ignores, and the game
  has to be given a board of that size.

Empty is no colour: the game draws nothing on an empty square, so that its window is seen
there, and draws every other, black ones too. It has no squares that are not to be seen,
so a plan that leaves some of a type without a colour is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats import Format
from tetrisprinter.formats.replay import plan_of_drops
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Orientation, PieceType, Placement
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play
from tetrisprinter.support.files import parse_json
from tetrisprinter.support.sizes import parse_size

__all__ = ["ART", "ART_SIZE", "ArtError", "art_text", "parse_art"]

ART_SIZE: Final = (10, 22)
"""Width and height of the game's board."""

SPAWN_COLUMN: Final = 5
SPAWN_ROW: Final = 1
MAX_STEPS: Final = 5
DROP: Final = 1
SINK: Final = 0

_ScreenCell = tuple[int, int]
"""A square ``(x, y)`` as the art game counts: x to the right, y DOWNWARDS from its top row."""

# The game's numbers of the pieces, and their squares in direction 0, from the reference square.
_INDEX: Final = {p: i for i, p in enumerate((PieceType[c] for c in "ILJTOSZ"), 1)}
_SHAPE: Final[dict[PieceType, tuple[_ScreenCell, ...]]] = {
    PieceType.I: ((0, -1), (0, 0), (0, 1), (0, 2)),
    PieceType.L: ((0, -1), (0, 0), (0, 1), (1, 1)),
    PieceType.J: ((0, -1), (0, 0), (0, 1), (-1, 1)),
    PieceType.T: ((0, -1), (0, 0), (0, 1), (1, 0)),
    PieceType.O: ((0, 0), (0, -1), (1, 0), (1, -1)),
    PieceType.S: ((0, 0), (0, -1), (-1, 0), (1, -1)),
    PieceType.Z: ((0, 0), (0, -1), (1, 0), (-1, -1)),
}
_PIECE: Final = {index: piece for piece, index in _INDEX.items()}
_TWO_STATES: Final = (PieceType.I, PieceType.S, PieceType.Z)
_UNUSED: Final = "000000"  # The format wants a colour for types that leave nothing, too.


class ArtError(JobError):
    """A drop that the art game cannot make; the message gives its number."""


def _squares(piece: PieceType, direction: int) -> tuple[_ScreenCell, ...]:
    """Return a piece's squares around its reference square, y downwards."""
    if piece is PieceType.O:
        direction = 0
    elif piece in _TWO_STATES:
        direction %= 2
    cells = _SHAPE[piece]
    if direction == 1:
        return tuple((-y, x) for x, y in cells)
    if direction == 2:
        return tuple((-x, -y) for x, y in cells)
    if direction == 3:
        return tuple((y, -x) for x, y in cells)
    return cells


@dataclass(frozen=True, slots=True)
class _Hold:
    """How the art game holds one of our orientations.

    ``dx`` is the distance from the leftmost column to the reference square, ``dy`` that
    from the lowest row up to it.
    """

    direction: int
    dx: int
    dy: int


def _holds() -> dict[int, _Hold]:
    holds: dict[int, _Hold] = {}
    for piece in PieceType:
        for direction in range(4):
            squares = _squares(piece, direction)
            found = Placement.of((x, -y) for x, y in squares)
            assert found is not None
            hold = _Hold(direction, -found.x, -found.y)
            holds.setdefault(found.orientation.index, hold)
    return holds


_HOLDS: Final = _holds()


@dataclass(slots=True)
class _Falling:
    """A piece on its way, under the rules of the art game."""

    field: Playfield
    piece: PieceType
    direction: int = 0
    x: int = SPAWN_COLUMN
    y: int = SPAWN_ROW

    def cells(self, direction: int, x: int, y: int) -> list[_ScreenCell]:
        """Return its squares, y downwards from the top row."""
        return [(x + dx, y + dy) for dx, dy in _squares(self.piece, direction)]

    def inside(self, direction: int, x: int, y: int) -> bool:
        return all(
            0 <= cx < self.field.width and 0 <= cy < self.field.height
            for cx, cy in self.cells(direction, x, y)
        )

    def fits(self, direction: int, x: int, y: int) -> bool:
        height = self.field.height
        return self.inside(direction, x, y) and not any(
            self.field[cx, height - 1 - cy] for cx, cy in self.cells(direction, x, y)
        )

    def steer(self, direction: int, x: int) -> str | None:
        """Turn, then step as far as one turn of the game goes; say what stopped it.

        Stopping at a wall of the board is no fault: players write column 0 for "as far
        left as it goes".
        """
        while self.direction != direction:
            turned = (self.direction + 1) % 4
            if not self.fits(turned, self.x, self.y):
                return f"has no room to turn at column {self.x}"
            self.direction = turned
        for _ in range(MAX_STEPS):
            if self.x == x:
                break
            step = self.x + (1 if x > self.x else -1)
            if not self.fits(self.direction, step, self.y):
                if self.inside(self.direction, step, self.y):
                    return f"is stopped by the squares in its way at column {self.x}"
                break
            self.x = step
        return None

    def sink(self) -> bool:
        """Move down by a row if there is room."""
        if not self.fits(self.direction, self.x, self.y + 1):
            return False
        self.y += 1
        return True

    def placement(self) -> Placement:
        """Return where it is, in our coordinates."""
        height = self.field.height
        cells = self.cells(self.direction, self.x, self.y)
        found = Placement.of((cx, height - 1 - cy) for cx, cy in cells)
        assert found is not None
        return found


def _fall(field: Playfield, piece: PieceType, row: tuple[int, int, int]) -> Placement | str:
    """Play one row of an art file; return where the piece comes to rest or what is wrong."""
    direction, x, operation = row
    falling = _Falling(field, piece)
    if not falling.fits(0, falling.x, falling.y):
        return "has no room to appear: squares are in the way at the top of the board"
    while True:
        stopped = falling.steer(direction, x)
        if stopped is not None:
            return stopped
        if operation == DROP:
            while falling.sink():
                pass
            return falling.placement()
        if not falling.sink():
            return falling.placement()


def _row_of(field: Playfield, orientation: Orientation, column: int) -> tuple[int, int, int] | str:
    """Find direction, x and operation that bring a piece where our game brings it."""
    hold = _HOLDS[orientation.index]
    x = column + hold.dx
    wanted = field.landing_row(orientation, column)
    operation = DROP if abs(x - SPAWN_COLUMN) <= MAX_STEPS else SINK
    row = (hold.direction, x, operation)
    rest = _fall(field, orientation.piece, row)
    if isinstance(rest, str):
        return rest
    if (rest.orientation, rest.x, rest.y) != (orientation, column, wanted):
        return f"comes to rest before it has walked to column {x}"
    return row


def art_text(plan: Plan, source: str = "plan") -> str:
    """Write a game as an art file.

    Parameters
    ----------
    plan : Plan
        The game. Types without a colour are written as black; none of their squares may
        be left in the end.
    source : str
        What messages call it.

    Raises
    ------
    ArtError
        Naming the first drop that the art game could not make, or a square that is left
        and has no colour.
    TopOutError
        If the plan tops out.

    Examples
    --------
    >>> from tetrisprinter.game.plan import Plan
    >>> print(art_text(Plan.parse("board 10x22 O=ff0000\\n\\nAA........\\nAA........")))
    {
      "color": {
        "shapeI": "0x000000",
        "shapeL": "0x000000",
        "shapeJ": "0x000000",
        "shapeT": "0x000000",
        "shapeO": "0xff0000",
        "shapeS": "0x000000",
        "shapeZ": "0x000000"
      },
      "block_order": [
        [5, 0, 0, 1]
      ]
    }
    <BLANKLINE>
    """
    rows = [
        f"    [{_INDEX[piece]}, {direction}, {x}, {operation}]"
        for piece, (direction, x, operation) in _rows(plan, source)
    ]
    colors = plan.color_of
    shapes = [f'    "shape{piece.name}": "0x{colors.get(piece, _UNUSED)}"' for piece in _INDEX]
    size = (plan.width, plan.height)
    board = "" if size == ART_SIZE else f'  "board": "{plan.width}x{plan.height}",\n'
    return (
        "{\n" + board + '  "color": {\n' + ",\n".join(shapes) + '\n  },\n  "block_order": [\n'
        + ",\n".join(rows) + "\n  ]\n}\n"
    )  # fmt: skip


def _rows(plan: Plan, source: str) -> Iterator[tuple[PieceType, tuple[int, int, int]]]:
    width, height = plan.width, plan.height
    if width <= SPAWN_COLUMN + 1 or height < 4:
        raise ArtError(
            f"{source}: pieces of the art game appear at column {SPAWN_COLUMN}, so its board "
            f"cannot be {width}x{height}; at least {SPAWN_COLUMN + 2}x4 is needed"
        )
    field = Playfield(width, height)
    drops = [piece for _, piece in plan.drops()]
    for number, (piece, _) in enumerate(zip(drops, _played(plan), strict=True), 1):
        row = _row_of(field, piece.orientation, piece.x)
        if isinstance(row, str):
            raise ArtError(
                f"{source}: drop {number} of {len(drops)} cannot be made in the art game: the "
                f"{piece.orientation.piece.name} {row}; the game must leave more of the board's "
                f"upper rows empty (plan it for {width}x{height - 2} or lower, or use a taller "
                "board)"
            )
        yield piece.orientation.piece, row
        field.drop(piece.orientation, piece.x)
    for y, cells in enumerate(field.rows):
        for x, value in enumerate(cells):
            if value and PieceType(value) not in plan.color_of:
                name = PieceType(value).name
                raise ArtError(
                    f"{source}: leaves a square of {name} at column {x}, row {y} of the board, and "
                    f"{name} has no colour; the art game draws every square, so give {name} the "
                    "colour that is to be seen there"
                )


def _played(plan: Plan) -> Iterator[object]:
    """Play the plan by our own rules alongside, so that a top-out is told as such."""
    yield from play(plan, Playfield(plan.width, plan.height))


def parse_art(text: str, source: str = "art", board: tuple[int, int] | None = None) -> Plan:
    """Read an art file and play it by the rules of its game.

    Parameters
    ----------
    text : str
        The JSON text.
    source : str
        Its name, for messages.
    board : (int, int), optional
        Width and height; default: what the file says, else 10 x 22.

    Returns
    -------
    Plan
        The same game. All seven types have the colours of the file.

    Raises
    ------
    InputError
        Naming the place in the file, or the drop that cannot be made: a piece that does
        not exist, has no room to appear, turn or step, or slips below others, which a
        plan cannot say because its pieces fall straight down.
    """
    content = _load(text, source)
    width, height = board or _board(content, source)
    colors = _colors(content, source)
    field = Playfield(width, height)
    drops: list[tuple[Orientation, int]] = []
    rows = content.get("block_order")
    if not isinstance(rows, list) or not rows:
        raise InputError(f"{source}: 'block_order' must list at least one piece")
    for number, row in enumerate(rows, 1):
        piece, rest_of_row = _read_row(row, f"{source}: drop {number}", width)
        rest = _fall(field, piece, rest_of_row)
        if isinstance(rest, str):
            raise InputError(f"{source}: drop {number}: the {piece.name} {rest}")
        if field.landing_row(rest.orientation, rest.x) != rest.y:
            raise InputError(
                f"{source}: drop {number}: the {piece.name} slips under other squares, which a "
                "plan cannot do: its pieces fall straight down"
            )
        field.drop(rest.orientation, rest.x)
        drops.append((rest.orientation, rest.x))
    return plan_of_drops(drops, colors, width, height)


def _load(text: str, source: str) -> dict[str, Any]:
    content = parse_json(text, source)
    if not isinstance(content, dict) or not {"color", "block_order"} <= content.keys():
        raise InputError(f"{source}: an art file is a JSON object with 'color' and 'block_order'")
    return content


def _board(content: dict[str, Any], source: str) -> tuple[int, int]:
    said = content.get("board")
    if said is None:
        return ART_SIZE
    size = parse_size(str(said))
    if size is None:
        raise InputError(f"{source}: 'board' must be like \"21x42\", not {said!r}")
    return size


def _colors(content: dict[str, Any], source: str) -> tuple[tuple[PieceType, str], ...]:
    shapes = content["color"]
    colors: list[tuple[PieceType, str]] = []
    for piece in _INDEX:
        value = shapes.get(f"shape{piece.name}") if isinstance(shapes, dict) else None
        try:
            number = int(str(value), 16)
        except ValueError:
            number = -1
        if not 0 <= number <= 0xFFFFFF:
            raise InputError(
                f'{source}: the colour of shape{piece.name} must be like "0xff8000", not {value!r}'
            )
        colors.append((piece, f"{number:06x}"))
    return tuple(colors)


def _read_row(row: object, where: str, width: int) -> tuple[PieceType, tuple[int, int, int]]:
    if (
        not isinstance(row, Sequence)
        or len(row) != 4
        or not all(isinstance(v, int) and not isinstance(v, bool) for v in row)
    ):
        raise InputError(f"{where}: must be four whole numbers [index, direction, x, operation]")
    index, direction, x, operation = row
    if index not in _PIECE:
        raise InputError(f"{where}: {index} is no piece; 1 to 7 are I, L, J, T, O, S and Z")
    if not 0 <= direction <= 3:
        raise InputError(f"{where}: direction {direction} is impossible; it is 0, 1, 2 or 3")
    if not 0 <= x < width:
        raise InputError(f"{where}: column {x} is outside the board of {width} columns")
    if operation not in (DROP, SINK):
        raise InputError(f"{where}: the last number is 1 (drop) or 0 (sink), not {operation}")
    return _PIECE[index], (direction, x, operation)


class _Art:
    name = "art"
    extensions = (".json",)
    summary = "an art file"

    def recognises(self, start: str) -> bool:
        """Say whether it is JSON with an art file's words."""
        return start.startswith("{") and ('"block_order"' in start or '"color"' in start)

    def parse(self, text: str, source: str = "art", board: tuple[int, int] | None = None) -> Plan:
        """Read it; see :func:`parse_art`."""
        return parse_art(text, source, board)

    def text(self, plan: Plan, source: str = "plan") -> str:
        """Write it; see :func:`art_text`."""
        return art_text(plan, source)


ART: Final[Format] = _Art()
