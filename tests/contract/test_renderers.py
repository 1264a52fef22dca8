"""Every registered renderer stands the same demands."""

from pathlib import Path

import pytest

from tests.contract.demands import TOPPLING, one_sentence, renderer_stands
from tetrisprinter.errors import InputError
from tetrisprinter.render import RENDERERS, Rendering, find_renderer, list_extensions, save
from tetrisprinter.render.frames import Timing


@pytest.mark.parametrize("name", RENDERERS)
def test_it_stands_all_demands(name: str, tmp_path: Path) -> None:
    if name in {"mp4", "webm"}:
        pytest.importorskip("av", reason="the extra tetrisprinter[video] is not installed")
    assert f".{name}" in RENDERERS[name].extensions
    renderer_stands(RENDERERS[name], tmp_path)


def test_no_extension_has_two_renderers() -> None:
    assert len(set(list_extensions())) == len([*list_extensions()])
    for extension in list_extensions():
        assert extension in find_renderer(f"a.b{extension}").extensions


def test_what_nobody_writes_is_refused_with_what_somebody_does(tmp_path: Path) -> None:
    for name in ("print.bmp", "print", "print.", ".gif"):
        with pytest.raises(InputError) as error:
            save(TOPPLING, tmp_path / name)
        message = one_sentence(error)
        assert all(extension in message for extension in list_extensions())
    assert not list(tmp_path.iterdir())


def test_what_viewers_slow_down_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at most 50") as error:
        save(TOPPLING, tmp_path / "a.gif", Rendering(timing=Timing(fps=51)))
    one_sentence(error)
    with pytest.raises(InputError, match="loop: 70000 is out of range"):
        Rendering(loop=70000)
