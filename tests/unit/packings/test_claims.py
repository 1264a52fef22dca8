import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tetrisprinter.errors import InputError
from tetrisprinter.packings.certificates import (
    Claim,
    EmitterClaim,
    PlatformClaim,
    estimate_clause_upper_bound,
    get_clause_lower_bound,
    parse_claim,
)
from tetrisprinter.packings.problem import list_platform_problems

claims = st.one_of(
    st.builds(
        EmitterClaim,
        st.integers(8, 30),
        st.integers(1, 9),
        st.lists(st.tuples(st.integers(0, 2), st.just(5)), min_size=1, max_size=3).map(tuple),
        st.booleans(),
    ),
    st.builds(
        PlatformClaim,
        st.integers(8, 30),
        st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True).map(tuple),
    ),
)


@given(claim=claims)
def test_data_round_trip(claim: Claim) -> None:
    again = parse_claim(json.loads(json.dumps(claim.to_data())))
    assert again == claim
    assert again.list_problems() == claim.list_problems()


@pytest.mark.parametrize(
    "data",
    [
        None,
        {"kind": "emitters"},
        {"kind": "platforms", "width": 21, "columns": ["1"]},
        {"kind": "platforms", "width": 21, "columns": [1], "rows": 4},
        {
            "kind": "emitters",
            "width": 21,
            "rows": 3,
            "squares_hold": 1,
            "any_order": True,
            "positions": [[3]],
        },
    ],
)
def test_other_data_is_refused(data: Any) -> None:
    with pytest.raises(InputError):
        parse_claim(data)


@settings(max_examples=20, deadline=None)
@given(
    st.builds(
        lambda width, rows, columns, strong: EmitterClaim(
            width, rows, tuple((x,) for x in sorted(columns)), strong, strong
        ),
        st.integers(6, 14),
        st.integers(2, 5),
        st.sets(st.integers(0, 3), min_size=1),
        st.booleans(),
    )
)
@example(PlatformClaim(9, (1, 3)))
def test_formulas_have_as_many_clauses_as_is_foretold(claim: Claim) -> None:
    """The bound from below refuses no formula, that from above makes none too large."""
    clauses = len(claim.make_model().clauses)
    assert get_clause_lower_bound(claim) <= clauses <= estimate_clause_upper_bound(claim)


def test_emitted_squares_hold_only_if_the_claim_says_so() -> None:
    claims = (EmitterClaim(21, 2, ((0, 17),), flag) for flag in (False, True))
    plain, held = (claim.list_problems()[0] for claim in claims)
    assert plain.squares == frozenset()
    assert held.squares == {0, 1, 2, 17, 18, 19}
    assert plain.presets == held.presets


def test_the_platform_claim_covers_all_ways_to_take_one_away() -> None:
    claimed = PlatformClaim(21, (0, 9)).list_problems()
    for column in (0, 9):
        below = frozenset(range(column, column + 3))
        for problem in list_platform_problems(21, column):
            assert replace(problem, squares=below) in claimed
    assert all(
        problem.last and {x for x, _ in problem.last.cells} <= edge
        for problem in claimed
        for edge in ({0, 1}, {19, 20})
        if problem.last and problem.last.x in edge
    )
    assert {p.last.orientation.piece.name for p in claimed if p.last} == {*"IJLOSTZ"}
