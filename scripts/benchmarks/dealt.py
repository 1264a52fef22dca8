"""Measure prints with a piece queue (docs/dealt.md): drops and successes over many seeds.

    scripts/bench dealt LOG [PART ...] [--bags A..B] [--only NAME,...] [--kept]

Parts: *free* (the planner auto with any piece at any time), *known* (bags known in full, hold),
*colours* (the same pictures in two to four of the standard colours), *unknown* (a preview of
five, hold), *adversary* (the same, but the dealer picks the piece of the bag that costs the
player's own search most), *steered* and *steered-unknown* (as known and unknown, with guideline
rules). Without a part: all. Each picture of ten_wide.txt is printed from the bags of every seed A,
..., B-1 (0..50); with --kept those of ten_wide_kept.txt, on which nothing was ever tuned.

The simulator in tests/oracles judges every game. Each result is a line in LOG: an interrupted run
continues there. The summary covers the whole log.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from checkout import ROOT

from tests.oracles.dealt_game import judge_dealt, judge_steered
from tests.oracles.game import replay
from tetrisprinter.errors import TetrisPrinterError
from tetrisprinter.game.piece_queue import STANDARD_COLORS, PieceQueue, QueueRules
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.replay import make_drop_log, make_plan_from_drops, play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import PLANNERS, Limit, Run, make_plan
from tetrisprinter.planners.dealt.beam import PATIENCE, choose_types, make_dealt_target
from tetrisprinter.planners.dealt.players import Player
from tetrisprinter.printing.task import Task

PARTS = ("free", "known", "colours", "unknown", "adversary", "steered", "steered-unknown")
DROPS_PER_ROW = PATIENCE
"""A game against the adversary is given up after this number of drops for each row of the picture
plus one row. The planner has the same limit."""
SHOWN = tuple(PieceType[letter] for letter in "TLJS")


def read_pictures(file: str) -> dict[str, list[str]]:
    """Return pictures by name, the lowest row of each first."""
    blocks = (ROOT / "tests" / "data" / file).read_text().strip().split("\n\n")
    return {name: rows[::-1] for name, *rows in (block.split("\n") for block in blocks)}


def make_task(part: str, number: int, name: str, rows_upwards: list[str], seed: int) -> Task:
    """Return the task of a part for one picture, whose lowest row comes first."""

    def color(x: int, y: int) -> str:
        if part != "colours":
            return STANDARD_COLORS[PieceType.T]
        return STANDARD_COLORS[SHOWN[(x // 4 + y // 3) % (2 + number % 3)]]

    rows = tuple(
        tuple(color(x, y) if square == "#" else None for x, square in enumerate(row))
        for y, row in enumerate(rows_upwards)
    )
    preview = None if part in ("known", "colours", "steered") else 5
    rules = QueueRules(seed=seed, preview=preview, steered=part.startswith("steered"))
    one_color: Any = dict.fromkeys(PieceType, STANDARD_COLORS[PieceType.T])
    types = "auto" if part == "colours" else one_color
    pieces = None if part == "free" else rules
    return Task.of(Picture(rows, name), "10x20", types, pieces=pieces)


def play_against_adversary(task: Task, seed: int) -> tuple[dict[str, Any] | None, int]:
    """Play a game; return its log, None if it does not end, and how often rows were given up."""
    types = choose_types(task)
    player = Player(make_dealt_target(task, types), seed=seed)
    moves: list[tuple[Any, int]] = []
    while not player.is_done:
        while len(player.pieces) < max(player.turn, 0) + 6:
            dealt = player.pieces[len(player.pieces) // 7 * 7 :]
            left = [piece for piece in PieceType if piece not in dealt]
            player.pieces.append(max(left, key=player.estimate_outlook))
        move = player.choose() if len(moves) < DROPS_PER_ROW * (task.picture.height + 1) else None
        if move is None:
            return None, player.given_up
        player.play()
        moves.append((move.orientation, move.x))
    plan = make_plan_from_drops(moves, tuple(types.items()), task.board.width, task.board.height)
    plan = replace(plan, queue=PieceQueue(tuple(player.pieces)).trim_to_played(plan.list_types()))
    return json.loads(json.dumps(make_drop_log(plan, play_through(plan)))), player.given_up


def play_once(part: str, task: Task, seed: int) -> dict[str, object]:
    """Print a task of a part; return the result as an entry of the log."""
    name, run = task.picture.name, Run(Limit(seed=seed))
    began = time.process_time()
    found: dict[str, object] = {"part": part, "name": name, "seed": seed}
    if part == "adversary":
        log, given_up = play_against_adversary(task, seed)
        if log is None:
            return {**found, "failed": "did not end", "seconds": time.process_time() - began}
        left = judge_dealt(log)
        shown = {cell: log["colors"].get(piece) for cell, piece in left.items()}
        assert shown == task.wanted.cells(), (part, name, seed)
        spent = time.process_time() - began
        return {**found, "drops": len(log["drops"]), "seconds": spent, "given_up": given_up}
    planner = "auto" if part == "free" else "dealt"
    if PLANNERS[planner].find_refusal(task) is not None:
        return {**found, "refused": True}
    try:
        result = make_plan(task, planner, run)
    except TetrisPrinterError as error:
        return {**found, "failed": str(error), "seconds": time.process_time() - began}
    seconds = time.process_time() - began
    log = json.loads(json.dumps(result.log()))
    judge = judge_steered if part.startswith("steered") else judge_dealt
    left = replay(log) if part == "free" else judge(log)
    shown = {cell: log["colors"].get(piece) for cell, piece in left.items()}
    assert shown == task.wanted.cells(), (part, name, seed)
    given_up = sum(run.fallbacks.values()) if part != "free" else 0
    return {**found, "drops": result.drops, "seconds": seconds, "given_up": given_up}


def print_summary(lines: list[dict[str, Any]]) -> None:
    """Print a line for each part."""
    free = {one["name"]: one["drops"] for one in lines if one["part"] == "free" and "drops" in one}
    for part in PARTS:
        ours = [one for one in lines if one["part"] == part]
        attempted = [one for one in ours if "refused" not in one]
        done = [one for one in attempted if "drops" in one]
        if not done:
            continue
        ratios = [one["drops"] / free[one["name"]] for one in done if one["name"] in free]
        beside = f", {median(ratios):.2f} times the free choice" if ratios and free else ""
        print(
            f"{part}: {len(done)} of {len(attempted)} printed "
            f"({len(ours) - len(attempted)} refused), "
            f"median of {median(one['drops'] for one in done):g} drops{beside}, "
            f"{median(one['seconds'] for one in done):.1f} s of a processor, at most "
            f"{max(one['seconds'] for one in done):.1f}; given up "
            f"{sum(one['given_up'] for one in done)} times in "
            f"{sum(one['given_up'] > 0 for one in done)} games"
        )


def read_bags(text: str) -> range:
    """Read the seeds ``A..B``."""
    first, last = text.split("..")
    return range(int(first), int(last))


def main() -> None:
    """Measure the prints that the log lacks, and print the summary."""
    parser = argparse.ArgumentParser()
    parser.add_argument("log", type=Path)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS])
    parser.add_argument("--bags", type=read_bags, default="0..50")
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--kept", action="store_true")
    arguments = parser.parse_intermixed_args()
    pictures = read_pictures("ten_wide_kept.txt" if arguments.kept else "ten_wide.txt")
    text = arguments.log.read_text() if arguments.log.exists() else ""
    lines = [json.loads(line) for line in text.splitlines()]
    known = {(one["part"], one["name"], one["seed"]) for one in lines}
    for part in arguments.parts or PARTS:
        for seed in arguments.bags if part != "free" else (0,):
            for number, (name, rows) in enumerate(pictures.items()):
                if (part, name, seed) in known or (arguments.only and name not in arguments.only):
                    continue
                lines.append(play_once(part, make_task(part, number, name, rows, seed), seed))
                print(lines[-1], flush=True)
                with arguments.log.open("a") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
    print_summary(lines)


if __name__ == "__main__":
    main()
