"""Options, each declared once: where its field stands in a class of settings.

The metadata of the field carries the help and a function that reads a value. The command line, the
library and the studio read values with the same function, whether they are text, JSON or objects.
So an option has one range, and one sentence says what is accepted. :class:`Limit` has the options
of every search: its time, workers, seed and effort.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from tetrisprinter.errors import ArgumentError, InputError


@dataclass(frozen=True, slots=True)
class Option:
    """How an option is named, explained and read."""

    help: str  # for the help of the command and of the library
    # Returns the value that stands for a text, a number or an object; raises an InputError
    read: Callable[[Any], Any]
    metavar: str = ""  # what stands for the value in the help; empty: a flag
    type: str = "bool"  # the types that the library accepts
    field: str = ""  # the name of the field, if it differs from the option's name
    default: Any = None

    def read_named(self, name: str, value: Any) -> Any:
        """Read a value; a message begins with the name of the option."""
        try:
            return self.read(value)
        except InputError as error:
            message = error.message.removeprefix(f"{name}: ")
            raise type(error)(f"{name}: {message}", *error.hints) from error


def option(
    default: Any, help: str, read: Callable[[Any], Any], metavar: str = "", type: str = "bool",
    name: str = "",
) -> Any:  # fmt: skip
    """Declare a field of a class of settings as an option; ``name`` if it is not the field's."""
    metadata = {"option": Option(help, read, metavar, type), "name": name}
    return field(default=default, metadata=metadata)


def list_options(settings: type) -> dict[str, Option]:
    """Return the options that a class of settings declares, by name."""
    options = {}
    for one in fields(settings):
        if "option" in one.metadata:
            declared: Option = one.metadata["option"]
            name = one.metadata["name"] or one.name
            options[name] = Option(
                declared.help, declared.read, declared.metavar, declared.type, one.name, one.default
            )
    return options


def check_options(settings: Any, unchecked: str = "") -> None:
    """Read the options of an object of settings again, however it was made; keep what is read."""
    for name, one in list_options(type(settings)).items():
        value = getattr(settings, one.field)
        if value != one.default and name != unchecked:
            object.__setattr__(settings, one.field, one.read_named(name, value))


def read_options(options: Mapping[str, Option], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of options by the names of their fields; None stands for the default."""
    return {
        option.field: option.read_named(name, values[name])
        for name, option in options.items()
        if values.get(name) is not None
    }


def read_field(
    values: Mapping[str, Any], name: str, read: Callable[[Any], Any], *default: Any
) -> Any:
    """Return a value by its name; None or no value stands for the default, if there is one."""
    value = values.get(name)
    if value is None and default:
        return default[0]
    if value is None:
        raise InputError(f"{name}: missing; a value is required")
    return Option("", read).read_named(name, value)


def read_flag(value: Any) -> bool:
    """Read a flag."""
    if not isinstance(value, bool):
        raise InputError(f"invalid value {value!r}; expected True or False")
    return value


def read_whole(low: int, high: int | None = None) -> Callable[[Any], int]:
    """Return a function that reads a whole number in a range, from a number or its digits."""

    def read(value: Any) -> int:
        expected = f"a whole number, {_describe_range(low, high)}"
        if isinstance(value, str):
            try:
                value = int(value)
            except ValueError:
                raise InputError(f"invalid value {value!r}; expected {expected}") from None
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or value < low or (high is not None and value > high):
            raise InputError(f"{value!r} is out of range; expected {expected}")
        return int(value)

    return read


def read_number(
    low: float, high: float = math.inf, *, is_open: bool = False
) -> Callable[[Any], float]:
    """Return a function that reads a number in a range, without ``low`` itself if ``is_open``."""

    def read(value: Any) -> float:
        expected = _describe_range(low, high, is_open)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
            if isinstance(value, str):
                raise InputError(f"invalid value {value!r}; expected {expected}") from None
        is_number = isinstance(value, str | int | float) and not isinstance(value, bool)
        # No comparison with nan is true. Only code says infinity, for a search that a clock ends.
        is_number = is_number and not (isinstance(value, str) and math.isinf(number))
        if not (is_number and low <= number <= high) or (is_open and number == low):
            raise InputError(f"{value} is out of range; expected {expected}")
        return number

    return read


def _describe_range(low: float, high: float | None, is_open: bool = False) -> str:
    """Describe a range.

    >>> _describe_range(1, 7), _describe_range(0, None), _describe_range(0, math.inf, True)
    ('1 to 7', '0 or more', 'more than 0')
    """
    if high is None or high == math.inf:
        return f"more than {low}" if is_open else f"{low} or more"
    return f"{low} to {high}"


def read_string(longest: int) -> Callable[[Any], str]:
    """Return a function that reads text of at most this number of characters."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or "\0" in value:
            raise InputError(f"invalid value; expected text of at most {longest} characters")
        if len(value) > longest:
            raise InputError(f"{len(value)} characters are too many; expected at most {longest}")
        return value

    return read


def read_choice(choices: Sequence[str]) -> Callable[[Any], str]:
    """Return a function that reads one of some words."""

    def read(value: Any) -> str:
        if value not in choices:
            raise InputError(f"invalid value {value!r}; choose from {', '.join(choices)}")
        return str(value)

    return read


def refuse_unknown(names: Iterable[str], known: Sequence[str]) -> None:
    """Refuse an argument with an unknown name; suggest a similar one."""
    import difflib

    for name in names:
        if name not in known:
            matches = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {matches[0]!r}?" if matches else f"choose from {', '.join(known)}"
            raise ArgumentError(f"unknown argument {name!r}; {hint}")


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

    def scale_effort(self, factor: float) -> Limit:
        """Return the limits of a search that is this many times as long."""
        return replace(self, effort=factor * self.effort)


UNLIMITED: Final = Limit()
"""No time limit, one thread, seed 0."""
