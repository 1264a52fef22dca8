"""What the theorem *cut* forbids, no game prints."""

import random
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import product

import pytest

from tests.oracles.dealt_graph import Field as Rows
from tests.oracles.dealt_graph import drops as drop
from tests.oracles.slices import random_game
from tests.oracles.truth import find_fewest_drops
from tests.support.stacks import describe_stack
from tests.support.strategies import PALETTE
from tetrisprinter.errors import JobError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import make_plan
from tetrisprinter.printing.obstacles import OBSTACLES, Theorem, find_cut_row, find_obstacle
from tetrisprinter.printing.task import Target, Task, make_target
from tetrisprinter.support.options import Limit

# Under two squares a T would have to leave one or two cells above its row.
UNDER_TWO = ("..JJ....", "....T...", ".T...J.J", ".J......", ".....T..")


def draw(*rows: str) -> Picture:
    """Return a picture, drawn from its top; a letter for each type is its colour, too."""
    colors = dict(zip("JTLSZIO", PALETTE, strict=True))
    return Picture(tuple(tuple(colors.get(c) for c in row) for row in reversed(rows)))


def find_theorem(target: Target) -> Theorem | None:
    """Return the first theorem that forbids a target; None if no theorem does."""
    return next((theorem for theorem in OBSTACLES if theorem.find_place(target) is not None), None)


def make_target_of(*rows: str) -> Target:
    picture = draw(*rows)
    types = dict(zip(map(PieceType.__getitem__, "JTLSZIO"), PALETTE, strict=True))
    return make_target(picture, types, picture.width, picture.height + 12, 0)


def test_no_game_is_forbidden() -> None:
    """Random games are played by rules of their own; what they leave is asked for anew."""
    rng = random.Random(5)
    counts: Counter[int] = Counter()
    while counts.total() < 40:
        played = random_game(rng, rng.choice([4, 6, 8, 10, 12]), rng.randint(1, 4))
        if played is None:
            continue
        target, _, _ = describe_stack(played, 60)
        assert find_cut_row(target) is None
        counts[played.width] += 1
        # Any of its squares may as well be one that may stay empty.
        some = frozenset(cell for cell in target.required if rng.random() < 0.5)
        assert find_cut_row(replace(target, required=some)) is None
    assert min(counts.values()) > 2


@pytest.mark.parametrize(
    ("rows", "row"),
    [
        (UNDER_TWO, 3),
        # J at the right wall can't have two cells above: its foot would be in the wall.
        (("J...J...", ".......J", "J......."), 1),
        (("J...J...", "......J.", "J......."), None),
        # Three times 0 or 3 is anything in fours.
        (("...J.J..", "T.T.T...", "J.J.J..."), None),
        # On ten columns only the parity counts; only O can't leave an odd number.
        (("J.........", "..OO......", "J........."), 1),
        (("J.........", "..JJ......", "J........."), None),
        # On odd widths nothing counts.
        (("...J.J.", ".T.....", ".J...T.", "....J..", "..TT..."), None),
    ],
)
def test_rows_that_cannot_be_made_up(rows: tuple[str, ...], row: int | None) -> None:
    target = make_target_of(*rows)
    assert find_cut_row(target) == row
    why = find_theorem(target)
    assert (why is None) == (row is None)
    if why is not None and row is not None:
        assert why.name == "cut"
        assert {y for _, y in why.find_place(target) or ()} == {row}


def test_a_square_that_may_stay_empty_lifts_the_ban() -> None:
    target = make_target_of(*UNDER_TWO)
    above = next(cell for cell in target.required if cell[1] == 4)
    below = next(cell for cell in target.required if cell[1] == 0)
    # Three squares above it, or none, with four fours or two in all.
    assert find_cut_row(replace(target, required=target.required - {above})) == 3
    assert find_cut_row(replace(target, required=target.required - {below})) == 3
    more = (*target.allowed[:4], tuple(mask or 4 for mask in target.allowed[4]))
    assert find_cut_row(replace(target, allowed=more)) is None


