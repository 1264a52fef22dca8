"""Run commands as a user does, but inside this process, which is ten times faster.

The output is that of a separate process: while a command runs, the standard streams and
their descriptors are files, so that child processes and compiled libraries write there,
too. The command is ``python -m tetrisprinter``. Signals, terminals and the modules that
a fresh process loads are not covered. ``tests/acceptance/test_commands.py`` compares
both ways to run a command.
"""

import os
import runpy
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from typing import IO, Any

from tests.support.processes import run_python
from tetrisprinter.support.signals import SIGNALS

Run = Callable[..., subprocess.CompletedProcess[str]]
Draw = Callable[..., Path]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SPRITES = tuple(
    EXAMPLES / f"{name}.png"
    for name in ("cat", "fish", "glyph", "heart", "invader", "lighthouse", "mushroom")
)
"""The examples that the article's board and types hold."""


def run_in_subprocess(
    arguments: Sequence[object], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run ``tetrisprinter`` in a separate process with an empty standard input."""
    return run_python("-m", "tetrisprinter", *arguments, folder=folder)


def run_here(arguments: Sequence[object], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run ``tetrisprinter`` in this process as if it were a separate one.

    An exception that leaves the command, for which a process would show a traceback, leaves
    this function, too.
    """
    command = ["tetrisprinter", *map(str, arguments)]
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        chdir(folder),
        _redirect_streams(out, err),
        _show_warnings(),
    ):
        arguments_before, sys.argv = sys.argv, command
        handlers = [(number, signal.getsignal(number)) for number in SIGNALS]
        try:
            runpy.run_module("tetrisprinter", run_name="__main__", alter_sys=True)
            code = 0
        except SystemExit as end:
            code = _get_exit_code(end)
        finally:
            sys.argv = arguments_before
            for number, handler in handlers:  # a stopped command ignores signals at its end
                signal.signal(number, handler)
            sys.stdout.flush()
            sys.stderr.flush()
        texts = [_read_text(file) for file in (out, err)]
    return subprocess.CompletedProcess(command, code, *texts)


def _get_exit_code(end: SystemExit) -> int:
    """Return the exit code; write a message to stderr as Python does."""
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    sys.stderr.write(f"{end.code}\n")
    return 1


def _read_text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "surrogateescape")


@contextmanager
def _redirect_streams(stdout: IO[bytes], stderr: IO[bytes]) -> Iterator[None]:
    """Redirect the standard streams and their descriptors to files; stdin is empty."""
    streams_before = sys.stdin, sys.stdout, sys.stderr
    for stream in streams_before[1:]:
        stream.flush()
    with ExitStack() as stack, Path(os.devnull).open("rb") as null:
        for descriptor, file in enumerate((null, stdout, stderr)):
            saved = os.dup(descriptor)
            stack.callback(os.close, saved)
            stack.callback(os.dup2, saved, descriptor)
            os.dup2(file.fileno(), descriptor)

        sys.stdin = stack.enter_context(open(0, encoding="utf-8", closefd=False))
        sys.stdout = stack.enter_context(open(1, "w", encoding="utf-8", closefd=False))
        sys.stderr = stack.enter_context(
            open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
        )
        try:
            yield
        finally:
            sys.stdin, sys.stdout, sys.stderr = streams_before


@contextmanager
def _show_warnings() -> Iterator[None]:
    """Write warnings to stderr, as happens outside of tests."""

    def show(*warning: Any, **_: Any) -> None:  # message, category, file, line, ...
        sys.stderr.write(warnings.formatwarning(*warning[:4]))

    with warnings.catch_warnings():
        warnings.resetwarnings()
        for category in (
            DeprecationWarning,
            PendingDeprecationWarning,
            ImportWarning,
            ResourceWarning,
        ):
            warnings.simplefilter("ignore", category)
        # The doctests import this module; running it once more is intended.
        warnings.filterwarnings("ignore", ".*found in sys.modules", RuntimeWarning, "runpy")
        warnings.showwarning = show
        yield
