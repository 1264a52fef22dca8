"""``tetrisprinter play``: play a plan and draw the game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tetrisprinter.cli.drawing_options import (
    STDOUT,
    add_drawing_options,
    check_outputs,
    output_option,
    poster_option,
    write_outputs,
)
from tetrisprinter.cli.groups import GroupedCommand
from tetrisprinter.cli.options import FILE, game_board_option, json_option, option, print_report
from tetrisprinter.cli.output_files import describe_other_formats
from tetrisprinter.errors import InputError
from tetrisprinter.formats import FORMATS, read_game
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.files import check_writable, refuse_overwriting_inputs, write_text

if TYPE_CHECKING:
    from tetrisprinter.render import Rendering


@click.command(
    "play",
    cls=GroupedCommand,
    help="Play PLAN on an empty board and draw it.\n\n"
    f"PLAN may also be {describe_other_formats()}.",
)
@click.argument("plan_file", metavar="PLAN", type=FILE)
@output_option
@poster_option
@game_board_option
@option("--drops", FILE, "Write a drop log (JSON).")
@add_drawing_options
@json_option
def command(
    plan_file: Path,
    outputs: tuple[str, ...],
    poster: str | None,
    board: tuple[int, int] | None,
    drops: Path | None,
    as_json: bool,
    rendering: Rendering,
) -> None:
    """Play a plan on an empty board and draw it."""
    check_outputs(outputs, rendering)
    refuse_overwriting_inputs([*outputs, drops, poster], [plan_file])
    if poster is not None:
        from tetrisprinter.render.poster import check_poster

        check_poster(poster)
    if drops is not None:
        check_writable(drops)
    elif not (outputs or poster):
        raise InputError("nothing to write; give -o FILE, --poster FILE or --drops FILE")
    plan = read_game(plan_file, board)
    game = play_through(plan)
    if drops is not None:
        write_text(drops, FORMATS["drop_log"].format(plan))
    final_picture = make_field_picture(plan, game.field)
    write_outputs(plan, outputs, rendering, title=plan_file.stem)
    if poster is not None:
        from tetrisprinter.render.poster import save_poster as draw_poster

        draw_poster(plan, poster, plan_file.stem)
    squares = len(final_picture.cells())
    report = {
        "plan": str(plan_file),
        "output": str(outputs[0]) if outputs else None,
        "outputs": list(outputs),
        "drops": len(game.drops),
        "lines": game.lines,
        "squares": squares,
    }
    text = (
        f"{', '.join(outputs or (str(plan_file),))}: {format_count(squares, 'square')} left by "
        f"{format_count(len(game.drops), 'drop')} and {format_count(game.lines, 'line')}"
    )
    print_report(as_json, report, text, err=STDOUT in outputs)
