"""Compare solvers and settings on bands of real pictures: lines, answers and CPU seconds.

    scripts/bench bands [PICTURE ...] [--bands N] [--only NAME ...]

Each picture is printed in bands with the usual settings. Every few bands the same question is asked
in other ways: with other solvers, heights, overlaps, candidates, rows ahead, reaches and limits of
conflicts. A table says for each way how many bands it answered, the lines that these took beside
those of the usual settings, and the CPU time beside theirs, both over the bands that both answered.
Without a name: twelve pictures of 24 to 65 columns in two to seven colours, noise among them.
"""

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from checkout import ROOT

from tetrisprinter.api.preparation import prepare_source
from tetrisprinter.api.request import PictureRequest
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.pictures.sources import find_source
from tetrisprinter.planners.first_game import Choices, list_first_rounds, print_rows
from tetrisprinter.planners.from_below import BandPrint, BandSettings, Question, ask
from tetrisprinter.printing.task import Task

PICTURES = (
    "cactus", "rocket", "code", "panda", "owl", "flag", "letters", "whale", "rainbow", "cat-face",
    "smiley", "noise",
)  # fmt: skip
USUAL = BandSettings(3, (1,), 10_000)

WAYS = {
    "usual": {},
    "glucose4": {"solver": "glucose4"},
    "cadical153": {"solver": "cadical153"},
    "maplechrono": {"solver": "maplechrono"},
    "height 2": {"height": 2},
    "height 4": {"height": 4},
    "overlap 0": {"overlap": 0},
    "overlap 2": {"overlap": 2},
    "overlap 3": {"overlap": 3},
    "2 candidates": {"candidates": 2},
    "4 candidates": {"candidates": 4},
    "ahead 0": {"ahead": 0},
    "ahead 1": {"ahead": 1},
    "ahead 3": {"ahead": 3},
    "reach 4": {"reach": 4},
    "reach 10": {"reach": 10},
    "3,000 conflicts": {"conflicts": 3_000},
    "30,000 conflicts": {"conflicts": 30_000},
}


def load_task(name: str) -> Task:
    """Return the task of an example, or of noise in five colours."""
    if name == "noise":
        rng = random.Random(1)
        colors = ("d03020", "308040", "3060c0", "f0c040", "f0f0f0")
        picture = Picture(tuple(tuple(rng.choice(colors) for _ in range(32)) for _ in range(24)))
        return replace(Task.of(picture), types="auto")
    source = find_source(ROOT / "examples" / f"{name}.png")
    return replace(prepare_source(source, PictureRequest.of({}, ()), "auto").task, types="auto")


def list_bands(name: str, count: int) -> Iterator[tuple[BandPrint, int]]:
    """Yield a print before some of its bands, with the row at which the next band begins."""
    choices = Choices(load_task(name), True, 0)
    rounds = list_first_rounds(choices)
    results = [print_rows(trial) for trial in next(rounds)]
    while all(one.plan is None for one in results):
        results = [print_rows(trial, ask=ask) for trial in rounds.send(results)]
    first = next(one for one in results if one.plan is not None)
    print_ = BandPrint(first.task, USUAL)
    chosen = max(1, print_.target.rows // USUAL.height // count)
    number = 0
    while not print_.is_complete:
        if number % chosen == 0 and print_.done.rows + 6 < print_.target.rows:
            yield print_, print_.done.rows
        number += 1
        steps = print_.print_band()
        questions = next(steps)
        try:
            while True:
                questions = steps.send([ask(one) for one in questions])
        except StopIteration as end:
            if not end.value:
                return


def change(print_: BandPrint, way: dict[str, int | str]) -> Question:
    """Return the question for the next band, asked in another way."""
    need = print_.done.rows + int(way.get("height", USUAL.height))
    usual = print_._ask(need, int(way.get("overlap", 1)), 0)
    last = usual.last
    if "ahead" in way:
        last = max(need + int(way["ahead"]), print_.done.game.height)
    return replace(
        usual, last=min(last, print_.target.rows), solver=str(way.get("solver", usual.solver)),
        candidates=int(way.get("candidates", usual.candidates)),
        conflicts=int(way.get("conflicts", usual.conflicts)),
        reach=int(way.get("reach", usual.reach)),
    )  # fmt: skip


def main() -> None:
    """Ask all bands in all ways, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pictures", nargs="*", metavar="PICTURE", default=PICTURES)
    parser.add_argument("--bands", type=int, default=5, help="bands of each picture")
    parser.add_argument("--only", nargs="*", default=list(WAYS), help="ways to compare")
    options = parser.parse_args()
    results: dict[str, list[tuple[float, float, float, float]]] = defaultdict(list)
    asked: dict[str, int] = defaultdict(int)
    for name in options.pictures:
        for print_, row in list_bands(name, options.bands):
            base: tuple[float, float] | None = None
            for label in ["usual", *(one for one in options.only if one != "usual")]:
                way = WAYS[label]
                began = time.process_time()
                answer = ask(change(print_, way))
                seconds = time.process_time() - began
                asked[label] += 1
                if answer.game is None:
                    continue
                # Bands of other heights are compared by lines for each row, and seconds too
                rows = int(way.get("height", USUAL.height))
                lines = (answer.game.lines - print_.done.game.lines) / rows
                if label == "usual":
                    base = lines, seconds / rows
                if base is not None:
                    results[label].append((lines, base[0], seconds / rows, base[1]))
            print(f"{name}, row {row}", flush=True)
    print("\n| way | answered | lines a row | of the usual | CPU seconds a row | of the usual |")
    print("|---|---|---|---|---|---|")
    for label, values in results.items():
        columns = zip(*values, strict=True)
        lines, usual_lines, seconds, usual_seconds = (sum(column) for column in columns)
        count, share = len(values), lines / max(usual_lines, 0.01)
        print(
            f"| {label} | {count} of {asked[label]} | {lines / count:.2f} | "
            f"{share:.2f} | {seconds / count:.2f} | {seconds / usual_seconds:.2f} |"
        )


if __name__ == "__main__":
    main()
