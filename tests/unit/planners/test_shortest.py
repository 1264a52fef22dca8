"""What the planner ``shortest`` promises, and proofs that a print is the shortest."""

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from tests.oracles.truth import find_fewest_drops
from tests.support.judge import judge
from tests.support.small_tasks import draw_printable_task, draw_task, find_truth
from tests.support.strategies import PALETTE
from tetrisprinter.bounds.bound_search import prove_bound
from tetrisprinter.errors import JobError
from tetrisprinter.game.field import count_least_drops
from tetrisprinter.game.pieces import ORIENTATIONS, PieceType, Placement
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.pictures.picture import Color, Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.proved import find_any_game, raise_bound
from tetrisprinter.planners.run import Stage
from tetrisprinter.printing.obstacles import OBSTACLES
from tetrisprinter.printing.result import PrintResult, Proof
from tetrisprinter.printing.task import Task, make_open_target, make_target
from tetrisprinter.printing.types import has_dont_care_squares


def plan_shortest(
    picture: Picture,
    board: tuple[int, int],
    types: str | Mapping[PieceType, str] = "auto",
    background: str | None = None,
    candidates: Sequence[Plan] = (),
    **limit: Any,
) -> PrintResult:
    """Run the shortest planner, in this process, from the plans ``candidates``."""
    run = Run(Limit(workers=1, **limit), known=tuple(candidates))
    return make_plan(Task.of(picture, board, types, background, 0), "shortest", run)


# ---- A print is proved to be the shortest of all, or a shorter one is found.
PICTURE = Picture.parse("r.b.r.\n.b.r.b")
TYPES = {p: PICTURE.colors()[i % 2] for i, p in enumerate(PieceType)}


def test_the_shortest_planner_proves_more_than_arithmetic() -> None:
    assert count_least_drops(6, len(PICTURE.cells())) == 3
    result = plan_shortest(PICTURE, (6, 12), TYPES)
    assert (result.drops, result.bound, result.proof) == (6, 6, Proof.ALL_GAMES)


def test_a_longer_print_becomes_the_shortest() -> None:
    task = Task.of(PICTURE, (6, 12), TYPES, None, 0)
    long = make_plan(task, "rows", Limit(workers=1))
    short = raise_bound(long)
    assert short.drops == 6 < long.drops
    assert short.proof is Proof.ALL_GAMES
    assert short.planner == "rows"
    assert short.fallbacks == long.fallbacks


def test_what_is_not_proved_is_not_claimed() -> None:
    task = Task.of(PICTURE, (6, 12), TYPES, None, 0)
    long = make_plan(task, "rows", Limit(workers=1))
    begun = raise_bound(long, partial(prove_bound, steps=0))
    assert (begun.drops, begun.proof) == (long.drops, long.proof)
    early = raise_bound(long, partial(prove_bound, work=1e-9))
    assert early.proof is not Proof.ALL_GAMES
    assert long.bound < early.bound < early.drops  # parts are counted in no time


def test_any_game_of_a_low_board_is_a_shortest_one() -> None:
    """The board has two rows above the picture, and the work may be too little."""
    task = Task.of(PICTURE, (6, 4), TYPES, None, 0)
    found = find_any_game(task, 20.0)
    assert found is not None
    judge(found, PICTURE)
    assert found.proof is Proof.ALL_GAMES
    assert find_any_game(task, 0.0) is None


# ---- The background is a colour: what is claimed is held against all games, for every option.
A, B, C = PALETTE[:3]
GREY = "808080"
HEIGHT = 8


def draw(*rows: str) -> Picture:
    """Return a picture, drawn from its top; ``g`` is the background's colour."""
    colors = {"a": A, "b": B, "c": C, "g": GREY, ".": None}
    return Picture(tuple(tuple(colors[c] for c in row) for row in reversed(rows)))


def plan_briefly(picture: Picture, background: Color | None, **options: Any) -> PrintResult:
    """Plan for a board as wide as the picture, not for long."""
    board = picture.width, HEIGHT
    return plan_shortest(picture, board, background=background, effort=0.1, **options)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [("a....", ".....", "a...."), ("a...",), ("aaa.", "aaag")])
def test_pictures_that_only_unseen_squares_print(rows: tuple[str, ...]) -> None:
    """An empty row; an odd number of squares on an even width; no multiple of four."""
    picture = draw(*rows)
    hidden = Picture(tuple(tuple(c if c == A else None for c in row) for row in picture.rows))
    with pytest.raises(JobError, match="a type have the colour of empty squares"):
        plan_briefly(hidden, None)
    with pytest.raises(JobError, match="a type the colour of the background"):
        plan_briefly(hidden, GREY, types=dict.fromkeys(PieceType, A))
    with pytest.raises(JobError, match="a type may also get the background colour"):
        plan_briefly(hidden, GREY, types="classic")
    result = plan_briefly(picture, GREY)
    judge(result, picture, GREY)
    assert GREY in dict(result.plan.colors).values()


