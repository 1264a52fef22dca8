"""What is proved of dealt pieces on small boards, and that the planner agrees with it."""

import random

import pytest

from tests.oracles.dealt_game import judge_dealt
from tests.oracles.dealt_graph import NAMES, Field, Graph, always, drops, never
from tetrisprinter.errors import JobError
from tetrisprinter.game.piece_queue import PieceQueue, QueueRules
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, make_plan
from tetrisprinter.printing.task import Task


def task_of(drawing: str, board: str, queue: str, hold: bool = True) -> Task:
    picture = Picture.parse(drawing.replace("#", "r").replace("/", "\n"))
    return Task.of(picture, board, pieces=QueueRules(PieceQueue.parse(queue).pieces, hold=hold))


def test_two_upright_squares_are_always_left_within_two_bags() -> None:
    graph = Graph.of(2, 8)
    target = graph.target("#./#.")
    assert always(graph, target) == 2
    assert always(graph, target, hold=False) is None


def test_a_bag_from_which_nobody_leaves_them_without_hold() -> None:
    graph = Graph.of(2, 8)
    lost = never(graph, graph.target("#./#."), 2)
    assert lost is not None
    fields: set[Field] = {()}
    for number, name in enumerate(lost):
        assert name not in lost[number // 7 * 7 : number]
        fields = {after for f in fields for after in drops(f, 2, 8, NAMES.index(name))}
        assert (1, 1) not in fields
    assert not fields
    with pytest.raises(JobError):
        make_plan(task_of("#./#.", "2x8", lost, hold=False), "dealt", Limit(effort=0.1))


@pytest.mark.slow
def test_a_piece_on_four_columns_is_always_left_within_a_bag() -> None:
    graph = Graph.of(4, 4)
    assert always(graph, graph.target("#.../###.")) == 1
    chance = random.Random(32)
    for _ in range(20):
        queue = "".join(chance.sample(NAMES, 7))
        result = make_plan(task_of("#.../###.", "4x4", queue), "dealt", Limit(effort=0.2))
        left = judge_dealt(result.log())
        assert left.keys() == {(0, 0), (1, 0), (2, 0), (0, 1)}
