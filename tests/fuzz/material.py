"""What the cases are made of: small files that are right, and ways to spoil them."""

import functools
import io
import json
import random
from typing import Any

from PIL import Image

from tetrisprinter.formats import FORMATS
from tetrisprinter.game.pieces import PieceType, list_orientations
from tetrisprinter.game.replay import make_plan_from_drops

Rng = random.Random

NASTY = (
    "", "0", "1", "-1", "2", "3", "7", "21", "1e5", "1e-5", "nan", "inf", "-inf", "999999999999",
    "x", "0x0", "3x3", "21x42", "10x22", "1x1", "9999x9999", "4x", "auto", "all", "none", "é",
    "\udcff", "a b",
    "../x", ".", "/", "0,4", "3", "4,11", "1..3", "9..3", "ff0000", "red", "#00ff00", "J=ff0000",
    "J=ff0000,L=00ff00", "transparent", "cadical195", "minisat22", "sweep", "cpsat", "dominoes",
    "I2*inf", "V3", "##/#.", "--", "{}", "a.png", "in.png", "plan.txt", "levels.txt", "[" * 300,
)  # fmt: skip
"""Words that commands are given."""


@functools.cache
def games() -> dict[str, str]:
    """Return a small game, in which a row clears, in every format."""
    kinds = PieceType
    dropped = ((kinds.I, 0, 0), (kinds.I, 0, 4), (kinds.O, 0, 8), (kinds.J, 1, 0), (kinds.T, 2, 3))
    drops = [(list_orientations(kind)[turns], x) for kind, turns, x in dropped]
    colors = ((kinds.O, "d03020"), (kinds.J, "3060c0"), (kinds.T, "208040"))
    plan = make_plan_from_drops(drops, colors, 10, 22)
    return {name: form.format(plan) for name, form in FORMATS.items()}


def damage_bytes(rng: Rng, data: bytes) -> bytes:
    """Return something near to what was given: bytes changed, doubled, lost, or nothing changed."""
    spoiled = bytearray(data)
    for _ in range(rng.choice((0, 0, 1, 1, 1, 2, 8))):
        at = rng.randrange(len(spoiled) + 1)
        match rng.randrange(7):
            case 0:
                spoiled[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del spoiled[at:]
            case 2:
                del spoiled[at : at + rng.randrange(1, 9)]
            case 3:
                spoiled[at:at] = spoiled[max(0, at - rng.randrange(1, 40)) : at] * rng.randrange(3)
            case 4:
                spoiled[at : at + 1] = rng.choice(NASTY).encode("utf-8", "surrogateescape")
            case 5:
                spoiled[at : at + 1] = rng.choice(b'0123456789.#ABCIJLOSTZ\n \t[]{}",:-').to_bytes()
            case _:
                lines = bytes(spoiled).split(b"\n")
                rng.shuffle(lines)
                spoiled[:] = b"\n".join(lines)
    return bytes(spoiled)


_OTHERS: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 4, 7, 10**6, 10**9, 10**18, 10**30, 10**40, 0.5, 1.5, 1e308),
    *("", "x", "I", "é", "ff0000", "../../etc/passwd", [], [[]], [0], [[0, 0]] * 3, {}, {"a": 1}),
)


def change_json(rng: Rng, data: Any) -> None:
    """Change, remove, double or swap one value of some data."""
    places: list[tuple[Any, Any]] = []

    def visit(value: Any) -> None:
        for key in value if isinstance(value, dict) else range(len(value)):
            places.append((value, key))
            if isinstance(value[key], dict | list):
                visit(value[key])

    visit(data)
    if not places:
        return
    holder, key = rng.choice(places)
    old = holder[key]
    match rng.randrange(5):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, old)
        case 2 if type(old) is int:
            holder[key] = old + rng.choice((-4, -3, -2, -1, 1, 2, 3, 4, 1000))
        case 3 if isinstance(holder, list):
            other = rng.randrange(len(holder))
            holder[key], holder[other] = holder[other], old
        case _:
            holder[key] = rng.choice(_OTHERS)


def damage_json(rng: Rng, text: str) -> bytes:
    """Return JSON some of whose values are others."""
    data = json.loads(text)
    for _ in range(rng.randrange(1, 4)):
        change_json(rng, data)
    return json.dumps(data).encode()


def picture(rng: Rng) -> list[list[str | None]]:
    """Return a small picture of up to three colours, top row first."""
    width, height = rng.randrange(1, 8), rng.randrange(1, 7)
    colors = ["d03020", "3060c0", "208040"][: rng.randrange(1, 4)]
    full = rng.random()
    return [
        [rng.choice(colors) if rng.random() < full else None for _ in range(width)]
        for _ in range(height)
    ]


def image_bytes(rng: Rng, rows: list[list[str | None]], kind: str, mode: str) -> bytes:
    """Draw a picture as an image file of some kind and mode."""
    image = Image.new("RGBA", (len(rows[0]), len(rows)))
    for y, row in enumerate(rows):
        for x, color in enumerate(row):
            if color:
                image.putpixel((x, y), (*bytes.fromhex(color), 255))
    drawn = image if mode == "RGBA" else image.convert("RGB").convert(mode)
    out = io.BytesIO()
    frames: dict[str, Any] = {}
    if kind == "GIF" and rng.random() < 0.5:
        frames = {"save_all": True, "append_images": [drawn.transpose(Image.Transpose.ROTATE_180)]}
    drawn.save(out, kind, **frames)
    return out.getvalue()
