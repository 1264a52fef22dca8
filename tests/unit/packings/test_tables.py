from pathlib import Path

import pytest

from tetrisprinter.errors import InputError
from tetrisprinter.packings import tables as patterns
from tetrisprinter.packings.problem import Packing, PackingError

FOLDER = Path(str(patterns.tables_folder()))


def test_published_counts() -> None:
    reports = {r.name: r for r in patterns.verify()}
    counts = [reports[patterns.emitter_file(n)].patterns for n in patterns.EMITTED]
    assert counts == [19, 136, 455, 715, 462, 84, 1]
    assert reports[patterns.PLATFORMS_FILE].patterns == 10
    rows = {n: dict(reports[patterns.emitter_file(n)].by_rows) for n in patterns.EMITTED}
    assert rows[1] == {3: 15, 7: 4}
    assert rows[6] == {2: 35, 6: 49}
    assert rows[7] == {1: 1}


def test_lookup_by_rank_finds_the_entry_of_the_whole_table() -> None:
    for emitted in (1, 2, 6, 7):
        table = patterns.read_emitters(FOLDER / patterns.emitter_file(emitted), emitted)
        for positions, packing in zip(patterns.emitter_positions(emitted), table, strict=True):
            assert patterns.look_up_emitters(positions) == packing


def test_every_square_of_a_picture_finds_a_platform() -> None:
    for square in range(21):
        platform = patterns.look_up_platform(square)
        assert square in {x for x, y in platform.problem.presets[0] if y == 0}
    columns = [
        p.problem.presets[0][0][0] for p in patterns.read_platforms(FOLDER / "platforms.txt")
    ]
    assert columns == list(range(0, 19, 2))


def test_the_shipped_tables_are_what_one_worker_builds() -> None:
    """With several workers: see the acceptance test of ``patterns build``."""
    for emitted in (1, 2, 3, 6, 7):
        built = patterns.format_table(patterns.build_emitters(emitted))
        assert built.encode() == (FOLDER / patterns.emitter_file(emitted)).read_bytes()


def copy_tables(folder: Path) -> None:
    for path in FOLDER.glob("*.txt"):
        (folder / path.name).write_bytes(path.read_bytes())


def swap_letters(text: str, a: str, b: str) -> str:
    return text.translate({ord(a): b, ord(b): a})


def test_verify_catches_a_wrong_drop_order(tmp_path: Path) -> None:
    copy_tables(tmp_path)
    path = tmp_path / "emitters1.txt"
    blocks = path.read_text().split("\n\n")
    blocks[2] = swap_letters(blocks[2], "B", "P")
    path.write_text("\n\n".join(blocks))
    with pytest.raises(PackingError, match=r"emitters1.txt: pattern 3: piece 1 "):
        patterns.verify(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.replace("\n\n", "\n", 1), r"emitters1.txt:1: "),
        (lambda t: t[: len(t) // 2].rsplit("\n\n", 1)[0], "holds 9 patterns where 19"),
        (lambda t: "\n\n".join(t.split("\n\n")[::-1]), r"emitters1.txt:1: expected the pattern"),
        (lambda t: t + "\n" + t.split("\n\n")[0], "expected the pattern of positions the end"),
        (lambda t: t.replace("B", ".", 1), r"emitters1.txt:1: the squares 'B' are not a tetromino"),
        (lambda t: "", "holds 0 patterns"),
    ],
)
def test_verify_names_file_and_line(tmp_path: Path, change: object, message: str) -> None:
    copy_tables(tmp_path)
    path = tmp_path / "emitters1.txt"
    assert callable(change)
    path.write_text(change(path.read_text()))
    with pytest.raises(InputError, match=message):
        patterns.verify(tmp_path)


def test_verify_catches_a_platform_that_stays(tmp_path: Path) -> None:
    copy_tables(tmp_path)
    path = tmp_path / "platforms.txt"
    blocks = path.read_text().split("\n\n")
    last = max(set(blocks[0]) - {"\n"})
    blocks[0] = swap_letters(blocks[0], last, "C")
    path.write_text("\n\n".join(blocks))
    with pytest.raises((PackingError, InputError), match=r"platforms\.txt"):
        patterns.verify(tmp_path)


def test_missing_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"emitters1.txt: cannot be read"):
        patterns.verify(tmp_path)


def test_replay_refuses_a_pattern_that_leaves_the_wrong_squares() -> None:
    packing = patterns.look_up_emitters((0,))
    with pytest.raises(PackingError):
        patterns.replay_emitters(Packing(packing.problem, packing.pieces[:-1]))
