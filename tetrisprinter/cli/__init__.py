"""The command line: each module parses a command, calls the library and reports.

Commands are imported when they run, so ``--help`` answers at once, although the solvers of some
commands take half a second to load. ``--help`` lists the usual options, ``--help-all`` all options.
Only :func:`main` turns errors into a sentence on stderr and an exit code.

The standard streams accept all output. A character that the terminal's encoding lacks is replaced
by a similar ASCII character. File names may contain bytes that are not UTF-8; these bytes are
written unchanged. Closed streams are replaced by the null device.

Words: docs/glossary.md
"""

from __future__ import annotations

import codecs
import contextlib
import difflib
import io
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TextIO

import click

from tetrisprinter import __version__
from tetrisprinter.cli.options import explain_exception, format_error, map_options_to_metavars
from tetrisprinter.errors import LISTENERS, InputError, JobError, TetrisPrinterError
from tetrisprinter.support import load
from tetrisprinter.support.files import explain_error, is_file
from tetrisprinter.support.signals import exit_at_once, get_stop_signal, stop_cleanly

Entry = tuple[str, str]
"""The place of a command (a module of tetrisprinter.cli, empty for this one, and a function; only a
module: its ``command``), and its line in the help."""

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
        "patterns": (":_patterns", "Find and prove packed matrices, which print squares."),
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
        place = f"{__name__}.{module}" if module else __name__
        command: click.Command = load(f"{place}:{name or 'command'}")
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
def _patterns() -> None:  # ``patterns`` is the module of its commands
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


@click.command(
    cls=LazyGroup, sections=SECTIONS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="tetrisprinter")
def _root() -> None:
    """Print pictures by playing Tetris.

    `tetrisprinter print PHOTO.jpg` writes an animation of a game that leaves the photo
    behind. `tetrisprinter COMMAND --help` explains a command.

    Exit codes: 0 done, 1 the job failed, 2 the input or an option cannot be used,
    130 interrupted, 143 terminated. (`patterns prove` and `verify` document their own.)
    """


def find_command(words: Sequence[str]) -> click.Command:
    """Return the command that a command line names, such as ``patterns prove``."""
    return _resolve_command(words)[0]


def _resolve_command(words: Sequence[str]) -> tuple[click.Command, str]:
    """Return the command that a command line names, and its full name for messages."""
    command: click.Command = _root
    path = "tetrisprinter"
    for word in words:
        if not isinstance(command, click.Group):
            break
        subcommand = command.get_command(click.Context(command), word)
        if subcommand is None:
            break
        command, path = subcommand, f"{path} {word}"
    return command, path


def _print_error(sentence: str) -> None:
    """Print a sentence to stderr after the program's name."""
    with contextlib.suppress(OSError):  # the reader of stderr may be gone
        click.echo(f"tetrisprinter: {sentence}", err=True)


def main() -> None:
    """Run the command line and exit."""
    LISTENERS[:] = [_print_error]
    prepare_streams()
    code: object = 0
    try:
        with stop_cleanly():
            code = _root.main(prog_name="tetrisprinter", standalone_mode=False)
            sys.stdout.flush()
    except TetrisPrinterError as error:
        options = None
        with contextlib.suppress(TetrisPrinterError):  # perhaps the command could not be loaded
            command = find_command(sys.argv[1:])
            if not isinstance(command, click.Group):
                options = map_options_to_metavars(command)
        _print_error(format_error(error, sys.argv[1:], options))
        code = error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.UsageError as error:
        message = error.format_message().rstrip(".")
        if isinstance(error, click.NoSuchOption):
            for name in sys.argv[1:]:
                if name.startswith("-") and is_file(name):
                    message = f"{name} is read as options (write ./{name} for the file)"
        path = _resolve_command(sys.argv[1:])[1]
        _print_error(message if message.endswith(("?", ")")) else f"{message}; see `{path} --help`")
        code = error.exit_code
    except click.ClickException as error:
        _print_error(error.format_message())
        code = error.exit_code
    except (StoppedError, KeyboardInterrupt):
        if not get_stop_signal():  # it came from code, not from the terminal
            _print_error("stopping")
            code = 128 + signal.SIGINT
    except BrokenPipeError:
        # The reader of our output ended first, as `head` does.
        silence(sys.stdout)
        code = CLOSED_PIPE
    except OSError as error:
        silence(sys.stdout)
        _print_error(f"{error.filename or 'standard output'}: {explain_error(error)}")
        code = InputError.exit_code
    except MemoryError:
        _print_error("out of memory; try a smaller picture or fewer --workers")
        code = JobError.exit_code
    except Exception as error:
        if get_stop_signal():  # a signal may interrupt an import, which then raises its own error
            _end_after_signal()
        path = _resolve_command(sys.argv[1:])[1]
        fault = explain_exception(error, path.removeprefix("tetrisprinter "))
        _print_error(fault.message)
        code = fault.exit_code
    if get_stop_signal():
        _end_after_signal()
    sys.exit(code if isinstance(code, int) else 0)


def _end_after_signal() -> None:
    """End the process at once, because what a signal interrupted may be half loaded.

    At a normal exit Python would end itself by SIGINT if Ctrl-C came while a class was made.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    exit_at_once(get_stop_signal())


_ERROR_HANDLER: Final = "tetrisprinter.plain"

_REPLACEMENTS: Final = str.maketrans(
    {
        **dict.fromkeys("┌├└┐┤┘┬┴┼╵╶╷╴", "+"),
        **{"─": "-", "│": "|", "░": "#", "▀": '"', "▄": "_", "█": "#", "×": "x"},
        **{"–": "-", "—": "-", "…": "."},
    }
)


def _replace_character(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replace a character that an encoding lacks (a handler for :func:`codecs.register_error`)."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    if "\udc80" <= text[0] <= "\udcff":  # a byte of a file name (PEP 383)
        return bytes([ord(text[0]) - 0xDC00]), error.start + 1
    return text[0].translate(_REPLACEMENTS).encode("ascii", "replace"), error.start + 1


def prepare_streams() -> None:
    """Replace closed streams, and let stdout accept all characters."""
    codecs.register_error(_ERROR_HANDLER, _replace_character)
    if sys.stdout is None:
        sys.stdout = _open_null_device()
    if sys.stderr is None:
        sys.stderr = _open_null_device()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=_ERROR_HANDLER)


def _open_null_device() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def silence(stream: TextIO) -> None:
    """Discard the buffered output of a stream that can no longer be written to."""
    with contextlib.suppress(OSError, ValueError):
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, stream.fileno())
        os.close(null_device)
