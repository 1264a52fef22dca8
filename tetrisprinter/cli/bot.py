"""``tetrisprinter bot``: draw a picture in any game that speaks the Tetris Bot Protocol.

The protocol is a conversation with one JSON message per line. The game sends its board and queue
(``start``), each new piece of the queue (``new_piece``) and each move (``play``), and asks for a
move (``suggest``). A location is the centre of a piece in the Super Rotation System (SRS), with
column and row counted from 0 at the lower left, and one of four orientations. Specification:
github.com/tetris-bot-protocol/tbp-spec.

Games of this protocol have ten columns and forty rows, twenty of them visible.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click

from tetrisprinter import __version__
from tetrisprinter.api import PictureRequest
from tetrisprinter.api.preparation import prepare_source
from tetrisprinter.cli.options import FILE, flag, option, seed_option
from tetrisprinter.errors import InputError
from tetrisprinter.game.field import GUIDELINE_BOARD, can_leave, find_unit
from tetrisprinter.game.piece_queue import PREVIEW, QueueRules
from tetrisprinter.game.pieces import Orientation, PieceType, Placement
from tetrisprinter.game.steering import CENTERED_CELLS
from tetrisprinter.pictures.sources import find_source
from tetrisprinter.planners.dealt import DEALT
from tetrisprinter.planners.dealt.beam import choose_types, make_dealt_target
from tetrisprinter.planners.dealt.players import Player
from tetrisprinter.printing.task import Task


@click.command("bot")
@click.argument("image", type=FILE)
@option("--types", None, "Colour of each piece type.", metavar="auto|J=RRGGBB,...")
@flag("--exact", "Draw the picture unchanged, or refuse it.")
@flag(
    "--endless",
    "Draw the picture again and again. [default: stop when it is complete, which ends the game]",
)
@seed_option
def command(image: Path, types: str | None, exact: bool, endless: bool, seed: int) -> None:
    """Draw IMAGE in a game that speaks the Tetris Bot Protocol.

    A front end of the protocol starts this command and writes one JSON message per line to its
    standard input; the answers go to standard output. The game must have ten columns and may deal
    any pieces. An invalid message gets an error as answer. The message quit ends the command, and
    so does the end of the input.
    """
    source = find_source(image)
    options: dict[str, Any] = {
        "pieces": QueueRules(preview=PREVIEW),
        "exact": exact,
        "types": types,
    }
    prepared = prepare_source(source, PictureRequest.of(options))
    for step in prepared.steps:
        click.echo(f"{source.name}: {step}", err=True)
    bot = Conversation(prepared.task, endless, seed)
    name = {
        "name": "tetrisprinter",
        "version": __version__,
        "author": "The tetrisprinter developers",
    }
    _send({"type": "info", **name, "features": []})
    for message in _read_messages(sys.stdin.buffer):
        try:
            for answer in bot.answer(message):
                _send(answer)
        except InputError as error:
            _send({"type": "error", "reason": str(error)})


def _read_messages(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the valid messages up to ``quit``; answer invalid ones with an error."""
    for line in lines:
        if not line.strip():
            continue
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):  # not UTF-8, not JSON, or nested without end
            message = None
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            reason = "invalid message; expected a JSON object with a type"
            _send({"type": "error", "reason": reason})
            continue
        if message["type"] == "quit":
            return
        yield message


def _send(message: dict[str, Any]) -> None:
    """Write one message as a line of JSON."""
    click.echo(json.dumps(message))
    sys.stdout.flush()


Message = Mapping[str, Any]

_ORIENTATION_NAMES: Final = ("north", "east", "south", "west")


