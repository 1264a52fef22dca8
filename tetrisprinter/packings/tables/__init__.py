"""The tables: a packing for every set of emitter positions, and the platforms.

Seven small text files hold, for n = 1..7, a matrix for every set of positions of n emitter
pieces over a row of the classic width. Another file holds the platforms. The files come with
the package, so printing from them needs no search. They are not trusted:
:func:`verify` replays every entry as a game, with each of J, T and L in every emitter
position.

:mod:`~tetrisprinter.packings.tables.read` reads, :mod:`~tetrisprinter.packings.tables.build`
searches, :mod:`~tetrisprinter.packings.tables.replay` plays. Terms: docs/glossary.md.
"""

from __future__ import annotations

from tetrisprinter.packings.problem import list_emitter_positions
from tetrisprinter.packings.tables.build import build_emitters, build_platforms
from tetrisprinter.packings.tables.read import (
    EMITTED,
    EMITTERS,
    ENTRIES,
    PLATFORMS_FILE,
    TABLE_WIDTH,
    PatternTable,
    format_table,
    get_tables_folder,
    load_tables,
    look_up_emitters,
    look_up_platform,
    name_emitter_file,
    read_emitter_table,
    read_platform_table,
    read_positions,
)
from tetrisprinter.packings.tables.replay import (
    TableReport,
    replay_emitters,
    replay_platform,
    verify,
)

__all__ = [
    "EMITTED",
    "EMITTERS",
    "ENTRIES",
    "PLATFORMS_FILE",
    "TABLE_WIDTH",
    "PatternTable",
    "TableReport",
    "build_emitters",
    "build_platforms",
    "format_table",
    "get_tables_folder",
    "list_emitter_positions",
    "load_tables",
    "look_up_emitters",
    "look_up_platform",
    "name_emitter_file",
    "read_emitter_table",
    "read_platform_table",
    "read_positions",
    "replay_emitters",
    "replay_platform",
    "verify",
]
