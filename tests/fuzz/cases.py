"""Kinds of cases: each makes files in a folder and the words of a command from a seed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tests.fuzz.material import NASTY, Rng, damage_bytes, damage_json, games, image_bytes, picture
from tests.oracles import game as oracle
from tests.support.commands import EXAMPLES
from tetrisprinter.triplex.levels import format_json, parse_levels

Rows = list[list[str | None]]
ROOT = EXAMPLES.parent


@dataclass(frozen=True)
class Case:
    """A command, and what is known of it."""

    words: tuple[str, ...]  # behind ``tetrisprinter``
    wanted: Rows | None = None  # the picture that a print leaves, where it may not be altered


def _put(folder: Path, name: str, data: bytes | str) -> str:
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return name


def _json_or_bytes(rng: Rng, text: str) -> bytes:
    if text.startswith("{") and rng.random() < 0.7:
        return damage_json(rng, text)
    return damage_bytes(rng, text.encode())


def images(rng: Rng, folder: Path) -> Case:
    """A small image, whole or spoilt, printed with options."""
    rows = picture(rng)
    kind = rng.choice(("PNG", "PNG", "PNG", "GIF", "BMP", "WEBP", "TIFF"))
    whole = rng.random() < 0.6
    mode = "RGBA" if whole else rng.choice(("RGB", "L", "P", "1", "RGBA"))
    if whole and kind == "WEBP":
        kind = "PNG"
    if mode == "RGBA" and kind in ("BMP", "GIF"):
        kind = "PNG"
    data = image_bytes(rng, rows, kind, mode)
    _put(folder, "in.png", data if whole else damage_bytes(rng, data))
    words = ["print", "in.png", "-o", "o.png", "--plan", "d.drops.json", "--plan", "p.txt"]
    plain = whole
    words += ["--planner", rng.choice(("table", "article", "rows", "rows"))]
    for option, values in (
        ("--board", ("auto", "21x42", "9x20", "10x22", "4x4")),
        ("--types", ("auto", "classic", "J=d03020", "J=d03020,L=3060c0,T=208040")),
        ("--seed", ("0", "5", "99999")),
        ("--workers", ("1",)),
        ("--scale", ("1", "3")),
    ):
        if rng.random() < 0.3:
            words += [option, rng.choice(values)]
    if rng.random() < 0.2:
        plain = False
        words += rng.choice(
            (["--fit", "4x4"], ["--colors", "1"], ["--background", "auto"],
             ["--frame", "1"], ["--colors", "2", "--dither"], ["--background", "d03020"])
        )  # fmt: skip
    return Case((*words, *(("--exact",) if plain else ())), rows if plain else None)


def plans(rng: Rng, folder: Path) -> Case:
    """A plan, perhaps spoilt, played, steered or written as something else."""
    _put(folder, "plan.txt", damage_bytes(rng, games()["text"].encode()))
    return Case(_of_a_game(rng, "plan.txt"))


def _of_a_game(rng: Rng, name: str) -> tuple[str, ...]:
    return rng.choice(
        (
            ("play", name, "-o", "o.png", "--json"),
            ("convert", name, "-o", "d.drops.json", "--json"),
            ("play", name, "-o", "o.gif", "--seconds", rng.choice(("0.2", "0", "x"))),
            ("play", name, "-o", "o.apng", "--smooth", "--seconds", "0.2"),
            ("play", name, "-o", "o.webp", "--seconds", rng.choice(("1", "1e-5", "1000"))),
            ("play", name, "-o", "o.html"),
            ("moves", name),
            ("moves", name, "--hidden", "4", "--json"),
            ("convert", name, "-o", "o.txt"),
            ("convert", name, "-o", "o.json"),
            ("convert", name, "-o", "o.fumen"),
            ("convert", name, "-o", "o.drops.json"),
        )
    )


def other_games(rng: Rng, folder: Path) -> Case:
    """An art file, a fumen or a game as played, perhaps spoilt."""
    form, name = rng.choice(
        (
            ("art", "g.drops.json"),
            ("fumen", "g.fumen"),
            ("drop_log", "g.drops.json"),
            ("art", "g.txt"),
        )
    )
    _put(folder, name, _json_or_bytes(rng, games()[form]))
    words = _of_a_game(rng, name)
    if rng.random() < 0.2:
        words += ("--board", rng.choice(NASTY))
    return Case(words)


def tables(rng: Rng, folder: Path) -> Case:
    """A table of patterns, spoilt."""
    name = "emitters1.txt"  # the first that is read
    (folder / "t").mkdir()
    for path in (ROOT / "patterns").glob("*.txt"):
        (folder / "t" / path.name).symlink_to(path)
    (folder / "t" / name).unlink()
    while (data := damage_bytes(rng, (ROOT / "patterns" / name).read_bytes())) == (
        ROOT / "patterns" / name
    ).read_bytes():
        pass
    _put(folder / "t", name, data)
    return Case(("patterns", "verify", "t"))


def journals(rng: Rng, folder: Path) -> Case:
    """What an interrupted job left, damaged, and the job again."""
    if rng.random() < 0.3:
        (folder / "out").mkdir()
        data = damage_bytes(rng, b'["0123456789abcdef01234567", ["x"]]\n["a", null]\n')
        _put(folder / "out", ".emitters7.txt.journal", data)
        return Case(("patterns", "build", "--emitted", "7", "-o", "out", "--workers", "1"))
    rows: Rows = [["d03020"] * 5, ["d03020", None, None, None, "d03020"], ["d03020"] * 5]
    _put(folder, "in.png", image_bytes(rng, rows, "PNG", "RGBA"))
    begun = damage_bytes(rng, b"A.....\nAAA...\n").decode("utf-8", "replace")
    other = damage_bytes(rng, games()["text"].encode())
    _put(folder, "p.txt", f"board 21x42 J=d03020\n\n{begun}" if rng.random() < 0.5 else other)
    words = "print in.png -o o.png --plan p.txt --plan d.drops.json --resume --planner rows"
    return Case(tuple(words.split()), rows)


LEVELS = "4x3 I2h I2v*2 V1 V2 rotatable=I2h turns=1 difficulty=26\nAABB\nCABD\nCEED\n"
PUZZLES = "4x3 I2h I2v*2 V1 V2\n\n4x3 I2h*2 I2v V0 V2\n"


def levels(rng: Rng, folder: Path) -> Case:
    """Levels, perhaps spoilt."""
    text = rng.choice((LEVELS, PUZZLES, format_json(parse_levels(LEVELS))))
    _put(folder, "levels.txt", _json_or_bytes(rng, text))
    return Case(
        rng.choice(
            (
                ("triplex", "check", "levels.txt"),
                ("triplex", "solve", "levels.txt", "--json"),
                ("triplex", "show", "levels.txt", "--number", rng.choice(("1", "2", "9"))),
            )
        )
    )


HEX = "0041:0000000018242442427E424242420000\n0042:000000007C4242427C424242427C0000\n"
BDF = (
    "STARTFONT 2.1\nFONT f\nSIZE 8 75 75\nFONTBOUNDINGBOX 3 3 0 0\nCHARS 1\nSTARTCHAR A\n"
    "ENCODING 65\nSWIDTH 500 0\nDWIDTH 4 0\nBBX 3 3 0 0\nBITMAP\n40\nA0\nE0\nENDCHAR\nENDFONT\n"
)


def glyphs(rng: Rng, folder: Path) -> Case:
    """A font, perhaps spoilt, and a text set in it."""
    kind, text = rng.choice((("hex", HEX), ("bdf", BDF), ("ttf", BDF)))
    _put(folder, f"f.{kind}", damage_bytes(rng, text.encode()))
    words = ("--planner", "table", "--board", "21x42", "--types", "classic")
    if kind == "hex" and rng.random() < 0.5:
        return Case(("print", "f.hex", "-o", "out/", *words))
    letters = rng.choice(("A", "AA", "", "\n", "é", "\U0001f600", "A" * 30, "\udcff"))
    return Case(("text", letters, "--font", f"f.{kind}", "-o", "o.png", *words))


def outputs(rng: Rng, folder: Path) -> Case:
    """A game written to odd places."""
    _put(folder, "plan.txt", games()["text"])
    (folder / "folder.png").mkdir()
    (folder / "link.png").symlink_to("nowhere.png")
    (folder / "loop.png").symlink_to("loop.png")
    stem = rng.choice(("o", "x" * 250, "x" * 251, "x" * 252, "é" * 120, "\udcff", ".", "a b", "{}"))
    place = rng.choice(("", "", "", "none/", "/proc/", "plan.txt/", "./", "/dev/full/"))
    suffix = rng.choice((".png", ".gif", ".html", ".txt", ".json", ".fumen", "", ".xyz", ".PNG"))
    target = rng.choice(
        (place + stem + suffix, place + stem + suffix, "folder.png", "link.png", "loop.png",
         "/dev/null", "/dev/full", "-", "")
    )  # fmt: skip
    option = rng.choice(("-o", "-o", "--poster"))
    if suffix in (".txt", ".json", ".fumen"):
        return Case(("convert", "plan.txt", "-o", target))
    return Case(("play", "plan.txt", option, target))


_COSTLY = {
    ("patterns", "build"), ("patterns", "automaton", "build"),
    ("patterns", "automaton", "verify"), ("verify"),
    ("patterns", "verify"), ("triplex", "table"), ("studio",), ("watch",), ("bound",),
}  # fmt: skip


def options(rng: Rng, folder: Path) -> Case:
    """Any command with any options, and values for them that may be anything."""
    from tetrisprinter.cli import COMMANDS, _root

    _put(folder, "in.png", (EXAMPLES / "glyph.png").read_bytes())
    _put(folder, "plan.txt", games()["text"])
    _put(folder, "levels.txt", LEVELS)
    while True:
        words = [rng.choice(list(COMMANDS))]
        command: Any = _root.get_command(click.Context(_root), words[0])
        while isinstance(command, click.Group):
            context = click.Context(command)
            words.append(rng.choice(sorted(command.list_commands(context))))
            command = command.get_command(context, words[-1])
        if tuple(words) not in _COSTLY:
            break
    for parameter in command.params:
        argument = isinstance(parameter, click.Argument)
        if parameter.name in ("dask", "workers", "time_limit", "watch", "prove"):
            continue
        needed = parameter.required or parameter.name == "outputs"
        if not argument and rng.random() > (0.97 if needed else 0.1):
            continue
        if not argument:
            words.append(rng.choice(parameter.opts))
        if argument or not parameter.is_flag:
            words.append(_value(rng, parameter))
    return Case(tuple(words))


_RIGHT: dict[str | None, tuple[str, ...]] = {
    "images": ("in.png",), "image": ("in.png",), "plan_file": ("plan.txt",), "plan": ("plan.txt",),
    "file": ("plan.txt",), "size": ("4x3", "3x3", "4x4"), "sizes": ("4x3",), "text": ("A", "Hi"),
    "puzzle": ("levels.txt", "4x3 I2h I2v*2 V1 V2"), "board": ("10x22", "21x42", "auto", "4x5"),
    "pieces": ("dominoes", "I2*inf,V3*2", "I4*inf", "tetrominoes"), "columns": ("3", "0,4", "7"),
    "output": ("o.txt", "o.json", "out"), "outputs": ("o.png", "o.gif", "o.html", "o.apng"),
    "folder": ("out",), "names": ("heart",), "table": ("3", "platforms"),
    "row": ("###", "..@o", "#" * 9), "font": ("builtin",), "planner": ("article", "table"),
    "fit": ("4x4", "8x8"), "types": ("auto", "classic"), "background": ("auto", "d03020"),
    "seconds": ("1", "2"), "emitted": ("1", "2"),
    "rows": ("3", "2", "6"), "width": ("9", "13", "21"), "finder": ("automaton", "sat"),
    "preview": ("v.png",), "picture": ("v.png",), "effort": ("0.1", "1"), "color": ("red",),
}  # fmt: skip


def _value(rng: Rng, parameter: click.Parameter) -> str:
    kind = parameter.type
    if parameter.name in _RIGHT and rng.random() < 0.85:
        return rng.choice(_RIGHT[parameter.name])
    if isinstance(kind, click.Choice) and rng.random() < 0.8:
        return str(rng.choice(list(kind.choices)))
    if isinstance(kind, click.IntRange) and rng.random() < 0.8:
        low = kind.min or 0
        return str(rng.randrange(low, min(kind.max or low + 9, low + 9) + 1))
    if isinstance(kind, click.Path) and rng.random() < 0.6:
        return rng.choice(("in.png", "plan.txt", "levels.txt", "o.png", "o.txt", "o.json", "out"))
    return rng.choice(NASTY)


KINDS: dict[str, Callable[[Rng, Path], Case]] = {
    "images": images, "plans": plans, "games": other_games, "tables": tables, "journals": journals,
    "levels": levels, "glyphs": glyphs, "outputs": outputs, "options": options,
}  # fmt: skip
"""Every kind of case by its name."""

WEIGHTS = dict(zip(KINDS, (3, 4, 4, 1, 1, 3, 2, 3, 6), strict=True))


def list_left(log: dict[str, Any]) -> Rows:
    """Return what a game leaves as rows, top row first, cut to the squares, by the oracle."""
    squares = oracle.picture(log)
    if not squares:
        return []
    xs, ys = [x for x, _ in squares], [y for _, y in squares]
    return [
        [squares.get((x, y)) for x in range(min(xs), max(xs) + 1)]
        for y in range(max(ys), min(ys) - 1, -1)
    ]


def trim_rows(rows: Rows) -> Rows:
    """Return a picture without empty rows and columns around it."""
    while rows and not any(rows[0]):
        rows = rows[1:]
    while rows and not any(rows[-1]):
        rows = rows[:-1]
    columns = list(zip(*rows, strict=True))
    filled = [x for x, column in enumerate(columns) if any(column)]
    return [row[filled[0] : filled[-1] + 1] for row in rows] if filled else []
