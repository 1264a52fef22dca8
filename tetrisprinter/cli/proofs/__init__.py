"""``tetrisprinter proofs``: the commands for researchers."""

from __future__ import annotations

import click

from tetrisprinter.cli.groups import PROOFS, LazyGroup

__all__ = ["command"]


@click.command("proofs", cls=LazyGroup, sections={"Commands": PROOFS})
def command() -> None:
    """Search printing patterns, and prove what no game can print.

    `tetrisprinter bound` proves how few pieces a picture needs; these commands answer
    questions about the patterns that all planners use.
    """
