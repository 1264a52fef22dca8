"""Bits of many words at once."""

import numpy as np
import pytest

from tetrisprinter.tilings.sweep import count_ones


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
@pytest.mark.parametrize("counts_bits", [True, False])
def test_ones_are_counted_with_any_numpy(
    kind: type, counts_bits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not counts_bits:  # as before numpy 2
        monkeypatch.delattr(np, "bitwise_count", raising=False)
    most = np.iinfo(kind).max
    words = [0, 1, most, most - 1, most // 3, 1 << 62, 0x123456789ABCDEF]
    found = count_ones(np.array(words, kind))
    assert found.dtype == np.int64
    assert found.tolist() == [word.bit_count() for word in map(int, words)]
