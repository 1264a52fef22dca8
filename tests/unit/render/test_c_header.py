"""Games as C headers, played by a compiled program and compared with the package's own games."""

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.oracles.game import replay
from tests.support.judge import play_first_drops
from tests.support.plans import make_loop, make_random_plan
from tetrisprinter.api.slideshows import make_clock_tasks, make_second_tasks, plan_cycle
from tetrisprinter.errors import JobError
from tetrisprinter.game.pieces import PieceType
from tetrisprinter.game.plan import Plan
from tetrisprinter.game.replay import make_drop_log, play_through
from tetrisprinter.render import save
from tetrisprinter.render.encoders import format_cycle, format_header
from tetrisprinter.support.options import Limit

ROOT = Path(__file__).parents[3]
MAKERS = ROOT / "examples" / "makers"
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unused-function", "-O1"]

PROGRAM = """\
#include <stdio.h>
#include "tetris_player.h"
{includes}
static uint8_t board[200 * 200];
static tetris_player player;

static void play(const tetris_game *game, uint8_t rows_per_tick) {{
    uint16_t x, y;
    long counts[6] = {{0, 0, 0, 0, 0, 0}};
    uint8_t event;
    tetris_begin(&player, game, board, rows_per_tick);
    do {{
        event = tetris_tick(&player);
        counts[event]++;
        if (event < TETRIS_STOP) continue;
        for (y = 0; y < game->height; y++)
            for (x = 0; x < game->width; x++) putchar('0' + board[y * game->width + x]);
        putchar('\\n');
    }} while (event != TETRIS_END);
    printf("%ld %ld %ld\\n", counts[TETRIS_LOCK], counts[TETRIS_FLASH], counts[TETRIS_CLEAR]);
}}

int main(void) {{
    printf("%d\\n", (int)sizeof player);
{calls}
    return 0;
}}
"""


@cache
def find_compiler(language: str = "cc") -> tuple[str, ...]:
    """The system's compiler of C or C++, or the one from the package index."""
    if found := shutil.which(language):
        return (found,)
    pytest.importorskip("ziglang", reason="no C compiler is installed")
    return (sys.executable, "-m", "ziglang", language)


def run_program(folder: Path, program: str) -> list[str]:
    """Compile a C program with the player; return the lines that it prints."""
    (folder / "main.c").write_text(program)
    command = [*find_compiler(), *STRICT, f"-I{MAKERS}", "main.c", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True, timeout=120)
    return subprocess.check_output([folder / "main"], text=True, timeout=60).splitlines()


def play_compiled(
    folder: Path, games: dict[str, Plan], speeds: tuple[int, ...] = (3,)
) -> list[str]:
    """Compile a program that plays games at some speeds; return the lines that it prints."""
    for name, plan in games.items():
        (folder / f"{name}.h").write_text(format_header(plan, name))
    includes = "\n".join(f'#include "{name}.h"' for name in games)
    calls = "\n".join(f"    play(&{name}, {rows});" for name in games for rows in speeds)
    return run_program(folder, PROGRAM.format(includes=includes, calls=calls))


def draw_board(plan: Plan, drops: int) -> str:
    """The board after some drops as the program prints it, played by the oracle."""
    log = make_drop_log(plan, play_through(plan))
    squares = replay({**log, "drops": log["drops"][:drops]})  # type: ignore[index]
    values = {piece.name: str(int(piece)) for piece in PieceType} | {"G": "8"}
    return "".join(
        values.get(squares.get((x, y), ""), "0")
        for y in range(plan.height)
        for x in range(plan.width)
    )


def test_a_dozen_games_end_with_their_pictures(tmp_path: Path) -> None:
    """Each at three speeds."""
    plans = [Plan.read(path) for path in sorted((ROOT / "examples" / "plans").glob("*.txt"))[:8]]
    plans += [make_random_plan(8 + seed, 22, 60, seed) for seed in range(4)]
    games = {f"game{number}": plan for number, plan in enumerate(plans)}
    size, *lines = play_compiled(tmp_path, games, (0, 1, 3))
    assert int(size) <= 200, "bytes beside the board"
    for number, plan in enumerate(plans):
        clearing = sum(bool(drop.landing.cleared) for drop in play_through(plan).drops)
        wanted = [draw_board(plan, len(plan)), f"{len(plan)} {clearing} {clearing}"]
        assert lines[6 * number : 6 * number + 6] == 3 * wanted


def test_every_stop_of_a_slideshow_is_its_picture(tmp_path: Path) -> None:
    plan = make_loop()
    assert plan.start
    _, *boards, _ = play_compiled(tmp_path, {"show": plan})
    assert len(boards) == len(plan.stops) == 2
    for board, stop in zip(boards, plan.stops, strict=True):
        assert board == draw_board(plan, stop)
        assert board.strip("0")
        assert len(board.replace("0", "")) == len(play_first_drops(plan, stop))


