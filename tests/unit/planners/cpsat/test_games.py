"""Random legal games are solutions of the passes they form, piece by piece."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator

from ortools.sat.python import cp_model

from tests.oracles.game import replay
from tests.oracles.slices import Field, Section, notation, random_game, sections, tidied
from tests.support.played import HEIGHT, picture_of, target_of
from tests.support.strategies import PALETTE
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Cell, PieceType
from tetrisprinter.game.plan import Pass, Plan
from tetrisprinter.game.replay import play_through
from tetrisprinter.planners.cpsat import model
from tetrisprinter.planners.cpsat.problem import PassProblem
from tetrisprinter.planners.cpsat.reach import standing_runs
from tetrisprinter.planners.passes.order import drawings, ordered
from tetrisprinter.planners.passes.placements import PassPlacement
from tetrisprinter.planners.passes.shape import PassShape

Told = frozenset[tuple[frozenset[Cell], frozenset[Cell], int]]
"""Drops as a pass tells them: cells in clearing rows, cells in picture rows, level."""

BELOW = 3


def games(seed: int, count: int, widths: tuple[int, int], lines: int) -> Iterator[Field | str]:
    """Play random games to their end; a word instead of one that passes cannot say."""
    rng = random.Random(seed)
    while count:
        played = random_game(rng, rng.randint(*widths), rng.randint(1, lines))
        if played is None:
            continue
        count -= 1
        tidy = tidied(played)
        if tidy is None:
            yield "a piece below the matrix, between two rows that clear"
        elif any("a" in stack for _, stack in notation(tidy)):
            yield "more than ten rows that do not clear from below"
        else:
            yield tidy


def told(section: Section, number: dict[int, int]) -> Told:
    """Tell the drops of a section as its pass does."""
    order = {row: r for r, row in enumerate(section.cleared)}
    listed: list[tuple[frozenset[Cell], frozenset[Cell], int]] = []
    level = 0
    for one in section.drops:
        level += len(one.cleared)  # what completes a row has the level above it
        matrix = frozenset((x, order[row]) for x, row in one.cells if row in order)
        picture = frozenset((x, number[row]) for x, row in one.cells if row in number)
        listed.append((matrix, picture, level))
    return frozenset(listed)


def passes_of(played: Field) -> tuple[tuple[PassShape, ...], list[Told]]:
    """Return the passes of a game and what is dropped in each."""
    number, _ = picture_of(played)
    shapes: list[PassShape] = []
    drops: list[Told] = []
    for section, (base, stack) in zip(sections(played), notation(played), strict=True):
        if section.cleared:
            shapes.append(PassShape(base, min(base, BELOW), stack))
            drops.append(told(section, number))
        elif shapes and not shapes[-1].lines:
            drops[-1] |= told(section, number)
        else:
            shapes.append(PassShape(len(number), len(number)))
            drops.append(told(section, number))
    return tuple(shapes), drops


def whole(played: Field) -> PassProblem:
    """Offer the passes of a game, and nothing else, to the model."""
    target = target_of(played)
    return PassProblem(
        target,
        passes_of(played)[0],
        frozenset(),
        target.required,
        most=len(played.drops),
        all_used=True,
    )


def accepted(
    game: PassProblem, drops: list[Told]
) -> tuple[str, list[tuple[PassShape, list[tuple[PassPlacement, int]]]]]:
    """Ask the model whether exactly these drops are a solution: why not, and its pieces."""
    built = model.ProblemModel(game)
    chosen: list[tuple[PassShape, list[tuple[PassPlacement, int]]]] = []
    for shape, built_pass, wanted in zip(game.shapes, built.passes, drops, strict=True):
        own: list[tuple[PassPlacement, int]] = []
        for placement, level, literal in built_pass.choices:
            used = (frozenset(placement.matrix), frozenset(placement.picture), level) in wanted
            built.clauses.clause([literal if used else ~literal])
            if used:
                own.append((placement, level))
        if len(own) != len(wanted):
            return "no such placement", chosen
        chosen.append((shape, own))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(built.model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return "a clause forbids it", chosen
    return "", chosen


def squares_left(
    width: int, pieces: list[tuple[PassShape, list[tuple[PassPlacement, int]]]]
) -> dict[Cell, PieceType]:
    """Draw and drop the pieces of some passes in the order that the planner gives them."""
    passes: list[Pass] = []
    for shape, own in pieces:
        passes += drawings(ordered(own), shape)
    colors = tuple(zip(PieceType, PALETTE, strict=True))
    plan = Plan(tuple(passes), colors, width, HEIGHT)
    # A drawing in which pieces overlap cannot be read.
    field = play_through(Plan.parse(str(plan))).field
    return {
        (x, y): PieceType(v) for y, row in enumerate(field.rows) for x, v in enumerate(row) if v
    }


def test_the_games_are_legal() -> None:
    rng = random.Random(4)
    for _ in range(60):
        played = random_game(rng, rng.randint(5, 9), rng.randint(1, 5))
        if played is None:
            continue
        log = {
            "width": played.width,
            "height": HEIGHT,
            "drops": [{"piece": d.piece, "cells": sorted(d.real)} for d in played.drops],
        }
        left = {cell: PieceType[piece] for cell, piece in replay(log).items()}
        assert left == picture_of(played)[1]
        assert 4 * len(played.drops) == len(left) + played.width * len(played.gone)


def test_every_game_is_a_solution_of_its_passes(
    record_property: Callable[[str, object], None],
) -> None:
    """Every drop at its level, no other, and in the planner's order it is the same picture."""
    seen: Counter[str] = Counter()
    for played in games(1, 40, (5, 9), 5):
        if isinstance(played, str):
            seen[played] += 1
            continue
        game = whole(played)
        why, pieces = accepted(game, passes_of(played)[1])
        assert not why, (why, played.width, notation(played), played.drops)
        assert squares_left(played.width, pieces) == picture_of(played)[1]
        stacks = [shape.stack for shape in game.shapes]
        seen["accepted"] += 1
        seen["bridging"] += any(placement.gap for _, own in pieces for placement, _ in own)
        seen["not from below"] += any(s.strip("cp") for s in stacks)
        seen["picture rows between"] += any("p" in s.rstrip("p") for s in stacks)
        seen["several matrices"] += sum(bool(shape.lines) for shape in game.shapes) > 1
    record_property("games", dict(seen))
    # Everything the passes can say comes up, and little comes up that they cannot.
    assert seen["accepted"] >= 38
    assert seen["bridging"] >= 10
    assert seen["not from below"] >= 10
    assert seen["picture rows between"] >= 5
    assert seen["several matrices"] >= 5


