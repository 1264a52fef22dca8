"""Stacks: the rows that a pass works in, from its base upwards, as a word of letters.

``p`` is the next row of the picture; ``c`` is a row that is filled and clears. Such rows complete
from below; where they do not, digits in place of ``c`` say in which order they do, so that in
``10`` the upper row completes first. On top there may be rows in which the pass carries squares,
and which the next one clears: in ``b`` it may leave squares of any type; in ``q`` only those that
the picture has there, so that the next pass may also let them stay.
"""

from __future__ import annotations

from functools import lru_cache

__all__ = ["CARRIED", "ranks_of"]

CARRIED = "bq"
"""The letters of rows in which squares are carried."""


@lru_cache(maxsize=1024)
def ranks_of(stack: str) -> tuple[int | None, ...]:
    """Return for each row of a stack as the how manieth it completes, from 0.

    Parameters
    ----------
    stack : str
        Its letters.

    Returns
    -------
    tuple of (int or None)
        None for rows that do not clear.

    Raises
    ------
    ValueError
        If that is no stack.

    Examples
    --------
    >>> ranks_of("ccpb"), ranks_of("10p")
    ((0, 1, None, None), (1, 0, None))
    """
    ranks: list[int | None] = []
    for row, letter in enumerate(stack):
        if letter in CARRIED:
            ranks.append(None)
        elif {*stack[:row]} & {*CARRIED} or not (letter in "cp" or letter.isdecimal()):
            raise ValueError(f"{stack!r} is no stack: {letter!r} in row {row}")
        elif letter == "p":
            ranks.append(None)
        else:
            ranks.append(stack[:row].count("c") if letter == "c" else int(letter))
    clearing = sorted(rank for rank in ranks if rank is not None)
    if clearing != list(range(len(clearing))) or ("c" in stack and any(map(str.isdecimal, stack))):
        raise ValueError(f"{stack!r} is no stack: its rows complete as {clearing}")
    return tuple(ranks)
