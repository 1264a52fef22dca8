"""What the commands write, as hashes: kept so that a change of the house changes no answer.

``python -m tests.acceptance.outputs`` writes the hashes anew. Do that only for a change that
is meant to be seen, and say in the message of the commit what changed and why.
"""

import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.support.commands import ROOT, run_here

RECORD: Final = Path(__file__).with_suffix(".json")

_HEART = "{examples}/heart.png"
_BOARD = "--types auto --board auto --planner rows"

COMMANDS: Final[Mapping[str, str]] = {
    # The article's planners, byte for byte.
    "table heart": f"print {_HEART} -o a.png --planner table --plan a.txt --plan a.drops.json",
    "table fish": "print {examples}/fish.png -o a.png --planner table --plan a.txt",
    "table invader": "convert {examples}/invader.png --planner table -o a.txt",
    "article heart": f"print {_HEART} -o a.png --planner article --plan a.txt --json",
    "article mushroom": "convert {examples}/mushroom.png --planner article -o a.txt",
    "article seed": "convert {examples}/mushroom.png --planner article -o a.txt --seed 7",
    "article glyph": "convert {examples}/glyph.png --planner article -o a.txt",
    "rows any board": f"convert {_HEART} -o a.txt {_BOARD}",
    "rows cat": "convert {examples}/cat.png --fit 24x24 --colors 3 -o a.txt " + _BOARD,
    "rows types": f"convert {_HEART} -o a.txt --board 21x42 --planner rows "
    "--types J=d83a34,S=f6f1e3",
    # Pictures.
    "text": "text Hi -o a.png --plan a.txt --planner rows",
    "text colour": "text Ok -o a.png --color 30c050 --planner rows --json",
    "preview": f"convert {_HEART} -o a.txt --preview b.png --planner article",
    "dither": "convert {examples}/cat.png --fit 20x20 --colors 2 --dither -o a.txt " + _BOARD,
    # Renderers and formats.
    "png": "play {plan} -o a.png --style bevel --scale 5",
    "png transparent": "play {plan} -o a.png --field transparent",
    "gif": "play {plan} -o a.gif --scale 3",
    "apng": "play {plan} -o a.apng --scale 2",
    "html": "play {plan} -o a.html",
    "drops": "convert {plan} -o a.drops.json --json",
    "moves": "moves {plan}",
    "moves json": "moves {plan} --json --hidden 4",
    "art": f"convert {_HEART} -o a.json --board 21x42 --planner rows",
    "fumen": "convert {small} -o a.fumen --planner rows --board 10x22 --types auto",
    # Patterns, proofs, automata.
    "patterns show": "patterns show 3 --at 0,9,18",
    "patterns show platforms": "patterns show platforms",
    "find": "patterns find --emitted 2 --rows 6 --at 4,11",
    "find backtracker": "patterns find --emitted 2 --rows 6 --at 4,11 "
    "--finder backtracker --seed 3",
    "find none": "patterns find --emitted 1 --rows 3 --at 3",
    "find count": "patterns count --emitted 1 --rows 3 --width 9 --json",
    "find formula": "patterns find --emitted 1 --rows 3 --at 6 --save a.cnf",
    "prove": "patterns prove --emitted 1 --minimum --at 7 -o proof",
    "prove impossible": "patterns prove --emitted 1 --rows 3 --at 7 -o proof",
    "automaton query": "patterns automaton query --width 21 --at 4",
    "automaton all widths": "patterns automaton query --emitted 1 --rows 3",
    "atlas": "patterns atlas --width 5..24 --emitted 1..4 --format csv",
    # Tilings and Triplex.
    "tile": "tile 6x10 pentominoes",
    "tile count": "tile 5x12 pentominoes --count --up-to-symmetry",
    "tile files": "tile 4x5 'I2*inf,V3*4,T4' --first 3 -o a.svg -o a.json -o a.txt -o a.png",
    "tile none": "tile 10x10 I4*inf",
    "triplex generate": "triplex generate 5x4",
    "triplex solve": "triplex solve 4x3 I2h I2v*2 V1 V2",
    "triplex check": "triplex check 4x3 I2h*2 I2v V0 V2",
    "triplex page": "triplex page 4x3 4x4 -o a.html",
    "triplex table": "triplex table --max 20",
    # Refusals.
    "no file": "print nowhere.png -o a.png",
    "too wide": "print {examples}/lighthouse.png -o a.png --board 10x22 --exact",
    "odd count": f"print {_HEART} -o a.png --board 20x42 --types classic --planner rows --exact",
    "bad board": f"print {_HEART} -o a.png --board 20by42",
    "bad types": f"print {_HEART} -o a.png --types J=red",
    "bad output": f"print {_HEART} -o a.bmp",
    "bad width": "patterns find --emitted 1 --rows 3 --width 0",
    "version": "--version",
}
"""The commands by name; words in braces are files that :func:`run` brings along."""

_PASSING: Final = re.compile(r"in [\d.]+ s|\"seconds\": [\d.]+|[\d.]+ s\b|(Usage|Try).*\n")
"""Times, and lines in which the name of the program stands, which is another one here."""


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _content(path: Path) -> bytes:
    """Return what a file says: the frames of an image, whose bytes depend on Pillow's version."""
    if path.suffix not in {".png", ".gif", ".apng"}:
        return path.read_bytes()
    from PIL import Image, ImageSequence

    with Image.open(path) as image:
        return b"".join(
            repr((frame.size, frame.info.get("duration"))).encode()
            + frame.convert("RGBA").tobytes()
            for frame in ImageSequence.Iterator(image)
        )


def run(command: str, folder: Path) -> dict[str, object]:
    """Run a command in an empty folder: exit code, hash of what it says and of all it writes.

    What changes from run to run is taken out of what is said.
    """
    given = {
        "examples": ROOT / "examples",
        "plan": folder / "given.txt",
        "small": folder / "small.png",
    }
    before = _given(folder)
    words = [word.strip("'").format_map(given) for word in command.split()]
    done = run_here(words, folder)
    written = {
        str(path.relative_to(folder)): _hash(_content(path))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path not in before and "manifest" not in path.name
    }
    said = f"{done.stdout}\n---\n{done.stderr}"
    said = _PASSING.sub("", said.replace(str(ROOT), "").replace(str(folder), ""))
    return {"code": done.returncode, "said": _hash(said.encode()), "written": written}


def _given(folder: Path) -> tuple[Path, Path]:
    """Put the plan and the image that commands read into the folder."""
    from PIL import Image

    plan, small = folder / "given.txt", folder / "small.png"
    image = Image.new("RGBA", (4, 2), (208, 48, 32, 255))
    image.putpixel((0, 0), (0, 0, 0, 0))
    image.putpixel((1, 0), (0, 0, 0, 0))
    image.save(small)
    plan.write_text((ROOT / "tests" / "acceptance" / "heart-plan.txt").read_text())
    return plan, small


def _record() -> None:
    found = {}
    for name, command in COMMANDS.items():
        with tempfile.TemporaryDirectory() as folder:
            found[name] = run(command, Path(folder))
        print(name, found[name]["code"], file=sys.stderr)
    RECORD.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    _record()
