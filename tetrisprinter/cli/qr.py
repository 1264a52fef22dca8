"""``tetrisprinter qr``: a text or an address -> a game that leaves a code which phones scan."""

from __future__ import annotations

import json
from typing import Any

import click

from tetrisprinter.cli.helping import Grouped
from tetrisprinter.cli.options import json_option
from tetrisprinter.cli.rendering import (
    check_outputs,
    output_option,
    rendering,
    rendering_options,
    write_outputs,
)
from tetrisprinter.cli.words import counted
from tetrisprinter.errors import InputError
from tetrisprinter.support.files import check_writable, write_text

__all__ = ["command"]


@click.command("qr", cls=Grouped)
@click.argument("text")
@output_option
@click.option("--plan", type=click.Path(), help="Write the plan too.")
@click.option(
    "--error",
    type=click.Choice(["L", "M", "Q", "H"]),
    default="M",
    show_default=True,
    help="How much of the code may be damaged: about 7, 15, 25 or 30 %.",
)
@rendering_options
@json_option
def command(
    text: str,
    outputs: tuple[str, ...],
    plan: str | None,
    error: str,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Print TEXT as a QR code: black on white, with the white border that scanners need.

    Without -o the film is qr-print.gif. Every module of the code is printed as it should be;
    nothing is repaired. Needs the extra qr.
    """
    from dataclasses import replace

    from tetrisprinter.api.codes import QUIET, print_code

    how = replace(rendering(**drawing), margin=QUIET)
    outputs = outputs or ("qr-print.gif",)
    check_outputs(outputs, how)
    if plan is not None:
        check_writable(plan)
    if not text:
        raise InputError("qr: a text is needed, such as https://example.org")
    result = print_code(text, error)
    if plan is not None:
        write_text(plan, str(result.plan))
    write_outputs(result.plan, outputs, how, title="QR code")
    report = {
        "text": text,
        "outputs": list(outputs),
        "modules": result.task.picture.width,
        "drops": result.drops,
        "lines": result.lines,
    }
    if as_json:
        click.echo(json.dumps(report))
    else:
        side = result.task.picture.width
        click.echo(
            f"{', '.join(outputs)}: a code of {side}x{side} squares, left by "
            f"{counted(result.drops, 'piece')} and {counted(result.lines, 'line')}"
        )
