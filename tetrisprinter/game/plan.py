"""Plans: the drops that print a picture, and their text form.

A plan is a board, the colours of the visible piece types, and a sequence of *passes*. A pass is a
drawing of pieces in drop order. The game needs only the orientation and the column of each piece;
the drawing shows readers how the pieces pack.

Other programs read the text form. The first line of a **classic** plan (21 x 42, colours for J, T
and L) has these three colours as six hex digits each. Any other plan starts with ``board WxH`` and
``TYPE=rrggbb`` for every type that may stay. A piece queue follows as ``queue=TIJ...``, and
``hold`` if hold is allowed. Either line may end, in this order, with

- ``background=rrggbb``: the background of the picture;
- ``start=..J./TTT.``: the squares before the first drop, top row first, a letter per type, G grey;
- ``stops=24,60``: a slideshow, whose pictures are complete after these drops;
- ``slides=12:3,17:0``: tucks; the 12th drop comes to rest in row 3.

Then follow the blocks of :mod:`tetrisprinter.game.pieces`. A pass with more pieces than a block
has letters for is written as several blocks, which are read as one pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, Protocol, overload

from tetrisprinter.errors import ArgumentError, InputError
from tetrisprinter.game.field import CLASSIC_BOARD, Board, Playfield, Rows, draw_start, parse_start
from tetrisprinter.game.piece_queue import PieceQueue
from tetrisprinter.game.pieces import (
    GREY,
    MAX_PIECES,
    Block,
    PieceType,
    Placement,
    draw,
    split_blocks,
)
from tetrisprinter.support import format_count, load
from tetrisprinter.support.files import read_text

CLASSIC_TYPES: Final = (PieceType.J, PieceType.T, PieceType.L)
"""The types that have colours in the article, in the order of its header."""

GREY_COLOR: Final = "9a9a9a"
"""The colour of squares of no piece type."""

PLATFORM_ROWS: Final = 4
"""The number of rows of a platform; the lowest row clears before the platform is used."""

_COLOR = re.compile(r"[0-9a-f]{6}")
_BOARD = re.compile(
    r"board (\d{1,4})x(\d{1,4})((?: [IJLOSTZ]=[0-9a-f]{6})*)(?: queue=([IJLOSTZ]+)( hold)?)?"
)
_HEADER = re.compile(
    r"(.*?)(?: background=([0-9a-f]{6}))?(?: start=([.A-Z/]+))?"
    r"(?: stops=(\d+(?:,\d+)*))?(?: slides=(\d+:\d+(?:,\d+:\d+)*))?"
)


@dataclass(frozen=True, slots=True)
class Pass:
    """Consecutive drops, drawn as pieces in a rectangle."""

    height: int  # the number of rows of the drawing
    pieces: tuple[Placement, ...]  # in drop order, y from the bottom of the drawing

    @classmethod
    def make(cls, pieces: Iterable[Placement]) -> Pass:
        """Make a pass of pieces at any height; the lowest row of the pieces becomes row 0."""
        placements = tuple(pieces)
        lowest_row = min(piece.y for piece in placements)
        top = max(piece.y + piece.orientation.height for piece in placements)
        return cls(
            top - lowest_row,
            tuple(
                Placement(piece.orientation, piece.x, piece.y - lowest_row) for piece in placements
            ),
        )


class HasPlan(Protocol):
    """An object that has a plan, such as a result."""

    @property
    def plan(self) -> Plan:
        """The plan."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A complete game as a sequence of drops; iterating over it yields the drops.

    Attributes
    ----------
    passes : tuple of Pass
        The drops, in order.
    colors : tuple of (PieceType, str)
        The types that may stay, each with its colour ``rrggbb``, in the order of the header.
    width, height : int
        The size of the board.
    background : str or None
        The colour of the picture's background. Renderers give it to empty squares, so types of this
        colour look like empty squares.
    queue : PieceQueue or None
        The piece queue from which the drops can be played, if there is one.
    start : tuple of bytes
        The lowest rows of the board before the first drop, bottom first.
    stops : tuple of int
        In a slideshow: the numbers of drops after which each picture is complete, increasing.
    slides : tuple of (int, int)
        The tucks: drops, counted from 0, that are steered under other squares, each with the row of
        its lower left corner at rest.

    Examples
    --------
    >>> plan = Plan.parse("board 4x4 I=00ffff O=ffff00\\n\\nCC..\\nCCBB\\nAABB\\nAA..\\n")
    >>> [drop.orientation.piece.name for drop in plan]
    ['O', 'O', 'O']
    >>> len(plan), plan[0].x, plan[-1] == plan.drops[-1]
    (3, 0, True)
    """

    passes: tuple[Pass, ...]
    colors: tuple[tuple[PieceType, str], ...]
    width: int = CLASSIC_BOARD.width
    height: int = CLASSIC_BOARD.height
    background: str | None = None
    queue: PieceQueue | None = None
    start: Rows = ()
    stops: tuple[int, ...] = ()
    slides: tuple[tuple[int, int], ...] = ()

    @property
    def board(self) -> Board:
        """The size of the playfield."""
        return Board(self.width, self.height)

    @property
    def color_of(self) -> Mapping[PieceType, str]:
        """The colours as a mapping."""
        return dict(self.colors)

    @property
    def visible_colors(self) -> Mapping[PieceType, str]:
        """The colours of the types that differ from empty squares in the end.

        >>> Plan.parse("board 4x6 I=ffffff O=ff0000 background=ffffff\\n").visible_colors
        {<PieceType.O: 4>: 'ff0000'}
        """
        return {piece: color for piece, color in self.colors if color != self.background}

    @property
    def square_colors(self) -> Mapping[int, str]:
        """The colours of the values of squares that are visible in the end.

        >>> Plan.parse("board 4x6 O=ff0000 start=GG..").square_colors
        {4: 'ff0000', 8: '9a9a9a'}
        """
        colors = {int(piece): color for piece, color in self.visible_colors.items()}
        if any(GREY in row for row in self.start):
            colors[GREY] = GREY_COLOR
        return colors

    @property
    def header(self) -> str:
        """The first line of the text form: everything but the passes."""
        if self.is_classic:
            header = " ".join(color for _, color in self.colors)
        else:
            header = f"board {self.width}x{self.height}" + "".join(
                f" {piece.name}={color}" for piece, color in self.colors
            )
            if self.queue is not None:
                header += f" queue={self.queue}" + " hold" * self.queue.hold
        if self.background is not None:
            header += f" background={self.background}"
        if self.start:
            header += f" start={'/'.join(draw_start(self.start))}"
        if self.stops:
            header += f" stops={','.join(map(str, self.stops))}"
        if self.slides:
            header += " slides=" + ",".join(f"{drop + 1}:{row}" for drop, row in self.slides)
        return header

    @property
    def is_classic(self) -> bool:
        """Whether the article's text format can express the board, the types and the queue."""
        return (
            self.board == CLASSIC_BOARD
            and self.queue is None
            and tuple(piece for piece, _ in self.colors) == CLASSIC_TYPES
        )

    @property
    def platforms(self) -> int:
        """The number of platforms; each is removed by a single J or L."""
        return sum(
            pass_.height == PLATFORM_ROWS
            and [piece.orientation.row_widths for piece in pass_.pieces] == [(1, 1, 2)]
            for pass_ in self.passes
        )

    def make_field(self) -> Playfield:
        """Return a new field with the squares before the first drop.

        >>> print(Plan.parse("board 4x2 J=ff0000 start=J.../JJJ.").make_field())
        J...
        JJJ.
        """
        return Playfield.from_rows(self.width, self.height, self.start)

    @property
    def drops(self) -> tuple[Placement, ...]:
        """Every piece in drop order, y counted from the bottom of the drawing of its pass."""
        return tuple(self)

    def iterate_with_pass(self) -> Iterator[tuple[int, Placement]]:
        """Yield every piece in drop order with the index of its pass."""
        for index, pass_ in enumerate(self.passes):
            for piece in pass_.pieces:
                yield index, piece

    def __iter__(self) -> Iterator[Placement]:
        return (piece for pass_ in self.passes for piece in pass_.pieces)

    @overload
    def __getitem__(self, index: int) -> Placement: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Placement, ...]: ...

    def __getitem__(self, index: int | slice) -> Placement | tuple[Placement, ...]:
        """Return the drop with this number, from 0, or a slice of the drops."""
        return self.drops[index]

    def list_types(self) -> Iterator[PieceType]:
        """Yield the type of every piece in drop order."""
        return (placement.orientation.piece for placement in self)

    def __len__(self) -> int:
        """Return the number of drops."""
        return sum(len(pass_.pieces) for pass_ in self.passes)

    def __str__(self) -> str:
        blocks = (
            draw(self.width, pass_.height, (piece.cells for piece in chunk))
            for pass_ in self.passes
            for chunk in (
                pass_.pieces[first : first + MAX_PIECES]
                for first in range(0, len(pass_.pieces), MAX_PIECES)
            )
        )
        return "\n\n".join([self.header, *blocks]) + "\n"

    @classmethod
    def unwrap(cls, source: Plan | HasPlan) -> Plan:
        """Return a plan, or the plan of a result."""
        plan = source if isinstance(source, cls) else getattr(source, "plan", None)
        if not isinstance(plan, cls):
            raise ArgumentError(f"expected a Plan or a PrintResult, got {type(source).__name__}")
        return plan

    def __repr__(self) -> str:
        drops = format_count(len(self), "drop")
        passes = format_count(len(self.passes), "pass", "passes")
        return f"<Plan {drops}, {passes} on {self.board}>"

    def _repr_html_(self) -> str:
        """Return HTML that plays the game in a notebook."""
        html: str = load("tetrisprinter.render.still:draw_plan_html")(self)
        return html

    def _repr_png_(self) -> bytes | None:
        png: bytes | None = load("tetrisprinter.render.still:draw_plan_png")(self)
        return png

    def with_passes(self, passes: Iterable[Pass]) -> Plan:
        """Return the plan with other passes."""
        return replace(self, passes=tuple(passes))

    @classmethod
    def join(cls, plans: Sequence[Plan], **head: Any) -> Plan:
        """Return plans that are played one after the other as one plan, with a stop after each.

        ``head`` are fields that differ from those of the first plan.
        """
        passes = tuple(plan_pass for plan in plans for plan_pass in plan.passes)
        stops = tuple(sorted({stop for stop in accumulate(map(len, plans)) if stop}))
        return replace(plans[0], passes=passes, stops=stops, **head)

    @classmethod
    def parse(cls, text: str, source: str = "plan") -> Plan:
        """Read the text form."""
        header, _, body = text.lstrip("\ufeff").partition("\n")
        plan_head = _parse_header(header.strip(), source)
        passes: list[Pass] = []
        for block in split_blocks(body, source, first_line=2):
            if block.width != plan_head.width:
                raise block.make_error(
                    f"lines of {block.width} characters; expected {plan_head.width}, the width of "
                    "the board"
                )
            pieces = block.list_pieces()
            if passes and _is_continued(passes[-1], block):
                passes[-1] = Pass(block.height, (*passes[-1].pieces, *pieces))
            else:
                passes.append(Pass(block.height, pieces))
        plan = plan_head.with_passes(passes)
        if passes and plan.stops and plan.stops[-1] > len(plan):
            raise InputError(
                f"{source}:1: a stop after drop {plan.stops[-1]}; the plan has {len(plan)} drops"
            )
        if passes and plan.slides and plan.slides[-1][0] >= len(plan):
            raise InputError(
                f"{source}:1: a slide of drop {plan.slides[-1][0] + 1}; the plan has {len(plan)} "
                "drops"
            )
        if plan.queue is not None:
            try:
                plan.queue.trace_turns(plan.list_types())
            except InputError as error:
                raise InputError(f"{source}: {error}") from error
        return plan

    @classmethod
    def read(cls, path: str | Path) -> Plan:
        """Read a plan from a file, as :meth:`parse` does; error messages name the file."""
        return cls.parse(read_text(path), str(path))


