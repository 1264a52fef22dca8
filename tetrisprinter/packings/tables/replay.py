"""Replay the tables: play every entry as several games.

A table may have been edited by hand. So each matrix is played with each of J, T and L in every
emitter position, and each platform on a square under every column of its T. The final field must
hold exactly the emitted squares, or the square under the platform.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tetrisprinter.errors import JobError
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import Orientation, Placement
from tetrisprinter.packings.problem import Packing, PackingError
from tetrisprinter.packings.tables.read import (
    EMITTED,
    EMITTERS,
    PLATFORMS_FILE,
    get_tables_folder,
    name_emitter_file,
    read_emitter_table,
    read_platform_table,
)


def replay_emitters(packing: Packing) -> None:
    """Play a table entry as games, with each of J, T and L in every emitter position.

    There are six games: three with emitters of one type, and three with J, T and L in turn, so
    that each type has each other type as a neighbour.

    Parameters
    ----------
    packing : Packing
        An entry of a table of emitters, of any width.

    Raises
    ------
    PackingError
        If a game does not leave exactly the emitted squares.
    """
    packing.check()
    kinds = list(EMITTERS)
    count = len(packing.problem.presets)
    for first in range(3):
        for step in (0, 1):
            emitters = [kinds[(first + i * step) % 3] for i in range(count)]
            _replay_game(packing, emitters)


def _replay_game(packing: Packing, emitters: Sequence[Orientation]) -> None:
    """Play a table entry with these emitter pieces; raise an error if the field is wrong."""
    problem = packing.problem
    field = Playfield(problem.width, problem.rows + 1)
    squares: set[int] = set()
    lines = 0
    for preset, emitter in zip(problem.presets, emitters, strict=True):
        landing = field.drop(emitter, preset[0][0])
        if landing.y != 0:
            raise PackingError(f"emitter at column {landing.x} does not reach the row below")
        squares.add(landing.x + EMITTERS[emitter])
        lines += len(landing.cleared)
    lines += _replay_pieces(field, packing.pieces, base=1)
    squares_left = {x for x in range(problem.width) if field[x, 0]}
    if lines != problem.rows or squares_left != squares or any(any(row) for row in field.rows[1:]):
        raise PackingError(
            f"squares are left in columns {sorted(squares_left)}, not {sorted(squares)}"
        )


def replay_platform(packing: Packing) -> None:
    """Play a platform on a single square under each column of its T.

    Parameters
    ----------
    packing : Packing
        A platform, of any width.

    Raises
    ------
    PackingError
        If a piece does not land at its place in the packing, if the platform does not support
        every column of a picture, or if the last piece does not clear the rest of the platform.
    """
    packing.check()
    problem = packing.problem
    tee = Placement.find(problem.presets[0])
    if tee is None or problem.last is None:
        raise PackingError("invalid platform; expected a T first and a removable piece last")
    for column in range(tee.x, tee.x + 3):
        base = [int(x == column) for x in range(problem.width)]
        field = Playfield.from_rows(problem.width, problem.rows + 1, [base])
        _replay_pieces(field, (tee, *packing.pieces[:-1]), base=1)
        tops = field.tops[2 : problem.width - 2]
        if tops != (problem.rows,) * len(tops):
            raise PackingError("the platform does not support every column")
        _replay_pieces(field, packing.pieces[-1:], base=0)
        if field.rows[0] != bytes(base) or any(any(row) for row in field.rows[1:]):
            raise PackingError("the last piece does not remove the platform")


def _replay_pieces(field: Playfield, pieces: Iterable[Placement], base: int) -> int:
    """Drop pieces; check that they land ``base`` rows above their packing; return rows cleared."""
    lines = 0
    for piece in pieces:
        landing = field.drop(piece.orientation, piece.x)
        if landing.y != piece.y + base - lines:
            raise PackingError(
                f"{piece.orientation.piece.name} at column {piece.x} lands in row {landing.y}"
            )
        lines += len(landing.cleared)
    return lines


@dataclass(frozen=True, slots=True)
class TableReport:
    """The report of :func:`verify` on one file."""

    name: str  # the name of the file
    by_rows: tuple[tuple[int, int], ...]  # pairs (number of rows, number of patterns)

    @property
    def patterns(self) -> int:
        """Number of patterns in the file."""
        return sum(count for _, count in self.by_rows)


def verify(
    folder: str | Path | None = None, *, on_pattern: Callable[[], None] = lambda: None
) -> list[TableReport]:
    """Replay every pattern of every table.

    Parameters
    ----------
    folder : str, Path or None
        The folder of the tables; None for the tables of the package.
    on_pattern : callable
        Called after each pattern, for progress.

    Raises
    ------
    InputError
        If a file is missing, malformed, incomplete or out of order.
    PackingError
        If a pattern fails; the message names the file and the pattern's number.
    """
    root = get_tables_folder() if folder is None else Path(folder)
    reports: list[TableReport] = []
    for emitted in EMITTED:
        path = root / name_emitter_file(emitted)
        reports.append(
            _verify_table(path, read_emitter_table(path, emitted), replay_emitters, on_pattern)
        )
    path = root / PLATFORMS_FILE
    reports.append(_verify_table(path, read_platform_table(path), replay_platform, on_pattern))
    return reports


def _verify_table(
    path: Path,
    packings: Sequence[Packing],
    replay: Callable[[Packing], None],
    on_pattern: Callable[[], None],
) -> TableReport:
    """Replay all patterns of a table; return the report on them."""
    patterns_by_rows: dict[int, int] = {}
    for number, packing in enumerate(packings, 1):
        try:
            replay(packing)
        except (PackingError, JobError) as error:
            raise PackingError(f"{path}: pattern {number}: {error}") from error
        patterns_by_rows[packing.problem.rows] = patterns_by_rows.get(packing.problem.rows, 0) + 1
        on_pattern()
    return TableReport(path.name, tuple(sorted(patterns_by_rows.items())))
