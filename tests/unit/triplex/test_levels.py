import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles import brute_triplex as brute
from tests.support.commands import ROOT
from tetrisprinter.errors import InputError
from tetrisprinter.triplex.generator import generate
from tetrisprinter.triplex.levels import (
    KINDS,
    MIRRORED,
    NAMES,
    TURNED,
    Level,
    Puzzle,
    apply_symmetry,
    count_cells,
    draw_solution,
    find_cut,
    find_kind,
    format_json,
    format_text,
    list_images,
    parse_levels,
    parse_puzzles,
    parse_size,
)

COUNTS = st.tuples(*[st.integers(0, 5)] * 8)


def test_the_order_is_the_one_of_the_files() -> None:
    assert [str(kind).split("\n") for kind in KINDS] == list(brute.SHAPES)
    assert [find_kind(name) for name in NAMES] == list(range(8))
    with pytest.raises(InputError, match="unknown piece 'V4'; choose from I2h, "):
        find_kind("V4")


@given(COUNTS)
def test_images_are_what_turning_and_mirroring_gives(counts: tuple[int, ...]) -> None:
    found = {counts}
    while True:
        more = found | {apply_symmetry(c, table) for c in found for table in (TURNED, MIRRORED)}
        if more == found:
            break
        found = more
    assert list_images(counts, square=True) == found
    half = {counts, apply_symmetry(apply_symmetry(counts, TURNED), TURNED)}
    assert list_images(counts, square=False) == half | {apply_symmetry(c, MIRRORED) for c in half}
    assert {count_cells(image) for image in found} == {count_cells(counts)}


GOOD = """4x3 I2h I2v*2 V1 V2 rotatable=I2h turns=1 difficulty=26
AABB
CABD
CEED"""


@st.composite
def levels(draw: st.DrawFn) -> Level:
    """A drawing with any pieces, whether or not its solution is the only one."""
    width, height = draw(st.sampled_from([(4, 2), (3, 3), (1, 6), (4, 3), (3, 4), (4, 4), (5, 4)]))
    counts, (_, drawing) = draw(st.sampled_from(sorted(brute.all_counts(width, height).items())))
    solution = tuple("".join(chr(65 + piece) for piece in row) for row in drawing)
    rotatable = draw(st.sampled_from([None, *(k for k in range(8) if counts[k])]))
    turns = 0 if rotatable is None else draw(st.integers(0, 3))
    difficulty = draw(st.integers(0, 10**12))
    return Level(width, height, counts, solution, difficulty, rotatable, turns)


@settings(max_examples=50)
@given(st.lists(levels(), max_size=3))
def test_both_forms_read_back_equal(made: list[Level]) -> None:
    assert parse_levels(format_json(made)) == made
    assert parse_levels(format_text(made)) == made
    assert parse_levels(format_text(made).replace("\n", "\r\n")) == made
    for level in made:
        assert Puzzle.parse(str(level.puzzle)) == level.puzzle
        assert parse_puzzles(json.dumps(level.to_data())) == [level]


@given(levels())
def test_cuts(level: Level) -> None:
    order = {letter: i for i, letter in enumerate(dict.fromkeys("".join(level.solution)))}
    drawing = tuple(tuple(order[letter] for letter in row) for row in level.solution)
    assert (find_cut(level.solution) is not None) == brute.is_cut(drawing)


def test_json_is_as_published() -> None:
    assert format_json(parse_levels(GOOD)) in (ROOT / "docs" / "triplex.md").read_text()


def test_puzzles_without_solution() -> None:
    text = f"# two\n4x3 I2h*6\n\n{GOOD}\n\n# the end"
    puzzle, level = parse_puzzles(text)
    assert puzzle == Puzzle(4, 3, (6, 0, 0, 0, 0, 0, 0, 0))
    assert level == parse_levels(GOOD)[0]
    assert parse_puzzles('{"width": 4, "height": 3, "counts": [6,0,0,0,0,0,0,0]}') == [puzzle]
    assert parse_puzzles("3x3 I3h*3\nAAA\nBBB\nCCC") == [Puzzle(3, 3, (0, 0, 3, 0, 0, 0, 0, 0))]
    with pytest.raises(InputError, match="x:2: solution or difficulty is missing"):
        parse_levels("\n4x3 I2h*6", "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4x3 I2h*5", "x:1: the pieces cover 10 cells, but 4x3 has 12"),
        ("\n\n4 3 I2h*6", "x:3: invalid size '4'; expected one such as 4x3"),
        ("0x3", "invalid size '0x3'"),
        ("4x3 I2*6", "unknown piece 'I2'; choose from I2h, I2v"),
        ("4x3 I2h*", "'I2h\\*': the number after '\\*' is missing"),
        ("4x3 6,0", "invalid counts '6,0'; expected eight numbers from 0 to 9999"),
        ("4x3 I2h*6 size=3", "invalid attribute 'size=3'; expected rotatable="),
        ("99x99 I2h", "invalid size 99x99; expected 1 to 400 cells"),
        ("4x2 I2h*4 difficulty=1\nABBC\nBACC", "'A' in the solution is not a piece of Triplex"),
        (GOOD.replace("CABD", "CABB"), "'B' in the solution is not a piece of Triplex"),
        (GOOD.replace("CABD", "CAB"), "the solution has the wrong size; expected 4x3"),
        (GOOD.replace("E", "F"), "wrong letter 'F' in row 3, column 2"),
        (GOOD.replace("I2h I2v*2", "I2h*2 I2v"), "the solution has the pieces"),
        (GOOD.replace("rotatable=I2h", "rotatable=I3h"), "no piece of the rotatable kind"),
        (GOOD.replace("turns=1", "turns=4"), "invalid turns 4; expected 0 to 3"),
        (GOOD.replace("rotatable=I2h ", ""), "turns are given without"),
        (GOOD.replace("26", "much"), "invalid difficulty=much; expected"),
        ("{", "x:1: invalid JSON"),
        ('{"levels": []}', "not a file of levels"),
        ("[3]", "x: level 1: is not an object with width"),
        ('{"width": 4, "height": 3}', "level 1: counts must be a list of whole numbers"),
        ('{"width": "4", "height": 3}', "level 1: width must be a whole number"),
        ('{"width": 4, "height": 3, "counts": [6]}', "expected eight numbers of 0 or more"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_puzzles(text, "x")


@settings(max_examples=50)
@given(st.text() | st.text("4x3 I2hv*,=1ABC\n#") | st.text('{}[]":,1e width'))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_puzzles(text)
    except InputError:
        return


def test_sizes() -> None:
    assert parse_size("12X3") == (12, 3)
    for text in ("", "4", "4x", "x3", "4x3x2", "-4x3", "4x0", "٤x٣"):
        with pytest.raises(InputError, match="invalid size"):
            parse_size(text)


def test_drawings_have_letters_for_the_largest_rectangle() -> None:
    (level,) = (lv for lv in generate(3, 3))
    dominoes = [[(2 * x, y), (2 * x + 1, y)] for y in range(20) for x in range(10)]
    drawn = draw_solution(20, 20, dominoes)
    assert len(set("".join(drawn))) == 200
    big = Level(20, 20, (200, 0, 0, 0, 0, 0, 0, 0), drawn, 0)
    assert parse_levels(format_text([big, level])) == [big, level]
    with pytest.raises(InputError, match="difficulty -1"):
        replace(level, difficulty=-1)