@dataclass(slots=True)
class Conversation:
    """The bot's side of a conversation with a game."""

    task: Task  # the picture on a board of ten columns
    # Whether to draw the picture again and again. Otherwise the bot suggests no move once the
    # picture is complete, which ends the game
    endless: bool = False
    seed: int = 0  # the same seed yields the same drops
    _player: Player = field(init=False)
    _suggested: dict[str, Any] | None = field(default=None, init=False)
    _has_started: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        obstacle = DEALT.find_refusal(self.task)
        if obstacle is not None:
            raise obstacle.error(self.task.name)
        self._player = self._make_player()

    def answer(self, message: Message) -> Iterator[dict[str, Any]]:
        """Handle a message and yield the answers; ignore unknown types, as the protocol demands."""
        match message.get("type"):
            case "rules":
                yield {"type": "ready"}
            case "start":
                self._start(message)
            case "stop":
                self._has_started = False
            case "suggest":
                yield {"type": "suggestion", "moves": list(self._suggest_moves())}
            case "play":
                self._check_started("play")
                self._play(message)
            case "new_piece":
                self._check_started("new_piece")
                self._player.pieces.append(_read_piece(message.get("piece"), "new_piece"))

    def _make_player(self) -> Player:
        return Player(make_dealt_target(self.task, choose_types(self.task)), seed=self.seed)

    def _start(self, message: Message) -> None:
        """Start a game from the board, the queue and the held piece of a message."""
        queue, board, hold = message.get("queue"), message.get("board"), message.get("hold")
        if not isinstance(queue, list):
            raise InputError("start: no queue; expected a list of pieces")
        width = GUIDELINE_BOARD.width
        if not isinstance(board, list) or not all(
            isinstance(row, list) and len(row) == width for row in board
        ):
            raise InputError(f"start: invalid board; expected a list of rows of {width} squares")
        full = [y for y, row in enumerate(board) if all(square is not None for square in row)]
        if full:
            raise InputError(
                f"start: row {full[0]} of the board is full; a full row would have been cleared"
            )
        filled = sum(square is not None for row in board for square in row)
        if self.task.background is None and not can_leave(width, self.task.pixels - filled):
            raise InputError(
                f"start: the board has {filled} squares and the picture {self.task.pixels}; "
                f"on {width} columns every game changes the number of squares by a "
                f"multiple of {find_unit(width)}"
            )
        player = self._make_player()
        player.pieces.extend(_read_piece(piece, "start") for piece in queue)
        held_piece = None if hold is None else _read_piece(hold, "start")
        rows = [
            [
                None if square is None else PieceType.__members__.get(str(square), 0)
                for square in row
            ]
            for row in board
        ]
        try:
            player.take_over(rows, held_piece)
        except InputError as error:
            raise InputError(f"start: {error}") from error
        self._player, self._has_started, self._suggested = player, True, None

    def _check_started(self, message_type: str) -> None:
        if not self._has_started:
            raise InputError(f"{message_type}: no game was started; send start first")

    def _suggest_moves(self) -> Iterator[dict[str, Any]]:
        """Yield the best move; yield none if the picture is complete or no move is possible."""
        self._check_started("suggest")
        if self._player.is_done and not self.endless:
            return
        if not self._player.has_piece:
            raise InputError("suggest: the queue is empty; send new_piece first")
        move = self._player.choose()
        if move is None:
            return
        self._suggested = {
            "location": _make_location(Placement(move.orientation, move.x, move.y)),
            "spin": "none",
        }
        yield self._suggested

    def _play(self, message: Message) -> None:
        """Make the move that the game reports, which may differ from the suggested one."""
        move = message.get("move")
        location = move.get("location") if isinstance(move, Mapping) else None
        if not isinstance(location, Mapping):
            raise InputError("play: no location; expected a move with a location")
        placement = _read_placement(location)
        if self._suggested is not None and placement == _read_placement(
            self._suggested["location"]
        ):
            self._player.play()
        else:
            self._player.play(placement)
        self._suggested = None


def _read_piece(name: Any, message_type: str) -> PieceType:
    if not isinstance(name, str) or name not in PieceType.__members__:
        raise InputError(f"{message_type}: invalid piece {name!r}; choose from I J L O S T Z")
    return PieceType[name]


def _turn_cells(piece: PieceType, turns: int) -> tuple[tuple[int, int], ...]:
    """Return a piece's cells around its centre after clockwise quarter turns (O turns, too)."""
    cells = CENTERED_CELLS[piece][0]
    for _ in range(turns):
        cells = tuple((y, -x) for x, y in cells)
    return cells


def _make_location(placement: Placement) -> dict[str, Any]:
    """Return a placement as a location of the protocol."""
    orientation: Orientation = placement.orientation
    for turns, name in enumerate(_ORIENTATION_NAMES):
        cells = _turn_cells(orientation.piece, turns)
        x, y = min(x for x, _ in cells), min(y for _, y in cells)
        candidate = Placement.find((cx - x, cy - y) for cx, cy in cells)
        if candidate is not None and candidate.orientation is orientation:
            return {
                "type": orientation.piece.name,
                "orientation": name,
                "x": placement.x - x,
                "y": placement.y - y,
            }
    raise AssertionError(orientation)


def _read_placement(location: Message) -> Placement:
    """Read a location of the protocol; raise an InputError if it is invalid or off the board."""
    piece, name = _read_piece(location.get("type"), "play"), location.get("orientation")
    x, y = location.get("x"), location.get("y")
    if name not in _ORIENTATION_NAMES or type(x) is not int or type(y) is not int:
        raise InputError(
            f"play: invalid location {dict(location)}; expected type, orientation, x and y"
        )
    placement = Placement.find(
        (x + cx, y + cy) for cx, cy in _turn_cells(piece, _ORIENTATION_NAMES.index(name))
    )
    board = GUIDELINE_BOARD
    if (
        placement is None
        or not 0 <= placement.x <= board.width - placement.orientation.width
        or not 0 <= placement.y <= board.height - placement.orientation.height
    ):
        raise InputError(f"play: the location {dict(location)} is outside the board")
    return placement
