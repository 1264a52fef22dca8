"""What is missing is installed with the program that installed tetrisprinter."""

import builtins
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tetrisprinter.errors import InputError, format_install_command
from tetrisprinter.support.executors import Machines

PIPX = Path("/home/ada/.local/share/pipx/venvs/tetrisprinter")


def open_cluster(folder: Path) -> None:
    with Machines(1, "tcp://127.0.0.1:1").open_executor():
        pass


def write_video(folder: Path) -> None:
    from tetrisprinter.render import check_output

    check_output(folder / "a.mp4")


def read_svg(folder: Path) -> None:
    from tetrisprinter.pictures.images import open_image

    (folder / "a.svg").write_text("<svg></svg>")
    open_image(folder / "a.svg")


def read_heic(folder: Path) -> None:
    from tetrisprinter.pictures.images import open_image

    (folder / "a.heic").write_bytes(b"\0\0\0\x18ftypheic" + bytes(200))
    open_image(folder / "a.heic")


def print_code(folder: Path) -> None:
    from tetrisprinter.cli.print import draw_code

    draw_code("a")


def start_studio(folder: Path) -> None:
    from tetrisprinter.cli.studio import command

    command.main(["--port", "0", "--folder", str(folder)], standalone_mode=False)


@pytest.mark.parametrize(
    ("module", "package", "use"),
    [
        ("distributed", "distributed", open_cluster),
        ("av", "av", write_video),
        ("resvg_py", "resvg-py", read_svg),
        ("pillow_heif", "pillow-heif", read_heic),
        ("segno", "segno", print_code),
        ("tetrisprinter.studio.app", "starlette uvicorn", start_studio),
    ],
)
def test_hints_name_the_right_command(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    module: str,
    package: str,
    use: Callable[[Path], None],
) -> None:
    original = builtins.__import__

    def import_others(name: str, *given: Any, **named: Any) -> Any:
        if name == module:
            raise ImportError(f"no {name}", name=name)
        return original(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", import_others)
    with pytest.raises(InputError, match=f"pip install {package}"):
        use(tmp_path)
    monkeypatch.setattr(sys, "prefix", str(PIPX))
    with pytest.raises(InputError, match=f"pipx inject tetrisprinter {package}") as caught:
        use(tmp_path)
    assert "pip install" not in str(caught.value)


def test_an_environment_of_pipx_is_recognised(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venvs" / "tetrisprinter-2"))
    assert format_install_command("av", "segno") == "pip install av segno"
    (tmp_path / "venvs" / "tetrisprinter-2").mkdir(parents=True)
    (tmp_path / "venvs" / "tetrisprinter-2" / "pipx_metadata.json").touch()
    assert format_install_command("av", "segno") == "pipx inject tetrisprinter-2 av segno"
