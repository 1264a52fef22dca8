"""Find a game when all pieces are known: the shortest of several beam searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import inf

from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.planners.dealt.beam import Beam, BeamMove, beam_search
from tetrisprinter.planners.dealt.policy import Player
from tetrisprinter.planners.dealt.states import BUDGETS, DealtTarget, make_empty_state
from tetrisprinter.support.signals import Stop


@dataclass(frozen=True, slots=True)
class KnownQueueGame:
    """A game that leaves the picture."""

    moves: tuple[BeamMove, ...]  # the drops
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
    searches = len(variants) * BUDGETS.searches

    def is_over() -> bool:
        return stop.is_set if search_number else stop.is_requested

    for search_number, (variant, repetition) in enumerate(_iterate_searches(variants, effort)):
        if len(best) == target.fewest_drops or is_over():
            break
        report(min(1.0, search_number / searches), len(best) or None)
        max_drops = len(best) - 1 if best else _compute_max_drops(target)
        beam = Beam(
            _compute_beam_width(effort, repetition),
            max_drops,
            BUDGETS.chance if repetition else 0,
            seed * 31 + repetition,
        )
        first_state = make_empty_state()
        sequence = beam_search(
            variant, queue_rules.deal(max_drops + 1), first_state, beam, is_over=is_over
        )
        if sequence is not None and sequence.is_done:
            best = sequence.moves
    if not best:
        return play_with_preview(target, queue_rules, stop, report, seed=seed)
    return KnownQueueGame(tuple(map(BeamMove.of, best)), stopped=stop.is_set)


def _iterate_searches(
    variants: Sequence[DealtTarget], effort: float
) -> Iterator[tuple[DealtTarget, int]]:
    """Yield each search as target and repetition (from 0); endlessly if the effort is infinite."""
    for variant in variants:
        yield from ((variant, repetition) for repetition in range(BUDGETS.searches))
    if effort == inf:
        yield from ((v, repetition) for repetition in count(BUDGETS.searches) for v in variants)


def _compute_beam_width(effort: float, repetition: int = 0) -> int:
    """Return the beam width of a search; an infinite effort begins like the default effort."""
    width = BUDGETS.beam * (1.0 if effort == inf else effort) * 2.0 ** min(repetition, 64)
    return max(1, round(min(width, BUDGETS.most_states)))


def _compute_max_drops(target: DealtTarget) -> int:
    """Return the number of drops at which a search or a player gives up."""
    return BUDGETS.patience * (len(target.wants) + 1)


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
        player = Player(
            target, _compute_beam_width(BUDGETS.quick_effort, 2 * number), seed=seed + number
        )
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
    moves: list[BeamMove] = []
    while not player.is_done:
        player.pieces[:] = pieces[: max(player.turn, 0) + visible_count]
        report(min(1.0, len(moves) / max_drops), None)
        move = None if len(moves) == max_drops or stop.is_set else player.choose()
        if move is None:
            return None
        player.play()
        moves.append(move)
    return KnownQueueGame(tuple(moves), player.given_up)
