"""The progress line: the last line of a terminal on stderr says what is done and what is left.

The line has at most 60 columns, in the order of interest: what is printed, what is reached, the
seconds left, the stage. Anything that is written to stderr meanwhile appears above the line. A
stderr that is no terminal, or one without a cursor (``TERM=dumb``), gets no progress.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Final, TextIO, cast

from tetrisprinter.planners import Progress
from tetrisprinter.planners.run import Stage
from tetrisprinter.support import format_count
from tetrisprinter.support.signals import Stop, TimeLeft

_COLUMNS: Final = 60

_LEAST_NAME: Final = 8
"""A name is never cut to fewer columns."""

_INTERVAL: Final = 0.1
"""Seconds between two changes of the line."""

_ERASE: Final = "\r\x1b[2K"

_TICK: Final = 1.0
"""Seconds after which the line of a search is shown again, because a stage may not report."""


def format_seconds_left(seconds: float | None) -> str:
    """Return a clause on the time left, rounded; empty if it is not known.

    >>> format_seconds_left(11.6), format_seconds_left(0.2), format_seconds_left(340)
    ('about 12 s left', 'about 1 s left', 'about 6 min left')
    """
    if not seconds or seconds == inf:  # also if the work is done but the job is not
        return ""
    return f"about {format_seconds(seconds)} left"


def format_seconds(seconds: float) -> str:
    """Return a time, rounded to seconds or, if it is long, to minutes.

    >>> format_seconds(11.6), format_seconds(340)
    ('12 s', '6 min')
    """
    return f"{max(1.0, seconds):.0f} s" if seconds < 100 else f"{max(2.0, seconds / 60):.0f} min"


def name_line(name: str, text: str) -> str:
    """Return a text of the progress line after a name, which is cut if the text needs its columns.

    >>> name_line("the-moon-tonight.png", "row 12 of 128, 1850 pieces, first game in 9 s")
    'the-moon-ton…: row 12 of 128, 1850 pieces, first game in 9 s'
    """
    return f"{cut_to_columns(name, max(_LEAST_NAME, _COLUMNS - len(text) - 2))}: {text}"


class _StatusLine:
    """The last line of a terminal, kept below what is written to the terminal meanwhile."""

    def __init__(self, terminal: TextIO) -> None:
        self.terminal = terminal
        self._text = ""
        self._timer: threading.Timer | None = None  # shows the text that came too soon
        self._shown_at = -inf
        self._is_interrupted = False  # an unfinished line was written where the line was
        self._lock = threading.RLock()  # progress may come from any thread

    def show(self, text: str) -> None:
        """Replace the line, at most ten times a second."""
        with self._lock:
            self._text = text
            if self._timer is None:
                seconds = max(0.0, _INTERVAL - (time.monotonic() - self._shown_at))
                if not seconds:
                    self._draw()
                    return
                self._timer = threading.Timer(seconds, self._draw_late)
                self._timer.daemon = True
                self._timer.start()

    def end(self) -> None:
        """Remove the line."""
        with self._lock:
            self._text = ""
            self._draw()

    def _draw(self) -> None:
        """Write the text over the line, unless something else is written there."""
        with self._lock, contextlib.suppress(OSError):  # the terminal may be gone
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._shown_at = time.monotonic()
            if not self._is_interrupted:
                self.terminal.write(_ERASE + self._text)
                self.terminal.flush()

    def _draw_late(self) -> None:
        """Write the text that came too soon, unless it was written meanwhile."""
        with self._lock:
            if self._timer is not None:
                self._draw()

    def write_above(self, stream: TextIO, text: str) -> None:
        """Write a text to a stream of the terminal, above the line."""
        with self._lock:
            if not self._is_interrupted:
                self.terminal.write(_ERASE)
                self.terminal.flush()
            stream.write(text)
            stream.flush()
            self._is_interrupted = not text.endswith("\n")
            if not self._is_interrupted:
                self.terminal.write(self._text)
                self.terminal.flush()


class _StreamAbove(io.TextIOBase):
    """Stdout or stderr of a terminal that has a status line."""

    def __init__(self, stream: TextIO, line: _StatusLine) -> None:
        self.stream, self._line = stream, line

    # Without these two, click would write to the bytes below the text, past the line.
    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.stream.encoding

    @property
    def errors(self) -> str:  # type: ignore[override]
        return self.stream.errors or "strict"

    def isatty(self) -> bool:
        return self.stream.isatty()

    def fileno(self) -> int:
        return self.stream.fileno()

    def flush(self) -> None:
        self.stream.flush()

    def write(self, text: str) -> int:
        if not isinstance(text, str):  # click tries whether the stream takes bytes
            raise TypeError(f"expected text, got {type(text).__name__}")
        self._line.write_above(self.stream, text)
        return len(text)


def cut_to_columns(text: str, columns: int) -> str:
    """Return the beginning of a text that takes at most this number of columns.

    >>> cut_to_columns("owl.png: 1006 pieces", 12), cut_to_columns("owl", 12)
    ('owl.png: 10…', 'owl')
    """
    widths = [1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text]
    if sum(widths) <= columns:
        return text
    while widths and sum(widths) > columns - 1:
        widths.pop()
    return text[: len(widths)] + "…"


def format_bound_progress(drops: int, lines: int, stacks: int, nogoods: int) -> str:
    """Format the progress of a proof: drops to refute, cleared rows, stacks and nogoods."""
    return (
        f"{drops} drops, {format_count(lines, 'cleared row')}: {format_count(stacks, 'stack')}, "
        f"{format_count(nogoods, 'nogood')}"
    )


@contextmanager
def show_line() -> Iterator[Callable[[str], None]]:
    """Show a progress line while the block runs; yield a function that sets its text."""
    from tetrisprinter.render.terminal import can_move_cursor

    out, err = sys.stdout, sys.stderr
    if not err.isatty() or isinstance(err, _StreamAbove) or not can_move_cursor():
        yield lambda text: None
        return
    line = _StatusLine(err)

    def show(text: str) -> None:
        columns = 0
        with contextlib.suppress(OSError, ValueError):
            columns = os.get_terminal_size(err.fileno()).columns  # 0: the terminal does not know
        line.show(cut_to_columns(text, min(_COLUMNS, columns - 1 if columns else _COLUMNS)))

    sys.stderr = cast("TextIO", _StreamAbove(err, line))
    if out.isatty():
        sys.stdout = cast("TextIO", _StreamAbove(out, line))
    try:
        yield show
    finally:
        sys.stdout, sys.stderr = out, err
        line.end()


@contextmanager
def repeat(action: Callable[[], None]) -> Iterator[None]:
    """Call an action every second while the block runs, in another thread."""
    is_over = threading.Event()

    def run() -> None:
        while not is_over.wait(_TICK):
            action()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


@contextmanager
def show_counted_progress(description: str, total: int | None) -> Iterator[Callable[[], None]]:
    """Show progress while the block runs; yield a function that advances it by one."""
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        report(done, total)

    with show_measured_progress(description, total) as report:
        yield advance


@contextmanager
def show_measured_progress(
    description: str, total: int | None = None
) -> Iterator[Callable[[int, int | None], None]]:
    """Show progress while the block runs; yield a function that sets the amounts done and total."""
    time_left = TimeLeft()

    def report(done: int, total: int | None) -> None:
        parts = [f"{description}: {done}" if total is None else f"{description}: {done} of {total}"]
        if total:
            time_left.update(done / total)
            parts.append(format_seconds_left(time_left.seconds))
        show(", ".join(filter(None, parts)))

    with show_line() as show:
        show(description if total is None else f"{description}: 0 of {total}")
        yield report


@contextmanager
def show_search_progress(description: str) -> Iterator[Callable[[Progress], None]]:
    """Show progress while the block runs; yield a function that shows the progress of a search."""
    time_left, latest = TimeLeft(), Progress("")

    def report(progress: Progress) -> None:
        nonlocal latest
        time_left.update(progress.fraction)
        latest = progress
        show_latest()

    def show_latest() -> None:
        left = ", ".join(filter(None, (description, format_seconds_left(time_left.seconds))))
        show(": ".join(filter(None, (left, str(latest)))))

    with show_line() as show:
        show(description)
        with repeat(show_latest):
            yield report


_STAGE_TEXTS: Final[dict[str, str]] = {
    Stage.FIRST: "searching for a first game",
    Stage.TYPES: "trying other boards",
    Stage.BANDS: "shortening bands",
    Stage.WINDOWS: "shortening windows",
    Stage.WHOLE: "trying whole games",
    Stage.PROOF: "proving a bound",
}
"""What the progress line says of a stage of the search; of any other stage its name."""


class SearchLine:
    """The progress line of a search: picture, pieces so far, seconds left, stage.

    During the first game: the rows that are printed, and the seconds until that game is complete.
    """

    def __init__(self, name: str, stop: Stop, effort: float, show: Callable[[str], None]) -> None:
        self._stop, self._effort, self._show = stop, effort, show
        self.begin(name)

    def begin(self, name: str) -> None:
        """Begin the line of a picture, or of another version of it."""
        self.drops: int | None = None  # of the best game so far
        self._name = Path(name).name
        self._time_left = TimeLeft()
        self._first_row: tuple[float, float] | None = None  # its time and its share of the rows
        self._stage = ""  # of the latest report
        self._show(name_line(self._name, _STAGE_TEXTS[Stage.FIRST]))

    def report(self, progress: Progress) -> None:
        """Show the progress of the search."""
        self._time_left.update(progress.fraction)
        drops = self.drops if progress.drops is None else progress.drops
        stage = _STAGE_TEXTS.get(progress.stage, progress.stage)
        if drops is None and progress.game_fraction is not None:
            seconds = self._estimate_first_game(progress.game_fraction)
            wait = f"first game in {format_seconds(seconds)}" if seconds else ""
            self._show(name_line(self._name, ", ".join(filter(None, (stage, wait)))))
            return
        if drops is not None and progress.stage == Stage.FIRST:
            stage = ""  # the next stage has not reported yet
        self._stage = stage
        self._show_search(drops)

    def refresh(self) -> None:
        """Show the pieces and the seconds left as they are now, once there is a game."""
        if self.drops is not None:
            self._show_search(self.drops)

    def _show_search(self, drops: int | None) -> None:
        pieces = "" if drops is None else format_count(drops, "piece")
        reached = ", ".join(filter(None, (pieces, format_seconds_left(self.seconds_left))))
        self._show(name_line(self._name, "; ".join(filter(None, (reached, self._stage)))))

    def _estimate_first_game(self, fraction: float) -> float | None:
        """Return the seconds until the first game is complete, from its rows so far; or None.

        The clock starts with the first row, because that row pays for the tables of all others.
        """
        now = time.monotonic()
        if self._first_row is None or fraction < self._first_row[1]:
            self._first_row = now, fraction
        began, first_fraction = self._first_row
        done = fraction - first_fraction
        return (now - began) * (1 - fraction) / done if done > 0 else None

    def show_proof(self, drops: int, lines: int, stacks: int, nogoods: int) -> None:
        """Show the progress of a proof."""
        text = format_bound_progress(drops, lines, stacks, nogoods)
        self._show(f"{self._name}: proving; {text}")

    def describe_stop(self, is_preview: bool) -> str:
        """Return the sentence for Ctrl-C; ``is_preview``: no game is written."""
        if self.drops is None:
            return "stopping"
        if is_preview:
            return "stopping; writing the preview of the best game so far"
        return f"stopping; writing the best game so far ({format_count(self.drops, 'piece')})"

    @property
    def seconds_left(self) -> float | None:
        """The estimated seconds left, at most until the time limit; None if unknown."""
        seconds = self._time_left.seconds
        if self._effort == inf:  # the search uses all of its time
            return self._stop.seconds_left
        if self._stop.deadline < inf:
            return min(self._stop.seconds_left, inf if seconds is None else seconds)
        return seconds
