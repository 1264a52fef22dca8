"""Pictures from the pieces that come: every game judged by an oracle of its own."""

import json
import random
from math import inf

import pytest

from tests.oracles.dealt_game import judge_dealt
from tests.oracles.game import ROTATIONS
from tests.support.planned import make_target_for
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.game.piece_queue import STANDARD_COLORS, QueueRules
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_drop_log, play_through
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.dealt._kernel_states import HEAD
from tetrisprinter.planners.dealt.beam import (
    Beam,
    DealtTarget,
    beam_search,
    choose_types,
    is_lost,
    make_dealt_target,
    make_empty_state,
)
from tetrisprinter.planners.dealt.players import Player, find_known_game, play_with_preview
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.support.arrays import zeros
from tetrisprinter.support.signals import Stop

HOUSE = """
....rr....
...rrrr...
..rrrrrr..
.rrrrrrrr.
..r....r..
..r.rr.r..
..r.rr.r..
..rrrrrr.."""
QUICK = Limit(effort=0.3)
KEY = """
.rrr......
r...r.....
r...rrrrr.
r...r..r.r
.rrr......"""


def judged(result: PrintResult) -> None:
    """Let the oracle play a plan, read back from its text, and compare what is left."""
    plan = Plan.parse(str(result.plan))
    log = json.loads(json.dumps(make_drop_log(plan, play_through(plan))))
    left = judge_dealt(log)
    pieces = result.task.pieces
    assert pieces is not None
    assert [PieceType[name] for name in log["queue"]] == list(pieces.deal(len(log["queue"])))
    assert {cell: log["colors"].get(piece) for cell, piece in left.items()} == (
        result.task.wanted.cells()
    )


def brute_force(width: int, queue: str, hold: bool) -> dict[frozenset[tuple[int, int]], int]:
    """Everything that can be left with some of the pieces, and in how many drops."""
    start = (frozenset[tuple[int, int]](), "", 0)
    fewest: dict[frozenset[tuple[int, int]], int] = {}
    states = {start}
    for drops in range(1, len(queue) + 1):
        following = set()
        for field, held, came in states:
            current, next_ = queue[came : came + 1], queue[came + 1 : came + 2]
            options = [(current, held, came + 1)] if current else []
            if hold and held:
                options.append((held, current, came + bool(current)))
            elif hold and current and next_:
                options.append((next_, current, came + 2))
            for piece, kept, seen in options:
                for shape in ROTATIONS[piece]:
                    for x0 in range(width - max(x for x, _ in shape)):
                        y0 = 8
                        while y0 and not any((x + x0, y + y0 - 1) in field for x, y in shape):
                            y0 -= 1
                        cells = field | {(x + x0, y + y0) for x, y in shape}
                        rows = {y for _, y in cells}
                        full = {r for r in rows if all((x, r) in cells for x in range(width))}
                        left = frozenset(
                            (x, y - sum(r < y for r in full)) for x, y in cells if y not in full
                        )
                        following.add((left, kept, seen))
                        fewest.setdefault(left, drops)
        states = following
    return fewest


@pytest.mark.parametrize("hold", [True, False])
def test_a_wide_enough_beam_finds_the_fewest_drops_there_are(hold: bool) -> None:
    chance = random.Random(5)
    for width in (4, 5):
        queue = "".join(chance.choices("IJLOSTZ", k=3))
        pieces = [PieceType[letter] for letter in queue]
        fewest = {field: drops for field, drops in brute_force(width, queue, hold).items() if field}
        for field in chance.sample(sorted(fewest, key=sorted), 25):
            way = beam_search(
                make_target_for(width, field, hold=hold),
                pieces,
                make_empty_state(),
                Beam(2000, len(queue)),
            )
            assert way is not None, (queue, field)
            assert way.is_done, (queue, field)
            assert len(way.moves) == fewest[field], (queue, field)
        for field in chance.sample(sorted(fewest, key=sorted), 10):
            x, y = max(field)
            other = (field - {(x, y)}) | {(x, y + 1), *([(0, 0)] if y else [])}
            if other in fewest or all((i, 0) in other for i in range(width)):
                continue
            way = beam_search(
                make_target_for(width, other, hold=hold),
                pieces,
                make_empty_state(),
                Beam(2000, len(queue)),
            )
            assert way is None or not way.is_done


