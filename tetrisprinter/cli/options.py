"""Options: those that several commands share, the types of their values, their names in messages.

An error of the library names a *setting*; :func:`format_error` names the option instead, and leaves
out hints that the command line follows already or cannot follow.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.core import ParameterSource

from tetrisprinter.errors import (
    Hint,
    InputError,
    InternalError,
    JobError,
    Setting,
    TetrisPrinterError,
    describe_fault,
)
from tetrisprinter.support import LARGEST_SIDE, load, parse_size
from tetrisprinter.support.files import explain_error
from tetrisprinter.support.options import (
    Limit,
    Option,
    list_options,
    read_choice,
    read_number,
    read_whole,
)

_F = TypeVar("_F", bound=Callable[..., Any])


class FileName(click.Path):
    """The name of a file or folder; empty names, the current folder for click, are refused."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        """See :class:`click.ParamType`."""
        if not os.fspath(value):
            self.fail("the name is empty", param, ctx)
        return super().convert(value, param, ctx)


PATH: Final = FileName()
MAYBE_PATH: Final = click.Path()  # for an option whose value may be left out
FILE: Final = FileName(path_type=Path)
NO_FOLDER: Final = FileName(path_type=Path, dir_okay=False)
FOLDER: Final = FileName(path_type=Path, file_okay=False)
FOLDER.name = "folder"  # click says "directory"


class Declared(click.ParamType[Any]):
    """A value that a declared option reads; a message begins with the option's name.

    ``literals`` are accepted unread.
    """

    name = "text"

    def __init__(self, declared: Option, *literals: str) -> None:
        self.declared, self._literals = declared, literals

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Return the metavar; None if click is to write the name of the type."""
        return self.declared.metavar or None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See :class:`click.ParamType`."""
        if not isinstance(value, str) or value in self._literals:  # a default is read already
            return value
        try:
            name = "value" if param is None else param.opts[0]
            return self.declared.read_named(name, value)
        except InputError as error:
            if not self._literals:
                raise
            raise InputError(f"{error}, or {' or '.join(self._literals)}") from error


_LONG_RANGE: Final = 1_000_000
"""The help names the ends of a range that ends before this number."""


def whole(low: int, high: int | None = None) -> Declared:
    """Return the type of a whole number in a range."""
    metavar = f"{low}..{high}" if high is not None and high < _LONG_RANGE else "N"
    return Declared(Option("", read_whole(low, high), metavar))


def real(low: float = -math.inf, high: float = math.inf, *, min_open: bool = False) -> Declared:
    """Return the type of a number in a range; ``min_open``: without the least number."""
    return Declared(Option("", read_number(low, high, is_open=min_open), "NUMBER"))


def declare_reader(
    parse: str | Callable[[str], Any], *literals: str, metavar: str = ""
) -> Declared:
    """Return the type of a value that a function reads, ``"package.module:function"`` or itself."""

    def read(value: str) -> Any:
        return (load(f"tetrisprinter.{parse}") if isinstance(parse, str) else parse)(value)

    return Declared(Option("", read, metavar), *literals)


def option(names: str, value_type: Any, help_text: str, **settings: Any) -> Callable[[_F], _F]:
    """Declare an option: its names, its type or a list of choices, and its help.

    The help shows the default, or the text ``show_default``. ``settings`` are further arguments of
    :func:`click.option`.
    """
    if isinstance(value_type, list | tuple):
        choices = f"[{'|'.join(value_type)}]"
        value_type = Declared(Option("", read_choice(value_type), choices))
    settings = {"show_default": True} | settings
    if isinstance(settings["show_default"], str):  # click would put it in further parentheses
        help_text += f" [default: {settings['show_default']}]"
        settings["show_default"] = False
    return click.option(*names.split(), type=value_type, help=help_text, **settings)


def flag(names: str, help_text: str, **settings: Any) -> Callable[[_F], _F]:
    """Declare an option without a value: its names and its help."""
    return click.option(*names.split(), is_flag=True, help=help_text, **settings)


def declare(
    options: Mapping[str, Option], *names: str, literals: Mapping[str, str] | None = None,
    defaults: Mapping[str, object] | None = None, flags: Mapping[str, str] | None = None,
) -> tuple[Callable[..., Any], ...]:  # fmt: skip
    """Return command options for declared options; a default other than None is shown.

    ``flags`` has the names on the command line that differ from those in the declaration.
    """
    decorators = []
    for name in names:
        declared = options[name]
        option_name = (flags or {}).get(name, f"--{name.replace('_', '-')}")
        if not declared.metavar:
            decorators.append(flag(option_name, declared.help))
            continue
        value_type = Declared(declared, *filter(None, [(literals or {}).get(name)]))
        help_text, shown = declared.help, dict[str, Any](metavar=declared.metavar)
        if name in (defaults or {}):
            help_text = help_text.partition(" [default: ")[0]
            shown["default"] = (defaults or {})[name]
        decorators.append(option(option_name, value_type, help_text, **shown))
    return tuple(decorators)


def _read_columns(text: str) -> tuple[int, ...]:
    """Read column numbers separated by commas."""
    try:
        return tuple(sorted(int(part) for part in text.split(",")))
    except ValueError as error:
        raise InputError(
            f"invalid list of columns {text!r}; expected numbers such as 0,5,11"
        ) from error


def _read_numbers(text: str) -> tuple[int, ...]:
    """Read numbers and ranges of numbers separated by commas."""
    numbers: set[int] = set()
    with suppress(ValueError):
        for part in text.split(","):
            first, _, last = part.partition("..")
            numbers.update(range(int(first), int(last or first) + 1))
        if numbers:
            return tuple(sorted(numbers))
    raise InputError(f"invalid list of numbers {text!r}; expected e.g. 5..64 or 10,21")


def _read_address(text: str) -> str:
    """Return the address of a scheduler if it is valid."""
    if re.fullmatch(r"([a-z]+://)?[^\s/:]+:[0-9]{1,5}", text) is None:
        raise InputError(f"invalid address {text!r}; expected e.g. tcp://host:8786")
    return text


def make_size_type(description: str) -> Declared:
    """Return the type of a size such as 21x42; error messages contain the description."""

    def read(text: str) -> tuple[int, int]:
        size = parse_size(text)
        if size is None:
            raise InputError(
                f"invalid {description.split(maxsplit=1)[0]} {text!r}; expected a {description}, "
                f"up to {LARGEST_SIDE}x{LARGEST_SIDE}"
            )
        return size

    return declare_reader(read, metavar="WxH")


def add_options(*options: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Return a decorator that adds options to a command; the help lists them in this order."""

    def decorate(command: _F) -> _F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def print_report(as_json: bool, report: object, text: str, *, err: bool = False) -> None:
    """Print the outcome of a command, as JSON on stdout or as text."""
    if as_json:
        click.echo(json.dumps(report))
    else:
        click.echo(text, err=err)


