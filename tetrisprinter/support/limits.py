"""The limits of a search: time, workers, seed, effort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tetrisprinter.support.options import list_options, option, read_number, read_whole


@dataclass(frozen=True, slots=True)
class Limit:
    """The limits and the seed of a search.

    Raises
    ------
    InputError
        If the time, the effort or the number of workers is not positive.
    """

    seconds: float | None = option(
        None,
        "Stop the search after this time and use the best game so far.",
        read_number(0, is_open=True),
        "SECONDS",
        "float",
        name="time_limit",
    )
    workers: int = option(
        1, "The number of processes; it never changes the answer.", read_whole(1), "N", "int"
    )
    seed: int = option(
        0,
        "Seed for repeatable results: the same seed gives the same answer, unless time runs out.",
        read_whole(0),
        "N",
        "int",
    )
    effort: float = option(
        1.0,
        "How long to search for a shorter game, as a multiple of the default work, e.g. 0.5 or 20.",
        read_number(0, is_open=True),
        "NUMBER",
        "float",
    )

    def __post_init__(self) -> None:
        for one in list_options(Limit).values():
            value = getattr(self, one.field)
            if value is not None:
                one.read_named(one.field, value)


UNLIMITED: Final = Limit()
"""No time limit, one thread, seed 0."""
