import json
import runpy
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.manifests import format_json
from tetrisprinter import cli
from tetrisprinter.errors import JobError
from tetrisprinter.game.pieces import ORIENTATIONS, Placement
from tetrisprinter.packings import tables as patterns
from tetrisprinter.packings.automaton.atlas import list_unprintable
from tetrisprinter.packings.certificates import (
    MANIFEST,
    Certificate,
    EmitterClaim,
    PlatformClaim,
    get_certificates_folder,
    list_emitter_claims,
    list_missing_proofs,
    make_platform_claim,
    prove_emitters,
    prove_platforms,
    read_manifest,
)
from tetrisprinter.packings.finders import SAT
from tetrisprinter.packings.problem import Packing, list_emitter_positions, make_emitter_problem
from tetrisprinter.packings.tables import load_tables, look_up_emitters, read_positions


def test_the_shipped_certificates_claim_all_that_the_tables_need() -> None:
    emitters, platforms = load_tables()
    claims = [certificate.claim for certificate in read_manifest(get_certificates_folder())]
    assert list_missing_proofs(claims, emitters, platforms) == []
    assert {*claims} == {*list_emitter_claims(emitters), make_platform_claim(platforms)}


def test_the_certified_verdicts_of_the_automata_are_all_those_of_the_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of every set of positions that divides and that an automaton rejects."""
    path = Path(__file__).resolve().parents[3] / "scripts" / "certificates"
    monkeypatch.syspath_prepend(str(path.parent))
    sample = runpy.run_path(str(path))["SAMPLE"]
    wanted = {
        EmitterClaim(width, rows, positions)
        for width, emitted, rows in sample
        if (positions := tuple(list_unprintable(width, emitted, [rows])))
    }
    shipped = read_manifest(get_certificates_folder() / "atlas")
    assert {certificate.claim for certificate in shipped} == wanted


def test_every_smaller_height_is_excluded_by_arithmetic_or_claimed() -> None:
    emitters, _ = load_tables()
    claimed = Counter(
        (claim.rows, positions)
        for claim in list_emitter_claims(emitters)
        for positions in claim.positions
    )
    for packing in emitters:
        positions = read_positions(packing)
        for rows in range(1, packing.problem.rows):
            cells = 21 * rows - 3 * len(positions)
            assert (cells % 4 == 0) == (claimed[rows, positions] == 1)


def test_each_missing_claim_is_a_gap() -> None:
    emitters, platforms = load_tables()
    claims = [certificate.claim for certificate in read_manifest(get_certificates_folder())]
    for missing in claims:
        rest = [claim for claim in claims if claim != missing]
        number = len(missing.columns if isinstance(missing, PlatformClaim) else missing.positions)
        assert len(list_missing_proofs(rest, emitters, platforms)) == number


def test_only_the_strong_form_counts() -> None:
    emitters, platforms = load_tables()
    shipped = [certificate.claim for certificate in read_manifest(get_certificates_folder())]
    (strong,) = (c for c in shipped if isinstance(c, EmitterClaim) and c.rows == 3)
    for weak in (replace(strong, squares_hold=False), replace(strong, any_order=False)):
        claims = [weak if claim == strong else claim for claim in shipped]
        found = list_missing_proofs(claims, emitters, platforms)
        assert len([gap for gap in found if "not proved" in gap and "strong" in gap]) == 4
        assert len([gap for gap in found if "not needed" in gap and "weak" in gap]) == 4


def test_a_claim_that_no_table_needs_is_noticed() -> None:
    emitters, platforms = load_tables()
    claims = [certificate.claim for certificate in read_manifest(get_certificates_folder())]
    other = EmitterClaim(21, 3, ((4,),), squares_hold=True, any_order=True)
    (gap,) = list_missing_proofs([*claims, other], emitters, platforms)
    assert "not needed: 3 rows" in gap
    (gap,) = list_missing_proofs([*claims, PlatformClaim(21, (2,))], emitters, platforms)
    assert "not needed: width 21 has no platform with its T at column 2" in gap


def tiling(columns: int, rows: int, taken: set[tuple[int, int]]) -> list[Placement]:
    """Any way to lie, whether it can be dropped or not."""
    free = [(x, y) for x in range(columns) for y in range(rows) if (x, y) not in taken]
    if not free:
        return []
    x, y = free[0]
    for orientation in ORIENTATIONS:
        for dy in range(orientation.height):
            piece = Placement(orientation, x, y - dy)
            cells = {*piece.cells}
            if (x, y) in cells and cells <= {*free}:
                try:
                    return [piece, *tiling(columns, rows, taken | cells)]
                except LookupError:
                    continue
    raise LookupError


@pytest.mark.slow
def test_a_table_that_cannot_be_dropped_needs_its_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four patterns of three rows that nobody can drop, and the certificate against them gone."""
    tables = Path(shutil.copytree(str(patterns.get_tables_folder()), tmp_path / "tables"))
    texts = (tables / "emitters1.txt").read_text().rstrip("\n").split("\n\n")
    for column in (3, 7, 11, 15):
        problem = make_emitter_problem(21, 3, [column])
        pieces = tiling(21, 3, {*problem.presets[0]})
        texts[column] = str(Packing(problem, tuple(pieces)))
    (tables / "emitters1.txt").write_text("\n\n".join(texts) + "\n")
    encodings = Path(shutil.copytree(get_certificates_folder(), tmp_path / "encodings"))
    manifest = json.loads((encodings / MANIFEST).read_text())
    gone = manifest["certificates"].pop(0)
    assert gone["claim"]["rows"] == 3
    name = "width21-emitted1-rows3-held-anytime"
    del manifest["contents"][name]
    for path in encodings.glob(f"{name}.*"):
        path.unlink()
    (encodings / MANIFEST).write_text(format_json(manifest))
    monkeypatch.setattr(
        "tetrisprinter.packings.certificates.get_certificates_folder", lambda: encodings
    )
    options = ["verify", "--checker", "own-lrat", "--workers", "1"]

    def verify() -> tuple[str, str]:
        result = CliRunner().invoke(cli._root, options)
        assert isinstance(result.exception, JobError)
        return result.output, str(result.exception)

    output, error = verify()  # the right tables
    assert error.count("not proved: 3 rows") == 4
    assert "minimal" not in output
    monkeypatch.setattr("tetrisprinter.packings.tables.get_tables_folder", lambda: tables)
    output, error = verify()
    assert "emitters1.txt: pattern 4: " in error
    assert "minimal" not in output


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_a_table_that_is_not_minimal_is_corrected(tmp_path: Path, count: int) -> None:
    """Two squares: three sets of columns need two rows only, not the six of the others."""
    wanted = [(0, 16), (0, 17), (1, 17), (1, 18)][:count]
    tall = []
    for positions in wanted:
        result = SAT.find(make_emitter_problem(21, 6, positions))
        assert isinstance(result, Packing)
        tall.append(result)
    made: list[Certificate] = []
    entries = prove_emitters(tall, tmp_path, on_certificate=made.append)
    assert [entry.problem.rows for entry in entries] == [6, 2, 2, 2][:count]
    for entry in entries:
        entry.check()
    assert made[-1].claim == EmitterClaim(21, 2, ((0, 16),), squares_hold=True, any_order=True)


