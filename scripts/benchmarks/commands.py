"""Whole commands: seconds, memory, and seconds as a multiple of a bare Python start.

    scripts/bench commands [--runs N] [NAME ...]     names as in the first column; default: all

Each command runs once unmeasured, then RUNS times. The table shows the median of the wall time and
the largest memory. The multiple of ``python -c pass`` compares two machines.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
from pathlib import Path

from checkout import PYTHON, ROOT
from processes import measure_process

BENCHMARKS = ROOT.parent / "shared" / "benchmarks"


def slabs(drops: int) -> str:
    """Return a plan that drops ten O side by side again and again."""
    block = "\n".join(["AABBCCDDEEFFGGHHIIJJ"] * 2)
    return "board 20x42 O=d83c3c\n\n" + "\n\n".join([block] * (drops // 10)) + "\n"


def cases(folder: str) -> dict[str, list[str]]:
    """Return the commands by name; write their input files to the folder."""
    tool = [PYTHON, "-m", "tetrisprinter"]
    found = {"help": [*tool, "--help"]}
    sprites = [ROOT / "examples" / "mushroom.png", ROOT / "examples" / "lighthouse.png"]
    if BENCHMARKS.is_dir():
        sprites += sorted((BENCHMARKS / "sprites").glob("*.png"))
    for planner in ("table", "realtime", "rows"):
        for sprite in sprites:
            found[f"{planner} {sprite.stem}"] = [
                *tool, "print", str(sprite), "-o", "out.png", "--planner", planner, "--json",
            ]  # fmt: skip
    found["patterns build"] = [
        *tool,
        "proofs",
        "patterns",
        "build",
        "-o",
        "tables",
        "--workers",
        "2",
    ]
    found["patterns verify"] = [*tool, "proofs", "patterns", "verify"]
    for order in ("sweep", "random"):
        found[f"search n=4 {order}"] = [
            *tool, "proofs", "search", "--emitted", "4", "--rows", "4",
            "--at", "0,5,9,16", "--retries", "100000", "--order", order,
        ]  # fmt: skip
    for kind in ("gif", "apng", "webp", "html"):
        found[f"{kind} mushroom"] = [
            *tool, "print", str(sprites[0]), "--planner", "table", "--every", "1",
            "-o", f"out.{kind}", "--json",
        ]  # fmt: skip
    if not subprocess.run([PYTHON, "-c", "import av"], capture_output=True, check=False).returncode:
        for drops in (1000, 4000):  # two of them, to see whether the memory grows
            (Path(folder) / f"{drops}.txt").write_text(slabs(drops))
            found[f"smooth mp4 {drops} drops"] = [
                *tool, "play", f"{drops}.txt", "-o", "out.mp4", "--smooth", "--json",
            ]  # fmt: skip
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print(f"| what | seconds | x bare Python | MiB | drops |\n|{'---|' * 5}")
    with tempfile.TemporaryDirectory() as folder:
        chosen = {n: c for n, c in cases(folder).items() if not options.names or n in options.names}
        for name, command in chosen.items():
            measure_process(folder, command).require_success()
            rows = [
                (
                    measure_process(folder, command).require_success(),
                    measure_process(folder, [PYTHON, "-c", "pass"]),
                )
                for _ in range(options.runs)
            ]
            seconds = statistics.median(own.wall for own, _ in rows)
            bare = statistics.median(other.wall for _, other in rows)
            memory = max(own.memory for own, _ in rows)
            drops = rows[0][0].report["drops"] if "--json" in command else ""
            print(
                f"| {name} | {seconds:.2f} | {seconds / bare:.0f} | {memory:.0f} | {drops} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