@pytest.mark.parametrize(
    ("drawing", "seed"), [(HOUSE, 0), (HOUSE, 1), pytest.param(KEY, 2, marks=pytest.mark.slow)]
)
def test_known_bags_print_a_picture(drawing: str, seed: int) -> None:
    task = Task.of(Picture.parse(drawing), pieces=QueueRules(seed=seed))
    run = Run(QUICK)
    judged(make_plan(task, "auto", run))
    assert not run.fallbacks


class CountedStop(Stop):
    """A stop that is requested when it is looked at for the given time."""

    def __init__(self, requested_at: int) -> None:
        super().__init__()
        self.looks, self.requested_at = 0, requested_at

    @property
    def is_requested(self) -> bool:
        self.looks += 1
        return self.looks >= self.requested_at

    @property
    def is_set(self) -> bool:
        return self.is_requested


@pytest.mark.parametrize("looks", [1, 6])
def test_a_request_ends_a_search_between_two_drops(looks: int) -> None:
    """The sixth look is in the middle of the first search, which has no game yet."""
    stop = CountedStop(looks)
    target = make_dealt_target(
        task := Task.of(Picture.parse(HOUSE), pieces=QueueRules()), choose_types(task)
    )
    assert find_known_game(target, QueueRules(), stop, lambda _done, _drops: None) is None
    assert stop.looks <= looks + 2  # once before each drop, once by each caller that gives up


def test_the_first_search_may_take_longer_than_the_time_given() -> None:
    task = Task.of(Picture.parse(HOUSE), pieces=QueueRules(seed=1))
    judged(make_plan(task, "dealt", Run(Limit(seconds=0.001, effort=0.3))))


def test_with_infinite_effort_it_searches_until_the_time_is_over() -> None:
    """So ``--time-limit`` asks for it."""
    task = Task.of(Picture.parse(HOUSE), pieces=QueueRules(seed=1))
    result = make_plan(task, "dealt", Run(Limit(seconds=2, effort=inf)))
    judged(result)
    assert result.stopped


def test_a_player_with_infinite_effort_plays_until_it_is_stopped() -> None:
    """The first game is a quick one, so that there is one; here the third is stopped."""
    seen = Task.of(Picture.parse("rr.r\nrrrr\n.r.."), (10, 20), pieces=QueueRules(preview=3))
    target, stop = make_dealt_target(seen, choose_types(seen)), Stop()
    starts: list[float] = []

    def report(fraction: float, drops: int | None) -> None:
        if not fraction:
            starts.append(fraction)
        if len(starts) == 3:
            stop.request()

    game = play_with_preview(target, QueueRules(preview=3), stop, report, effort=inf)
    assert game is not None
    assert game.stopped
    assert target.fewest_drops < len(game.moves) < 100


def test_a_queue_without_a_game_is_given_up() -> None:
    queue = QueueRules(queue=(PieceType.S, PieceType.Z) * 3)
    task = Task.of(Picture.parse("rrrr\nrrrr"), (10, 20), pieces=queue)
    with pytest.raises(
        JobError, match=r"found with these pieces: queue SZSZSZ.*effort may find one"
    ):
        make_plan(task, "dealt", Run(QUICK))


def test_without_hold_it_prints_too() -> None:
    judged(
        make_plan(Task.of(Picture.parse(HOUSE), pieces=QueueRules(seed=4, hold=False)), run=QUICK)
    )


def test_standard_colours_are_shown_by_their_own_types() -> None:
    letters = {"t": PieceType.T, "s": PieceType.S, "z": PieceType.Z}
    drawing = [".tt..zz...", "ss.tt.zz.."]
    rows = tuple(
        tuple(STANDARD_COLORS[letters[c]] if c != "." else None for c in row)
        for row in reversed(drawing)
    )
    result = make_plan(Task.of(Picture(rows), pieces=QueueRules(seed=1)), run=QUICK)
    assert dict(result.plan.colors) == {p: STANDARD_COLORS[p] for p in letters.values()}
    judged(result)


