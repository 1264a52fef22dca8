"""Pictures from the pieces that come: every game judged by an oracle of its own."""

import json
import random
from collections.abc import Collection
from math import inf

import pytest

from tests.oracles import dealt_graph
from tests.oracles.dealt_game import judge_dealt, judge_steered
from tests.oracles.dealt_graph import NAMES, Field, Graph, always, never
from tests.oracles.srs_game import Board
from tetrisprinter.errors import InputError, JobError
from tetrisprinter.formats import FORMATS
from tetrisprinter.game.piece_queue import STANDARD_COLORS, PieceQueue, QueueRules
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_drop_log, play_through
from tetrisprinter.game.steering import play_by_guideline
from tetrisprinter.pictures.picture import Picture
from tetrisprinter.planners import Limit, Run, make_plan
from tetrisprinter.planners.dealt.beam import (
    SPAWN_ROOM,
    BeamSearch,
    DealtTarget,
    choose_types,
    make_dealt_target,
    make_empty_state,
)
from tetrisprinter.planners.dealt.players import Player, find_known_game, play_with_preview
from tetrisprinter.printing.result import PrintResult
from tetrisprinter.printing.task import Task
from tetrisprinter.support.kernels import zeros
from tetrisprinter.support.signals import Stop

Squares = frozenset[tuple[int, int]]

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


def make_target_for(
    width: int, cells: Collection[tuple[int, int]], height: int = 12, **options: bool
) -> DealtTarget:
    """Return the target that leaves exactly these squares, of any types."""
    masks = zeros("i", 1 + max(y for _, y in cells), 8)
    for x, y in cells:
        for kind in range(8):
            masks[y, kind] |= 1 << x
    return DealtTarget(width, height, masks, **options)


def judge_result(result: PrintResult) -> None:
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


def brute_force(width: int, queue: str, hold: bool) -> dict[Squares, int]:
    """Everything that can be left with some of the pieces, and in how many drops."""
    fewest: dict[Field, int] = {}
    states: set[tuple[Field, str, int]] = {((), "", 0)}
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
                for left in dealt_graph.drops(field, width, 12, NAMES.index(piece)):
                    following.add((left, kept, seen))
                    fewest.setdefault(left, drops)
        states = following
    return {
        frozenset((x, y) for y, row in enumerate(field) for x in range(width) if row >> x & 1): n
        for field, n in fewest.items()
        if field
    }


def search_widely(target: DealtTarget, queue: str) -> BeamSearch | None:
    """Search with a beam that loses nothing."""
    search = BeamSearch(target, [PieceType[letter] for letter in queue], 3000)
    return search if search.run(make_empty_state(), len(queue)) else None


@pytest.mark.parametrize("hold", [True, False])
def test_a_wide_enough_beam_finds_the_fewest_drops_there_are(hold: bool) -> None:
    chance = random.Random(5)
    for width in (4, 5):
        queue = "".join(chance.choices("IJLOSTZ", k=3))
        fewest = brute_force(width, queue, hold)
        for field in chance.sample(sorted(fewest, key=sorted), 25):
            way = search_widely(make_target_for(width, field, hold=hold), queue)
            assert way is not None, (queue, field)
            assert way.is_done, (queue, field)
            assert len(way.moves) == fewest[field], (queue, field)
        for field in chance.sample(sorted(fewest, key=sorted), 10):
            x, y = max(field)
            other = (field - {(x, y)}) | {(x, y + 1), *([(0, 0)] if y else [])}
            if other in fewest or all((i, 0) in other for i in range(width)):
                continue
            way = search_widely(make_target_for(width, other, hold=hold), queue)
            assert way is None or not way.is_done


@pytest.mark.parametrize(
    "rules",
    [
        QueueRules(seed=1),
        QueueRules(seed=4, hold=False),
        pytest.param(QueueRules(seed=2, preview=5), marks=pytest.mark.slow),
    ],
)
def test_a_picture_is_printed_from_bags(rules: QueueRules) -> None:
    """A player knows all bags, or sees five pieces ahead."""
    run = Run(QUICK)
    judge_result(make_plan(Task.of(Picture.parse(HOUSE), pieces=rules), "auto", run))
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
    judge_result(make_plan(task, "dealt", Run(Limit(seconds=0.001, effort=0.3))))


def test_with_infinite_effort_it_searches_until_the_time_is_over() -> None:
    """So ``--time-limit`` asks for it."""
    task = Task.of(Picture.parse(HOUSE), pieces=QueueRules(seed=1))
    result = make_plan(task, "dealt", Run(Limit(seconds=1, effort=inf)))
    judge_result(result)
    assert result.stopped


def test_a_player_with_infinite_effort_plays_until_it_is_stopped() -> None:
    """The first game is a quick one, so that there is one; here the second is stopped."""
    seen = Task.of(Picture.parse("rr.r\nrrrr\n.r.."), (10, 20), pieces=QueueRules(preview=3))
    target, stop = make_dealt_target(seen, choose_types(seen)), Stop()
    starts: list[float] = []

    def report(fraction: float, drops: int | None) -> None:
        if not fraction:
            starts.append(fraction)
        if len(starts) == 2:
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


