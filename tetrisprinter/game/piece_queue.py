"""Pieces as a game deals them: queues, bags of seven, hold.

A :class:`QueueRules` says how pieces come; a :class:`PieceQueue` is what came, as a plan keeps it.
Holding follows the rules of today's games: a piece that has just come may be laid aside; the
one that lay there is played instead or, if none did, the next one that comes. A piece that was
swapped in is played, never laid aside again.
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

__all__ = [
    "PREVIEW",
    "STANDARD_COLORS",
    "PieceQueue",
    "QueueRules",
    "QueueTurn",
    "deal_bags",
    "spell_pieces",
]

PREVIEW: Final = 5
"""How many pieces after the current one today's games show."""

STANDARD_COLORS: Final = {
    PieceType.I: "00f0f0",
    PieceType.J: "0000f0",
    PieceType.L: "f0a000",
    PieceType.O: "f0f000",
    PieceType.S: "00f000",
    PieceType.T: "a000f0",
    PieceType.Z: "f00000",
}
"""The colours in which games that deal bags show the types: I cyan, O yellow, T purple, ..."""

_BAG: Final = re.compile(r"bag(?::(\d{1,19}))?")


def spell_pieces(pieces: Iterable[PieceType]) -> str:
    """Return pieces as a word.

    >>> spell_pieces([PieceType.T, PieceType.O])
    'TO'
    """
    return "".join(piece.name for piece in pieces)


def deal_bags(seed: int) -> Iterator[PieceType]:
    """Deal forever: each seven pieces are all seven types in an order by chance."""
    chance = random.Random(seed)
    while True:
        bag = list(PieceType)
        chance.shuffle(bag)
        yield from bag


@dataclass(frozen=True, slots=True)
class QueueTurn:
    """A piece that was played, and what the player saw."""

    piece: PieceType  # what was played
    swapped: bool  # whether it came out of the hold, or after a piece that went into the empty hold
    current: PieceType | None  # the piece that had come; None if only the held one was left
    held: PieceType | None  # what lay in the hold before
    held_after: PieceType | None  # what lies there afterwards
    position: int  # how many pieces of the queue had come before the current one


@dataclass(frozen=True, slots=True)
class PieceQueue:
    """The pieces that came in a game."""

    pieces: tuple[PieceType, ...]  # in the order in which they came
    hold: bool = True  # whether one may be laid aside

    @classmethod
    def parse(cls, text: str, hold: bool = True) -> PieceQueue:
        """Read a word of the letters IJLOSTZ."""
        if not re.fullmatch(r"[IJLOSTZ]+", text):
            raise InputError(f"{text!r} is not a queue of pieces such as TIJLOSZ")
        return cls(tuple(PieceType[letter] for letter in text), hold)

    def __str__(self) -> str:
        return spell_pieces(self.pieces)

    def trace_turns(self, played: Iterable[PieceType]) -> tuple[QueueTurn, ...]:
        """Say for each piece that is played where it comes from.

        A piece is taken from the hold only where it has to be: two equal pieces are the same, and
        an empty hold keeps all options of a used one.
        """
        turns: list[QueueTurn] = []
        held: PieceType | None = None
        at = 0
        for number, piece in enumerate(played, 1):
            current = self.pieces[at] if at < len(self.pieces) else None
            following = self.pieces[at + 1] if at + 1 < len(self.pieces) else None
            if piece is current:
                after, step, swapped = held, 1, False
            elif self.hold and held is piece:
                after, step, swapped = current, 1, True
            elif self.hold and held is None and piece is following:
                after, step, swapped = current, 2, True
            else:
                seen = "nothing" if current is None else current.name
                beside = f" and {held.name} is held" if held is not None else ""
                raise InputError(
                    f"drop {number} is a {piece.name}, but {seen} comes then{beside}: "
                    f"{'with' if self.hold else 'without'} hold that cannot be played"
                )
            turns.append(QueueTurn(piece, swapped, current, held, after, at))
            held, at = after, at + step
        return tuple(turns)

    def trim_to_played(self, played: Iterable[PieceType]) -> PieceQueue:
        """Return the queue without what never came into play; errors as :meth:`trace_turns`."""
        turns = self.trace_turns(played)
        if not turns:
            return PieceQueue((), self.hold)
        last = turns[-1]
        came = last.position + 1 + (last.swapped and last.held is None)
        return PieceQueue(self.pieces[:came], self.hold)


@dataclass(frozen=True, slots=True)
class QueueRules:
    """How pieces come to the player."""

    queue: tuple[PieceType, ...] = ()  # the pieces, if they are given. Nothing comes after them
    seed: int = 0  # without a queue: seven-piece bags are dealt from this seed
    # How many pieces after the current one are seen; None: all that will ever come. What is not
    # in the preview yet must not influence the plan
    preview: int | None = None
    hold: bool = True  # whether a piece may be laid aside
    # Whether pieces may be turned, kicked and slid under others on their way, as today's rules
    # allow; else they fall straight
    steered: bool = False

    def __post_init__(self) -> None:
        if self.preview is not None and self.preview < 0:
            raise InputError(f"a preview shows no piece or some, not {self.preview}")

    @classmethod
    def parse(cls, text: str, preview: int | None = None, hold: bool = True) -> QueueRules:
        """Read ``bag``, ``bag:SEED`` or a queue such as ``TIJLOSZ``."""
        bag = _BAG.fullmatch(text)
        if bag is not None:
            return cls(seed=int(bag[1] or 0), preview=preview, hold=hold)
        try:
            return cls(PieceQueue.parse(text).pieces, 0, preview, hold)
        except InputError as error:
            raise InputError(
                f"{text!r} says not how pieces come: 'bag', 'bag:SEED' or a queue such as "
                "TIJLOSZ does"
            ) from error

    def first(self, count: int) -> tuple[PieceType, ...]:
        """Return the first pieces that come: fewer if the queue is shorter."""
        return self.queue[:count] if self.queue else tuple(islice(deal_bags(self.seed), count))

    def __str__(self) -> str:
        bag = f"bags of seven from seed {self.seed}"
        how = f"queue {spell_pieces(self.queue)}" if self.queue else bag
        seen = "" if self.preview is None else f", a preview of {self.preview}"
        steered = ", steered by today's rules" if self.steered else ""
        return f"{how}{seen}, {'hold' if self.hold else 'no hold'}{steered}"
