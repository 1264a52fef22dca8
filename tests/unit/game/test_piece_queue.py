"""Queues, bags and hold, compared with an oracle that follows every use of the hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.dealt_game import check_bags, check_order
from tests.oracles.game import RuleBrokenError
from tetrisprinter.errors import InputError
from tetrisprinter.game.piece_queue import PieceQueue, QueueRules, spell_pieces
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan

LETTERS = st.text("IOT", min_size=1, max_size=6)


@given(LETTERS, st.booleans(), LETTERS)
def test_an_order_is_refused_where_no_use_of_the_hold_makes_it(
    queue: str, hold: bool, played: str
) -> None:
    pieces = tuple(PieceType[letter] for letter in played)
    try:
        check_order(queue, hold, played)
        possible = True
    except RuleBrokenError:
        possible = False
    if possible:
        PieceQueue.parse(queue, hold).trace_turns(pieces)
        check_order(str(PieceQueue.parse(queue, hold).trim_to_played(pieces)), hold, played)
    else:
        with pytest.raises(InputError, match="but the queue has"):
            PieceQueue.parse(queue, hold).trace_turns(pieces)


def test_what_lies_in_the_hold_is_said_for_each_turn() -> None:
    turns = PieceQueue.parse("SZTI").trace_turns(PieceQueue.parse("ZSIT").pieces)
    assert [(t.current, t.held, t.position) for t in turns] == [
        (PieceType.S, None, 0),
        (PieceType.T, PieceType.S, 2),
        (PieceType.I, PieceType.T, 3),
        (None, PieceType.T, 4),
    ]


@given(st.integers(0, 10**6), st.integers(0, 40))
def test_bags_hold_every_type_once(seed: int, count: int) -> None:
    dealt = spell_pieces(QueueRules(seed=seed).deal(count))
    assert len(dealt) == count
    check_bags(dealt)
    assert spell_pieces(QueueRules(seed=seed).deal(count + 3)).startswith(dealt)


@pytest.mark.parametrize("text", ["", "bag:", "bag:x", "TIX", "tio"])
def test_what_says_nothing_about_pieces_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="bag:SEED"):
        QueueRules.parse(text)


def test_a_plan_keeps_its_queue() -> None:
    text = "board 10x20 O=00f0f0 I=0000f0 queue=IOT hold\n\nAABBBB....\nAA........\n"
    plan = Plan.parse(text)
    assert plan.queue == PieceQueue.parse("IOT")
    assert str(plan) == text
    with pytest.raises(InputError, match="drop 1 uses O, but the queue has I"):
        Plan.parse(text.replace(" hold", ""))
