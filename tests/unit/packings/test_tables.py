from collections.abc import Callable
from pathlib import Path

import pytest

from tetrisprinter.errors import InputError
from tetrisprinter.packings import tables as patterns
from tetrisprinter.packings.problem import Packing, PackingError, list_emitter_positions

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
        (
            "platforms.txt",
            lambda t: swap_letters(t, 0, "U", "C"),
            r"platforms\.txt:1: a platform is",
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