def _is_continued(previous: Pass, block: Block) -> bool:
    """Return whether a block continues the previous pass, which used all letters."""
    if len(previous.pieces) % MAX_PIECES or previous.height != block.height or not previous.pieces:
        return False
    filled = {cell for piece in previous.pieces for cell in piece.cells}
    return not any(cell in filled for cells in block.groups for cell in cells)


def _parse_header(header: str, source: str) -> Plan:
    """Read the first line; return a plan without passes."""
    match = _HEADER.fullmatch(" ".join(header.split()))
    assert match is not None  # its first group takes everything
    text, background, start, stop_list, slide_list = match.groups()
    pairs = [pair.split(":") for pair in slide_list.split(",")] if slide_list else []
    slides = tuple((int(drop) - 1, int(row)) for drop, row in pairs)
    if [drop for drop, _ in slides] != sorted({max(0, drop) for drop, _ in slides}):
        raise InputError(
            f"{source}:1: the slides are not in order; expected increasing numbers of drops"
        )
    stops = tuple(map(int, stop_list.split(","))) if stop_list else ()
    if list(stops) != sorted(set(stops)):
        raise InputError(
            f"{source}:1: the stops are not in order; expected increasing numbers of drops"
        )
    board, colors, queue = _parse_board(text, source)
    rows = parse_start(start.split("/"), board.width, board.height, f"{source}:1") if start else ()
    return Plan((), colors, board.width, board.height, background, queue, rows, stops, slides)


