"""Planning with a piece queue: the pieces are given or come in bags of seven, perhaps with hold.

:data:`DEALT` is the entry point. Behind it, from the bottom: ``beam`` (the goal, the
board and the queue, and the beam search) and ``players`` (games of which all pieces are known, and
a player who sees only some pieces ahead).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from tetrisprinter.errors import Hint, JobError, Obstacle, Setting
from tetrisprinter.game.field import Board
from tetrisprinter.game.pieces import PieceType, list_orientations
from tetrisprinter.planners.run import Progress, Run
from tetrisprinter.printing.obstacles import find_obstacle
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task

__all__ = ["DEALT", "DealtPlanner"]

_SPAWN_COLUMNS = max(orientation.width for orientation in list_orientations(PieceType.I))
"""Columns that an I needs to spawn by the guideline rules."""
_MAX_TILTS = {
    piece: max(abs(sum((-1) ** x for x, _ in o.cells)) for o in list_orientations(piece))
    for piece in PieceType
}
"""The largest difference between a piece's numbers of cells in even and in odd columns: 0 for O, S
and Z, 2 for J, L and T, 4 for I."""


@dataclass(frozen=True, slots=True)
class DealtPlanner:
    """The planner ``dealt``."""

    name: str = "dealt"
    summary: str = "plays the pieces of a queue in order (see --pieces)"
    resumes: bool = False
    can_start_from_board: bool = False

    def find_refusal(self, task: Task) -> Obstacle | None:
        """Return why the task cannot be planned: an obstacle for all planners or for this one."""
        if task.pieces is None:
            return Obstacle(
                "has no piece queue, which the planner dealt needs",
                (Hint("{} may use any piece at any time", Setting.OTHER_PLANNER),),
            )
        from tetrisprinter.planners.dealt._kernel_states import COLUMNS, ROWS

        largest = Board(COLUMNS, ROWS)
        if not largest.has_room_for(task.board.width, task.board.height):
            return Obstacle(
                f"needs a smaller board than {task.board}; the planner dealt supports at most "
                f"{largest}",
                (Hint("{} 10x20 is usual", Setting.BOARD),),
            )
        return (
            _explain_unsteered(task)
            or find_obstacle(replace(task, pieces=None))
            or _explain_scarcity(task)
        )

    def plan(self, task: Task, run: Run) -> PrintResult:
        """Find a game that uses the pieces in the order of the queue."""
        from tetrisprinter.game.piece_queue import PieceQueue
        from tetrisprinter.game.replay import make_plan_from_drops
        from tetrisprinter.planners.dealt.beam import choose_types, make_dealt_target
        from tetrisprinter.planners.dealt.players import find_known_game, play_with_preview

        assert task.pieces is not None
        began = time.monotonic()
        types = choose_types(task)
        is_queue_known = task.pieces.preview is None
        game = (find_known_game if is_queue_known else play_with_preview)(
            make_dealt_target(task, types),
            task.pieces,
            run.stop,
            lambda done, drops: run.report(Progress("dealt pieces", done, drops)),
            effort=run.limit.effort,
            seed=run.limit.seed,
        )
        if game is None:
            run.check_time(task.name)
            raise JobError(
                f"{task.name}: no game was found with these pieces: {task.pieces}",
                Hint("{} may find one", Setting.EFFORT),
            )
        for _ in range(game.given_up):
            run.log_fallback("gave up unfinished rows", task.name)
        plan = make_plan_from_drops(
            game.moves, tuple(types.items()), task.board.width, task.board.height
        )
        queue = PieceQueue(task.pieces.deal(len(plan) + 2), task.pieces.hold)
        plan = replace(plan, queue=queue.trim_to_played(plan.list_types()))
        result = PrintResult.of(task, plan, self.name, time.monotonic() - began)
        return replace(result, stopped=game.stopped)


def _explain_unsteered(task: Task) -> Obstacle | None:
    """Return why pieces cannot be steered on this board; None if they can, or are hard-dropped."""
    from tetrisprinter.planners.dealt.beam import SPAWN_ROOM, count_usable_rows

    assert task.pieces is not None
    if not task.pieces.steered:
        return None
    if task.board.width < _SPAWN_COLUMNS:
        return Obstacle(
            f"needs a wider board than {task.board}; an I has no room to spawn by the "
            "guideline rules",
            (Hint("{} 10x20 is usual", Setting.BOARD),),
        )
    if task.picture.height <= count_usable_rows(task):
        return None
    return Obstacle(
        f"has {task.picture.height} rows, but with steered pieces on {task.board} only "
        f"{count_usable_rows(task)} can be used: {SPAWN_ROOM} below the spawn rows stay free",
        (_suggest_rows(task),),
    )


def _suggest_rows(task: Task) -> Hint:
    """Suggest a board with enough usable rows; if none exists, suggest a lower picture."""
    from tetrisprinter.planners.dealt.beam import SPAWN_ROOM, count_usable_rows

    width, lowest_height = task.board.width, task.picture.height + SPAWN_ROOM
    for height in range(lowest_height, lowest_height + SPAWN_ROOM):
        board = Board(width, height)
        if count_usable_rows(replace(task, board=board)) >= task.picture.height:
            return Hint(f"{{}} {board} has room", Setting.BOARD)
    return Hint(f"{{}} {width}x{count_usable_rows(task)} scales it", Setting.FIT)


def _explain_scarcity(task: Task) -> Obstacle | None:
    """Return why a given queue has too few cells in all or in some columns; None if it has enough.

    The cells of a piece in even and in odd columns differ in number by at most :data:`_MAX_TILTS`.
    If the width is even, a row that clears takes equally many cells from both.
    """
    assert task.pieces is not None
    queue = task.pieces.queue
    if not queue:
        return None
    hints = (Hint("{} may work", Setting.PIECES),)
    if 4 * len(queue) < task.pixels:
        return Obstacle(
            f"has {task.pixels} squares, but the queue of {len(queue)} pieces has only "
            f"{4 * len(queue)}",
            hints,
            "queue",
        )
    if task.board.width % 2 or task.background is not None:
        return None
    tilt = sum(1 - 2 * ((x + task.column) % 2) for x, _ in task.picture.cells())
    max_tilt = sum(_MAX_TILTS[piece] for piece in queue)
    if abs(tilt) <= max_tilt:
        return None
    return Obstacle(
        f"has {abs(tilt)} squares more in {'even' if tilt > 0 else 'odd'} columns than in the "
        f"others, but the pieces of the queue can leave at most {max_tilt} more",
        hints,
        "columns",
    )


DEALT = DealtPlanner()
