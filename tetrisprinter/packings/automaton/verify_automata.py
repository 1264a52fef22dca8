"""Check the column automata. This program stands alone and imports nothing from the package.

    python verify_automata.py FOLDER [ROWS ...] [--thorough]

The files are not trusted. The legal moves are derived here again from docs/encoding.md. The *level*
of a piece is the number of rows that are complete after it lands. The rules are:
(1) in every column levels do not decrease upwards; (2) in every row r exactly one piece has a level
above r; (3) a flat piece with its bottom in row r has a level below r, unless it has a column over
a square of row -1; (4) presets in row 0 have level 0.

Exit codes: 0 all automata are right, 1 an automaton is wrong, 2 unusable input, 130 interrupted.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

SPAWNED = {"I": "####", "J": "###/..#", "L": "###/#..", "O": "##/##", "S": ".##/##.",
           "T": "###/.#.", "Z": "##./.##"}  # fmt: skip
LETTERS = ".#o@"  # how columns are written: free, preset; free and preset over a square


class RefutedError(Exception):
    """An automaton is wrong."""


def list_orientations() -> dict[str, list[tuple[int, int]]]:
    """Return the 19 orientations by name: for each column its lowest cell and its length."""
    shapes: dict[str, list[tuple[int, int]]] = {}
    for kind, drawing in SPAWNED.items():
        rows = drawing.split("/")
        for turns in range(4):
            columns = ["".join(c) for c in zip(*reversed(rows), strict=True)]  # upwards
            shape = [(column.index("#"), column.count("#")) for column in columns]
            if shape not in shapes.values():
                shapes[f"{kind}{turns}"] = shape
            rows = columns  # a column, read upwards, is a row of the turned shape
    return shapes


class MatrixGame:
    """The states between two columns of a matrix, and their successors.

    A state has three bits for each cell of the next three columns (0 free, else level + 1), a bit
    for each row (1 if its completing piece is placed), and two bits for each row: the number of
    further columns that a flat piece with its bottom in that row covers, if no square supports the
    piece yet; otherwise 0.
    """

    def __init__(self, rows: int, squares: bool) -> None:
        self.rows, self.bits, self.mask = rows, 3 * rows, (1 << 3 * rows) - 1
        self.complete = ((1 << rows) - 1) << 9 * rows
        columns = [(0, 1)]  # rule 1: pairs (column, its highest value so far)
        for y in range(rows):
            columns = [
                (column | value << 3 * y, value or top)
                for column, top in columns
                for value in (0, *range(top, rows + 2))
            ]
        self.rising = {column for column, _ in columns}
        self.full = {c for c in self.rising if all(c >> 3 * y & 7 for y in range(rows))}
        self.moves: list[list[tuple[str, int, int, int, int, int]]] = [[] for _ in range(rows)]
        for name, shape in list_orientations().items():
            for y in range(rows + 1 - max(low + length for low, length in shape)):
                for level in range(rows + 1):
                    taken = put = done = unsupported = 0
                    for x, (low, length) in enumerate(shape):
                        for row in range(y + low, y + low + length):
                            taken |= 7 << 3 * (x * rows + row)
                            put |= (level + 1) << 3 * (x * rows + row)
                            done |= (level > row) << (9 * rows + row)  # rule 2: one per row
                    if level >= y and not any(low for low, _ in shape):  # rule 3
                        columns_left = len(shape) - 1 if squares else 0
                        unsupported = columns_left << (10 * rows + 2 * y) if columns_left else -1
                    if squares or unsupported == 0:
                        in_column = taken & self.mask, put & self.mask
                        beyond = taken >> self.bits | done, put >> self.bits | done
                        self.moves[y + shape[0][0]].append(
                            (f"{name} {y} {level}", *in_column, *beyond, unsupported)
                        )
        self.options = cache(self._options)

    def _options(self, column: int, second: int, square: bool) -> list[tuple[str, int, int, int]]:
        """List the moves that fit at the lowest free cell of a column, given the next column."""
        row = next(y for y in range(self.rows) if not column >> 3 * y & 7)
        return [
            (name, column | put, blocked, later | (0 if square else unsupported))
            for name, taken, put, blocked, later, unsupported in self.moves[row]
            if not (column & taken or second & blocked) and (square or unsupported >= 0)
            if column | put in self.rising and second | later & self.mask in self.rising
        ]

    def fill(self, state: int, letter: int, names: list[str] | None = None) -> set[int]:
        """Return the states after a column is filled in every way, or by the named moves only."""
        column, rest = state & self.mask, state >> self.bits & (1 << 6 * self.rows) - 1
        if letter & 1 and column & 7:
            return set()
        for shift in range(10 * self.rows, 12 * self.rows, 2) if letter < 2 else ():
            unsupported = state >> shift & 3
            if unsupported == 1:
                return set()
            rest |= max(unsupported - 1, 0) << shift
        bits, mask, rising, next_states = self.bits, self.mask, self.rising, set()
        stack = [(column | letter & 1, rest | state & self.complete, 0)]  # rule 4
        while stack:
            column, rest, count = stack.pop()
            if column in self.full and (names is None or count == len(names)):
                next_states.add(rest)
            elif column not in self.full:
                for name, filled, blocked, later in self.options(column, rest & mask, letter > 1):
                    new_rest = rest | later
                    fits = (
                        new_rest >> bits & mask in rising and new_rest >> 2 * bits & mask in rising
                    )
                    named = names is None or names[count : count + 1] == [name]
                    if named and fits and not rest & blocked:
                        stack.append((filled, new_rest, count + 1))
        return next_states


def check_core(game: MatrixGame, core: list[list[Any]]) -> None:
    """Check that transitions fill columns legally and that each core state is one game state."""
    game_state_of, todo = {0: 0, 1: game.complete}, [0, 1]
    for state in todo:  # grows on the way
        for source, letter, target, *pieces in core:
            if source == state:
                results = game.fill(game_state_of[state], letter, pieces)
                if results != {game_state_of.get(target, *results)}:
                    raise RefutedError(f"{[source, letter, target, *pieces]} is not legal")
                if target not in game_state_of:
                    game_state_of[target] = results.pop()
                    todo.append(target)
    if any(entry[0] not in game_state_of for entry in core):
        raise RefutedError("the core has a transition that cannot be reached")


def compare(
    data: Any, start: Any, step: Callable[[Any, int], Any], accepts: Any, reference: str
) -> None:
    """Compare the language with that of another automaton, which errors call ``reference``."""
    pairs, words = [(0, start)], {(0, start): ""}
    for state, reference_state in pairs:  # grows on the way
        word = words[state, reference_state]
        if accepts(reference_state) != (state in data["final"]):
            raise RefutedError(f"the language does not agree with {reference} on the row '{word}'")
        for letter, next_state in enumerate(data["table"][state]):
            pair = next_state, step(reference_state, letter)
            if pair not in words:
                words[pair] = word + LETTERS[letter]
                pairs.append(pair)


def compare_with_core(data: Any) -> None:
    """Check that the core spells the language."""
    targets: dict[tuple[int, int], set[int]] = {}
    for source, letter, target, *_ in data["core"]:
        targets.setdefault((source, letter), set()).add(target)

    def step(sources: frozenset[int], letter: int) -> frozenset[int]:
        return frozenset().union(*(targets.get((source, letter), ()) for source in sources))

    compare(data, frozenset([0]), step, lambda sources: 1 in sources, "the core")


def compare_with_arithmetic(data: Any) -> None:
    """Check that the language is all divisible rows with a free cell that are not isolated."""

    def step(state: tuple[int, bool, int, int, bool], letter: int) -> Any:
        cells, free, gap, needed, isolated = state  # a gap needs 2 columns at an end, else 3
        cells = (cells + data["rows"] - (letter & 1)) % 4
        if letter & 1:
            return cells, free, 0, 3, isolated and gap >= needed
        return cells, True, min(gap + 1, 3), needed, isolated and letter == 0

    def accepts(state: tuple[int, bool, int, int, bool]) -> bool:
        cells, free, gap, needed, isolated = state
        return cells == 0 and free and not (isolated and (gap >= 2 or needed == 2))

    compare(data, (0, False, 0, 2, True), step, accepts, "divisibility and isolated rows")


def follow(game: MatrixGame, data: Any, letters: int, on_states: Callable[[int], None]) -> int:
    """Visit all states of the game and return their number; raise if the language lacks a row.

    Each game state is stored with the states of the automaton, as bits, that the same rows lead to.
    A row that the game can print must not lead to a rejecting state. ``on_states`` receives the
    number of states from time to time.
    """
    rejecting = sum(1 << q for q in range(len(data["table"])) if q not in data["final"])

    @cache
    def follow_letter(dfa_states: int, letter: int) -> int:
        return sum({1 << row[letter] for q, row in enumerate(data["table"]) if dfa_states >> q & 1})

    seen, unprocessed, todo = {0: 1}, {0: 1}, deque([0])
    while todo:
        state = todo.popleft()
        dfa_states = unprocessed.pop(state)
        for letter in range(letters):
            next_dfa_states = follow_letter(dfa_states, letter)
            for target in game.fill(state, letter):
                old_states = seen.get(target, 0)
                if next_dfa_states & ~old_states:
                    seen[target] = old_states | next_dfa_states
                    if target not in unprocessed:
                        todo.append(target)
                    unprocessed[target] = unprocessed.get(target, 0) | next_dfa_states & ~old_states
        if len(seen) & 255 == 0:
            on_states(len(seen))
    if seen.get(game.complete, 0) & rejecting:
        raise RefutedError("the language lacks a row that can be printed")
    return len(seen)


def read(path: Path, rows: int) -> Any:
    """Read an automaton of ``rows`` rows; raise a ValueError if the file is not one."""
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        states = [*data["final"], *(q for row in data["table"] for q in row)]
        letters = 4 if data["squares"] else 2
        is_valid = data["rows"] == rows and {len(row) for row in data["table"]} == {letters}
        is_valid = is_valid and {*states} <= {*range(len(data["table"]))}
        for source, letter, target, *_ in data["core"]:
            is_valid = is_valid and all(type(n) is int and n >= 0 for n in (source, letter, target))
            is_valid = is_valid and letter < letters
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {str(error.strerror).lower()}") from error
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        is_valid = False
    if not is_valid:
        raise ValueError(f"{path}: not an automaton for matrices of {rows} rows")
    return data


def check(
    folder: Path, rows: int, thorough: bool, on_states: Callable[[int], None]
) -> dict[str, Any]:
    """Check the automaton of a height; return a report of what was checked.

    The states of the game are visited for 1 to 4 rows and, over no squares, for 5; with
    ``thorough`` always. From 4 rows on the language is compared with arithmetic.
    """
    data = read(folder / f"rows{rows}.json", rows)
    letters = 4 if data["squares"] else 2
    check_core(MatrixGame(rows, letters > 2), data["core"])
    compare_with_core(data)
    if rows >= 4:
        compare_with_arithmetic(data)
    followed = letters if rows < 5 or thorough else 2 if rows == 5 else 0
    states = follow(MatrixGame(rows, followed > 2), data, followed, on_states) if followed else 0
    over = {2: "no squares", 4: "any squares"}
    text = f"{rows} row{'s'[: rows > 1]} over {over[letters]}: {len(data['core'])} legal "
    text += "transitions spell the language"
    if states:
        text += f"; of {states} states of the game over {over[followed]} none leads out of it"
    text += "; it is all that divisibility and isolated rows leave" if rows >= 4 else ""
    report = {"rows": rows, "squares": letters > 2, "transitions": len(data["core"]), "said": text}
    return report | {"arithmetic": rows > 3, "states": states, "states_over_squares": followed > 2}


def main(arguments: list[str]) -> int:
    """Check the named heights, or all; return the exit code."""
    thorough = "--thorough" in arguments
    folder, *heights = [a for a in arguments if a != "--thorough"] or [""]
    if not folder or folder[0] == "-" or not {*heights} <= {*"123456"}:
        print("usage: verify_automata.py FOLDER [1 ... 6] [--thorough]", file=sys.stderr)
        return 2
    code = 0
    for rows in map(int, heights or "123456"):

        def show(states: int, rows: int = rows) -> None:
            if sys.stderr.isatty():
                print(f"{rows} rows: {states} states", end="\r", file=sys.stderr, flush=True)

        try:
            print(check(Path(folder), rows, thorough, show)["said"], flush=True)
        except RefutedError as error:
            print(f"{rows} rows: {error}", file=sys.stderr)
            code = 1
        except ValueError as error:
            print(error, file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            return 130
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
