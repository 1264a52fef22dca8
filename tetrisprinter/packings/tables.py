"""The tables: a packing for every set of emitter positions, and the platforms.

Seven tables hold, for n = 1..7, a matrix for every set of positions of n emitter pieces over a row
of the classic width; another table holds the platforms. The *positions* are the leftmost columns
of the emitter pieces; entries are sorted by positions. The text files come with the package, so
printing from them needs no search.

They are not trusted, because a table may have been edited by hand: :func:`verify` plays each matrix
as a game with each of J, T and L in every emitter position, and each platform on a square under
every column of its T. The final field must hold exactly the emitted squares, or the square under
the platform.

:func:`build_emitters` builds a table by search: the same seed writes the same files on any number
of machines. Heights that divisibility excludes are skipped. A pattern gets the least of the other
heights at which the search succeeds; :mod:`tetrisprinter.packings.certificates` lists what proves
that this height is minimal. Terms: docs/glossary.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import comb
from pathlib import Path
from typing import Final

from tetrisprinter import __version__
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.field import CLASSIC_BOARD, Playfield
from tetrisprinter.game.pieces import (
    Orientation,
    PieceType,
    Placement,
    list_orientations,
    split_blocks,
)
from tetrisprinter.game.plan import PLATFORM_ROWS
from tetrisprinter.packings.problem import (
    Packing,
    PackingError,
    Result,
    Unknown,
    list_emitter_positions,
    list_platform_problems,
    make_emitter_problem,
)
from tetrisprinter.support import load
from tetrisprinter.support.executors import HERE, Journal, Machines, run_units
from tetrisprinter.support.files import find_shipped_folder, read_text
from tetrisprinter.support.options import Limit

TABLE_WIDTH: Final = CLASSIC_BOARD.width
"""Columns of every entry."""

EMITTED: Final = range(1, TABLE_WIDTH // 3 + 1)
"""The numbers of emitted squares that have a table."""

PLATFORMS_FILE: Final = "platforms.txt"
"""The name of the table of platforms."""

FILES: Final = (*(f"emitters{n}.txt" for n in EMITTED), PLATFORMS_FILE)
"""The names of all tables."""

ENTRIES: Final = sum(comb(TABLE_WIDTH - 2 * n, n) for n in EMITTED) + 10
"""The number of entries in all tables: patterns, and ten platforms."""

EMITTERS: Final = {
    list_orientations(piece)[0]: nub
    for piece, nub in ((PieceType.J, 2), (PieceType.T, 1), (PieceType.L, 0))
}
"""J, T and L, nub down, each with the column of its nub: 0, 1 or 2."""


def name_emitter_file(emitted: int) -> str:
    """Return the name of the table for a number of emitted squares, 1 to 7."""
    return f"emitters{emitted}.txt"


def read_positions(packing: Packing) -> tuple[int, ...]:
    """Return the leftmost column of each emitter piece of an entry, or of a platform's T."""
    return tuple(preset[0][0] for preset in packing.problem.presets)


@cache
def get_tables_folder() -> Path:
    """Return the folder of the tables that come with the package."""
    return find_shipped_folder("patterns")


class PatternTable(list[Packing]):
    """The packings of a table, in order. A notebook shows the first few of them."""

    def _repr_html_(self) -> str:
        html: str = load("tetrisprinter.render.still:draw_packings_html")(self)
        return html


@cache
def _load_blocks(name: str) -> tuple[str, ...]:
    """Return the blocks of text, one per entry, of a table that comes with the package."""
    path = get_tables_folder() / name
    try:
        return tuple(path.read_text(encoding="utf-8").strip().split("\n\n"))
    except OSError as error:
        raise InputError(
            f"{path}: this table of the package is missing; "
            "rebuild it with 'tetrisprinter patterns build'"
        ) from error


@cache
def _index_emitters(emitted: int) -> dict[tuple[int, ...], str]:
    """Return the blocks of a table, still as text, by their positions."""
    # A print needs a few entries only, so each is parsed when it is looked up. The lookup compares
    # its pattern, so a damaged table may have any number of blocks here.
    blocks = _load_blocks(name_emitter_file(emitted))
    return dict(zip(list_emitter_positions(emitted), blocks, strict=False))


