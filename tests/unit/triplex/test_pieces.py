import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import brute_triplex as brute
from tetrisprinter.errors import InputError
from tetrisprinter.triplex.levels import (
    KINDS,
    MIRRORED,
    NAMES,
    TRANSPOSED,
    TURNED,
    apply_symmetry,
    count_cells,
    find_kind,
    list_images,
    list_other_turns,
)

COUNTS = st.tuples(*[st.integers(0, 5)] * 8)


def test_the_order_is_the_one_of_the_files() -> None:
    assert [str(kind).split("\n") for kind in KINDS] == list(brute.SHAPES)
    assert [find_kind(name) for name in NAMES] == list(range(8))
    with pytest.raises(InputError, match="unknown piece 'V4'; choose from I2h, "):
        find_kind("V4")


def test_turns() -> None:
    for kind in range(8):
        assert KINDS[TURNED[kind]] == KINDS[kind].rotate()
        assert KINDS[MIRRORED[kind]] == KINDS[kind].reflect()
        assert KINDS[TRANSPOSED[kind]].cells == tuple(
            sorted(((y, x) for x, y in KINDS[kind].cells), key=lambda cell: cell[::-1])
        )
        around = [KINDS[kind].rotate(turns) for turns in range(1, 4)]
        assert [KINDS[other] for other in list_other_turns(kind)] == around[
            : len(list_other_turns(kind))
        ]
        assert len(list_other_turns(kind)) == (1 if kind < 4 else 3)


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