def test_a_game_is_not_accepted_if_a_drop_is_changed() -> None:
    """The check above can fail: with one drop at another level, the game is another."""
    refused = tried = 0
    for played in games(2, 20, (5, 7), 3):
        if isinstance(played, str):
            continue
        shapes, drops = passes_of(played)
        index = next((i for i, shape in enumerate(shapes) if shape.lines > 1), None)
        if index is None:
            continue
        late = max(drops[index], key=lambda told: told[2])
        drops[index] = drops[index] - {late} | {(late[0], late[1], 0)}
        tried += 1
        refused += bool(accepted(whole(played), drops)[0])
    assert tried >= 5
    assert refused == tried


def test_the_model_finds_a_game_at_least_as_short() -> None:
    found = 0
    for played in games(3, 26, (5, 7), 3):
        if isinstance(played, str):
            continue
        game = whole(played)
        answer = model.solve(game, 8)
        assert answer.passes is not None, (played.width, notation(played), played.drops)
        assert answer.drops <= len(played.drops)
        field = Playfield(played.width, HEIGHT)
        for one in answer.passes:
            for part in one.parts:
                for placement in part.pieces:
                    field.drop(placement.orientation, placement.x)
        left = {
            (x, y): PieceType(v) for y, row in enumerate(field.rows) for x, v in enumerate(row) if v
        }
        assert left == picture_of(played)[1]
        found += 1
    assert found >= 22


def test_what_a_game_has_printed_after_any_pass_can_be_kept() -> None:
    """The rules for what the rolling horizon may keep forbid nothing that games do."""
    kept = 0
    for played in games(5, 60, (5, 8), 4):
        if isinstance(played, str):
            continue
        target = target_of(played)
        shapes, drops = passes_of(played)
        state: frozenset[Cell] = frozenset()
        for done, (shape, after) in enumerate(zip(shapes, drops, strict=True), 1):
            before, state = state, state.union(*(picture for _, picture, _ in after))
            for y in range(1, target.rows):
                if any(above >= y for _, above in state):
                    assert all(run & state for run in standing_runs(target, y))
            if done < len(shapes):
                game = PassProblem(target, (shape,), before, state, all_used=True)
                assert not accepted(game, [after])[0], (notation(played), done)
                kept += 1
    assert kept >= 30
