"""Options that several commands share, and the types of option values."""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import math
import os
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.core import ParameterSource

from tetrisprinter.errors import InputError
from tetrisprinter.support.sizes import LARGEST_SIDE, parse_size

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


def option(names: str, value_type: Any, help_text: str, **settings: Any) -> Callable[[_F], _F]:
    """Declare an option: its names, its type or a list of choices, and its help.

    The help shows the default. ``settings`` are further arguments of :func:`click.option`.
    """
    value_type = (
        click.Choice(list(value_type)) if isinstance(value_type, list | tuple) else value_type
    )
    settings = {"show_default": True} | settings
    return click.option(*names.split(), type=value_type, help=help_text, **settings)


def flag(names: str, help_text: str, **settings: Any) -> Callable[[_F], _F]:
    """Declare an option without a value: its names and its help."""
    return click.option(*names.split(), is_flag=True, help=help_text, **settings)


def _describe_range(minimum: float | None, maximum: float | None, is_open: bool = False) -> str:
    """Describe the range of a number.

    >>> _describe_range(1, 7), _describe_range(0, None), _describe_range(0, None, is_open=True)
    ('1 to 7', '0 or more', 'more than 0')
    """
    if minimum is None:
        return "" if maximum is None else f"up to {maximum}"
    if maximum is None:
        return f"more than {minimum}" if is_open else f"{minimum} or more"
    return f"{minimum} to {maximum}"


class Whole(click.IntRange):
    """A whole number in a range."""

    name = "integer"  # click says "integer range"

    def _describe_range(self) -> str:
        return _describe_range(self.min, self.max)


class Real(click.FloatRange):
    """A finite number in a range; click would accept ``nan`` in every range."""

    name = "number"

    def _describe_range(self) -> str:
        return _describe_range(self.min, self.max, self.min_open)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """See :class:`click.ParamType`."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            expected = self._describe_range() or "a finite number"
            self.fail(f"invalid number {value!r}; expected {expected}", param, ctx)
        return number


class ParsedType(click.ParamType[Any]):
    """A value that a function parses; its error messages begin with the option's name.

    A function of the library is given as ``"package.module:function"`` and imported when a value
    is given. ``literals`` are accepted unparsed. ``metavar`` stands for the value in the help.
    """

    name = "text"

    def __init__(
        self, parse: str | Callable[[str], Any], *literals: str, metavar: str = ""
    ) -> None:
        self._parse, self._literals, self._metavar = parse, literals, metavar

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Return the metavar; None if click is to write the name of the type."""
        return self._metavar or None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See :class:`click.ParamType`."""
        if not isinstance(value, str) or value in self._literals:
            return value
        parse = self._parse
        if isinstance(parse, str):
            module, _, name = parse.partition(":")
            parse = getattr(importlib.import_module(f"tetrisprinter.{module}"), name)
        try:
            return parse(value)
        except InputError as error:
            separator = ", or " * bool(self._literals)
            option_name = param.opts[0] if param else "value"
            raise InputError(
                f"{option_name}: {error}{separator}{' or '.join(self._literals)}"
            ) from error


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


def make_size_type(description: str) -> ParsedType:
    """Return the type of a size such as 21x42; error messages contain the description."""

    def read(text: str) -> tuple[int, int]:
        size = parse_size(text)
        if size is None:
            raise InputError(
                f"invalid {description.split(maxsplit=1)[0]} {text!r}; expected a {description}, "
                f"up to {LARGEST_SIDE}x{LARGEST_SIDE}"
            )
        return size

    return ParsedType(read, metavar="WxH")


def add_options(*options: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Return a decorator that adds options to a command; the help lists them in this order."""

    def decorate(command: _F) -> _F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def add_group(
    name: str, build: Callable[..., Any], options: Collection[Callable[..., Any]]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds options and passes the command one object with their values.

    ``build`` makes the object; its parameters are the options. ``name`` is the command's parameter.
    """
    option_names = tuple(inspect.signature(build).parameters)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def call_with_group(**values: Any) -> Any:
            group = build(**{key: values.pop(key) for key in option_names})
            return command(**{name: group}, **values)

        add: Callable[[Callable[..., Any]], Callable[..., Any]] = add_options(*options)
        return add(call_with_group)

    return decorate


def print_report(as_json: bool, report: object, text: str, *, err: bool = False) -> None:
    """Print the outcome of a command, as JSON on stdout or as text."""
    if as_json:
        click.echo(json.dumps(report))
    else:
        click.echo(text, err=err)


def refuse_options(allowed: Collection[str], reason: str) -> None:
    """Refuse each given option whose parameter is not in ``allowed``, with a reason."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if is_given and name not in allowed and not parameter.is_eager:
            raise InputError(f"{parameter.opts[0]} cannot be used here: {reason}")


COLUMNS = ParsedType(_read_columns, metavar="X,Y,...")
COLOR = ParsedType("pictures.convert:parse_color")
NUMBERS = ParsedType(_read_numbers, metavar="A..B,C,...")

game_board_option = option(
    "--board",
    make_size_type("board such as 10x22"),
    "Board of an art file that does not name one. [default: 10x22]",
)
json_option = flag("--json as_json", "Report as JSON on stdout.")
seed_option = option("--seed", Whole(0, 2**63 - 1), "Seed for repeatable results.", default=0)
dask_option = option(
    "--dask",
    ParsedType(_read_address, metavar="ADDRESS"),
    "Compute on the Dask cluster of this scheduler, e.g. tcp://host:8786.",
)
workers_option = option(
    "--workers",
    Whole(1, 256),
    "The number of processes; it never changes the answer.",
    default=lambda: os.cpu_count() or 1,
    show_default="number of processors",
)
