"""Read and write ``bound.json``, the file that says what the certificate of a bound claims.

The file has the picture, its board and types, the bound, the nogoods of each refuted question, and
for each formula the files of its proofs. The verifier (:mod:`~tetrisprinter.bounds.verifier`) does
not trust the file. Each certificate has exactly one valid text, and any other text is refused, so
no field escapes the check.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tetrisprinter.bounds.stacks import Nogood, Window
from tetrisprinter.bounds.window_formula import ENCODING
from tetrisprinter.errors import InputError
from tetrisprinter.game.board import LARGEST
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.result import GAMES
from tetrisprinter.printing.task import Task
from tetrisprinter.sat.files import (
    Files,
    check_canonical_text,
    encode_files,
    read_files,
)
from tetrisprinter.support.files import parse_json, read_text

BOUND: Final = "bound.json"
"""The name of the file that states the claims of a certificate folder."""

FORMAT: Final = 4
"""The version of the file's format."""

_LONGEST: Final = 2**23
"""The most bytes of the file; a hundred thousand windows fit."""


@dataclass(frozen=True, slots=True)
class BoundCertificate:
    """The claims of a certificate folder."""

    task: Task  # the picture, its board and its types
    bound: int  # no game prints it in fewer drops
    # The nogoods of each refuted question, by its numbers of cleared rows and optional squares
    nogoods: Mapping[tuple[int, int], tuple[Nogood, ...]]
    proofs: Mapping[str, Files]  # the files of each formula, by its name

    def to_text(self) -> str:
        """Return the text of the file; no other text is accepted."""
        data = {
            "format": FORMAT,
            "words": f"no game of {GAMES} prints the picture in fewer than {self.bound}",
            "bound": self.bound,
            "task": encode_task(self.task),
            "encoder": ENCODING,
            "questions": [
                {"lines": lines, "spare": spare, "views": [encode_nogood(one) for one in nogoods]}
                for (lines, spare), nogoods in self.nogoods.items()
            ],
            "proofs": {name: encode_files(files) for name, files in self.proofs.items()},
        }
        return json.dumps(data, indent=1) + "\n"


def read_bound(folder: str | Path, task: Task | None = None) -> BoundCertificate:
    """Read the claims of a certificate folder."""
    path = Path(folder) / BOUND
    if path.exists() and not (path.is_file() and path.stat().st_size <= _LONGEST):
        raise InputError(f"{path}: not a file of at most {_LONGEST} bytes")
    text = read_text(path)
    match parse_json(text, str(path)):
        case {
            "format": int(version),
            "bound": int(bound),
            "task": task_data,
            "encoder": int(encoder),
            "questions": [*questions],
            "proofs": {**proofs},
        } if version == FORMAT:
            pass
        case _:
            raise InputError(f"{path}: not the certificate of a bound in format {FORMAT}")
    if encoder != ENCODING:
        raise InputError(
            f"{path}: made by version {encoder} of the encoding; expected version {ENCODING}"
        )
    if task is not None and task_data != encode_task(task):
        raise InputError(f"{path}: is for another picture, board or types; give another folder")
    try:
        nogoods = {}
        for question in questions:
            match question:
                case {"lines": int(lines), "spare": int(spare), "views": [*nogood_list]}:
                    nogoods[lines, spare] = tuple(map(read_nogood, nogood_list))
                case _:
                    raise InputError("invalid question; expected lines, spare and views")
        files = {str(name): read_files(data, f"the proof {name}") for name, data in proofs.items()}
        certificate = BoundCertificate(_read_task(task_data), bound, nogoods, files)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    check_canonical_text(path, text, certificate.to_text())
    return certificate


def encode_nogood(nogood: Nogood) -> dict[str, Any]:
    """Return a nogood as plain data."""
    window = nogood.window
    return {
        "first": window.first,
        "counts": list(window.counts),
        "floor": window.floor,
        "top": window.top,
        "without": [[piece.name, shade] for piece, shade in nogood.without],
        "spare": nogood.spare,
    }


def read_nogood(data: object) -> Nogood:
    """Read a nogood from the plain data that :func:`encode_nogood` returns."""
    match data:
        case {
            "first": int(first),
            "counts": [*counts],
            "floor": bool(floor),
            "top": bool(top),
            "without": [*types],
            "spare": int(spare),
        } if min(first, spare) >= 0 and all(type(count) is int and count >= 0 for count in counts):
            without = tuple(map(_read_type, types))
            return Nogood(Window(first, tuple(counts), floor, top), without, spare)
    raise InputError("invalid nogood; expected first, counts, floor, top, without and spare")


def _read_type(data: object) -> tuple[PieceType, int]:
    """Read a piece type and the number of its colour from plain data."""
    match data:
        case [str(name), int(shade)] if name in PieceType.__members__:
            return PieceType[name], shade
    raise InputError("a nogood names an unknown piece type")


def encode_task(task: Task) -> dict[str, Any]:
    """Return what a bound depends on, as plain data."""
    colors = task.type_colors
    return {
        "picture": [list(row) for row in task.picture.rows],
        "board": [task.board.width, task.board.height],
        "column": task.column,
        "types": None if colors is None else {piece.name: c for piece, c in colors.items()},
        "background": task.background,
    }


def _read_task(data: object) -> Task:
    """Read a task from the plain data that :func:`encode_task` returns."""
    match data:
        case {
            "picture": [*rows],
            "board": [int(width), int(height)],
            "column": int(column),
            "types": dict() | None as types,
            "background": str() | None as background,
        } if max(width, height) <= LARGEST and all(isinstance(row, list) for row in rows):
            try:
                picture = Picture(tuple(tuple(row) for row in rows), "the picture")
                option = "auto" if types is None else {PieceType[p]: c for p, c in types.items()}
                if types and not all(isinstance(color, str) for color in types.values()):
                    raise TypeError
            except (KeyError, TypeError, ValueError):
                raise InputError("the picture or its types cannot be read") from None
            return Task.of(picture, (width, height), option, background, column)
    raise InputError("invalid task; expected picture, board, column, types and background")
