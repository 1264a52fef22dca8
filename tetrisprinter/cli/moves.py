"""``tetrisprinter moves``: the key presses that play a plan."""

from __future__ import annotations

import json

import click

from tetrisprinter.cli.options import Whole
from tetrisprinter.errors import InputError
from tetrisprinter.formats import read_game
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.srs import Guideline, make_guideline_log, play_by_guideline
from tetrisprinter.game.steering import HIDDEN_ROWS, Key, MovedDrop, make_move_log, play_moves


@click.command("moves")
@click.argument("plan", type=click.Path())
@click.option(
    "--rules",
    type=click.Choice(["classic", "srs"]),
    default="classic",
    show_default=True,
    help="classic: the console game of 1989; srs: the guideline rules with kicks and soft drop.",
)
@click.option(
    "--hidden",
    type=Whole(0, 40),
    help=f"classic: rows above the board that a moving piece may use. [default: {HIDDEN_ROWS}]",
)
@click.option("--strict", is_flag=True, help="classic: the same as --hidden 0.")
@click.option(
    "--visible",
    type=Whole(1, 999),
    metavar="ROWS",
    help="srs: visible rows; pieces spawn in the two above. [default: 20 on ten columns, else all "
    "but two]",
)
@click.option(
    "--held", is_flag=True, help="srs: a key that is held down counts as one press (auto-shift)."
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(
    plan: str,
    rules: str,
    hidden: int | None,
    strict: bool,
    visible: int | None,
    held: bool,
    as_json: bool,
) -> None:
    """Say how a player steers every piece of PLAN: turns, shift, drop.

    A piece that cannot get to its column without touching something is an error (exit code
    1) that names the drop.

    classic: Each piece enters at the top centre as in the 1989 console game and is turned (no
    wall kicks), shifted and dropped; with --hidden 4 pieces enter above the board, where nothing
    is in their way. One line per drop: number, pass, piece, quarter turns (clockwise
    positive), columns to shift (right positive), the row in which the piece's lowest square
    lands (from the bottom, 0 is the floor), rows cleared, and the keys where the order is
    unusual.

    srs: Each piece spawns above the visible rows as in today's games and is brought to its place
    with the fewest presses there are. One line per drop: number, pass, piece, row, rows
    cleared, and the keys; hold is one of them where the pieces of the plan were dealt.
    """
    _check(rules, hidden is not None or strict, visible is not None or held)
    parsed = read_game(plan)
    if rules == "srs":
        _by_guideline(parsed, Guideline(parsed.width, parsed.height, visible or 0, held), as_json)
        return
    rows = 0 if strict else HIDDEN_ROWS if hidden is None else hidden
    field = parsed.field()
    moves = list(play_moves(parsed, field, rows))
    if as_json:
        click.echo(json.dumps(make_move_log(parsed, moves, rows)))
        return
    click.echo("drop  pass  piece  turns  shift  row  cleared")
    for moved in moves:
        click.echo(_line(moved))


def _check(rules: str, classic: bool, srs: bool) -> None:
    if classic and rules != "classic":
        raise InputError("--hidden and --strict are for --rules classic")
    if srs and rules != "srs":
        raise InputError("--visible and --held are for --rules srs")


def _by_guideline(plan: Plan, rules: Guideline, as_json: bool) -> None:
    moves = list(play_by_guideline(plan, rules))
    if as_json:
        click.echo(json.dumps(make_guideline_log(rules, moves)))
        return
    click.echo("drop  pass  piece  row  cleared  keys")
    for moved in moves:
        drop, landing = moved.drop, moved.drop.landing
        click.echo(
            f"{drop.index + 1:4}  {drop.pass_index + 1:4}  {landing.orientation.piece.name:>5}  "
            f"{landing.y:3}  {len(landing.cleared):7}  {', '.join(moved.presses)}"
        )


def _line(moved: MovedDrop) -> str:
    drop, landing = moved.drop, moved.drop.landing
    kinds = [key in (Key.CLOCKWISE, Key.COUNTERCLOCKWISE) for key in moved.keys[:-1]]
    unusual = kinds != sorted(kinds, reverse=True) or Key.DOWN in moved.keys
    return (
        f"{drop.index + 1:4}  {drop.pass_index + 1:4}  {landing.orientation.piece.name:>5}  "
        f"{moved.rotations:+5}  {moved.shift:+5}  {landing.y:3}  {len(landing.cleared):7}"
        + ("  " + " ".join(moved.keys) if unusual else "")
    )
