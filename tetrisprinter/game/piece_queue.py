"""Piece queues: 7-bags, preview, hold.

:class:`QueueRules` describes the source of the pieces; a :class:`PieceQueue` is the sequence of a
game, as a plan stores it. Hold follows the *guideline*, the rules of modern Tetris games: the
player may put the current piece into the hold and then plays the piece that was held before, or
the next piece of the queue if none was held. A piece from the hold must be played.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType

PREVIEW: Final = 5
"""The number of pieces after the current one that guideline games show."""

STANDARD_COLORS: Final = {
    PieceType.I: "00f0f0",
    PieceType.J: "0000f0",
    PieceType.L: "f0a000",
    PieceType.O: "f0f000",
    PieceType.S: "00f000",
    PieceType.T: "a000f0",
    PieceType.Z: "f00000",
}
"""The guideline's colours of the types: I cyan, O yellow, T purple, ..."""

_BAG: Final = re.compile(r"bag(?::(\d{1,19}))?")


def spell_pieces(pieces: Iterable[PieceType]) -> str:
    """Return piece types as a string of their letters.

    >>> spell_pieces([PieceType.T, PieceType.O])
    'TO'
    """
    return "".join(piece.name for piece in pieces)


def deal_bags(seed: int) -> Iterator[PieceType]:
    """Yield pieces forever: each group of seven has all seven types in random order."""
    rng = random.Random(seed)
    while True:
        bag = list(PieceType)
        rng.shuffle(bag)
        yield from bag


@dataclass(frozen=True, slots=True)
class QueueTurn:
    """The state of queue and hold when a piece is played."""

    swapped: bool  # whether the player pressed hold for this piece
    current: PieceType | None  # the current piece; None if only the held piece was left
    held: PieceType | None  # the held piece before the turn
    position: int  # the index of the current piece in the queue


@dataclass(frozen=True, slots=True)
class PieceQueue:
    """The pieces of a game in the order of the queue."""

    pieces: tuple[PieceType, ...]
    hold: bool = True  # whether the player may hold a piece

    @classmethod
    def parse(cls, text: str, hold: bool = True) -> PieceQueue:
        """Read a string of the letters IJLOSTZ."""
        if not re.fullmatch(r"[IJLOSTZ]+", text):
            raise InputError(f"invalid queue {text!r}; expected pieces such as TIJLOSZ")
        return cls(tuple(PieceType[letter] for letter in text), hold)

    def __str__(self) -> str:
        return spell_pieces(self.pieces)

    def trace_turns(self, played: Iterable[PieceType]) -> tuple[QueueTurn, ...]:
        """Return for each played piece whether it comes from the queue or from the hold.

        The hold is used only where necessary: equal pieces are interchangeable, and an empty hold
        leaves at least the options that a full hold leaves.
        """
        turns: list[QueueTurn] = []
        held: PieceType | None = None
        position = 0
        for number, piece in enumerate(played, 1):
            current = self.pieces[position] if position < len(self.pieces) else None
            next_piece = self.pieces[position + 1] if position + 1 < len(self.pieces) else None
            if piece is current:
                held_after, step, swapped = held, 1, False
            elif self.hold and held is piece:
                held_after, step, swapped = current, 1, True
            elif self.hold and held is None and piece is next_piece:
                held_after, step, swapped = current, 2, True
            else:
                current_name = "nothing" if current is None else current.name
                held_text = f" and {held.name} is held" if held is not None else ""
                raise InputError(
                    f"drop {number} uses {piece.name}, but the queue has {current_name}{held_text} "
                    f"({'with' if self.hold else 'without'} hold)"
                )
            turns.append(QueueTurn(swapped, current, held, position))
            held, position = held_after, position + step
        return tuple(turns)

    def trim_to_played(self, played: Iterable[PieceType]) -> PieceQueue:
        """Return the queue up to the last piece that the game needs."""
        turns = self.trace_turns(played)
        if not turns:
            return PieceQueue((), self.hold)
        last = turns[-1]
        needed_count = last.position + 1 + (last.swapped and last.held is None)
        return PieceQueue(self.pieces[:needed_count], self.hold)


@dataclass(frozen=True, slots=True)
class QueueRules:
    """The source of the pieces, and what the player may see and do."""

    queue: tuple[PieceType, ...] = ()  # a given queue; the game ends with it
    seed: int = 0  # without a queue: the seed of 7-bags
    # The number of visible pieces after the current one; None: all. A plan must not depend on
    # pieces beyond the preview
    preview: int | None = None
    hold: bool = True  # whether the player may hold a piece
    steered: bool = False  # whether tucks and spins are allowed; else hard drops only

    def __post_init__(self) -> None:
        if self.preview is not None and self.preview < 0:
            raise InputError(f"preview: {self.preview} is out of range; expected 0 or more pieces")

    @classmethod
    def parse(
        cls, text: str, preview: int | None = None, hold: bool = True, steered: bool = False
    ) -> QueueRules:
        """Read ``bag``, ``bag:SEED`` or a queue such as ``TIJLOSZ``."""
        bag = _BAG.fullmatch(text)
        if bag is not None:
            return cls((), int(bag[1] or 0), preview, hold, steered)
        try:
            return cls(PieceQueue.parse(text).pieces, 0, preview, hold, steered)
        except InputError as error:
            raise InputError(
                f"invalid pieces {text!r}; expected 'bag', 'bag:SEED' or a queue such as TIJLOSZ"
            ) from error

    def deal(self, count: int) -> tuple[PieceType, ...]:
        """Return the first ``count`` pieces; fewer if the queue is shorter."""
        return self.queue[:count] if self.queue else tuple(islice(deal_bags(self.seed), count))

    def __str__(self) -> str:
        bag = f"bags of seven from seed {self.seed}"
        source = f"queue {spell_pieces(self.queue)}" if self.queue else bag
        preview = "" if self.preview is None else f", a preview of {self.preview}"
        steered = ", steered by the guideline rules" if self.steered else ""
        return f"{source}{preview}, {'hold' if self.hold else 'no hold'}{steered}"
