"""The tables of patterns: what they hold, and the certificates that they are minimal."""

import runpy
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tetrisprinter.errors import InputError, JobError
from tetrisprinter.packings import tables as patterns
from tetrisprinter.packings.automaton.atlas import take_census
from tetrisprinter.packings.certificates import (
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

FOLDER = Path(str(patterns.get_tables_folder()))


def test_published_counts_and_heights() -> None:
    """Two squares of three sets of columns need two rows, not the six that were published."""
    *heights, platforms = patterns.verify().values()
    one_to_four = [{3: 15, 7: 4}, {2: 3, 6: 133}, {5: 455}, {4: 715}]
    assert heights == [*one_to_four, {3: 462}, {2: 35, 6: 49}, {1: 1}]
    assert sum(platforms.values()) == 10
    low = [at for at in list_emitter_positions(2) if look_up_emitters(at).problem.rows == 2]
    assert low == [(0, 17), (1, 17), (1, 18)]


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
    ("change", "message"),
    [
        (lambda t: swap_letters(t, 2, "B", "P"), "emitters1.txt: pattern 3: piece 1 "),
        (lambda t: t.replace("\n\n", "\n", 1), r"emitters1.txt:1: "),
        (lambda t: t[: len(t) // 2].rsplit("\n\n", 1)[0], "has 9 patterns; expected 19"),
        (lambda t: "\n\n".join(t.split("\n\n")[::-1]), ".txt:1: expected the pattern"),
        (lambda t: t + "\n" + t.split("\n\n")[0], "pattern of positions the end"),
        (lambda t: t.replace("B", ".", 1), ".txt:1: the 3 squares 'B' are not"),
        (lambda t: "", "has 0 patterns"),
    ],
)
def test_verify_names_file_and_place(
    tmp_path: Path, change: Callable[[str], str], message: str
) -> None:
    """The table is the first that is read, so that the others are not looked at."""
    (tmp_path / EMITTERS).write_text(change((FOLDER / EMITTERS).read_text()))
    with pytest.raises((PackingError, InputError), match=message):
        patterns.verify(tmp_path)


def test_a_platform_from_which_nothing_can_be_taken_away_is_refused(tmp_path: Path) -> None:
    text = (FOLDER / "platforms.txt").read_text()
    (tmp_path / "platforms.txt").write_text(swap_letters(text, 0, "U", "C"))
    with pytest.raises(InputError, match=r"platforms\.txt:1: a platform is"):
        patterns.read_platform_table(tmp_path / "platforms.txt")


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
    missing = list_missing_proofs(claims[1:], emitters, platforms)
    assert len(missing) == 4
    assert all(sentence.startswith("not proved: 3 rows") for sentence in missing)


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


def test_a_table_that_is_not_minimal_is_corrected(tmp_path: Path) -> None:
    tall = []
    for positions in ((0, 16), (0, 17)):
        result = SAT.find(make_emitter_problem(21, 6, positions))
        assert isinstance(result, Packing)
        tall.append(result)
    made: list[Certificate] = []
    entries = prove_emitters(tall, tmp_path, on_certificate=made.append)
    assert [entry.problem.rows for entry in entries] == [6, 2]
    for entry in entries:
        entry.check()
    assert made[-1].claim == EmitterClaim(21, 2, ((0, 16),), squares_hold=True, any_order=True)


def test_a_platform_too_few_is_noticed(tmp_path: Path) -> None:
    _, platforms = load_tables()
    assert [read_positions(p)[0] for p in platforms] == [*range(0, 19, 2)]
    with pytest.raises(JobError, match="lack a platform"):
        prove_platforms(platforms[1:], tmp_path)
