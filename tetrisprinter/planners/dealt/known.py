"""A game from pieces that are all known: several beam searches, the shortest game counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from tetrisprinter.game.dealing import Dealt
from tetrisprinter.planners.dealt.beam import Aim, Beam, Move, beam_search, empty
from tetrisprinter.planners.dealt.policy import Player

__all__ = ["SCARCE_SEARCHES", "SEARCHES", "Found", "known_game", "unknown_game"]

SEARCHES: Final = ((200, 0), (600, 0), (600, 12), (2000, 12))
"""The searches of the usual effort: states kept after each drop, how much of a cost is chance."""

SCARCE_SEARCHES: Final = (*((200, noise) for noise in (0, 20, 40, 80, 120)), (600, 0), (600, 40))
"""The same where some types may not lie in the picture. Most of these searches end in states from
which nobody can go on, but not all in the same: chance is worth more there than many states. The
last two are made if none before them succeeded."""

_DROPS_A_ROW: Final = 12
"""Drops for each row of the picture after which a search ends, and as many once."""
_LONGER: Final = 4
"""So many times as many where some types may not lie in the picture."""


@dataclass(frozen=True, slots=True)
class Found:
    """A game.

    Attributes
    ----------
    moves : tuple of Move
        Its drops.
    given_up : int
        How often what was begun was given up; known pieces make that a last resort.
    stopped : bool
        Whether the time was up before all searches were made.
    """

    moves: tuple[Move, ...]
    given_up: int = 0
    stopped: bool = False


def known_game(
    aim: Aim,
    dealt: Dealt,
    is_over: Callable[[], bool],
    tell: Callable[[float, int | None], None],
    *,
    effort: float = 1.0,
    seed: int = 0,
) -> Found | None:
    """Find a short game that leaves the picture.

    Parameters
    ----------
    aim : Aim
        What is to be left.
    dealt : Dealt
        The pieces.
    is_over : callable
        Says whether the time is up.
    tell : callable
        Told how much of the work is done, and the drops of the best game.
    effort : float
        So many times as many states are kept.
    seed : int
        Where the chance comes from.

    Returns
    -------
    Found or None
        None if none of the searches found one.
    """
    best: tuple[int, ...] = ()
    plain = aim.is_plain
    attempts = SEARCHES if plain else SCARCE_SEARCHES
    longest = _DROPS_A_ROW * (1 if plain else _LONGER) * (len(aim.wants) + 1)
    least = -(-aim.squares // 4)
    # Whoever may steer may let fall, too, and the one finds what the other misses.
    ways = (replace(aim, steered=False), aim) if aim.steered else (aim,)
    for number, (way_of, (breadth, noise)) in enumerate(product(ways, attempts)):
        tell(number / len(attempts) / len(ways), len(best) or None)
        if len(best) == least or (number and is_over()):
            break
        if best and not plain and breadth > attempts[0][0]:
            continue
        drops = len(best) - 1 if best else longest
        way = beam_search(
            way_of,
            dealt.first(drops + 1),
            empty(),
            Beam(max(1, round(breadth * effort)), drops, noise, seed * 31 + number % len(attempts)),
        )
        if way is not None and way.done:
            best = way.moves
    if not best:
        return unknown_game(aim, dealt, is_over, tell, seed=seed)
    return Found(tuple(map(Move.of, best)), stopped=is_over())


def unknown_game(
    aim: Aim,
    dealt: Dealt,
    is_over: Callable[[], bool],
    tell: Callable[[float, int | None], None],
    *,
    effort: float = 1.0,
    seed: int = 0,
) -> Found | None:
    """Let a player who sees no further than the preview print the picture.

    Parameters and result as :func:`known_game`; None if the player could not drop a piece any
    more, the pieces or the time ran out, or it took very long.
    """
    player = Player(aim, breadth=max(1, round(60 * effort)), seed=seed)
    if dealt.preview is None:
        player.futures = 0  # all is known
    longest = 4 * _DROPS_A_ROW * (len(aim.wants) + 1)
    pieces = dealt.first(longest + 8)
    seen = len(pieces) if dealt.preview is None else dealt.preview + 1
    moves: list[Move] = []
    while not player.done:
        player.came[:] = pieces[: max(player.turn, 0) + seen]
        tell(min(1.0, len(moves) / longest), None)
        move = None if len(moves) == longest or is_over() else player.choose()
        if move is None:
            return None
        player.plays()
        moves.append(move)
    return Found(tuple(moves), player.given_up)
