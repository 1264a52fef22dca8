"""``tetrisprinter bot``: draw a picture in a game that speaks the Tetris Bot Protocol."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from tetrisprinter import __version__
from tetrisprinter.api import PictureRequest
from tetrisprinter.api.preparation import prepare_source
from tetrisprinter.cli.options import FILE, flag, option, seed_option
from tetrisprinter.errors import InputError
from tetrisprinter.game.piece_queue import PREVIEW, QueueRules
from tetrisprinter.pictures.sources import find_source


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
    from tetrisprinter.api.bot import Conversation

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
