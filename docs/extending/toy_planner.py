"""Pictures made of squares of 2 x 2: an O into each."""

from tetrisprinter import Obstacle, PieceType, Placement, Plan, PrintResult, Run, Task
from tetrisprinter.game.pieces import list_orientations
from tetrisprinter.game.plan import Pass
from tetrisprinter.planners import Planner
from tetrisprinter.printing.obstacles import find_obstacle


class _Pairs:
    name = "pairs"
    summary = "lays O beside O"
    resumes = False  # it does not go on from a plan that was begun
    can_start_from_board = False  # nor from a board with squares on it

    def find_refusal(self, task: Task) -> Obstacle | None:
        if len(task.colors) > 1:
            return Obstacle("has more than one colour")
        return find_obstacle(task)  # what excludes the picture for every planner

    def plan(self, task: Task, run: Run) -> PrintResult:
        flat = list_orientations(PieceType.O)[0]
        pieces = tuple(
            Placement(flat, task.column + x, y)
            for y in range(0, task.picture.height, 2)
            for x in range(0, task.picture.width, 2)
            if task.picture.rows[y][x]
        )
        colors = ((PieceType.O, task.colors[0]),)
        drawn = Pass(task.picture.height, pieces)
        plan = Plan((drawn,), colors, task.board.width, task.board.height)
        return PrintResult.of(task, plan, self.name)


PAIRS: Planner = _Pairs()
