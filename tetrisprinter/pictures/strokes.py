"""Strokes thinner than a square: drawn as lines of squares instead of averaged away.

A stroke stands out from its *ground*, the flat colour around it: the *paper* (the ground of at
least half of a drawing), a speech bubble, a dark window. Each square is sampled at many points.
Where a stroke covers some of a square, and less of the squares beside it, the entire square gets
the colour of the stroke, its *ink*. Letters too small to be read become a bar as long as their
line.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence, Set
from math import isqrt
from operator import sub
from typing import Final, cast

from tetrisprinter.pictures.picture import parse_rgb
from tetrisprinter.pictures.reduction import Rgb, find_mixture
from tetrisprinter.support.arrays import make_numbers, zeros

ACROSS: Final = 16
"""At most this number of points across a square is searched for strokes."""

COARSE: Final = 8
"""At most this number of points across a square is searched for inks."""

_INKED: Final = 24
"""The least difference of a stroke from the ground in some channel (of 255)."""

_PALE: Final = 0.35
"""The same as a share of the largest difference, so that pale grids of charts are no strokes."""

_SOLID: Final = 0.75
"""A square is in a patch if at least this share is covered, unless the square is in a line."""

_SURE: Final = 0.3
"""A square is always inked if strokes cover more than this share of the square."""

_END: Final = 0.3
"""The end of a stroke is inked if it is covered this share as much as the square before it."""

_LETTERS: Final = 1.4
"""A square holds letters if its rows of points cross at least this many strokes on average."""

_WORD: Final = 0.5
"""Connected strokes are a word if at least this share of their columns holds letters."""

_NEAR: Final = 5
"""The middle of a line of letters is averaged over this many columns on either side."""

_FADE: Final = 0.65
"""The share of the ground in the colour of a bar for letters on a ground that is not paper."""

_PRESENT: Final = 0.1
"""A square may be drawn in an ink if at least this share of its points has the ink."""

_BETWEEN: Final = 40
"""This is added to the distance (RGB) of a paper-coloured point from every ink."""

_EDGE: Final = 40
"""A square is the edge of a patch if it differs at most this much from patch mixed with ground."""

_CORE: Final = 0.7
"""The share of a text line's height that the bar for its letters fills."""

Squares = Sequence[Rgb | None]


