import pickle

from tetrisprinter.cli.error_messages import OPTIONS, format_error
from tetrisprinter.errors import Hint, InputError, InternalError, JobError, Obstacle, Setting
from tetrisprinter.planners.run import TimeUpError


def test_every_thing_has_an_option() -> None:
    assert set(OPTIONS) == set(Setting) - {Setting.FILE}  # no option repairs a file
    assert all("--" in option for option in OPTIONS.values())


def test_an_error_says_what_would_help_in_anybodys_words() -> None:
    error = JobError("a.png: no", Hint("{} takes 9x11", Setting.AUTO_BOARD), Hint("or give up"))
    assert str(error) == "a.png: no; a board chosen for the picture takes 9x11, or give up"
    assert format_error(error) == "a.png: no; --board auto takes 9x11, or give up"
    assert str(InputError("{} stays")) == format_error(InputError("{} stays")) == "{} stays"


def test_an_error_travels_with_its_obstacle() -> None:
    for theorem, kind in (("count", JobError), ("", InputError)):
        obstacle = Obstacle("cannot be", (Hint("{}", Setting.REPAIR),), theorem, ((1, 2),))
        error = pickle.loads(pickle.dumps(obstacle.error("a.png")))
        assert type(error) is kind
        assert error.obstacle == obstacle
        assert str(error) == "a.png: cannot be; repair"
        assert format_error(error) == "a.png: cannot be; leaving --exact out"


def test_that_the_time_was_up_travels_and_is_told_as_any_error() -> None:
    error = pickle.loads(pickle.dumps(TimeUpError.of("a.png")))
    assert type(error) is TimeUpError
    assert format_error(error, ["print", "a.png"]) == str(TimeUpError.of("a.png"))
    assert str(error) == "a.png: no plan was found in the time given; allow more time"


def test_a_planners_fault_is_a_failed_job_and_advises_nothing() -> None:
    error = pickle.loads(pickle.dumps(InternalError("a.png: differs")))
    assert type(error) is InternalError
    assert isinstance(error, JobError)
    assert format_error(error) == "a.png: differs"
