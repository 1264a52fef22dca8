"""``tetrisprinter moves``: the key presses that play a plan.

The *guideline rules* are those of modern games: SRS rotation with kicks, and soft drop.
"""

from __future__ import annotations

import json

import click

from tetrisprinter.cli.options import PATH, Whole, flag, json_option, option
from tetrisprinter.errors import InputError
from tetrisprinter.formats import read_game
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.srs import Guideline, make_guideline_log, play_by_guideline
from tetrisprinter.game.steering import HIDDEN_ROWS, Key, MovedDrop, make_move_log, play_moves


@click.command("moves")
@click.argument("plan", type=PATH)
@option(
    "--rules",
    ["classic", "srs"],
    "classic: the console game of 1989; srs: the guideline rules with kicks and soft drop.",
    default="classic",
)
@option(
    "--hidden",
    Whole(0, 40),
    f"classic: rows above the board that a moving piece may use. [default: {HIDDEN_ROWS}]",
)
@flag("--strict", "classic: the same as --hidden 0.")
@option(
    "--visible",
    Whole(1, 999),
    "srs: visible rows; pieces spawn in the two rows above. [default: 20 on ten columns, else "
    "all but two]",
    metavar="ROWS",
)
@flag("--held", "srs: holding a key down counts as one press.")
@json_option
def command(
    plan: str,
    rules: str,
    hidden: int | None,
    strict: bool,
    visible: int | None,
    held: bool,
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
    """
    if rules != "classic" and (hidden is not None or strict):
        raise InputError("--hidden and --strict are for --rules classic")
    if rules != "srs" and (visible is not None or held):
        raise InputError("--visible and --held are for --rules srs")
    parsed_plan = read_game(plan)
    if rules == "srs":
        guideline = Guideline(parsed_plan.width, parsed_plan.height, visible or 0, held)
        _print_guideline_moves(parsed_plan, guideline, as_json)
        return
    hidden_rows = 0 if strict else HIDDEN_ROWS if hidden is None else hidden
    field = parsed_plan.make_field()
    moves = list(play_moves(parsed_plan, field, hidden_rows))
    if as_json:
        click.echo(json.dumps(make_move_log(parsed_plan, moves, hidden_rows)))
        return
    click.echo("drop  pass  piece  turns  shift  row  cleared")
    for moved_drop in moves:
        click.echo(_format_move(moved_drop))


def _print_guideline_moves(plan: Plan, rules: Guideline, as_json: bool) -> None:
    """Print the key presses of a plan under the guideline rules."""
    moves = list(play_by_guideline(plan, rules))
    if as_json:
        click.echo(json.dumps(make_guideline_log(rules, moves)))
        return
    click.echo("drop  pass  piece  row  cleared  keys")
    for moved_drop in moves:
        drop, landing = moved_drop.drop, moved_drop.drop.landing
        click.echo(
            f"{drop.index + 1:4}  {drop.pass_index + 1:4}  {landing.orientation.piece.name:>5}  "
            f"{landing.y:3}  {len(landing.cleared):7}  {', '.join(moved_drop.presses)}"
        )


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
