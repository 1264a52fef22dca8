"""What the package says to its user: errors, hints on how to avoid them, and notices.

A request fails because its input cannot be used (exit code 2) or because the job fails (exit
code 1). Both are a :class:`TetrisPrinterError`, and the command prints it as one sentence.

A :class:`Hint` names a :class:`Setting`, not an option or argument that changes it. The
library's messages contain ``str(setting)``; the command prints its option instead. An
:class:`Obstacle` is the reason why a picture is refused; its error has the attribute ``obstacle``.

The library prints nothing. It passes notices to the listeners, each sentence once. Notices without
a listener are dropped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final


class Setting(StrEnum):
    """Something a user can set; its value is its name in the library's messages."""

    AUTO_BOARD = "a board chosen for the picture"
    BOARD = "a board of"
    AUTO_TYPES = "types shared among its colours"
    TYPES = "types chosen by hand"
    BACKGROUND = "a background colour"
    FIT = "a smaller size"
    FRAME = "another frame"
    FILE = "another file"
    FIELD = "another colour of the empty field"
    EXACT = "the picture as it is, or not at all"
    FONT = "another font file"
    COLORS = "reducing the colours to"
    REPAIR = "repair"
    OTHER_PLANNER = "another planner"
    SHORTEST = "the planner shortest"
    EFFORT = "more effort"
    NO_HOLD = "a hold of 0"
    PIECES = "another queue"
    UNSEEN = "a colour for unseen types"


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
"""The argument of the library that changes a setting."""


@dataclass(frozen=True, slots=True, init=False)
class Hint:
    """Advice that helps after an error.

    Attributes
    ----------
    text : str
        A phrase with a ``{}`` for each setting. A phrase that begins with "or" continues the
        hint before it.
    settings : tuple of Setting
        The settings to change.

    Examples
    --------
    >>> hint = Hint("{} takes 9x11", Setting.AUTO_BOARD)
    >>> str(hint)
    'a board chosen for the picture takes 9x11'
    >>> hint.format_with({Setting.AUTO_BOARD: "--board auto"})
    '--board auto takes 9x11'
    """

    text: str
    settings: tuple[Setting, ...]

    def __init__(self, text: str, *settings: Setting) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "settings", settings)

    def format_with(self, names: Mapping[Setting, str]) -> str:
        """Return the phrase with the caller's names for the settings."""
        phrases = self.text.split("{}")
        setting_names = [names.get(setting, str(setting)) for setting in self.settings]
        return "".join(map("".join, zip(phrases, [*setting_names, ""], strict=True)))

    def __str__(self) -> str:
        return self.format_with({})


def _append_hints(sentence: str, hints: Iterable[Hint], names: Mapping[Setting, str]) -> str:
    """Return a sentence followed by its hints; ``names`` has the caller's names of settings."""
    for hint in hints:
        phrase = hint.format_with(names)
        sentence += (", " if phrase.startswith("or ") else "; ") + phrase
    return sentence


@dataclass(frozen=True, slots=True)
class Obstacle:
    """The reason why a picture is refused before any search.

    Attributes
    ----------
    sentence : str
        The reason without its subject: "has 7 pixels, but ...".
    hints : tuple of Hint
        Advice, the most useful first.
    theorem : str
        The name of the theorem that forbids the picture; empty if the reason is no theorem.
    cells : tuple of (int, int)
        The squares of the picture that break the theorem, row 0 at the bottom; may be empty.

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
        error_class = JobError if self.theorem else InputError
        error = error_class(f"{name}: {self.sentence}", *self.hints)
        error.obstacle = self
        return error

    def __str__(self) -> str:
        return _append_hints(self.sentence, self.hints, {})


class TetrisPrinterError(Exception):
    """Base of every error this package raises on purpose; ``str()`` is one sentence.

    Parameters
    ----------
    message : str
        What is wrong.
    *hints : Hint
        Advice, the most useful first.
    """

    exit_code = 1
    obstacle: Obstacle | None = None

    def __init__(self, message: str = "", *hints: Hint) -> None:
        super().__init__(message, *hints)
        self.message = message
        self.hints = hints

    def format_with(self, names: Mapping[Setting, str]) -> str:
        """Return the sentence with the caller's names for the settings."""
        return _append_hints(self.message, self.hints, names)

    def __str__(self) -> str:
        return self.format_with({})


class InputError(TetrisPrinterError):
    """The input cannot be used: a bad file, a bad option, a malformed text."""

    exit_code = 2


class ArgumentError(InputError, TypeError):
    """A wrong call: an argument of the wrong type or with an unknown name."""


class JobError(TetrisPrinterError):
    """The input is fine but the job failed: a top-out, an unprintable picture."""

    exit_code = 1


class InternalError(JobError):
    """A fault of this package: a planner made a wrong plan, or an exception was not expected.

    Another picture or setting would only hide the fault, so callers suggest neither.
    """


def describe_fault(error: BaseException) -> str:
    """Return the sentence for an unexpected exception: where it was raised, and how to report it.

    Examples
    --------
    >>> describe_fault(ValueError())
    'internal error; please report it with the input, the settings and the version'
    """
    place, trace = "", error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path.is_relative_to(Path(__file__).parent):
            place = f" at {path.name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"internal error{place}; please report it with the input, the settings and the version"


def format_install_command(*packages: str) -> str:
    """Return the command that adds packages to this environment; pip cannot change that of pipx."""
    environment = Path(sys.prefix)
    is_of_pipx = environment.parent.name == "venvs" and "pipx" in environment.parts
    if is_of_pipx or (environment / "pipx_metadata.json").is_file():
        return f"pipx inject {environment.name} {' '.join(packages)}"
    return f"pip install {' '.join(packages)}"


LISTENERS: Final[list[Callable[[str], None]]] = []
"""The listeners to notices; the command line adds itself."""

_given_sentences: Final[set[str]] = set()


def give_notice(sentence: str) -> None:
    """Pass a sentence to all listeners, but only once."""
    if sentence not in _given_sentences:
        _given_sentences.add(sentence)
        for listener in LISTENERS:
            listener(sentence)
