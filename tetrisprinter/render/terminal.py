"""The full-screen mode of the terminal, with keys; afterwards the terminal is always restored.

This module handles keys and sizes; :mod:`tetrisprinter.render.viewer` decides what to draw.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[int, FrameType | None], object] | int | None


RESIZED: Final = "resized"
_ARROWS: Final = {"\x1b[C": "n", "\x1b[D": "b", "\x1b[A": "+", "\x1b[B": "-"}  # as viewer keys


class Screen:
    """The terminal in full-screen mode: alternate screen, no cursor, keys without Enter.

    A context manager that always restores the terminal. SIGTERM becomes an ordinary exit, so that
    the terminal is restored then, too.
    """

    def __init__(self, out: TextIO, source: TextIO) -> None:
        self.out = out
        self._key_source = source.fileno() if source.isatty() else None
        self._unread = ""
        self._saved_settings: list[Any] | None = None
        self._handlers: dict[int, Handler] = {}
        self._resize_pipe: tuple[int, int] | None = None
        self._is_wiped = False

    def __enter__(self) -> Screen:
        self._handlers[signal.SIGTERM] = signal.signal(signal.SIGTERM, _exit)
        if hasattr(signal, "SIGWINCH"):
            # A pipe, because select() for keys continues after a signal (PEP 475).
            self._resize_pipe = os.pipe()
            for end in self._resize_pipe:
                os.set_blocking(end, False)
            self._handlers[signal.SIGWINCH] = signal.signal(signal.SIGWINCH, self._record_resize)
        if self._key_source is not None:
            try:
                import termios
                import tty
            except ImportError:  # a system without termios: no keys
                self._key_source = None
            else:
                self._saved_settings = termios.tcgetattr(self._key_source)
                tty.setcbreak(self._key_source)
        self.out.write("\x1b[?1049h\x1b[?25l\x1b[2J")
        self.out.flush()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # The terminal may be gone: restore what is possible.
        with contextlib.suppress(OSError):
            self.out.write("\x1b[0m\x1b[?25h\x1b[?1049l")
            self.out.flush()
        if self._key_source is not None and self._saved_settings is not None:
            import termios

            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._key_source, termios.TCSADRAIN, self._saved_settings)
        for number, handler in self._handlers.items():
            signal.signal(number, handler or signal.SIG_DFL)
        for end in self._resize_pipe or ():
            os.close(end)

    def _record_resize(self, number: int, frame: FrameType | None) -> None:
        """Handle SIGWINCH: wake :meth:`read_key` through the pipe."""
        if self._resize_pipe is not None:
            with contextlib.suppress(BlockingIOError):
                os.write(self._resize_pipe[1], b"r")

    @property
    def size(self) -> os.terminal_size:
        """Columns and lines."""
        return shutil.get_terminal_size()

    @property
    def has_keys(self) -> bool:
        """Whether keys can be read."""
        return self._key_source is not None

    def read_key(self, seconds: float) -> str:
        """Wait for a key; return it, ``RESIZED``, or an empty string after ``seconds``."""
        if not self._unread:
            sources = [] if self._key_source is None else [self._key_source]
            if self._resize_pipe is not None:
                sources.append(self._resize_pipe[0])
            if not sources:
                time.sleep(max(0.0, seconds))
                return ""
            ready, _, _ = select.select(sources, [], [], max(0.0, seconds))
            if not ready:
                return ""
            if self._resize_pipe is not None and self._resize_pipe[0] in ready:
                os.read(self._resize_pipe[0], 4096)
                self._is_wiped = False
                return RESIZED
            assert self._key_source is not None
            self._unread = os.read(self._key_source, 64).decode("utf-8", "replace") or "q"
        for sequence, key in _ARROWS.items():
            if self._unread.startswith(sequence):
                self._unread = self._unread[len(sequence) :]
                return key
        first, self._unread = self._unread[0], self._unread[1:]
        return "q" if first == "\x1b" else first

    def show(self, lines: Sequence[str]) -> None:
        """Draw lines from the top left corner and clear the rest."""
        # The content is undefined after a change of size: clear everything once.
        clear = "" if self._is_wiped else "\x1b[2J"
        self._is_wiped = True
        text = "\n".join(line + "\x1b[K" for line in lines)
        self.out.write(clear + "\x1b[H" + text + "\x1b[J")
        self.out.flush()


def _exit(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)
