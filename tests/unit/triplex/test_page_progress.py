"""What the game remembers: hints taken, levels solved, and the codes that carry them."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest

from tests.support.triplex_levels import KINDS, MadeLevel, make_levels, turn_kind
from tests.support.triplex_page import LEVELS, Page, copy_code, format_name, open_game


@pytest.mark.parametrize("seed", range(3))
def test_hints_lead_to_the_solution_from_anywhere(page: Page, seed: int) -> None:
    draw = random.Random(seed)
    level = max(LEVELS, key=lambda m: (m.rotatable is not None, len({k for k, _, _ in m.places()})))
    wanted, right = Counter(level.places()), 0
    page.open([level])
    # Something wrong over the first place, then anything anywhere.
    x, y = 0, 0
    for _ in range(4):
        free = [p for p in page.pieces() if p["free"] and not p["on"]]
        wrong = [p["kind"] for p in free if (p["kind"], x, y) not in wanted]
        if wrong:
            page.place(draw.choice(wrong), x, y)
        x, y = draw.randrange(level.width), draw.randrange(level.height)
    assert not wanted & page.lying()
    assert page.lying()
    while not page.solved():
        page.click("hint")
        lying = page.lying()
        squares = [(x + dx, y + dy) for kind, x, y in lying.elements() for dx, dy in KINDS[kind]]
        assert len(set(squares)) == len(squares)
        assert (wanted & lying).total() > right
        right = (wanted & lying).total()
    assert page.lying() == wanted
    assert page.text("card-title") == "Solved with help"
    assert page.progress() == {format_name(level): 2}


def ways(level: MadeLevel, right: Counter[tuple[int, int, int]]) -> dict[tuple[int, int, int], int]:
    """For each place not yet right: the fewest pieces that can lie on a square of it."""
    rest = Counter(level.places()) - right
    taken = {(x + dx, y + dy) for k, x, y in right.elements() for dx, dy in KINDS[k]}
    kinds = {kind for kind, _, _ in rest}
    if level.rotatable is not None and level.rotatable in kinds:
        kinds |= {turn_kind(level.rotatable, n) for n in range(4)}
    over: Counter[tuple[int, int]] = Counter()
    for kind, x0, y0 in product(kinds, range(level.width), range(level.height)):
        cells = [(x0 + dx, y0 + dy) for dx, dy in KINDS[kind]]
        if all(x < level.width and y < level.height and (x, y) not in taken for x, y in cells):
            over.update(cells)
    return {(k, x, y): min(over[x + dx, y + dy] for dx, dy in KINDS[k]) for k, x, y in rest}


def test_a_hint_tells_what_is_easiest_to_find(page: Page) -> None:
    told = []
    for level in [LEVELS[-1], next(m for m in LEVELS if m.rotatable is not None)]:
        page.open([level])
        while not page.solved():
            before = page.lying()
            easy = ways(level, before)
            page.click("hint")
            (hinted,) = page.lying() - before
            assert easy[hinted] == min(easy.values())
            told.append(hinted == next(p for p in level.places() if p in easy))
    assert not all(told), "not simply the first one"


def test_levels_solved_with_help_are_counted_apart(page: Page) -> None:
    page.open()
    page.solve(LEVELS[0])
    page.click("next")
    while not page.solved():
        page.click("hint")
    assert (
        page.text("card-text")
        == f"1 of {len(make_levels(4, 2))} levels of 4 × 2 solved, 1 more with help"
    )
    page.click("next")
    page.click("levels")
    assert page.text("tally").startswith(f"1 of {len(LEVELS)} solved, 1 more with help.")
    assert f"1 + 1 / {len(make_levels(4, 2))}" in page.text("list")


def test_the_solution_is_shown_and_does_not_count(page: Page) -> None:
    page.open(LEVELS, "#4x2-2")
    level = LEVELS[1]
    page.click("show")
    page.click("no")
    assert page.lying() == {}
    page.click("show")
    page.click("yes")
    assert page.solved()
    assert page.text("card-title") == "The solution"
    assert page.lying() == Counter(level.places())
    assert page.progress() == {format_name(level): 2}
    page.click("again")
    page.solve(level)
    assert page.text("card-title") == "Solved"
    assert page.progress() == {format_name(level): 1}


def test_a_hint_undone_is_still_help(page: Page) -> None:
    level = LEVELS[0]
    page.open([level])
    page.click("hint")
    page.click("undo")
    page.solve(level)
    assert page.progress() == {format_name(level): 2}


def test_levels_open_one_after_another(page: Page) -> None:
    begins = [len(make_levels(4, 2)), len(make_levels(4, 2)) + len(make_levels(3, 3))]
    page.open()
    opened = (
        "return [...document.querySelectorAll('#list [data-level]')]"
        ".filter(e => !e.ariaDisabled).map(e => +e.dataset.level)"
    )
    page.click("levels")
    assert page.js(opened) == [0, 1, 2, *(b + k for b in begins for k in range(3))]
    page.js("document.querySelector('[data-level=\"3\"]').click()")
    assert page.level == "#4x2-1"
    page.js(f"document.querySelector('[data-level=\"{begins[0] + 2}\"]').click()")
    assert page.level == "#3x3-3"
    page.solve(LEVELS[begins[0] + 2])
    page.js("document.getElementById('levels').click()")
    assert page.js(opened) == [
        0,
        1,
        2,
        *(begins[0] + k for k in range(4)),
        *(begins[1] + k for k in range(3)),
    ]
    page.open(LEVELS, "#4x3-9", fresh=False)
    assert page.level != "#4x3-9", "not by its address either"


# A second implementation of the codes, from their description.
LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


def read_code(code: str, levels: Sequence[MadeLevel]) -> list[int]:
    values = [LETTERS.index(letter) for letter in code.replace("-", "")]

    def digest(numbers: Sequence[int], base: int, modulus: int) -> int:
        total = 0
        for value in numbers:
            total = (total * base + value + 1) % modulus
        return total

    def number(digits: Sequence[int]) -> int:
        return sum(digit * 32**place for place, digit in enumerate(reversed(digits)))

    assert number(values[-4:]) == digest(values[:-4], 7919, 1_048_573)
    names = ";".join(format_name(level) for level in levels)
    assert number(values[:3]) == digest([ord(letter) for letter in names], 257, 32_749)
    share = Fraction(number(values[3:-4]), 32 ** (len(values) - 7))
    weights = {before: [1, 1, 1] for before in (None, 0, 1, 2)}
    statuses: list[int] = []
    for last, level in pairwise([None, *levels]):
        assert level is not None
        same = last is not None and (last.width, last.height) == (level.width, level.height)
        weight = weights[statuses[-1] if same else None]
        low = Fraction(0)
        for status in range(3):
            part = Fraction(weight[status], sum(weight))
            if share < low + part or status == 2:
                break
            low += part
        share = (share - low) / part
        weight[status] += 6
        statuses.append(status)
    return statuses


@pytest.mark.parametrize("seed", range(3))
def test_codes_say_what_is_solved(page: Page, seed: int) -> None:
    draw = random.Random(seed)
    statuses = [draw.choice([0, 1, 1, 2] if seed else [0]) for _ in LEVELS]
    if seed == 1:
        statuses = [1] * len(LEVELS)
    page.open()
    kept = {format_name(m): s for m, s in zip(LEVELS, statuses, strict=True) if s}
    page.js("localStorage['triplex.progress'] = arguments[0]", json.dumps(kept))
    page.reload()
    code = copy_code(page)
    assert set(code) <= set(LETTERS + "-")
    assert read_code(code, LEVELS) == statuses
    if len(set(statuses)) == 1:
        assert len(code) <= 11
    page.open()
    page.click("code")
    page.enter_code(code.lower().replace("-", " "))
    assert page.progress() == kept
    assert page.text("own") == code


@pytest.mark.slow
def test_a_code_carries_progress_into_another_profile(
    page: Page, browser: Any, tmp_path: Path
) -> None:
    page.open()
    page.solve(LEVELS[0])
    code = copy_code(page)
    other = open_game(browser, tmp_path)
    other.open()
    assert other.progress() == {}
    other.click("code")
    other.tab.fill("#entered", code)
    other.press("Enter")
    assert other.text("said") == "Restored: 1 level more."
    assert other.progress() == {format_name(LEVELS[0]): 1}
    assert other.enter_code(code) == "The code is right; nothing new in it."
    other.close()


def test_wrong_codes_are_refused(page: Page) -> None:
    page.open(LEVELS[:6])
    foreign = copy_code(page)
    page.open()
    page.solve(LEVELS[0])
    code = copy_code(page).replace("-", "")
    page.open()
    page.click("code")
    assert page.enter_code("  ") == "Type a code first."
    assert page.enter_code(foreign) == "This code belongs to another set of levels."
    for at in range(len(code)):  # every wrong letter, every two neighbours swapped
        other = LETTERS[(LETTERS.index(code[at]) + 1 + at) % 32]
        wrong = {
            code[:at] + other + code[at + 1 :],
            code[:at] + code[at + 1 : at + 2] + code[at] + code[at + 2 :],
        }
        for typed in wrong - {code}:
            assert page.enter_code(typed).startswith("This code is not right"), typed
    assert page.enter_code(code[:-1]).startswith("This code is not right")
    assert "“0” never occurs" in page.enter_code("0" + code)
    assert page.progress() == {}
    latin, cyrillic = "ABEKMHPCTYX", "АВЕКМНРСТУХ"
    assert page.enter_code(code.translate(str.maketrans(latin, cyrillic))).startswith("Restored")
    assert page.progress() == {format_name(LEVELS[0]): 1}


def test_progress_can_be_forgotten(page: Page) -> None:
    page.open()
    page.solve(LEVELS[0])
    page.click("code")
    page.click("forget")
    page.click("yes")
    assert page.progress() == {}


def test_without_storage(browser: Any, tmp_path: Path) -> None:
    page = open_game(browser, tmp_path)
    page.tab.add_init_script(
        "Object.defineProperty(window, 'localStorage',"
        "{get() { throw new DOMException('no', 'SecurityError') }})"
    )
    page.open(fresh=False)
    page.solve(LEVELS[0])
    assert page.solved()
    page.click("code")
    assert "keeps nothing" in page.text("kept")
    assert read_code(page.text("own"), LEVELS)[:2] == [1, 0]
    page.close()


@pytest.mark.parametrize("kept", ["nonsense", '{"game": 7, "level": []}', "null"])
def test_spoilt_storage_does_no_harm(page: Page, kept: str) -> None:
    page.open()
    page.js(
        "localStorage['triplex.progress'] = localStorage['triplex.settings'] = arguments[0]", kept
    )
    page.reload()
    assert page.level == "#4x2-1"
    page.solve(LEVELS[0])
    assert page.solved()