def look_up_emitters(positions: Sequence[int]) -> Packing:
    """Look up the packing for ascending positions in the shipped tables; it is not replayed."""
    name = name_emitter_file(len(positions))
    block = _index_emitters(len(positions)).get(tuple(positions))
    if block is None:
        raise InputError(f"{name}: has no pattern for positions {tuple(positions)}")
    packing = Packing.parse(block, len(positions), name)
    if packing.problem != make_emitter_problem(TABLE_WIDTH, packing.problem.rows, positions):
        raise InputError(f"{name}: wrong pattern in the entry of positions {tuple(positions)}")
    return packing


def look_up_platform(square: int) -> Packing:
    """Look up the first platform whose T can stand on a square in the given column."""
    for text in _load_blocks(PLATFORMS_FILE):
        block = split_blocks(text, PLATFORMS_FILE)[0]
        if any(x == square and y == 0 for x, y in block.groups[0]):
            return Packing.read_block(block, 1, removable=True)
    raise InputError(f"{PLATFORMS_FILE}: no platform stands on a square in column {square}")


def read_emitter_table(path: str | Path, emitted: int) -> PatternTable:
    """Read all entries of a table; refuse one that is malformed, incomplete or out of order.

    The table has an entry for each item of :func:`list_emitter_positions`. None is replayed.
    """
    blocks = split_blocks(read_text(path), str(path))
    packings = PatternTable(Packing.read_block(block, emitted) for block in blocks)
    expected = list(list_emitter_positions(emitted))
    for index, (packing, block) in enumerate(zip(packings, blocks, strict=True)):
        if index >= len(expected) or packing.problem != make_emitter_problem(
            TABLE_WIDTH, packing.problem.rows, expected[index]
        ):
            wanted = expected[index] if index < len(expected) else "the end of the table"
            raise block.make_error(f"expected the pattern of positions {wanted}")
    if len(packings) < len(expected):
        raise InputError(
            f"{path}: has {len(packings)} patterns; expected {len(expected)}; "
            f"the first missing one has positions {expected[len(packings)]}"
        )
    return packings


def read_platform_table(path: str | Path) -> PatternTable:
    """Read the table of platforms, by the column of the T, as :func:`read_emitter_table` does."""
    packings = PatternTable()
    previous = -1
    for block in split_blocks(read_text(path), str(path)):
        packing = Packing.read_block(block, 1, removable=True)
        column = packing.problem.presets[0][0][0]
        if packing.problem not in list_platform_problems(TABLE_WIDTH, column):
            raise block.make_error(
                f"a platform is {TABLE_WIDTH} x {PLATFORM_ROWS}, starts with a flat T and ends "
                "with a hooked J or L at an edge"
            )
        if column <= previous:
            raise block.make_error(f"the platform at column {column} is out of order")
        previous = column
        packings.append(packing)
    return packings


def format_table(packings: Iterable[Packing]) -> str:
    """Return the text form of a table."""
    return "\n\n".join(map(str, packings)) + "\n"


def load_tables() -> tuple[list[Packing], list[Packing]]:
    """Read all tables of the package; return the patterns, by number of squares, and platforms."""
    root = get_tables_folder()
    emitters = [p for n in EMITTED for p in read_emitter_table(root / name_emitter_file(n), n)]
    return emitters, read_platform_table(root / PLATFORMS_FILE)


