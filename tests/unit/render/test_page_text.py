"""The page as a text: small and complete in itself."""

import json
import re

from tests.support.plans import make_long_plan, make_random_plan
from tetrisprinter.game.plan import Plan
from tetrisprinter.render.page import make_page

PLAN = make_random_plan(8, 18, 60, seed=11)


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
