"""The console game of 1989, frame by frame, written from the published rules alone.

It shares no code with the package. The rules are those that disassemblies of the game describe:
in each frame the piece is shifted, then turned, then it falls. ``y`` counts downwards from the
highest visible row, and two hidden rows lie above it.
"""

WIDTH, HEIGHT, HIDDEN = 10, 20, 2
SPAWN_X, SPAWN_Y = 5, 0
GRAVITY = 48  # frames for a row at level 0
FIRST_SHIFT, NEXT_SHIFT = 16, 6

# For each type its states, the first one at the spawn, in the order of clockwise turns; cells
# relative to the centre, y downwards.
STATES = {
    "T": (
        ((-1, 0), (0, 0), (1, 0), (0, 1)),
        ((0, -1), (-1, 0), (0, 0), (0, 1)),
        ((-1, 0), (0, 0), (1, 0), (0, -1)),
        ((0, -1), (0, 0), (1, 0), (0, 1)),
    ),
    "J": (
        ((-1, 0), (0, 0), (1, 0), (1, 1)),
        ((0, -1), (0, 0), (-1, 1), (0, 1)),
        ((-1, -1), (-1, 0), (0, 0), (1, 0)),
        ((0, -1), (1, -1), (0, 0), (0, 1)),
    ),
    "L": (
        ((-1, 0), (0, 0), (1, 0), (-1, 1)),
        ((-1, -1), (0, -1), (0, 0), (0, 1)),
        ((1, -1), (-1, 0), (0, 0), (1, 0)),
        ((0, -1), (0, 0), (0, 1), (1, 1)),
    ),
    "O": (((-1, 0), (0, 0), (-1, 1), (0, 1)),),
    "S": (((0, 0), (1, 0), (-1, 1), (0, 1)), ((0, -1), (0, 0), (1, 0), (1, 1))),
    "Z": (((-1, 0), (0, 0), (0, 1), (1, 1)), ((1, -1), (0, 0), (1, 0), (0, 1))),
    "I": (((-2, 0), (-1, 0), (0, 0), (1, 0)), ((0, -2), (0, -1), (0, 0), (0, 1))),
}

Cell = tuple[int, int]


class Console:
    """The board, and one piece after the other."""

    def __init__(self) -> None:
        self.filled: set[Cell] = set()

    def is_free(self, cells: set[Cell]) -> bool:
        return all(
            0 <= x < WIDTH and -HIDDEN <= y < HEIGHT and (x, y) not in self.filled for x, y in cells
        )

    def play(self, piece: str, frames: list[str]) -> set[Cell]:
        """Let a piece obey the buttons of each frame; return the cells in which it locks.

        The last frame must be the one in which it locks.
        """
        states = STATES[piece]
        x, y, turns = SPAWN_X, SPAWN_Y, 0
        fall_timer = shift_timer = down_timer = 0
        before: set[str] = set()

        def cells(x: int, y: int, turns: int) -> set[Cell]:
            return {(x + dx, y + dy) for dx, dy in states[turns]}

        assert self.is_free(cells(x, y, turns)), "no room to appear"
        for number, buttons in enumerate(frames, 1):
            held = set(buttons)
            pressed = held - before
            before = held
            fall_timer += 1
            # Shift.
            if "D" not in held:
                side = held & {"L", "R"}
                is_due = False
                if pressed & {"L", "R"}:
                    shift_timer, is_due = 0, True
                elif side:
                    shift_timer += 1
                    if shift_timer >= FIRST_SHIFT:
                        shift_timer, is_due = FIRST_SHIFT - NEXT_SHIFT, True
                if is_due:
                    step = 1 if "R" in side else -1
                    if self.is_free(cells(x + step, y, turns)):
                        x += step
                    else:
                        shift_timer = FIRST_SHIFT
            # Turn.
            turn = ("A" in pressed) - ("B" in pressed)
            if turn and self.is_free(cells(x, y, (turns + turn) % len(states))):
                turns = (turns + turn) % len(states)
            # Fall.
            falls = fall_timer >= GRAVITY
            if down_timer:
                if held & {"L", "R", "D"} == {"D"}:
                    down_timer += 1
                    if down_timer >= 3:
                        down_timer, falls = 1, True
                else:
                    down_timer = 0
            elif not held & {"L", "R"} and pressed & {"L", "R", "D"} == {"D"}:
                down_timer = 1
            if not falls:
                continue
            fall_timer = 0
            if self.is_free(cells(x, y + 1, turns)):
                y += 1
                continue
            assert number == len(frames), f"the piece locks in frame {number} of {len(frames)}"
            return self.lock(cells(x, y, turns))
        raise AssertionError("the piece has not locked")

    def lock(self, cells: set[Cell]) -> set[Cell]:
        """Add a piece and clear full rows."""
        assert all(y >= 0 for _, y in cells), "squares above the visible rows vanish"
        self.filled |= cells
        for row in range(HEIGHT):
            if all((x, row) in self.filled for x in range(WIDTH)):
                self.filled = {(x, y + (y < row)) for x, y in self.filled if y != row}
        return cells