@pytest.mark.slow
def test_the_oracle_prints_nothing_that_is_forbidden() -> None:
    """Four columns, where squares count in fours, too: all low pictures of one type."""
    judged: Counter[tuple[bool, bool]] = Counter()
    for piece, rows in product((PieceType.T, PieceType.S), product((1, 2, 5, 7, 12), repeat=3)):
        if sum(row.bit_count() for row in rows) % 4:
            continue
        color = PALETTE[0]
        picture = Picture(
            tuple(tuple(color if row >> x & 1 else None for x in range(4)) for row in rows)
        )
        why = find_theorem(make_target(picture, {piece: color}, 4, 8, 0))
        game = find_fewest_drops(
            4, 8, dict.fromkeys(picture.cells(), 0), {piece.name: 0}, most=6, states=200_000
        )
        assert why is None or game.drops is None
        judged[why is None, game.drops is None] += 1
    assert judged[False, True] > 10
    assert judged[True, False] > 10


def count_drops_to(start: Rows, width: int, most: int) -> dict[Rows, int]:
    """Return the fields that games of up to ``most`` drops leave, with the fewest drops to each."""
    fewest, latest = {start: 0}, {start}
    for drops in range(1, most + 1):
        left = {after for f in latest for piece in range(7) for after in drop(f, width, 99, piece)}
        latest = left - fewest.keys()
        fewest |= dict.fromkeys(latest, drops)
    return fewest


def test_from_a_board_with_squares_no_game_is_forbidden_and_no_bound_is_too_high() -> None:
    """Every field that some game leaves is asked for; games of four columns, by brute force."""
    rng, color, planned = random.Random(3), PALETTE[0], 0
    types = dict.fromkeys(PieceType, color)
    for start in ((0b0001,), (0b0110, 0b0010), (0b1011, 0b1101)):
        lying = [[PieceType.T if row >> x & 1 else 0 for x in range(4)] for row in start]
        found = count_drops_to(start, 4, 3)
        low = sorted(field for field in found if 0 < len(field) < 5)
        for number, field in enumerate(rng.sample(low, 40)):
            rows = tuple(tuple(color if row >> x & 1 else None for x in range(4)) for row in field)
            task = Task.of(Picture(rows), (4, 12), types, column=0).with_start(lying)
            assert find_obstacle(task) is None, field
            if number < 3:
                with suppress(JobError):  # no plan was found
                    result = make_plan(task, "rows", Limit(workers=1))
                    assert result.bound <= found[field]
                    assert result.drops >= found[field]
                    planned += 1
    assert planned > 3


def test_the_planner_names_the_theorem() -> None:
    picture = draw(*UNDER_TWO)
    types = {PieceType.J: PALETTE[0], PieceType.T: PALETTE[1]}
    with pytest.raises(JobError, match=r"row 1 from the top .* modulo 4.*theorem 'cut'") as cut:
        make_plan(Task.of(picture, "8x20", types), "shortest")
    assert "give one of its colours J, L or I instead (" in str(cut.value)
    assert "or change the number of squares above, or use an odd width" in str(cut.value)


def test_the_planner_says_if_no_choice_of_types_helps() -> None:
    # Seven colours need all seven types, and an O cannot leave a single square.
    rows = tuple((None,) * y + (color,) + (None,) * (7 - y) for y, color in enumerate(PALETTE))
    picture = Picture((*rows, (PALETTE[0], *[None] * 7)))
    with pytest.raises(JobError, match=r"only O.*'O alone'.*no colour has fewer odd runs"):
        make_plan(Task.of(picture, "8x20"), "shortest")


def test_a_large_picture_is_judged_within_the_time_of_a_stop() -> None:
    """No clock is looked at in between; 128x128 on 130 columns took 0.29 CPU s."""
    pick = random.Random(0)
    dots = tuple(tuple(pick.choice((PALETTE[0], None)) for _ in range(128)) for _ in range(128))
    target = make_target(Picture(dots), dict.fromkeys(PieceType, PALETTE[0]), 130, 142, 1)
    spent = []
    for _ in range(3):
        began = time.process_time()
        find_theorem(target)
        spent.append(time.process_time() - began)
    assert min(spent) < 0.1
