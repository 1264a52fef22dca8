"""The sound of a game: a tick for every piece, a chord for cleared rows, as in the page.

An animation lists its notes. The encoder gets their wave one second at a time, so that a video of
any length needs little memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tetrisprinter.render.frames import Schedule


RATE: Final = 48_000
"""Samples per second."""

_SCALE: Final = (220, 247, 277, 330, 370, 440, 494)
"""Hertz of a landing piece by its type: a pentatonic scale, free of dissonances."""
_CHORD: Final = (440, 554, 660)
_HIGHER: Final = 1.12
"""The factor by which each further row raises the chord."""
_TICK, _RING = 0.08, 0.35
_VOLUME: Final = 0.12


@dataclass(frozen=True, slots=True)
class Note:
    """Pitches in hertz that begin together; start and duration in seconds."""

    at: float
    pitches: tuple[float, ...]
    lasts: float


def make_notes(plan: Plan, schedule: Schedule) -> Iterator[Note]:
    """Play a plan and yield its notes, each at the start of its frame.

    A frame of several drops has one note: the chord of their cleared rows, else the last tick.
    """
    tick = 1 / schedule.fps
    at = tick + (schedule.first if not plan.stops else 0.0)
    rows = 0
    marks = set(schedule.marks)
    shown = 0
    for drop in play(plan, plan.make_field()):
        rows += len(drop.landing.cleared)
        number = drop.index + 1
        frame = shown
        if schedule.per_drop:
            frame = round(number * schedule.per_drop)
        elif number in marks:
            frame = shown + 1
        if frame > shown:
            begins = at + tick * (frame - 1)
            if rows:
                higher = 1 + (rows - 1) * (_HIGHER - 1)
                yield Note(begins, tuple(higher * pitch for pitch in _CHORD), _RING)
            else:
                yield Note(begins, (_SCALE[drop.landing.orientation.piece % 7],), _TICK)
            shown, rows = frame, 0
        if number in plan.stops and number < len(plan):
            at += tick + schedule.hold


def synthesize(notes: Sequence[Note]) -> Iterator[NDArray[np.int16]]:
    """Yield the waveform of sorted notes, one second at a time and without end."""
    import numpy as np

    left = np.zeros(0)
    position, second = 0, 0
    while True:
        wave = np.zeros(2 * RATE)
        wave[: len(left)] = left
        while position < len(notes) and notes[position].at < second + 1:
            note = notes[position]
            time = np.arange(round(note.lasts * RATE)) / RATE
            # A fading triangle wave for each pitch; no note lasts a second.
            turns = np.outer(note.pitches, time)
            sound = (2 * np.abs(2 * (turns % 1) - 1) - 1).sum(axis=0)
            start = round((note.at - second) * RATE)
            wave[start : start + len(time)] += _VOLUME * sound * 0.01 ** (time / note.lasts)
            position += 1
        left = wave[RATE:]
        yield (np.clip(wave[:RATE], -1, 1) * 32_000).astype(np.int16)
        second += 1
