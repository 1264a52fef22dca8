"""``tetrisprinter moves``: the key presses that play a plan."""

from __future__ import annotations

import json

import click

from tetrisprinter.formats import read_game
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.steering import HIDDEN_ROWS, Key, MovedDrop, move_log, play_moves

__all__ = ["command"]


@click.command("moves")
@click.argument("plan", type=click.Path())
@click.option(
    "--hidden",
    type=click.IntRange(0, 40),
    default=HIDDEN_ROWS,
    show_default=True,
    help="Rows above the board that a moving piece may use.",
)
@click.option("--strict", is_flag=True, help="No rows above the board: the same as --hidden 0.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(plan: str, hidden: int, strict: bool, as_json: bool) -> None:
    """Say how a player steers every piece of PLAN: turns, shift, drop.

    Each piece enters at the top centre as in the 1989 console game and is turned (no
    wall kicks), shifted and dropped. A piece that cannot get to its column without
    touching something is an error (exit code 1) that names the drop; with --hidden 4
    pieces enter above the board, where nothing is in their way.

    One line per drop: number, pass, piece, quarter turns (clockwise positive), columns
    to shift (right positive), the row in which the piece's lowest square lands (from the
    bottom, 0 is the floor), rows cleared, and the keys where the order is unusual.
    """
    hidden = 0 if strict else hidden
    parsed = read_game(plan)
    field = Playfield(parsed.width, parsed.height)
    moves = list(play_moves(parsed, field, hidden))
    if as_json:
        click.echo(json.dumps(move_log(parsed, moves, hidden)))
        return
    click.echo("drop  pass  piece  turns  shift  row  cleared")
    for moved in moves:
        click.echo(_line(moved))


def _line(moved: MovedDrop) -> str:
    drop, landing = moved.drop, moved.drop.landing
    kinds = [key in (Key.CLOCKWISE, Key.COUNTERCLOCKWISE) for key in moved.keys[:-1]]
    unusual = kinds != sorted(kinds, reverse=True) or Key.DOWN in moved.keys
    return (
        f"{drop.index + 1:4}  {drop.pass_index + 1:4}  {landing.orientation.piece.name:>5}  "
        f"{moved.rotations:+5}  {moved.shift:+5}  {landing.y:3}  {len(landing.cleared):7}"
        + ("  " + " ".join(moved.keys) if unusual else "")
    )
