"""From a field on which squares lie to a picture; judged by an independent simulator."""

import random

import pytest

from tests.oracles.game import replay
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.field import Playfield, Rows
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import PLANNERS, Limit, make_plan
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.printing.types import TypeColors, share_types

COLORS = ("ff0000", "00ff00", "0000ff")
ONE = Limit(workers=1)


def rows_of(drawing: str) -> Rows:
    letters = "." + "".join(piece.name for piece in PieceType)
    return tuple(bytes(letters.index(c) for c in line) for line in reversed(drawing.split()))


def some_rows(chance: random.Random, width: int, height: int, colors: int) -> Picture:
    """Return a picture without a row that is empty or full."""
    density = chance.uniform(0.2, 0.8)
    rows: list[tuple[str | None, ...]] = []
    while len(rows) < height:
        row = [chance.choice(COLORS[:colors]) if chance.random() < density else None
               for _ in range(width)]  # fmt: skip
        if any(row) and not all(row):
            rows.append(tuple(row))
    return Picture(tuple(rows), "random")


def pair(seed: int, widest: int = 14, highest: int = 5) -> Task:
    """Return a task from one random picture to another; often they share their lowest rows."""
    chance = random.Random(seed)
    width, colors = chance.randint(8, widest), chance.randint(1, 3)
    first = some_rows(chance, width, chance.randint(1, highest), colors)
    second = some_rows(chance, width, chance.randint(1, highest), colors)
    if chance.random() < 0.3:
        second = Picture(first.rows[: chance.randint(1, first.height)] + second.rows, "random")
    types = share_types(Picture(first.rows + second.rows, "both"))
    ways: dict[str, list[int]] = {}
    for piece, color in types.items():
        ways.setdefault(color, []).append(int(piece))
    start = [[chance.choice(ways[c]) if c else 0 for c in row] for row in first.rows]
    board = (width, max(first.height, second.height) + 10)
    return Task.of(second, board, TypeColors.of(types), column=0).with_start(start)


@pytest.mark.parametrize("seed", range(12))
def test_random_pairs(seed: int) -> None:
    task = pair(seed)
    if find_obstacle(task) is not None:
        with pytest.raises(JobError):
            make_plan(task, "rows", ONE)
        return
    result = make_plan(task, "rows", ONE)
    assert result.plan.start == task.start
    assert result.bound <= result.drops
    assert colors_left(result) == task.picture.cells()


def colors_left(result: PrintResult) -> dict[tuple[int, int], str]:
    """Return the colours that an independent simulator finds in the end."""
    log = result.log()
    colors = log["colors"]
    assert isinstance(colors, dict)
    return {cell: colors[piece] for cell, piece in replay(log).items()}


def test_what_is_there_already_takes_no_drop() -> None:
    picture = Picture.parse("r.r\nrrr.\n", r="ff0000")
    start = rows_of("J.J...... JJJ......")
    task = Task.of(picture, "9x8", {PieceType.J: "ff0000"}, column=0).with_start(start)
    result = make_plan(task, "rows", ONE)
    assert (result.drops, result.bound, result.proof) == (0, 0, Proof.ALL_GAMES)


def test_rows_that_both_share_stay() -> None:
    picture = Picture.parse("r......r.\nr.r.r.r.r\nrrr...rrr", r="ff0000")
    start = rows_of(".J.J.J.J. J.J.J.J.J JJJ...JJJ")
    types = {PieceType.J: "ff0000", PieceType.L: "ff0000"}
    task = Task.of(picture, "9x12", types, column=0).with_start(start)
    result = make_plan(task, "rows", ONE)
    field = Playfield.from_rows(9, 12, start)
    for piece in result.plan:
        field.drop(piece.orientation, piece.x)
        assert field.rows[:2] == start[:2]
    assert colors_left(result) == task.picture.cells()


def test_counting_forbids_what_no_drop_can_mend() -> None:
    start = rows_of("J.........")
    task = Task.of(Picture.parse("rr", r="ff0000"), "10x8", {PieceType.J: "ff0000"}).with_start(
        start
    )
    found = find_obstacle(task)
    assert found is not None
    assert found.theorem == "count"
    assert "the board starts with 1" in str(found)
    with pytest.raises(JobError, match="multiple of 2"):
        make_plan(task, "rows", ONE)


def test_rows_above_those_that_may_stay_are_bound_by_theorems() -> None:
    """A T alone in a row leaves 0 or 3 squares above; here a start adds none above that row."""
    picture = Picture.parse("rr......\nb.......\nr.......", r="ff0000", b="0000ff")
    types = {PieceType.T: "0000ff", PieceType.J: "ff0000"}
    alone = find_obstacle(Task.of(picture, "8x12", types, column=0))
    start = rows_of("T.T..... TT......")  # nothing of it may stay
    from_there = find_obstacle(Task.of(picture, "8x12", types, column=0).with_start(start))
    assert alone is not None
    assert from_there is not None
    assert alone.theorem == from_there.theorem


@pytest.mark.slow
def test_single_squares_where_what_lay_there_never_comes_out_even() -> None:
    types = "I=ff0000,O=ff0000,T=ff0000,J=0000ff,S=0000ff,L=00ff00,Z=00ff00"
    picture = Picture.parse(".......g\n..g.....", g="00ff00")
    start = rows_of("JIIJ...J I.LZ...J JS.SLL..")
    task = Task.of(picture, "8x15", types, column=0).with_start(start)
    assert colors_left(make_plan(task, "rows", ONE)) == picture.cells()


def test_planners_that_begin_with_an_empty_board_say_so() -> None:
    start = rows_of("J....................")
    task = Task.of(Picture.parse("r", r="ff0000"), "21x42", "classic").with_start(start)
    for name, planner in PLANNERS.items():
        if not planner.can_start_from_board and name != "dealt":
            with pytest.raises(
                InputError, match=r"begins with squares on the board.*; choose from .*rows"
            ):
                make_plan(task, name, ONE)


def test_a_start_is_of_the_board() -> None:
    with pytest.raises(InputError, match="do not fit"):
        Task.of(Picture.parse("r"), "9x12").with_start(rows_of("J...."))


def test_a_result_is_of_its_start() -> None:
    start = rows_of("J........")
    task = Task.of(Picture.parse("r", r="ff0000"), "9x8", {PieceType.J: "ff0000"}, column=0)
    result = make_plan(task, "rows", ONE)
    other = Task.of(task.picture, "9x8", {PieceType.J: "ff0000"}, column=0).with_start(start)
    with pytest.raises(InputError, match="the plan starts on another board than the task"):
        PrintResult.of(other, result.plan, "rows")


def test_the_lowest_of_some_open_rows_clear_first() -> None:
    """Clearing from the top alone took 168 drops here, and 3 % more in a loop of the examples."""
    task = pair(40, 18, 9)
    result = make_plan(task, "rows", ONE)
    assert result.drops <= 138
    assert colors_left(result) == task.picture.cells()
