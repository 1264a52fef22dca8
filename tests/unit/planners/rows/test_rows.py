"""Whole pictures, printed row by row and judged by a simulator of its own."""

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from tests.support.judge import play_in_oracle
from tests.support.strategies import PALETTE, sprites
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.rows.chooser import PassChooser
from tetrisprinter.planners.rows.target import RowState, RowStep
from tetrisprinter.printing.task import Task, default_column
from tetrisprinter.printing.types import share_types

A, B = PALETTE[:2]
QUICK = 0.4
"""Effort that is enough to see that all is legal."""


def plan_and_judge(
    picture: Picture,
    board: tuple[int, int] | str = "auto",
    types: str | Mapping[PieceType, str] = "auto",
    background: str | None = None,
    **run: Any,
) -> Plan:
    task = Task.of(picture, board, types, background)
    plan = make_plan(task, "rows", Run(Limit(effort=QUICK), **run)).plan
    column = default_column(picture.width, plan.width)
    left = play_in_oracle(plan)
    wanted = {(x + column, y): color for (x, y), color in picture.cells().items()}
    shown = {cell: color for cell, color in left.items() if color != background}
    assert shown == {cell: color for cell, color in wanted.items() if color != background}
    return plan


def draw_noise(seed: int, width: int, height: int, colors: int) -> Picture:
    """Make up a picture of at most that size, with a square of the first colour in each row."""
    rng = random.Random(seed)
    size = rng.randint(1, width), rng.randint(1, height)
    return noise(*size, rng.randint(1, colors), seed)


@pytest.mark.slow
def test_random_pictures_are_printed() -> None:
    for seed in range(8):
        plan_and_judge(draw_noise(seed, 20, 4, 5))


def test_boards_of_any_width() -> None:
    """What is not printed is what a theorem forbids."""
    printed, refused = 0, []
    for seed in range(12):
        picture = draw_noise(seed, 12, 5, 3)
        width = max(5, picture.width + 1 + seed % 6)
        try:
            plan_and_judge(picture, (width, picture.height + 8))
            printed += 1
        except JobError as error:
            refused.append(error.obstacle)
    assert printed == 9
    assert all(refused)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sprites(max_width=14, max_height=5, max_colors=3))
def test_squares_of_the_background_may_be_filled(sprite: Picture) -> None:
    colors = sprite.colors()
    assume(len(colors) > 1)  # else nothing has to be printed
    types = dict(zip((PieceType.J, PieceType.T, PieceType.L), colors, strict=False))
    rest = [piece for piece in PieceType if piece not in types]
    plan_and_judge(sprite, types=types | dict.fromkeys(rest, colors[0]), background=colors[0])


def noise(width: int, height: int, colors: int, seed: int) -> Picture:
    rng = random.Random(seed)
    rows = [[rng.choice((*PALETTE[:colors], None)) for _ in range(width)] for _ in range(height)]
    for row in rows:
        row[0] = PALETTE[0]
    return Picture(tuple(map(tuple, rows)))


def test_a_plain_shape_that_real_time_cannot_print() -> None:
    size = 24
    rows = [
        tuple(A if (2 * x - size + 1) ** 2 + (2 * y - size + 1) ** 2 <= size**2 else None
              for x in range(size))
        for y in range(size)
    ]  # fmt: skip
    plan_and_judge(Picture(tuple(rows)))


def print_without_fallback(picture: Picture, background: str, **types: Any) -> dict[str, int]:
    """Print with no plan to fall back on; return which other ways were taken."""
    run = Run()
    task = Task.of(picture, background=background, **types)
    plan = make_plan(task, "rows", run).plan
    left = play_in_oracle(plan)
    shown = {cell: color for cell, color in left.items() if color != background}
    assert shown == {cell: c for cell, c in task.wanted.cells().items() if c != background}
    return run.fallbacks


@pytest.mark.slow
@pytest.mark.parametrize("colors", [1, 3])
def test_rows_that_are_empty_but_for_the_background(colors: int) -> None:
    row = tuple(PALETTE[x % colors] for x in range(12))
    picture = Picture((row, (None,) * 12, (None,) * 12, row))
    print_without_fallback(picture, "ffffff")


@pytest.mark.parametrize("height", [1, 2])
def test_what_does_not_come_out_even_lies_above_the_picture(height: int) -> None:
    # Seven squares in every row of eight, on which only fours can be left.
    picture = Picture(((A, A, B, A, A, B, A),) * height)
    reported: list[str] = []
    kept: list[Plan] = []
    run = Run(report=lambda news: reported.append(str(news)), keep=kept.append)
    task = Task.of(picture, "8x16", "auto", "ffffff")
    plan = make_plan(task, "rows", run).plan
    left = play_in_oracle(plan)
    shown = {cell: color for cell, color in left.items() if color != "ffffff"}
    assert shown == task.wanted.cells()
    assert {y for _, y in left.keys() - shown.keys()} == {height}
    assert reported[-1] == f"row {height} of {height}, {len(plan)} pieces"
    # Whoever was interrupted before that continues from there; a pass may print two rows.
    for unfinished in kept:
        again = make_plan(task, "rows", Run(unfinished=unfinished)).plan
        assert again.passes[: len(unfinished.passes)] == unfinished.passes


