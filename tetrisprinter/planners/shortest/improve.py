"""Large-neighbourhood search: make any plan shorter, a few passes at a time.

Take the passes of two to four neighbouring bases, fix what is printed before and after
them, and ask for the same change in fewer drops. Because the states at both ends are
kept, everything before and after stays valid as it is. Squares come in fours, so
"fewer" means at least ``width / gcd(width, 4) * 4`` cells fewer, which the model knows.

Where rows hold few squares a second kind of move gains more. Such rows need tall matrices,
each for itself: squares come in fours, so one more or less makes three rows of difference.
Two rows printed in *one* matrix, one of them between its clearing rows, often do with
``4 / gcd(width, 4)`` clearing rows fewer than apart. A menu with all such stacks would make
a model too large to solve, but one stack at a time is decided in a second or two.

Windows that do not overlap are independent: they are solved side by side. A window that
gave nothing is not tried again until something in it has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from tetrisprinter.game.pieces import Cell
from tetrisprinter.planners.shortest.game import Game, Played, state_after
from tetrisprinter.planners.shortest.menus import Menu, heights, interleaved, offer
from tetrisprinter.planners.shortest.session import Session
from tetrisprinter.printing.target import Target

__all__ = ["ROUNDS", "improve"]

_ROUNDS: tuple[tuple[int, Menu, float], ...] = (
    (2, heights(3, 2, 2, 1), 4.0),
    (4, heights(3, 2, 1), 8.0),
    (3, ("ccpc", *heights(4, 3, 2)), 8.0),
)
"""Bases of a window, what is offered besides the heights in use, and for how long."""

ROUNDS = len(_ROUNDS)

_BUDGET = 8.0
"""Deterministic time for all windows together; most of the gain comes early."""
_WINDOWS = 12
"""How many windows are tried: with many tall matrices, building the models is what takes long."""

_ABREAST = 2
"""How many windows are tried side by side."""

_MERGING = 40.0
_MERGING_WORK = 4.0
"""Deterministic time for all merging of rows, and for each stack that is tried."""
_LEAST_MERGED = 4
"""Clearing rows of the lowest matrix that is tried."""


@dataclass(frozen=True, slots=True)
class _Window:
    first: int  # passes first..last - 1
    last: int
    before: frozenset[Cell]
    after: frozenset[Cell]


def improve(
    target: Target, session: Session, played: Sequence[Played], rounds: int = ROUNDS
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
        How many kinds of window to try; with none, rows are only merged.
    """
    current = _merged(target, session, played)
    most = session.spent + _BUDGET * session.effort
    left = _WINDOWS * session.effort
    for number, (span, menu, work) in enumerate(_ROUNDS[:rounds]):
        tried: set[tuple[frozenset[Cell], frozenset[Cell], int]] = set()
        while not session.stopped and session.spent < most and left > 0:
            batch = _batch(current, span, tried, least=2)
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
            _replace(current, batch, [found.played for found in results])
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


def _merged(target: Target, session: Session, played: Sequence[Played]) -> list[Played]:
    """Print two rows in one matrix where that takes fewer clearing rows."""
    current = list(played)
    fewer = 4 // gcd(target.width, 4)
    tried: set[tuple[frozenset[Cell], frozenset[Cell], int]] = set()
    most = session.spent + _MERGING * session.effort
    while not session.stopped and session.spent < most:
        batch = _batch(current, 2, tried, least=_LEAST_MERGED + fewer)
        if not batch:
            break
        session.report("merging rows", len(tried) / (target.rows + len(tried)))
        games = []
        for window in batch:
            part = current[window.first : window.last]
            tried.add((window.before, window.after, sum(p.drops for p in part)))
            games.append(_merging(target, window, part, fewer))
        branches = [session.branch() for _ in batch]
        jobs = list(zip(games, branches, strict=True))
        results = session.side_by_side(lambda job: _first_solved(*job), jobs)
        session.spent += sum(branch.spent for branch in branches)
        _replace(current, batch, results)
        session.found(sum(p.drops for p in current))
    return current


def _merging(target: Target, window: _Window, part: Sequence[Played], fewer: int) -> list[Game]:
    """List ways to print a window in one matrix, the lowest and most even first."""
    lines = sum(p.cut.lines for p in part)
    least = _LEAST_MERGED + (lines - _LEAST_MERGED) % fewer
    base = part[0].cut.base
    games = []
    for total in range(least, lines, fewer):
        for stack in interleaved(total, 2):
            for cut in offer(target, [base], (stack,), target.rows, lying=False):
                games.append(Game(target, (cut,), window.before, window.after, True, all_used=True))
    return games


def _first_solved(games: Sequence[Game], session: Session) -> tuple[Played, ...] | None:
    for game in games:
        found = session.solve(game, _MERGING_WORK, core=False)
        if found.played is not None:
            return found.played
    return None


def _replace(
    current: list[Played],
    batch: Sequence[_Window],
    results: Sequence[tuple[Played, ...] | None],
) -> None:
    """Put what was found in the place of the windows, the last of them first."""
    for window, found in sorted(zip(batch, results, strict=True), key=lambda pair: -pair[0].first):
        if found is not None:
            current[window.first : window.last] = found


def _batch(
    played: Sequence[Played],
    span: int,
    tried: set[tuple[frozenset[Cell], frozenset[Cell], int]],
    least: int,
) -> list[_Window]:
    """Choose two windows that clear so many rows, have not been tried and do not overlap."""
    states: list[frozenset[Cell]] = [frozenset()]
    for p in played:
        states.append(state_after(states[-1], [p]))
    chosen: list[_Window] = []
    bases = sorted({p.cut.base for p in played if p.cut.lines})
    for base in bases:
        inside = [i for i, p in enumerate(played) if base <= p.cut.base < base + span]
        window = _Window(inside[0], inside[-1] + 1, states[inside[0]], states[inside[-1] + 1])
        drops = sum(p.drops for p in played[window.first : window.last])
        lines = sum(p.cut.lines for p in played[window.first : window.last])
        if lines < least or (window.before, window.after, drops) in tried:
            continue
        if chosen and window.first < chosen[-1].last:
            continue
        chosen.append(window)
        if len(chosen) == _ABREAST:
            break
    return chosen
