"""An unexpected exception costs one image, and is one sentence that says how to report it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Draw, Run

STAGES = (
    "tetrisprinter.pictures.convert.convert_pixels",
    "tetrisprinter.api.preparation.repair_task",
    "tetrisprinter.api.prints.find_plans",
    "tetrisprinter.cli.files.choose_field_color",
    "tetrisprinter.cli.files.format_game",
    "tetrisprinter.cli.files.write_output",
    "tetrisprinter.cli.printing.save_poster",
    "tetrisprinter.cli.printing.collect_figures",
    "tetrisprinter.cli.printing._describe_print",
)
FAULTS = {
    ZeroDivisionError: ("float division by zero",),
    MemoryError: (),
    OSError: (28, "No space left"),
    UnicodeDecodeError: ("utf-8", b"", 0, 1, "bad"),
}


def break_once(
    monkeypatch: pytest.MonkeyPatch, target: str, fault: type[Exception], call: int
) -> None:
    """Raise a fault at one call of a function."""
    module, _, name = target.rpartition(".")
    original: Callable[..., Any] = getattr(__import__(module, fromlist=[name]), name)
    calls = iter(range(10**6))

    def replacement(*given: Any, **named: Any) -> Any:
        if next(calls) == call:
            raise fault(*FAULTS[fault])
        return original(*given, **named)

    monkeypatch.setattr(target, replacement)


@pytest.mark.parametrize("stage", STAGES)
def test_a_fault_in_any_stage_costs_one_image(
    run: Run, draw: Draw, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stage: str
) -> None:
    for name in ("a.png", "b.png", "c.png"):
        draw(name, "rr", "rr")
    break_once(monkeypatch, stage, ZeroDivisionError, 1)
    done = run("print", "a.png", "b.png", "c.png", "-o", "out/", "--plan", "out/", "--poster",
               "out/{}.pdf", code=1)  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if "internal error" in line]
    assert len(lines) == 1
    assert lines[0].startswith("tetrisprinter: ")
    assert lines[0].endswith("please report it with the input, the settings and the version")
    assert "ZeroDivision" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.count("printed as") == 2
    assert len(list((tmp_path / "out").glob("*.txt"))) >= 2


@pytest.mark.parametrize("fault", FAULTS)
def test_every_kind_of_fault_is_a_sentence(
    run: Run, draw: Draw, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    for name in ("a.png", "b.png"):
        draw(name, "rr", "rr")
    break_once(monkeypatch, STAGES[5], fault, 0)
    code = 2 if fault is OSError else 1
    done = run("print", "a.png", "b.png", "--json", code=code)
    assert "tetrisprinter: a.png: " in done.stderr
    assert fault.__name__ not in done.stderr
    assert [report["image"] for report in json.loads(done.stdout)] == ["b.png"]


def test_a_single_image_and_other_commands_say_it_too(
    run: Run, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw("a.png", "rr", "rr")
    with monkeypatch.context() as patched:
        break_once(patched, STAGES[0], ZeroDivisionError, 0)
        assert "a.png: internal error at " in run("print", "a.png", code=1).stderr
    break_once(monkeypatch, "tetrisprinter.cli.print.make_sources", ZeroDivisionError, 0)
    said = run("print", "a.png", code=1).stderr
    assert re.match(r"tetrisprinter: print: internal error at \w+\.py:\d+; please report", said)


def test_a_damaged_image_costs_one_preview_and_its_own_frames(
    run: Run, draw: Draw, tmp_path: Path
) -> None:
    draw("a.png", "rr", "rr")
    draw("c.png", "rr", "rr")
    (tmp_path / "b.png").write_bytes(b"no image")
    done = run("print", "a.png", "b.png", "c.png", "--preview", code=2)
    assert done.stdout.count("nothing was printed") == 2
    assert done.stderr.count("b.png: unknown image format") == 1
    done = run("print", "a.png", "b.png", "c.png", "--frame", "all", "-o", "out/", code=2)
    assert done.stdout.count("printed as") == 2
