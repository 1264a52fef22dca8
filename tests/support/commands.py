"""Commands as a user gives them, run inside this process because that is ten times quicker.

What a process would show is what is captured: the standard streams are files while a
command runs, down to their descriptors, so that its own processes and compiled libraries
write there, too; ``python -m tetrisprinter`` is what runs. Only what belongs to a process
alone is not here: signals, terminals, and which modules are loaded.
``tests/acceptance/test_commands.py`` compares the two ways.
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
    """Run ``tetrisprinter`` in a process of its own, with nothing to read."""
    return run_python("-m", "tetrisprinter", *arguments, folder=folder)


def run_here(arguments: Sequence[object], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run ``tetrisprinter`` in this process as if it were one of its own.

    An exception that gets out of the command, for which a process would show a traceback,
    gets out of here, too.
    """
    words = ["tetrisprinter", *map(str, arguments)]
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        chdir(folder),
        _streams(out, err),
        _warnings_shown(),
    ):
        before, sys.argv = sys.argv, words
        handlers = [(number, signal.getsignal(number)) for number in SIGNALS]
        try:
            runpy.run_module("tetrisprinter", run_name="__main__", alter_sys=True)
            code = 0
        except SystemExit as end:
            code = _exit_code(end)
        finally:
            sys.argv = before
            for number, handler in handlers:  # a stopped command ignores signals at its end
                signal.signal(number, handler)
            sys.stdout.flush()
            sys.stderr.flush()
        texts = [_written(file) for file in (out, err)]
    return subprocess.CompletedProcess(words, code, *texts)


def _exit_code(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    sys.stderr.write(f"{end.code}\n")
    return 1


def _written(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "surrogateescape")


@contextmanager
def _streams(out: IO[bytes], err: IO[bytes]) -> Iterator[None]:
    """Let the three descriptors and Python's streams over them stand for a process's own."""
    before = sys.stdin, sys.stdout, sys.stderr
    for stream in before[1:]:
        stream.flush()
    with ExitStack() as stack, Path(os.devnull).open("rb") as nothing:
        for descriptor, file in enumerate((nothing, out, err)):
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
            sys.stdin, sys.stdout, sys.stderr = before


@contextmanager
def _warnings_shown() -> Iterator[None]:
    """Let warnings go to stderr, as they do outside of tests."""

    def show(*warning: Any, **_: Any) -> None:  # message, category, file, line, ...
        sys.stderr.write(warnings.formatwarning(*warning[:4]))

    with warnings.catch_warnings():
        warnings.resetwarnings()
        for quiet in (
            DeprecationWarning,
            PendingDeprecationWarning,
            ImportWarning,
            ResourceWarning,
        ):
            warnings.simplefilter("ignore", quiet)
        # The doctests import this module; that it is run once more is on purpose.
        warnings.filterwarnings("ignore", ".*found in sys.modules", RuntimeWarning, "runpy")
        warnings.showwarning = show
        yield
