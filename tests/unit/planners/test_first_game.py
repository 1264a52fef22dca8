"""What the search reports: the time that it takes, and the first game while it is printed."""

import re
from dataclasses import replace
from itertools import pairwise
from math import inf, isclose

from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Progress, Run
from tetrisprinter.planners.auto import estimate_seconds
from tetrisprinter.planners.first_game import Choices, list_first_trials, print_rows
from tetrisprinter.printing.task import Task
from tetrisprinter.support.signals import Stop

FLAG = Picture.parse("rrrggg.b\nr.rgggbb\nrrrg.bbb\n.rgggbb.\nrrrggbbb")


def test_each_row_is_reported_with_the_pieces_so_far() -> None:
    picture = Picture(FLAG.rows * 4, "flag")
    reports: list[Progress] = []
    choices = Choices(Task.of(picture), any_board=True)
    printed = print_rows(next(list_first_trials(choices)), Stop(), reports.append)
    assert printed.plan is not None
    found = [re.fullmatch(r"row (\d+) of 20, (\d+) pieces", one.stage) for one in reports]
    rows = [(int(one[1]), int(one[2])) for one in found if one]
    assert len(rows) == len(reports) > 5
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(rows))
    assert rows[-1] == (20, len(printed.plan))
    assert [one.game_fraction for one in reports] == [row / 20 for row, _ in rows]
    assert {one.fraction for one in reports} == {0.0}, "the share of the whole search is not known"


def test_a_print_that_another_one_has_beaten_ends_early() -> None:
    trial = next(list_first_trials(Choices(Task.of(Picture(FLAG.rows * 4)), any_board=True)))
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
    trial = next(list_first_trials(Choices(Task.of(Picture(FLAG.rows * 4)), any_board=True)))
    alone = print_rows(trial)
    assert print_rows(replace(trial, row_limit=alone.work)).plan == alone.plan
    stuck = print_rows(replace(trial, row_limit=alone.work / 200))
    assert stuck.plan is None
    assert stuck.work < alone.work / 2


def estimate_square(size: int, effort: float = 1.0) -> float:
    task = Task.of(Picture((("d03020",) * size,) * size))
    return estimate_seconds(task, Run(Limit(effort=effort), any_board=True))


def test_the_time_said_before_grows_with_the_picture_and_the_effort() -> None:
    seconds = [estimate_square(size) for size in (16, 64, 100, 200)]
    assert seconds == sorted(seconds)
    assert isclose(estimate_square(32, 3.0), 3 * estimate_square(32))
