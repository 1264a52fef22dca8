"""A front end of the Tetris Bot Protocol, written from its specification alone.

It shares no code with the package: it deals bags of seven, keeps the hold and the field, lets the
pieces that the bot asks for fall, and refuses what a game would refuse.
"""

import json
import random
from typing import IO, Any

# The cells of each piece around its centre as it enters ("north"), y upwards.
NORTH = {
    "I": [(-1, 0), (0, 0), (1, 0), (2, 0)],
    "J": [(-1, 1), (-1, 0), (0, 0), (1, 0)],
    "L": [(-1, 0), (0, 0), (1, 0), (1, 1)],
    "O": [(0, 0), (1, 0), (0, 1), (1, 1)],
    "S": [(-1, 0), (0, 0), (0, 1), (1, 1)],
    "T": [(-1, 0), (0, 0), (1, 0), (0, 1)],
    "Z": [(-1, 1), (0, 1), (0, 0), (1, 0)],
}


class Game:
    """A game of ten columns that a bot plays over two streams."""

    def __init__(self, seed: int, to_bot: IO[str], from_bot: IO[str]) -> None:
        self.chance = random.Random(seed)
        self.to_bot, self.from_bot = to_bot, from_bot
        self.field: dict[tuple[int, int], str] = {}
        self.hold: str | None = None
        self.queue: list[str] = []
        self.record: list[tuple[str, dict[str, Any]]] = []
        self.played = 0
        while len(self.queue) < 6:
            self.queue.append(self.deal())

    def deal(self) -> str:
        if not getattr(self, "bag", None):
            self.bag = list("IJLOSTZ")
            self.chance.shuffle(self.bag)
        return self.bag.pop()

    def tell(self, message: dict[str, Any]) -> None:
        self.record.append(("game", message))
        self.to_bot.write(json.dumps(message) + "\n")
        self.to_bot.flush()

    def hear(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.from_bot.readline())
        self.record.append(("bot", message))
        return message

    def start(self) -> None:
        assert self.hear()["type"] == "info"
        self.tell({"type": "rules"})
        assert self.hear() == {"type": "ready"}
        board = [[self.field.get((x, y)) for x in range(10)] for y in range(40)]
        self.tell(
            {"type": "start", "hold": self.hold, "queue": self.queue, "combo": 0,
             "back_to_back": False, "board": board}
        )  # fmt: skip

    def step(self) -> bool:
        """Let the bot play a piece; False if it suggests none."""
        self.tell({"type": "suggest"})
        answer = self.hear()
        assert answer["type"] == "suggestion", answer
        if not answer["moves"]:
            return False
        move = answer["moves"][0]
        self.lock(move["location"])
        self.tell({"type": "play", "move": move})
        while len(self.queue) < 6:
            self.queue.append(self.deal())
            self.tell({"type": "new_piece", "piece": self.queue[-1]})
        return True

    def lock(self, location: dict[str, Any]) -> None:
        kind = location["type"]
        if kind == self.queue[0]:
            self.queue.pop(0)
        elif self.hold is None:
            self.hold = self.queue.pop(0)
            assert self.queue.pop(0) == kind
        else:
            assert self.hold == kind
            self.hold = self.queue.pop(0)
        cells = NORTH[kind]
        for _ in range(["north", "east", "south", "west"].index(location["orientation"])):
            cells = [(y, -x) for x, y in cells]
        placed = [(location["x"] + x, location["y"] + y) for x, y in cells]
        for x, y in placed:
            assert 0 <= x < 10
            assert 0 <= y < 20
            assert not any((x, above) in self.field for above in range(y, 40))
        assert any(y == 0 or (x, y - 1) in self.field for x, y in placed)
        self.field.update(dict.fromkeys(placed, kind))
        for row in range(39, -1, -1):
            if all((x, row) in self.field for x in range(10)):
                self.field = {
                    (x, y - (y > row)): piece for (x, y), piece in self.field.items() if y != row
                }
        self.played += 1
