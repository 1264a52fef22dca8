"""Compiled loops that measure strokes and inks in the squares of a drawing.

Each square is sampled at up to 16 x 16 points, given as RGBA, row by row. ``measure_squares`` fills
an array that has a frame of one square around the picture, so each square has eight neighbours.
``strokes`` and ``reduction`` define a ground, the paper and the inks of a drawing.
"""

from __future__ import annotations

import tetrisprinter.support.require_compiled  # noqa: F401  (refuses to run uncompiled)
import cython
from cython import double as Real
from cython import longlong as Int
from cython import uchar as Byte

from tetrisprinter.support.arrays import zeros

__all__ = ["count_inks", "measure_squares"]


@cython.ccall
def measure_squares(
    points: Byte[::1],
    columns: Int,
    across: Int,
    colors: Int[::1],
    threshold: Int,
    results: Int[:, ::1],
) -> cython.void:
    """Measure for each square the strokes that stand out from a ground colour.

    Parameters
    ----------
    points
        RGBA bytes of the points, row by row across the whole picture, the top row first.
    columns, across
        The number of squares in a row, and of points in a row of a square.
    colors
        Red, green and blue of the ground, then of the paper behind transparent points.
    threshold
        A point stands out if some channel differs from the ground by at least this (of 255).
    results
        Receives seven numbers for each square: the number of points that do not stand out; the
        largest difference; the colour of that point (0xrrggbb); the sum of the differences of
        points that stand out. Then, for points that differ at least half as much as the largest
        difference: their number of runs, over all rows; a bit for each row that has such a point;
        1 if they fill a row or a column.
    """
    differences: Int[::1] = zeros("q", across * across)
    row_points: Int = columns * across
    rows: Int = points.shape[0] // (4 * row_points * across)
    y: Int
    x: Int
    v: Int
    u: Int
    c: Int
    point: Int
    alpha: Int
    value: Int
    difference: Int
    largest: Int
    similar_count: Int
    difference_sum: Int
    ink_point: Int
    run_count: Int
    inked_rows: Int
    full: Int
    run: Int
    needed: Int
    channel: Int
    index: Int
    for y in range(rows):
        for x in range(columns):
            similar_count = largest = difference_sum = ink_point = 0
            for v in range(across):
                for u in range(across):
                    point = 4 * ((y * across + v) * row_points + x * across + u)
                    alpha = points[point + 3]
                    difference = 0
                    for c in range(3):
                        value = (points[point + c] * alpha + colors[3 + c] * (255 - alpha)) // 255
                        value = value - colors[c]
                        if value < 0:
                            value = -value
                        if value > difference:
                            difference = value
                    differences[v * across + u] = difference
                    if difference < threshold:
                        similar_count += 1
                    else:
                        difference_sum += difference
                        if difference > largest:
                            largest, ink_point = difference, point
            # A point is inked if twice its difference is at least this
            needed = largest if largest > threshold else threshold
            run_count = inked_rows = full = 0
            for v in range(across):
                run = 0
                for u in range(across):
                    if 2 * differences[v * across + u] >= needed:
                        if not run:
                            run_count += 1
                        run += 1
                        inked_rows |= 1 << v
                    else:
                        run = 0
                if run == across:
                    full = 1
            for u in range(across):
                run = 0
                for v in range(across):
                    if 2 * differences[v * across + u] >= needed:
                        run += 1
                if run == across:
                    full = 1
            value = 0
            alpha = points[ink_point + 3]
            for c in range(3):
                channel = (points[ink_point + c] * alpha + colors[3 + c] * (255 - alpha)) // 255
                value = value * 256 + channel
            index = (y + 1) * (columns + 2) + x + 1
            results[0, index], results[1, index] = similar_count, largest
            results[2, index], results[3, index] = value, difference_sum
            results[4, index], results[5, index], results[6, index] = run_count, inked_rows, full


@cython.ccall
def count_inks(
    points: Byte[::1], columns: Int, across: Int, inks: Int[::1], between: Int, counts: Int[::1]
) -> cython.void:
    """Count for each square the points of each ink; the first ink is the paper.

    A point between the paper and another ink counts as that ink. ``between`` is the distance (RGB)
    that is added for a point in the colour of the paper; the addition falls to 0 at the ink.
    """
    row_points: Int = columns * across
    ink_count: Int = inks.shape[0] // 3
    lengths: Int[::1] = zeros("q", ink_count)
    red: Real
    green: Real
    blue: Real
    share: Real
    distance: Real
    best_distance: Real
    dr: Real
    dg: Real
    db: Real
    k: Int
    i: Int
    best: Int
    for k in range(1, ink_count):
        for i in range(3):
            lengths[k] += (inks[3 * k + i] - inks[i]) ** 2
    for i in range(points.shape[0] // 4):
        if points[4 * i + 3] < 128:
            continue
        red = points[4 * i] - inks[0]
        green = points[4 * i + 1] - inks[1]
        blue = points[4 * i + 2] - inks[2]
        best, best_distance = 0, red * red + green * green + blue * blue
        for k in range(1, ink_count):
            dr, dg, db = inks[3 * k] - inks[0], inks[3 * k + 1] - inks[1], inks[3 * k + 2] - inks[2]
            share = (red * dr + green * dg + blue * db) / lengths[k]
            share = 0.0 if share < 0 else 1.0 if share > 1 else share
            distance = (
                (red - share * dr) ** 2 + (green - share * dg) ** 2 + (blue - share * db) ** 2
            )
            distance += (between * (1 - share)) ** 2
            if distance < best_distance:
                best, best_distance = k, distance
        k = i // row_points // across * columns + i % row_points // across
        counts[k * ink_count + best] += 1
