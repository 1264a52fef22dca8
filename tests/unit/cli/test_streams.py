"""Streams that can take less than is written to them."""

import io
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.commands import EXAMPLES, run_here
from tests.support.processes import make_command
from tetrisprinter.cli import prepare_streams

LINES = "┌───────┬───┐\n│       │░░░│\n"
PLAIN = "+-------+---+\n|       |###|\n"


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("ascii", PLAIN), ("cp1252", PLAIN), ("cp437", LINES), ("utf-8", LINES), ("utf-16", LINES)],
)
def test_what_a_stream_does_not_know_is_drawn_plainly(
    encoding: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding))
    prepare_streams()
    print(LINES, end="", flush=True)
    assert written.getvalue().decode(encoding) == shown


def test_names_that_are_no_text_are_written_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, "utf-8"))
    prepare_streams()
    print(os.fsdecode(b"a\xff\xfe\xc3\xa9"), end="", flush=True)
    assert written.getvalue() == b"a\xff\xfe\xc3\xa9"


def test_streams_that_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    prepare_streams()
    print("to nobody", flush=True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("tile", "2x2", "dominoes", "--all"),
        ("patterns", "automaton", "query", "--row", "####"),
    ],
)
def test_a_disk_that_is_full(words: tuple[str, ...], tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            make_command(*words), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 2
    assert result.stderr == "tetrisprinter: standard output: no space left on device\n"


def test_a_reader_that_has_enough_is_no_failure() -> None:
    """As with ``| head``: the exit code is that of a closed pipe, not that of a failed job."""
    command, pipe = make_command("tile", "6x10", "pentominoes", "--all"), subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(300) == 128 + signal.SIGPIPE
        assert process.stderr.read() == b""


def test_a_page_of_an_image_whose_name_is_no_text(tmp_path: Path) -> None:
    image = tmp_path / os.fsdecode(b"h\xff.png")
    image.write_bytes((EXAMPLES / "heart.png").read_bytes())
    words = ("print", image, "-o", "o.html", "--plan", "o.txt", "--planner", "table")
    assert run_here(words, tmp_path).returncode == 0
    assert "h?" in (tmp_path / "o.html").read_text(encoding="utf-8")
    assert run_here(("play", "o.txt", "-o", "o.png"), tmp_path).returncode == 0
