"""A plain player of art files, written from the rules of that game alone.

It shares no code with the package: its own shapes, its own field, y downwards. Besides
the picture it returns every move that the game would not have made, what lay there after
each drop, and when the game was over.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

SHAPES = {
    1: ("I", [(0, -1), (0, 0), (0, 1), (0, 2)]),
    2: ("L", [(0, -1), (0, 0), (0, 1), (1, 1)]),
    3: ("J", [(0, -1), (0, 0), (0, 1), (-1, 1)]),
    4: ("T", [(0, -1), (0, 0), (0, 1), (1, 0)]),
    5: ("O", [(0, 0), (0, -1), (1, 0), (1, -1)]),
    6: ("S", [(0, 0), (0, -1), (-1, 0), (1, -1)]),
    7: ("Z", [(0, 0), (0, -1), (1, 0), (-1, -1)]),
}

Squares = dict[tuple[int, int], str]
"""Colours by column and row, y counted from the bottom."""


@dataclass
class Played:
    """What an art file leaves, and what went wrong.

    ``after`` holds the squares after each drop; ``over`` is the number of the drop after
    which the next piece had no room to appear (0: the first had none), None if all had.
    """

    squares: Squares = field(default_factory=dict)
    blocked: list[str] = field(default_factory=list)
    lines: int = 0
    after: list[Squares] = field(default_factory=list)
    over: int | None = None


def turn_piece(index: int, direction: int) -> list[tuple[int, int]]:
    name, cells = SHAPES[index]
    turns = {"O": 0}.get(name, direction % 2 if name in "ISZ" else direction)
    if turns == 1:
        return [(-y, x) for x, y in cells]
    if turns == 2:
        return [(-x, -y) for x, y in cells]
    if turns == 3:
        return [(y, -x) for x, y in cells]
    return list(cells)


def play_art(
    text: str,
    width: int = 10,
    height: int = 22,
    before: Mapping[tuple[int, int], str] | None = None,
) -> Played:
    """Play a file on an empty board, or on the squares that are there before."""
    content = json.loads(text)
    board = {(x, height - 1 - y): color for (x, y), color in (before or {}).items()}
    played = Played()

    def free(index: int, direction: int, x: int, y: int) -> bool:
        for dx, dy in turn_piece(index, direction):
            cell = (x + dx, y + dy)
            inside = 0 <= cell[0] < width and 0 <= cell[1] < height
            if not inside or cell in board:
                return False
        return True

    def appears(index: int) -> bool:
        return free(index, 0, 5, -min(dy for _, dy in turn_piece(index, 0)))

    order = content["block_order"]
    for number, (index, wanted, target, operation) in enumerate(order, 1):
        name = SHAPES[index][0]
        direction, x = 0, 5
        y = -min(dy for _, dy in turn_piece(index, 0))
        if not appears(index):
            played.over = number - 1
            break
        falling = True
        while falling:
            for _ in range(4):
                if direction == wanted:
                    break
                if not free(index, (direction + 1) % 4, x, y):
                    played.blocked.append(f"{number}: turn")
                    break
                direction = (direction + 1) % 4
            for _ in range(5):
                if x == target:
                    break
                step = 1 if target > x else -1
                if not free(index, direction, x + step, y):
                    played.blocked.append(f"{number}: step")
                    break
                x += step
            if operation == 1:
                if x != target:
                    played.blocked.append(f"{number}: too far")
                while free(index, direction, x, y + 1):
                    y += 1
                falling = False
            elif free(index, direction, x, y + 1):
                y += 1
            else:
                falling = False
        for dx, dy in turn_piece(index, direction):
            board[x + dx, y + dy] = content["color"][f"shape{name}"].removeprefix("0x")
        for row in range(height):
            if all((cx, row) in board for cx in range(width)):
                played.lines += 1
                board = {
                    (cx, cy + (cy < row)): color for (cx, cy), color in board.items() if cy != row
                }
        played.after.append({(x, height - 1 - y): color for (x, y), color in board.items()})
    if played.over is None and not appears(order[0][0]):
        played.over = len(order)
    played.squares = {(x, height - 1 - y): color for (x, y), color in board.items()}
    return played
