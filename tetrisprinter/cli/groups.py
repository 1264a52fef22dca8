"""Command groups, and commands with a short and a complete help.

Commands are imported when they run, so ``--help`` answers at once, although the solvers of some
commands take half a second to load. ``--help`` lists the usual options, ``--help-all`` all options.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from tetrisprinter.support.lazy import load

Entry = tuple[str, str]
"""The place of a command (a module of tetrisprinter.cli and a function; only a module: its
``command``), and its line in the help."""

SECTIONS: Final[dict[str, dict[str, Entry]]] = {
    "Print": {
        "print": ("print", "Print images: find a game, play it, write an animation."),
        "text": ("print:text", "Print a text."),
        "slideshow": ("slideshow", "Print several images one after the other in one game."),
        "qr": ("print:qr", "Print a QR code that phones scan."),
        "clock": ("slideshow:clock", "Print the time, minute after minute, in one game."),
        "studio": ("studio", "Print in the browser, on this machine."),
        "page": ("studio:page", "Write a web page that prints in the browser, without a server."),
        "examples": ("examples", "List the example pictures, or copy them."),
    },
    "Play": {
        "play": ("play", "Play a plan and write it as animation, page or picture."),
        "watch": ("play:watch", "Play a plan in the terminal."),
        "moves": ("play:moves", "List the keys that a player presses for each piece of a plan."),
        "convert": ("convert", "Turn an image or a game into a game for another program."),
        "bot": ("bot", "Draw a picture in a game that speaks the Tetris Bot Protocol."),
    },
    "Prove": {
        "patterns": ("groups:patterns", "Find and prove packed matrices, which print squares."),
        "bound": ("bound", "Prove how many pieces any game on a board needs for a picture."),
        "verify": ("verify", "Verify certificates, tables, plans and drop logs."),
    },
    "Puzzles": {
        "tile": ("tile", "Tile a board with polyominoes; count the tilings."),
        "triplex": ("triplex", "Make packing puzzles with exactly one solution."),
    },
}
"""Heading -> command -> its entry in ``tetrisprinter --help``."""

PATTERNS: Final[dict[str, Entry]] = {
    "find": (
        "patterns:find_matrix",
        "Find a packed matrix that leaves given squares, or any other.",
    ),
    "prove": ("patterns:prove_matrix", "Find a packed matrix, or prove that there is none."),
    "count": ("patterns:count_packings", "Count all packings of a matrix."),
    "show": ("patterns:show_table", "Show the tables of patterns."),
    "build": ("patterns:build_tables", "Build the tables again."),
    "verify": ("verify", "Verify tables and certificates."),
    "atlas": ("automaton:draw_atlas", "Count for each width how many rows a matrix needs."),
    "automaton": ("automaton:automaton", "Answer questions about all widths at once."),
}
"""The commands of ``tetrisprinter patterns``."""

COMMANDS: Final = {name: entry for part in SECTIONS.values() for name, entry in part.items()}

_SYNONYMS: Final = {
    "animate": "print",
    "export": "convert",
    "film": "slideshow",
    "import": "convert",
}
"""Words that a user may type as a command, and the right command."""


CLOSED_PIPE: Final = 128 + 13
"""The exit code if the reader of the output ended first: the number of SIGPIPE, which Windows does
not have."""


class StoppedError(Exception):
    """A signal stopped the command."""


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
        module, _, name = self._entries[cmd_name][0].partition(":")
        command: click.Command = load(f"tetrisprinter.cli.{module}:{name or 'command'}")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; suggest a similar command if it does not exist."""
        if args and args[0] not in self._entries and not args[0].startswith("-"):
            similar = find_similar_command(args[0])
            hint = "" if similar is None else f"; did you mean {similar!r}?"
            raise click.UsageError(f"unknown command {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; raise a :class:`StoppedError` on Ctrl-C, which click would swallow."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as end:
            raise StoppedError from end
        except BrokenPipeError:  # click would exit with 1, as if the job had failed
            ctx.exit(CLOSED_PIPE)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under their headings."""
        widest = max(map(len, self._entries))
        for heading, commands in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(name.ljust(widest), line) for name, (_, line) in commands.items()]
                )


def find_similar_command(word: str) -> str | None:
    """Return the command that an unknown word may mean, or None.

    >>> find_similar_command("prove"), find_similar_command("prnt"), find_similar_command("film")
    ('patterns prove', 'print', 'slideshow')
    """
    commands_by_word = {name: f"patterns {name}" for name in PATTERNS}
    commands_by_word |= _SYNONYMS | {name: name for name in COMMANDS}
    similar = difflib.get_close_matches(word, commands_by_word, 1)
    return commands_by_word[similar[0]] if similar else None


@click.command("patterns", cls=LazyGroup, sections={"Commands": PATTERNS})
def patterns() -> None:
    """Find and prove printing patterns.

    A pattern is a packed matrix: rows that pieces fill so that every row clears and only some
    squares stay, in the row below. `tetrisprinter patterns find --emitted 3 --rows 5 --at 0,9,18`
    shows one.
    """


HEADINGS: Final[dict[str, tuple[str, ...]]] = {
    "Text": ("font", "size", "color"),
    "What is written": ("outputs", "output", "plans", "preview", "poster"),
    "The picture": ("fit", "colors", "background", "exact"),
    "The game": ("place", "board", "start_from", "effort", "time_limit"),
    "How it looks": ("style", "seconds", "scale"),
    "Report": ("verbose", "quiet", "as_json", "help", "_click_default_help", "all_help"),
}
"""The headings of ``--help`` -> the parameters under each heading."""

_MORE: Final = "More, rarely needed"


class GroupedCommand(click.Command):
    """A command with a short ``--help`` and a complete ``--help-all``."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Add ``--help-all``."""
        return [*super().get_params(ctx), _HELP_ALL]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        options = {
            parameter.name: parameter
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option) and not parameter.hidden
        }
        for heading, names in HEADINGS.items():
            _write_section(ctx, formatter, heading, [options.pop(n) for n in names if n in options])
        if ctx.meta.get(_SHOW_ALL):
            _write_section(ctx, formatter, _MORE, list(options.values()))
        elif options:
            with formatter.indentation():
                formatter.write_paragraph()
                formatter.write_text(f"--help-all shows {len(options)} more.")


_SHOW_ALL: Final = "tetrisprinter.help_all"


def _write_section(
    ctx: click.Context,
    formatter: click.HelpFormatter,
    heading: str,
    options: Sequence[click.Parameter],
) -> None:
    """Write one heading with its options."""
    records = [record for option in options if (record := option.get_help_record(ctx)) is not None]
    if records:
        with formatter.section(heading):
            formatter.write_dl(records)


def _show_all(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Show the complete help and exit (the callback of ``--help-all``)."""
    if value and not ctx.resilient_parsing:
        ctx.meta[_SHOW_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_HELP_ALL: Final = click.Option(
    ["--help-all", "all_help"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show all options and exit.",
)
