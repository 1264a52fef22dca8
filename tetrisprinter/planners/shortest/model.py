"""One CP-SAT model for a whole list of passes.

The solver is given an ordered list of *optional* passes and decides together which of
them happen, what each prints and how its matrix is filled. Deciding jointly matters: a
pass that looks good alone often leaves squares that the next ones cannot reach.

**Variables.** A boolean per pass (does it happen); per picture square a boolean wherever
a pass may have changed whether it is printed; per placement and level one boolean; and
``late[cell, k]`` for the cells of a pass: whatever is dropped into the cell has level
``k`` or more.

**Constraints** of a pass that happens, all of them local to a few columns:

* every cell of a clearing row is covered once; a picture square is printed afterwards
  iff it was before or a placement covers it now;
* a square can only be printed where nothing lies above it yet (*access*), and nothing at
  all lies at the base or above when a pass with clearing rows begins;
* ``late`` never decreases up a column, holes included, since whatever lands below a cell
  has to pass it;
* exactly one piece covering clearing row ``r`` has level ``r + 1`` or more;
* some column of a piece stands on something: the floor, a printed square, a cell of its
  own matrix whose row is not complete yet. Going down from its foot, a clearing row below
  the piece's level has gone and the next row counts. A piece that covers a row itself
  proves that the row is still there.
* squares of a row that a pass begins (``b``) are printed like others; the next pass that
  clears rows has its base there, finds them in its lowest row, and nothing comes to lie
  over or under them before.
* ``4 * pieces = width * lines + squares printed``: implied, but no solver sees it
  through the exact cover, and without it proofs take ten times as long.

The objective is the number of drops. Settings were chosen by measurement: one worker, no
linear relaxation and core-based optimisation find and prove in seconds what the default
portfolio does not find in minutes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.planners.shortest.game import Found, Game, Limits, Played
from tetrisprinter.planners.shortest.passes import BEGUN, Slice, Spot, drawings, drop_order, spots
from tetrisprinter.printing.target import standing_runs, ways_to_reach

__all__ = ["solve"]

Literal = Any  # a solver's literal, or a bool where the value is known

Covering = dict[tuple[int, int], list[tuple[Spot, int, Any]]]
"""For each (x, virtual row) the placements that cover it: with level and literal."""


class _Builder:
    """Builds the model pass by pass; ``self.state`` is what is printed so far."""

    def __init__(self, game: Game) -> None:
        from ortools.sat.python import cp_model

        self.game = game
        self.model = cp_model.CpModel()
        self.width = game.target.width
        self.state: dict[Cell, Literal] = dict.fromkeys(game.start, True)
        self.active: list[Literal] = []
        self.variables: list[list[tuple[Spot, int, Any]]] = []
        self.shows: dict[tuple[PieceType, int], Any] = {}
        if game.target.shades is not None:
            shades = {shade for row in game.target.shades for shade in row if shade}
            for piece in PieceType:
                for shade in sorted(shades):
                    self.shows[piece, shade] = self.model.new_bool_var("")
                self.model.add_at_most_one(self.shows[piece, shade] for shade in shades)
        for cut in game.slices:
            self._add_pass(cut)
        self._finish()

    # -- literals that may be constants ------------------------------------------------

    def _not(self, literal: Literal) -> Literal:
        return (not literal) if isinstance(literal, bool) else literal.negated()

    def _clause(self, *literals: Literal) -> None:
        """Add a disjunction, dropping what is known."""
        if not any(literal is True for literal in literals):
            self.model.add_bool_or([x for x in literals if x is not False])

    def _exactly_one(self, literals: Sequence[Literal]) -> None:
        known = sum(literal is True for literal in literals)
        rest = [x for x in literals if not isinstance(x, bool)]
        if known == 0:
            self.model.add_exactly_one(rest)
        else:
            for x in rest:
                self.model.add_bool_or([x.negated()])
            if known > 1:
                self.model.add_bool_or([])

    # -- one pass ----------------------------------------------------------------------

    def _add_pass(self, cut: Slice) -> None:
        before = self.state
        closed = frozenset(c for c, v in before.items() if v is True)
        found = spots(cut, self.game.target, closed)
        rows = cut.rows()
        lines = cut.lines
        active: Literal = self.model.new_bool_var("") if lines and not self.game.all_used else True
        begun = self._begun(cut)
        if lines:
            for (x, y), literal in before.items():
                if y >= cut.base and not (y == BEGUN + cut.base and x in begun):
                    if literal is True:
                        if active is True:
                            self.model.add_bool_or([])
                        active = False
                        break
                    self._clause(self._not(active), self._not(literal))
        self.active.append(active)
        if active is False:
            self.variables.append([])
            return

        covering: Covering = defaultdict(list)
        variables: list[tuple[Spot, int, Any]] = []
        height_of = {y: v for v, y in enumerate(rows)}
        for spot in found:
            cells = [(x, height_of[~r]) for x, r in spot.matrix]
            cells += [(x, height_of[y]) for x, y in spot.picture]
            for level in spot.levels:
                literal = self.model.new_bool_var("")
                variables.append((spot, level, literal))
                for cell in cells:
                    covering[cell].append((spot, level, literal))
                if not spot.matrix and active is not True:
                    self.model.add_implication(literal, active)
                if spot.shade:
                    shown = self.shows[spot.placement.orientation.piece, spot.shade]
                    self.model.add_implication(literal, shown)
        self.variables.append(variables)

        after = dict(before)
        cleared: dict[int, Literal] = {}
        for x, literal in begun.items():
            after[x, BEGUN + cut.base], cleared[x] = self._shared(literal, active)
        if begun:
            self._reach_under(begun, cut, variables)
        for (x, v), by in covering.items():
            y = rows[v]
            if y >= 0:
                new = self.model.new_bool_var("")
                old = before.get((x, y), False)
                after[x, y] = new
                self._exactly_one([old, new.negated(), *(p for _, _, p in by)])
        for x in range(self.width):
            for r in range(lines):
                by = covering.get((x, height_of[~r]), [])
                there = [cleared[x]] if x in cleared and ~r == rows[cut.below] else []
                self._exactly_one([self._not(active), *there, *(p for _, _, p in by)])
        self._bury_nothing(before, after)
        gone = {(x, BEGUN + cut.base) for x in begun}
        self._add_access({c: v for c, v in before.items() if c not in gone}, after)
        if lines:
            self._add_levels(covering, rows, lines, active)
        self._add_support(variables, covering, rows, cut.lowest, after)
        self._add_count(before, after, lines, active, cut)
        self.state = after

    def _begun(self, cut: Slice) -> dict[int, Literal]:
        """Return which squares of its lowest row a pass may find filled, by column."""
        if not cut.lines or cut.stack[0] == "p":
            return {}
        row = BEGUN + cut.base
        return {x: v for (x, y), v in self.state.items() if y == row and v is not False}

    def _reach_under(
        self, begun: dict[int, Literal], cut: Slice, variables: list[tuple[Spot, int, Any]]
    ) -> None:
        """Reach under a row that has been begun only when it has gone."""
        number = ~cut.rows()[cut.below]
        for spot, _, literal in variables:
            if spot.gap <= number:
                for x, y in spot.picture:
                    if y < cut.base and x in begun:
                        self._clause(literal.negated(), self._not(begun[x]))

    def _bury_nothing(self, before: dict[Cell, Literal], after: dict[Cell, Literal]) -> None:
        """Begin a row only over squares that are not due any more."""
        for (x, y), new in after.items():
            if y >= BEGUN and (x, y) not in before:
                for below in range(y - BEGUN):
                    if (x, below) in self.game.target.required:
                        self._clause(new.negated(), after.get((x, below), False))

    def _shared(self, literal: Literal, active: Literal) -> tuple[Literal, Literal]:
        """Return whether a square of a row that has been begun stays, or is cleared now."""
        if active is True:
            return False, literal
        if literal is True:
            return self._not(active), active
        left, taken = self.model.new_bool_var(""), self.model.new_bool_var("")
        self.model.add_exactly_one([literal.negated(), left, taken])
        self.model.add_implication(taken, active)
        self.model.add_implication(left, active.negated())
        return left, taken

    def _add_access(self, before: dict[Cell, Literal], after: dict[Cell, Literal]) -> None:
        """Print a square only where nothing lies above it yet."""
        columns: dict[int, list[tuple[int, Literal]]] = defaultdict(list)
        begun: dict[int, Any] = {}
        for (x, y), literal in before.items():
            if literal is not False:
                columns[x].append((y, literal))
                if y >= BEGUN:
                    if y - BEGUN not in begun:
                        begun[y - BEGUN] = self.model.new_bool_var("")
                    self._clause(self._not(literal), begun[y - BEGUN])
        for (x, y), new in after.items():
            old = before.get((x, y), False)
            if new is old or y >= BEGUN:
                continue
            for above, literal in columns[x]:
                if above > y:
                    self._clause(self._not(new), old, self._not(literal))
            for row, there in begun.items():
                if y >= row:
                    self._clause(self._not(new), old, there.negated())

    def _add_levels(
        self, covering: Covering, rows: tuple[int, ...], lines: int, active: Literal
    ) -> None:
        """Tie levels to cells, let them grow up each column, complete each row once."""
        bridging = any(spot.gap for by in covering.values() for spot, _, _ in by)
        for k in range(1, lines + 1):
            row = rows.index(~(k - 1))
            completing = {
                id(p): p
                for x in range(self.width)
                for _, j, p in covering.get((x, row), ())
                if j >= k
            }
            self._exactly_one([self._not(active), *completing.values()])
            for x in range(self.width):
                self._add_column(x, k, covering, rows, set(completing), bridging)
        self._add_seams(covering, rows, lines)

    def _add_column(
        self,
        x: int,
        k: int,
        covering: Covering,
        rows: tuple[int, ...],
        completing: set[int],
        bridging: bool,
    ) -> None:
        """Let what has level ``k`` or more in a column stay below nothing of a lower level.

        Chains of literals run up the column, one for each number of bridged rows: "something
        below has level k or more". A piece that bridges a gap binds nothing in the rows that
        have gone. What completes row ``k - 1`` is the first of its level, so nothing of that
        level lies under it; only bridging pieces need to be told.
        """
        chains: dict[int, Any] = {}
        for v, y in enumerate(rows):
            by = covering.get((x, v))
            if not by:
                continue
            low = [p for _, j, p in by if j < k]
            for gap, chain in chains.items():
                if not (y < 0 and ~y < gap):
                    if gap:
                        self.model.add_at_most_one([chain, *low])
                    opening = [
                        p
                        for spot, _, p in by
                        if id(p) in completing and ((x, v) in spot.feet or spot.gap < gap)
                    ]
                    if bridging and opening:
                        self.model.add_at_most_one([chain, *opening])
            for gap in sorted({spot.gap for spot, j, _ in by if j >= k} | {0}):
                high = [p for spot, j, p in by if j >= k and spot.gap == gap]
                before = chains.get(gap)
                chain = self.model.new_bool_var("")
                if before is not None:
                    self.model.add_implication(before, chain)
                if gap == 0:
                    self.model.add_at_most_one([chain, *low])
                self.model.add_at_most_one([chain.negated(), *high])
                chains[gap] = chain

    def _add_seams(self, covering: Covering, rows: tuple[int, ...], lines: int) -> None:
        """A bridging piece drops between two completions, so they must not be one."""
        for k in range(1, lines):
            row = rows.index(~(k - 1))
            bridging = {
                id(p): p
                for by in covering.values()
                for spot, j, p in by
                if spot.gap == k and j == k
            }
            both = {
                id(p): p
                for x in range(self.width)
                for _, j, p in covering.get((x, row), ())
                if j > k
            }
            if bridging and both:
                one = self.model.new_bool_var("")
                for p in both.values():
                    self.model.add_implication(p, one)
                for p in bridging.values():
                    self.model.add_implication(p, one.negated())

    def _add_support(
        self,
        variables: list[tuple[Spot, int, Any]],
        covering: Covering,
        rows: tuple[int, ...],
        lowest: int,
        after: dict[Cell, Literal],
    ) -> None:
        """Let some column of every piece stand on something."""
        early: dict[tuple[int, int, int], Literal] = {}
        bridging = {
            cell: [(spot.gap, p) for spot, _, p in by if spot.gap] for cell, by in covering.items()
        }
        for spot, level, literal in variables:
            own = {r for _, r in spot.matrix}
            holds: list[Literal] = []
            for x, v in spot.feet:
                holds.append(self._held(x, v, level, own, rows, lowest, after, bridging, early))
                if holds[-1] is True:
                    break
            else:
                self._clause(literal.negated(), *holds)

    def _held(
        self,
        x: int,
        v: int,
        level: int,
        own: set[int],
        rows: tuple[int, ...],
        lowest: int,
        after: dict[Cell, Literal],
        bridging: dict[tuple[int, int], list[tuple[int, Any]]],
        early: dict[tuple[int, int, int], Literal],
    ) -> Literal:
        for below in range(v - 1, -1, -1):
            y = rows[below]
            if y >= 0 or level <= ~y or ~y in own:
                return self._early(x, below, rows[v], rows, after, bridging, early)
        return True if lowest == 0 else after.get((x, lowest - 1), False)

    def _early(
        self,
        x: int,
        v: int,
        foot: int,
        rows: tuple[int, ...],
        after: dict[Cell, Literal],
        bridging: dict[tuple[int, int], list[tuple[int, Any]]],
        early: dict[tuple[int, int, int], Literal],
    ) -> Literal:
        """Whether a square is there when a piece comes to stand on it.

        It is, unless what fills it comes only when the row of the foot has gone.
        """
        square = True if rows[v] < 0 else after.get((x, rows[v]), False)
        if foot >= 0 or square is False:
            return square
        later = [p for gap, p in bridging.get((x, v), ()) if gap > ~foot]
        if not later:
            return square
        key = (x, v, ~foot)
        if key not in early:
            early[key] = self.model.new_bool_var("")
            if square is not True:
                self.model.add_implication(early[key], square)
            self.model.add_at_most_one([early[key], *later])
        return early[key]

    def _add_count(
        self,
        before: dict[Cell, Literal],
        after: dict[Cell, Literal],
        lines: int,
        active: Literal,
        cut: Slice,
    ) -> None:
        """State that cells come in fours."""
        terms: list[Any] = []
        constant = 0
        for cell, new in after.items():
            old = before.get(cell, False)
            if new is not old:
                terms.append(new)
                if old is not False:
                    terms.append(-old)
        area = self.width * lines
        if not terms and active is True:
            return
        count = self.model.new_int_var(0, (area + len(terms)) // 4 + 1, "")
        if active is True:
            constant = area
        else:
            terms.append(area * active)
        self.model.add(sum(terms) + constant == 4 * count)

    # -- the end -----------------------------------------------------------------------

    def _finish(self) -> None:
        game = self.game
        extra: list[Any] = []
        rows: dict[int, list[Literal]] = defaultdict(list)
        for cell in game.goal:
            if self.state.get(cell, False) is False:
                self.model.add_bool_or([])
        for cell, literal in self.state.items():
            rows[cell[1]].append(literal)
            if literal is True and (cell[1] < BEGUN or cell in game.goal):
                continue
            if cell in game.goal:
                self.model.add_bool_or([literal])
            elif game.exact:
                self._clause(self._not(literal))
            elif cell[1] < BEGUN and not (game.ahead and cell in game.target.required):
                extra.append(literal)
        if not game.exact:
            self._keep_alive()
        for literals in rows.values():
            if len(literals) == self.width:
                self._clause(*(self._not(x) for x in literals))
        # Drops = (cells of clearing rows + squares printed) / 4.
        cost = sum(
            self.width * cut.lines * active
            for cut, active in zip(game.slices, self.active, strict=True)
            if active is not False and cut.lines
        ) + sum(extra)
        gone = sum(y >= BEGUN for _, y in game.start - game.goal)
        self.fixed = len(game.goal - game.start) - gone
        self.cost = cost
        if game.most is not None and not isinstance(cost, int):
            self.model.add(cost <= 4 * game.most - self.fixed)
        if not isinstance(cost, int):
            self.model.minimize(cost)

    def _keep_alive(self) -> None:
        """Leave nothing that no later pass could repair."""
        game, state, model = self.game, self.state, self.model
        target = game.target
        used: list[Literal] = [False] * (target.rows + 1)  # something in this row or above
        for y in reversed(range(target.rows)):
            here = [state[x, y] for x in range(self.width) if state.get((x, y), False) is not False]
            used[y] = used[y + 1]
            if here:
                used[y] = model.new_bool_var("")
                for literal in (*here, used[y + 1]):
                    self._clause(self._not(literal), used[y])
            for run in standing_runs(target, y):
                if used[y] is not False and not game.goal & run:
                    self._clause(self._not(used[y]), *(state.get(cell, False) for cell in run))
        for x, y in target.required - game.goal:
            for above in range(y + 1, target.rows):
                if (x, above) in state:
                    self._clause(self._not(state[x, above]), state.get((x, y), False))
        reached: dict[tuple[int, frozenset[Cell]], Literal] = {}
        for x, y in sorted(target.required - game.goal):
            if used[y] is False:
                continue
            if game.ahead:
                self._clause(state.get((x, y), False), self._not(used[y + 1]))
            options: list[Literal] = [state.get((x, y), False), self._not(used[y])]
            for base, cells in ways_to_reach(target, x, y):
                if (base, cells) not in reached:
                    literals = [state.get(cell, False) for cell in cells] + [used[base]]
                    if any(literal is True for literal in literals):
                        reached[base, cells] = False
                    elif all(literal is False for literal in literals):
                        reached[base, cells] = True
                    else:
                        way = reached[base, cells] = model.new_bool_var("")
                        for literal in literals:
                            self._clause(way.negated(), self._not(literal))
                options.append(reached[base, cells])
            self._clause(*options)


def solve(
    game: Game,
    limits: Limits,
    started: Callable[[Any], bool] | None = None,
) -> Found:
    """Find the fewest drops that these passes need.

    Parameters
    ----------
    game : Game
        The passes offered and what they must achieve.
    limits : Limits
        How hard to try.
    started : callable, optional
        Given the solver just before it runs, so that another thread can stop it; returns
        whether to run at all.
    """
    from ortools.sat.python import cp_model

    built = _Builder(game)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 0
    solver.parameters.cp_model_presolve = False
    solver.parameters.optimize_with_core = limits.core
    solver.parameters.random_seed = limits.seed
    solver.parameters.max_deterministic_time = limits.work
    if limits.seconds != float("inf"):
        solver.parameters.max_time_in_seconds = limits.seconds
    solver.parameters.catch_sigint_signal = False
    if started is not None and not started(solver):
        return Found(None, False, 0, 0.0)
    status = solver.solve(built.model)
    work = solver.response_proto.deterministic_time
    if status == cp_model.INFEASIBLE:
        return Found(None, True, 0, work)
    bound = -(-(int(solver.best_objective_bound) + built.fixed) // 4)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Found(None, False, bound, work)
    played: list[Played] = []
    for cut, variables in zip(game.slices, built.variables, strict=True):
        used = [
            (spot, level) for spot, level, literal in variables if solver.boolean_value(literal)
        ]
        if used:
            parts = drawings(drop_order(used, cut), cut)
            printed = frozenset(cell for spot, _ in used for cell in spot.picture)
            played.append(Played(cut, parts, printed))
    shades = tuple(key for key, shown in built.shows.items() if solver.boolean_value(shown))
    complete = status == cp_model.OPTIMAL
    return Found(tuple(played), complete, bound, work, shades, solver.objective_value)
