"""Menus: which passes are offered to the model.

A picture row may be the base of many passes; offering all of them would make models that
no solver finishes. A menu names the clearing rows that are offered at every base, and this
module turns it into passes, with the picture rows that can be reached around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tetrisprinter.planners.shortest.passes import Slice
from tetrisprinter.printing.target import Target

__all__ = ["BRIDGED", "JOINED", "Menu", "heights", "interleaved", "offer"]

Menu = tuple[str, ...]
"""Optional passes offered at each base, in their order: clearing rows ``c``, perhaps with
picture rows ``p`` between; more picture rows on top go without saying."""


def heights(*lines: int) -> Menu:
    """Return a menu of plain matrices.

    >>> heights(3, 1)
    ('ccc', 'c')
    """
    return tuple("c" * h for h in lines)


JOINED: tuple[Menu, ...] = (
    ("cccpcccc", *heights(3, 2)),
    ("cccpccc", "ccpccpc", *heights(3, 2)),
)
"""For rows that only come out right together: picture rows between those of a matrix."""

_STANDING = 3
_HANGING = 3
_LYING = 4
"""Picture rows looked at above the clearing rows, below them, and where none clears."""

BRIDGED = 3
"""In taller matrices pieces that bridge would be most of the model; they are left out."""

_SPLITS = 4
"""How many ways to share clearing rows among the parts of a stack."""


def interleaved(lines: int, parts: int) -> list[str]:
    """List stacks with picture rows between their clearing rows, the most even first.

    >>> interleaved(7, 2)
    ['cccpcccc', 'ccccpccc', 'ccpccccc', 'cccccpcc']
    """
    sizes = range(2, lines - 2 * (parts - 1) + 1)
    shares = [share for share in product(sizes, repeat=parts) if sum(share) == lines]
    shares.sort(key=lambda share: (max(share) - min(share), share))
    return ["p".join("c" * share for share in some) for some in shares[:_SPLITS]]


def offer(
    target: Target,
    bases: Sequence[int],
    menu: Menu,
    top: int,
    *,
    lying: bool = True,
    bridged: int = BRIDGED,
) -> tuple[Slice, ...]:
    """List the passes offered at some bases.

    Parameters
    ----------
    target : Target
        The end of the game; its height limits the passes.
    bases : sequence of int
        In ascending order.
    menu : tuple of str
        The passes offered at each.
    top : int
        Passes that begin below this row print nothing in it or above.
    lying : bool
        Whether pieces lying wholly in the picture are offered before each base.
    bridged : int
        In taller stacks no piece bridges rows that have gone.
    """
    slices: list[Slice | None] = []
    for base in bases:
        rows = top if base < top else target.rows
        if lying:
            slices.append(Slice(base, _LYING, "p" * _STANDING).fitted(target.height, rows))
        for stack in menu:
            bridging = len(stack) <= bridged
            above = "" if stack.endswith("b") else "p" * _STANDING
            cut = Slice(base, _HANGING, stack + above, bridging)
            slices.append(cut.fitted(target.height, rows))
    return tuple(cut for cut in slices if cut is not None)
