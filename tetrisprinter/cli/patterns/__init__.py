"""``tetrisprinter patterns``: find, prove and count packed matrices, and the tables of them."""

from __future__ import annotations

import click

from tetrisprinter.cli.groups import PATTERNS, LazyGroup

__all__ = ["command"]


@click.command("patterns", cls=LazyGroup, sections={"Commands": PATTERNS})
def command() -> None:
    """Find and prove printing patterns.

    A pattern is a packed matrix: rows that pieces fill so that every row clears and only some
    squares stay, in the row below. `tetrisprinter patterns find --emitted 3 --rows 5 --at 0,9,18`
    shows one.
    """
