"""Compiled loops that measure strokes and inks in a drawing's squares and give squares a colour.

To measure strokes, each square is sampled at up to 16 x 16 points, given as RGBA, row by row.
``measure_squares`` fills an array that has a frame of one square around the picture, so each square
has eight neighbours. ``strokes`` and ``reduction`` define a ground, the paper and the inks of a
drawing. ``assign_colors`` gave the same colours as plain Python in a fourteenth of the time.
"""

from __future__ import annotations

from tetrisprinter.support.kernels import zeros  # first: it refuses to run uncompiled
import cython
from cython import double as Real
from cython import longlong as Int
from cython import uchar as Byte

__all__ = ["assign_colors", "count_inks", "measure_squares"]


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


@cython.ccall
def assign_colors(
    points: Real[::1],
    width: Int,
    palette: Real[::1],
    allowed: Byte[::1],
    bonus: Real,
    shares: Real[::1],
    sweeps: Int,
    chosen: Int[::1],
) -> cython.void:
    """Assign each square a colour of the palette; see ``squares.assign_colors``.

    Parameters
    ----------
    points
        Three coordinates of each square, row by row, the top row first.
    width
        The number of squares in a row.
    palette
        Three coordinates of each colour.
    allowed
        For each square and colour whether the square may have the colour; empty: all may.
    bonus
        A colour's squared distance is reduced by this for each neighbour that has the colour.
    shares
        The shares of the errors, one and two squares away, that a colour compensates; both 0: none.
    sweeps
        The most sweeps over the squares.
    chosen
        -1 for each transparent square, any other number for an opaque one. Receives the index of
        the colour of each opaque square.
    """
    count: Int = chosen.shape[0]
    colors: Int = palette.shape[0] // 3
    height: Int = count // width
    mixes: Int = shares[0] != 0 or shares[1] != 0
    first: Int[::1] = zeros("q", count)  # the nearest allowed colour
    nearest: Int[::1] = zeros("q", count)
    second: Int[::1] = zeros("q", count)  # the second nearest colour, or the nearest if it is alone
    errors: Real[::1] = zeros("d", 3 * count)
    # Whether a square is looked at in this sweep and in the next one
    now: Byte[::1] = zeros("B", count)
    later: Byte[::1] = zeros("B", count)
    # The squares around one, those beside it first, and the colours that are compared there
    around: Int[::1] = zeros("q", 8)
    compared: Int[::1] = zeros("q", colors + 10)
    around_count: Int
    beside_count: Int
    compared_count: Int
    changed: Int
    _sweep: Int
    at: Int
    x: Int
    y: Int
    k: Int
    i: Int
    color: Int
    best: Int
    same: Int
    light: Real
    a: Real
    b: Real
    dx: Real
    dy: Real
    dz: Real
    share: Real
    distance: Real
    best_distance: Real
    nearest_distance: Real
    second_distance: Real
    for at in range(count):
        if chosen[at] < 0:
            first[at] = nearest[at] = second[at] = -1
            continue
        best = nearest[at] = second[at] = -1
        best_distance = nearest_distance = second_distance = 0
        for color in range(colors):
            dx = points[3 * at] - palette[3 * color]
            dy = points[3 * at + 1] - palette[3 * color + 1]
            dz = points[3 * at + 2] - palette[3 * color + 2]
            distance = dx * dx + dy * dy + dz * dz
            if nearest[at] < 0 or distance < nearest_distance:
                second[at], second_distance = nearest[at], nearest_distance
                nearest[at], nearest_distance = color, distance
            elif second[at] < 0 or distance < second_distance:
                second[at], second_distance = color, distance
            if allowed.shape[0] and not allowed[at * colors + color]:
                continue
            if best < 0 or distance < best_distance:
                best, best_distance = color, distance
        if second[at] < 0:
            second[at] = nearest[at]
        chosen[at] = first[at] = best
        if best >= 0:
            now[at] = 1
            for i in range(3):
                errors[3 * at + i] = palette[3 * best + i] - points[3 * at + i]
    if bonus == 0 and not mixes:
        return
    for _sweep in range(sweeps):
        changed = 0
        for at in range(count):
            if not now[at]:
                continue
            now[at] = 0
            y, x = at // width, at % width
            around_count = 0
            for k in range(1, 3 if mixes else 2):
                if y >= k:
                    around[around_count], around_count = at - k * width, around_count + 1
                if x >= k:
                    around[around_count], around_count = at - k, around_count + 1
                if x + k < width:
                    around[around_count], around_count = at + k, around_count + 1
                if y + k < height:
                    around[around_count], around_count = at + k * width, around_count + 1
                if k == 1:
                    beside_count = around_count
            light, a, b = points[3 * at], points[3 * at + 1], points[3 * at + 2]
            compared_count = 0
            if mixes:  # a distant colour that no square around has would be a speck
                compared[0], compared[1], compared_count = nearest[at], second[at], 2
                for i in range(around_count):
                    k = around[i]
                    share = shares[0] if i < beside_count else shares[1]
                    light = light - share * errors[3 * k]
                    a = a - share * errors[3 * k + 1]
                    b = b - share * errors[3 * k + 2]
                    if first[k] >= 0:
                        compared[compared_count] = first[k]
                        compared_count += 1
            else:
                for color in range(colors):
                    if not allowed.shape[0] or allowed[at * colors + color]:
                        compared[compared_count] = color
                        compared_count += 1
            best, best_distance = -1, 0
            for i in range(compared_count):
                color = compared[i]
                same = 0
                for k in range(beside_count):
                    if chosen[around[k]] == color:
                        same += 1
                dx = light - palette[3 * color]
                dy = a - palette[3 * color + 1]
                dz = b - palette[3 * color + 2]
                distance = dx * dx + dy * dy + dz * dz - bonus * same
                # Of equally near colours the first of the palette is taken
                if (
                    best < 0
                    or distance < best_distance
                    or (distance == best_distance and color < best)
                ):
                    best, best_distance = color, distance
            if best != chosen[at]:
                chosen[at], changed = best, 1
                for i in range(3):
                    errors[3 * at + i] = palette[3 * best + i] - points[3 * at + i]
                for i in range(around_count):
                    if chosen[around[i]] >= 0:
                        later[around[i]] = 1
        if not changed:
            return
        now, later = later, now
