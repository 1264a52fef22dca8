import json
import re
import subprocess
from pathlib import Path

from PIL import Image

from tests.support.commands import Run
from tests.support.processes import make_command
from tetrisprinter.tilings import TilingBoard


def test_all_pentominoes(run: Run) -> None:
    boards = run("tile 3x20 pentominoes --all").stdout.rstrip("\n").split("\n\n")
    assert len(set(boards)) == len(boards) == 8
    for board in boards:
        assert sorted(board.replace("\n", "")) == sorted("FILNPTUVWXYZ" * 5)
        assert [len(row) for row in board.split("\n")] == [3] * 20
    assert run("tile 3x20 pentominoes").stdout == boards[0] + "\n"
    three = run("tile 3x20 pentominoes --first 3").stdout
    assert three == "\n\n".join(boards[:3]) + "\n"
    assert run("tile 3x20 pentominoes --count --up-to-symmetry").stdout == "2\n"
    assert run("tile 3x20 pentominoes --sample 3").stdout.count("\n\n") == 2


def test_boards_and_pieces_from_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("..#\n...\n")
    (tmp_path / "pieces.txt").write_text("corner\n##\n#.\n\n*inf\n##\n")
    assert run("tile board.txt pieces.txt").stdout == "AA#\nABB\n"
    answer = json.loads(run("tile board.txt pieces.txt --all --json").stdout)
    assert answer["count"] == len(answer["tilings"])
    assert answer["board"] == ["..#", "..."]
    assert answer["pieces"][0] == {"name": "corner", "shape": ["##", "#."], "most": 1}
    for tiling in answer["tilings"]:
        cells = [tuple(cell) for placed in tiling["placements"] for cell in placed["cells"]]
        assert sorted(cells) == sorted(TilingBoard(3, 2, [(2, 0)]).list_cells(0b110111))
    command = make_command("tile", "-", "I2*inf,V3", "--count")
    piped = subprocess.run(command, input="..#\n...\n", capture_output=True, text=True, check=True)
    assert piped.stdout == f"{answer['count']}\n"


def test_orientations_and_use_all(run: Run) -> None:
    def count(*arguments: object) -> int:
        return int(run("tile", *arguments, "--count").stdout)

    assert count("4x4", "L4*inf") > count("4x4", "L4*inf", "--orientations", "rotations") > 0
    assert run("tile 2x4 L4@1*inf --orientations fixed", code=1).stdout == ""
    assert (count("2x2", "I2*2,O4"), count("2x2", "I2*2", "--use-all")) == (3, 2)
    assert run("tile 2x2 I2*2,O4 --use-all --count", code=1).stdout == "0\n"
    counts = {count("5x4", "L4*inf,I4", "--method", one) for one in ("search", "sweep", "cpsat")}
    assert len(counts) == 1


def test_impossible(run: Run) -> None:
    result = run("tile 5x5 I5,V3*4", code=1)
    assert result.stdout == ""
    assert result.stderr == (
        "no tiling: area: all pieces together have 17 cells, but the board has 25\n"
    )
    result = run("tile 6x6 I4*inf --count --json", code=1)
    answer = json.loads(result.stdout)
    assert (answer["count"], answer["argument"]) == (0, "weights mod 2")
    assert len(answer["weights"]) == 6
    assert result.stderr.splitlines()[0].startswith("no tiling: weights mod 2: ")
    assert len(result.stderr.splitlines()) == 7
    result = run("tile 5x6 Z5*inf --json", code=1)
    assert result.stderr == "no tiling: searched exhaustively\n"
    answer = json.loads(result.stdout)
    assert (answer["argument"], answer["tilings"]) == (None, [])


def test_pictures(run: Run, tmp_path: Path) -> None:
    run("tile 4x5 I4*inf,L4*inf --first 4 -o a.png -o a.svg -o a.txt")
    image = Image.open(tmp_path / "a.png")
    # 2 x 2 boards of 4 x 5 cells with a cell between and around them.
    assert image.size == (11 * 24, 13 * 24)
    assert image.getpixel((0, 0)) == (0, 0, 0, 0)
    text = (tmp_path / "a.txt").read_text()
    assert text == run("tile 4x5 I4*inf,L4*inf --first 4").stdout
    # Neighbouring cells have the same colour and no line between them just if they are one piece.
    board = text.split("\n\n")[0].split("\n")
    for y in range(5):
        for x in range(3):
            here, border, there = (
                image.getpixel((24 * (1 + x) + right, 24 * (1 + y) + 12)) for right in (12, 24, 36)
            )
            assert (here == there) == (border == here) == (board[y][x] == board[y][x + 1])
    svg = (tmp_path / "a.svg").read_text()
    assert set(re.findall("<title>(.*?)</title>", svg)) <= {"I4", "L4"}
    assert (svg.count("<title>"), svg.count("<g")) == (20, 4)
    written = run("tile 4x5 I4*inf,L4*inf --first 2 -o b.json --json").stdout
    assert json.loads(written)["written"] == 2
    assert len(json.loads((tmp_path / "b.json").read_text())["tilings"]) == 2


def test_styles(run: Run) -> None:
    drawn = run("tile 2x2 dominoes --style lines").stdout
    assert drawn == "┌───────┐\n│       │\n├───────┤\n│       │\n└───────┘\n"
    # No terminal, no colours.
    assert run("tile 2x2 dominoes --style colors").stdout == drawn
