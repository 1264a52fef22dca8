"""Strokes thinner than a square: drawn as lines of squares instead of averaged away.

A stroke is seen against its *ground*, the flat colour around it: the paper, a speech bubble, a
dark window. Each square is looked at in many points. Where a stroke covers a part of a square, and
less of the squares beside it, the whole square gets its ink. Letters too small to be read become a
bar as long as their line; what has only a few of them, such as a number at an axis, is left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from math import isqrt
from operator import sub
from typing import Final, cast

from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.pictures.squares import Rgb
from tetrisprinter.support.arrays import make_numbers, zeros

ACROSS: Final = 16
"""Points across a square, at most, in which strokes are looked for."""

COARSE: Final = 8
"""Points across a square, at most, in which its inks are looked for."""

_INKED: Final = 24
"""How far a channel of a stroke is from that of the ground, at least."""

_PALE: Final = 0.35
"""The same, as a share of how far the farthest ink is: a pale grid behind a chart is none."""

_FAINT: Final = 0.04
"""How much a stroke darkens its square, at least, as a share of a square full of the farthest."""

_SOLID: Final = 0.75
"""A square of which so much is covered belongs to a patch, and so do those around it."""

_SURE: Final = 0.3
"""A square of which so much is covered by strokes is inked, wherever they go."""

_PAIR: Final = 1.4
"""Two squares that share a stroke are both inked from this width of the stroke on."""

_CROWDED: Final = 0.2
"""Where more of the blocks of 2x2 squares are full of strokes, these are a texture."""

_LETTERS: Final = 1.4
"""Strokes in a row of points of a square, on average, from which on they are letters."""

_FADE: Final = 0.65
"""How pale a bar is that stands for small letters on a ground of their own."""

_PRESENT: Final = 0.1
"""The share of a square's points that have an ink, at least, for the square to be drawn in it."""

_BETWEEN: Final = 40
"""How far a point beside the paper counts from an ink that it may be a pale edge of."""

_CORE: Final = 0.7
"""The share of a line's height that its small letters fill."""

_WORD: Final = 3
"""Squares of a line of small letters, at least, for it to be drawn as a bar."""

Squares = Sequence[Rgb | None]


@dataclass(frozen=True, slots=True)
class Strokes:
    """A scaled drawing and its strokes."""

    squares: Squares
    inks: Sequence[Rgb] = ()  # of each square that a stroke has
    mixtures: Set[Rgb] = frozenset()  # of them, those that are mixed with the ground on purpose
    letters: float = 0.0  # rows of squares that its small letters are high; 0 if it has none
    has_bars: bool = False  # whether bars stand for lines of them; if not, they are left out


