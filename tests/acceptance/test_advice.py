"""Advice of refusals: whoever follows it is not refused again."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.support.commands import ROOT, Draw, Run, run_here
from tests.support.images import draw_rows
from tetrisprinter.cli import COMMANDS, find_command
from tetrisprinter.cli.options import format_error, map_options_to_metavars
from tetrisprinter.errors import Hint, InputError, Setting

TO: Final = ("-o", "o.png", "--effort", "0.1")
TALL: Final = ("rrr.......",) * 19
SEVEN: Final = ("123", "4..", "...", "567")  # seven colours, and an empty row
TABLE: Final = "--planner table --board 21x42 --types classic"
PLAN: Final = "board 12x20 I=ff0000\n\nAAAA........\n"
QUEUED: Final = "board 12x20 I=ff0000 queue=IO\n\nAAAA........\n"


@dataclass(frozen=True)
class Case:
    """A refusal that gives a piece of advice, and what it advises."""

    image: tuple[str, ...]
    refused: str
    advised: str
    plan: str = ""  # what is in p.txt


CASES: Final[dict[str, Case]] = {
    # The advice as the code has it, with a * for what is filled in.
    "the smallest board for it is *x*, {} takes *": Case(
        ("rrr",), "print a.png --exact --board 2x9", "print a.png --exact --board auto"),
    "use a board of at least * columns ({} takes *)": Case(
        ("rrr",), "print a.png --exact --board 3x9", "print a.png --exact --board auto"),
    "or leave a square of it empty ({})": Case(
        ("rrrr",), "print a.png --exact --board 4x9", "print a.png --board 4x9"),
    "{} fills a square of the row": Case(
        ("r", ".", "r", "r"), "print a.png --exact --types classic",
        "print a.png --types classic"),
    "{} lets a type have the colour of empty squares": Case(
        ("r", ".", "r", "r"), "print a.png --exact --types auto",
        "print a.png --exact --types auto --background 308040"),
    "with {} a type may also get the background colour": Case(
        ("r", ".", "r", "r"), "print a.png --exact --types classic --background 308040",
        "print a.png --exact --types auto --background 308040"),
    "{} may give a type the colour of the background": Case(
        ("r", ".", "r", "r"), "print a.png --exact --types J=d03020 --background 308040",
        "print a.png --exact --types J=d03020,L=308040 --background 308040"),
    "{} 6 and {} leave a type free": Case(
        SEVEN, "print a.png --exact --types auto",
        "print a.png --types auto --colors 6 --background 308040"),
    "{} 6 leaves a type for the background": Case(
        SEVEN, "print a.png --exact --types auto --background 010101",
        "print a.png --types auto --colors 6 --background 010101"),
    "the nearest numbers are * and *, or use a board of * columns": Case(
        ("rrr",), "print a.png --exact --board 10x22", "print a.png --exact --board 11x22"),
    "repair_hint": Case(
        ("r.r", "rrr"), "print a.png --exact --board 10x22", "print a.png --board 10x22"),
    "{} changes one square of each": Case(
        ("r.bbbb", "bbbbbb", "bbb.bb"), "print a.png --exact --types O=d03020,J=3060c0",
        "print a.png --types O=d03020,J=3060c0"),
    "with {} up to seven are possible": Case(
        ("rgby",), "print a.png --exact --types classic", "print a.png --exact --types auto"),
    "{} 3 is enough": Case(
        ("rgby",), "print a.png --exact --types classic",
        "print a.png --exact --types classic --colors 3"),
    "{} 7 is enough": Case(
        ("1122334455667788",) * 2, "print a.png --exact", "print a.png --exact --colors 7"),
    "with {} every colour gets one": Case(
        ("rgb",), "print a.png --exact --types J=d03020", "print a.png --exact --types auto"),
    "choose {}": Case(
        ("rrrr",), "print a.png --pieces bag --planner rows",
        "print a.png --pieces bag --planner dealt"),
    "{} may use any piece at any time": Case(
        ("rrrr",), "print a.png --planner dealt", "print a.png --planner auto"),
    "{} 10x20 is usual": Case(
        ("rrrr",), "print a.png --exact --pieces bag --board 40x40",
        "print a.png --exact --pieces bag --board 10x20"),
    "{} * has room": Case(
        (".rr.",) * 9, "print a.png --exact --pieces bag --rules srs --board 11x11",
        "print a.png --exact --pieces bag --rules srs --board 11x14"),
    "{} *x* scales it": Case(
        TALL, "print a.png --exact --pieces bag --rules srs --board 10x20",
        "print a.png --pieces bag --rules srs --board 10x20 --fit 10x17"),
    "{} may work": Case(
        ("rrrr", "rrrr"), "print a.png --exact --pieces I", "print a.png --exact --pieces bag"),
    "use {} 10x*": Case(
        ("rrrr",), "convert a.png -o a.fumen --board 21x22",
        "convert a.png -o a.fumen --board 10x22"),
    "plan the picture for {} *x*": Case(
        ("rrrr",), "convert p.txt -o a.fumen", "convert a.png -o a.fumen --board 10x20", PLAN),
    "plan the picture for {} 10x20": Case(
        ("rrrr",), "convert p.txt -o a.tetrio", "convert a.png -o a.tetrio --board 10x20",
        QUEUED),
    "or choose {}, such as the window colour of the game": Case(
        (), "convert p.txt -o a.json", "convert p.txt -o a.json --unseen f0f0f0",
        "board 10x22 I=ff0000\n\nAA........\nAA........\n"),
    "{} writes the file without holding it": Case(
        (), "convert p.txt -o a.json --hold 9", "convert p.txt -o a.json --hold 0",
        "board 10x22 I=ff0000\n" + "\nA.........\n" * 0 + 5 * ("\n" + 4 * "A.........\n")),
    "{} supports any board": Case(
        ("rrr", "rrr"), "print a.png --planner article --board 10x22",
        "print a.png --planner rows --board 10x22"),
    "{} * scales it": Case(
        ("r" * 26,) * 2, f"print a.png --exact {TABLE}", "print a.png --planner table --fit 17x32"),
    "{} prints it as it is": Case(
        ("r" * 26,) * 2, f"print a.png --exact {TABLE}", "print a.png --exact --planner rows"),
    "allow more time": Case(
        ("r.b..rb.b.r", "b..r.b.r..b", ".rb..r.b.r.", "r..b.b..r.b"),
        "print a.png --exact --planner shortest --board 11x9 --time-limit 0.01",
        "print a.png --planner rows --board 21x42 --time-limit 60"),
    "{} * is large enough for all": Case(
        ("r..r..", "rrrrrr"), "slideshow a.png a.png --board 4x9",
        "slideshow a.png a.png --board 8x16"),
    "{} * allows any number": Case(
        ("rrr",), "slideshow a.png a.png --board 10x22", "slideshow a.png a.png --board 11x22"),
    "{} is large enough": Case(
        ("r" * 40 + "b" * 8,) * 48, "print a.png --board 10x22 --planner rows",
        "print a.png --board auto --planner rows"),
    "{} * is enough": Case(
        ("1234567", "1......"), "slideshow a.png --from p.txt --colors 7",
        "slideshow a.png --from p.txt --colors 5", PLAN),
    "begin with a game on *": Case(
        ("rrrrr",) * 21, "slideshow a.png --from p.txt",
        "slideshow a.png --from a.png --board 9x25", PLAN),
    "an odd width, such as * columns, leaves any number": Case(
        ("rrr",), "print a.png --exact --from p.txt",
        "print a.png --exact --from a.png --board 13x22", PLAN),
    "{} * and {} make it fit": Case(
        ("r" * 40 + "b" * 8,) * 48, "print a.png --exact --board 10x22",
        "print a.png --board 10x22 --fit 9x9"),
    "a .txt plan may have any board": Case(
        ("r" * 40 + "b" * 8,) * 48, "print a.png --exact --plan a.fumen",
        "print a.png --exact --plan a.txt"),
    "{} * prints it at that size": Case(
        ("r" * 40 + "b" * 8,) * 48, "print a.png --board 10x22",
        "print a.png --board 10x22 --fit 9x9"),
}  # fmt: skip

ELSEWHERE: Final[dict[str, str]] = {
    "{} is needed": "unit/pictures/test_convert.py: test_big_photos_need_fit",
    "{} * continues it":
        "acceptance/test_rows.py: test_a_plan_made_with_another_background_names_it",
    "{} may have it": "unit/pictures/test_text.py: test_text_in_a_hex_font",
    "or {} may have it": "unit/pictures/test_text.py: "
    "test_without_a_colour_font_an_emoji_is_refused_by_its_name",
    "str(text)": "unit/test_cache.py: test_a_search_without_a_game_is_not_made_again",
    "or give {}": "unit/pictures/test_text.py: test_without_unifont_another_font_is_advised",
    "{} tries larger boards":
        "unit/test_slideshows.py: test_who_follows_the_advice_of_a_film_gets_it",
    "boards up to * were tried":
        "unit/test_slideshows.py: test_a_board_that_nobody_named_is_enlarged_until_it_works",
    "{} * may leave more room": "unit/test_slideshows.py: test_advice_is_about_what_a_film_has",
    "{} * may help": "unit/test_slideshows.py: test_advice_is_about_what_a_film_has",
    "choose from *": "unit/planners/rows/test_from_board.py: "
    "test_planners_that_begin_with_an_empty_board_say_so",
    "all seven types are in use, and no colour has fewer odd runs":
        "unit/printing/test_obstacles.py: test_the_planner_says_if_no_choice_of_types_helps",
    "give one of its colours J, L or I instead ({})":
        "unit/printing/test_obstacles.py: test_the_planner_names_the_theorem",
    "*change the number of squares above, or use an odd width":
        "unit/printing/test_obstacles.py: test_the_planner_names_the_theorem",
    "{} may find one": "unit/planners/test_dealt.py: test_a_queue_without_a_game_is_given_up",
    "try a larger board ({}), other types for the colours ({}) or a longer search ({})":
        "unit/planners/rows/test_rows.py: test_what_it_refuses",
}  # fmt: skip
"""Advice that no short command brings about, and the test that does."""


def list_hints() -> Iterator[str]:
    """Yield every text that the package gives to a hint, with a * for what is filled in."""
    for path in sorted((ROOT / "tetrisprinter").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Hint":
                yield _text_of(node.args[0])


def _text_of(text: ast.expr) -> str:
    if isinstance(text, ast.JoinedStr):
        parts = [one.value if isinstance(one, ast.Constant) else "*" for one in text.values]
        return "".join(map(str, parts))
    return str(text.value) if isinstance(text, ast.Constant) else ast.unparse(text)


@pytest.mark.slow
def test_every_hint_has_a_case() -> None:
    known = {*CASES, *ELSEWHERE}
    hints = set(list_hints())
    assert len(hints) > 40
    assert hints == known


def test_the_test_that_prints_a_hint_exists() -> None:
    for place in ELSEWHERE.values():
        file, _, name = place.partition(": ")
        assert f"def {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), place


INKS: Final = ("d03020", "308040", "3060c0", "f0c040", "8040a0", "20a0a0", "f0f0f0", "905020")


@pytest.mark.slow
@pytest.mark.usefixtures("search_little")
@pytest.mark.parametrize("advice", CASES)
def test_who_follows_advice_is_not_refused(
    run: Run, draw: Draw, tmp_path: Path, advice: str
) -> None:
    case = CASES[advice]
    if case.plan:
        (tmp_path / "p.txt").write_text(case.plan)
    if case.image and case.image[0].strip(".").isdecimal():
        draw_rows(case.image, dict(zip("12345678", INKS, strict=True))).save(tmp_path / "a.png")
    elif case.image:
        draw("a.png", *case.image)
    refused = run_here(_words_of(case.refused), tmp_path)
    assert refused.returncode in (1, 2), refused.stderr
    said = "{} would fill *" if advice == "repair_hint" else advice  # the code has it in a variable
    pattern = re.escape(said).replace(r"\*", ".*").replace(r"\{\}", ".*")
    assert re.search(pattern, refused.stderr), refused.stderr
    run(*_words_of(case.advised))


def _words_of(command: str) -> tuple[str, ...]:
    words = tuple(command.split())
    if words[0] == "print":
        return (*words, *TO)
    return words if "-o" in words else (*words, "-o", "o.txt")


@pytest.mark.parametrize("queue", [(), ("--pieces", "bag")])
def test_a_larger_board_is_advised_only_where_one_can_be(
    run: Run, draw: Draw, queue: tuple[str, ...]
) -> None:
    draw("a.png", *("r" * 40 + "b" * 8,) * 48)
    said = run("print a.png --board 10x20", *queue, *TO, code=2).stderr
    assert ("--board auto" in said) == (not queue)
    assert "--fit 9x9 prints it" in said


@pytest.mark.parametrize("path", ["p.txt", "p.fumen", "p.json"])
@pytest.mark.parametrize("word", ["--from {}", "--from={}"])
def test_no_advice_changes_what_a_game_sets(path: str, word: str) -> None:
    """With --from a game sets board and types: naming them is refused, and so is less exactness."""
    hints = [Hint("{} helps", setting) for setting in Setting]
    for more in ("", "--exact"):
        command = f"print a.png {word.format(path)} {more}".split()
        advice = format_error(InputError("a.png: cannot be", *hints), command)
        assert "--board" not in advice
        assert "--types" not in advice
    command[command.index(next(w for w in command if path in w))] = word.format("b.png").split()[-1]
    assert "--board" in format_error(InputError("a.png: cannot be", *hints), command)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_names_an_option_that_it_lacks(name: str) -> None:
    command = find_command([name])
    options = map_options_to_metavars(command)
    for thing in Setting:
        error = InputError("a.png: cannot be", Hint("{} helps", thing))
        advice = format_error(error, [name], options).removeprefix("a.png: cannot be")
        for word in advice.partition(" helps")[0].split():
            assert not word.startswith("--") or word in options or word == "--exact"
