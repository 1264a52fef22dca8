import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.strategies import PALETTE
from tetrisprinter.errors import InputError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.printing.types import TypeColors, read_types

shown = st.lists(
    st.tuples(st.sampled_from(PieceType), st.sampled_from(PALETTE)),
    min_size=1,
    unique_by=lambda pair: pair[0],
)


@given(shown)
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
