"""The stages that make plans, as results name them (``PrintResult.made_by``)."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """A stage that made a plan or some of its passes. ``scripts/quality`` lists unused stages."""

    KNOWN = "known plan"

    # The stages of the search.
    FIRST = "first plan"
    WHOLE = "whole games"
    TYPES = "boards and types"
    BANDS = "bands"
    WINDOWS = "windows"
    WHOLE_GAMES = "all games"
    PROOF = "proof"

    # Row by row: the planner and its beam; then the fallbacks that a row needed.
    ROWS = "rows"
    PAIRS = "cheapest pairs"
    PASSES = "cheapest passes"
    SEVERAL_GAMES = "several games"
    SINGLE_PASS = "pass by itself"
    CARRIED_AGAIN = "carried anew"
    CLEARED = "cleared what was carried"
    ALONE = "row printed alone"
    TOGETHER = "rows together printed alone"
    IN_PARTS = "row printed in parts"
    PLATFORM = "row printed on a platform"
    FROM_BOARD = "from another picture"
