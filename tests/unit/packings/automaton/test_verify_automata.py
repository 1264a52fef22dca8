"""The stand-alone checker: it needs nothing of ours, and tells right automata from wrong ones."""

import ast
import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import product as words_of
from pathlib import Path
from typing import Any

import pytest

from tests.oracles.brute_packing import Brute
from tests.support.automata import build_core_language
from tests.support.processes import run_python
from tetrisprinter.packings.automaton import (
    ColumnAutomaton,
    Transition,
    _kernel,
    build_finite_language,
    build_isolated,
    combine,
    decode_trail,
    format_file_name,
    list_moves,
    load,
    verify_automata,
)
from tetrisprinter.packings.automaton.verify_automata import (
    MatrixGame,
    RefutedError,
    check,
    check_core,
    compare_with_arithmetic,
)

SCRIPT = Path(verify_automata.__file__)
DATA = SCRIPT.parent / "data"


def silent(_: int) -> None:
    """Nobody wants to see progress."""


def check_automaton(
    folder: Path, automaton: ColumnAutomaton, *, thorough: bool = False
) -> dict[str, Any]:
    (folder / format_file_name(automaton.rows)).write_text(automaton.to_text(), encoding="utf-8")
    return check(folder, automaton.rows, thorough, silent)


# --- It stands alone.


def test_it_imports_the_standard_library_only() -> None:
    imported = set()
    for node in ast.walk(ast.parse(SCRIPT.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.Name):
            assert node.id not in {"__import__", "exec", "eval"}
    assert imported <= sys.stdlib_module_names
    assert "importlib" not in imported


def run_alone(tmp_path: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "verify_automata.py"
    script.write_bytes(SCRIPT.read_bytes())
    return run_python("-I", "-S", script, *map(str, arguments), folder=tmp_path)


def test_it_runs_without_any_package(tmp_path: Path) -> None:
    result = run_alone(tmp_path, DATA, 1, 2)
    assert result.returncode == 0, result.stderr
    assert [line.split(" over")[0] for line in result.stdout.splitlines()] == ["1 row", "2 rows"]
    assert "of 455 states" in result.stdout


def test_its_exit_codes(tmp_path: Path) -> None:
    assert run_alone(tmp_path).returncode == run_alone(tmp_path, DATA, 7).returncode == 2
    assert run_alone(tmp_path, "--help").stderr.startswith("usage")
    missing = run_alone(tmp_path, tmp_path, 2)
    assert missing.returncode == 2
    assert "rows2.json: cannot be read: no such file" in missing.stderr
    data = json.loads((DATA / "rows2.json").read_text(encoding="utf-8"))
    data["final"].pop()
    (tmp_path / "rows2.json").write_text(json.dumps(data), encoding="utf-8")
    wrong = run_alone(tmp_path, tmp_path, 2)
    assert wrong.returncode == 1
    assert "2 rows: the language does not agree with the core on the row '" in wrong.stderr


# --- What it knows of the game is right.


@pytest.mark.parametrize(("rows", "widest"), [(1, 6), (2, 5), (3, 4), (4, 3)])
def test_its_game_is_the_game(rows: int, widest: int) -> None:
    """Every row of letters: drop orders by brute force, and states of the game."""
    game = MatrixGame(rows, squares=True)
    fill = cache(game.fill)
    ends: dict[tuple[int, ...], set[int]] = {(): {0}}
    printed = 0
    for width in range(1, widest + 1):
        brutes = {
            squares: Brute(width, rows, frozenset(x for x in range(width) if squares[x]))
            for squares in words_of((0, 1), repeat=width)
        }
        for word in words_of(range(4), repeat=width):
            ends[word] = {t for state in ends[word[:-1]] for t in fill(state, word[-1])}
            presets = tuple(letter & 1 for letter in word)
            if not all(presets):  # presets that fill the row are no problem
                possible = brutes[tuple(letter >> 1 for letter in word)].can_fill(presets)
                assert (game.complete in ends[word]) == possible
                printed += possible
    assert printed > 5


# --- The shipped automata are right.


@pytest.mark.parametrize(("rows", "states"), [(1, 20), (2, 455), (3, 11_197)])
def test_shipped_automata(rows: int, states: int) -> None:
    report = check(DATA, rows, False, silent)
    assert (report["states"], report["states_over_squares"]) == (states, True)
    assert report["transitions"] == len(load(rows).core)
    assert states == load(rows).reachable


@pytest.mark.parametrize(("rows", "squares"), [(4, True), (5, True), (6, False)])
def test_cores_and_arithmetic_of_tall_automata(rows: int, squares: bool) -> None:
    automaton = load(rows)
    assert automaton.squares == squares
    data = json.loads(automaton.to_text())
    check_core(MatrixGame(rows, squares), data["core"])
    verify_automata.compare_with_core(data)
    compare_with_arithmetic(data)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "states", "squares"), [(4, 287_744, True), (6, 0, False)])
def test_shipped_automata_of_many_states(rows: int, states: int, squares: bool) -> None:
    report = check(DATA, rows, False, silent)
    assert (report["states"], report["states_over_squares"]) == (states, squares)
    assert report["arithmetic"]


# --- Wrong automata are refused.


