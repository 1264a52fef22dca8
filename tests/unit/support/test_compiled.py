"""What is said of compiling: once on a machine, or at every run and why."""

from __future__ import annotations

import numba
import pytest

from tetrisprinter.support import compiled


def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    sentences: list[str] = []
    monkeypatch.setattr("tetrisprinter.support.notices.LISTENERS", [sentences.append])
    monkeypatch.setattr("tetrisprinter.support.notices._given", set())
    return sentences


def test_where_compiled_code_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = heard(monkeypatch)
    monkeypatch.setattr(compiled, "_homeless", [])
    compiled.announce("the search", 10)
    assert sentences == ["compiling the search, once on this machine (about 10 s) ..."]


def test_where_it_cannot_be_kept_it_is_said_once_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = heard(monkeypatch)
    monkeypatch.setattr(compiled, "_homeless", [])
    real = numba.njit

    def homeless(**options: object) -> object:
        if options.pop("cache", False):
            raise RuntimeError("cannot cache function")
        return real(**options)

    monkeypatch.setattr(compiled, "njit", homeless)
    assert not compiled.is_kept(compiled.compiled(lambda n: n))
    for _ in range(2):
        compiled.announce("the search", 10)
    (sentence,) = sentences
    assert "as at every run" in sentence
    assert "NUMBA_CACHE_DIR" in sentence
