"""Error messages of the command line, in which settings are named as options."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tetrisprinter.errors import (
    Hint,
    InputError,
    InternalError,
    JobError,
    Setting,
    TetrisPrinterError,
    describe_fault,
)
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES
from tetrisprinter.support.counts import format_count
from tetrisprinter.support.files import explain_error

if TYPE_CHECKING:
    from tetrisprinter.pictures.convert import Step


OPTIONS: Final = {
    Setting.AUTO_BOARD: "--board auto",
    Setting.BOARD: "--board",
    Setting.AUTO_TYPES: "--types auto",
    Setting.TYPES: "--types",
    Setting.BACKGROUND: "--background",
    Setting.FIT: "--fit",
    Setting.FRAME: "--frame",
    Setting.FIELD: "--field",
    Setting.EXACT: "--exact",
    Setting.FONT: "--font FILE",
    Setting.COLORS: "--colors",
    Setting.REPAIR: "leaving --exact out",
    Setting.OTHER_PLANNER: "another --planner",
    Setting.SHORTEST: "--planner shortest",
    Setting.EFFORT: "a larger --effort",
    Setting.NO_HOLD: "--hold 0",
    Setting.PIECES: "another --pieces",
    Setting.UNSEEN: "--unseen RRGGBB",
}
"""Setting -> its option in messages of the command line."""


STEPS: Final = {
    Setting.FRAME: "--frame N|all",
    Setting.FIT: "--fit WxH",
    Setting.COLORS: "--colors N",
    Setting.BACKGROUND: "--background COLOUR|transparent",
    Setting.EXACT: "--exact refuses instead",
    Setting.BOARD: "--board WxH",
    Setting.TYPES: "--types",
    Setting.FIELD: "--field COLOUR",
    Setting.PIECES: "set with --pieces",
}
"""Setting of a conversion step -> the option that changes the step."""


def format_steps(steps: Iterable[Step]) -> str:
    """Return the conversion steps in one line, each with the option that changes it."""
    return ", ".join(f"{step} ({STEPS.get(step.setting, step.setting)})" for step in steps)


def explain_exception(error: Exception, name: str) -> TetrisPrinterError:
    """Return any exception as an error with one sentence; ``name`` is the subject of the work."""
    if isinstance(error, TetrisPrinterError):
        return error
    if isinstance(error, MemoryError):
        return JobError(f"{name}: out of memory; try a smaller picture or fewer --workers")
    if isinstance(error, OSError):
        return InputError(f"{error.filename or name}: {explain_error(error)}")
    if sys.flags.dev_mode:  # python -X dev
        traceback.print_exception(error)
    return InternalError(f"{name}: {describe_fault(error)}")


_OPTION_VALUES: Final = {
    Setting.AUTO_BOARD: ("--board", "auto"),
    Setting.AUTO_TYPES: ("--types", "auto"),
    Setting.SHORTEST: ("--planner", "shortest"),
}
"""Setting -> the option and its value, for settings that a command line may already have."""

_SETTINGS_OF_GAME: Final = frozenset(
    (Setting.BOARD, Setting.AUTO_BOARD, Setting.TYPES, Setting.AUTO_TYPES)
)
"""Settings that a game given with --from decides, so hints must not name them."""


def format_error(
    error: TetrisPrinterError, command: Sequence[str] = (), options: Mapping[str, str] | None = None
) -> str:
    """Return the message of an error, with hints that fit the command line."""
    if isinstance(error, InternalError) or not error.hints:
        return error.message  # no option would help
    from tetrisprinter.api.request import TEN_COLUMNS  # with libraries for images

    has_ten_columns = any(argument.lower().endswith(TEN_COLUMNS) for argument in command)
    useful_hints = tuple(
        hint
        for hint in error.hints
        if not (has_ten_columns and Setting.AUTO_BOARD in hint.settings)
        and not _is_followed(hint, command)
        and _can_be_typed(hint, options)
        and not (_begins_with_game(command) and _SETTINGS_OF_GAME.intersection(hint.settings))
    )
    if has_ten_columns and any(Setting.AUTO_BOARD in hint.settings for hint in error.hints):
        useful_hints += (Hint("a .txt plan may have any board"),)
    return TetrisPrinterError(error.message, *useful_hints).format_with(OPTIONS)


def _is_followed(hint: Hint, command: Sequence[str]) -> bool:
    """Return whether the command line already does what a hint advises."""
    if command and Setting.REPAIR in hint.settings and "--exact" not in command:
        return True
    option_values = [_OPTION_VALUES.get(setting) for setting in hint.settings]
    return bool(option_values) and all(
        pair is not None and (pair in pairwise(command) or "=".join(pair) in command)
        for pair in option_values
    )


def _can_be_typed(hint: Hint, options: Mapping[str, str] | None) -> bool:
    """Return whether a command accepts all options and values that a hint names."""
    if options is None:
        return True
    for setting in hint.settings:
        if setting not in OPTIONS:  # no option, but advice in words
            continue
        words = OPTIONS[setting].split()
        option = next(word for word in words if word.startswith("--"))
        if option not in options or (words[-1] == "auto" and "auto" not in options[option]):
            return False
    return True


def _begins_with_game(command: Sequence[str]) -> bool:
    """Return whether a game given with --from sets the board and the types."""
    for argument, next_argument in zip(command, [*command[1:], ""], strict=False):
        path = next_argument if argument == "--from" else argument.removeprefix("--from=")
        if path != argument and Path(path).suffix.lower() not in IMAGE_SUFFIXES:
            return True
    return False


def map_options_to_metavars(command: click.Command) -> dict[str, str]:
    """Map the names of a command's options to their metavars."""
    return {
        name: str(parameter.metavar or "")
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
    }


def format_bound_progress(drops: int, lines: int, stacks: int, nogoods: int) -> str:
    """Format the progress of a proof: drops to refute, cleared rows, stacks and nogoods."""
    return (
        f"{drops} drops, {format_count(lines, 'cleared row')}: {format_count(stacks, 'stack')}, "
        f"{format_count(nogoods, 'nogood')}"
    )
