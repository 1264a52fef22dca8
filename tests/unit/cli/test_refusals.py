"""What cannot be used is refused in one sentence, with exit code 2 and nothing written."""

import shlex
from pathlib import Path

import pytest
from PIL import Image

from tests.support.commands import EXAMPLES, run_here

PLAN = "board 4x9 I=ff0000\n\n" + "A...\n" * 4
REFUSED = """
print a.png -o o.gif --effort nan | tetrisprinter: --effort:
print a.png -o o.gif --time-limit -inf | tetrisprinter: --time-limit:
triplex generate 3x2 --memory nan | tetrisprinter: --memory:
print a.png -o o.gif --contrast 5 | --contrast: 5 is out of range; expected 0 to 4
print a.png -o o.gif --board 0x10 | expected auto or WxH, e.g. 21x42 or 10x22, up to 999x999
print a.png -o o.gif --fit 0x0 | expected a size such as 64x64, up to 9999x9999
print a.png -o o.gif --exact --board 2x9 | 3x2 squares does not fit on a board of 2x9
print a.png -o o.gif --exact --types J=d03020 --board auto | no piece type has the colour
print a.png -o o.gif --background reddish | invalid colour 'reddish'
print a.png -o o.gif --exact --dither | --dither: the number of colours is missing
print a.png -o o.gif --frame 2 | no frame 2; the image has one frame
print a.png -o o.gif --resume | --resume: no plan
print a.png --pieces bag --plan p.txt --resume | --resume: a game with a piece queue cannot be continued
print a.png --plan o.tetrio --resume | --resume: a game with a piece queue cannot be continued
print a.png -o o.gif --workers 0 | --workers: 0 is out of range; expected a whole number, 1 to 256
print a.png -o o.gif --dask nonsense | --dask: invalid address 'nonsense'; expected e.g. tcp://host:8786
print a.png -o n.txt/o.gif | n.txt/o.gif: cannot be written: no folder n.txt
print a.png -o a.png | a.png: this would overwrite the image; use e.g. a-print.png
print a.png -o o.abc | o.abc: unknown file type '.abc'; use one of .png .gif
print a.png -o o | o: the name has no extension; use one of .png .gif
print empty.png -o o.gif | empty.png: the file is empty; expected an image
print text.png -o o.gif | text.png: unknown image format; use PNG, APNG, GIF, WebP, JPEG, HEIC, AVIF,
print cut.png -o o.gif | cut.png: cannot be read: image file is truncated
print d -o o.gif | d: no image in this folder
print -a.png -o o.gif | -a.png is read as options (write ./-a.png for the file)
print no.png -o o.gif | no.png: cannot be read: no such file or directory
print https://example.org/a.png | a.png: cannot be read: no such file or directory; no address is fetched, so download the file
moves - | -: cannot be read: no such file or directory; use /dev/stdin for the standard input
convert . -o o.txt | .: 5 images; expected one picture (`print` takes several)
print '' -o o.gif | 'IMAGES...': the name is empty
print a.png --plan o.gif | o.gif: '.gif' is not the file type of a game; use one of .txt
print a.png --plan - | standard output takes an animation (-o -) only
print a.png --shape a:b | --shape: invalid value 'a:b'; expected W:H, such as 1:1 or 9:16
print a.png --shape 1:9 | --shape: 1:9 is out of range; expected 1:4 to 4:1
print a.png a.png --poster o.pdf | '{}.pdf'
text A --font none.ttf -o o.png | none.ttf: cannot be read: no such file
bound a.png --certificate n.txt | '--certificate': Folder 'n.txt' is a file
bound a.png --until 0 | --until: 0 is out of range; expected a whole number, 1 or more
clock --live | the output is not a terminal; -o FILE.gif without --live writes a file instead
clock --live --from 09:58 | cannot be used with --live in the terminal
clock --live -o clock.gif | only a page can follow the time of day
clock --from 09:58 --until 24:00 -o c.gif | --until: invalid time '24:00'; expected HH:MM
clock --from 9 --until 09:58 -o c.gif | --from: invalid time '9'; expected HH:MM
clock --day -o day.gif | --day: the games are written as a C header; use -o day.h
clock --day -o day.h --layout line | --day: all minutes from 00:00 on
clock --minute -o minute.h --from 9:00 | --minute: the seconds 00 to 59
clock --minute -o minute.txt | --minute: the games are written as a C header; use -o min
clock --size 32x16 --board 31x16 -o a.txt --from 9:00 --until 9:01 | --size and --board
clock --digits none -o a.txt --from 9:00 --until 9:01 | none: unknown font
clock --from 09:58 | give -o FILE, --from HH:MM and --until HH:MM, or --live
watch p.txt | not a terminal; tetrisprinter play p.txt -o FILE.gif writes a file instead
play p.txt -o a.xyz | use one of .png .gif .apng .webp .mp4 .webm .html
play p.txt | nothing to write
play p.txt -o a.gif --field transparent | not supported by this file type; use .png
play a.png -o o.gif | a.png: not UTF-8 text (invalid byte at position 0); expected a plan, an art file, a fumen or
tile a.png dominoes | a.png: not UTF-8 text (invalid byte at position 0); expected a drawing of a board
play n.txt -o o.gif | n.txt:1: not the first line of a plan
play p.txt --poster a.gif | use one of .png .svg .pdf
moves p.txt --held | --visible and --held are for --rules srs
moves p.txt --rules srs --strict | --hidden and --strict are for --rules classic
moves p.txt --rules nes | --rules nes and --frames belong together
moves p.txt --frames --rules srs | --rules nes and --frames belong together
print a.png --field blackish | --field: invalid colour 'blackish'
moves d | d: cannot be read: is a directory
convert p.txt -o o.png | o.png: '.png' is not the file type of a game; use one of .txt
convert a.png -o a.fumen --board 21x22 | a.fumen: the board has 21 columns; a .fumen file has 10; use --board 10x22
slideshow broken.mp4 a.png -o o.gif | a video is printed alone
slideshow broken.mp4 --loop -o o.gif | --loop cannot be used with a video
slideshow broken.mp4 --film b.png -o o.gif | is an animation; use a name such as b.gif
slideshow broken.mp4 -o o.gif | broken.mp4: not a video that can be read
slideshow a.png --film b.gif -o o.gif | --fit and --film are for a video
slideshow a.png no.png -o o.gif | no.png: cannot be read: no such file or directory
examples --copy n.txt | n.txt: cannot be created: file exists
examples dog | unknown example 'dog'; choose from cactus, cat-face
page -o n.txt | '-o' / '--output': Folder 'n.txt' is a file
studio --port 99999 | --port: 99999 is out of range; expected a whole number, 0 to 65535
tile 0x8 I | invalid board 0x8; expected a positive size
tile 6by10 I2 | expected a size such as 6x10 or an existing file
tile 6x10 Q7 | unknown piece 'Q7'; choose from I1,
tile - - | only one of BOARD and PIECES
tile 100000x20000000 I2*inf | 29.1 TiB of memory
tile 3000x3000 pentominoes*inf | would need about
tile 6x10 pentominoes --all --count | cannot be used together
tile 2x2 I2*2 --count -o a.png | --count and --output cannot be used together
tile 2x2 I2*2 -o a.gif | one of .txt .json .png .svg
tile 6x10 pentominoes --all -o a.png | choose fewer tilings
triplex generate 0x3 | invalid size '0x3'; expected one such as 4x3
triplex page -o o.xyz | o.xyz: unknown file type '.xyz'; use one of .html .htm
triplex generate 401x1 --memory 1e30 | invalid size 401x1; expected 1 to 400 cells
triplex generate 30x30 | would need about
triplex table --memory 0.1 | the limit is 0.1 GiB
triplex check 4x3 I2h*4 V0 | the pieces cover 11 cells, but 4x3 has 12
triplex check 4x3 V9*4 | unknown piece 'V9'
triplex check nothing.txt | nothing.txt: cannot be read
triplex show 4x3 I2h*6 --number 2 | --number 2 is out of range; expected 1 to 1
patterns atlas --picture o.gif | o.gif: unknown file type '.gif'; use .png
patterns atlas --rows 3..9 | --rows: 7 is out of range; expected 1 to 6
patterns atlas --width 9-12 | invalid list of numbers
patterns prove --emitted 1 --rows 3 --at 19 | no emitter piece fits there; expected columns 0 to 18
patterns prove --emitted 2 --rows 3 --at 1 | --at: 1 column; expected 2, the number of --emitted
patterns prove --emitted 1 -o out | give either --rows or --minimum
patterns prove --emitted 1 --rows 3 --minimum -o out | give either --rows or --minimum
patterns prove --emitted 9 --rows 3 -o out | --width 21 is too small; expected 27 columns or more for 9 emitter pieces
patterns find --rows 3 --at 0 --width 2 | --width 2 is too small; expected 3 columns or more for 1 emitter piece
patterns prove --emitted 1 --rows 3 --solver guess -o out | unknown solver 'guess'; choose from
patterns automaton build 6 --squares | --squares: 6 rows; expected at most 5
patterns automaton verify no | no/rows1.json: cannot be read: no such file or directory; --rows names the heights to check
patterns automaton query --row .x | invalid 'x' in column 1
patterns automaton query --row '' | --row: is empty; expected a row of . # o or @
patterns automaton query | no row was given
patterns automaton query --emitted 2 | --emitted needs --rows
patterns automaton query --width 9 --at 1,2 | overlap
patterns find --emitted 8 --rows 3 | --width 21 is too small; expected 24 columns or more for 8 emitter pieces
patterns find --emitted 1 --rows 3 --at x | invalid list of columns
patterns find --emitted 1 --rows 3 --finder automaton --retries 2 | is for --finder backtracker
patterns find --emitted 1 --rows 3 --at 4 --finder backtracker --all | --all and --time-limit are for --finder cpsat and sat
patterns find --emitted 1 --rows 3 --at 4 --finder sat --attempts 5 | --attempts is for --finder backtracker, not sat
patterns find --emitted 1 --rows 3 --at 4 --finder sat --fewest SZ | --fewest is for --finder cpsat, not sat
patterns find --emitted 1 --rows 3 --at 4 --finder cpsat --fewest SX | --fewest: unknown piece X in SX
patterns find --emitted 1 --rows 3 --save f.cnf | --save and --model need one matrix; use --at or --matrix
patterns find --rows 3 --at 4 --save f.abc | f.abc: unknown file type '.abc'; use one of .cnf .opb .pbtxt
patterns find --rows 3 --at 4 --save f.opb --fewest S --all | cannot be used with --all
patterns find --rows 3 --at 4 --save f.cnf --fewest S | f.cnf: DIMACS has no costs; save as .opb or .pbtxt
patterns find --rows 3 --at 4 --use SX | --use: unknown piece X in SX
patterns find --rows 3 --at 4 --use S --without S | --use and --without leave no type; leave at least one
patterns find --rows 3 --at 4 --fewest S --most S | --fewest and --most name the same type; name it once
patterns find --rows 3 --at 4 --symmetric --finder automaton | --symmetric is for --finder cpsat and sat, not automaton
patterns find --rows 3 --at 4 --hold 0,40 | no column 40 for a square of the row below; expected 0 to 20
triplex show empty.png | empty.png: no puzzle; expected lines such as 4x3 I2h I2v*2 V1 V2
triplex check 4x3 1 2 0 | invalid counts '1'; expected eight numbers from 0 to 9999, separated by commas, for I2h, I2v
tile 4x4 dominoes --all --sample 3 | --all, --count, --first and --sample cannot be used together
tile 40x40 dominoes -o a.png --scale 200 | the picture is too large: 1 tiling in 8400x8400 pixels; choose
tile 4x4 I2*9999999999 | 'I2*9999999999': invalid number after '*'; expected 1 to 999999999, or inf
patterns atlas --width 5 --emitted 5 --format csv | nothing to count; the pieces of --emitted do not fit into --width
patterns find --rows 3 | no matrix was given; use --rows with --emitted or --at, or --matrix
patterns find --matrix p.txt | p.txt:1: invalid ' ' in column 6; expected '.' for a free cell, '#' for a preset, 'x' for a hole or another letter for a piece
patterns find --matrix p.txt --rows 3 | --matrix cannot be used with --emitted, --rows or --at
verify d | d: nothing to verify in this folder; expected certificates, tables or patterns
verify - | -: cannot be read: no such file or directory; use /dev/stdin for the standard input
verify nowhere | nowhere: cannot be read: no such file or folder; expected a plan, a drop log, or a folder of
patterns show 8 | unknown table
patterns show 3 --at 1,2,3 | expected 3 columns
patterns show 1 --at 19 | expected 1 column from 0 to 18
"""  # noqa: E501


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a picture, a plan, and files that are neither."""
    Image.new("RGBA", (3, 2), "red").save(tmp_path / "a.png")
    (tmp_path / "cut.png").write_bytes((EXAMPLES / "heart.png").read_bytes()[:60])
    (tmp_path / "-a.png").touch()
    (tmp_path / "broken.mp4").write_bytes(b"no video")
    (tmp_path / "p.txt").write_text(PLAN)
    (tmp_path / "empty.png").touch()
    for name in ("n.txt", "text.png"):
        (tmp_path / name).write_text("hi\n")
    (tmp_path / "d").mkdir()
    return tmp_path


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_refused(line: str, folder: Path) -> None:
    words, refusal = line.split(" | ")
    before = sorted(folder.rglob("*"))
    result = run_here(shlex.split(words), folder)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("tetrisprinter: ")
    assert result.stderr.count("\n") == 1
    assert refusal in result.stderr
    assert sorted(folder.rglob("*")) == before


def test_a_list_of_choices_is_named_once(folder: Path) -> None:
    refusal = run_here(("print", "a.png", "--for", "mars"), folder).stderr
    assert refusal.endswith("choose from tetrio, jstris, fumen, 10x20, square, 9:16\n")
