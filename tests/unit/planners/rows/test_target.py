"""What rows must and may hold, and what counting says of it."""

from itertools import product

from hypothesis import assume, given
from hypothesis import strategies as st

from tetrisprinter.planners.rows.target import RowTarget

_EMPTY, _MAY, _MUST = range(3)


def target_of(rows: list[list[int]]) -> RowTarget:
    allowed = tuple(tuple(2 * (kind > _EMPTY) for kind in row) for row in rows)
    required = (frozenset(x for x, kind in enumerate(row) if kind == _MUST) for row in rows)
    return RowTarget(allowed, tuple(required))


@given(
    st.integers(3, 5).flatmap(
        lambda width: st.tuples(
            st.lists(
                st.lists(st.integers(0, 2), min_size=width, max_size=width), min_size=1, max_size=2
            ),
            st.integers(0, width - 1),
        )
    )
)
def test_counting_says_which_ends_are_left(case: tuple[list[list[int]], int]) -> None:
    rows, begun = case
    width = len(rows[0])
    assume(all(row.count(_MUST) < width for row in rows))  # nobody can print those
    ways = [
        sum(map(sum, left))
        for left in product(*(list(product((0, 1), repeat=width)) for _ in rows))
        if all(sum(row) < width for row in left)
        and all(
            kind == _MAY or filled == (kind == _MUST)
            for row, kinds in zip(left, rows, strict=True)
            for filled, kind in zip(row, kinds, strict=True)
        )
    ]
    # Drops fill fours, cleared rows take the width away.
    possible = any(
        (squares - begun + width * lines) % 4 == 0 for squares in ways for lines in range(4)
    )
    assert target_of(rows).can_end(0, begun) == possible
