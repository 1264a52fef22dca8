"""Whole pictures, printed row by row and judged by a simulator of its own."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from tests.oracles.game import Square, replay
from tests.support.judge import play_in_oracle
from tests.support.strategies import PALETTE, sprites
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.pieces import PieceType, Placement
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.rows import _kernel
from tetrisprinter.planners.rows._kernel import PassSearch
from tetrisprinter.planners.rows.chooser import PassChooser, print_on_platform
from tetrisprinter.planners.rows.passes import PassFinder, make_stack
from tetrisprinter.planners.rows.row_print import print_clean
from tetrisprinter.planners.rows.target import RowState, RowStep, RowTarget
from tetrisprinter.planners.run import Stage, Work, WorkSpentError
from tetrisprinter.printing.task import Task, default_column

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


def test_boards_of_any_width() -> None:
    """What is not printed is what a theorem forbids."""
    printed, refused = 0, []
    for seed in range(12):
        rng = random.Random(seed)
        picture = noise(rng.randint(1, 12), rng.randint(1, 5), rng.randint(1, 3), seed)
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


def print_without_fallback(picture: Picture, background: str, **types: Any) -> dict[str, int]:
    """Print with no plan to fall back on; return which other ways were taken."""
    run = Run()
    task = Task.of(picture, background=background, **types)
    plan = make_plan(task, "rows", run).plan
    left = play_in_oracle(plan)
    shown = {cell: color for cell, color in left.items() if color != background}
    assert shown == {cell: c for cell, c in task.wanted.cells().items() if c != background}
    return run.fallbacks


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


def test_a_last_row_without_a_choice_before_a_background() -> None:
    """The rows below leave a number of squares with which it comes out even."""
    rows = [".rrrrrrrrr"] * 5 + ["._rrrrrrrr"] + [".rrrrrrrrr"] * 2 + ["..rrrrrrrr", "._rrrrrrrr"]
    rows += [".rrrrrrrrr"] * 2 + [".r_rrrrrrr", ".rrrggrrrr", ".rrrrrrrrr"]
    picture = Picture.parse("\n".join(rows), r=A, g=B, _="000000")
    assert not print_without_fallback(picture, "000000", board="10x22")


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


class _Interrupted(PassSearch):
    """A search during the growth of whose memory Ctrl-C comes."""

    def grow(self) -> bool:
        raise KeyboardInterrupt


def test_ctrl_c_while_memory_grows_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernel, "_FIRST", 16)
    monkeypatch.setattr(_kernel, "PassSearch", _Interrupted)
    with pytest.raises(KeyboardInterrupt):
        make_plan(Task.of(noise(12, 2, 2, 4)), "rows")
    monkeypatch.undo()
    plan_and_judge(noise(12, 2, 2, 4))


@pytest.mark.parametrize(
    ("word", "why"),
    [
        *(("ccccccpb", "too large"), ("ccccccc", "too large")),
        *((word, "not a stack") for word in ("", "bc", "x", "pbp", "10p")),
    ],
)
def test_what_is_no_stack_or_too_large_is_refused(word: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make_stack(word)


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


# ---- Rows printed from a clean state to a clean state.
HEIGHT = 14
BEAM = 60


def target_of(ground: frozenset[int], *rows: list[int]) -> RowTarget:
    """Return a target of sets of types for each square, over some squares of any type."""
    below = [0b11111110 * (x in ground) for x in range(len(rows[0]))]
    required = (frozenset(x for x, mask in enumerate(row) if mask) for row in (below, *rows))
    return RowTarget(tuple(map(tuple, (below, *rows))), tuple(required), HEIGHT)


def play(pieces: Iterable[Placement], start: Mapping[Square, str], width: int) -> dict[Square, str]:
    """Drop pieces on the squares of ``start``; the independent simulator checks each drop."""
    drops: list[dict[str, Any]] = []
    field = dict(start)
    for piece in pieces:
        y = max(
            max((fy + 1 for fx, fy in field if fx == piece.x + dx), default=0) - bottom
            for dx, bottom in enumerate(piece.orientation.bottom)
        )
        cells = [(piece.x + dx, max(0, y) + dy) for dx, dy in piece.orientation.cells]
        drops.append({"piece": piece.orientation.piece.name, "cells": cells})
        field = replay({"width": width, "height": HEIGHT, "drops": drops}, start)
    return field


def check(target: RowTarget, state: RowState, found: RowStep) -> None:
    """Play the passes on the rows below, and compare what they leave."""
    passes, after = found.list_drops(), found.after
    start = {(x, y): "?" for y in range(state.rows) for x in target.required[y]}
    start |= {(x, state.rows): "?" for x in state.carried}
    field = play((piece for one in passes for piece in one.pieces), start, target.width)
    assert field.keys() == {(x, y) for y in range(after.rows) for x in target.required[y]}
    for (x, y), name in field.items():
        known = name == "?" and y < state.rows
        assert known or target.allowed[y][x] >> PieceType[name] & 1
    assert after == target.make_clean_state(after.rows)


@pytest.mark.parametrize(
    ("ground", "row", "way"),
    [
        ({1, 2, 4, 6, 7, 8}, [0, 0, 8, 4, 0, 8, 4, 8, 0], Stage.IN_PARTS),
        ({4, 10}, [0, 0, 128, 2, 0, 2, 0, 64, 0, 128, 128], Stage.PLATFORM),
    ],
)
def test_a_hard_row_is_printed_in_parts_or_on_a_platform(
    ground: set[int], row: list[int], way: Stage
) -> None:
    target = target_of(frozenset(ground), row)
    state = target.make_clean_state(1)
    found = print_clean(target, state, BEAM)
    assert found is not None
    assert found.fallback is way
    check(target, state, found)


def test_rows_are_printed_together_where_one_alone_has_a_wrong_number() -> None:
    red = 1 << PieceType.L | 1 << PieceType.J
    row = [0, red, red, red, red, red, red, 0]
    target = target_of(frozenset(range(1, 7)), row, row)
    state = target.make_clean_state(1)
    assert print_clean(target, state, BEAM, 1) is None
    found = print_clean(target, state, BEAM, 2)
    assert found is not None
    assert found.fallback is Stage.TOGETHER
    check(target, state, found)


def test_what_is_carried_becomes_a_part_of_the_platform() -> None:
    row = [0, 0, 0, 0, 0, 0, 0, 1 << PieceType.L | 1 << PieceType.Z]
    target = target_of(frozenset({2}), row)
    finder = PassFinder(target.width, 200, patience=6)
    for carried in ({5}, {0, 3, 4, 5, 7}, {2}):  # over the last no platform can be built
        state = RowState(1, frozenset({2}), frozenset(carried))
        found = print_on_platform(target, finder, state)
        assert found is not None
        low = replace(target, height=5)
        assert print_on_platform(low, finder, state) is None, "no room for it"
        check(target, state, found)


def test_a_row_ends_when_its_work_is_spent() -> None:
    red = 1 << PieceType.L | 1 << PieceType.J
    target = target_of(frozenset(range(1, 7)), *[[0, red, red, red, red, red, red, 0]] * 2)
    with pytest.raises(WorkSpentError):
        print_clean(target, target.make_clean_state(1), BEAM, 2, Work(most=1e-6))
