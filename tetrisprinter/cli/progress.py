"""Progress bars on stderr, if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def show_counted_progress(description: str, total: int | None) -> Iterator[Callable[[], None]]:
    """Show a bar while the block runs; yield a function that advances it by one."""
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
    """Show a bar while the block runs; yield a function that sets the amounts done and in total."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def show_staged_progress(description: str) -> Iterator[Callable[[str, float], None]]:
    """Show a bar with a text while the block runs; yield a function that sets the text and the bar.

    The bar is set to a fraction from 0 to 1, which may be an estimate, so the bar may move back.
    """
    if not sys.stderr.isatty():
        yield lambda text, fraction: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[text]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=1.0, text="")
        yield lambda text, fraction: bar.update(task, completed=fraction, text=text)
