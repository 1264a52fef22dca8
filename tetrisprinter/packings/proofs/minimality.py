"""The tables are minimal: what has to be proved for that, and whether it has been.

A matrix ``rows`` high is the smallest one for its emitter pieces if no smaller height
works. Most heights are out of the question by arithmetic alone: three cells are given
for each emitter piece, and what is left to fill must be a multiple of four, so at width
21 only every fourth height can work. The others need a certificate. A T has no platform
if none of the ways to take one away works, which needs another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from tetrisprinter.errors import JobError
from tetrisprinter.packings.problem import Packing, emitter_problem
from tetrisprinter.packings.proofs.certificates import Certificate, certify
from tetrisprinter.packings.proofs.claims import Claim, EmitterClaim, PlatformClaim
from tetrisprinter.packings.tables import (
    EMITTED,
    PLATFORMS_FILE,
    TABLE_WIDTH,
    emitter_file,
    read_emitters,
    read_platforms,
    tables_folder,
)

__all__ = [
    "emitter_claims",
    "gaps",
    "platform_claim",
    "positions_of",
    "prove_emitters",
    "prove_platforms",
    "shipped_tables",
]


def positions_of(packing: Packing) -> tuple[int, ...]:
    """Return the leftmost columns of a table entry's emitter pieces."""
    return tuple(preset[0][0] for preset in packing.problem.presets)


def emitter_claims(packings: Iterable[Packing]) -> tuple[EmitterClaim, ...]:
    """Say what must be impossible for packings to be the smallest ones.

    One claim for each number of emitters and smaller height that divisibility allows, in
    the strong form: even if pieces may hang on the squares below the emitter pieces, and
    the emitter pieces be dropped at any time.

    >>> from tetrisprinter.packings.tables import emitter_pattern
    >>> [(c.rows, c.positions) for c in emitter_claims([emitter_pattern([x]) for x in (2, 3)])]
    [(3, ((3,),))]
    """
    needed: dict[tuple[int, int, int], list[tuple[int, ...]]] = {}
    for packing in packings:
        width, positions = packing.problem.width, positions_of(packing)
        for rows in range(1, packing.problem.rows):
            if emitter_problem(width, rows, positions).is_divisible:
                needed.setdefault((width, len(positions), rows), []).append(positions)
    return tuple(
        EmitterClaim(width, rows, tuple(sorted(positions)), squares_hold=True, any_order=True)
        for (width, _, rows), positions in sorted(needed.items())
    )


def platform_claim(platforms: Iterable[Packing]) -> PlatformClaim | None:
    """Say what must be impossible if these are all platforms; None if no T lacks one."""
    missing = sorted(set(range(TABLE_WIDTH - 2)) - _columns(platforms))
    return PlatformClaim(TABLE_WIDTH, tuple(missing)) if missing else None


def prove_emitters(
    packings: Sequence[Packing],
    folder: str | Path,
    *,
    on_certificate: Callable[[Certificate], None] = lambda _: None,
) -> list[Packing]:
    """Certify that the entries of a table are the smallest, or replace them by smaller ones.

    Certificates that the folder has already are kept, so an interrupted call can be made
    again.

    Parameters
    ----------
    packings : sequence of Packing
        Table entries.
    folder : str or Path
        Where the certificates go.
    on_certificate : callable
        Called with each certificate.

    Returns
    -------
    list of Packing
        The entries, in their order.
    """
    entries = {positions_of(packing): packing for packing in packings}
    while True:
        smaller = None
        for claim in emitter_claims(entries.values()):
            answer = certify(claim, folder)
            if not isinstance(answer, Certificate):  # nor by the rules of the tables?
                answer = certify(replace(claim, squares_hold=False, any_order=False), folder)
            if isinstance(answer, Certificate):
                on_certificate(answer)
            else:
                smaller = answer
                break
        if smaller is None:
            return list(entries.values())
        entries[positions_of(smaller)] = smaller


def prove_platforms(platforms: Iterable[Packing], folder: str | Path) -> Certificate | None:
    """Certify that there are no other platforms.

    Raises
    ------
    JobError
        If there is one.
    """
    claim = platform_claim(platforms)
    if claim is None:
        return None
    answer = certify(claim, folder)
    if not isinstance(answer, Certificate):
        raise JobError(f"there is one more platform:\n{answer}")
    return answer


def gaps(
    claims: Iterable[Claim], emitters: Iterable[Packing], platforms: Iterable[Packing]
) -> list[str]:
    """Say what proved claims leave open about tables.

    Parameters
    ----------
    claims : iterable of Claim
        Proved ones.
    emitters, platforms : iterable of Packing
        All entries of the tables.

    Returns
    -------
    list of str
        One sentence for each gap.
    """
    covered: set[tuple[int, int, tuple[int, ...]]] = set()
    settled = _columns(platforms)
    for claim in claims:
        if isinstance(claim, EmitterClaim):
            covered |= {(claim.width, claim.rows, positions) for positions in claim.positions}
        elif claim.width == TABLE_WIDTH:
            settled |= set(claim.columns)
    found = [
        f"nothing proves that {claim.rows} rows are not enough for emitters at {positions}"
        for claim in emitter_claims(emitters)
        for positions in claim.positions
        if (claim.width, claim.rows, positions) not in covered
    ]
    found += [
        f"there is neither a platform nor a proof that there is none for a T at column {column}"
        for column in range(TABLE_WIDTH - 2)
        if column not in settled
    ]
    return found


def shipped_tables() -> tuple[list[Packing], list[Packing]]:
    """Read all tables that come with the package: the emitters', and the platforms."""
    root = Path(str(tables_folder()))
    emitters = [p for n in EMITTED for p in read_emitters(root / emitter_file(n), n)]
    return emitters, read_platforms(root / PLATFORMS_FILE)


def _columns(platforms: Iterable[Packing]) -> set[int]:
    return {positions_of(platform)[0] for platform in platforms}
