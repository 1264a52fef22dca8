"""What cannot be used is refused in one sentence, with exit code 2 and nothing written."""

import shlex
from pathlib import Path

import pytest
from PIL import Image

from tests.support.commands import EXAMPLES, run_here

PLAN = "board 4x9 I=ff0000\n\n" + "A...\n" * 4
NUMBERS = {
    "print a.png -o o.gif": "--contrast --saturation --sharpness --effort --time-limit",
    "bound a.png": "--contrast --time-limit",
    "convert a.png -o o.txt": "--effort",
    "play p.txt -o o.gif": "--seconds --first",
    "watch p.txt": "--speed",
    "proofs search --emitted 1 --rows 3 --finder sat": "--time-limit",
    "triplex generate 3x2": "--memory",
}
REFUSED = """
print a.png -o o.gif --contrast 5 | --contrast: 5.0 is out of range; expected 0 to 4
print a.png -o o.gif --board 0x10 | expected auto or WxH, e.g. 21x42 or 10x22, up to 999x999
print a.png -o o.gif --fit 0x0 | expected a size such as 64x64, 1 to 9999 each way
print a.png -o o.gif --workers 0 | --workers: 0 is out of range; expected 1 to 256
print a.png -o o.gif --dask nonsense | --dask: invalid address 'nonsense'; expected e.g. tcp://host:8786
print a.png -o n.txt/o.gif | n.txt/o.gif: cannot be written: no folder n.txt
print a.png -o no/o.gif | no/o.gif: cannot be written: no folder no
print a.png -o a.png | a.png: this would overwrite the image; use -o a-print.png
print a.png -o o.abc | o.abc: unknown file type '.abc'; use one of .png .gif
print a.png -o o | o: the name has no extension; use one of .png .gif
print empty.png -o o.gif | empty.png: the file is empty; expected an image
print text.png -o o.gif | text.png: unknown image format; use PNG, GIF, BMP, WebP, JPEG or SVG
print cut.png -o o.gif | cut.png: cannot be read: image file is truncated
print d -o o.gif | d: no image in this folder
print no.png -o o.gif | no.png: cannot be read: no such file or directory
print '' -o o.gif | 'IMAGES...': the name is empty
print a.png -o '' | -o: the name is empty
bound '' | 'IMAGE': the name is empty
print a.png --watch | not a terminal; -o FILE.gif without --watch writes a file instead
clock --live | the output is not a terminal; -o FILE.gif without --live writes a file instead
watch p.txt | not a terminal; tetrisprinter play p.txt -o FILE.gif writes a file instead
watch no.txt | no.txt: cannot be read: no such file or directory
play p.txt -o n.txt/o.gif | n.txt/o.gif: cannot be written: no folder n.txt
play p.txt -o a.xyz | use one of .png .gif .apng .webp .mp4 .webm .html
play p.txt -o a | has no extension
play p.txt -o nowhere/a.gif | no folder nowhere
play p.txt | nothing to write
play p.txt -o a.gif --every often | drop or pass
play p.txt -o a.gif --every 0 | 1 or more
play p.txt -o a.gif --every 2 --smooth | --smooth
play p.txt -o a.gif --first -1 | a first frame of -1 seconds
play p.txt -o a.gif --transparent | not supported by this file type; use .png
play a.png -o o.gif | a.png: not a text file
play n.txt -o o.gif | n.txt:1: not the first line of a plan
moves d | d: cannot be read: is a directory
convert n.txt -o o.png | n.txt:1: not the first line of a plan
bound a.png --certificate n.txt | --certificate: Folder 'n.txt' is a file
bound a.png --until 0 | --until: 0 is out of range; expected 1 or more
slideshow a.png no.png -o o.gif | no.png: cannot be read: no such file or directory
examples --copy n.txt | n.txt: cannot be created: file exists
page -o n.txt | -o: Folder 'n.txt' is a file
studio --port 99999 | --port: 99999 is out of range; expected 0 to 65535
tile 0x8 I | invalid board 0x8; expected 1 or more cells each way
tile 4x4 I -o o.abc | o.abc: unknown file type '.abc'; use one of
triplex generate 0x3 | invalid size '0x3'; expected one such as 4x3
triplex page -o o.xyz | o.xyz: unknown file type '.xyz'; use one of .html .htm
triplex solve no.txt | no.txt: cannot be read: no such file or directory
proofs atlas --picture o.gif | o.gif: unknown file type '.gif'; use .png
proofs prove --emitted 1 --rows 3 --at 19 | no emitter piece fits there; expected columns 0 to 18
proofs prove --emitted 2 --rows 3 --at 1 | --at: 1 columns; expected 2, the number of --emitted
proofs automaton verify no | no/rows1.json: cannot be read: no such file or directory
proofs certificates verify d | d/manifest.json: cannot be read: no such file or directory
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a picture, a plan, and files that are neither."""
    Image.new("RGBA", (3, 2), "red").save(tmp_path / "a.png")
    (tmp_path / "cut.png").write_bytes((EXAMPLES / "heart.png").read_bytes()[:60])
    (tmp_path / "p.txt").write_text(PLAN)
    (tmp_path / "empty.png").touch()
    for name in ("n.txt", "text.png"):
        (tmp_path / name).write_text("hi\n")
    (tmp_path / "d").mkdir()
    return tmp_path


def check_refusal(line: str, said: str, folder: Path) -> None:
    """Run a command that has to be refused."""
    before = sorted(folder.rglob("*"))
    result = run_here(shlex.split(line), folder)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("tetrisprinter: ")
    assert result.stderr.count("\n") == 1
    assert said in result.stderr
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_refused(line: str, folder: Path) -> None:
    words, said = line.split(" | ")
    check_refusal(words, said, folder)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(
    "line", [f"{line} {name}" for line, names in NUMBERS.items() for name in names.split()]
)
def test_what_is_no_number_is_refused(line: str, value: str, folder: Path) -> None:
    check_refusal(f"{line} {value}", f"tetrisprinter: {line.rsplit(maxsplit=1)[-1]}: ", folder)
