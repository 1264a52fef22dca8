"""The tables are minimal: what has to be proved for that, and whether it has been.

All of it is about gap-free matrices: no piece comes to rest over a hole. A matrix ``rows``
high is the smallest one for its emitter pieces if no smaller height works. Most heights are
out of the question by arithmetic alone: three cells are given for each emitter piece, and
what is left to fill must be a multiple of four, so at width 21 only every fourth height can
work. The others need a certificate. A T has no platform if none of the ways to take one
away works, which needs another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tetrisprinter.errors import JobError
from tetrisprinter.packings.problem import Packing, emitter_problem
from tetrisprinter.packings.proofs.certificates import certify
from tetrisprinter.packings.proofs.claims import Claim, EmitterClaim, PlatformClaim
from tetrisprinter.packings.proofs.manifest import Certificate
from tetrisprinter.packings.tables.names import TABLE_WIDTH, read_positions


def list_emitter_claims(packings: Iterable[Packing]) -> tuple[EmitterClaim, ...]:
    """Say what must be impossible for packings to be the smallest ones.

    One claim for each number of emitters and smaller height that divisibility allows, in the strong
    form: even if pieces may hang on the squares below the emitter pieces, and the emitter pieces be
    dropped at any time.
    """
    needed: dict[tuple[int, int, int], list[tuple[int, ...]]] = {}
    for packing in packings:
        width, positions = packing.problem.width, read_positions(packing)
        for rows in range(1, packing.problem.rows):
            if emitter_problem(width, rows, positions).is_divisible:
                needed.setdefault((width, len(positions), rows), []).append(positions)
    return tuple(
        EmitterClaim(width, rows, tuple(sorted(positions)), squares_hold=True, any_order=True)
        for (width, _, rows), positions in sorted(needed.items())
    )


def make_platform_claim(platforms: Iterable[Packing]) -> PlatformClaim | None:
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

    Certificates that the folder has already are kept, so an interrupted call can be made again.
    """
    entries = {read_positions(packing): packing for packing in packings}
    while True:
        smaller = None
        for claim in list_emitter_claims(entries.values()):
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
        entries[read_positions(smaller)] = smaller


def prove_platforms(platforms: Iterable[Packing], folder: str | Path) -> Certificate | None:
    """Certify that there are no other platforms."""
    claim = make_platform_claim(platforms)
    if claim is None:
        return None
    answer = certify(claim, folder)
    if not isinstance(answer, Certificate):
        raise JobError(f"there is one more platform:\n{answer}")
    return answer


@dataclass(frozen=True, slots=True)
class StatementCounts:
    """What has to be settled for tables to be minimal."""

    patterns: int  # entries of the tables
    platforms: int
    # Smaller heights of the patterns, each for a set of emitter positions: those that need a
    # certificate, and those that divisibility excludes
    certified: int
    divisible: int
    columns: int  # columns without a platform, all of which need a certificate


def count_statements(emitters: Sequence[Packing], platforms: Sequence[Packing]) -> StatementCounts:
    """Count what has to be settled for tables to be minimal."""
    certified = sum(len(claim.positions) for claim in list_emitter_claims(emitters))
    missing = make_platform_claim(platforms)
    return StatementCounts(
        len(emitters),
        len(platforms),
        certified,
        sum(packing.problem.rows - 1 for packing in emitters) - certified,
        len(missing.columns) if missing else 0,
    )


def list_gaps(
    claims: Iterable[Claim], emitters: Iterable[Packing], platforms: Iterable[Packing]
) -> list[str]:
    """Say in what proved claims are not exactly those that tables need.

    Claims about emitters count in the strong form only, that of :func:`list_emitter_claims`.
    """
    needed = _statements(list_emitter_claims(emitters))
    missing = make_platform_claim(platforms)
    needed |= _statements([missing] if missing else [])
    proved = _statements(claims)
    return [
        *(f"nothing proves that {words}" for key, words in needed.items() if key not in proved),
        *(
            f"the tables don't need the claim that {words}"
            for key, words in proved.items()
            if key not in needed
        ),
    ]


def _statements(claims: Iterable[Claim]) -> dict[object, str]:
    """What claims say one by one, and its words."""
    said: dict[object, str] = {}
    for claim in claims:
        if isinstance(claim, EmitterClaim):
            for positions in claim.positions:
                key = (claim.width, claim.rows, positions, claim.squares_hold, claim.any_order)
                form = "strong" if claim.squares_hold and claim.any_order else "weak"
                said[key] = (
                    f"{claim.rows} rows of width {claim.width} are not enough for emitters at "
                    f"{positions} ({form} form)"
                )
        else:
            for column in claim.columns:
                words = f"width {claim.width} has no platform with its T at column {column}"
                said[claim.width, column] = words
    return said


def _columns(platforms: Iterable[Packing]) -> set[int]:
    return {read_positions(platform)[0] for platform in platforms}
