"""Whole pictures, printed row by row and judged by a simulator of its own."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from tests.oracles.game import picture as replayed
from tests.support.planned import plan_with
from tests.support.strategies import PALETTE, sprites
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import drop_log, play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.rows.slices import Slices
from tetrisprinter.planners.rows.steps import Steps, StuckError
from tetrisprinter.planners.rows.target import State, Turn
from tetrisprinter.planners.stages import Stage
from tetrisprinter.printing.sharing import other_shares
from tetrisprinter.printing.task import Task, usual_column
from tetrisprinter.printing.types import TypeColors, share_types

A, B = PALETTE[:2]
QUICK = 0.4
"""Effort that is enough to see that all is legal."""


def planned(picture: Picture, board: tuple[int, int] | None = None, **options: Any) -> Plan:
    plan = plan_with("rows", picture, board, effort=QUICK, **options)
    column = usual_column(picture.width, plan.width)
    background = options.get("background")
    left = replayed(drop_log(plan, play_through(plan)))
    wanted = {(x + column, y): color for (x, y), color in picture.cells().items()}
    shown = {cell: color for cell, color in left.items() if color != background}
    assert shown == {cell: color for cell, color in wanted.items() if color != background}
    return plan


def scattered(seed: int, width: int, height: int, colors: int) -> Picture:
    """Make up a picture of at most that size, with a square of the first colour in each row."""
    rng = random.Random(seed)
    size = rng.randint(1, width), rng.randint(1, height)
    return noise(*size, rng.randint(1, colors), seed)


def count_printed_where_the_real_time_planner_prints(pictures: Iterable[Picture]) -> int:
    printed = 0
    for picture in pictures:
        try:
            plan_with("realtime", picture)
        except JobError:
            continue
        planned(picture)
        printed += 1
    return printed


@pytest.mark.slow
def test_what_is_printed_in_real_time_is_printed() -> None:
    pictures = [scattered(seed, 14, 3, 5) for seed in range(6)]
    assert count_printed_where_the_real_time_planner_prints(pictures) == 6


def test_the_shorter_of_two_ways_to_choose_passes_counts() -> None:
    def made(seed: int) -> Picture:
        rng = random.Random(seed)
        squares = [None, *2 * PALETTE[:2]]
        return Picture(tuple(tuple(rng.choice(squares) for _ in range(9)) for _ in range(5)))

    pictures = [made(seed) for seed in (8, 3)]
    types = [share_types(picture) for picture in pictures]
    pairs = [
        (
            len(planned(one, (11, 22), types=way)),
            len(planned(one, (11, 22), types=way, candidates=())),
        )
        for one, way in zip(pictures, types, strict=True)
    ]  # with plans to beat, even none, there is one way
    assert all(both <= one for both, one in pairs)
    assert any(both < one for both, one in pairs)


@pytest.mark.slow
def test_larger_pictures_printed_in_real_time_are_printed() -> None:
    pictures = [scattered(seed, 20, 4, 5) for seed in range(6, 12)]
    assert count_printed_where_the_real_time_planner_prints(pictures) == 6


def test_boards_of_any_width() -> None:
    """What is not printed is what a theorem forbids."""
    printed, refused = 0, []
    for seed in range(12):
        picture = scattered(seed, 12, 5, 3)
        width = max(5, picture.width + 1 + seed % 6)
        try:
            planned(picture, (width, picture.height + 8))
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
    planned(sprite, types=types | dict.fromkeys(rest, colors[0]), background=colors[0])


def noise(width: int, height: int, colors: int, seed: int) -> Picture:
    rng = random.Random(seed)
    rows = [[rng.choice((*PALETTE[:colors], None)) for _ in range(width)] for _ in range(height)]
    for row in rows:
        row[0] = PALETTE[0]
    return Picture(tuple(map(tuple, rows)))


@pytest.mark.slow
def test_a_row_of_many_colours_is_no_longer_than_in_real_time() -> None:
    colors = (1, 2, 4, 2, 3, 3, 0, 0, 2, 4)
    row = Picture((tuple(PALETTE[color] for color in colors),))
    known = len(plan_with("realtime", row, (14, 11), types="auto"))
    assert len(plan_with("rows", row, (14, 11), types="auto", candidates=())) <= known


@pytest.mark.slow
def test_shorter_than_in_real_time() -> None:
    for picture in (noise(16, 6, 3, 1), noise(30, 4, 5, 2)):
        assert 3 * len(planned(picture)) < 2 * len(plan_with("realtime", picture))


def test_a_plan_in_real_time_is_there_before_a_limit_of_time_is_up() -> None:
    task = Task.of(noise(9, 3, 2, 0), "11x22", "auto")

    def told(limit: Limit) -> list[str]:
        news: list[str] = []
        result = make_plan(task, "rows", Run(limit, lambda one: news.append(str(one))))
        assert Stage.REAL_TIME not in result.made_by
        return news

    assert told(Limit(seconds=100))[0].startswith("in real time")
    assert not told(Limit())[0].startswith("in real time")


def test_a_plain_shape_that_real_time_cannot_print() -> None:
    size = 24
    rows = [
        tuple(A if (2 * x - size + 1) ** 2 + (2 * y - size + 1) ** 2 <= size**2 else None
              for x in range(size))
        for y in range(size)
    ]  # fmt: skip
    planned(Picture(tuple(rows)))


def by_itself(picture: Picture, background: str, **types: Any) -> dict[str, int]:
    """Print with no plan to fall back on; return which other ways were taken."""
    run = Run(candidates=())
    task = Task.of(picture, background=background, **types)
    plan = make_plan(task, "rows", run).plan
    left = replayed(drop_log(plan, play_through(plan)))
    shown = {cell: color for cell, color in left.items() if color != background}
    assert shown == {cell: c for cell, c in task.wanted.cells().items() if c != background}
    return run.fallbacks


@pytest.mark.slow
@pytest.mark.parametrize("colors", [1, 3])
def test_rows_that_are_empty_but_for_the_background(colors: int) -> None:
    row = tuple(PALETTE[x % colors] for x in range(12))
    picture = Picture((row, (None,) * 12, (None,) * 12, row))
    by_itself(picture, "ffffff")


@pytest.mark.parametrize("height", [1, 2])
def test_what_does_not_come_out_even_lies_above_the_picture(height: int) -> None:
    # Seven squares in every row of eight, on which only fours can be left.
    picture = Picture(((A, A, B, A, A, B, A),) * height)
    told: list[str] = []
    kept: list[Plan] = []
    run = Run(candidates=(), tell=lambda news: told.append(str(news)), keep=kept.append)
    task = Task.of(picture, "8x16", "auto", "ffffff")
    plan = make_plan(task, "rows", run).plan
    left = replayed(drop_log(plan, play_through(plan)))
    shown = {cell: color for cell, color in left.items() if color != "ffffff"}
    assert shown == task.wanted.cells()
    assert {y for _, y in left.keys() - shown.keys()} == {height}
    assert told[-1] == f"row {height} of {height}"
    # Whoever was interrupted before that goes on from there; a pass may print two rows.
    for begun in kept:
        again = make_plan(task, "rows", Run(candidates=(), begun=begun)).plan
        assert again.passes[: len(begun.passes)] == begun.passes


def test_a_row_that_no_single_pass_prints() -> None:
    # The only type of its colour in every other column, and no lack of anything else.
    text = "jjjjjjjjjjjjjjjjjjjjjjjj\ntjttjtjtjtjtjljlllllllll\nllllllllllllllllllllllll"
    colors = dict(zip("jtl", PALETTE, strict=False))
    types = f"T={colors['t']},L={colors['l']},I={colors['j']},J={colors['j']},O={colors['j']}"
    by_itself(Picture.parse(text, **colors), "ffffff", types=types)


def without_a_choice() -> Task:
    rows = [".rrrrrrrrr"] * 5 + ["._rrrrrrrr"] + [".rrrrrrrrr"] * 2 + ["..rrrrrrrr", "._rrrrrrrr"]
    rows += [".rrrrrrrrr"] * 2 + [".r_rrrrrrr", ".rrrggrrrr", ".rrrrrrrrr"]
    picture = Picture.parse("\n".join(rows), r=A, g=B, _="000000")
    return Task.of(picture, "10x22", "auto", "000000")


def test_before_a_background_types_are_shared_in_several_ways() -> None:
    picture = noise(6, 4, 2, 1)
    rows = tuple(("000000", *row[1:]) for row in picture.rows)
    task = Task.of(Picture(rows), "9x16", "auto", "000000")

    def drops(task: Task, **candidates: Any) -> int:
        return make_plan(task, "rows", Run(**candidates)).drops

    ways = [share_types(task.picture, "000000"), *other_shares(task.picture, "000000")]
    assert len(ways) == 6
    by_way = [drops(replace(task, types=TypeColors.of(way)), candidates=()) for way in ways]
    assert drops(task, candidates=()) == min(by_way) < by_way[0]


def test_a_last_row_without_a_choice_before_a_background() -> None:
    # The rows below leave a number of squares with which it comes out even.
    assert not by_itself(without_a_choice().picture, "000000", board="10x22")


@pytest.mark.slow
def test_on_few_columns_types_are_shared_in_two_ways() -> None:
    for seed in range(3):
        picture = noise(8, 4, 2, seed)
        task = Task.of(picture, "11x16")
        shared = [share_types(picture), *other_shares(picture)]
        plans = [planned(picture, (11, 16), types=types, candidates=()) for types in shared]
        found = make_plan(task, "rows", Run(Limit(effort=QUICK), candidates=())).plan
        assert len(found) == min(map(len, plans))


@pytest.mark.slow
def test_same_seed_same_plan() -> None:
    picture = noise(12, 5, 2, 3)
    assert str(planned(picture)) == str(planned(picture))


def test_an_interrupted_plan_goes_on() -> None:
    picture = noise(12, 5, 2, 4)
    so_far: list[Plan] = []
    types = share_types(picture)
    whole = planned(picture, types=types, keep=so_far.append)  # others are tried from the start
    assert len(so_far) == picture.height
    for begun in so_far:
        again = planned(picture, begun=Plan.parse(str(begun)))
        assert str(again).startswith(str(begun).rstrip())
    assert so_far[-1] == whole
    with pytest.raises(InputError, match="does not leave the lowest rows"):
        planned(noise(12, 5, 2, 5), begun=so_far[2])
    with pytest.raises(InputError, match="for a board of"):
        planned(picture, (25, 20), begun=so_far[2])


@pytest.mark.slow
def test_where_a_plan_leads_nowhere_it_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task.of(noise(12, 5, 2, 4))
    kept: list[Plan] = []
    whole = make_plan(task, "rows", Run(Limit(), keep=kept.append)).plan
    # So that nobody else can go on from there.
    begun = next(plan for plan in kept[:-1] if len(cells_of(plan)) > pixels(task, kept.index(plan)))
    next_step = Steps.next

    def stuck(steps: Steps, state: State) -> Slices[Turn]:
        if stuck_once and state.carried:
            stuck_once.pop()
            raise StuckError
        return (yield from next_step(steps, state))

    stuck_once = [1]
    monkeypatch.setattr(Steps, "next", stuck)
    notes: list[str] = []
    again = make_plan(task, "rows", Run(Limit(), note=notes.append, begun=begun)).plan
    assert again == whole
    assert notes == ["the plan to go on from: leads nowhere; picture is begun anew"]


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
    planned(picture, (21, 42), types=types, background=background, keep=kept.append)
    planned(picture, (21, 42), types=types, background=background, begun=kept[0])


def test_an_interrupted_plan_that_cannot_be_played() -> None:
    topped = Plan.parse("board 5x6 J=d03020\n\n" + "A....\n" * 4 + "\n" + "A....\n" * 4)
    with pytest.raises(InputError, match="some file: cannot be played"):
        planned(
            Picture.parse("r.r"), (5, 6), types="J=d03020", begun=topped, begun_name="some file"
        )


def test_what_it_refuses() -> None:
    with pytest.raises(InputError, match=f"no piece type has the colour {B}"):
        planned(Picture(((A, B),)), (21, 42), types={PieceType.T: A})
    with pytest.raises(JobError, match="row 0 from the top could not be printed"):
        planned(Picture(((A,),)), (21, 2), types={PieceType.T: A})


@pytest.mark.parametrize("planner", ["auto", "rows", "realtime", "direct"])
def test_when_the_time_is_up_there_may_be_no_plan(planner: str) -> None:
    with pytest.raises(JobError, match="in the time given"):
        make_plan(Task.of(noise(16, 6, 3, 1)), planner, Limit(seconds=1e-9))


def test_when_the_time_is_up_it_is_the_plan_to_be_beaten() -> None:
    task = Task.of(noise(16, 6, 3, 1))
    known = make_plan(task, "realtime").plan
    result = make_plan(task, "rows", Run(Limit(seconds=1e-9), candidates=(known,)))
    assert result.stopped
    assert result.plan == known


@pytest.mark.slow
def test_a_plan_by_somebody_else_is_beaten_or_taken() -> None:
    task = Task.of(noise(12, 4, 2, 6))
    own = make_plan(task, "rows", Run(candidates=())).plan
    longer = make_plan(task, "realtime").plan
    assert len(own) < len(longer)
    assert make_plan(task, "rows", Run(candidates=(longer,))).plan == own
    kept: list[Plan] = []
    quick = Run(Limit(effort=0.1), keep=kept.append, candidates=(longer, own))
    taken = make_plan(task, "rows", quick).plan
    assert len(taken) <= len(own)
    assert kept[-1] == taken
