"""Find a game for a piece queue: when all pieces are known, and when only a few of them are seen.

If all pieces are known, the shortest game of several beam searches counts
(:func:`find_known_game`).

Otherwise a player sees a few pieces ahead and prints the picture with any queue
(:func:`play_with_preview`). Before each drop the player guesses the pieces after the visible ones
several times, and searches each guess as if all pieces were known. Then it plays the first drop of
the best game. The guesses are random, in bags of seven if the visible pieces fit 7-bags. If no
search finds a drop, or the missing squares have not become fewer for a long time, the player gives
up all unfinished rows and clears them; it counts how often. With hold and some free rows this never
tops out, so the player is never stuck forever.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from math import inf
from typing import Final

from tetrisprinter.errors import InputError
from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.game.pieces import PieceType, Placement
from tetrisprinter.planners.dealt.beam import (
    PATIENCE,
    BeamSearch,
    DealtTarget,
    GameState,
    advance_state,
    count_missing,
    decode_move,
    give_up_rows,
    land_drop,
    make_empty_state,
    make_state_from_field,
)
from tetrisprinter.support.signals import Stop

_BEAM: Final = 100
_SEARCHES: Final = 5
"""The beam width of the first search, which each further search doubles, and the number of searches
if all pieces are known."""

_CHANCE: Final = 2
"""Repeated searches add a random cost below this, times the scarcity."""

_QUICK_EFFORT: Final = 0.05
"""The effort of the first game with a preview if the time is limited."""

_MOST_STATES: Final = 50_000
"""The greatest beam width, about 250 MB."""

_FUTURES: Final = 3
_HORIZON: Final = 24
"""How many random continuations of the queue a player with a preview draws per drop, and how many
drops are searched in each."""


@dataclass(slots=True)
class Player:
    """A player that chooses its drops piece by piece."""

    target: DealtTarget
    breadth: int = _BEAM  # states kept after each drop of a search
    # Random continuations of the queue per drop; 0: only the visible pieces count
    futures: int = _FUTURES
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
        search = BeamSearch(self.target, queue, self.breadth)
        return search.cost if search.run(self._state, len(queue) - self.turn) else 1 << 30

    @property
    def has_piece(self) -> bool:
        """Whether there is a piece to play, from the queue or the hold."""
        return self.turn < len(self.pieces) or (self.target.hold and bool(self._state[3]))

    def choose(self) -> Placement | None:
        """Return the next drop, which :meth:`play` then makes; None if no drop is possible."""
        missing = count_missing(self._state, self.target)
        if missing < self._fewest_missing:
            self._fewest_missing, self._drops_at_fewest = missing, self._drops
        if self._drops - self._drops_at_fewest >= PATIENCE:
            self._give_up()
        code = self._find_best_drop()
        if code is None:
            self._give_up()
            code = self._find_best_drop()
        if code is None:
            return None
        self._chosen = code
        return decode_move(code)

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
        found: list[BeamSearch] = []
        for number in range(max(1, self.futures)):
            generator = random.Random(self.seed * 1_000_003 + self._drops * 101 + number)
            queue = list(self.pieces)
            if self.futures:
                queue = _continue_queue(queue, len(queue) + _HORIZON, generator)
            search = BeamSearch(self.target, queue, self.breadth, visible_count=len(self.pieces))
            if search.run(self._state, _HORIZON) and search.moves:
                found.append(search)
                if search.is_done and self._uses_visible_pieces(search.state):
                    return search.moves[0]
        if not found:
            return None
        # Take the most frequent first drop; on ties prefer a complete picture, then a low cost.
        votes = Counter(search.moves[0] for search in found)
        return min(
            found,
            key=lambda search: (-votes[search.moves[0]], not search.is_done, search.cost),
        ).moves[0]

    def _uses_visible_pieces(self, state: GameState) -> bool:
        """Return whether the drops before a state used only visible pieces."""
        return int(state[4]) - bool(state[3]) <= len(self.pieces)


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


@dataclass(frozen=True, slots=True)
class KnownQueueGame:
    """A game that leaves the picture."""

    moves: tuple[Placement, ...]  # the drops
    given_up: int = 0  # how often unfinished rows were given up; with known pieces the last resort
    stopped: bool = False  # whether the time was up before the last search


def find_known_game(
    target: DealtTarget,
    queue_rules: QueueRules,
    stop: Stop,
    report: Callable[[float, int | None], None],
    *,
    effort: float = 1.0,
    seed: int = 0,
) -> KnownQueueGame | None:
    """Find a short game that leaves the picture.

    The time limit ends only searches after the first one; a stop request ends any search. With an
    infinite effort the searches go on until then. If no search finds a game,
    :func:`play_with_preview` tries.
    """
    best: tuple[int, ...] = ()
    # A player who may steer may also use hard drops only, and that search finds other games.
    variants = (replace(target, steered=False), target) if target.steered else (target,)
    searches = len(variants) * _SEARCHES

    def is_over() -> bool:
        return stop.is_set if search_number else stop.is_requested

    for search_number, (variant, repetition) in enumerate(_iterate_searches(variants, effort)):
        if len(best) == target.fewest_drops or is_over():
            break
        report(min(1.0, search_number / searches), len(best) or None)
        max_drops = len(best) - 1 if best else _compute_max_drops(target)
        search = BeamSearch(
            variant,
            queue_rules.deal(max_drops + 1),
            _compute_beam_width(effort, repetition),
            chance=_CHANCE if repetition else 0,
            salt=seed * 31 + repetition,
        )
        if search.run(make_empty_state(), max_drops, is_over) and search.is_done:
            best = search.moves
    if not best:
        return play_with_preview(target, queue_rules, stop, report, seed=seed)
    return KnownQueueGame(tuple(map(decode_move, best)), stopped=stop.is_set)


def _iterate_searches(
    variants: Sequence[DealtTarget], effort: float
) -> Iterator[tuple[DealtTarget, int]]:
    """Yield each search as target and repetition (from 0); endlessly if the effort is infinite."""
    for variant in variants:
        yield from ((variant, repetition) for repetition in range(_SEARCHES))
    if effort == inf:
        yield from ((v, repetition) for repetition in count(_SEARCHES) for v in variants)


def _compute_beam_width(effort: float, repetition: int = 0) -> int:
    """Return the beam width of a search; an infinite effort begins like the default effort."""
    width = _BEAM * (1.0 if effort == inf else effort) * 2.0 ** min(repetition, 64)
    return max(1, round(min(width, _MOST_STATES)))


def _compute_max_drops(target: DealtTarget) -> int:
    """Return the number of drops at which a search or a player gives up."""
    return PATIENCE * (len(target.wants) + 1)


def play_with_preview(
    target: DealtTarget,
    queue_rules: QueueRules,
    stop: Stop,
    report: Callable[[float, int | None], None],
    *,
    effort: float = 1.0,
    seed: int = 0,
) -> KnownQueueGame | None:
    """Print the picture as a player who sees only the preview.

    The parameters are those of :func:`find_known_game`. With an infinite effort the first game is a
    quick one, and more careful games follow until the time is over; the shortest counts. The result
    is None if no drop was possible, if the pieces or the time ran out, or if the game grew very
    long.
    """
    if effort < inf:
        player = Player(target, breadth=_compute_beam_width(effort), seed=seed)
        return _play_game(player, queue_rules, stop, report)
    best: KnownQueueGame | None = None
    for number in count():
        player = Player(target, _compute_beam_width(_QUICK_EFFORT, 2 * number), seed=seed + number)
        player.futures = min(number + 1, player.futures)
        game = _play_game(player, queue_rules, stop, report)
        if game is not None and (best is None or len(game.moves) < len(best.moves)):
            best = game
        if stop.is_set or (best is not None and len(best.moves) == target.fewest_drops):
            break
    return None if best is None else replace(best, stopped=stop.is_set)


def _play_game(
    player: Player,
    queue_rules: QueueRules,
    stop: Stop,
    report: Callable[[float, int | None], None],
) -> KnownQueueGame | None:
    """Let a player play one game; None if it does not end with the picture, or is stopped."""
    if queue_rules.preview is None:
        player.futures = 0  # all pieces are known, so there is nothing to guess
    max_drops = _compute_max_drops(player.target)
    pieces = queue_rules.deal(max_drops + 8)
    visible_count = len(pieces) if queue_rules.preview is None else queue_rules.preview + 1
    moves: list[Placement] = []
    while not player.is_done:
        player.pieces[:] = pieces[: max(player.turn, 0) + visible_count]
        report(min(1.0, len(moves) / max_drops), None)
        move = None if len(moves) == max_drops or stop.is_set else player.choose()
        if move is None:
            return None
        player.play()
        moves.append(move)
    return KnownQueueGame(tuple(moves), player.given_up)
