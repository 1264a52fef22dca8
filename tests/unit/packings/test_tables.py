"""The tables of patterns: what they hold, and the certificates that they are minimal."""

import runpy
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.support.manifests import edit_json
from tetrisprinter import cli
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings import tables as patterns
from tetrisprinter.packings.automaton.atlas import take_census
from tetrisprinter.packings.certificates import (
    MANIFEST,
    Certificate,
    EmitterClaim,
    get_certificates_folder,
    list_emitter_claims,
    list_missing_proofs,
    make_platform_claim,
    prove_emitters,
    prove_platforms,
    read_manifest,
)
from tetrisprinter.packings.finders import SAT
from tetrisprinter.packings.problem import (
    Packing,
    PackingError,
    list_emitter_positions,
    make_emitter_problem,
)
from tetrisprinter.packings.tables import load_tables, look_up_emitters, read_positions
from tetrisprinter.sat.proof_files import CheckResult

FOLDER = Path(str(patterns.get_tables_folder()))


def test_published_counts() -> None:
    heights = patterns.verify()
    assert list(heights) == list(patterns.FILES)
    assert [*map(sum, map(dict.values, heights.values()))] == [19, 136, 455, 715, 462, 84, 1, 10]
    assert heights[patterns.name_emitter_file(7)] == {1: 1}


def test_lookup_by_rank_finds_the_entry_of_the_whole_table() -> None:
    for emitted in (1, 2, 6, 7):
        table = patterns.read_emitter_table(FOLDER / patterns.name_emitter_file(emitted), emitted)
        for positions, packing in zip(list_emitter_positions(emitted), table, strict=True):
            assert patterns.look_up_emitters(positions) == packing


def test_every_square_of_a_picture_finds_a_platform() -> None:
    for square in range(21):
        platform = patterns.look_up_platform(square)
        assert square in {x for x, y in platform.problem.presets[0] if y == 0}


def swap_letters(text: str, block: int, a: str, b: str) -> str:
    """Let two pieces of a pattern change their places in the order of drops."""
    blocks = text.split("\n\n")
    blocks[block] = blocks[block].translate({ord(a): b, ord(b): a})
    return "\n\n".join(blocks)


EMITTERS = "emitters1.txt"


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (EMITTERS, lambda t: swap_letters(t, 2, "B", "P"), "emitters1.txt: pattern 3: piece 1 "),
        pytest.param(
            "platforms.txt",
            lambda t: swap_letters(t, 0, "U", "C"),
            r"platforms\.txt:1: a platform is",
            marks=pytest.mark.slow,  # all other tables are read first
        ),
        (EMITTERS, lambda t: t.replace("\n\n", "\n", 1), r"emitters1.txt:1: "),
        (EMITTERS, lambda t: t[: len(t) // 2].rsplit("\n\n", 1)[0], "has 9 patterns; expected 19"),
        (EMITTERS, lambda t: "\n\n".join(t.split("\n\n")[::-1]), ".txt:1: expected the pattern"),
        (EMITTERS, lambda t: t + "\n" + t.split("\n\n")[0], "pattern of positions the end"),
        (EMITTERS, lambda t: t.replace("B", ".", 1), ".txt:1: the 3 squares 'B' are not"),
        (EMITTERS, lambda t: "", "has 0 patterns"),
    ],
)
def test_verify_names_file_and_place(
    tmp_path: Path, name: str, change: Callable[[str], str], message: str
) -> None:
    for path in FOLDER.glob("*.txt"):
        text = path.read_text()
        (tmp_path / path.name).write_text(change(text) if path.name == name else text)
    with pytest.raises((PackingError, InputError), match=message):
        patterns.verify(tmp_path)


def test_replay_refuses_a_pattern_that_leaves_the_wrong_squares() -> None:
    packing = patterns.look_up_emitters((0,))
    with pytest.raises(PackingError):
        patterns.replay_emitters(Packing(packing.problem, packing.pieces[:-1]))


# ---- No smaller height is possible.
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
        if (positions := tuple(take_census(width, emitted, rows).list_unprintable()))
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


def test_tables_without_one_of_their_certificates_are_not_minimal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proofs of the others are not checked here."""
    encodings = Path(shutil.copytree(get_certificates_folder(), tmp_path / "encodings"))
    name = "width21-emitted1-rows3-held-anytime"

    def remove(data: dict[str, Any]) -> None:
        assert data["certificates"].pop(0)["claim"]["rows"] == 3
        del data["contents"][name]

    edit_json(encodings / MANIFEST, remove)
    for path in encodings.glob(f"{name}.*"):
        path.unlink()
    module = "tetrisprinter.packings.certificates"
    monkeypatch.setattr(f"{module}.get_certificates_folder", lambda: encodings)
    monkeypatch.setattr(f"{module}.run_check", lambda name, *_: CheckResult(name, (), None, 0.0))
    options = ["verify", "--checker", "own-lrat", "--workers", "1"]
    result = CliRunner().invoke(cli._root, options)
    assert isinstance(result.exception, JobError)
    assert str(result.exception).count("not proved: 3 rows") == 4
    assert "minimal" not in result.output


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
