"""A player who sees a few pieces ahead and prints a picture with any queue.

Before each drop the player guesses the pieces after the visible ones several times, and searches
each guess as if all pieces were known. Then it plays the first drop of the best game. The guesses
are random, in bags of seven if the visible pieces fit 7-bags. If no search finds a drop, or the
missing squares have not become fewer for a long time, the player gives up all unfinished rows and
clears them; it counts how often. With hold and some free rows this never tops out, so the player
is never stuck forever.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType, Placement
from tetrisprinter.planners.dealt.beam import (
    Beam,
    BeamMove,
    DropSequence,
    advance_state,
    beam_search,
)
from tetrisprinter.planners.dealt.states import (
    BUDGETS,
    DealtTarget,
    GameState,
    count_missing,
    give_up_rows,
    land_drop,
    make_empty_state,
    make_state_from_field,
)


@dataclass(slots=True)
class Player:
    """A player that chooses its drops piece by piece."""

    target: DealtTarget
    breadth: int = BUDGETS.beam  # states kept after each drop of a search
    # Random continuations of the queue per drop; 0: only the visible pieces count
    futures: int = BUDGETS.futures
    seed: int = 0  # same seed, same drops
    # The visible pieces: those played, held and in the preview; the caller appends new ones
    pieces: list[PieceType] = field(default_factory=list)
    given_up: int = 0  # how often unfinished rows were given up
    _state: GameState = field(default_factory=make_empty_state)
    _drops: int = 0
    _fewest_missing: int = 1 << 30  # the fewest missing squares since rows were last given up
    _drops_at_fewest: int = 0  # the number of drops when this few were missing
    _chosen: int = 0  # the drop that :meth:`choose` returned, in the kernel's encoding

    @property
    def is_done(self) -> bool:
        """Whether the picture is complete."""
        return count_missing(self._state, self.target) == 0

    @property
    def turn(self) -> int:
        """The number of pieces in ``pieces`` that are in play or in the hold."""
        return int(self._state[4])

    def estimate_outlook(self, piece: PieceType) -> int:
        """Return the lowest cost that was found if this piece comes next.

        The search drops the visible pieces and then ``piece``. If it gets stuck earlier, the cost
        is the highest.
        """
        queue = [*self.pieces, piece]
        beam = Beam(self.breadth, len(queue) - self.turn)
        sequence = beam_search(self.target, queue, self._state, beam)
        return 1 << 30 if sequence is None else sequence.cost

    @property
    def has_piece(self) -> bool:
        """Whether there is a piece to play, from the queue or the hold."""
        return self.turn < len(self.pieces) or (self.target.hold and bool(self._state[3]))

    def choose(self) -> BeamMove | None:
        """Return the next drop, which :meth:`play` then makes; None if no drop is possible."""
        missing = count_missing(self._state, self.target)
        if missing < self._fewest_missing:
            self._fewest_missing, self._drops_at_fewest = missing, self._drops
        if self._drops - self._drops_at_fewest >= BUDGETS.patience:
            self._give_up()
        code = self._find_best_drop()
        if code is None:
            self._give_up()
            code = self._find_best_drop()
        if code is None:
            return None
        self._chosen = code
        return BeamMove.of(code)

    def play(self, placed: Placement | None = None) -> None:
        """Make the drop that :meth:`choose` returned or, if given, another placement."""
        if placed is None:
            self._state = advance_state(self.target, self.pieces, self._state, self._chosen)
        else:
            held, used = self._predict_hold(placed.orientation.piece, int(self._state[3]))
            self._state = land_drop(self._state, self.target, placed)
            self._state[3], self._state[4] = held, self.turn + used
        self._drops += 1

    def take_over(
        self, rows: Sequence[Sequence[int | None]], held: PieceType | None = None
    ) -> None:
        """Continue from a field: its finished picture rows stay, all others must clear."""
        self._state = make_state_from_field(rows, self.target)
        self._state[3] = held or 0

    def _predict_hold(self, piece: PieceType, held: int) -> tuple[int, int]:
        """Return the hold after a piece is played, and how many pieces leave the queue."""
        next_pieces = self.pieces[self.turn : self.turn + 2]
        if next_pieces[:1] == [piece]:
            return held, 1
        if self.target.hold and held == piece:
            return (next_pieces[0], 1) if next_pieces else (0, 0)
        if self.target.hold and not held and next_pieces[1:] == [piece]:
            return next_pieces[0], 2
        raise InputError(f"a {piece.name} was played, but it is not in the queue")

    def _give_up(self) -> None:
        """Give up all unfinished rows: they must clear."""
        self.given_up += 1
        self._state = give_up_rows(self._state, self.target)
        self._fewest_missing, self._drops_at_fewest = 1 << 30, self._drops

    def _find_best_drop(self) -> int | None:
        """Return the best next drop in the kernel's encoding; None if no drop is possible."""
        sequences: list[DropSequence] = []
        for number in range(max(1, self.futures)):
            generator = random.Random(self.seed * 1_000_003 + self._drops * 101 + number)
            queue = list(self.pieces)
            if self.futures:
                queue = _continue_queue(queue, len(queue) + BUDGETS.horizon, generator)
            sequence = beam_search(
                self.target,
                queue,
                self._state,
                Beam(self.breadth, BUDGETS.horizon),
                visible_count=len(self.pieces),
            )
            if sequence is not None and sequence.moves:
                sequences.append(sequence)
                if sequence.is_done and self._uses_visible_pieces(sequence):
                    return sequence.moves[0]
        if not sequences:
            return None
        # Take the most frequent first drop; on ties prefer a complete picture, then a low cost.
        votes = Counter(sequence.moves[0] for sequence in sequences)
        return min(
            sequences,
            key=lambda sequence: (-votes[sequence.moves[0]], not sequence.is_done, sequence.cost),
        ).moves[0]

    def _uses_visible_pieces(self, sequence: DropSequence) -> bool:
        """Return whether a drop sequence uses only visible pieces."""
        return int(sequence.state[4]) - bool(sequence.state[3]) <= len(self.pieces)


def _continue_queue(
    visible_pieces: Sequence[PieceType], length: int, generator: random.Random
) -> list[PieceType]:
    """Return a possible continuation of the queue: the rest of the bag, then random bags."""
    queue = list(visible_pieces)
    unfinished = queue[len(queue) - len(queue) % 7 :]
    bag = [piece for piece in PieceType if piece not in unfinished]
    while len(queue) < length:
        generator.shuffle(bag)
        queue += bag
        bag = list(PieceType)
    return queue[:length]
