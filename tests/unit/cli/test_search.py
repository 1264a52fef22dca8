"""Searching and proving over all positions: what is the same is said once, and at once."""

from pathlib import Path

import pytest

from tests.support.commands import run_here


def test_equal_refusals_are_one_line(tmp_path: Path) -> None:
    result = run_here(("proofs", "search", "--emitted", 4, "--rows", 3), tmp_path)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        "emitters at 0,3,6,9 and 714 other places: no packing: "
        "the 51 cells to fill are not a multiple of 4\n"
    )


def test_few_places_are_named(tmp_path: Path) -> None:
    result = run_here(("proofs", "search", "--emitted", 1, "--rows", 3, "--width", 9), tmp_path)
    assert result.returncode == 1
    assert "emitters at 3: no packing" in result.stderr


def test_what_the_automaton_finds_is_not_asked_of_a_solver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a formula was made")

    monkeypatch.setattr("tetrisprinter.packings.proofs.certificates.certify", never)
    words = ("proofs", "prove", "--emitted", 2, "--rows", 6, "-o", "out")
    assert run_here(words, tmp_path).returncode == 10
    assert (tmp_path / "out" / "width21-emitted2-rows6.txt").read_text().count("\n") == 6