def test_a_platform_too_few_is_noticed(tmp_path: Path) -> None:
    _, platforms = load_tables()
    assert [read_positions(p)[0] for p in platforms] == [*range(0, 19, 2)]
    with pytest.raises(JobError, match="lack a platform"):
        prove_platforms(platforms[1:], tmp_path)


def test_the_small_statements() -> None:
    """One row under a single square, two rows, and width 20 with three."""
    for width in range(4, 40):
        for positions in list_emitter_positions(1, width):
            two = make_emitter_problem(width, 2, positions)
            assert not two.is_divisible
            if width <= 15:
                assert not isinstance(SAT.find(make_emitter_problem(width, 1, positions)), Packing)
    assert not make_emitter_problem(20, 3, [7]).is_divisible


def test_the_published_heights_but_for_three() -> None:
    published = {1: {3: 15, 7: 4}, 3: {5: 455}, 4: {4: 715}, 5: {3: 462}, 6: {2: 35, 6: 49}}
    emitters, _ = load_tables()
    for emitted, heights in published.items():
        rows = Counter(p.problem.rows for p in emitters if len(p.problem.presets) == emitted)
        assert dict(rows) == heights
    low = [
        read_positions(p) for p in emitters if len(p.problem.presets) == 2 and p.problem.rows < 6
    ]
    assert low == [(0, 17), (1, 17), (1, 18)]
    assert {look_up_emitters(positions).problem.rows for positions in low} == {2}
