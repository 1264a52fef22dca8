"""An option is read alike, whether it is typed, sent as JSON, or given by a program."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.commands import Draw, Run
from tetrisprinter.api import prepare
from tetrisprinter.api.request import OPTIONS, PictureRequest
from tetrisprinter.errors import ArgumentError, InputError
from tetrisprinter.support import parse_size
from tetrisprinter.support.options import read_choice, read_flag, read_number, read_whole

WRONG = {
    "exact": "yes", "repair": "no", "fit": "0x5", "colors": "8",
    "background": "rad", "frame": "-1", "crop": "1x1", "contrast": "nan", "saturation": "5",
    "sharpness": "much", "dither": "1", "original": "1", "convert": "all", "board": "20by42",
    "types": "J=red", "column": "2.5", "pieces": "XYZ", "palette": "sepia",
}  # fmt: skip
"""For each option a text that it cannot be."""


@pytest.mark.parametrize(
    ("read", "right", "wrong"),
    [
        (read_flag, {True: True}, [1, "yes", None]),
        (read_whole(1, 7), {"3": 3, 7: 7}, [0, 8, "8", 2.5, "x", True, None]),
        (read_whole(0), {10**12: 10**12}, [-1, "-1"]),
        (read_number(0, 4), {"0.5": 0.5, 4: 4.0}, [-0.1, "4.1", "nan", float("nan"), "x", True]),
        (read_number(0, is_open=True), {float("inf"): float("inf")}, [0, "0", "inf", -1]),
        (read_choice(["a", "b"]), {"a": "a"}, ["c", 1, None]),
    ],
)
def test_what_is_out_of_range_is_refused(
    read: Callable[[Any], Any], right: dict[Any, Any], wrong: list[Any]
) -> None:
    assert [read(value) for value in right] == list(right.values())
    for value in wrong:
        with pytest.raises(InputError, match=r"; (expected|choose from) "):
            read(value)


def test_every_option_is_refused_in_a_sentence_that_names_it() -> None:
    assert WRONG.keys() == OPTIONS.keys()
    for name, value in WRONG.items():
        with pytest.raises(InputError, match=rf"^{name}: .*expected|^{name}: .*choose"):
            PictureRequest.of({name: value})
    with pytest.raises(ArgumentError, match="unknown argument 'colour'; did you mean 'colors'"):
        PictureRequest.of({"colour": 3})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("colors", "8"),
        ("contrast", "5"),
        ("fit", "0x5"),
        ("board", "20by42"),
        ("palette", "sepia"),
    ],
)
def test_the_command_and_the_library_say_the_same(
    run: Run, draw: Draw, name: str, value: str
) -> None:
    draw("a.png", "rr")
    with pytest.raises(InputError) as refused:
        prepare("rr", **{name: value})
    said = run("print", "a.png", f"--{name}", value, code=2).stderr
    assert said == f"tetrisprinter: --{refused.value}\n"


@pytest.mark.parametrize(
    "text",
    [
        *("", "3 x 3", "9" * 100_000 + "x1"),
        *["x", "3", "3x", "x3", "0x3", "3x0", "-3x3", "3x3x3", "3by3", "10000x3", "٣x٣"],
    ],
)
def test_what_is_no_size(text: str) -> None:
    assert parse_size(text) is None