class _Grid:
    """The squares of a picture in a list (``at`` is an index), with a frame of one square."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows, self.stride = columns, rows, columns + 2
        self.size = self.stride * (rows + 2)
        # Where each square of the picture is in the list
        self.inner = [(y + 1) * self.stride + x + 1 for y in range(rows) for x in range(columns)]
        self.places = frozenset(self.inner)
        self.around = [y * self.stride + x for y in (-1, 0, 1) for x in (-1, 0, 1)]

    def sum_around(self, values: Sequence[float]) -> list[float]:
        """Return for each square the sum over the square and its eight neighbours."""
        sums = [0.0] * self.size
        for at in self.inner:
            sums[at] = sum(values[at + step] for step in self.around)
        return sums


def draw_strokes(
    points: bytes, squares: Squares, columns: int, grounds: Sequence[tuple[Rgb, bool]]
) -> tuple[Squares, Sequence[Rgb], float]:
    """Draw strokes thinner than a square as lines of squares on a scaled drawing.

    Return the squares, the colours of those that are drawn as strokes, and the height of the small
    letters in squares (0 if there are none).

    ``points`` are RGBA, up to ``ACROSS`` x ``ACROSS`` for each square.
    """
    from tetrisprinter.pictures._kernel import measure_squares

    frame = _Grid(columns, len(squares) // columns)
    inner, stride = frame.inner, frame.stride
    across = isqrt(len(points) // 4 // len(squares))
    data, paper = memoryview(bytearray(points)), grounds[0][0]
    measures = []
    for ground, _ in grounds:
        results = zeros("q", 7, frame.size)
        measure_squares(data, columns, across, make_numbers((*ground, *paper)), _INKED, results)
        measures.append(cast("list[list[int]]", results.tolist()))
    shares = [frame.sum_around(similar_counts) for similar_counts, *_ in measures]
    nearest = [
        max(range(len(grounds)), key=lambda n: counts[n]) for counts in zip(*shares, strict=True)
    ]
    stroke_colors: dict[int, Rgb] = {}
    cleared: dict[int, Rgb] = {}
    heights: list[int] = []
    for number, (ground, is_paper) in enumerate(grounds):
        # For each square: the colour that differs most from this ground, and the covered share
        _, differences, inks, sums, run_counts, inked, full = measures[number]
        farthest = max((differences[at] for at in inner if nearest[at] == number), default=1)
        threshold, area = max(_INKED, _PALE * farthest), across * across
        covered = [
            difference_sum / area / difference if difference >= threshold else 0.0
            for difference, difference_sum in zip(differences, sums, strict=True)
        ]
        # Full squares are a patch, except in a line, where the squares beside are hardly covered
        patches = {
            at
            for at in inner
            if covered[at] >= _SOLID
            and all(
                max(covered[at - step], covered[at + step]) >= 0.5 * covered[at]
                for step in (1, stride)
            )
        }
        thin = {
            at
            for at in inner
            if nearest[at] == number and differences[at] >= threshold and at not in patches
        }
        colors = {at: parse_rgb(f"{inks[at]:06x}") for at in thin | patches}
        # The edge of a patch is not a stroke, but a chart's axis that touches a bar is
        edges = {
            at
            for at in thin
            if any(
                at + step in patches
                and find_mixture(colors[at], ground, colors[at + step])[1] <= _EDGE
                for step in frame.around
            )
        }
        # Draw lines of small letters as bars, and other strokes on the paper as lines
        runs = [n / max(1, rows.bit_count()) for n, rows in zip(run_counts, inked, strict=True)]
        letters = _find_letters(frame, {at for at in thin - edges if not full[at]}, runs)
        text = _find_text(frame, inked, letters, across)
        heights += [below - above for _, above, below in text]
        cleared |= dict.fromkeys(letters, ground)
        for at in thin & _find_bars(text, frame, across):
            fade = 0.0 if is_paper else _FADE
            pairs = zip(colors[at], ground, strict=True)
            red, green, blue = (c + int(fade * (g - c)) for c, g in pairs)
            stroke_colors[at] = red, green, blue
        if is_paper:
            letterless = [0.0 if at in letters else share for at, share in enumerate(covered)]
            cleared |= {at: ground for at in thin - edges if covered[at] < _SURE}
            lines = thin & _find_lines(frame, letterless) - edges
            stroke_colors |= {at: colors[at] for at in lines}
    cleared |= stroke_colors
    return (
        [square and cleared.get(at, square) for at, square in zip(inner, squares, strict=True)],
        [stroke_colors[at] for at in sorted(stroke_colors)],
        sorted(heights)[len(heights) // 2] / across if heights else 0.0,
    )


def find_present_inks(
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
        color = square or (0, 0, 0)
        present.append(
            tuple(
                number
                for number, ink in enumerate(inks)
                if counts[at * len(inks) + number] >= _PRESENT * area
                or max(map(abs, map(sub, color, ink))) < _INKED / 2
            )
        )
    return present


def _find_lines(frame: _Grid, covered: Sequence[float]) -> set[int]:
    """Return the squares of lines that are one square wide.

    Such a square is well covered, or twice as full as the square on one side and at least 0.6 times
    as full as the square on the other side.
    """
    lines = {at for at in frame.inner if covered[at] > _SURE}
    for across, along in ((1, frame.stride), (frame.stride, 1)):  # steps across and along a line
        for at in frame.inner:
            emptier, fuller = sorted((covered[at - across], covered[at + across]))
            behind, ahead = sorted((covered[at - along], covered[at + along]))
            continues = covered[at] >= _END * ahead or behind >= 0.5 * covered[at]
            if covered[at] >= 0.6 * fuller and emptier < 0.5 * covered[at] and continues:
                lines.add(at)
    return lines


def _find_letters(frame: _Grid, strokes: Set[int], runs: Sequence[float]) -> set[int]:
    """Return the squares of words: connected strokes with letters in at least half the columns."""
    words: set[int] = set()
    remaining = set(strokes)
    while remaining:
        word, new = set[int](), {remaining.pop()}
        while new:
            word |= new
            # A word continues across a gap of one square
            new = {at + step for at in new for step in (*frame.around, -2, 2)} & remaining
            remaining -= new
        columns = {at % frame.stride for at in word}
        lettered = {at % frame.stride for at in word if runs[at] >= _LETTERS}
        if len(lettered) >= _WORD * len(columns):
            words |= word
    return words


def _find_text(
    frame: _Grid, inked: Sequence[int], letters: Set[int], across: int
) -> list[tuple[int, int, int]]:
    """Return the column (in squares), top and bottom (in points) of each run of letters."""
    text = []
    for x in range(frame.columns if letters else 0):
        column = frame.inner[x :: frame.columns]
        points = ((inked[at] >> bit & 1, at in letters) for at in column for bit in range(across))
        below = 0
        for has_ink, run in itertools.groupby(points, key=lambda point: point[0]):
            are_letters = [is_letter for _, is_letter in run]
            above, below = below, below + len(are_letters)
            if has_ink and any(are_letters):
                text.append((x, above, below))
    return text


def _find_bars(text: Sequence[tuple[int, int, int]], frame: _Grid, across: int) -> set[int]:
    """Return the squares of the bars that replace lines of letters; a bar follows its line."""
    bars = set()
    for x, above, below in text:
        same_line = [
            (top, end)
            for column, top, end in text
            if abs(column - x) <= _NEAR and abs(top + end - above - below) < across
        ]
        middle = sum(top + end for top, end in same_line) / len(same_line) / 2 / across
        height = max(1, round(_CORE * (below - above) / across))
        first_row = min(max(0, round(middle - height / 2)), frame.rows - height)
        bars |= {frame.inner[y * frame.columns + x] for y in range(first_row, first_row + height)}
    return bars
