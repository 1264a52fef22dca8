"""Compiled loops that measure strokes and inks in the squares of a drawing.

Each square is sampled at up to 16 x 16 points, given as RGBA, row by row. ``measure_squares``
fills an array with a frame of one square around the picture, so each square has eight neighbours.
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
    points: Byte[::1], columns: Int, across: Int, colors: Int[::1], least: Int, found: Int[:, ::1]
) -> cython.void:
    """Measure for each square the strokes that stand out from a ground colour.

    Parameters
    ----------
    points
        RGBA bytes of the points, row by row across the whole picture, the top row first.
    columns, across
        Number of squares in a row, and number of points in a row of a square.
    colors
        Red, green and blue of the ground, then of the paper behind transparent points.
    least
        A point stands out if some channel differs from the ground's by at least this (of 255).
    found
        Seven results for each square: the number of points that do not stand out; the largest
        difference; the colour there (0xrrggbb); the sum of the differences of points that do.
        Then, of points at least half as different as the largest: the number of runs in all rows;
        a bit for each row that has some; 1 if they fill a row or a column.
    """
    away: Int[::1] = zeros("q", across * across)
    wide: Int = columns * across
    rows: Int = points.shape[0] // (4 * wide * across)
    y: Int
    x: Int
    v: Int
    u: Int
    c: Int
    at: Int
    alpha: Int
    value: Int
    far: Int
    most: Int
    near: Int
    total: Int
    ink: Int
    starts: Int
    inked: Int
    full: Int
    run: Int
    half: Int
    out: Int
    for y in range(rows):
        for x in range(columns):
            near = most = total = ink = 0
            for v in range(across):
                for u in range(across):
                    at = 4 * ((y * across + v) * wide + x * across + u)
                    alpha = points[at + 3]
                    far = 0
                    for c in range(3):
                        value = (points[at + c] * alpha + colors[3 + c] * (255 - alpha)) // 255
                        value = value - colors[c]
                        if value < 0:
                            value = -value
                        if value > far:
                            far = value
                    away[v * across + u] = far
                    if far < least:
                        near += 1
                    else:
                        total += far
                        if far > most:
                            most, ink = far, at
            half = most if most > least else least
            starts = inked = full = 0
            for v in range(across):
                run = 0
                for u in range(across):
                    if 2 * away[v * across + u] >= half:
                        if not run:
                            starts += 1
                        run += 1
                        inked |= 1 << v
                    else:
                        run = 0
                if run == across:
                    full = 1
            for u in range(across):
                run = 0
                for v in range(across):
                    if 2 * away[v * across + u] >= half:
                        run += 1
                if run == across:
                    full = 1
            value = 0
            alpha = points[ink + 3]
            for c in range(3):
                far = (points[ink + c] * alpha + colors[3 + c] * (255 - alpha)) // 255
                value = value * 256 + far
            out = (y + 1) * (columns + 2) + x + 1
            found[0, out], found[1, out], found[2, out], found[3, out] = near, most, value, total
            found[4, out], found[5, out], found[6, out] = starts, inked, full


@cython.ccall
def count_inks(
    points: Byte[::1], columns: Int, across: Int, inks: Int[::1], between: Int, counts: Int[::1]
) -> cython.void:
    """Count for each square the points of each ink; the first ink is the paper.

    A point between the paper and another ink counts as that ink. ``between`` is the distance (RGB)
    that is added for a point in the paper's own colour; it falls to 0 at the ink.
    """
    wide: Int = columns * across
    number: Int = inks.shape[0] // 3
    lengths: Int[::1] = zeros("q", number)
    red: Real
    green: Real
    blue: Real
    along: Real
    off: Real
    least: Real
    dr: Real
    dg: Real
    db: Real
    k: Int
    at: Int
    best: Int
    for k in range(1, number):
        for at in range(3):
            lengths[k] += (inks[3 * k + at] - inks[at]) ** 2
    for at in range(points.shape[0] // 4):
        if points[4 * at + 3] < 128:
            continue
        red = points[4 * at] - inks[0]
        green = points[4 * at + 1] - inks[1]
        blue = points[4 * at + 2] - inks[2]
        best, least = 0, red * red + green * green + blue * blue
        for k in range(1, number):
            dr, dg, db = inks[3 * k] - inks[0], inks[3 * k + 1] - inks[1], inks[3 * k + 2] - inks[2]
            along = (red * dr + green * dg + blue * db) / lengths[k]
            along = 0.0 if along < 0 else 1.0 if along > 1 else along
            off = (red - along * dr) ** 2 + (green - along * dg) ** 2 + (blue - along * db) ** 2
            off += (between * (1 - along)) ** 2
            if off < least:
                best, least = k, off
        k = at // wide // across * columns + at % wide // across
        counts[k * number + best] += 1
