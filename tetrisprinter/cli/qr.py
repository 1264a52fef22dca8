"""``tetrisprinter qr``: print a text or an address as a QR code that phones scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tetrisprinter.cli.drawing_options import (
    add_drawing_options,
    check_outputs,
    output_option,
    write_outputs,
)
from tetrisprinter.cli.groups import GroupedCommand
from tetrisprinter.cli.options import PATH, json_option, option, print_report
from tetrisprinter.errors import InputError
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.files import check_writable, write_text

if TYPE_CHECKING:
    from tetrisprinter.render import Rendering


@click.command("qr", cls=GroupedCommand)
@click.argument("text")
@output_option
@option("--plan", PATH, "Write the plan too.")
@option(
    "--error",
    ["L", "M", "Q", "H"],
    "How much of the code may be damaged: about 7, 15, 25 or 30 %.",
    default="M",
)
@add_drawing_options
@json_option
def command(
    text: str,
    outputs: tuple[str, ...],
    plan: str | None,
    error: str,
    as_json: bool,
    rendering: Rendering,
) -> None:
    """Print TEXT as a QR code: black on white, with the white border that scanners need.

    Without -o the animation is qr-print.gif. Every module of the code is printed exactly. Needs
    the extra qr.
    """
    from dataclasses import replace

    from tetrisprinter.api.qr_codes import QUIET_ZONE, print_code

    code_rendering = replace(rendering, margin=QUIET_ZONE)
    outputs = outputs or ("qr-print.gif",)
    check_outputs(outputs, code_rendering)
    if plan is not None:
        check_writable(plan)
    if not text:
        raise InputError("qr: the text is empty; expected e.g. https://example.org")
    result = print_code(text, error)
    if plan is not None:
        write_text(plan, str(result.plan))
    write_outputs(result.plan, outputs, code_rendering, title="QR code")
    side = result.task.picture.width
    report = {
        "text": text,
        "outputs": list(outputs),
        "modules": side,
        "drops": result.drops,
        "lines": result.lines,
    }
    print_report(
        as_json,
        report,
        f"{', '.join(outputs)}: a code of {side}x{side} squares, left by "
        f"{format_count(result.drops, 'piece')} and {format_count(result.lines, 'line')}",
    )