def replay_emitters(packing: Packing) -> None:
    """Play a table entry as games, with each of J, T and L in every emitter position.

    There are six games: three with emitters of one type, and three with J, T and L in turn, so
    that each type has each other type as a neighbour. Raises a PackingError unless each game leaves
    exactly the emitted squares.
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

    Raises a PackingError if a piece does not land at its place in the packing, if the platform does
    not support every column of a picture, or if the last piece does not clear the rest of it.
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


def verify(
    folder: str | Path | None = None, *, on_pattern: Callable[[], None] = lambda: None
) -> dict[str, Counter[int]]:
    """Replay every pattern of every table; return the heights of the patterns of each file.

    ``folder`` is that of the tables, by default of the package's own. A PackingError names the file
    and the number of the first pattern that fails.
    """
    root = get_tables_folder() if folder is None else Path(folder)
    heights = {}
    for emitted in EMITTED:
        path = root / name_emitter_file(emitted)
        table = read_emitter_table(path, emitted)
        heights[path.name] = _verify_table(path, table, replay_emitters, on_pattern)
    path = root / PLATFORMS_FILE
    table = read_platform_table(path)
    heights[path.name] = _verify_table(path, table, replay_platform, on_pattern)
    return heights


def _verify_table(
    path: Path,
    packings: Sequence[Packing],
    replay: Callable[[Packing], None],
    on_pattern: Callable[[], None],
) -> Counter[int]:
    """Replay all patterns of a table; return how many have each number of rows."""
    for number, packing in enumerate(packings, 1):
        try:
            replay(packing)
        except (PackingError, JobError) as error:
            raise PackingError(f"{path}: pattern {number}: {error}") from error
        on_pattern()
    return Counter(sorted(packing.problem.rows for packing in packings))


_TRIES: Final = 50
_ATTEMPTS: Final = 1000
"""Number of random starts, and of placements in each, before an exhaustive search begins."""

_UNIT: Final = 32
"""Patterns that are searched together, as a unit of work."""

_EXHAUSTIVE_LIMIT: Final = 300_000
"""Placements that an exhaustive search may try before it gives way to the next height."""


def build_emitters(
    emitted: int,
    *,
    seed: int = 0,
    finder: str = "fastest",
    machines: Machines = HERE,
    journal: Path | None = None,
    on_pattern: Callable[[], None] = lambda: None,
) -> list[Packing]:
    """Build the table for a number of emitted squares by search, and replay every pattern.

    The same seed gives the same table on any machines. Only the finder ``"fastest"`` finds the
    patterns of the package's own tables. The ``journal`` stores finished patterns, so that an
    interrupted search can be resumed.
    """
    position_sets = list(list_emitter_positions(emitted))
    units = [
        (tuple(position_sets[i : i + _UNIT]), seed, finder)
        for i in range(0, len(position_sets), _UNIT)
    ]

    def advance(_index: int, texts: list[str]) -> None:
        for _ in texts:
            on_pattern()

    unit_journal = (
        Journal(journal, {"table": emitted, "finder": finder, "version": __version__})
        if journal
        else None
    )
    blocks = run_units(
        _search_unit, units, machines=machines, journal=unit_journal, on_result=advance
    )
    return [Packing.parse(text, emitted) for texts in blocks for text in texts]


def _search_unit(unit: tuple[tuple[tuple[int, ...], ...], int, str]) -> list[str]:
    """Find and replay the patterns of one unit of work; return them as text."""
    position_sets, seed, finder = unit
    texts = []
    for positions in position_sets:
        packing = find_smallest_matrix(positions, seed=seed, finder=finder)
        replay_emitters(packing)
        texts.append(str(packing))
    return texts


def find_smallest_matrix(
    positions: Sequence[int], *, seed: int = 0, finder: str = "fastest"
) -> Packing:
    """Return a gap-free packing of the smallest height at which the search finds one."""
    from tetrisprinter.packings.finders import FINDERS, Automaton, Backtracker, Finder

    limit = Limit(seed=seed)
    result: Result
    for rows in range(1, 13):
        problem = make_emitter_problem(TABLE_WIDTH, rows, positions)
        if not problem.is_divisible:
            continue
        if finder in ("fastest", "backtracker"):
            search = Backtracker(_ATTEMPTS, _TRIES)
            chosen: Finder = Automaton(search) if finder == "fastest" else search
            result = chosen.find(problem, limit)
            if isinstance(result, Unknown):
                result = Backtracker(_EXHAUSTIVE_LIMIT, 1).find(problem, limit)
        else:
            result = FINDERS[finder].find(problem, limit)
            if isinstance(result, Unknown):
                raise JobError(
                    f"the finder {finder} does not decide {rows} rows for emitters at "
                    f"{tuple(positions)}: {result.reason}; choose another --finder"
                )
        if isinstance(result, Packing):
            return result
    raise JobError(f"no matrix of up to 12 rows found for emitters at {tuple(positions)}")


def build_platforms(
    *,
    seed: int = 0,
    finder: str = "fastest",
    on_pattern: Callable[[], None] = lambda: None,
) -> list[Packing]:
    """Search for a platform for every column of the T.

    Columns where the search finds none are left out, without a proof that none exists. No automaton
    handles platforms; the backtracker searches instead. Each platform is replayed.
    """
    from tetrisprinter.packings.finders import FINDERS, Backtracker, Finder

    limit = Limit(seed=seed)
    is_exact = finder in ("cpsat", "sat")
    chosen: Finder = FINDERS[finder] if is_exact else Backtracker(retries=_TRIES)
    packings: list[Packing] = []
    for column in range(TABLE_WIDTH - 2):
        for problem in list_platform_problems(TABLE_WIDTH, column):
            result = chosen.find(problem, limit)
            if isinstance(result, Packing):
                replay_platform(result)
                packings.append(result)
                break
        on_pattern()
    return packings
