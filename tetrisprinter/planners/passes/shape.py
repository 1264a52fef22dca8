"""The shape of a pass: which rows of a game it sees, and in which order they go.

Stack all rows of a game, picture rows and clearing rows, in one vertical order (*virtual
rows*). A **pass** is a part of that stack around the picture row ``base``: a few picture
rows below it (the lower window), then clearing rows with picture rows above or between
them (the upper window), whose squares come down when the clearing rows go. When the pass
begins, nothing lies in ``base`` or above; when it ends, all its clearing rows are gone. A
pass without clearing rows drops pieces that lie wholly in the picture; it is the only kind
that may begin with squares above its base.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tetrisprinter.planners.passes.stack import CARRIED, ranks_of

__all__ = ["PassShape"]


@dataclass(frozen=True, slots=True)
class PassShape:
    """The shape of a pass.

    Attributes
    ----------
    base : int
        The lowest picture row above a clearing row; the first that must be empty.
    below : int
        Picture rows below the base that the pass can print in.
    stack : str
        The rows from the base upwards, see :mod:`~tetrisprinter.planners.passes.stack`.
    bridging : bool
        Whether pieces may lie across or under rows that have gone.

    Raises
    ------
    ValueError
        If the stack is none, or has a row that is begun only: such a row is one of the picture.
    """

    base: int
    below: int
    stack: str = ""
    bridging: bool = True

    def __post_init__(self) -> None:
        if set(self.stack) & set(CARRIED):
            raise ValueError(f"{self.stack!r} begins a row")
        ranks_of(self.stack)

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """As the how manieth each row of the stack completes."""
        return ranks_of(self.stack)

    @property
    def lines(self) -> int:
        """How many rows the pass clears."""
        return sum(rank is not None for rank in self.ranks)

    @property
    def lowest(self) -> int:
        """The picture row at the bottom."""
        return self.base - self.below

    def rows(self) -> tuple[int, ...]:
        """Return the virtual rows, lowest first.

        A picture row is ``y >= 0``; a clearing row ``~r``, where ``r`` numbers the clearing
        rows in the order in which they complete.

        >>> PassShape(5, 2, "ccp").rows()
        (3, 4, -1, -2, 5)
        >>> PassShape(5, 2, "10p").rows()
        (3, 4, -2, -1, 5)
        """
        listed = list(range(self.lowest, self.base))
        picture = self.base
        for rank in self.ranks:
            if rank is not None:
                listed.append(~rank)
            else:
                listed.append(picture)
                picture += 1
        return tuple(listed)

    def heights(self) -> dict[int, int]:
        """Return at which height each virtual row lies, counted from the lowest."""
        return {y: v for v, y in enumerate(self.rows())}

    def fitted(self, height: int, rows: int) -> PassShape | None:
        """Return the shape cut to a picture and to the ceiling; None if nothing is left.

        Parameters
        ----------
        height : int
            No square may lie in this row or above.
        rows : int
            Rows of the picture.
        """
        below, stack = min(self.below, self.base), self.stack
        while stack.endswith("p") and (
            self.base + stack.count("p") > rows or self.base + len(stack) > height
        ):
            stack = stack[:-1]
        if self.base + len(stack) > height or not (stack or below):
            return None
        return replace(self, below=below, stack=stack)
