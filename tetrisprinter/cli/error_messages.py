"""Error messages of the command line, in which settings are named as options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tetrisprinter.errors import Hint, InternalError, Setting, TetrisPrinterError
from tetrisprinter.pictures.sources import IMAGE_SUFFIXES
from tetrisprinter.support.counts import format_count

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
}
"""Setting of a conversion step -> the option that changes the step."""


def format_steps(steps: Iterable[Step]) -> str:
    """Return the conversion steps in one line, each with the option that changes it."""
    return ", ".join(f"{step} ({STEPS.get(step.setting, step.setting)})" for step in steps)


_OPTION_VALUES: Final = {
    Setting.AUTO_BOARD: ("--board", "auto"),
    Setting.AUTO_TYPES: ("--types", "auto"),
    Setting.SHORTEST: ("--planner", "shortest"),
}
"""Setting -> the option and its value, for settings with which a command can be suggested."""

_SETTINGS_OF_GAME: Final = frozenset(
    (Setting.BOARD, Setting.AUTO_BOARD, Setting.TYPES, Setting.AUTO_TYPES)
)
"""Settings that a game given with --from decides, so hints must not name them."""

TEN_COLUMNS: Final = (".fumen", ".lesson", ".tetrio")
"""Extensions of formats whose boards have ten columns."""

_PRINTING: Final = ("print", "convert", "text")
"""Commands that change a picture until it can be printed, unless --exact is given."""


def format_error(
    error: TetrisPrinterError, command: Sequence[str] = (), options: Mapping[str, str] | None = None
) -> str:
    """Return the message of an error, with hints that fit the command line."""
    if isinstance(error, InternalError):
        return error.message  # no option would help
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
    suggestion = ""
    # Suggest a command only if the picture or an option is the cause, not the time limit.
    is_avoidable = error.obstacle is not None or any(hint.settings for hint in useful_hints)
    if command[:1] and command[0] in _PRINTING and is_avoidable:
        suggested, effect = _suggest_command(useful_hints, command)
        if suggested is not None:
            suggestion = f"; {shlex.join(['tetrisprinter', *suggested])} {effect}"
            useful_hints = tuple(
                hint for hint in useful_hints if not _is_in_command(hint, suggested)
            )
    return TetrisPrinterError(error.message, *useful_hints).format_with(OPTIONS) + suggestion


def _is_followed(hint: Hint, command: Sequence[str]) -> bool:
    """Return whether the command line already contains everything that a hint advises."""
    if command and Setting.REPAIR in hint.settings and "--exact" not in command:
        return True
    return _is_in_command(hint, command)


def _is_in_command(hint: Hint, command: Sequence[str]) -> bool:
    """Return whether a command line contains all options that a hint names, with their values."""
    option_values = [
        _OPTION_VALUES[setting] for setting in hint.settings if setting in _OPTION_VALUES
    ]
    return (
        bool(option_values)
        and len(option_values) == len(hint.settings)
        and all(_has_option(command, option_value) for option_value in option_values)
    )


def _can_be_typed(hint: Hint, options: Mapping[str, str] | None) -> bool:
    """Return whether a command accepts all options and values that a hint names."""
    if options is None:
        return True
    for setting in hint.settings:
        words = OPTIONS[setting].split()
        option = next(word for word in words if word.startswith("--"))
        if option not in options or (words[-1] == "auto" and "auto" not in options[option]):
            return False
    return True


def _has_option(command: Sequence[str], option_value: tuple[str, ...]) -> bool:
    """Return whether a command line contains an option with its value, with or without ``=``."""
    words = tuple(command)
    joined = "=".join(option_value)
    return joined in words or any(
        words[start : start + len(option_value)] == option_value
        for start in range(len(words) - len(option_value) + 1)
    )


def _suggest_command(hints: Iterable[Hint], command: Sequence[str]) -> tuple[list[str] | None, str]:
    """Return a command to try, or None, and its effect as a verb, such as ``works``."""
    if _begins_with_game(command):
        return None, ""
    if "--exact" in command:
        without_exact = [argument for argument in command if argument != "--exact"]
        for hint in hints:
            if Setting.FIT in hint.settings and (size := re.search(r"\d+x\d+", hint.text)):
                without_exact = [*_remove_option(without_exact, "--fit"), "--fit", size[0]]
        return without_exact, "makes it fit"
    if "--planner" in command:
        return None, ""  # the named planner may not support the change
    for hint in hints:
        for setting in hint.settings:
            option_value = _OPTION_VALUES.get(setting, ())
            if len(option_value) == 2 and not _has_option(command, option_value):
                return [*_remove_option(command, option_value[0]), *option_value], "works"
    return None, ""


def _begins_with_game(command: Sequence[str]) -> bool:
    """Return whether a game given with --from sets the board and the types."""
    for argument, next_argument in zip(command, [*command[1:], ""], strict=False):
        path = next_argument if argument == "--from" else argument.removeprefix("--from=")
        if path != argument and Path(path).suffix.lower() not in IMAGE_SUFFIXES:
            return True
    return False


def _remove_option(command: Sequence[str], option: str) -> list[str]:
    """Return the command line without an option and its value."""
    kept_arguments: list[str] = []
    skip_next = False
    for argument in command:
        if skip_next:
            skip_next = False
        elif argument == option:
            skip_next = True
        elif not argument.startswith(f"{option}="):
            kept_arguments.append(argument)
    return kept_arguments


def map_options_to_metavars(command: click.Command) -> dict[str, str]:
    """Map the names of a command's options to their metavars."""
    return {
        name: str(parameter.metavar or "")
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
    }