def list_given_options() -> set[str]:
    """Return the names of the parameters that stand on the command line."""
    context = click.get_current_context()
    names = {parameter.name or "" for parameter in context.command.params}
    return {
        name for name in names if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


def refuse_options(allowed: Collection[str], reason: str) -> None:
    """Refuse each given option whose parameter is not in ``allowed``, with a reason."""
    given = list_given_options()
    for parameter in click.get_current_context().command.params:
        if parameter.name in given - set(allowed) and not parameter.is_eager:
            raise InputError(f"{parameter.opts[0]} cannot be used here: {reason}")


LIMITS: Final = list_options(Limit)
"""The options of a search."""

COLUMNS = declare_reader(_read_columns, metavar="X,Y,...")
COLOR = declare_reader("pictures.convert:parse_color")
NUMBERS = declare_reader(_read_numbers, metavar="A..B,C,...")

game_board_option = option(
    "--board",
    make_size_type("board such as 10x22"),
    "Board of an art file that does not name one. [default: 10x22]",
)
json_option = flag("--json as_json", "Report as JSON on stdout.")


def _hide_messages(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    """Discard all output while the command runs; its error is still printed."""
    if not value or context.resilient_parsing:
        return
    # Use the root context: click does not close the command's context if a later option is wrong.
    enter_context = context.find_root().with_resource
    hidden = enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
    enter_context(redirect_stderr(hidden))
    if not {"-", "-o-", "--json"} & set(sys.argv):  # with these, the result goes to standard output
        enter_context(redirect_stdout(hidden))


quiet_option = flag("-q --quiet", "Print nothing but errors.", is_eager=True, expose_value=False,
                    callback=_hide_messages)  # fmt: skip
REPORT_OPTIONS: Final = (json_option, quiet_option)
"""The options on what a command prints whose results are files."""

(seed_option,) = declare(LIMITS, "seed", defaults={"seed": 0})
dask_option = option(
    "--dask",
    declare_reader(_read_address, metavar="ADDRESS"),
    "Compute on the Dask cluster of this scheduler, e.g. tcp://host:8786.",
)
workers_option = option(
    "--workers",
    whole(1, 256),
    LIMITS["workers"].help,
    default=lambda: os.cpu_count() or 1,
    show_default="number of processors",
)


SETTING_OPTIONS: Final = {
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
    return TetrisPrinterError(error.message, *useful_hints).format_with(SETTING_OPTIONS)


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
        if setting not in SETTING_OPTIONS:  # no option, but advice in words
            continue
        words = SETTING_OPTIONS[setting].split()
        option = next(word for word in words if word.startswith("--"))
        if option not in options or (words[-1] == "auto" and "auto" not in options[option]):
            return False
    return True


def _begins_with_game(command: Sequence[str]) -> bool:
    """Return whether a game given with --from sets the board and the types."""
    # here: loaded at the top, this module takes a quarter of the time of --help
    from tetrisprinter.pictures.sources import IMAGE_SUFFIXES

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