@pytest.mark.slow
def test_two_standard_colours_in_blocks_are_printed() -> None:
    shown = [STANDARD_COLORS[PieceType.T], STANDARD_COLORS[PieceType.L]]
    rows = tuple(
        tuple(shown[(x // 4 + y // 3) % 2] if color else None for x, color in enumerate(row))
        for y, row in enumerate(Picture.parse(KEY).rows)
    )
    run = Run(QUICK)
    judged(make_plan(Task.of(Picture(rows), pieces=QueueRules(seed=0)), run=run))
    assert not run.fallbacks


@pytest.mark.parametrize(
    ("rows", "alive"),
    [
        # The lower square has no room below the arms of a T;
        (["TTtTT.", "TTtTT."], False),
        # above the highest row there is some, and once a row has cleared, too.
        (["TTtTT."], True),
        (["@@_@@@", "TTtTT."], True),
        (["TTTTT.", "@@_@@@", "TTtTT."], False),
        # Nothing holds a piece over squares that stay empty, except a row that clears.
        (["..t...", "T....."], False),
        (["..t...", "______"], True),
        (["..t...", "..T..."], True),
    ],
)
def test_squares_that_no_piece_can_fill_are_found(rows: list[str], alive: bool) -> None:
    # T: filled, t: missing, for T alone; rows of @ and _ are to clear.
    state, wants = make_empty_state(), zeros("i", len(rows), 8)
    opened = 0
    for y, row in enumerate(reversed(rows)):
        filled = sum(1 << x for x, c in enumerate(row) if c in "T@")
        if not set(row) <= set("@_"):
            for kind in (0, PieceType.T):
                wants[opened, kind] = sum(1 << x for x, c in enumerate(row) if c in "tT")
            opened += 1
            filled |= opened << 16
        state[HEAD + y] = filled
    state[0], state[1], state[2] = len(rows), opened, len(rows) - opened
    assert is_lost(DealtTarget(6, 20, wants), state) is not alive


@pytest.mark.slow
@pytest.mark.parametrize("drawing", [HOUSE, KEY])
def test_a_player_prints_who_sees_five_pieces_ahead(drawing: str) -> None:
    judged(
        make_plan(Task.of(Picture.parse(drawing), pieces=QueueRules(seed=2, preview=5)), run=QUICK)
    )


@pytest.mark.slow
def test_a_player_does_not_know_what_is_not_seen() -> None:
    target = make_target_for(10, Picture.parse(HOUSE).cells())
    first, other = QueueRules(seed=1).deal(60), QueueRules(seed=2).deal(60)
    games = []
    for rest in (first, other):
        queue = (*first[:14], *rest[14:])
        player, drops = Player(target), []
        while player.turn + 6 <= 14:
            player.pieces[:] = queue[: player.turn + 6]
            drops.append(player.choose())
            player.play()
        games.append(drops)
    assert games[0] == games[1]
    assert len(games[0]) >= 7


@pytest.mark.slow
def test_the_same_seed_plays_the_same_game() -> None:
    task = Task.of(Picture.parse(KEY), pieces=QueueRules(seed=3))
    assert (
        len({str(make_plan(task, run=Limit(workers=n, seed=1, effort=0.2)).plan) for n in (1, 2)})
        == 1
    )


def test_what_counting_forbids_is_refused_at_once() -> None:
    short = Task.of(Picture.parse(HOUSE), pieces=QueueRules.parse("TIJLOS"))
    with pytest.raises(JobError, match="36 squares, but the queue of 6 pieces has only 24"):
        make_plan(short)
    tilted = Task.of(Picture.parse("r.r......."), pieces=QueueRules.parse("SZO" * 20))
    with pytest.raises(JobError, match="2 squares more in even columns than in the others"):
        make_plan(tilted)


def test_it_does_not_take_what_it_has_no_room_for() -> None:
    with pytest.raises(InputError, match="at most 15x40"):
        make_plan(Task.of(Picture.parse("rr\nrr"), "21x42", pieces=QueueRules()))
