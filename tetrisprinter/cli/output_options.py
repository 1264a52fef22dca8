"""The output options of ``print`` and ``text``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from tetrisprinter.cli.drawing_options import output_option, poster_option
from tetrisprinter.cli.options import add_options, dask_option
from tetrisprinter.cli.output_files import OutputNames, list_extensions
from tetrisprinter.errors import InputError
from tetrisprinter.formats.link import PAGE_ADDRESS


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """The values of the output options."""

    written: OutputNames
    resume: bool
    prove: bool
    dask: str | None
    link: bool = False  # whether to print a link that plays the game in the page


_OUTPUT_OPTIONS = (
    output_option,
    click.option(
        "--plan",
        "plans",
        type=click.Path(),
        multiple=True,
        help=f"Write the plan too: {list_extensions()} (or a folder/ of plans); may be "
        "given several times.",
    ),
    click.option(
        "--drops",
        type=click.Path(),
        help="Also write a drop log: JSON (or a folder/).",
    ),
    click.option(
        "--force",
        is_flag=True,
        help="Without -o: overwrite the print of an earlier run.",
    ),
    click.option("--watch", is_flag=True, help="Also play the game in the terminal."),
    click.option(
        "--resume",
        is_flag=True,
        help="Continue an interrupted run from the rows stored beside --plan.",
    ),
    click.option(
        "--prove",
        is_flag=True,
        help="Then prove that no game of hard drops has fewer pieces, or find such a game (see "
        "`tetrisprinter bound`).",
    ),
    poster_option,
    click.option(
        "--link",
        is_flag=True,
        help="Print a link that contains the game, to the page whose address is in the environment "
        f"variable {PAGE_ADDRESS}.",
    ),
    dask_option,
)


def add_output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the output options to a command, which gets them as ``output``."""

    @functools.wraps(command)
    def collect_options(
        *,
        outputs: tuple[str, ...],
        plans: tuple[str, ...],
        drops: str | None,
        force: bool,
        watch: bool,
        resume: bool,
        prove: bool,
        dask: str | None,
        poster: str | None,
        link: bool,
        **rest: Any,
    ) -> Any:
        if resume and not plans:
            raise InputError("--resume: no plan; add --plan FILE, as in the interrupted run")
        written = OutputNames(outputs, plans, drops, watch, force, poster)
        return command(output=OutputOptions(written, resume, prove, dask, link), **rest)

    return add_options(*_OUTPUT_OPTIONS)(collect_options)
