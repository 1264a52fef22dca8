"""The first game tells its rows while it is printed."""

import re
from itertools import pairwise

from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Progress
from tetrisprinter.planners.first_game import list_first_trials, print_rows
from tetrisprinter.planners.search import Request
from tetrisprinter.printing.task import Task
from tetrisprinter.support.signals import Stop

FLAG = Picture.parse("rrrggg.b\nr.rgggbb\nrrrg.bbb\n.rgggbb.\nrrrggbbb")


def test_each_row_is_reported_with_the_pieces_so_far() -> None:
    picture = Picture(FLAG.rows * 4, "flag")
    reports: list[Progress] = []
    request = Request(Task.of(picture), True, Limit(workers=1))
    printed = print_rows(next(list_first_trials(request.choices)), Stop(), reports.append)
    assert printed.plan is not None
    found = [re.fullmatch(r"row (\d+) of 20, (\d+) pieces", one.stage) for one in reports]
    rows = [(int(one[1]), int(one[2])) for one in found if one]
    assert len(rows) == len(reports) > 5
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(rows))
    assert rows[-1] == (20, len(printed.plan))
    assert [one.game_fraction for one in reports] == [row / 20 for row, _ in rows]
    assert {one.fraction for one in reports} == {0.0}, "the share of the whole search is not known"
