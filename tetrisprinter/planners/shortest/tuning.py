"""Every number of the planner that was tuned, and none that is a matter of truth.

None of these changes whether a plan is correct or what is reported as proved; they say
what is tried, in which order and for how long. Deterministic times are those of the
solver, about a second each on a fast machine, before the factor of the run's effort.

What a number was tuned on stands in brackets. "Ten wide" are pictures that people drew for
the board of 10 x 22 and random ones of that size; "dots" and "noise" are random pictures of
16 x 16 on the classic board with 12 % of their squares filled and with 30, 50 and 70 %;
"small boards" are random pictures on 5 and 6 columns, compared with an exhaustive search;
"multiples of four" are sparse ones on 8 and 12 columns (``docs/shortest.md`` has the figures,
``docs/shortest-history.md`` what else was tried).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

from tetrisprinter.planners.shortest.shape import Stack, plain, stacks

__all__ = ["DEFAULT", "Offers", "Trial", "Tuning"]

Offers = tuple[Stack, ...]
"""Optional passes offered at each base, in their order: clearing rows, perhaps with picture
rows between; more picture rows on top go without saying."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One way to look at a part of the picture.

    Attributes
    ----------
    offers : tuple of Stack
        What is offered at each base.
    work : float
        Deterministic time.
    rows : int
        How many rows are looked at together; 0 for the whole picture.
    """

    offers: Offers
    work: float
    rows: int = 0


_LOW = stacks("cc", "10", "c")
_JOINED = (stacks("cccpcccc", "ccc", "cc"), stacks("cccpccc", "ccpccpc", "ccc", "cc"))
_LAST = plain(2, 1)
_ORDERS = stacks(*map("".join, permutations("0123")))


@dataclass(frozen=True, slots=True)
class Tuning:
    """The tuned numbers; the defaults are what they were tuned to.

    Attributes
    ----------
    standing_rows, hanging_rows, lying_rows : int
        Picture rows that a pass looks at above its clearing rows, below them, and where none
        clears.
    bridged_lines : int
        In taller matrices pieces that bridge would be most of the model; they are left out
        (small boards).
    splits : int
        How many ways to share clearing rows among the parts of a stack are tried.
    lying_work : float
        For the game without a clear, which is decided in a blink.

    tiny_cells : int
        Pictures whose rows have no more squares than this on the board are looked at as a
        whole, and in other ways only if that finds nothing (small boards).
    whole_cells : int
        Up to this size they are looked at as a whole beside the bands (ten wide).
    large_cells : int
        Larger ones are printed in bands of low matrices, in the types of the plan there is
        (photos of 32 x 32 and 64 x 64 in five colours).
    tiny_above : int
        Rows above a tiny picture that may hold squares of the background's colour.
    few_above : int
        The same where a few lines are tried in all places.
    few_lines_tiny, few_lines : int
        So many clearing rows are tried in all places where squares may stay unseen: in tiny
        pictures, and in others of up to ``whole_cells``.
    few_work : float
        For each of these places.
    few_abreast : int
        How many of them are looked at side by side.
    open_looks, fixed_looks : tuple of Trial
        The first look at the whole picture: with types as they are, 20 are mostly enough to
        solve it to the end; with open types it seldom comes to an end (ten wide).
    open_looks_many : tuple of Trial
        The same with open types and more colours than ``open_few`` if no plan is known (ten
        wide: of two colours some are solved then, of more none was).
    open_few : int
        See ``open_looks_many``.
    look_effort : float
        With less effort, and a plan, the models are not worth building (ten wide).
    final_looks : tuple of Trial
        The whole picture in the best assignments of colours.
    last_looks : tuple of Trial
        The whole picture once more, when there is a plan to beat (ten wide).
    tiny_looks : tuple of Trial
        The second look at a tiny picture; 19 of 25 pictures that low matrices alone do not
        print in the fewest drops are with the stacks of the last of them (small boards).
    joined_looks : tuple of Trial
        Matrices with picture rows between, for rows that only come out right together (even
        widths).
    ordered_looks : tuple of Trial
        Four rows that go in any order, for pictures of up to ``ordered_cells`` squares that
        nothing else prints. On boards higher than ``ordered_height`` tall matrices print
        them sooner, band by band.
    ordered_cells, ordered_height, ordered_bridged : int
        See ``ordered_looks``; in stacks of so many lines pieces bridge there.

    game_looks : (int, int)
        How whole games are looked for in an assignment of colours first: states kept and
        searches (ten wide).
    game_types : int
        In so many assignments.
    game_types_random : float
        So many of these, as a share, are chosen at random; the others near the best of them.
    game_parents : int
        Near so many.
    game_finals : tuple of (int, int, int)
        How the best are looked at again: states kept, searches, and how many of them.
    game_care : tuple of (int, int, int)
        And once more, if the shortest is near the bound.
    game_width, game_cells : int
        On boards at least so wide tiny pictures of more squares than that, with open types, are
        printed as those of middle size, too (ten wide: six of six of 54 to 80 squares took as few
        drops or fewer, in a quarter of the time; one of three of 30 to 50 got longer).
    game_steps : float
        That is, so many steps (see ``band_behind``) above it or fewer. Then bands are made in
        ``assignments`` assignments only: they seldom find a shorter one (ten wide).

    first_band, open_band : Trial
        How pictures of middle size are printed band by band at first: high bands of low
        matrices are the cheaper lookahead. With open types there are other assignments to go on
        with when one takes long (ten wide).
    band_budget : float
        For an attempt with bands that is not the only one.
    assignments : int
        So many assignments of colours to types are printed in bands at once; then two at a
        time, up to ``assignments_most``, until ``assignments_work`` is spent (ten wide). Every
        second one is among those of the shortest whole games.
    assignments_most : int
        See ``assignments``.
    assignments_work : float
        See ``assignments``.
    assignments_again : int
        So many if the picture was printed already, with all its types seen.
    assignments_large : int
        So many for large pictures; twice as many with patience.
    finalists : int
        How many of them are then looked at as a whole.
    final_steps : float
        Only where the best plan is so many steps (see ``band_behind``) above the bound or fewer;
        farther away the whole picture is seldom solved in time (ten wide, three colours and more).
    covering_work, covering_work_next : float
        To find the first assignment, which should be good, and each one after it.
    sparse_filled : float
        Pictures that fill a smaller part of their rows are also printed row by row (noise).
    band_behind : float
        Bands are given up when they are so many steps behind the plan to beat; squares come in
        fours, so there is a step every ``width`` drops on odd widths, half of that on even ones
        (ten wide).
    band_late, band_enough : float
        A band's solution found after so many conflicts of the solver is taken as it is, if it is
        no longer than this share of so many rows of the plan to beat, and no better one follows
        before the bound rises again: the rest of the time went into the bound (checker, cat).
    band_budget_second, band_budget_otherwise : float
        For bands of sparse pictures (see ``sparse_filled``) of which there is a plan row by row,
        and for those that are made beside them (sprites of 16 x 16).
    patience : tuple of float
        To print row by row what nothing else prints, first for each of several assignments,
        then for each again (multiples of four).

    dense_bands : tuple of Trial
        How bands are planned, from high ones with few matrices to low ones with many.
    sparse_bands : tuple of Trial
        The same where rows hold ``band_sparse_squares`` squares or fewer: low matrices do
        not hang together there.
    band_sparse_squares : int
        See ``sparse_bands``.
    band_least_rows : int
        Fewer rows are not left for a last band of their own: how many squares there are in
        all has to come out right, which is dear where there is little choice.
    band_last_offers : tuple of Stack
        What is offered above the last row: all that is left of it hangs from these.
    wide_bands : tuple of Trial
        The same where a plan is known and the picture is larger than ``large_cells``.
    wide_budget : float
        For all of these, for each square of the picture's rows on the board.
    band_width : int
        Wider boards are given more time for each band, in proportion.
    join : Trial
        How what is open is printed before the rest of the picture is printed row by row.
    join_rows : int
        That is done again so many rows further up.
    row_trials : tuple of Trial
        What is offered when a row is printed alone from a clean state, before single lists.
    row_joined_work, row_list_work : float
        For each of ``joined_looks``'s offers there, and for each list of matrices.
    rows_together : int
        So many rows at most are printed together when they cannot be one by one.
    row_lists : int
        How many lists of matrices are tried for such rows.
    row_tallest : int
        Clearing rows of all matrices of a list; with picture rows between, half as many more.
    row_matrices : int
        Matrices in a list, if they are low; two if they are not.
    ahead_most : int
        How often a dead end is answered by looking one row further ahead, before the way
        leads back to a clean state.
    dead_ends : int
        After so many the bands are given up.

    carry_tallest : int
        Clearing rows of a pass when rows carry.
    carry_work, carry_last_work : float
        For each pass; the last has to come out even and may be tall.
    carry_budget, carry_budget_row : float
        For all of it, and more for each row.
    carry_abreast : int
        How many passes are looked at side by side; results do not depend on the workers.
    carry_ways : int
        How many ways to print a row are followed, and so many more to print two together.
    carry_stacks : int
        How many stacks are tried with each number of lines.
    carry_quick_work : float
        For each pass, if patience has other ways to go on.
    carry_any_order, carry_top_early : tuple of int
        How many rows may complete in any order, and how many from below but for the top one.
    pillar_under, pillar_over : tuple of int
        Lines under a row and over it, if these stand on a pillar.
    carry_ordered_work : float
        For each pass whose rows complete in an order of their own.

    windows : tuple of Trial
        How a plan is improved: bases of a window, what is offered besides the heights in use.
    window_budget : float
        For all windows together; most of the gain comes early.
    window_count : int
        How many windows are tried: with many tall matrices, building the models takes long.
    window_patience : float
        After so many windows for each row of the picture that gave nothing, the rest are left
        out: not one of eighty gave anything (sprites, noise and blobs of 16 x 16).
    window_abreast : int
        How many windows are tried side by side.
    merging_budget, merging_work : float
        For all merging of two rows in one matrix, and for each stack that is tried (dots).
    merging_least : int
        Clearing rows of the lowest matrix that is tried.

    abreast : tuple of float
        With these efforts *rows* makes plans to begin with, too, by following several games
        (sprites of 16 x 16: a sixth to a third shorter for some, in one to two seconds).

    proof_work, proof_work_large : float
        For raising the bound over all games in the end; ten-wide pictures of two colours take
        one to five. Pictures larger than ``whole_cells`` are seldom proved to the end (sprites
        of 16 x 16).
    proof_far : float
        A plan with so many times the drops of the bound of arithmetic is not either.
    """

    standing_rows: int = 3
    hanging_rows: int = 3
    lying_rows: int = 4
    bridged_lines: int = 3
    splits: int = 4
    lying_work: float = 10.0

    tiny_cells: int = 80
    whole_cells: int = 240
    large_cells: int = 700
    tiny_above: int = 1
    few_above: int = 1
    few_lines_tiny: int = 2
    few_lines: int = 1
    few_work: float = 1.0
    few_abreast: int = 2
    open_looks: tuple[Trial, ...] = (Trial(_LOW, 6.0),)
    open_looks_many: tuple[Trial, ...] = (Trial(_LOW, 4.0),)
    open_few: int = 2
    look_effort: float = 0.25
    final_looks: tuple[Trial, ...] = (Trial(plain(2, 1), 12.0),)
    fixed_looks: tuple[Trial, ...] = (Trial(plain(2, 1), 20.0),)
    last_looks: tuple[Trial, ...] = (Trial(_LOW, 12.0),)
    tiny_looks: tuple[Trial, ...] = (
        Trial((*plain(3), *_LOW), 14.0),
        Trial(
            (
                *stacks("cccpc", "cpccc", "ccpcc", "ccpc", "cpcc", "cpc"),
                *plain(4, 3, 2, 1),
            ),
            20.0,
        ),
    )
    joined_looks: tuple[Trial, ...] = tuple(Trial(offers, 30.0) for offers in _JOINED)
    ordered_looks: tuple[Trial, ...] = tuple(
        Trial((*_ORDERS[first::3], *plain(3, 2, 1)), 20.0) for first in range(3)
    )
    ordered_cells: int = 30
    ordered_height: int = 12
    ordered_bridged: int = 4

    game_looks: tuple[int, int] = (100, 1)
    game_types: int = 40
    game_types_random: float = 0.3
    game_parents: int = 6
    game_finals: tuple[tuple[int, int, int], ...] = ((200, 3, 8), (400, 2, 3))
    game_care: tuple[tuple[int, int, int], ...] = ((500, 3, 8), (1000, 3, 3))
    game_width: int = 9
    game_cells: int = 50
    game_steps: float = 3.0

    first_band: Trial = Trial(plain(2, 1), 15.0, rows=6)
    open_band: Trial = Trial(plain(2, 1), 5.0, rows=6)
    band_budget: float = 10.0
    assignments: int = 2
    assignments_most: int = 14
    assignments_work: float = 20.0
    assignments_again: int = 1
    assignments_large: int = 2
    finalists: int = 1
    final_steps: float = 7.0
    covering_work: float = 1.0
    covering_work_next: float = 0.4
    sparse_filled: float = 0.45
    band_behind: float = 2.0
    band_late: float = 15_000.0
    band_enough: float = 0.9
    band_budget_second: float = 60.0
    band_budget_otherwise: float = 30.0
    patience: tuple[float, ...] = (50.0, 300.0)

    dense_bands: tuple[Trial, ...] = (
        Trial(plain(3, 2, 1), 15.0, rows=5),
        Trial(plain(3, 2, 1), 12.0, rows=4),
        Trial(plain(3, 2, 2), 10.0, rows=3),
        Trial(plain(3, 2, 2), 8.0, rows=2),
        Trial(plain(5, 3, 2, 2, 1), 10.0, rows=2),
        Trial(plain(6, 5, 4, 3, 2, 1), 15.0, rows=2),
    )
    sparse_bands: tuple[Trial, ...] = (
        Trial(plain(5, 4, 3, 2, 1), 15.0, rows=4),
        Trial(plain(5, 4, 3, 2, 1), 10.0, rows=3),
        Trial(plain(6, 5, 4, 3, 2, 1), 15.0, rows=2),
    )
    band_sparse_squares: int = 5
    band_least_rows: int = 2
    band_last_offers: Offers = _LAST
    wide_bands: tuple[Trial, ...] = (
        Trial(plain(2, 1), 12.0, rows=4),
        Trial(plain(2, 1), 12.0, rows=3),
        Trial(plain(2, 2, 1), 15.0, rows=2),
        Trial(plain(3, 2, 2, 1), 15.0, rows=2),
    )
    wide_budget: float = 0.2
    band_width: int = 37
    join: Trial = Trial(plain(3, 2, 4), 3.0)
    join_rows: int = 6
    row_trials: tuple[Trial, ...] = (
        Trial(plain(3, 2, 2, 1), 8.0),
        Trial(plain(6, 5, 4, 3, 2, 1), 20.0),
    )
    row_joined_work: float = 20.0
    row_list_work: float = 3.0
    rows_together: int = 4
    row_lists: int = 120
    row_tallest: int = 8
    row_matrices: int = 4
    ahead_most: int = 2
    dead_ends: int = 20

    carry_tallest: int = 8
    carry_work: float = 1.0
    carry_last_work: float = 4.0
    carry_budget: float = 10.0
    carry_budget_row: float = 0.5
    carry_abreast: int = 2
    carry_ways: int = 3
    carry_stacks: int = 6
    carry_quick_work: float = 0.3
    carry_any_order: tuple[int, ...] = (3, 4)
    carry_top_early: tuple[int, ...] = (5, 6, 7)
    pillar_under: tuple[int, ...] = (1, 2, 3, 4, 5)
    pillar_over: tuple[int, ...] = (3, 4)
    carry_ordered_work: float = 12.0

    windows: tuple[Trial, ...] = (
        Trial(plain(3, 2, 2, 1), 4.0, rows=2),
        Trial(plain(3, 2, 1), 8.0, rows=4),
        Trial((*stacks("ccpc"), *plain(4, 3, 2)), 8.0, rows=3),
    )
    window_budget: float = 8.0
    window_count: int = 12
    window_patience: float = 0.25
    window_abreast: int = 2
    merging_budget: float = 40.0
    merging_work: float = 4.0
    merging_least: int = 4

    abreast: tuple[float, ...] = (2.5,)

    proof_work: float = 6.0
    proof_work_large: float = 0.6
    proof_far: float = 2.0


DEFAULT = Tuning()
