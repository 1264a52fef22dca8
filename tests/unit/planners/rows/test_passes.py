"""The search for a pass: what it finds is legal, and it finds a pass where there is one."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.support.dropping import drop_pieces
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.planners.rows import _kernel
from tetrisprinter.planners.rows._kernel import PassSearch
from tetrisprinter.planners.rows.passes import PassFinder, Pieces, make_stack, sort_drops
from tetrisprinter.planners.rows.target import RowState, RowTarget

BEAM = 20_000
STACKS = ("ccpb", "cccpb", "cpcb", "pccb", "ccp", "cpb", "pcb", "cpcp", "cppb", "ccccpb", "pb")


@dataclass(frozen=True)
class Case:
    """A pass on a small board: rows of type sets, those below the base printed already."""

    word: str
    base: int
    rows: tuple[tuple[int, ...], ...]
    required: frozenset[tuple[int, int]]
    carried: frozenset[int]

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def ground(self) -> frozenset[int]:
        if not self.base:
            return frozenset(range(self.width))
        return frozenset(x for x, y in self.required if y == self.base - 1)

    def target(self) -> RowTarget:
        required = ({x for x, y in self.required if y == row} for row in range(len(self.rows)))
        return RowTarget(self.rows, tuple(map(frozenset, required)), self.base + len(self.word))

    def found(self, finder: PassFinder) -> tuple[Pieces | None, bool]:
        stack = make_stack(self.word)
        state = RowState(self.base, self.ground, self.carried)
        squares = self.target().describe_squares(stack, state)
        graph = finder.explore(stack, squares)
        ways = finder.choose_pieces(graph, self.carried, None, 100)
        return (None if ways is None else ways[0]), graph.is_complete

    def check(self, pieces: Pieces) -> None:
        """Play the pass by the rules on what was there, and look at what it leaves."""
        start = {(x, y): "?" for x, y in self.required if y < self.base}
        start |= {(x, self.base): "?" for x in self.carried}
        height = self.base + len(self.word)
        _, field = drop_pieces(sort_drops(pieces), start, (self.width, height))
        printed = self.word.count("p")
        top = self.base + printed
        for x, y in self.required:
            assert (x, y) in field
        for (x, y), name in field.items():
            if name != "?" and y < top:
                assert self.rows[y][x] >> PieceType[name] & 1
            assert y < top or (y == top and self.word[-1] == "b")


def cases(count: int, seed: int, words: tuple[str, ...] = STACKS) -> Iterator[Case]:
    rng = random.Random(seed)
    masks = [*(1 << piece for piece in PieceType), 0b1111110, 0b110, 0b11111110]
    for _ in range(count):
        word, width, base = rng.choice(words), rng.randint(4, 8), rng.randint(0, 1)
        pool = rng.sample(masks, rng.randint(1, 3))
        density = rng.choice([0.2, 0.5, 0.8])
        rows = [
            [rng.choice(pool) if rng.random() < density else 0 for _ in range(width)]
            for _ in range(base + word.count("p"))
        ]
        for row in rows:
            row[rng.randrange(width)] = 0
        optional = 0.4 if rng.random() < 0.3 else 0.0
        required = frozenset(
            (x, y)
            for y, row in enumerate(rows)
            for x, mask in enumerate(row)
            if mask and (y < base or rng.random() >= optional)
        )
        carried: set[int] = set()
        if word[0] == "c":
            carried = {x for x in range(width) if rng.random() < 0.3}
            carried.discard(rng.randrange(width))
        yield Case(word, base, tuple(map(tuple, rows)), required, frozenset(carried))


@pytest.fixture(scope="module")
def finders() -> dict[int, PassFinder]:
    return {width: PassFinder(width, BEAM) for width in range(4, 9)}


@pytest.mark.parametrize(
    ("beam", "count", "least", "words"),
    [(BEAM, 130, 15, STACKS), (10, 300, 10, ("ccpb", "cccpb", "ccccpb"))],
)
def test_what_is_found_is_legal(beam: int, count: int, least: int, words: tuple[str, ...]) -> None:
    finders = {width: PassFinder(width, beam) for width in range(4, 9)}
    found = 0
    for case in cases(count, 2, words):
        pieces, _ = case.found(finders[case.width])
        if pieces is not None:
            case.check(pieces)
            found += 1
    assert found >= least


class _Interrupted(PassSearch):
    """A search during the growth of whose memory Ctrl-C comes."""

    def grow(self) -> bool:
        raise KeyboardInterrupt


def test_ctrl_c_while_memory_grows_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernel, "_FIRST", 16)
    monkeypatch.setattr(_kernel, "PassSearch", _Interrupted)
    finder = PassFinder(8, BEAM)
    case = next(cases(1, 3, ("ccpb",)))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            case.found(finder)
    monkeypatch.undo()
    finder = PassFinder(8, BEAM)
    case.found(finder)


@pytest.mark.parametrize(
    ("word", "why"),
    [
        *(("ccccccpb", "too large"), ("ccccccc", "too large")),
        *((word, "not a stack") for word in ("", "bc", "x", "pbp", "10p")),
    ],
)
def test_what_is_no_stack_or_too_large_is_refused(word: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make_stack(word)
