"""The pages' own files: complete in both languages, small, and asking nobody for anything."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

import tetrisprinter.studio
from tests.support.sentences import find_messages
from tetrisprinter.planners.operators import OPERATORS
from tetrisprinter.studio.messages import _SETTING_NAMES

STATIC = Path(tetrisprinter.studio.__file__).parent / "static"
PLAYER = Path(tetrisprinter.studio.__file__).parents[1] / "render" / "player"
SCRIPTS = sorted(STATIC.glob("*.js"))
PAGES = sorted(STATIC.glob("*.html"))


def said() -> set[str]:
    """Every English text that is shown, in the pages and in the scripts."""
    found: set[str] = set()
    for page in PAGES:
        text = page.read_text("utf-8")
        found.update(re.findall(r"data-t>([^<]+)<", text))
        found.update(re.findall(r"<\w+ [^>]*data-t [^>]*>([^<]+)<", text))
        found.update(re.findall(r'data-(?:label|title)="([^"]+)"', text))
    for script in SCRIPTS:
        if script.name == "russian.js":
            continue
        text = script.read_text("utf-8")
        found.update(re.findall(r'\bt\("([^"]+)"', text))
        found.update(re.findall(r'\bn\([^"\n]*?, "([^"]+)"', text))
        found.update(re.findall(r'\["[\w.]*", "([A-Z][a-z]+)"\]', text))  # the pages of an engine
        found.update(re.findall(r'data-(?:label|title)="([^"]+)"', text))
        # What is chosen by a condition or out of a list: sentences, and the states of a job.
        found.update(re.findall(r'"([A-Z][^"<>{}]* [^"<>{}]*(?:\.|…))"', text))
        for listed in re.findall(r"const (?:STATES|STATUS_TEXTS|TOOLS) = (.+);", text):
            pairs = re.findall(r': "([^"]+)"|, "([A-Z][a-z]+)"', listed)
            found.update(one for pair in pairs for one in pair)
    return {" ".join(text.split()) for text in found if text.strip()}


def russian(messages: bool = False) -> dict[str, str]:
    """What the pages say; or what they make of what the server says."""
    text = (STATIC / "russian.js").read_text("utf-8").split("const messages = ")[messages]
    pairs = re.findall(r'^  "([^"]+)": "([^"]+)",$', text, re.MULTILINE)
    return {english.strip(): translated.strip() for english, translated in pairs}


def test_everything_is_said_in_russian() -> None:
    known = russian()
    assert len(said()) > 100
    assert sorted(said() - known.keys()) == []
    for english, translated in known.items():
        assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", translated))
        if "|" in english:
            assert translated.count("|") == 2, english
    for english, translated in russian(messages=True).items():
        assert set(re.findall(r"\{\w+\}", translated)) <= set(re.findall(r"\{\w+\}", english))


PACKAGE = STATIC.parents[1]
REFUSING = {"InputError", "JobError", "TopOutError", "HTTPException", "error"}
UPLOADS = (
    "pictures/images.py", "formats/art.py", "formats/drop_log.py", "formats/fumen.py",
    "game/plan.py", "game/drawing.py", "game/piece_queue.py",
    "game/plan_from_drops.py", "game/field.py",
    "studio/app.py", "studio/print_request.py", "studio/preview.py", "studio/job_handlers.py",
)  # fmt: skip
NOT_SAID = (  # by files that are read: what is written, and what only the library can be asked for
    "XX", "XX: XX", "XX:XX: XX", "array of ", "expected height x", "expected numbers",
    "expected at least one pixel", "too many pieces for a drawing", "preview: ",
    "expected 0 or more pieces", "XX: the board has ", "a fumen has ",
    "comes to rest above row XX", "XX XX; expected drops only", "crop XX",
    "invalid part XX", "it has XXxXX pixels", "expected WIDTHxHEIGHT+LEFT+TOP",
)  # fmt: skip


def is_known(clause: str, patterns: list[re.Pattern[str]]) -> bool:
    """Whether the pages have a word for a clause, or for what follows the name of a place."""
    rest = clause.partition(": ")[2]
    known = any(pattern.fullmatch(clause) for pattern in patterns)
    return known or clause.strip("X") == "" or (bool(rest) and is_known(rest, patterns))


def unknown(sentences: set[str]) -> list[str]:
    """The clauses for which the pages have no Russian."""
    patterns = [
        re.compile("(.+?)".join(map(re.escape, re.split(r"\{\w+\}", english))))
        for english in russian(messages=True)
    ]
    clauses = {clause for said in sentences for clause in said.split("; ")}
    return sorted(clause for clause in clauses if not is_known(clause, patterns))


def test_what_a_running_search_says_is_said_in_russian() -> None:
    stages = {operator.name for operator in OPERATORS} | {"known plan"}
    for path in (PACKAGE / "planners").rglob("*.py"):
        stages.update(find_messages(path, {"Progress"}))
    stages.update(find_messages(PACKAGE / "api" / "slideshows.py", {"Progress"}))
    assert {"neighbourhood", "row XX of XX", "XX of XX segments, XX drops"} <= stages
    assert unknown(stages) == []
    assert unknown({"row 3 of 16, what", "no such stage"}) == ["no such stage"]


@pytest.mark.parametrize("module", UPLOADS)
def test_what_is_refused_is_refused_in_russian(module: str) -> None:
    refusals = set(find_messages(PACKAGE / module, REFUSING))
    assert refusals
    refusals = {said for said in refusals if not any(odd in said for odd in NOT_SAID[3:])}
    assert unknown(refusals - set(NOT_SAID)) == []


PRINTING = (
    "api/preparation.py", "api/slideshows.py", "printing/obstacles.py", "printing/types.py",
    "printing/target.py", "pictures/convert.py", "pictures/text.py", "planners/dealt/__init__.py",
    "planners/rows/segment.py", "planners/rows/from_board.py", "planners/run.py",
    "planners/race.py", "formats/art.py", "formats/fumen.py", "formats/lesson.py",
    "formats/tetrio.py", "game/srs.py", "tilings/board.py", "tilings/pieces.py",
    "studio/patterns.py", "triplex/generator.py", "render/video.py",
)  # fmt: skip
NOT_IN_THE_STUDIO = (  # fonts in files, frames of files, and what only the library can be asked for
    "BDF", "no glyph has a code", "use builtin, unifont", "`slideshow` prints all", "frame 0 of",
    "blocked cell (XX", "the mask of blocked cells",
)  # fmt: skip


def with_settings(clause: str) -> Iterator[str]:
    """Yield a clause with every choice of names for the settings that it mentions."""
    parts = clause.split("{}")
    for names in product(_SETTING_NAMES.values(), repeat=len(parts) - 1):
        yield parts[0] + "".join(map("".join, zip(names, parts[1:], strict=True)))


@pytest.mark.parametrize("module", PRINTING)
def test_what_printing_says_is_said_in_russian(module: str) -> None:
    said = set(find_messages(PACKAGE / module, {*REFUSING, "Obstacle", "Hint", "Step"}))
    clauses = {clause for sentence in said for clause in sentence.split("; ")}
    assert clauses
    asked = [c for c in sorted(clauses) if not any(odd in c for odd in NOT_IN_THE_STUDIO)]
    assert [c for c in asked if not is_said_in_russian(c)] == []


def is_said_in_russian(clause: str) -> bool:
    """Whether the pages have Russian for a clause, or for a sentence of which it is a part."""
    if not all(unknown({one}) for one in with_settings(clause)):
        return True
    sentences = [re.sub(r"\{\w+\}", "XX", english) for english in russian(messages=True)]
    parts = [one.strip("X: ") for one in (clause.replace("{}", "XX"), *with_settings(clause))]
    return any(len(part) > 15 and part in sentence for part in parts for sentence in sentences)


def test_what_the_page_refuses_is_refused_in_russian() -> None:
    refusals: set[str] = set()
    for name in ("worker_engine", "page_worker"):
        text = (STATIC / f"{name}.js").read_text("utf-8")
        found = re.findall(r"""(?:Refusal\(|\bend\(|broken: |why = |\|\| )["`]([^"`]+)["`]""", text)
        refusals.update(re.sub(r"\$\{[^}]+\}", "XX", said) for said in found if " " in said)
    assert len(refusals) >= 5
    engine = (PACKAGE / "studio" / "page_engine.py").read_text("utf-8")
    refusals.update(re.findall(r'sentence = "([^"]+)"', engine))
    assert unknown(refusals) == []


def test_nothing_is_fetched_from_anywhere() -> None:
    for path in (*SCRIPTS, *PAGES, *STATIC.glob("*.css")):
        text = path.read_text("utf-8")
        assert not re.search(r"""https?:|["'`(]//|@import|url\(|\beval\(""", text), path


def test_nothing_runs_that_the_policy_forbids() -> None:
    for path in PAGES:
        text = path.read_text("utf-8")
        assert not re.search(r"<script(?![^>]+src=)|\son\w+=|\sstyle=|<style", text), path
    for path in SCRIPTS:
        assert not re.search(r'[`"][^`"]*\sstyle=|\son\w+="', path.read_text("utf-8")), path


ENGINE = ("worker_engine", "page_worker", "service_worker", "convert", "draw", "shelf")


def test_no_page_is_heavy() -> None:
    """Whatever a page of the studio loads, with the player, is far below 300 KB.

    Russian comes on top, and only for those who choose it.
    """
    common = (STATIC / "common.js").read_text("utf-8")
    assert re.findall(r".*russian\.js.*", common)[1:] == [
        '  ru: { name: "Русский", load: () => import("./russian.js") },'
    ]
    assert (STATIC / "russian.js").stat().st_size < 65_000
    files = [
        *(path for path in SCRIPTS if path.stem not in {*ENGINE, "russian"}),
        *STATIC.glob("*.css"),
        *PLAYER.iterdir(),
        max(PAGES, key=lambda p: p.stat().st_size),
    ]
    assert sum(path.stat().st_size for path in files) < 200_000


def list_imports(name: str) -> set[str]:
    """List the scripts that a script loads, at once or later."""
    text = (STATIC / name).read_text("utf-8")
    found = set(re.findall(r"""(?:from|import\() ?["']\./([\w.]+)["']""", text))
    return found.union(*map(list_imports, found - {name}))


def test_only_workers_convert_images() -> None:
    """An image's colours take longer than a page may be blocked."""
    assert "convert.js" in list_imports("image_worker.js") & list_imports("page_worker.js")
    for page in PAGES:
        (script,) = re.findall(r'src="static/([\w.]+)"', page.read_text("utf-8"))
        assert "common.js" in list_imports(script)
        assert not {"convert.js", "draw.js"} & list_imports(script)


def test_a_script_imports_what_it_calls() -> None:
    common = (STATIC / "common.js").read_text("utf-8")
    shared = re.findall(r"^export (?:async )?(?:function|const) (\w+)", common, re.MULTILINE)
    assert "translateMessage" in shared
    for script in SCRIPTS:
        text = script.read_text("utf-8")
        imported = " ".join(re.findall(r"import \{([^}]*)\}", text)).replace(",", " ").split()
        own = re.findall(r"(?:function|const|let) (\w+)", text)
        called = {name for name in shared if re.search(rf"(?<![\w.]){re.escape(name)}\(", text)}
        assert called <= {*imported, *own}, script.name


def test_no_two_things_have_the_same_name() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    fixed = re.findall(r'\bid="([^"]+)"', page)
    made = {
        name
        for script in STATIC.glob("*.js")
        for name in re.findall(r'\bid: "([^"]+)"', script.read_text(encoding="utf-8"))
    }
    assert len(fixed) > 20
    assert not [name for name in fixed if fixed.count(name) > 1]
    assert not made & set(fixed)
