"""Errors say what would help, in the words of the command or of Python."""

import pickle
from dataclasses import replace

import pytest

from tetrisprinter.cli.options import SETTING_OPTIONS, format_error
from tetrisprinter.errors import (
    Hint,
    InputError,
    InternalError,
    JobError,
    Obstacle,
    Setting,
    TetrisPrinterError,
)
from tetrisprinter.planners.run import TimeUpError


def test_every_thing_has_an_option() -> None:
    assert set(SETTING_OPTIONS) == set(Setting) - {Setting.FILE}  # no option repairs a file
    assert all("--" in option for option in SETTING_OPTIONS.values())


def test_an_error_says_what_would_help_in_anybodys_words() -> None:
    error = JobError("a.png: no", Hint("{} takes 9x11", Setting.AUTO_BOARD), Hint("or give up"))
    assert str(error) == "a.png: no; a board chosen for the picture takes 9x11, or give up"
    assert format_error(error) == "a.png: no; --board auto takes 9x11, or give up"
    assert str(InputError("{} stays")) == format_error(InputError("{} stays")) == "{} stays"


OBSTACLE = Obstacle("cannot be", (Hint("{}", Setting.REPAIR),), cells=((1, 2),))
LATE = "a.png: no plan was found in the time given; allow more time"


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (replace(OBSTACLE, theorem="count").error("a.png"), JobError, "a.png: cannot be; repair"),
        (OBSTACLE.error("a.png"), InputError, "a.png: cannot be; repair"),
        (TimeUpError.of("a.png"), TimeUpError, LATE),
        (InternalError("a.png: differs"), InternalError, "a.png: differs"),
    ],
)
def test_an_error_passes_from_process_to_process(
    error: TetrisPrinterError, kind: type[TetrisPrinterError], message: str
) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert again.obstacle == error.obstacle
    assert str(again) == message
    assert format_error(again) == message.replace("repair", "leaving --exact out")
