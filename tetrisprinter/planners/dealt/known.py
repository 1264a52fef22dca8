"""Find a game when all pieces are known: the shortest of several beam searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tetrisprinter.game.piece_queue import QueueRules
from tetrisprinter.planners.dealt.beam import Beam, BeamMove, beam_search
from tetrisprinter.planners.dealt.budgets import BUDGETS
from tetrisprinter.planners.dealt.dealt_target import DealtTarget
from tetrisprinter.planners.dealt.policy import Player
from tetrisprinter.planners.dealt.states import make_empty_state
from tetrisprinter.support.stop import Stop


@dataclass(frozen=True, slots=True)
class KnownQueueGame:
    """A game that leaves the picture."""

    moves: tuple[BeamMove, ...]  # its drops
    given_up: int = 0  # how often unfinished rows were given up: with known pieces a last resort
    stopped: bool = False  # whether the time was up before all searches were made


def find_known_game(
    target: DealtTarget,
    dealt: QueueRules,
    stop: Stop,
    report: Callable[[float, int | None], None],
    *,
    effort: float = 1.0,
    seed: int = 0,
) -> KnownQueueGame | None:
    """Find a short game that leaves the picture.

    The time limit ends only searches after the first one; a stop request ends any. If they find no
    game, :func:`play_with_preview` tries.
    """
    best: tuple[int, ...] = ()
    fewest_drops = -(-target.squares // 4)
    # A player who may steer may also use hard drops only, and that search finds other games.
    variants = (replace(target, steered=False), target) if target.steered else (target,)
    number, searches = 0, len(variants) * BUDGETS.searches

    def is_over() -> bool:
        return stop.is_set if number else stop.is_requested

    while number < searches and len(best) != fewest_drops and not is_over():
        report(number / searches, len(best) or None)
        variant, repetition = variants[number // BUDGETS.searches], number % BUDGETS.searches
        drops = len(best) - 1 if best else _limit_drops(target)
        beam = Beam(
            max(1, round(BUDGETS.beam * 2**repetition * effort)),
            drops,
            BUDGETS.chance if repetition else 0,
            seed * 31 + repetition,
        )
        start = make_empty_state()
        sequence = beam_search(variant, dealt.deal(drops + 1), start, beam, is_over=is_over)
        if sequence is not None and sequence.is_done:
            best = sequence.moves
        number += 1
    if not best:
        return play_with_preview(target, dealt, stop, report, seed=seed)
    return KnownQueueGame(tuple(map(BeamMove.of, best)), stopped=stop.is_set)


def _limit_drops(target: DealtTarget) -> int:
    """Return the number of drops at which a search gives up."""
    return BUDGETS.patience * (len(target.wants) + 1)


def play_with_preview(
    target: DealtTarget,
    dealt: QueueRules,
    stop: Stop,
    report: Callable[[float, int | None], None],
    *,
    effort: float = 1.0,
    seed: int = 0,
) -> KnownQueueGame | None:
    """Print the picture as a player who sees only the preview.

    Parameters and result as :func:`find_known_game`. The result is None if no drop was possible, if
    the pieces or the time ran out, or if the game grew very long.
    """
    player = Player(target, breadth=max(1, round(BUDGETS.beam * effort)), seed=seed)
    if dealt.preview is None:
        player.futures = 0  # all is known
    longest = _limit_drops(target)
    pieces = dealt.deal(longest + 8)
    seen = len(pieces) if dealt.preview is None else dealt.preview + 1
    moves: list[BeamMove] = []
    while not player.is_done:
        player.came[:] = pieces[: max(player.turn, 0) + seen]
        report(min(1.0, len(moves) / longest), None)
        move = None if len(moves) == longest or stop.is_set else player.choose()
        if move is None:
            return None
        player.play()
        moves.append(move)
    return KnownQueueGame(tuple(moves), player.given_up)