def test_a_row_that_no_single_pass_prints() -> None:
    # The only type of its colour in every other column, and no lack of anything else.
    text = "jjjjjjjjjjjjjjjjjjjjjjjj\ntjttjtjtjtjtjljlllllllll\nllllllllllllllllllllllll"
    colors = dict(zip("jtl", PALETTE, strict=False))
    types = f"T={colors['t']},L={colors['l']},I={colors['j']},J={colors['j']},O={colors['j']}"
    print_without_fallback(Picture.parse(text, **colors), "ffffff", types=types)


def without_a_choice() -> Task:
    rows = [".rrrrrrrrr"] * 5 + ["._rrrrrrrr"] + [".rrrrrrrrr"] * 2 + ["..rrrrrrrr", "._rrrrrrrr"]
    rows += [".rrrrrrrrr"] * 2 + [".r_rrrrrrr", ".rrrggrrrr", ".rrrrrrrrr"]
    picture = Picture.parse("\n".join(rows), r=A, g=B, _="000000")
    return Task.of(picture, "10x22", "auto", "000000")


def test_a_last_row_without_a_choice_before_a_background() -> None:
    # The rows below leave a number of squares with which it comes out even.
    assert not print_without_fallback(without_a_choice().picture, "000000", board="10x22")


def test_an_interrupted_plan_goes_on() -> None:
    picture = noise(12, 5, 2, 4)
    so_far: list[Plan] = []
    types = share_types(picture)
    whole = plan_and_judge(
        picture, types=types, keep=so_far.append
    )  # others are tried from the start
    assert len(so_far) == picture.height
    for unfinished in so_far:
        again = plan_and_judge(picture, unfinished=Plan.parse(str(unfinished)))
        assert str(again).startswith(str(unfinished).rstrip())
    assert so_far[-1] == whole


@pytest.mark.slow
def test_where_a_plan_leads_nowhere_it_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task.of(noise(12, 5, 2, 4))
    kept: list[Plan] = []
    whole = make_plan(task, "rows", Run(Limit(), keep=kept.append)).plan
    # So that no other way can continue from there.
    unfinished = next(
        plan for plan in kept[:-1] if len(cells_of(plan)) > pixels(task, kept.index(plan))
    )
    next_step = PassChooser.find_next

    def stuck(steps: PassChooser, state: RowState) -> RowStep | None:
        if stuck_once and state.carried:
            stuck_once.pop()
            return None
        return next_step(steps, state)

    stuck_once = [1]
    monkeypatch.setattr(PassChooser, "find_next", stuck)
    notes: list[str] = []
    again = make_plan(task, "rows", Run(Limit(), note=notes.append, unfinished=unfinished)).plan
    assert again == whole
    assert notes == ["the unfinished plan: cannot be continued; starting picture over"]


def cells_of(plan: Plan) -> set[tuple[int, int]]:
    field = play_through(plan).field
    return {(x, y) for y, row in enumerate(field.rows) for x, v in enumerate(row) if v}


def pixels(task: Task, last: int) -> int:
    """How many squares the rows up to one have."""
    return sum(y <= last for _, y in task.picture.cells())


def test_a_background_that_has_no_type_is_gone_on_from() -> None:
    picture = noise(12, 4, 3, 7)
    background = picture.colors()[1]
    others = [color for color in picture.colors() if color != background]
    types = dict(zip((PieceType.J, PieceType.T), others, strict=True))
    kept: list[Plan] = []
    plan_and_judge(picture, (21, 42), types=types, background=background, keep=kept.append)
    plan_and_judge(picture, (21, 42), types=types, background=background, unfinished=kept[0])


def test_an_interrupted_plan_that_cannot_be_played() -> None:
    topped = Plan.parse("board 5x6 J=d03020\n\n" + "A....\n" * 4 + "\n" + "A....\n" * 4)
    with pytest.raises(InputError, match="some file: the plan cannot be played"):
        plan_and_judge(
            Picture.parse("r.r"),
            (5, 6),
            types="J=d03020",
            unfinished=topped,
            unfinished_name="some file",
        )


def test_what_it_refuses() -> None:
    with pytest.raises(InputError, match=f"no piece type has the colour {B}"):
        plan_and_judge(Picture(((A, B),)), (21, 42), types={PieceType.T: A})
    with pytest.raises(
        JobError, match=r"row 0 from the top: no way was found to print it.*; try a larger board"
    ):
        plan_and_judge(Picture(((A,),)), (21, 2), types={PieceType.T: A})


def test_a_picture_that_leads_nowhere_is_refused_once() -> None:
    """It began the same search again, without end, until it had taken 6 GB."""
    picture = Picture.parse(".......\n....g..\n.y.g...\n.y.....")
    with pytest.raises(JobError, match="cannot be printed over the carried squares"):
        make_plan(Task.of(picture, "8x5", "classic"), "rows")
