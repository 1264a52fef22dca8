"""QueueRules pieces, judged by the rules alone: bags of seven, and one piece that may be held.

It shares no code with the package. It reads a drop log (``.drops.json``): the pieces that came, the
pieces that were dropped, and where. A drop order is possible if *some* use of the hold makes it, so
all uses are followed at once.
"""

from typing import Any

from tests.oracles.game import RuleBrokenError, Square, replay
from tests.oracles.srs_game import Board


def check_bags(queue: str) -> None:
    """Refuse a queue that no bags of seven deal from the beginning."""
    for start in range(0, len(queue), 7):
        bag = queue[start : start + 7]
        if len(set(bag)) < len(bag):
            raise RuleBrokenError(f"the bag {bag} has a piece twice")


def check_order(queue: str, hold: bool, played: str) -> None:
    """Refuse an order of drops that nobody can make of the queue."""
    # What lies in the hold ("" if nothing), and how many pieces have come.
    possible = {("", 0)}
    for number, piece in enumerate(played, 1):
        after: set[tuple[str, int]] = set()
        for held, came in possible:
            current = queue[came : came + 1]
            if current == piece:
                after.add((held, came + 1))
            if not hold:
                continue
            if held:
                if held == piece:
                    after.add((current, came + (1 if current else 0)))
            elif current and queue[came + 1 : came + 2] == piece:
                after.add((current, came + 2))
        if not after:
            raise RuleBrokenError(f"drop {number}: no {piece} can be played")
        possible = after


def judge_dealt(log: dict[str, Any], *, from_bags: bool = True) -> dict[Square, str]:
    """Play a log whose pieces were dealt; return the piece letter of each square that is left."""
    if from_bags:
        check_bags(log["queue"])
    check_order(log["queue"], log["hold"], "".join(drop["piece"] for drop in log["drops"]))
    return replay(log)


def judge_steered(log: dict[str, Any], visible: int = 20) -> dict[Square, str]:
    """Play a log whose pieces a player steered by today's rules; return what is left.

    Each piece has to be somewhere among all the places where some presses lock it.
    """
    check_order(log["queue"], log["hold"], "".join(drop["piece"] for drop in log["drops"]))
    board = Board((), log["width"], visible)
    letters: dict[Square, str] = {}
    for number, drop in enumerate(log["drops"], 1):
        cells = {(x, y) for x, y in drop["cells"]}
        if not any(locked == cells for _, locked in board.presses(drop["piece"])):
            raise RuleBrokenError(f"drop {number}: nobody steers the {drop['piece']} there")
        letters |= dict.fromkeys(cells, drop["piece"])
        rows = {y for _, y in cells if all((x, y) in letters for x in range(log["width"]))}
        letters = {
            (x, y - sum(row < y for row in rows)): piece
            for (x, y), piece in letters.items()
            if y not in rows
        }
        board.lock(cells)
        assert board.filled == letters.keys()
    return letters
