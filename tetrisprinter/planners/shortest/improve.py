"""Large-neighbourhood search: make any plan shorter, a few passes at a time.

Take the passes of two to four neighbouring bases, fix what is printed before and after
them, and ask for the same change in fewer drops. Because the states at both ends are
kept, everything before and after stays valid as it is. Squares come in fours, so
"fewer" means at least ``width / gcd(width, 4) * 4`` cells fewer, which the model knows.

Windows that do not overlap are independent: they are solved side by side. A window that
gave nothing is not tried again until something in it has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tetrisprinter.planners.shortest.horizon import Menu, heights, offer
from tetrisprinter.planners.shortest.model import Game, Played
from tetrisprinter.planners.shortest.session import Session
from tetrisprinter.planners.shortest.target import Target
from tetrisprinter.tetromino import Cell

__all__ = ["improve"]

_ROUNDS: tuple[tuple[int, Menu, float], ...] = (
    (2, heights(3, 2, 2, 1), 4.0),
    (4, heights(3, 2, 1), 8.0),
    (3, ("ccpc", *heights(4, 3, 2)), 8.0),
)
"""Bases of a window, what is offered besides the heights in use, and for how long."""

_BUDGET = 8.0
"""Deterministic time for all windows together; most of the gain comes early."""
_WINDOWS = 12
"""How many windows are tried: with many tall matrices, building the models is what takes long."""


@dataclass(frozen=True, slots=True)
class _Window:
    first: int  # passes first..last - 1
    last: int
    before: frozenset[Cell]
    after: frozenset[Cell]


def improve(
    target: Target, session: Session, played: Sequence[Played], rounds: int = 3
) -> tuple[Played, ...]:
    """Shorten a plan until no window gives anything, time is up, or the run is stopped.

    Parameters
    ----------
    target : Target
        The end of the game.
    session : Session
        Clock, workers and seed.
    played : sequence of Played
        A complete plan; bases must not decrease.
    rounds : int
        How many kinds of window to try.
    """
    current = list(played)
    most = session.spent + _BUDGET * session.effort
    left = _WINDOWS * session.effort
    for number, (span, menu, work) in enumerate(_ROUNDS[:rounds]):
        tried: set[tuple[frozenset[Cell], frozenset[Cell], int]] = set()
        while not session.stopped and session.spent < most and left > 0:
            batch = _batch(current, span, tried, 2)
            if not batch:
                break
            session.report(
                f"improving ({number + 1}/{rounds})", len(tried) / (target.rows + len(tried))
            )
            jobs = []
            for window in batch:
                part = current[window.first : window.last]
                drops = sum(p.drops for p in part)
                jobs.append((_game(target, window, part, menu, drops - 1), work, True))
                tried.add((window.before, window.after, drops))
            results = session.solve_all(jobs)
            left -= len(jobs)
            for window, found in sorted(
                zip(batch, results, strict=True), key=lambda pair: -pair[0].first
            ):
                if found.played is not None:
                    current[window.first : window.last] = found.played
            session.found(sum(p.drops for p in current))
    return tuple(current)


def _game(target: Target, window: _Window, part: Sequence[Played], menu: Menu, most: int) -> Game:
    low, high = part[0].cut.base, part[-1].cut.base
    used = [p.cut.stack.rstrip("p") for p in part if p.cut.lines]
    stacks = list(menu)
    for stack in used:
        if used.count(stack) > stacks.count(stack):
            stacks.append(stack)
    stacks.sort(key=lambda s: -len(s))
    slices = offer(target, range(low, high + 1), tuple(stacks), target.rows)
    return Game(target, slices, window.before, window.after, exact=True, most=most)


def _batch(
    played: Sequence[Played],
    span: int,
    tried: set[tuple[frozenset[Cell], frozenset[Cell], int]],
    count: int,
) -> list[_Window]:
    """Choose windows that have not been tried and do not overlap."""
    states: list[frozenset[Cell]] = [frozenset()]
    for p in played:
        states.append(states[-1] | p.printed)
    chosen: list[_Window] = []
    bases = sorted({p.cut.base for p in played if p.cut.lines})
    for base in bases:
        inside = [i for i, p in enumerate(played) if base <= p.cut.base < base + span]
        window = _Window(inside[0], inside[-1] + 1, states[inside[0]], states[inside[-1] + 1])
        drops = sum(p.drops for p in played[window.first : window.last])
        lines = sum(p.cut.lines for p in played[window.first : window.last])
        if lines < 2 or (window.before, window.after, drops) in tried:
            continue
        if chosen and window.first < chosen[-1].last:
            continue
        chosen.append(window)
        if len(chosen) == count:
            break
    return chosen