def _parse_board(
    text: str, source: str
) -> tuple[Board, tuple[tuple[PieceType, str], ...], PieceQueue | None]:
    """Read the beginning of the first line: board, colours and queue."""
    words = text.split()
    if len(words) == len(CLASSIC_TYPES) and all(map(_COLOR.fullmatch, words)):
        return CLASSIC_BOARD, tuple(zip(CLASSIC_TYPES, words, strict=True)), None
    match = _BOARD.fullmatch(text)
    if match is None:
        raise InputError(
            f"{source}:1: not the first line of a plan; expected the colours of J, T and L as "
            "three times six lower-case hex digits, or 'board WIDTHxHEIGHT TYPE=rrggbb ...', "
            "then perhaps 'background=rrggbb', 'start=..J./TTT.', 'stops=24,60' and "
            "'slides=12:3', in this order"
        )
    colors = tuple((PieceType[pair[0]], pair[2:]) for pair in match[3].split())
    if len({piece for piece, _ in colors}) < len(colors):
        raise InputError(f"{source}:1: a piece type was given two colours; expected one for each")
    width, height = int(match[1]), int(match[2])
    if not width or not height:
        raise InputError(
            f"{source}:1: the board is empty; expected at least one row and one column"
        )
    queue = PieceQueue.parse(match[4], hold=bool(match[5])) if match[4] else None
    return Board(width, height), colors, queue
