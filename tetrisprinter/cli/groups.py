"""Groups whose commands are imported when they run.

So ``--help`` answers at once, although the solvers of some commands take half a second to load.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from typing import Final, NamedTuple

import click


class Entry(NamedTuple):
    """Where a command is defined, and its line in the help."""

    module: str  # within tetrisprinter.cli
    line: str


SECTIONS: Final[dict[str, dict[str, Entry]]] = {
    "Commands": {
        "print": Entry("print", "Print images: find a game, play it, write an animation."),
        "text": Entry("text", "Print a text."),
        "slideshow": Entry("slideshow", "Print several images one after the other in one game."),
        "studio": Entry("studio", "Print in the browser, on this machine."),
        "play": Entry("play", "Play a plan and write it as animation, page or picture."),
        "watch": Entry("watch", "Play a plan in the terminal."),
        "moves": Entry("moves", "List the keys that a player presses for each piece of a plan."),
        "bound": Entry("bound", "Prove how many pieces any game for a picture needs."),
    },
    "More": {
        "convert": Entry("convert", "Turn an image or a game into a game for another program."),
        "examples": Entry("examples", "List the example pictures, or copy them."),
        "qr": Entry("qr", "Print a QR code that phones scan."),
        "clock": Entry("clock", "Print the time, minute after minute, in one game."),
        "page": Entry("page", "Write a web page that prints in the browser, without a server."),
        "bot": Entry("bot", "Draw a picture in a game that speaks the Tetris Bot Protocol."),
        "tile": Entry("tile", "Tile a board with polyominoes; count the tilings."),
        "triplex": Entry("triplex", "Make packing puzzles with exactly one solution."),
        "proofs": Entry("proofs", "For researchers: patterns, certificates, automata."),
    },
}
"""Heading -> command -> entry: what ``tetrisprinter --help`` lists."""

PROOFS: Final[dict[str, Entry]] = {
    "search": Entry("proofs.search", "Search for a packed matrix that leaves given squares."),
    "prove": Entry("proofs.prove", "Find a packed matrix, or prove that there is none."),
    "patterns": Entry("proofs.patterns", "Build, verify and show the tables of patterns."),
    "certificates": Entry("proofs.certificates", "Check the proofs of impossibility."),
    "atlas": Entry("proofs.atlas", "Count for each width how many rows a matrix needs."),
    "automaton": Entry("proofs.automaton", "Answer questions about all widths at once."),
}
"""The commands of ``tetrisprinter proofs``."""

COMMANDS: Final = {name: entry for part in SECTIONS.values() for name, entry in part.items()}

_RELATED: Final = {
    "animate": "print",
    "avatar": "print --avatar",
    "export": "convert",
    "film": "slideshow",
    "import": "convert",
    "race": "print --race",
}
"""Words that a user may type as a command, and the right command."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports them on demand."""

    def __init__(
        self, *args: object, sections: Mapping[str, Mapping[str, Entry]], **attrs: object
    ) -> None:
        super().__init__(*args, **attrs)  # type: ignore[arg-type]
        self._sections = sections
        self._entries = {name: entry for part in sections.values() for name, entry in part.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; return None for an unknown name."""
        if cmd_name not in self._entries:
            return None
        module = importlib.import_module(f"tetrisprinter.cli.{self._entries[cmd_name].module}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; suggest the nearest for one that does not exist."""
        if args and args[0] not in self._entries and not args[0].startswith("-"):
            near = find_near_commands(args[0])
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise click.UsageError(f"unknown command {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under their headings."""
        widest = max(map(len, self._entries))
        for heading, commands in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(name.ljust(widest), entry.line) for name, entry in commands.items()]
                )


def find_near_commands(word: str) -> list[str]:
    """Return the commands that may be meant by an unknown word.

    >>> find_near_commands("prove"), find_near_commands("prnt"), find_near_commands("film")
    (['proofs prove'], ['print'], ['slideshow'])
    """
    typed = {name: f"proofs {name}" for name in PROOFS}
    typed |= _RELATED | {name: name for name in COMMANDS}
    if word in typed:
        return [typed[word]]
    return list(dict.fromkeys(typed[n] for n in difflib.get_close_matches(word, typed, 1)))
