"""Every registered finder stands the same demands, with brute force as the judge."""

import pytest

from tests.contract.demands import finder_stands
from tetrisprinter.errors import InputError
from tetrisprinter.packings.finders import FINDERS, Lister, count_packings
from tetrisprinter.packings.finders.backtracker import Backtracker
from tetrisprinter.packings.finders.sat import Sat
from tetrisprinter.packings.problem import Packing, PackingProblem, Unknown, emitter_problem
from tetrisprinter.support.limits import Limit


@pytest.mark.parametrize("name", FINDERS)
def test_it_stands_all_demands(name: str) -> None:
    assert FINDERS[name].name == name
    finder_stands(FINDERS[name])


def test_a_backtracker_that_never_gives_up_is_certain() -> None:
    finder_stands(Backtracker(attempts=None))
    assert not FINDERS["backtracker"].is_complete


def test_all_that_are_certain_agree_on_the_article_s_columns() -> None:
    certain = [finder for finder in FINDERS.values() if finder.is_complete]
    assert len(certain) >= 3
    for column in (2, 3):
        problem = emitter_problem(13, 3, [column])
        answers = {isinstance(finder.find(problem), Packing) for finder in certain}
        assert answers == {column != 3}


def test_those_who_list_agree() -> None:
    listers = [finder for finder in FINDERS.values() if isinstance(finder, Lister)]
    assert {finder.name for finder in listers} == {"cpsat", "sat"}
    problem = PackingProblem(8, 3, (((2, 0), (3, 0), (4, 0), (5, 0)),))
    assert len({count_packings(finder, problem) for finder in listers}) == 1


@pytest.mark.parametrize("name", FINDERS)
def test_no_time_is_no_answer(name: str) -> None:
    problem = emitter_problem(21, 7, [6])
    assert isinstance(FINDERS[name].find(problem, Limit(seconds=1e-6)), Unknown)


def test_who_knows_no_clock_says_so() -> None:
    with pytest.raises(InputError, match="cannot respect a time limit"):
        Sat("lingeling").find(emitter_problem(9, 3, [4]), Limit(seconds=60))