def test_standard_colours_are_shown_by_their_own_types() -> None:
    letters = {"t": PieceType.T, "s": PieceType.S, "z": PieceType.Z}
    drawing = [".tt..zz...", "ss.tt.zz.."]
    rows = tuple(
        tuple(STANDARD_COLORS[letters[c]] if c != "." else None for c in row)
        for row in reversed(drawing)
    )
    result = make_plan(Task.of(Picture(rows), pieces=QueueRules(seed=1)), run=QUICK)
    assert dict(result.plan.colors) == {p: STANDARD_COLORS[p] for p in letters.values()}
    judge_result(result)


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
    task = Task.of(Picture.parse(HOUSE), pieces=QueueRules(seed=3))
    limits = [Limit(workers=workers, seed=1, effort=0.2) for workers in (1, 2)]
    assert len({str(make_plan(task, run=limit).plan) for limit in limits}) == 1


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


# ---- Pieces that a player steers by today's rules, judged by a simulator of these rules.
VISIBLE = 20
CROSS = """
....rr....
....rr....
.rrrrrrrr.
.rrrrrrrr.
....rr....
....rr....
....rr....
....rr...."""


def find_fewest_steered(width: int, queue: str) -> dict[Squares, int]:
    """Everything that a player can leave with some of the pieces in turn, and in how many drops."""
    fewest: dict[Squares, int] = {}
    fields: set[Squares] = {frozenset()}
    for drops, piece in enumerate(queue, 1):
        following = set()
        for field in fields:
            for _, locked in Board(field, width, VISIBLE).presses(piece):
                board = Board(field, width, VISIBLE)
                board.lock(locked)
                following.add(frozenset(board.filled))
        for field in following:
            fewest.setdefault(field, drops)
        fields = following
    return {field: drops for field, drops in fewest.items() if field}


@pytest.mark.slow
@pytest.mark.parametrize("queue", ["TLZ", "IOT"])
def test_a_wide_enough_beam_finds_all_that_can_be_steered(queue: str) -> None:
    fewest = find_fewest_steered(4, queue)
    for field in random.Random(1).sample(sorted(fewest, key=sorted), 20):
        target = make_target_for(4, field, VISIBLE - SPAWN_ROOM, hold=False, steered=True)
        way = search_widely(target, queue)
        assert way is not None, sorted(field)
        assert way.is_done, sorted(field)
        assert len(way.moves) == fewest[field]


@pytest.fixture(scope="module")
def cross() -> Plan:
    task = Task.of(Picture.parse(CROSS), pieces=QueueRules(seed=0, steered=True))
    result = make_plan(task, "dealt", Limit(effort=0.2))
    log = json.loads(json.dumps(result.log()))
    assert judge_steered(log).keys() == task.wanted.cells().keys()
    assert result.plan.slides
    return result.plan


def test_the_keys_of_a_slide_lead_there(cross: Plan) -> None:
    board = Board((), 10, VISIBLE)
    for moved in play_by_guideline(cross):
        locked = board.play(moved.drop.landing.orientation.piece.name, moved.keys)
        assert locked == set(moved.drop.landing.cells)
        board.lock(locked)


@pytest.mark.parametrize("form", ["text", "fumen", "drop_log"])
def test_a_slide_is_written_and_read(cross: Plan, form: str) -> None:
    again = FORMATS[form].parse(FORMATS[form].format(cross))
    assert again.slides == cross.slides
    before, after = play_through(cross), play_through(again)
    assert make_drop_log(cross, before)["drops"] == make_drop_log(again, after)["drops"]


def test_an_art_file_has_no_slides(cross: Plan) -> None:
    with pytest.raises(
        JobError, match="pieces are tucked under other squares; in the art game pieces only fall"
    ):
        FORMATS["art"].format(cross)


def test_a_picture_too_high_to_be_steered_is_refused() -> None:
    task = Task.of(Picture.parse("\n".join(["r.r"] * 18)), pieces=QueueRules(steered=True))
    with pytest.raises(InputError, match="has 18 rows, but with steered pieces on 10x20 only 17"):
        make_plan(task, "dealt", QUICK)


# ---- What is proved of dealt pieces on small boards, and that the planner agrees with it.
def make_dealt_task(drawing: str, board: str, queue: str, hold: bool = True) -> Task:
    picture = Picture.parse(drawing.replace("#", "r").replace("/", "\n"))
    return Task.of(picture, board, pieces=QueueRules(PieceQueue.parse(queue).pieces, hold=hold))


def test_a_bag_from_which_nobody_leaves_them_without_hold() -> None:
    graph = Graph.of(2, 8)
    lost = never(graph, graph.target("#./#."), 2)
    assert lost is not None
    fields: set[Field] = {()}
    for number, name in enumerate(lost):
        assert name not in lost[number // 7 * 7 : number]
        fields = {after for f in fields for after in dealt_graph.drops(f, 2, 8, NAMES.index(name))}
        assert (1, 1) not in fields
    assert not fields
    with pytest.raises(JobError):
        make_plan(make_dealt_task("#./#.", "2x8", lost, hold=False), "dealt", Limit(effort=0.1))


@pytest.mark.slow
def test_a_piece_on_four_columns_is_always_left_within_a_bag() -> None:
    graph = Graph.of(4, 4)
    assert always(graph, graph.target("#.../###.")) == 1
    chance = random.Random(32)
    for _ in range(3):
        queue = "".join(chance.sample(NAMES, 7))
        result = make_plan(make_dealt_task("#.../###.", "4x4", queue), "dealt", Limit(effort=0.2))
        left = judge_dealt(result.log())
        assert left.keys() == {(0, 0), (1, 0), (2, 0), (0, 1)}
