"""What the certificate of a bound says, read and written: the file ``bound.json`` of its folder.

It has the picture, its board and its types, the bound, for every question that was refuted the
views that no game has, and for every formula the files of its proofs. Nothing in it is believed:
see :mod:`~tetrisprinter.bounds.verifier`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tetrisprinter.bounds.formula import ENCODING
from tetrisprinter.bounds.stacks import Refuted, View
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.packings.proofs.files import File
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.task import Task
from tetrisprinter.support.files import parse_json, read_text

__all__ = [
    "BOUND",
    "FORMAT",
    "BoundCertificate",
    "Files",
    "read_bound",
    "read_view",
    "task_data",
    "view_data",
]

BOUND: Final = "bound.json"
"""The name of the file that says what a folder proves."""

FORMAT: Final = 3
"""The version of that file, which it names."""

Files = tuple[File, File, File]
"""Formula, DRAT and LRAT."""


@dataclass(frozen=True, slots=True)
class BoundCertificate:
    """What a folder claims.

    Attributes
    ----------
    task : Task
        The picture, on its board, with its types.
    bound : int
        No game prints it in fewer drops.
    views : mapping of (int, int) to tuple of Refuted
        For the lines and spare squares of each question that is refuted, the impossible views.
    proofs : mapping of str to tuple of File
        Formula, DRAT and LRAT of each formula, by its name.
    """

    task: Task
    bound: int
    views: Mapping[tuple[int, int], tuple[Refuted, ...]]
    proofs: Mapping[str, Files]


def read_bound(folder: str | Path, task: Task | None = None) -> BoundCertificate:
    """Read what a folder claims.

    Parameters
    ----------
    folder : str or Path
        With a :data:`BOUND`.
    task : Task, optional
        What it has to be about.

    Raises
    ------
    InputError
        If it cannot be read, or is about something else.
    """
    path = Path(folder) / BOUND
    match parse_json(read_text(path), str(path)):
        case {
            "format": 3,
            "bound": int(bound),
            "task": read,
            "encoder": int(encoder),
            "questions": [*asked],
            "proofs": {**proofs},
        }:
            pass
        case _:
            raise InputError(f"{path}: is not the certificate of a bound in format {FORMAT}")
    if encoder != ENCODING:
        raise InputError(
            f"{path}: was made by version {encoder} of the encoding, this is version {ENCODING}"
        )
    if task is not None and read != task_data(task):
        raise InputError(
            f"{path}: is the certificate of another picture, board or types; give another folder"
        )
    try:
        views = {}
        for one in asked:
            match one:
                case {"lines": int(lines), "spare": int(spare), "views": [*listed]}:
                    views[lines, spare] = tuple(map(read_view, listed))
                case _:
                    raise InputError("a question lacks lines, spare or views")
        files = {str(name): _read_files(one) for name, one in proofs.items()}
        return BoundCertificate(_read_task(read), bound, views, files)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _read_files(data: object) -> Files:
    found = []
    for kind in ("formula", "drat", "lrat"):
        match data:
            case dict() if isinstance(data.get(kind), dict):
                file = File(str(data[kind].get("file")), str(data[kind].get("sha256")))
            case _:
                raise InputError(f"a proof lacks its {kind} file")
        if Path(file.name).name != file.name:
            raise InputError("the files of proofs must lie in the folder itself")
        found.append(file)
    formula, drat, lrat = found
    return formula, drat, lrat


def view_data(one: Refuted) -> dict[str, Any]:
    """Return an impossible view as plain data."""
    view = one.view
    return {
        "first": view.first,
        "counts": list(view.counts),
        "floor": view.floor,
        "top": view.top,
        "without": [[piece.name, shade] for piece, shade in one.without],
        "spare": one.spare,
    }


def read_view(data: object) -> Refuted:
    """Read what :func:`view_data` returned."""
    match data:
        case {
            "first": int(first),
            "counts": [*counts],
            "floor": bool(floor),
            "top": bool(top),
            "without": [*types],
            "spare": int(spare),
            **_rest,
        } if min(first, spare) >= 0 and all(type(count) is int and count >= 0 for count in counts):
            try:
                without = tuple((PieceType[str(piece)], int(shade)) for piece, shade in types)
            except (KeyError, TypeError, ValueError):
                raise InputError("an impossible view names types that there are not") from None
            return Refuted(View(first, tuple(counts), floor, top), without, spare)
    raise InputError("an impossible view lacks first, counts, floor, top, without or spare")


def task_data(task: Task) -> dict[str, Any]:
    """Return all that a bound depends on, as plain data."""
    colors = task.type_colors
    return {
        "picture": [list(row) for row in task.picture.rows],
        "board": [task.board.width, task.board.height],
        "column": task.column,
        "types": None if colors is None else {piece.name: c for piece, c in colors.items()},
        "background": task.background,
    }


def _read_task(data: object) -> Task:
    match data:
        case {
            "picture": [*rows],
            "board": [int(width), int(height)],
            "column": int(column),
            "types": dict() | None as types,
            "background": str() | None as background,
        }:
            try:
                picture = Picture(tuple(tuple(row) for row in rows), "the picture")
                named = "auto" if types is None else {PieceType[p]: c for p, c in types.items()}
            except (KeyError, TypeError, ValueError):
                raise InputError("the picture or its types cannot be read") from None
            return Task.of(picture, (width, height), named, background, column)
    raise InputError("the task lacks picture, board, column, types or background")
