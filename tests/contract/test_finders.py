"""Every registered finder stands the same demands, with brute force as the judge."""

import pytest

from tests.contract.demands import finder_stands
from tetrisprinter.errors import InputError
from tetrisprinter.packings.finders import FINDERS, Backtracker, Sat
from tetrisprinter.packings.problem import Unknown, make_emitter_problem
from tetrisprinter.support.options import Limit


@pytest.mark.parametrize("name", FINDERS)
def test_it_stands_all_demands(name: str) -> None:
    assert FINDERS[name].name == name
    finder_stands(FINDERS[name])


def test_a_backtracker_that_never_gives_up_is_certain() -> None:
    finder_stands(Backtracker(attempts=None))
    assert not FINDERS["backtracker"].is_complete


@pytest.mark.parametrize("name", FINDERS)
def test_no_time_is_no_answer(name: str) -> None:
    problem = make_emitter_problem(21, 7, [6])
    assert isinstance(FINDERS[name].find(problem, Limit(seconds=1e-6)), Unknown)


def test_who_knows_no_clock_says_so() -> None:
    with pytest.raises(InputError, match="cannot respect a time limit"):
        Sat("lingeling").find(make_emitter_problem(9, 3, [4]), Limit(seconds=60))
