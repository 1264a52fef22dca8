"""What the planner ``shortest`` promises, and proofs that a print is the shortest."""

from functools import partial

from tests.support.judge import judge
from tests.support.shortest import plan_shortest
from tests.support.strategies import PALETTE
from tetrisprinter.bounds.bound_search import prove_bound
from tetrisprinter.game.field import count_least_drops
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import make_plan
from tetrisprinter.planners.proved import WorkedTask, find_any_game, raise_bound
from tetrisprinter.planners.run import Progress
from tetrisprinter.printing.result import Proof
from tetrisprinter.printing.task import Task
from tetrisprinter.support.options import Limit


def test_a_time_limit_falls_back_on_the_candidate() -> None:
    rows = tuple(tuple(PALETTE[(x + y) % 3] for x in range(16)) for y in range(6))
    picture = Picture(rows)
    candidate = make_plan(Task.of(picture, "21x42", "classic"), "rows").plan
    result = plan_shortest(picture, time_limit=1e-9, candidates=[candidate])
    assert result.plan == candidate
    assert result.stopped


def test_progress_never_gets_worse() -> None:
    seen: list[Progress] = []

    def collect(step: Progress) -> None:
        seen.append(step)

    row = (PALETTE[0], None, PALETTE[0], PALETTE[1], None, PALETTE[0], None)
    plan_shortest(
        Picture((row, row)),
        types="auto",
        width=7,
        height=16,
        report=collect,
        effort=0.3,
        candidates=(),
    )
    assert seen
    drops = [step.drops for step in seen if step.drops is not None]
    assert drops == sorted(drops, reverse=True)
    bounds = [step.bound.drops if step.bound else 0 for step in seen]
    for news in ([step.fraction for step in seen], bounds):
        assert news == sorted(news)
    assert all(0 <= step.fraction <= 1 for step in seen)


# ---- A print is proved to be the shortest of all, or a shorter one is found.
PICTURE = Picture.parse("r.b.r.\n.b.r.b")
TYPES = {p: PICTURE.colors()[i % 2] for i, p in enumerate(PieceType)}
SETTING = {"width": 6, "height": 12, "types": TYPES, "column": 0}


def test_the_shortest_planner_proves_more_than_arithmetic() -> None:
    assert count_least_drops(6, len(PICTURE.cells())) == 3
    result = plan_shortest(PICTURE, **SETTING)  # type: ignore[arg-type]
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
    found = find_any_game(WorkedTask(task, 20.0))
    assert found is not None
    judge(found, PICTURE)
    assert found.proof is Proof.ALL_GAMES
    assert find_any_game(WorkedTask(task, 0.0)) is None
