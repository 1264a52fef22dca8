from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tetrisprinter.errors import JobError
from tetrisprinter.packings.finders import sat
from tetrisprinter.packings.problem import Packing, emitter_problem
from tetrisprinter.packings.proofs.certificates import Certificate, read_manifest, shipped_folder
from tetrisprinter.packings.proofs.claims import EmitterClaim, PlatformClaim
from tetrisprinter.packings.proofs.minimality import (
    emitter_claims,
    gaps,
    platform_claim,
    positions_of,
    prove_emitters,
    prove_platforms,
    shipped_tables,
)
from tetrisprinter.packings.tables import emitter_pattern, emitter_positions


def test_the_shipped_certificates_claim_all_that_the_tables_need() -> None:
    emitters, platforms = shipped_tables()
    claims = [certificate.claim for certificate in read_manifest(shipped_folder())]
    assert gaps(claims, emitters, platforms) == []
    assert {*claims} == {*emitter_claims(emitters), platform_claim(platforms)}


def test_every_smaller_height_is_excluded_by_arithmetic_or_claimed() -> None:
    emitters, _ = shipped_tables()
    claimed = Counter(
        (claim.rows, positions)
        for claim in emitter_claims(emitters)
        for positions in claim.positions
    )
    for packing in emitters:
        positions = positions_of(packing)
        for rows in range(1, packing.problem.rows):
            cells = 21 * rows - 3 * len(positions)
            assert (cells % 4 == 0) == (claimed[rows, positions] == 1)


def test_each_missing_claim_is_a_gap() -> None:
    emitters, platforms = shipped_tables()
    claims = [certificate.claim for certificate in read_manifest(shipped_folder())]
    for missing in claims:
        rest = [claim for claim in claims if claim != missing]
        number = len(missing.columns if isinstance(missing, PlatformClaim) else missing.positions)
        assert len(gaps(rest, emitters, platforms)) == number


def test_a_table_that_is_not_minimal_is_corrected(tmp_path: Path) -> None:
    """Two squares: three sets of columns need two rows only, not the six of the others."""
    wanted = [(0, 16), (0, 17), (1, 17), (1, 18)]
    tall = []
    for positions in wanted:
        result = sat.find(emitter_problem(21, 6, positions))
        assert isinstance(result, Packing)
        tall.append(result)
    made: list[Certificate] = []
    entries = prove_emitters(tall, tmp_path, on_certificate=made.append)
    assert [entry.problem.rows for entry in entries] == [6, 2, 2, 2]
    for entry in entries:
        entry.check()
    assert made[-1].claim == EmitterClaim(21, 2, ((0, 16),), squares_hold=True, any_order=True)


def test_a_platform_too_few_is_noticed(tmp_path: Path) -> None:
    _, platforms = shipped_tables()
    assert [positions_of(p)[0] for p in platforms] == [*range(0, 19, 2)]
    with pytest.raises(JobError, match="one more platform"):
        prove_platforms(platforms[1:], tmp_path)


def test_the_small_statements() -> None:
    """One row under a single square, two rows, and width 20 with three."""
    for width in range(4, 40):
        for positions in emitter_positions(1, width):
            two = emitter_problem(width, 2, positions)
            assert not two.is_divisible
            if width <= 15:
                assert not isinstance(sat.find(emitter_problem(width, 1, positions)), Packing)
    assert not emitter_problem(20, 3, [7]).is_divisible


def test_the_published_heights_but_for_three() -> None:
    published = {1: {3: 15, 7: 4}, 3: {5: 455}, 4: {4: 715}, 5: {3: 462}, 6: {2: 35, 6: 49}}
    emitters, _ = shipped_tables()
    for emitted, heights in published.items():
        rows = Counter(p.problem.rows for p in emitters if len(p.problem.presets) == emitted)
        assert dict(rows) == heights
    low = [positions_of(p) for p in emitters if len(p.problem.presets) == 2 and p.problem.rows < 6]
    assert low == [(0, 17), (1, 17), (1, 18)]
    assert {emitter_pattern(positions).problem.rows for positions in low} == {2}
