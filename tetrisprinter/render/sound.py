"""The sound of a game: a short tone for every piece, a chord for cleared rows, as in the page.

An animation lists its notes. The encoder gets the waveform one second at a time, so that a video of
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
_RISE_PER_ROW: Final = 1.12
"""A second row raises the chord by this factor, and each further row by as many hertz."""
_TONE_SECONDS, _CHORD_SECONDS = 0.08, 0.35
_VOLUME: Final = 0.12


@dataclass(frozen=True, slots=True)
class Note:
    """Tones that sound together."""

    start: float  # seconds from the start of the animation
    pitches: tuple[float, ...]  # in hertz
    seconds: float  # the duration


def make_notes(plan: Plan, schedule: Schedule) -> Iterator[Note]:
    """Play a plan and yield its notes, each at the start of its frame.

    A frame of several drops has one note: the chord of their cleared rows, or else the tone of the
    last piece.
    """
    frame_seconds = 1 / schedule.fps
    frames_begin = frame_seconds + (schedule.first if not plan.stops else 0.0)
    rows = 0
    marks = set(schedule.marks)
    last_frame = 0
    for drop in play(plan, plan.make_field()):
        rows += len(drop.landing.cleared)
        number = drop.index + 1
        frame = last_frame
        if schedule.per_drop:
            frame = round(number * schedule.per_drop)
        elif number in marks:
            frame = last_frame + 1
        if frame > last_frame:
            start = frames_begin + frame_seconds * (frame - 1)
            if rows:
                factor = 1 + (rows - 1) * (_RISE_PER_ROW - 1)
                yield Note(start, tuple(factor * pitch for pitch in _CHORD), _CHORD_SECONDS)
            else:
                yield Note(start, (_SCALE[drop.landing.orientation.piece % 7],), _TONE_SECONDS)
            last_frame, rows = frame, 0
        if number in plan.stops and number < len(plan):
            frames_begin += frame_seconds + schedule.hold


def synthesize(notes: Sequence[Note]) -> Iterator[NDArray[np.int16]]:
    """Yield the waveform of sorted notes, one second at a time and without end."""
    import numpy as np

    rest = np.zeros(0)
    position, second = 0, 0
    while True:
        wave = np.zeros(2 * RATE)
        wave[: len(rest)] = rest
        while position < len(notes) and notes[position].start < second + 1:
            note = notes[position]
            seconds = np.arange(round(note.seconds * RATE)) / RATE
            # A fading triangle wave for each pitch; no note lasts a second.
            phases = np.outer(note.pitches, seconds)
            sound = (2 * np.abs(2 * (phases % 1) - 1) - 1).sum(axis=0)
            first_sample = round((note.start - second) * RATE)
            wave[first_sample : first_sample + len(seconds)] += (
                _VOLUME * sound * 0.01 ** (seconds / note.seconds)
            )
            position += 1
        rest = wave[RATE:]
        yield (np.clip(wave[:RATE], -1, 1) * 32_000).astype(np.int16)
        second += 1
