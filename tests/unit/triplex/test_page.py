"""The game in a headless Chromium: solved by mouse, finger and keyboard."""

import re

import pytest

from tests.support.triplex_levels import KINDS, MadeLevel, make_levels, turn_kind
from tests.support.triplex_page import LEVELS, Page, format_name
from tetrisprinter.errors import InputError
from tetrisprinter.triplex.levels import make_triplex_page

WIDE = MadeLevel(12, 3, ("AABBCCDDEEFF", "GHIJKLMNOPQR", "GHIJKLMNOPQR"), 0, 1)


def test_is_small_and_self_contained() -> None:
    page = make_triplex_page([one.level for one in LEVELS])
    assert len(page.encode()) < 75_000 + 40 * len(LEVELS)
    assert "http" not in page.replace("http-equiv", "")
    assert not re.search(r"<(script|img|iframe|link)[^>]+src=|@import|url\(", page)


def test_refuses_a_page_without_levels() -> None:
    with pytest.raises(InputError, match="needs at least one"):
        make_triplex_page([])


@pytest.mark.slow
def test_three_levels_by_dragging_and_reload(page: Page) -> None:
    page.open()
    for number, level in enumerate(LEVELS[:3]):
        assert page.level == f"#4x2-{number + 1}"
        assert page.text("number") == f"Level {number + 1} of {len(make_levels(4, 2))}"
        page.solve(level)
        assert page.solved()
        assert page.text("card-title") == "Solved"
        if number == 0:  # by itself, if left alone
            page.wait(lambda: page.level == "#4x2-2")
        else:
            page.click("next")
    assert page.level == "#4x2-4"
    expected = {format_name(level): 1 for level in LEVELS[:3]}
    assert page.progress() == expected
    page.reload()
    assert page.level == "#4x2-4"
    page.click("levels")
    solved = page.js(
        "return [...document.querySelectorAll('#list .solved')].map(e => e.textContent)"
    )
    assert solved == ["1", "2", "3"]
    assert page.text("tally").startswith(f"3 of {len(LEVELS)} solved.")
    page.js("document.querySelector('#d-levels .close').click()")
    page.solve(LEVELS[3])
    page.reload()
    assert page.level == "#4x2-5", "a level that was finished is not what one comes back for"
    page.visit(page.path.as_uri() + "#4x2-2")
    assert page.level == "#4x2-2", "but a link leads where it says"


def test_pieces_can_be_taken_out_and_do_not_lie_on_each_other(page: Page) -> None:
    level = LEVELS[0]
    page.open([level])
    kind, x, y = level.places()[0]
    page.place(kind, x, y)
    assert page.lying() == {(kind, x, y): 1}
    other, _, _ = level.places()[1]
    page.place(other, x, y)
    assert page.lying() == {(kind, x, y): 1}
    placed = next(p for p in page.pieces() if p["on"])
    page.pull(page.grip(placed), (12, 400))
    assert page.lying() == {}
    page.click("undo")
    assert page.lying() == {(kind, x, y): 1}
    page.click("reset")
    assert page.lying() == {}
    page.click("undo")
    page.reload()
    assert page.lying() == {(kind, x, y): 1}, "a game goes on where it was left"


def test_a_piece_snaps_to_the_nearest_place(page: Page) -> None:
    level = LEVELS[0]
    page.open([level])
    kind, x, y = level.places()[0]
    dx, dy = KINDS[kind][0]
    page.pull(page.grip(page.taken(kind)), page.square(x + dx - 0.4, y + dy + 0.35))
    assert page.lying() == {(kind, x, y): 1}


@pytest.mark.parametrize("kind", [1, 2, 6])
def test_only_the_marked_piece_turns(page: Page, kind: int) -> None:
    level = next(m for m in LEVELS if m.rotatable == kind)
    page.open([level])
    for piece in page.pieces():
        before = piece["kind"]
        for times in (1, 2, 3, 4):
            if piece["free"]:
                here = next(p for p in page.pieces() if p["id"] == piece["id"])
                page.pull(page.grip(here), page.grip(here))
            after = next(p for p in page.pieces() if p["id"] == piece["id"])["kind"]
            assert after == (turn_kind(before, times) if piece["marked"] else before)
    marked = next(p for p in page.pieces() if p["marked"])
    assert sum(p["marked"] for p in page.pieces()) == 1
    assert marked["kind"] == turn_kind(kind, level.turns)
    assert "turning piece" in marked["label"]
    page.js("document.activeElement.blur()")
    page.press("r")
    assert next(p for p in page.pieces() if p["marked"])["kind"] == turn_kind(kind, level.turns + 1)


