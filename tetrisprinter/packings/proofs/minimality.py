"""The claims that prove the tables minimal, and certificates for them.

All claims are about gap-free matrices: no piece comes to rest over a hole. A matrix is minimal for
its emitter pieces if no smaller height works. Divisibility excludes most heights: each emitter
piece presets three cells, and the other cells must be a multiple of four, so at width 21 only every
fourth height can work. The heights that are left need a certificate, and so do the columns where
no platform stands on a T.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tetrisprinter.errors import JobError
from tetrisprinter.packings.problem import Packing, make_emitter_problem
from tetrisprinter.packings.proofs.certificates import certify
from tetrisprinter.packings.proofs.claims import Claim, EmitterClaim, PlatformClaim
from tetrisprinter.packings.proofs.manifest import Certificate
from tetrisprinter.packings.tables.read import TABLE_WIDTH, read_positions


def list_emitter_claims(packings: Iterable[Packing]) -> tuple[EmitterClaim, ...]:
    """Return the claims that together say that packings are minimal.

    There is one claim for each number of emitters and each smaller height that divisibility allows,
    in the strong form: squares below the emitter pieces may support pieces, and emitter pieces may
    be dropped at any time.
    """
    positions_by_size: dict[tuple[int, int, int], list[tuple[int, ...]]] = {}
    for packing in packings:
        width, positions = packing.problem.width, read_positions(packing)
        for rows in range(1, packing.problem.rows):
            if make_emitter_problem(width, rows, positions).is_divisible:
                positions_by_size.setdefault((width, len(positions), rows), []).append(positions)
    return tuple(
        EmitterClaim(width, rows, tuple(sorted(positions)), squares_hold=True, any_order=True)
        for (width, _, rows), positions in sorted(positions_by_size.items())
    )


def make_platform_claim(platforms: Iterable[Packing]) -> PlatformClaim | None:
    """Return the claim that no other platforms exist; None if each column has a platform."""
    columns_with_platform = {read_positions(platform)[0] for platform in platforms}
    missing_columns = sorted(set(range(TABLE_WIDTH - 2)) - columns_with_platform)
    return PlatformClaim(TABLE_WIDTH, tuple(missing_columns)) if missing_columns else None


def prove_emitters(
    packings: Sequence[Packing],
    folder: str | Path,
    *,
    on_certificate: Callable[[Certificate], None] = lambda _: None,
) -> list[Packing]:
    """Certify that the entries of a table are minimal; replace those that are not.

    Existing certificates are kept, so an interrupted call can be repeated.
    """
    entries = {read_positions(packing): packing for packing in packings}
    while True:
        smaller_packing = None
        for claim in list_emitter_claims(entries.values()):
            answer = certify(claim, folder)
            if not isinstance(answer, Certificate):  # try the claim under the tables' own rules
                answer = certify(replace(claim, squares_hold=False, any_order=False), folder)
            if isinstance(answer, Certificate):
                on_certificate(answer)
            else:
                smaller_packing = answer
                break
        if smaller_packing is None:
            return list(entries.values())
        entries[read_positions(smaller_packing)] = smaller_packing


def prove_platforms(platforms: Iterable[Packing], folder: str | Path) -> Certificate | None:
    """Certify that no other platforms exist; return None if each column has a platform."""
    claim = make_platform_claim(platforms)
    if claim is None:
        return None
    answer = certify(claim, folder)
    if not isinstance(answer, Certificate):
        raise JobError(f"the tables lack a platform:\n{answer}")
    return answer


@dataclass(frozen=True, slots=True)
class StatementCounts:
    """The numbers of statements that together say that tables are minimal."""

    patterns: int  # entries of the tables
    platforms: int
    certified: int  # smaller heights of patterns that need a certificate
    divisible: int  # smaller heights of patterns that divisibility excludes
    columns: int  # columns without a platform, all of which need a certificate


def count_statements(emitters: Sequence[Packing], platforms: Sequence[Packing]) -> StatementCounts:
    """Count the statements that together say that tables are minimal."""
    certified = sum(len(claim.positions) for claim in list_emitter_claims(emitters))
    platform_claim = make_platform_claim(platforms)
    return StatementCounts(
        len(emitters),
        len(platforms),
        certified,
        sum(packing.problem.rows - 1 for packing in emitters) - certified,
        len(platform_claim.columns) if platform_claim else 0,
    )


def list_missing_proofs(
    claims: Iterable[Claim], emitters: Iterable[Packing], platforms: Iterable[Packing]
) -> list[str]:
    """Return the statements that tables need but claims lack, and the reverse, as sentences.

    Claims about emitters count only in the strong form of :func:`list_emitter_claims`.
    """
    needed = _split_claims(list_emitter_claims(emitters))
    platform_claim = make_platform_claim(platforms)
    needed |= _split_claims([platform_claim] if platform_claim else [])
    proved = _split_claims(claims)
    return [
        *(f"not proved: {sentence}" for key, sentence in needed.items() if key not in proved),
        *(f"not needed: {sentence}" for key, sentence in proved.items() if key not in needed),
    ]


def _split_claims(claims: Iterable[Claim]) -> dict[object, str]:
    """Split claims into single statements; map a key of each statement to its sentence."""
    statements: dict[object, str] = {}
    for claim in claims:
        if isinstance(claim, EmitterClaim):
            for positions in claim.positions:
                key = (claim.width, claim.rows, positions, claim.squares_hold, claim.any_order)
                form = "strong" if claim.squares_hold and claim.any_order else "weak"
                statements[key] = (
                    f"{claim.rows} rows of width {claim.width} are not enough for emitters at "
                    f"{positions} ({form} form)"
                )
        else:
            for column in claim.columns:
                sentence = f"width {claim.width} has no platform with its T at column {column}"
                statements[claim.width, column] = sentence
    return statements
