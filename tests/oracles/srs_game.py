"""A plain player by the guideline's rotation system, written from its published tables.

It shares no code with the package: pieces are drawings in boxes of three or four squares, a
turn turns the drawing, and the kicks are the tables of translations as they are printed (x to
the right, y upwards), not the offsets they can be computed from.
"""

from collections import deque
from collections.abc import Collection, Iterator

Cell = tuple[int, int]

BOXES = {
    "I": ("....", "####", "....", "...."),
    "J": ("#..", "###", "..."),
    "L": ("..#", "###", "..."),
    "O": ("##", "##"),
    "S": (".##", "##.", "..."),
    "T": (".#.", "###", "..."),
    "Z": ("##.", ".##", "..."),
}

KICKS = {
    "01": "0,0 -1,0 -1,+1 0,-2 -1,-2",
    "10": "0,0 +1,0 +1,-1 0,+2 +1,+2",
    "12": "0,0 +1,0 +1,-1 0,+2 +1,+2",
    "21": "0,0 -1,0 -1,+1 0,-2 -1,-2",
    "23": "0,0 +1,0 +1,+1 0,-2 +1,-2",
    "32": "0,0 -1,0 -1,-1 0,+2 -1,+2",
    "30": "0,0 -1,0 -1,-1 0,+2 -1,+2",
    "03": "0,0 +1,0 +1,+1 0,-2 +1,-2",
}
KICKS_I = {
    "01": "0,0 -2,0 +1,0 -2,-1 +1,+2",
    "10": "0,0 +2,0 -1,0 +2,+1 -1,-2",
    "12": "0,0 -1,0 +2,0 -1,+2 +2,-1",
    "21": "0,0 +1,0 -2,0 +1,-2 -2,+1",
    "23": "0,0 +2,0 -1,0 +2,+1 -1,-2",
    "32": "0,0 -2,0 +1,0 -2,-1 +1,+2",
    "30": "0,0 +1,0 -2,0 +1,-2 -2,+1",
    "03": "0,0 -1,0 +2,0 -1,+2 +2,-1",
}

State = tuple[int, int, int]  # quarter turns, left column and top row of the box


class Stuck(Exception):
    """A press that does nothing, or a piece that cannot spawn."""


def cells(name: str, state: State) -> set[Cell]:
    turns, x, y = state
    box = [list(row) for row in BOXES[name]]
    for _ in range(turns):
        box = [list(row) for row in zip(*box[::-1], strict=True)]
    return {
        (x + cx, y - cy) for cy, row in enumerate(box) for cx, at in enumerate(row) if at == "#"
    }


class Board:
    """A field of squares, ``width`` wide, on which one piece moves."""

    def __init__(self, filled: Collection[Cell], width: int, visible: int) -> None:
        self.filled = set(filled)
        self.width = width
        self.visible = visible

    def fits(self, name: str, state: State) -> bool:
        return all(
            0 <= x < self.width and y >= 0 and (x, y) not in self.filled
            for x, y in cells(name, state)
        )

    def spawn(self, name: str) -> State:
        """The two rows above the visible ones, flat side down, then one row down."""
        x = (self.width - len(BOXES[name])) // 2
        state = (0, x, self.visible + 1)
        if not self.fits(name, state):
            raise Stuck(f"{name} cannot spawn")
        below = (0, x, self.visible)
        return below if self.fits(name, below) else state

    def press(self, name: str, state: State, key: str) -> State:
        turns, x, y = state
        if key in ("cw", "ccw"):
            after = (turns + (1 if key == "cw" else 3)) % 4
            if name == "O":
                raise Stuck("O does not turn")
            table = KICKS_I if name == "I" else KICKS
            for kick in table[f"{turns}{after}"].split():
                dx, dy = map(int, kick.split(","))
                if self.fits(name, (after, x + dx, y + dy)):
                    return after, x + dx, y + dy
            raise Stuck(f"{name} cannot turn")
        dx, dy = {"left": (-1, 0), "right": (1, 0), "down": (0, -1)}[key]
        if not self.fits(name, (turns, x + dx, y + dy)):
            raise Stuck(f"{name} cannot go {key}")
        return turns, x + dx, y + dy

    def drop(self, name: str, state: State) -> set[Cell]:
        turns, x, y = state
        while self.fits(name, (turns, x, y - 1)):
            y -= 1
        return cells(name, (turns, x, y))

    def play(self, name: str, keys: Collection[str]) -> set[Cell]:
        """Press keys, the last of which is a hard drop; return where the piece locks."""
        *moves, last = keys
        assert last == "drop"
        state = self.spawn(name)
        for key in moves:
            if key.startswith("hold "):
                state = self.press(name, state, key[5:])
                try:
                    while True:
                        state = self.press(name, state, key[5:])
                except Stuck:
                    continue
            state = self.press(name, state, key)
        locked = self.drop(name, state)
        if min(y for _, y in locked) >= self.visible:
            raise Stuck("locked out")
        return locked

    def lock(self, locked: set[Cell]) -> None:
        self.filled |= locked
        for row in sorted({y for _, y in locked}, reverse=True):
            if all((x, row) in self.filled for x in range(self.width)):
                self.filled = {(x, y - (y > row)) for x, y in self.filled if y != row}

    def presses(self, name: str) -> Iterator[tuple[int, set[Cell]]]:
        """Everywhere a piece can be locked, with the fewest presses, fewest first."""
        try:
            start = self.spawn(name)
        except Stuck:
            return
        seen = {start: 1}
        queue = deque([start])
        while queue:
            state = queue.popleft()
            yield seen[state], self.drop(name, state)
            for key in ("cw", "ccw", "left", "right", "down"):
                try:
                    after = self.press(name, state, key)
                except Stuck:
                    continue
                if after not in seen:
                    seen[after] = seen[state] + 1
                    queue.append(after)
