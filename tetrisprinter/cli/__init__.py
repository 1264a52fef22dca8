"""The command line: each module parses a command, calls the library and reports.

Commands are imported when they run (:mod:`tetrisprinter.cli.groups`). Only :func:`main`
turns errors into a sentence on stderr and an exit code.

The standard streams accept all output. A character that the terminal's encoding lacks is replaced
by a similar ASCII character. File names may contain bytes that are not UTF-8; these bytes are
written unchanged. Closed streams are replaced by the null device.

Words: docs/glossary.md
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

import click

from tetrisprinter import __version__
from tetrisprinter.cli.groups import CLOSED_PIPE, COMMANDS, SECTIONS, LazyGroup, StoppedError
from tetrisprinter.cli.options import explain_exception, format_error, map_options_to_metavars
from tetrisprinter.errors import LISTENERS, InputError, JobError, TetrisPrinterError
from tetrisprinter.support.files import explain_error, is_file
from tetrisprinter.support.signals import exit_at_once, get_stop_signal, stop_cleanly

__all__ = ["COMMANDS", "find_command", "main"]


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
