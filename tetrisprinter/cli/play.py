"""``tetrisprinter play``, ``watch`` and ``moves``: what can be done with a plan."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any, cast

import click

from tetrisprinter.cli import GroupedCommand, print_options
from tetrisprinter.cli.files import check_outputs, name_outputs, write_output
from tetrisprinter.cli.options import (
    PATH,
    REPORT_OPTIONS,
    add_options,
    flag,
    game_board_option,
    json_option,
    option,
    print_report,
    real,
    whole,
)
from tetrisprinter.errors import InputError
from tetrisprinter.formats import name_game, read_game
from tetrisprinter.game import steering
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.game.steering import Guideline, Key, MovedDrop
from tetrisprinter.pictures.picture import make_field_picture
from tetrisprinter.render.still import check_poster
from tetrisprinter.render.still import save_poster as draw_poster
from tetrisprinter.support import format_count
from tetrisprinter.support.files import refuse_overwriting_inputs


@click.command(
    "play",
    cls=GroupedCommand,
    help="Play PLAN on an empty board and draw it.\n\n"
    f"PLAN may also be {print_options.describe_other_formats()}.",
)
@click.argument("plan_file", metavar="PLAN", type=PATH)
@print_options.output_option
@print_options.poster_option
@game_board_option
@add_options(*print_options.DRAWING_OPTIONS, *REPORT_OPTIONS)
def command(
    plan_file: str,
    outputs: tuple[str, ...],
    poster: str | None,
    board: tuple[int, int] | None,
    as_json: bool,
    **values: Any,
) -> None:
    """Play a plan on an empty board and draw it."""
    rendering = print_options.read_rendering(values)
    check_outputs(outputs, rendering)
    refuse_overwriting_inputs([*outputs, poster], [plan_file])
    if poster is not None:
        check_poster(poster)
    if not (outputs or poster):
        raise InputError("nothing to write; give -o FILE or --poster FILE")
    plan = read_game(plan_file, board)
    game = play_through(plan)
    final_picture = make_field_picture(plan, game.field)
    name = name_game(plan_file)
    title = Path(name).stem
    for path in outputs:
        write_output(plan, path, rendering, title)
    if poster is not None:
        draw_poster(plan, poster, title)
    squares = len(final_picture.cells())
    report = {
        "plan": name,
        "output": str(outputs[0]) if outputs else None,
        "outputs": list(outputs),
        "files": [*outputs, *filter(None, [poster])],
        "drops": len(game.drops),
        "lines": game.lines,
        "squares": squares,
    }
    names = name_outputs(filter(None, (*outputs, poster)))
    text = (
        f"{names}: {format_count(squares, 'square')} left by "
        f"{format_count(len(game.drops), 'drop')} and {format_count(game.lines, 'line')}"
    )
    print_report(as_json, report, text, err=print_options.STDOUT in outputs)


@click.command("watch")
@click.argument("plan", type=PATH)
@option("--speed", real(0.25, 1000), "Drops per second. [default: the game takes about 20 seconds]")
@option(
    "--color",
    ["auto", "truecolor", "256", "none"],
    "The colours that the terminal can show.",
    default="auto",
)
def watch(plan: str, speed: float | None, color: str) -> None:
    """Play PLAN in the terminal, drop by drop.

    Keys: space pauses, + and - change the speed, n and b step forward and back (the arrow
    keys do, too), q quits.
    """
    from tetrisprinter.render import terminal

    game_plan = read_game(plan)
    check_terminal(f"tetrisprinter play {shlex.quote(plan)} -o FILE.gif")
    mode = terminal.detect_color_mode() if color == "auto" else cast("terminal.ColorMode", color)
    can_play = terminal.can_move_cursor()
    title = Path(name_game(plan)).stem
    if not can_play or terminal.watch(game_plan, speed=speed, mode=mode, title=title):
        # color=True: click strips the colours when it does not recognise the terminal.
        click.echo(terminal.draw_as_text(game_plan, mode), nl=False, color=True)
    if not can_play:
        click.echo(
            f"done: this terminal ({terminal.describe_terminal()}) shows only the finished "
            "picture; `tetrisprinter play PLAN -o FILE.gif` writes the game to a file",
            err=True,
        )


def check_terminal(alternative: str) -> None:
    """Refuse to play a game if stdout is not a terminal; name an option that writes a file."""
    if not sys.stdout.isatty():
        raise InputError(f"the output is not a terminal; {alternative} writes a file instead")


@click.command("moves")
@click.argument("plan", type=PATH)
@option(
    "--rules",
    ["classic", "srs", "nes"],
    "classic: the console game of 1989; srs: the guideline rules with kicks and soft drop; nes: as "
    "classic, on the console's board and with its timing.",
    default="classic",
)
@option(
    "--hidden",
    whole(0, 40),
    f"classic: rows above the board that a moving piece may use. [default: {steering.HIDDEN_ROWS}]",
)
@flag("--strict", "classic: the same as --hidden 0.")
@option(
    "--visible",
    whole(1, 999),
    "srs: visible rows; pieces spawn in the two rows above. [default: 20 on ten columns, else "
    "all but two]",
    metavar="ROWS",
)
@flag("--held", "srs: holding a key down counts as one press.")
@flag("--frames", "nes: the buttons of each frame, at level 0.")
@json_option
def moves(
    plan: str,
    rules: str,
    hidden: int | None,
    strict: bool,
    visible: int | None,
    held: bool,
    frames: bool,
    as_json: bool,
) -> None:
    """List the keys that a player presses for each piece of PLAN: turns, shift, drop.

    Exit code 1: a piece cannot be steered to its column; the message names the drop.

    classic: Each piece enters at the top centre as in the 1989 console game and is turned (no
    wall kicks), shifted and dropped. With --hidden 4 pieces enter above the board, where nothing
    is in their way. One line per drop: number, pass, piece, quarter turns (clockwise
    positive), columns to shift (right positive), the row in which the piece's lowest square
    lands (from the bottom, 0 is the floor), rows cleared, and the keys if their order is
    unusual.

    srs: Each piece spawns above the visible rows and reaches its place with the fewest presses. One
    line per drop: number, pass, piece, row, rows cleared, and the keys, with hold if the plan has a
    piece queue.

    nes --frames: One line per drop: number, piece, row, frames, and the button of each run of
    frames: A turns clockwise, B anticlockwise, L and R shift, D falls, - is none. A second has 60
    frames.
    """
    if rules != "classic" and (hidden is not None or strict):
        raise InputError("--hidden and --strict are for --rules classic")
    if rules != "srs" and (visible is not None or held):
        raise InputError("--visible and --held are for --rules srs")
    if (rules == "nes") != frames:
        raise InputError("--rules nes and --frames belong together; give both or neither")
    parsed_plan = read_game(plan)
    if rules == "nes":
        _print_nes_frames(parsed_plan, as_json)
        return
    if rules == "srs":
        guideline = Guideline(parsed_plan.width, parsed_plan.height, visible or 0, held)
        _print_guideline_moves(parsed_plan, guideline, as_json)
        return
    hidden_rows = 0 if strict else steering.HIDDEN_ROWS if hidden is None else hidden
    field = parsed_plan.make_field()
    moves = list(steering.play_moves(parsed_plan, field, hidden_rows))
    lines = ["drop  pass  piece  turns  shift  row  cleared", *map(_format_move, moves)]
    print_report(as_json, steering.make_move_log(parsed_plan, moves, hidden_rows), "\n".join(lines))


def _print_guideline_moves(plan: Plan, rules: Guideline, as_json: bool) -> None:
    """Print the key presses of a plan under the guideline rules."""
    moves = list(steering.play_by_guideline(plan, rules))
    lines = ["drop  pass  piece  row  cleared  keys"]
    for moved_drop in moves:
        drop, landing = moved_drop.drop, moved_drop.drop.landing
        lines.append(
            f"{drop.index + 1:4}  {drop.pass_index + 1:4}  {landing.orientation.piece.name:>5}  "
            f"{landing.y:3}  {len(landing.cleared):7}  {', '.join(moved_drop.presses)}"
        )
    print_report(as_json, steering.make_guideline_log(rules, moves), "\n".join(lines))


def _print_nes_frames(plan: Plan, as_json: bool) -> None:
    """Print the buttons of each frame in the console game of 1989."""
    width, height = steering.NES_BOARD
    entries, lines = [], ["drop  piece  row  frames  buttons"]
    for moved, runs in steering.play_nes(plan):
        landing = moved.drop.landing
        name = landing.orientation.piece.name
        entries.append(
            {
                "piece": name,
                "column": landing.x,
                "row": landing.y,
                "cleared": list(landing.cleared),
                "frames": [list(run) for run in runs],
            }
        )
        lines.append(
            f"{moved.drop.index + 1:4}  {name:>5}  {landing.y:3}  "
            f"{sum(frames for _, frames in runs):6}  "
            + " ".join(f"{button or '-'}{frames}" for button, frames in runs)
        )
    report = {"rules": "nes", "width": width, "height": height, "drops": entries}
    print_report(as_json, report, "\n".join(lines))


def _format_move(moved_drop: MovedDrop) -> str:
    """Return the line of a drop, with its keys unless they are the usual turns, shifts and drop."""
    drop, landing = moved_drop.drop, moved_drop.drop.landing
    are_turns = [key in (Key.CLOCKWISE, Key.COUNTERCLOCKWISE) for key in moved_drop.keys[:-1]]
    is_unusual = are_turns != sorted(are_turns, reverse=True) or Key.DOWN in moved_drop.keys
    return (
        f"{drop.index + 1:4}  {drop.pass_index + 1:4}  {landing.orientation.piece.name:>5}  "
        f"{moved_drop.rotations:+5}  {moved_drop.shift:+5}  {landing.y:3}  {len(landing.cleared):7}"
        + ("  " + " ".join(moved_drop.keys) if is_unusual else "")
    )
