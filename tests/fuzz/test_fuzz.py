"""Some cases of the fuzzer; ``scripts/fuzz commands`` runs more."""

import pytest

from tests.fuzz.cases import KINDS, list_left, trim_rows
from tests.fuzz.judge import Verdict, choose_kind, judge_case

_TOGETHER = 20


def faults(verdicts: list[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.fault]


@pytest.mark.parametrize("first", range(0, 100, _TOGETHER))
def test_odd_input(first: int) -> None:
    assert not faults([judge_case(seed) for seed in range(first, first + _TOGETHER)])


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 140, _TOGETHER))
def test_more_odd_input(first: int) -> None:
    assert not faults([judge_case(seed) for seed in range(first, first + _TOGETHER)])


def test_a_seed_is_a_case() -> None:
    assert judge_case(3, "plans") == judge_case(3, "plans")
    assert {choose_kind(seed) for seed in range(200)} == KINDS.keys()


def test_the_judge_sees_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError("by accident")

    monkeypatch.setattr("tetrisprinter.cli.main", broken)
    assert judge_case(0, "plans").fault == "traceback: ZeroDivisionError: by accident"


def test_what_a_game_leaves_is_cut_to_its_squares() -> None:
    drop = {"piece": "O", "cells": [[3, 0], [4, 0], [3, 1], [4, 1]]}
    log = {"width": 6, "height": 6, "colors": {"O": "ff0000"}, "drops": [drop]}
    assert list_left(log) == [["ff0000"] * 2] * 2
    assert trim_rows([[None, None], [None, "a"]]) == [["a"]]
    assert trim_rows([[None]]) == []
