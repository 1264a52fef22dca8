"""The steps of effort: what is done at each, for *auto*, the studio, the help and estimates."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Final

__all__ = ["STEPS", "USUAL_STEP", "EffortStep", "climbed", "last_step"]


@dataclass(frozen=True, slots=True)
class EffortStep:
    """What is done at one step, from the best plan of the step below on.

    Attributes
    ----------
    planner : str
        Who plans.
    effort : float
        How much of its usual work that planner may do.
    """

    planner: str
    effort: float = 1.0


STEPS: Final = (
    EffortStep("realtime"),  # for somebody who waits: the studio begins with it
    EffortStep("auto"),
    *(EffortStep("shortest", 2.0**doubled) for doubled in range(9)),
)
"""By their numbers."""

USUAL_STEP: Final = 1
"""Whoever says nothing gets the plan of this one; *auto* climbs from it on."""


def last_step(effort: float) -> int:
    """Return how far an effort climbs.

    >>> last_step(0.1), last_step(2.5), last_step(float("inf"))
    (1, 2, 10)
    """
    return floor(min(max(effort, 1), len(STEPS) - 1))


def climbed(effort: float) -> tuple[EffortStep, ...]:
    """Return the steps above the usual one that an effort climbs.

    >>> [step.effort for step in climbed(3.5)]
    [1.0, 2.0]
    """
    return STEPS[USUAL_STEP + 1 : last_step(effort) + 1]