@pytest.mark.parametrize("of", [pytest.param("minutes", marks=pytest.mark.slow), "seconds"])
def test_the_games_of_a_cycle_lead_from_picture_to_picture(of: str, tmp_path: Path) -> None:
    if of == "minutes":
        tasks = [make_clock_tasks(minute, 1)[0] for minute in (597, 598, 657, 658)]
    else:
        tasks = make_second_tasks()[58:] + make_second_tasks()[:2]
    board = tasks[0].board
    cycle = plan_cycle(tasks, Limit(workers=1, effort=0.2), period=2 if of == "minutes" else 60)
    assert max(map(len, cycle.games)) <= (400 if of == "minutes" else 40)
    assert of == "seconds" or cycle.numbers[0] == cycle.numbers[2], "from 57 to 58 in any hour"
    assert len(cycle.games) == (3 if of == "minutes" else 4)
    (tmp_path / "day.h").write_text(format_cycle(*cycle, "day"))
    printed = run_program(tmp_path, CYCLE)
    for task, shown in zip([*tasks[1:], tasks[0]], printed, strict=True):
        squares = {(x + task.column, y) for x, y in task.picture.cells()}
        cells = [(x, y) for y in range(board.height) for x in range(board.width)]
        assert shown == "".join("#" if cell in squares else "." for cell in cells)


CYCLE = """\
#include <stdio.h>
#include "tetris_player.h"
#include "day.h"
static uint8_t board[DAY_WIDTH * DAY_HEIGHT];
static tetris_player player;

int main(void) {
    int picture, at;
    tetris_begin(&player, &day, board, 0);
    for (picture = 0; picture < DAY_PICTURES; picture++) {
        player.next = day_first[day_game[picture]];
        while (tetris_tick(&player) < TETRIS_STOP) {
        }
        for (at = 0; at < DAY_WIDTH * DAY_HEIGHT; at++) putchar(board[at] ? '#' : '.');
        putchar('\\n');
    }
    return 0;
}
"""


def test_what_only_falls_is_written() -> None:
    plan = Plan.parse("board 5x6 I=ff0000 slides=2:0\n\n.AAAA\nB....\nB....\nB....\nB....\n")
    with pytest.raises(JobError, match="1 piece tucked under other squares"):
        format_header(plan, "tucked")


@pytest.mark.parametrize(
    ("name", "prefix"), [("owl", "owl"), ("2 owls", "game_2_owls"), ("сова", "game"), ("", "game")]
)
def test_names_are_c_names(tmp_path: Path, name: str, prefix: str) -> None:
    plan = Plan.parse("board 4x6 O=ff0000\n\n.AA.\n.AA.\n")
    save(plan, tmp_path / "a.h", title=name or "?")
    text = (tmp_path / "a.h").read_text()
    assert f"static const tetris_game {prefix} = {{" in text
    assert text.isascii()


@pytest.mark.parametrize("sketch", ["hub75_panel.ino", "ws2812_matrix.ino"])
def test_sketches_compile(tmp_path: Path, sketch: str) -> None:
    """Against stand-ins for the libraries of the boards, which declare what the sketches use."""
    plan = Plan.read(ROOT / "examples" / "plans" / "heart.txt")
    (tmp_path / "game.h").write_text(format_header(plan, "game"))
    (tmp_path / "tetris_player.h").write_bytes((MAKERS / "tetris_player.h").read_bytes())
    for name, text in STAND_INS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "sketch.cpp").write_text(
        f'#include "Arduino.h"\n{(MAKERS / sketch).read_text()}\n'
        "int main() { setup(); for (int i = 0; i < 2000; i++) loop(); return drawn < 2000; }\n"
    )
    command = [*find_compiler("c++"), "-std=c++11", "-Wall", "-I.", "sketch.cpp"]
    subprocess.run([*command, "-o", "sketch"], cwd=tmp_path, check=True, timeout=120)
    subprocess.run([tmp_path / "sketch"], check=True, timeout=60)


STAND_INS = {
    "Arduino.h": """\
#pragma once
#include <stdint.h>
static long drawn = 0;
static inline void delay(unsigned long) {}
""",
    "ESP32-HUB75-MatrixPanel-I2S-DMA.h": """\
#include <stdlib.h>
struct HUB75_I2S_CFG { HUB75_I2S_CFG(int, int, int) {} };
struct MatrixPanel_I2S_DMA {
    int width = 64, height = 32;
    explicit MatrixPanel_I2S_DMA(const HUB75_I2S_CFG &) {}
    bool begin() { return true; }
    void setBrightness8(uint8_t) {}
    void fillScreen(uint16_t) {}
    void drawPixel(int16_t x, int16_t y, uint16_t) {
        if (x < 0 || x >= width || y < 0 || y >= height) abort();
        drawn++;
    }
};
""",
    "FastLED.h": """\
#include <stdlib.h>
struct CRGB {
    uint8_t r, g, b;
    CRGB() {}
    CRGB(uint8_t r, uint8_t g, uint8_t b) : r(r), g(g), b(b) {}
};
enum { WS2812B, GRB };
struct Leds {
    template <int, int, int> void addLeds(CRGB *, int) {}
    void setBrightness(uint8_t) {}
    void show() { drawn++; }
};
static Leds FastLED;
""",
}
