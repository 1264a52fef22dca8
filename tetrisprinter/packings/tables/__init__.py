"""The tables: a packing for every set of emitter positions, and the platforms.

Seven small text files hold, for n = 1..7, a matrix for every way to set n emitter
pieces side by side over a row of the classic width, and one more holds the platforms.
They are shipped with the package, so printing from them needs no search at all; and
they are not trusted: :func:`verify` replays every one of them as a game, with each of
J, T and L in every emitter position.

Blocks are sorted by their positions, so the block of a set of positions is found by its
rank and only that block is ever parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Final

from tetrisprinter import __version__
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.drawing import split_blocks
from tetrisprinter.game.field import Playfield
from tetrisprinter.game.pieces import PieceType, Placement, orientations_of
from tetrisprinter.packings.problem import (
    PLATFORM_ROWS,
    Packing,
    PackingError,
    Unknown,
    emitter_problem,
    platform_problems,
)
from tetrisprinter.support.executors import HERE, Journal, Machines, run
from tetrisprinter.support.files import read_text

__all__ = [
    "EMITTED",
    "EMITTERS",
    "PLATFORMS_FILE",
    "TABLE_WIDTH",
    "PatternTable",
    "build_emitters",
    "build_platforms",
    "emitter_file",
    "emitter_pattern",
    "emitter_positions",
    "platform_pattern",
    "rank",
    "read_emitters",
    "read_platforms",
    "replay_emitters",
    "replay_platform",
    "table_text",
    "tables_folder",
    "verify",
]

TABLE_WIDTH: Final = 21
EMITTED: Final = range(1, TABLE_WIDTH // 3 + 1)
"""For how many emitted squares there is a table."""

PLATFORMS_FILE: Final = "platforms.txt"

EMITTERS: Final = {
    orientations_of(piece)[0]: nub
    for piece, nub in ((PieceType.J, 2), (PieceType.T, 1), (PieceType.L, 0))
}
"""J, T and L, nub down, with the column of the nub among their three."""

_TRIES: Final = 50
_ATTEMPTS: Final = 1000
"""Random starts, and placements in each, before a search goes on exhaustively."""

_UNIT: Final = 32
"""Patterns that are searched together, as a unit of work."""

_EXHAUSTIVE_LIMIT: Final = 300_000
"""Placements an exhaustive search may try before a greater height is tried instead."""


class PatternTable(list[Packing]):
    """A table: its packings in order. In a notebook it shows the first few."""

    def _repr_html_(self) -> str:
        from tetrisprinter.render.notebook import packings_html

        return packings_html(self)


def emitter_file(emitted: int) -> str:
    """Return the name of the table for a number of emitted squares."""
    return f"emitters{emitted}.txt"


def emitter_positions(emitted: int, width: int = TABLE_WIDTH) -> Iterator[tuple[int, ...]]:
    """Yield every way to set that many triples of columns side by side, sorted.

    >>> [sum(1 for _ in emitter_positions(n)) for n in EMITTED]
    [19, 136, 455, 715, 462, 84, 1]
    """
    for chosen in combinations(range(width - 2 * emitted), emitted):
        yield tuple(c + 2 * i for i, c in enumerate(chosen))


def rank(positions: Sequence[int], width: int = TABLE_WIDTH) -> int:
    """Return the index of sorted positions in :func:`emitter_positions`.

    >>> positions = list(emitter_positions(4))
    >>> [rank(p) for p in positions] == list(range(715))
    True
    """
    size = width - 2 * len(positions)
    index = 0
    previous = -1
    for i, position in enumerate(positions):
        chosen = position - 2 * i
        for skipped in range(previous + 1, chosen):
            index += comb(size - skipped - 1, len(positions) - i - 1)
        previous = chosen
    return index


@cache
def tables_folder() -> Traversable:
    """Return the folder of the tables that come with the package."""
    shipped = files("tetrisprinter") / "_patterns"
    if shipped.is_dir():
        return shipped
    return Path(__file__).resolve().parent.parent / "patterns"


@cache
def _blocks_of(name: str) -> tuple[str, ...]:
    try:
        text = (tables_folder() / name).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{tables_folder() / name}: this table of the package is missing; "
            "rebuild it with 'tetrisprinter patterns build'"
        ) from error
    return tuple(text.strip().split("\n\n"))


def emitter_pattern(positions: Sequence[int]) -> Packing:
    """Look up the packing for sorted emitter positions in the shipped tables.

    Raises
    ------
    InputError
        If the table does not hold it.
    """
    name = emitter_file(len(positions))
    index = rank(positions)
    blocks = _blocks_of(name)
    if index >= len(blocks):
        raise InputError(f"{name}: has no pattern for positions {tuple(positions)}")
    packing = Packing.parse(blocks[index], len(positions), name)
    if packing.problem != emitter_problem(TABLE_WIDTH, packing.problem.rows, positions):
        raise InputError(f"{name}: block {index + 1} is not the pattern of {tuple(positions)}")
    return packing


def platform_pattern(square: int) -> Packing:
    """Look up a platform whose T can stand on a square in the given column.

    Raises
    ------
    InputError
        If the table has none.
    """
    for text in _blocks_of(PLATFORMS_FILE):
        block = split_blocks(text, PLATFORMS_FILE)[0]
        if any(x == square and y == 0 for x, y in block.groups[0]):
            return Packing.from_block(block, 1, removable=True)
    raise InputError(f"{PLATFORMS_FILE}: no platform stands on a square in column {square}")


def read_emitters(path: str | Path, emitted: int) -> PatternTable:
    """Read a whole table and check that it is complete and in order.

    Raises
    ------
    InputError
        Naming file and line.
    """
    blocks = split_blocks(read_text(path), str(path))
    packings = PatternTable(Packing.from_block(block, emitted) for block in blocks)
    expected = list(emitter_positions(emitted))
    for index, (packing, block) in enumerate(zip(packings, blocks, strict=True)):
        if index >= len(expected) or packing.problem != emitter_problem(
            TABLE_WIDTH, packing.problem.rows, expected[index]
        ):
            wanted = expected[index] if index < len(expected) else "the end of the table"
            raise block.error(f"expected the pattern of positions {wanted}")
    if len(packings) < len(expected):
        raise InputError(
            f"{path}: holds {len(packings)} patterns where {len(expected)} are expected; "
            f"the first one missing has positions {expected[len(packings)]}"
        )
    return packings


def read_platforms(path: str | Path) -> PatternTable:
    """Read the platforms; errors as :func:`read_emitters`."""
    packings = PatternTable()
    previous = -1
    for block in split_blocks(read_text(path), str(path)):
        packing = Packing.from_block(block, 1, removable=True)
        column = packing.problem.presets[0][0][0]
        if packing.problem not in platform_problems(TABLE_WIDTH, column):
            raise block.error(
                f"a platform is {TABLE_WIDTH} x {PLATFORM_ROWS}, starts with a flat T and ends "
                "with a hooked J or L at an edge"
            )
        if column <= previous:
            raise block.error(f"the platform at column {column} is out of order")
        previous = column
        packings.append(packing)
    return packings


def table_text(packings: Iterable[Packing]) -> str:
    """Return the text form of a table."""
    return "\n\n".join(map(str, packings)) + "\n"


def build_emitters(
    emitted: int,
    *,
    seed: int = 0,
    machines: Machines = HERE,
    journal: Path | None = None,
    on_pattern: Callable[[], None] = lambda: None,
) -> list[Packing]:
    """Search the table for a number of emitted squares.

    Heights that divisibility excludes are passed over; of the others the least at which
    the search succeeds is taken. Every pattern has been replayed when it is returned.

    Parameters
    ----------
    emitted : int
        1..7.
    seed : int
        Same seed, same table, whoever does the work.
    machines : Machines
        Who does it.
    journal : Path or None
        Where to keep finished patterns, for an interrupted search to be continued.
    on_pattern : callable
        Called after each pattern, for progress.
    """
    every = list(emitter_positions(emitted))
    units = [(tuple(every[i : i + _UNIT]), seed) for i in range(0, len(every), _UNIT)]

    def advance(_index: int, texts: list[str]) -> None:
        for _ in texts:
            on_pattern()

    kept = Journal(journal, {"table": emitted, "version": __version__}) if journal else None
    blocks = run(_emitter_texts, units, machines=machines, journal=kept, on_result=advance)
    return [Packing.parse(text, emitted) for texts in blocks for text in texts]


def _emitter_texts(unit: tuple[tuple[tuple[int, ...], ...], int]) -> list[str]:
    """Search and replay some patterns; they travel as text."""
    some, seed = unit
    texts = []
    for positions in some:
        packing = smallest_matrix(positions, seed=seed)
        replay_emitters(packing)
        texts.append(str(packing))
    return texts


def smallest_matrix(positions: Sequence[int], *, seed: int = 0) -> Packing:
    """Search the packing of the smallest height that the search can show.

    Raises
    ------
    JobError
        If no height up to 12 succeeds.
    """
    from tetrisprinter.packings.finders.fastest import find

    for rows in range(1, 13):
        problem = emitter_problem(TABLE_WIDTH, rows, positions)
        if not problem.is_divisible:
            continue
        result = find(problem, max_attempts=_ATTEMPTS, retries=_TRIES, seed=seed)
        if isinstance(result, Unknown):
            result = find(problem, max_attempts=_EXHAUSTIVE_LIMIT, seed=seed)
        if isinstance(result, Packing):
            return result
    raise JobError(f"no matrix of up to 12 rows found for emitters at {tuple(positions)}")


def build_platforms(
    *, seed: int = 0, on_pattern: Callable[[], None] = lambda: None
) -> list[Packing]:
    """Search a platform for every column of the T.

    Columns without one are left out; that there are none is not proved here.
    """
    from tetrisprinter.packings.finders.backtracker import find

    packings: list[Packing] = []
    for column in range(TABLE_WIDTH - 2):
        for problem in platform_problems(TABLE_WIDTH, column):
            result = find(problem, retries=_TRIES, seed=seed)
            if isinstance(result, Packing):
                replay_platform(result)
                packings.append(result)
                break
        on_pattern()
    return packings


def replay_emitters(packing: Packing) -> None:
    """Play a table entry as games, with each of J, T and L in every emitter position.

    Six games: all emitters alike, and mixed in turn, so that each piece meets each of the
    others as neighbour.

    Raises
    ------
    PackingError
        If a game does not leave exactly the emitted squares.
    """
    packing.check()
    kinds = list(EMITTERS)
    n = len(packing.problem.presets)
    for first in range(3):
        for step in (0, 1):
            emitters = [kinds[(first + i * step) % 3] for i in range(n)]
            _replay_game(packing, emitters)


def _replay_game(packing: Packing, emitters: Sequence[object]) -> None:
    problem = packing.problem
    field = Playfield(problem.width, problem.rows + 1)
    squares: set[int] = set()
    lines = 0
    for preset, emitter in zip(problem.presets, emitters, strict=True):
        orientation = next(o for o in EMITTERS if o is emitter)
        landing = field.drop(orientation, preset[0][0])
        if landing.y != 0:
            raise PackingError(f"emitter at column {landing.x} does not reach the row below")
        squares.add(landing.x + EMITTERS[orientation])
        lines += len(landing.cleared)
    lines += _replay_pieces(field, packing.pieces, base=1)
    left = {x for x in range(problem.width) if field[x, 0]}
    if lines != problem.rows or left != squares or any(any(row) for row in field.rows[1:]):
        raise PackingError(f"the game leaves columns {sorted(left)}, not {sorted(squares)}")


def replay_platform(packing: Packing) -> None:
    """Play a platform on a single square under each column of its T.

    Raises
    ------
    PackingError
        If it does not stand, does not carry every column of a picture, or is not taken
        away by its last piece.
    """
    packing.check()
    problem = packing.problem
    tee = Placement.of(problem.presets[0])
    if tee is None or problem.last is None:
        raise PackingError("a platform starts with a T and ends with a removable piece")
    for column in range(tee.x, tee.x + 3):
        base = [int(x == column) for x in range(problem.width)]
        field = Playfield.from_rows(problem.width, problem.rows + 1, [base])
        _replay_pieces(field, (tee, *packing.pieces[:-1]), base=1)
        tops = field.tops[2 : problem.width - 2]
        if tops != (problem.rows,) * len(tops):
            raise PackingError("the platform does not carry every column")
        _replay_pieces(field, packing.pieces[-1:], base=0)
        if field.rows[0] != bytes(base) or any(any(row) for row in field.rows[1:]):
            raise PackingError("the platform is not taken away by its last piece")


def _replay_pieces(field: Playfield, pieces: Iterable[Placement], base: int) -> int:
    """Drop pieces that must land where their packing says, ``base`` rows up."""
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
    """What :func:`verify` found in one file: patterns by number of rows."""

    name: str
    by_rows: tuple[tuple[int, int], ...]

    @property
    def patterns(self) -> int:
        """How many patterns the file holds."""
        return sum(count for _, count in self.by_rows)


def verify(
    folder: str | Path | None = None, *, on_pattern: Callable[[], None] = lambda: None
) -> list[TableReport]:
    """Replay every pattern of every table.

    Parameters
    ----------
    folder : str, Path or None
        Where the tables are; None for those of the package.
    on_pattern : callable
        Called after each pattern, for progress.

    Raises
    ------
    InputError
        A file is missing, malformed, incomplete or out of order.
    PackingError
        A pattern fails; the message names file and block.
    """
    root = Path(str(tables_folder())) if folder is None else Path(folder)
    reports: list[TableReport] = []
    for emitted in EMITTED:
        path = root / emitter_file(emitted)
        reports.append(_verify(path, read_emitters(path, emitted), replay_emitters, on_pattern))
    path = root / PLATFORMS_FILE
    reports.append(_verify(path, read_platforms(path), replay_platform, on_pattern))
    return reports


def _verify(
    path: Path,
    packings: Sequence[Packing],
    replay: Callable[[Packing], None],
    on_pattern: Callable[[], None],
) -> TableReport:
    rows: dict[int, int] = {}
    for number, packing in enumerate(packings, 1):
        try:
            replay(packing)
        except (PackingError, JobError) as error:
            raise PackingError(f"{path}: pattern {number}: {error}") from error
        rows[packing.problem.rows] = rows.get(packing.problem.rows, 0) + 1
        on_pattern()
    return TableReport(path.name, tuple(sorted(rows.items())))
