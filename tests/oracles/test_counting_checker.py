"""Counting proofs, read by two checkers that share no code."""

import random

from tests.oracles.counting_checker import is_proof
from tetrisprinter.bounds.counting import write_counting_proof
from tetrisprinter.game.divisibility import can_leave
from tetrisprinter.support.cutting_planes import CountingError, check


def random_proof(rng: random.Random) -> tuple[str, str]:
    """Write the proof of some bound."""
    while True:
        width, squares, more = rng.randint(3, 23), rng.randint(1, 60), rng.randint(0, 20)
        if can_leave(width, squares):
            break
    lines = range(more + 1)
    after = next(c for c in range(more + 1, more + 9) if (squares + width * c) % 4 == 0)
    proof = write_counting_proof(width, squares, (squares + width * after) // 4, lines)
    return proof.formula, proof.proof


def test_both_accept_what_the_package_writes_and_agree_on_what_is_changed() -> None:
    refused = 0
    for seed in range(60):
        rng = random.Random(seed)
        formula, proof = random_proof(rng)
        check(formula, proof)
        assert is_proof(formula, proof), seed
        lines = proof.splitlines()
        words = lines[rng.randrange(2, len(lines))].split(" ")
        at = rng.randrange(len(words))
        words[at] = rng.choice(("1", "2", "3", "+", "d", "*", "~x1", "x2", "pol", "NONE", ""))
        number = rng.randrange(2, len(lines))
        changed = "\n".join((*lines[:number], " ".join(words), *lines[number + 1 :])) + "\n"
        try:
            check(formula, changed)
            accepted = True
        except CountingError:
            accepted = False
        assert is_proof(formula, changed) == accepted, (seed, changed)
        refused += not accepted
    assert refused >= 40
