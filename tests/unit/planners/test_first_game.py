"""What the search reports: the time that it takes, and the first game while it is printed."""

import re
from dataclasses import replace
from itertools import pairwise
from math import inf, isclose

import pytest

from tests.support.judge import judge
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Progress, Run
from tetrisprinter.planners.auto import estimate_seconds
from tetrisprinter.planners.first_game import (
    FIRST_EFFORT,
    Choices,
    RowRescue,
    TrialResult,
    list_first_rounds,
    print_rows,
)
from tetrisprinter.planners.from_below import Answer, Question, ask
from tetrisprinter.planners.rows.chooser import PassChooser
from tetrisprinter.planners.rows.target import RowState, RowStep
from tetrisprinter.planners.run import Work
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.support.signals import Stop

FLAG = Picture.parse("rrrggg.b\nr.rgggbb\nrrrg.bbb\n.rgggbb.\nrrrggbbb")


def test_each_row_is_reported_with_the_pieces_so_far() -> None:
    picture = Picture(FLAG.rows * 4, "flag")
    reports: list[Progress] = []
    choices = Choices(Task.of(picture), any_board=True)
    printed = print_rows(next(list_first_rounds(choices))[0], Stop(), reports.append)
    assert printed.plan is not None
    found = [re.fullmatch(r"row (\d+) of 20, (\d+) pieces", one.stage) for one in reports]
    rows = [(int(one[1]), int(one[2])) for one in found if one]
    assert len(rows) == len(reports) > 5
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(rows))
    assert rows[-1] == (20, len(printed.plan))
    assert [one.game_fraction for one in reports] == [row / 20 for row, _ in rows]
    assert {one.fraction for one in reports} == {0.0}, "the share of the whole search is not known"


def test_a_print_that_another_one_has_beaten_ends_early() -> None:
    trial, *_ = next(list_first_rounds(Choices(Task.of(Picture(FLAG.rows * 4)), any_board=True)))
    alone = print_rows(trial)
    assert (len(alone.pace), alone.drops) == (20, alone.pace[-1])
    equal, behind = (
        print_rows(replace(trial, pace=tuple(drops // share for drops in alone.pace)))
        for share in (1, 2)
    )
    assert equal == alone
    assert (behind.plan, behind.drops) == (None, inf)
    assert behind.work < alone.work / 2


def test_a_row_that_takes_too_long_ends_a_print() -> None:
    trial, *_ = next(list_first_rounds(Choices(Task.of(Picture(FLAG.rows * 4)), any_board=True)))
    alone = print_rows(trial)
    assert print_rows(replace(trial, row_limit=alone.work)).plan == alone.plan
    stuck = print_rows(replace(trial, row_limit=alone.work / 200))
    assert stuck.plan is None
    assert stuck.work < alone.work / 2


def test_types_of_a_dead_end_are_not_tried_with_others_above_it() -> None:
    """The lowest rows have two of four colours, and all guesses are at a dead end there."""
    picture = Picture((*FLAG.rows[:2], *Picture.parse("ccppccpp\nppccppcc").rows))
    low = set(FLAG.rows[0]) | set(FLAG.rows[1])
    choices = Choices(replace(Task.of(picture), types="auto"), any_board=True)
    rounds = list_first_rounds(choices)
    trials, failed, count = next(rounds), set[object](), 0
    while max(trial.effort for trial in trials) == FIRST_EFFORT:
        begun = [
            (one.task.board, frozenset(pair for pair in types.items() if pair[1] in low))
            for one in trials
            if (types := one.task.type_colors) is not None
        ]
        assert failed.isdisjoint(begun)
        failed.update(begun)
        count += len(trials)
        trials = rounds.send([TrialResult(trial.task, 0.01) for trial in trials])
    assert count > 8


def test_a_formula_prints_the_rows_at_dead_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here every row that begins without squares above is a dead end of the search by rows."""
    find_next = PassChooser.find_next

    def find_over_carried(chooser: PassChooser, state: RowState) -> RowStep | None:
        return find_next(chooser, state) if state.carried else None

    monkeypatch.setattr(PassChooser, "find_next", find_over_carried)
    trial, *_ = next(list_first_rounds(Choices(Task.of(FLAG), any_board=True)))
    assert print_rows(trial).plan is None, "a quick print ends at its first dead end"
    trial = replace(trial, is_quick=False)
    bridged = print_rows(trial, ask=ask)
    assert bridged.plan is not None
    judge(PrintResult.of(trial.task, bridged.plan, "rows"), FLAG)
    assert print_rows(trial, ask=lambda *_: Answer()).plan is None, "without answers no way is left"


def test_a_rescue_stands_on_the_row_below_and_asks_nothing_twice() -> None:
    trial, *_ = next(list_first_rounds(Choices(Task.of(FLAG), any_board=True)))
    lowest = replace(trial.task, picture=Picture(FLAG.rows[:1]))
    begun = print_rows(replace(trial, task=lowest)).plan
    assert begun is not None
    questions = list[Question]()

    def ask_once(question: Question, work: float) -> Answer:
        questions.append(question)
        return ask(question, work) if len(questions) == 1 else Answer(work=0.5)

    work = Work()
    rescue = RowRescue(trial.task, work, ask_once)
    found = rescue([(1, begun)], 1)
    assert found is not None
    back, passes = found
    field = play_through(replace(begun, passes=(*begun.passes, *passes))).field
    assert back == 0
    assert len(field.used_rows) in (2, 3), "squares may lie in one row above"
    assert rescue([(1, begun)], 1) is None
    assert rescue([(1, begun)], 1) is None
    column = trial.task.column
    filled = {column + x for x, color in enumerate(FLAG.rows[0]) if color}
    assert {one.game.floor for one in questions} == {frozenset(filled)}
    assert len({(one.need, one.candidates) for one in questions}) == len(questions) > 1
    assert work.spent >= 0.5 * (len(questions) - 1)


def estimate_square(size: int, effort: float = 1.0) -> float:
    task = Task.of(Picture((("d03020",) * size,) * size))
    return estimate_seconds(task, Run(Limit(effort=effort), any_board=True))


def test_the_time_said_before_grows_with_the_picture_and_the_effort() -> None:
    seconds = [estimate_square(size) for size in (16, 64, 100, 200)]
    assert seconds == sorted(seconds)
    assert isclose(estimate_square(32, 3.0), 3 * estimate_square(32))
