"""Piece types and colours: read, and shared so that those come first that promise most."""

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.strategies import PALETTE
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.types import (
    Assignments,
    Cover,
    TypeColors,
    rank_assignments,
    read_types,
    share_types,
    share_with_common_i_and_o,
)

types_with_colors = st.lists(
    st.tuples(st.sampled_from(PieceType), st.sampled_from(PALETTE)),
    min_size=1,
    unique_by=lambda pair: pair[0],
)


@given(types_with_colors)
def test_types_are_read_back_and_are_a_mapping(pairs: list[tuple[PieceType, str]]) -> None:
    types = TypeColors(tuple(pairs))
    assert TypeColors.parse(str(types)) == types
    assert read_types(dict(pairs)) == read_types(str(types)) == types
    assert dict(types) == dict(pairs)
    assert list(types) == [piece for piece, _ in pairs]
    missing = set(PieceType) - dict(pairs).keys()
    assert all(piece not in types for piece in missing)
    hash(types)


@pytest.mark.parametrize(
    "text", ["", "J", "J=red", "X=ff0000", "J=ff0000,J=00ff00", "J=ff0000,", "classical"]
)
def test_what_is_no_list_of_types(text: str) -> None:
    with pytest.raises(InputError, match="invalid type and colour"):
        read_types(text)


def test_words_and_bad_colours() -> None:
    assert read_types("classic") == "classic"
    assert read_types("auto") == "auto"
    with pytest.raises(InputError, match="invalid colour"):
        TypeColors(((PieceType.J, "FF0000"),))
    with pytest.raises(InputError, match="two colours"):
        TypeColors(((PieceType.J, "ff0000"), (PieceType.J, "ff0000")))


def patches(seed: int) -> Picture:
    """Coloured patches of two by three squares, some of them empty."""
    chance = random.Random(seed)
    inks = [[chance.choice([None, *PALETTE[:3]]) for _ in range(4)] for _ in range(4)]
    rows = [[inks[y // 2][x // 3] for x in range(12)] for y in range(8)]
    rows[0][:3] = PALETTE[:3]
    return Picture(tuple(map(tuple, rows)))


def test_those_come_first_that_promise_most() -> None:
    picture = patches(7)
    cost = Cover(picture).cost
    by_chance = Assignments(dict.fromkeys(picture.colors(), 1), 0)
    usual = [way for way in (by_chance.next() for _ in range(30)) if way is not None]
    ways = rank_assignments(picture)
    rules = [ways.next(), ways.next()]
    shares = [
        tuple(sorted(rule(picture).items())) for rule in (share_types, share_with_common_i_and_o)
    ]
    assert rules == sorted(shares, key=cost)
    first = [way for way in (ways.next() for _ in range(4)) if way is not None]
    assert len(set(first)) == 4
    assert max(map(cost, first)) < statistics.median(map(cost, usual))
    assert all({piece for piece, _ in way} == set(PieceType) for way in first)
