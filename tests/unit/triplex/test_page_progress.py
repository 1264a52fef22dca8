"""What the game remembers: hints taken, levels solved, and the codes that carry them."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.triplex_levels import KINDS, make_levels
from tests.support.triplex_page import LEVELS, Page, copy_code, format_name, open_game


@pytest.mark.parametrize("seed", range(2))
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


LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


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
    if len(set(statuses)) == 1:
        assert len(code) <= 11
    page.open()
    page.click("code")
    page.enter_code(code.lower().replace("-", " "))
    assert page.progress() == kept
    assert page.text("own") == code


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


def test_without_storage(page: Page, browser: Any, tmp_path: Path) -> None:
    page.open()
    page.solve(LEVELS[0])
    forgetful = open_game(browser, tmp_path)
    forgetful.tab.add_init_script(
        "Object.defineProperty(window, 'localStorage',"
        "{get() { throw new DOMException('no', 'SecurityError') }})"
    )
    forgetful.open(fresh=False)
    forgetful.solve(LEVELS[0])
    assert forgetful.solved()
    assert copy_code(forgetful) == copy_code(page)
    assert "keeps nothing" in forgetful.text("kept")
    forgetful.close()


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