def test_with_seven_colours_no_type_is_left_for_the_background() -> None:
    picture = Picture(tuple((color, None, None) for color in PALETTE))
    assert make_open_target(picture, 3, 12, 0, GREY).count_spare() == 0
    assert not has_dont_care_squares(picture, "auto", GREY)
    assert has_dont_care_squares(Picture(picture.rows[:6]), "auto", GREY)
    assert make_open_target(picture, 3, 12, 0, PALETTE[0]).dont_care_shade == 7
    wide = Picture(tuple((*row, *[None] * 5) for row in picture.rows))
    with pytest.raises(JobError, match=r"6 and .* leave a type free"):
        plan_shortest(wide, (8, 12))


def test_a_candidate_counts_when_it_was_checked() -> None:
    """One leaves another picture, one has other types, one does not fit under the ceiling."""
    flat = next(o for o in ORIENTATIONS if o.piece is PieceType.I and o.width == 4)

    def plan(color: Color, count: int = 1, x: int = 0) -> Plan:
        pieces = tuple(Placement(flat, x, y) for y in range(count))
        return Plan((Pass(count, pieces),), ((PieceType.I, color),), 5, HEIGHT)

    picture = draw("aaaa.", "aaaa.")
    for wrong in (plan(A), plan(B, 2), plan(A, 2, 1), plan(A, HEIGHT + 1)):
        result = plan_briefly(picture, None, candidates=[wrong])
        assert (result.drops, result.proof) == (2, Proof.ALL_GAMES)
        assert result.made_by == (Stage.FIRST,)
    types = {PieceType.I: B, PieceType.O: A}
    result = plan_briefly(picture, None, types=types, candidates=[plan(A, 2)])
    assert result.made_by != (Stage.KNOWN,)
    judge(result, picture)
    right = plan_briefly(picture, None, candidates=[plan(A, 2)])
    assert right.made_by == (Stage.KNOWN,)


# ---- Small boards: whatever some game prints has a plan, and none is wrong.
# ``scripts/fuzz truth`` checks thousands of tasks.
RED, GREY = "d02030", "808080"


@pytest.mark.parametrize(
    ("rows", "board", "types", "background", "drops"),
    [
        ("..r./.rr./..r./..r./.rr./.r..", "4x12", "auto", None, 2),
        ("...r.", "5x3", "classic", None, 4),
        ("rrr.", "4x3", f"J={RED},T={GREY}", GREY, 2),
        # As low as the picture: rows must go before others come into sight.
        (".r./.r.", "3x3", f"I={RED},L={RED}", None, 2),
        ("...r/r.rr", "4x3", f"I={RED},S={RED},T={RED}", None, 3),
    ],
)
def test_pictures_without_a_plan_once(
    rows: str, board: str, types: str, background: str | None, drops: int
) -> None:
    picture = Picture.parse(rows.replace("/", "\n"), r=RED)
    task = Task.of(picture, board, types, background, 0)
    result = make_plan(task, "shortest", Limit(workers=1))
    judge(result, task.wanted, background)
    assert result.drops == drops


@pytest.mark.parametrize("seed", range(12))
def test_what_a_game_leaves_is_printed(seed: int) -> None:
    task, drops = draw_printable_task(random.Random(seed), (4, 6), 5)
    result = make_plan(task, "shortest", Limit(workers=1, effort=0.3))
    judge(result, task.wanted, task.background)
    assert result.bound <= drops


@pytest.mark.parametrize("seed", range(12))
def test_what_is_refused_has_no_short_game(seed: int) -> None:
    task = draw_task(random.Random(seed), (4, 6))
    truth = find_truth(task, max_drops=4, states=50_000)
    if truth.drops is not None:
        result = make_plan(task, "shortest", Limit(workers=1, effort=0.3))
        judge(result, task.wanted, task.background)
        assert result.bound <= truth.drops
        if result.proof is Proof.ALL_GAMES:
            assert result.drops == truth.drops


def test_runs_of_o_alone_are_judged_as_the_oracle_judges_them() -> None:
    """Every row of four squares or less on five columns, O the only type to be seen."""
    for bits in range(1, 31):
        row = tuple(PALETTE[0] if bits >> x & 1 else None for x in range(5))
        target = make_target(Picture((row,)), {PieceType.O: PALETTE[0]}, 5, 10, 0)
        game = find_fewest_drops(
            5, 10, {(x, 0): 0 for x in range(5) if row[x]}, {"O": 0}, most=6, states=20_000
        )
        runs = "".join("#" if color else "." for color in row).split(".")
        odd = any(len(run) % 2 for run in runs)
        assert any(theorem.find_place(target) is not None for theorem in OBSTACLES) == odd
        if odd:
            assert game.drops is None
        else:
            assert game.drops is not None
            result = plan_shortest(Picture((row,)), (5, 10), {PieceType.O: PALETTE[0]})
            judge(result, Picture((row,)))
            assert result.drops == game.drops
