"""``tetrisprinter bot``: a picture, drawn in any game that speaks the Tetris Bot Protocol."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import click

from tetrisprinter import __version__
from tetrisprinter.api import PictureRequest
from tetrisprinter.api.preparation import prepare_source
from tetrisprinter.cli.options import seed_option
from tetrisprinter.errors import InputError
from tetrisprinter.game.piece_queue import PREVIEW, QueueRules
from tetrisprinter.pictures.sources import sources


@click.command("bot")
@click.argument("image", type=click.Path())
@click.option("--types", metavar="auto|J=RRGGBB,...", help="Colour of each piece type.")
@click.option("--exact", is_flag=True, help="Draw the picture unchanged, or refuse it.")
@click.option(
    "--endless",
    is_flag=True,
    help="Draw the picture again and again. [default: stop when it stands, which ends the game]",
)
@seed_option
def command(image: str, types: str | None, exact: bool, endless: bool, seed: int) -> None:
    """Draw IMAGE in a game that speaks the Tetris Bot Protocol.

    A front end of the protocol starts this command and writes a message in JSON on each line of
    its standard input; the answers come on standard output. The game has ten columns and deals
    what it likes. A message that cannot be understood is answered by an error, and the
    conversation goes on; it ends with the message quit, or with the input.
    """
    from tetrisprinter.api.bot import Conversation

    [source] = sources([image])
    asked: dict[str, Any] = {"pieces": QueueRules(preview=PREVIEW), "exact": exact, "types": types}
    found = prepare_source(source, PictureRequest.of(asked))
    for step in found.steps:
        click.echo(f"{source.name}: {step}", err=True)
    bot = Conversation(found.task, endless, seed)
    name = {
        "name": "tetrisprinter",
        "version": __version__,
        "author": "The tetrisprinter developers",
    }
    _say({"type": "info", **name, "features": []})
    for message in _heard(sys.stdin.buffer):
        try:
            for answer in bot.answer(message):
                _say(answer)
        except InputError as error:
            _say({"type": "error", "reason": str(error)})


def _heard(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the messages up to the end of the conversation."""
    for line in lines:
        if not line.strip():
            continue
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):  # not UTF-8, not JSON, or nested without end
            message = None
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            _say({"type": "error", "reason": "invalid message; expected a JSON object with a type"})
            continue
        if message["type"] == "quit":
            return
        yield message


def _say(message: dict[str, Any]) -> None:
    click.echo(json.dumps(message))
    sys.stdout.flush()
