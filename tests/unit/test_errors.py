"""Errors say what would help, in the words of the command or of Python."""

import pickle

import pytest

from tetrisprinter.cli.options import SETTING_OPTIONS, format_error
from tetrisprinter.errors import Hint, InputError, InternalError, JobError, Obstacle, Setting
from tetrisprinter.planners.run import TimeUpError


def test_every_thing_has_an_option() -> None:
    assert set(SETTING_OPTIONS) == set(Setting) - {Setting.FILE}  # no option repairs a file
    assert all("--" in option for option in SETTING_OPTIONS.values())


def test_an_error_says_what_would_help_in_anybodys_words() -> None:
    error = JobError("a.png: no", Hint("{} takes 9x11", Setting.AUTO_BOARD), Hint("or give up"))
    assert str(error) == "a.png: no; a board chosen for the picture takes 9x11, or give up"
    assert format_error(error) == "a.png: no; --board auto takes 9x11, or give up"
    assert str(InputError("{} stays")) == format_error(InputError("{} stays")) == "{} stays"


@pytest.mark.parametrize(("theorem", "kind"), [("count", JobError), ("", InputError)])
def test_an_error_travels_with_its_obstacle(
    theorem: str, kind: type[JobError] | type[InputError]
) -> None:
    obstacle = Obstacle("cannot be", (Hint("{}", Setting.REPAIR),), theorem, ((1, 2),))
    error = pickle.loads(pickle.dumps(obstacle.error("a.png")))
    assert type(error) is kind
    assert error.obstacle == obstacle
    assert str(error) == "a.png: cannot be; repair"
    assert format_error(error) == "a.png: cannot be; leaving --exact out"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TimeUpError.of("a.png"), "a.png: no plan was found in the time given; allow more time"),
        (InternalError("a.png: differs"), "a.png: differs"),
    ],
)
def test_a_failed_job_travels_and_is_told_as_any_error(error: JobError, said: str) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert isinstance(again, JobError)
    assert str(again) == format_error(again, ["print", "a.png"]) == said