def list_changes(entry: Transition) -> list[Transition]:
    """A transition with one thing changed, in many ways."""
    found = [replace(entry, letter=letter) for letter in range(4) if letter != entry.letter]
    found += [replace(entry, target=target) for target in (0, 1, 2, 9) if target != entry.target]
    for i, move in enumerate(entry.pieces):
        rest = entry.pieces[:i], entry.pieces[i + 1 :]
        found.append(replace(entry, pieces=rest[0] + rest[1]))
        found.append(replace(entry, pieces=(*rest[0], move, move, *rest[1])))
        for other in list_moves(2, True)[0]:
            if other != move:
                found.append(replace(entry, pieces=(*rest[0], other, *rest[1])))
        outside = replace(move, level=3), replace(move, y=2), replace(move, level=-1)
        found += [replace(entry, pieces=(*rest[0], other, *rest[1])) for other in outside]
    return found


def test_every_illegal_transition_is_refused() -> None:
    """Change every transition of 2 rows; what is legal then is known from the package."""
    rows = 2
    moves, tables = list_moves(rows, True)
    columns = _kernel.Moves(rows, tables)
    core = load(rows).core
    codes = {0: 0, 1: ((1 << rows) - 1) << 9 * rows}
    waiting = [0, 1]
    for state in waiting:
        for t in core:
            if t.source == state and t.target not in codes:
                fillings = _kernel.list_fillings(columns, codes[state], t.letter)
                codes[t.target] = next(a for a, b in fillings if decode_trail(moves, b) == t.pieces)
                waiting.append(t.target)
    game = MatrixGame(rows, squares=True)
    verdicts = {True: 0, False: 0}
    for t in (wrong for entry in core for wrong in list_changes(entry)):
        fillings = _kernel.list_fillings(columns, codes[t.source], t.letter)
        legal = any(
            a == codes[t.target] and decode_trail(moves, b) == t.pieces for a, b in fillings
        )
        found = game.fill(codes[t.source], t.letter, [str(move) for move in t.pieces])
        assert (found == {codes[t.target]}) == legal, t
        verdicts[legal] += 1
    assert verdicts[False] > 5000
    assert verdicts[True] > 10  # another piece, or a square more, does sometimes no harm


@pytest.mark.parametrize(
    ("change", "refusal"),
    [({"pieces": ()}, "is not legal"), ({"source": 1000, "target": 1}, "cannot be reached")],
)
def test_a_core_with_a_wrong_transition_is_refused(
    tmp_path: Path, change: dict[str, Any], refusal: str
) -> None:
    automaton = load(2)
    wrong = replace(automaton.core[0], **change)
    with pytest.raises(RefutedError, match=refusal):
        check_automaton(tmp_path, replace(automaton, core=(wrong, *automaton.core[1:])))


@pytest.mark.parametrize("rows", [1, 2, 3, 6])
@pytest.mark.parametrize("wanted", [False, True])
def test_one_row_too_many_or_too_few_is_refused(tmp_path: Path, rows: int, wanted: bool) -> None:
    automaton = load(rows)
    dfa = automaton.dfa
    letters = range(dfa.letters)
    words = (w for n in range(9) for w in words_of(letters, repeat=n))
    word = next(w for w in words if 0 in w and dfa.accepts(w) == wanted)
    other = build_finite_language([word], dfa.letters)
    spoilt = combine([dfa, other], lambda outputs: int(bool(outputs[0]) != bool(outputs[1])))
    assert spoilt.accepts(word) != wanted
    with pytest.raises(RefutedError, match="does not agree with the core"):
        check_automaton(tmp_path, replace(automaton, dfa=spoilt))


@pytest.mark.parametrize("rows", [1, 2, 6])
def test_a_language_that_lacks_rows_together_with_its_core_is_refused(
    tmp_path: Path, rows: int
) -> None:
    """Such a file agrees with itself: only the game, or arithmetic, knows that it is wrong."""
    automaton = load(rows)
    refused = 0
    for index in range(0, len(automaton.core), 1 + len(automaton.core) // 8):
        core = automaton.core[:index] + automaton.core[index + 1 :]
        smaller = replace(automaton, core=core)
        smaller = replace(smaller, dfa=build_core_language(smaller))
        unreached = {t.source for t in core} - {0, 1} - {t.target for t in core}
        if smaller.dfa == automaton.dfa or unreached:
            continue
        expected = "isolated rows" if rows == 6 else "the language lacks a row that can be printed"
        with pytest.raises(RefutedError, match=expected):
            check_automaton(tmp_path, smaller)
        refused += 1
    assert refused


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "[" * 100_000,
        load(3).to_text(),
        load(2).to_text().replace('"squares": true', '"squares": false'),
        load(2).to_text().replace('"final": [', '"final": [99, '),
        load(2).to_text().replace("  [1, 2, 3, 4]", "  [1, 2, 3]").replace("[1, ", "[-1, ", 1),
        load(2).to_text().replace('"core": [', '"core": [ [0, 4, 1],'),
        load(2).to_text().replace('"core": [', '"core": [ [0, 0, []],'),
        load(2).to_text().replace('"core": [', '"core": [ 5,'),
    ],
)
def test_files_that_are_no_automata(tmp_path: Path, text: str) -> None:
    (tmp_path / "rows2.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"rows2\.json: not an automaton for matrices of 2 rows"):
        check(tmp_path, 2, False, silent)


# --- The lemma of isolated rows (docs/automaton.md).


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_no_isolated_row_is_in_a_language_found_without_the_lemma(rows: int) -> None:
    both = combine([load(rows).dfa, build_isolated(4)], all)
    assert not any(both.final)