def format_usage_error(message: str, path: str) -> str:
    """Return a message of click in the form of our messages, as one sentence.

    >>> format_usage_error("Missing argument 'PLAN'.", "tetrisprinter play")
    "missing argument 'PLAN'; see `tetrisprinter play --help`"
    >>> format_usage_error("Invalid value for '--colors': 9 is not in the range 1 to 7.", "that")
    '--colors: 9 is out of range; expected 1 to 7'
    >>> format_usage_error("Invalid value for '--fit': 'x' is not one of 'a', 'b'.", "that")
    "--fit: invalid value 'x'; choose from a, b"
    >>> format_usage_error("Invalid value for '--rows': 'q' is not a valid integer range.", "that")
    "--rows: invalid value 'q'; expected a whole number"
    >>> format_usage_error("No such option '--a' (Did you mean one of: '--b', '--c'?)", "that")
    "no such option '--a'; did you mean '--b' or '--c'?"
    """
    sentence = " ".join(message.rstrip(".").replace(". (", " (").split())
    if suggestion := re.search(r"[ .]*\(?Did you mean (?:one of: )?([^?]*)\?\)?", sentence):
        alternatives = " or ".join(suggestion[1].rsplit(", ", 1))
        sentence = f"{sentence[: suggestion.start()]}; did you mean {alternatives}?"
    sentence = re.sub(
        r"(\S+) is not in the range (.+)", r"\1 is out of range; expected \2", sentence
    )
    for kind, expected in (("integer", "a whole number"), ("(?:number|float)", "a number")):
        sentence = re.sub(
            rf"('[^']*') is not a valid {kind}( range)?",
            rf"invalid value \1; expected {expected}",
            sentence,
        )
    if choices := re.search(r"('[^']*') is not one of (.+)", sentence):
        sentence = sentence.replace(
            choices[0], f"invalid value {choices[1]}; choose from {choices[2].replace(chr(39), '')}"
        )
    sentence, replaced = re.subn(r"^Invalid value for '(-[\w-]+)'[^:]*: ", r"\1: ", sentence)
    if not replaced:
        sentence = f"{sentence[0].lower()}{sentence[1:]}"
    return sentence if replaced or "; " in sentence else f"{sentence}; see `{path} --help`"


def format_bound_progress(drops: int, lines: int, stacks: int, nogoods: int) -> str:
    """Format the progress of a proof: drops to refute, cleared rows, stacks and nogoods."""
    return (
        f"{drops} drops, {format_count(lines, 'cleared row')}: {format_count(stacks, 'stack')}, "
        f"{format_count(nogoods, 'nogood')}"
    )
