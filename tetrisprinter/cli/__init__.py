"""The command line: one module per command, each of which parses, calls and reports.

Commands are imported only when they run, so that ``--help`` answers at once although
the solvers behind some of them take half a second to load. Errors become one sentence
on stderr and an exit code here and nowhere else.

Words: docs/glossary.md
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
import signal
import sys
from typing import Final

import click

from tetrisprinter import __version__
from tetrisprinter.cli.streams import prepare_streams, silence
from tetrisprinter.cli.words import options_of, told, usage_told
from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.support.files import explain_error
from tetrisprinter.support.notices import LISTENERS
from tetrisprinter.support.signals import announce_stop, end_in_order, number_of_stop

__all__ = ["COMMANDS", "main", "main_command"]

SECTIONS: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "Make": {
        "print": ("print", "Print images: plan a game, play it, write film or picture."),
        "text": ("text", "Print a text."),
        "qr": ("qr", "Print a QR code that phones scan."),
        "avatar": ("avatar", "Print an image as two square films, light and dark."),
        "film": ("film", "Go from picture to picture in one game."),
        "clock": ("clock", "Print the time, minute after minute, in one game."),
        "race": ("race", "Let planners print the same image side by side."),
        "convert": ("convert", "Turn an image into a plan, or a game for another program."),
        "import": ("importing", "Turn a game of another program into a plan."),
        "examples": ("examples", "List the example pictures, or copy them."),
        "studio": ("studio", "Print in the browser."),
        "page": ("page", "Write a web page that prints in the browser."),
    },
    "Watch and play": {
        "play": ("play", "Play a plan and write it as film, page or picture."),
        "watch": ("watch", "Play a plan in the terminal."),
        "moves": ("moves", "Say how a player steers every piece of a plan."),
        "bot": ("bot", "Draw a picture in any game that speaks the Tetris Bot Protocol."),
    },
    "Prove": {
        "bound": ("bound", "Prove how few straight drops any game needs."),
        "prove": ("prove", "Find a packed matrix or prove that there is none."),
        "search": ("search", "Search a packed matrix for some emitted squares."),
        "patterns": ("patterns", "Build, verify and show the tables of patterns."),
        "certificates": ("certificates", "Check the proofs of what is impossible."),
        "automaton": ("automaton", "Ask about all widths at once."),
        "atlas": ("atlas", "Count how many rows of matrix every width takes."),
    },
    "Neighbours": {
        "tile": ("tile", "Tile a board with polyominoes: one way, all ways, how many."),
        "triplex": ("triplex", "Packing puzzles with exactly one solution."),
    },
}
"""Heading -> name -> (module, one line): what the list of commands shows."""

COMMANDS: Final = {name: entry for part in SECTIONS.values() for name, entry in part.items()}


def main_command(name: str) -> click.Command:
    """Return one of the commands, loading it."""
    module = importlib.import_module(f"tetrisprinter.cli.{COMMANDS[name][0]}")
    command: click.Command = module.command
    if name in _MAKES and all(one.name != "quiet" for one in command.params):
        command.params.append(
            click.Option(["-q", "--quiet"], is_flag=True, expose_value=False, is_eager=True,
                         callback=_be_quiet, help="Say nothing but errors.")
        )  # fmt: skip
    return command


_MAKES: Final = {*SECTIONS["Make"], "play"} - {"examples", "studio"}
"""Commands whose only results are files, so that they can be quiet."""


def _be_quiet(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Hide all messages until the command is done; errors are reported after it."""
    if not value or context.resilient_parsing:
        return
    # Not this command's context: click leaves that open when a later option is wrong.
    hold = context.find_root().with_resource
    hidden = hold(open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
    hold(contextlib.redirect_stderr(hidden))
    if not {"-", "-o-", "--json"} & set(sys.argv):  # else the result goes to standard output
        hold(contextlib.redirect_stdout(hidden))


class _StoppedError(Exception):
    """A signal stopped the command."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _LazyGroup(click.Group):
    """A group that knows its commands by name and loads them on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; suggest the nearest for one that does not exist."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"unknown command {args[0]!r}{meant}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return main_command(cmd_name)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; click would answer Ctrl-C with an empty line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as end:
            raise _StoppedError(getattr(end, "number", signal.SIGINT)) from end

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, COMMANDS))
        for heading, commands in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(name.ljust(widest), line) for name, (_, line) in commands.items()]
                )


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tetrisprinter")
def _root() -> None:
    """Print pictures by playing Tetris.

    tetrisprinter print PHOTO.jpg makes a film of a game that leaves the photo behind;
    tetrisprinter COMMAND --help tells more of a command.

    Exit codes: 0 done, 1 the job failed, 2 the input or the options cannot be used,
    130 interrupted, 143 terminated. (`prove`, `search` and `certificates` document
    their own.)
    """


def _say(sentence: str) -> None:
    with contextlib.suppress(OSError):  # nobody can be told any more
        click.echo(f"tetrisprinter: {sentence}", err=True)


def main() -> None:
    """Run the command line and exit."""
    LISTENERS[:] = [_say]
    prepare_streams()
    code: object = 0
    try:
        with end_in_order():
            code = _root.main(standalone_mode=False)
            sys.stdout.flush()
    except TetrisPrinterError as error:
        typed = sys.argv[1] if len(sys.argv) > 1 else ""
        options = options_of(main_command(typed)) if typed in COMMANDS else None
        _say(told(error, sys.argv[1:], options))
        code = error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.UsageError as error:
        named = [word for word in sys.argv[1:2] if word in COMMANDS]
        _say(usage_told(error.format_message(), " ".join(["tetrisprinter", *named])))
        code = error.exit_code
    except click.ClickException as error:
        _say(error.format_message())
        code = error.exit_code
    except (_StoppedError, KeyboardInterrupt) as end:
        announce_stop(getattr(end, "number", signal.SIGINT))
    except click.Abort as end:  # at a question
        if number_of_stop() or not isinstance(end.__cause__, EOFError):
            announce_stop(number_of_stop() or signal.SIGINT)
        else:
            _say("no answer; nothing is done")
            code = JobError.exit_code
    except BrokenPipeError:
        # The reader of our output went away; that is its right.
        silence(sys.stdout)
        code = 128 + signal.SIGPIPE
    except OSError as error:
        silence(sys.stdout)
        _say(f"{error.filename or 'standard output'}: {explain_error(error)}")
        code = InputError.exit_code
    except MemoryError:
        _say("there is not enough memory for this")
        code = JobError.exit_code
    if number := number_of_stop():
        code = 128 + number
    sys.exit(code if isinstance(code, int) else 0)