class _Grid:
    """The squares of a picture in a list, with a frame of one square around them."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows, self.wide = columns, rows, columns + 2
        self.size = self.wide * (rows + 2)
        self.inner = [
            (y + 1) * self.wide + x + 1 for y in range(rows) for x in range(columns)
        ]  # where each square is in the list
        self.places = frozenset(self.inner)
        self.around = [y * self.wide + x for y in (-1, 0, 1) for x in (-1, 0, 1)]

    def sum_around(self, values: Sequence[float]) -> list[float]:
        """Return for each square the sum over it and its eight neighbours."""
        sums = [0.0] * self.size
        for at in self.inner:
            sums[at] = sum(values[at + step] for step in self.around)
        return sums


def draw_strokes(
    points: bytes, squares: Squares, columns: int, grounds: Sequence[tuple[Rgb, bool]]
) -> Strokes:
    """Draw strokes thinner than a square as lines of squares on a scaled drawing.

    ``points`` are RGBA, up to ``ACROSS`` x ``ACROSS`` for each square.
    """
    from tetrisprinter.pictures._kernel import measure_squares

    frame = _Grid(columns, len(squares) // columns)
    inner, wide = frame.inner, frame.wide
    across = isqrt(len(points) // 4 // len(squares))
    data, paper = memoryview(bytearray(points)), grounds[0][0]
    measures = []
    for ground, _ in grounds:
        found = zeros("q", 7, frame.size)
        measure_squares(data, columns, across, make_numbers((*ground, *paper)), _INKED, found)
        measures.append(cast("list[list[int]]", found.tolist()))
    shares = [frame.sum_around(frame.sum_around(near)) for near, *_ in measures]
    nearest = [
        max(range(len(grounds)), key=lambda n: share[n]) for share in zip(*shares, strict=True)
    ]
    result: dict[int, Rgb] = {}
    lines, bars = set[int](), set[int]()
    mixtures: set[Rgb] = set()
    heights: list[int] = []
    for number, (ground, is_paper) in enumerate(grounds):
        # What stands out on this ground: the farthest colour of each square, and its share
        _, far, inks, total, starts, inked, full = measures[number]
        farthest = max((far[at] for at in inner if nearest[at] == number), default=1)
        least, area = max(_INKED, _PALE * farthest), across * across
        covered = [
            amount / area / most if most >= least else 0.0
            for most, amount in zip(far, total, strict=True)
        ]
        patches = _find_patches(frame, covered)
        edges = {at + step for at in patches for step in frame.around}
        thin = [
            at for at in inner if nearest[at] == number and far[at] >= least and at not in patches
        ]
        strong = [at for at in thin if covered[at] * far[at] >= _FAINT * farthest]
        # Lines of small letters are bars; other strokes are lines, on the paper of the drawing
        runs = [n / max(1, rows.bit_count()) for n, rows in zip(starts, inked, strict=True)]
        small = _find_letters([at for at in strong if not full[at] and at not in edges], runs)
        text = _find_text(frame, inked, small, across)
        heights += [below - above for _, above, below in text]
        strokes = [parse_rgb(f"{ink:06x}") for ink in inks]
        colors = {at: strokes[at] for at in thin}
        bar = _find_long(frame, _find_rows(text, frame, across) & set(thin))
        if is_paper:
            letterless = [0.0 if at in small else share for at, share in enumerate(covered)]
            line = (set(strong) & _find_lines(frame, letterless, edges)) - small
            solid = {
                at: square
                for at, square in zip(inner, squares, strict=True)
                if square and covered[at] >= _SOLID
            }
            beside = _bridge_lines(frame, line, strokes, covered, solid)
            colors |= beside
            line |= beside.keys()
            result |= {at: ground for at in thin if covered[at] < _SURE and at not in edges}
            result |= {at: colors[at] for at in line}
            lines |= line
        else:
            for at in bar:
                red, green, blue = (
                    c + int(_FADE * (g - c)) for c, g in zip(colors[at], ground, strict=True)
                )
                colors[at] = red, green, blue
            mixtures.update(colors[at] for at in bar)
        result |= dict.fromkeys(small, ground) | {at: colors[at] for at in bar}
        bars |= bar
    block = (0, 1, wide, wide + 1)
    crowded = sum(all(at + step in lines for step in block) for at in lines)
    if crowded > _CROWDED * (columns - 1) * (frame.rows - 1):
        return Strokes(squares)
    return Strokes(
        [square and result.get(at, square) for at, square in zip(inner, squares, strict=True)],
        [result[at] for at in sorted(lines | bars)],
        mixtures,
        sorted(heights)[len(heights) // 2] / across if heights else 0.0,
        bool(bars),
    )


def find_present(
    points: bytes, squares: Squares, columns: int, inks: Sequence[Rgb]
) -> list[tuple[int, ...]]:
    """Return the indices of the inks in each square of a scaled drawing.

    The first ink is the paper. A point between the paper and another ink counts as that ink.
    """
    from tetrisprinter.pictures._kernel import count_inks

    area = len(points) // 4 // len(squares)
    channels = make_numbers(channel for ink in inks for channel in ink)
    counts = zeros("q", len(squares) * len(inks))
    count_inks(memoryview(bytearray(points)), columns, isqrt(area), channels, _BETWEEN, counts)
    present = []
    for at, square in enumerate(squares):
        drawn = square or (0, 0, 0)
        present.append(
            tuple(
                number
                for number, ink in enumerate(inks)
                if counts[at * len(inks) + number] >= _PRESENT * area
                or max(map(abs, map(sub, drawn, ink))) < _INKED / 2
            )
        )
    return present


def _find_patches(frame: _Grid, covered: Sequence[float]) -> set[int]:
    """Return the full squares, unless a line fills them: both sides of it are hardly covered."""
    return {
        at
        for at in frame.inner
        if covered[at] >= _SOLID
        and all(
            max(covered[at - step], covered[at + step]) >= 0.5 * covered[at]
            for step in (1, frame.wide)
        )
    }


def _find_lines(frame: _Grid, covered: Sequence[float], edges: Set[int]) -> set[int]:
    """Return the squares of lines, thinned to one square where strokes fill no more.

    At the edges of patches, lines only go on that come from elsewhere.
    """
    upright, level = (_stand_out(frame, covered, step) for step in (1, frame.wide))
    found = {at for at in frame.inner if covered[at] > _SURE} | upright | level
    halves = _find_halves(frame, covered, 1, frame.wide)
    found -= edges | halves | _find_halves(frame, covered, frame.wide, 1)
    for squares, along in ((upright, frame.wide), (level, 1)):
        found |= {
            at
            for at in squares & edges
            if any(
                next_ in found and covered[at] >= 0.6 * covered[next_]
                for next_ in (at - along, at + along)
            )
        }
    return found


def _bridge_lines(
    frame: _Grid,
    line: Set[int],
    inks: Sequence[Rgb],
    covered: Sequence[float],
    patches: Mapping[int, Rgb],
) -> dict[int, Rgb]:
    """Return the inks of squares where a line runs along patches, such as an axis below bars.

    Beside a patch of the line's own ink a square may be the edge of the patch.
    """
    bridges: dict[int, Rgb] = {}
    for start, step in itertools.product(line, (1, frame.wide)):
        between = set[int]()
        for at in itertools.count(start + step, step):
            if at in line:
                bridges |= dict.fromkeys(between, inks[start])
            near = [patches[at + to] for to in frame.around if at + to in patches]
            if (
                at in line
                or at in patches
                or not covered[at]
                or _differ(inks[at], inks[start])
                or not any(_differ(patch, inks[start]) for patch in near)
            ):
                break
            between.add(at)
    return bridges


def _differ(one: Rgb, other: Rgb) -> bool:
    return any(abs(a - b) >= 2 * _INKED for a, b in zip(one, other, strict=True))


def _stand_out(frame: _Grid, covered: Sequence[float], step: int) -> set[int]:
    """Return squares of strokes: much fuller than one side neighbour, not less than the other."""
    found = set()
    for at in frame.inner:
        low, high = sorted((covered[at - step], covered[at + step]))
        if covered[at] >= 0.6 * high and low < 0.5 * covered[at]:
            found.add(at)
    return found


def _find_halves(frame: _Grid, covered: Sequence[float], step: int, along: int) -> set[int]:
    """Return the weaker of two side-by-side squares that share one stroke."""
    weak = set()
    for at in frame.inner:
        if at + step not in frame.places:
            continue
        one, other = covered[at], covered[at + step]
        both = one + other
        outside = max(covered[at - step], covered[at + 2 * step])
        if both < _PAIR and outside < 0.5 * max(one, other):
            ends = (covered[at + n] + covered[at + n + step] for n in (-along, along))
            if min(ends) >= 0.85 * both:
                weak.add(at + step if other <= one else at)
    return weak


def _find_letters(thin: Sequence[int], runs: Sequence[float]) -> set[int]:
    """Return the thin squares that hold several short strokes side by side."""
    found = {at for at in thin if runs[at] >= _LETTERS}
    # The last letter of a word
    return found | {at for at in thin if at - 1 in found or at + 1 in found}


def _find_text(
    frame: _Grid, inked: Sequence[int], letters: Set[int], across: int
) -> list[tuple[int, int, int]]:
    """Return the column of squares of parts of lines of letters, and their ends in points."""
    text = []
    for x in range(frame.columns if letters else 0):
        column = frame.inner[x :: frame.columns]
        points = ((inked[at] >> bit & 1, at in letters) for at in column for bit in range(across))
        below = 0
        for has_ink, run in itertools.groupby(points, key=lambda point: point[0]):
            marks = [mark for _, mark in run]
            above, below = below, below + len(marks)
            if has_ink and any(marks):
                text.append((x, above, below))
    return text


def _find_rows(text: Sequence[tuple[int, int, int]], frame: _Grid, across: int) -> set[int]:
    """Return the squares in the middle of lines of letters, the same rows along each line."""
    found = set()
    for x, above, below in text:
        near = [
            (top, end)
            for column, top, end in text
            if abs(column - x) <= _WORD and abs(top + end - above - below) < across
        ]
        middle = sum(top + end for top, end in near) / len(near) / 2 / across
        high = max(1, round(_CORE * (below - above) / across))
        first = min(max(0, round(middle - high / 2)), frame.rows - high)
        found |= {frame.inner[y * frame.columns + x] for y in range(first, first + high)}
    return found


def _find_long(frame: _Grid, letters: Set[int]) -> set[int]:
    """Return the squares that are part of a long line."""
    kept: set[int] = set()
    # A gap of one square is between words
    closed = letters | {at for at in frame.inner if at - 1 in letters and at + 1 in letters}
    rows = itertools.groupby(frame.inner, key=lambda at: (at in closed, at // frame.wide))
    for (is_line, _), run in rows:
        squares = list(run)
        if is_line and len(squares) >= _WORD:
            kept.update(squares)
    return kept & letters