def test_touch_on_a_phone(page: Page) -> None:
    level = next(m for m in LEVELS if m.rotatable is not None and m.height == 3)
    page.size(360, 640, phone=True)
    page.open([level])
    cell = page.square(1, 0)[0] - page.square(0, 0)[0]
    for number, (kind, x, y) in enumerate(level.places()):
        for _ in range(4):
            there = [p for p in page.pieces() if p["free"] and not p["on"]]
            piece = next(
                (p for p in sorted(there, key=lambda p: p["marked"]) if p["kind"] == kind), None
            )
            if piece:
                break
            marked = next(p for p in there if p["marked"])
            page.pull(page.grip(marked), page.grip(marked), pointer="touch")
        assert piece is not None
        across, down = (1 + max(c[axis] for c in KINDS[kind]) for axis in (0, 1))
        middle = page.square(x + (across - 1) / 2, y + (down - 1) / 2)
        if number % 2:  # tap the piece, tap its place
            page.pull(page.grip(piece), page.grip(piece), pointer="touch")
            if piece["marked"]:  # which turned it: once round
                for _ in range(1 if kind < 4 else 3):
                    page.pull(page.grip(piece), page.grip(piece), pointer="touch")
            page.pull(middle, middle, pointer="touch")
        else:  # the finger stays below the piece that it carries
            finger = (middle[0], middle[1] + down * cell / 2 + 34)
            page.pull(page.grip(piece), finger, pointer="touch")
    assert page.solved()
    assert page.progress() == {format_name(level): 1}
    page.size(1100, 760)


def test_keyboard_only(page: Page) -> None:
    level = next(
        m for m in LEVELS if m.rotatable is not None and m.turns in (1, 3) and m.height == 3
    )
    page.open([level])
    focused = "return document.activeElement.dataset.piece ?? -1"
    for kind, x, y in level.places():
        for _ in range(40):
            page.press("Tab")
            piece = next((p for p in page.pieces() if p["id"] == int(page.js(focused))), None)
            if piece is None or piece["on"]:
                continue
            for _ in range(4):
                if piece["kind"] == kind or not piece["marked"]:
                    break
                page.press("r")
                piece = next(p for p in page.pieces() if p["id"] == piece["id"])
            if piece["kind"] == kind:
                break
        page.press("Enter")
        assert "fits" in page.text("status")
        page.press(*["ArrowLeft"] * 4, *["ArrowUp"] * 4)
        page.press(*["ArrowRight"] * x, *["ArrowDown"] * y)
        assert f"olumn {x + 1}, row {y + 1}, fits" in page.text("status")
        page.press("Enter")
        if not page.solved():
            assert page.lying()[kind, x, y] == 1
    assert page.solved()
    assert page.js("return document.activeElement.id") == "again"
    page.press("Enter")
    assert not page.solved()
    # Escape gives back what is in the hand, and what lies.
    page.press("ArrowDown")
    assert page.js("return document.querySelectorAll('.piece.lift').length") == 1
    page.press("Escape")
    assert page.js("return document.querySelectorAll('.piece.lift').length") == 0
    page.press("Enter", "Enter")
    assert len(page.lying()) == 1
    page.press("Escape")
    assert page.lying() == {}
    page.press("u")
    assert len(page.lying()) == 1


@pytest.mark.parametrize("size", [(390, 844), (320, 568), (844, 390), (1600, 900)])
def test_fits_any_screen(page: Page, size: tuple[int, int]) -> None:
    page.size(*size, phone=True)
    page.open([WIDE, LEVELS[-1]], "#12x3-1")
    elements = "button, #board, .slot, .piece, #status"
    page.assert_fits(size, elements, 38, ("piece", "status", "board"))
    # Nor does the card at the end cover what was solved.
    for fragment in ("#12x3-1", "#4x3-1"):
        page.open([WIDE, LEVELS[-1]], fragment)
        page.js("document.getElementById('show').click(); document.getElementById('yes').click()")
        assert page.solved()
        card, board = page.js(
            "return ['card', 'board'].map(id => {"
            "const r = document.getElementById(id).getBoundingClientRect();"
            "return [r.left, r.top, r.right, r.bottom]})"
        )
        assert card[1] >= board[3] or card[0] >= board[2]
        assert 0 <= card[0] <= card[2] <= size[0]
        assert 0 <= card[1] <= card[3] <= size[1]
    page.size(1100, 760)


def test_everything_has_a_name_and_can_be_read(page: Page) -> None:
    page.open()
    nameless = page.js(
        "return [...document.querySelectorAll('button, input, dialog, [role]')].filter(e =>"
        "!['status', 'alert'].includes(e.role) && e.id !== 'yes' &&"
        "!(e.ariaLabel || e.getAttribute('aria-labelledby') || e.textContent.trim() ||"
        "e.labels?.length)).map(e => e.outerHTML)"
    )
    assert nameless == []
    assert page.js("return document.getElementById('board').ariaLabel") == (
        "Rectangle, 4 columns, 2 rows, 8 squares free"
    )
    light = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] > 127"
    before = page.js(light)
    page.click("theme")
    assert page.js(light) != before
    page.reload()
    assert page.js(light) != before
