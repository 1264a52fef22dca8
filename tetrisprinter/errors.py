"""The two ways in which a request can go wrong, and what would help.

The command line turns them into one sentence on stderr and an exit code: what the
user gave cannot be used (2), or the job itself could not be done (1). A library user
catches :class:`TetrisPrinterError` for both.

What would help is a :class:`Hint`: it names a :class:`Setting` that can be asked for, not
the way to ask. The library says ``str(thing)``; the command line puts its options there.
Why a picture is refused is an :class:`Obstacle`, which an error made of it carries along.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = [
    "ARGUMENTS",
    "ArgumentError",
    "FaultError",
    "Hint",
    "InputError",
    "JobError",
    "Obstacle",
    "Setting",
    "TetrisPrinterError",
]


class Setting(StrEnum):
    """What can be asked for; its value is how the library's messages call it."""

    AUTO_BOARD = "a board chosen for the picture"
    BOARD = "a board of"
    AUTO_TYPES = "types shared among its colours"
    TYPES = "types chosen by hand"
    BACKGROUND = "a background colour"
    FIT = "a smaller size"
    FRAME = "another frame"
    FIELD = "another colour of the empty field"
    EXACT = "the picture as it is, or not at all"
    FONT = "the file of the font"
    COLORS = "reducing the colours to"
    REPAIR = "repair"
    OTHER_PLANNER = "another planner"
    SHORTEST = "the planner shortest"
    EFFORT = "more effort"
    NO_HOLD = "not holding it"
    PIECES = "another queue"
    UNSEEN = "a colour for what is not to be seen"


ARGUMENTS: Final[Mapping[Setting, str]] = {
    Setting.FRAME: "frame=N",
    Setting.FIT: "fit=(W, H)",
    Setting.COLORS: "colors=N",
    Setting.BACKGROUND: "background='rrggbb' or 'transparent'",
    Setting.EXACT: "exact=True refuses instead",
    Setting.BOARD: "board='WxH'",
    Setting.TYPES: "types=",
    Setting.FIELD: "field=",
}
"""What would have a step done otherwise, as an argument of the library."""


@dataclass(frozen=True, slots=True, init=False)
class Hint:
    """Something that would help.

    Attributes
    ----------
    text : str
        A phrase; each ``{}`` in it stands for a thing. One that begins with "or" goes on
        with the hint before it.
    things : tuple of Setting
        What is to be asked for.

    Examples
    --------
    >>> hint = Hint("{} takes 9x11", Setting.AUTO_BOARD)
    >>> str(hint)
    'a board chosen for the picture takes 9x11'
    >>> hint.format_with({Setting.AUTO_BOARD: "--board auto"})
    '--board auto takes 9x11'
    """

    text: str
    things: tuple[Setting, ...]

    def __init__(self, text: str, *things: Setting) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "things", things)

    def format_with(self, words: Mapping[Setting, str]) -> str:
        """Return the phrase with somebody's own words for the things."""
        parts = self.text.split("{}")
        names = [words.get(thing, str(thing)) for thing in self.things]
        return "".join(map("".join, zip(parts, [*names, ""], strict=True)))

    def __str__(self) -> str:
        return self.format_with({})


def _sentence(start: str, hints: Iterable[Hint], words: Mapping[Setting, str]) -> str:
    for hint in hints:
        phrase = hint.format_with(words)
        start += (", " if phrase.startswith("or ") else "; ") + phrase
    return start


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a picture is not printed, before anything is tried.

    Attributes
    ----------
    sentence : str
        What is in the way, without a subject: "has 7 pixels, but ...".
    hints : tuple of Hint
        What would help, the nearest first.
    theorem : str
        The theorem that says that no game whatsoever prints it; empty if it is only that
        what was asked for does not go together.
    cells : tuple of (int, int)
        Where: squares of the picture, row 0 at the bottom. Perhaps none in particular.

    Examples
    --------
    >>> narrow = Obstacle("does not fit", (Hint("{} 9x11 holds it", Setting.BOARD),))
    >>> print(narrow.error("a.png"))
    a.png: does not fit; a board of 9x11 holds it
    """

    sentence: str
    hints: tuple[Hint, ...] = ()
    theorem: str = ""
    cells: tuple[tuple[int, int], ...] = ()

    def error(self, name: str) -> TetrisPrinterError:
        """Return the error to raise for a picture of that name."""
        kind = JobError if self.theorem else InputError
        error = kind(f"{name}: {self.sentence}", *self.hints)
        error.obstacle = self
        return error

    def __str__(self) -> str:
        return _sentence(self.sentence, self.hints, {})


class TetrisPrinterError(Exception):
    """Base of every error this package raises on purpose; ``str()`` is one sentence.

    Parameters
    ----------
    message : str
        What is wrong.
    *hints : Hint
        What would help, the nearest first.
    """

    exit_code = 1
    obstacle: Obstacle | None = None

    def __init__(self, message: str = "", *hints: Hint) -> None:
        super().__init__(message, *hints)
        self.message = message
        self.hints = hints

    def format_with(self, words: Mapping[Setting, str]) -> str:
        """Return the sentence with somebody's own words for what would help."""
        return _sentence(self.message, self.hints, words)

    def __str__(self) -> str:
        return self.format_with({})


class InputError(TetrisPrinterError):
    """The input cannot be used: a bad file, a bad option, a malformed text."""

    exit_code = 2


class ArgumentError(InputError, TypeError):
    """A call that cannot be meant: an argument of another kind, or of an unknown name."""


class JobError(TetrisPrinterError):
    """The input is fine but the job failed: a top-out, an unprintable picture."""

    exit_code = 1


class FaultError(JobError):
    """A planner made a wrong plan, and the replay caught it: our fault, not the request's.

    No other picture, board or option is to be advised, and nothing is to be altered for it.
    """
