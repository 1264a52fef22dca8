"""The page as a text: small, complete in itself, and said in two languages."""

import json
import re
from pathlib import Path

from tests.support.plans import make_long_plan, make_random_plan
from tetrisprinter import render
from tetrisprinter.game.plan import Plan
from tetrisprinter.render.page import make_page

PLAN = make_random_plan(8, 18, 60, seed=11)
PLAYER = Path(render.__file__).parent / "player"


def test_is_small_and_self_contained() -> None:
    page = make_page(make_long_plan(1000), title="A thousand drops")
    assert len(make_page(Plan((), (), 4, 4)).encode()) < 200_000
    assert len(page.encode()) < 200_000
    assert "http" not in page.replace("http-equiv", "")
    assert not re.search(r"<(script|img|iframe)[^>]+src=|@import|url\(", page)


def test_nothing_in_a_title_can_break_out() -> None:
    page = make_page(PLAN, title="</title><script>alert('1')</script>{{data}}")
    assert "<script>alert" not in page
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert found is not None
    assert json.loads(found[1])["width"] == PLAN.width


def russian() -> dict[str, str]:
    text = (PLAYER / "russian.js").read_text("utf-8")
    return dict(re.findall(r'^  "([^"]+)": "([^"]+)",$', text, re.MULTILINE))


def test_the_player_has_russian_words_for_all_it_says_and_for_nothing_else() -> None:
    template = (PLAYER.parent / "page.html").read_text("utf-8")
    body = re.sub(r"<script.*?</script>|<svg.*?</svg>", "", template.split("<body>")[1])
    said = set(re.findall(r'(?:aria-label|title)="([^"]+)"', body))
    said |= {text.strip() for text in re.findall(r">([^<>]*)<", body)}
    called = r"\b(?:t\(|n\([^\"]*)(?:[^()\"]*\?\s*)?"
    script = (PLAYER / "player.js").read_text("utf-8")
    said |= set(re.findall(called + r'"([^"]+)"', script))
    said |= set(re.findall(called + r'"[^"]+"\s*:\s*"([^"]+)"', script))
    words = {text for text in said if re.search(r"[A-Za-z]{2,}", text) and "{{" not in text}
    known = russian()
    assert len(words) > 50
    assert words - known.keys() == {"Home", "End"}
    assert known.keys() - words == set()
    for english, translated in known.items():
        assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", translated))
        assert translated.count("|") == 2 * english.count("|")
