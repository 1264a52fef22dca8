"""Random pictures are printed, or a theorem forbids them that the oracle confirms.

That nothing was found is a failure here. The pictures have up to three rows, because these
tests have to be quick; ``docs/search.md`` says what is known of higher ones.
"""

from math import gcd

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from tests.oracles.truth import find_fewest_drops
from tests.support.judge import judge
from tests.support.planned import plan_shortest
from tests.support.strategies import PALETTE
from tetrisprinter.errors import JobError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.printing.obstacles import find_theorem
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import make_target

QUICK = settings(deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def pictures(
    draw: st.DrawFn, widths: tuple[int, int], rows: int, colors: int, *, fair: bool
) -> Picture:
    """Draw a picture as wide as its board, sparse to dense, with holes, perhaps a full row.

    If ``fair``, no row is full and the number of squares is one that the board can leave.
    """
    width = draw(st.integers(*widths))
    palette = PALETTE[: draw(st.integers(1, colors))]
    random = draw(st.randoms(use_true_random=False))
    density = draw(st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9]))
    drawn = [
        [random.choice(palette) if random.random() < density else None for _ in range(width)]
        for _ in range(draw(st.integers(1, rows)))
    ]
    filled = [(x, y) for y, row in enumerate(drawn) for x, c in enumerate(row) if c]
    if fair:
        for row in drawn:
            if all(row):
                row[random.randrange(width)] = None
        filled = [(x, y) for x, y in filled if drawn[y][x]]
        for x, y in random.sample(filled, len(filled) % gcd(width, 4)):
            drawn[y][x] = None
    assume(any(map(any, drawn)))
    return Picture(tuple(map(tuple, drawn)))


def forbidden(picture: Picture, width: int) -> str | None:
    """Say which theorem forbids a picture whose colours any type may show; told anew."""
    rows = [sum(color is not None for color in row) for row in picture.rows]
    while not rows[-1]:
        rows.pop()
    if width in rows:
        return "full row"
    if 0 in rows:
        return "gap row"
    if all((sum(rows) + width * lines) % 4 for lines in range(4)):
        return "count"
    return None


def check(picture: Picture, effort: float) -> None:
    picture = picture.trim()  # its lowest row stands on the floor

    def plan() -> PrintResult:
        width, height = picture.width, picture.height + 12
        return plan_shortest(
            picture, types="auto", effort=effort, width=width, height=height, workers=1
        )

    why = forbidden(picture, picture.width)
    event(why or "printed")
    if why is None:
        judge(plan(), picture)
    else:
        with pytest.raises(JobError) as raised:
            plan()
        assert raised.value.obstacle is not None
        assert raised.value.obstacle.theorem == why


@settings(QUICK, max_examples=20)
@given(picture=pictures((5, 12), 1, 4, fair=False))
def test_random_rows_are_printed_or_forbidden(picture: Picture) -> None:
    check(picture, 0.1)


def test_runs_of_o_alone_are_judged_as_the_oracle_judges_them() -> None:
    """Every row of four squares or less on five columns, O the only type to be seen."""
    for bits in range(1, 31):
        row = tuple(PALETTE[0] if bits >> x & 1 else None for x in range(5))
        target = make_target(Picture((row,)), {PieceType.O: PALETTE[0]}, 5, 10, 0)
        game = find_fewest_drops(
            5, 10, {(x, 0): 0 for x in range(5) if row[x]}, {"O": 0}, most=6, states=20_000
        )
        runs = "".join("#" if color else "." for color in row).split(".")
        odd = any(len(run) % 2 for run in runs)
        assert (find_theorem(target) is not None) == odd
        if odd:
            assert game.drops is None
        else:
            assert game.drops is not None
            result = plan_shortest(
                Picture((row,)), types={PieceType.O: PALETTE[0]}, width=5, height=10, workers=1
            )
            judge(result, Picture((row,)))
            assert result.drops == game.drops
