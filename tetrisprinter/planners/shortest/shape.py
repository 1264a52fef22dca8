"""The shape of a pass: which rows of a game it sees, and in which order they go.

Stack all rows of a game, picture rows and clearing rows, in one vertical order (*virtual
rows*). A **pass** is a part of that stack around the picture row ``base``: a few picture
rows below it (the lower window), then clearing rows with picture rows above or between
them (the upper window), whose squares come down when the clearing rows go. When the pass
begins, nothing lies in ``base`` or above; when it ends, all its clearing rows are gone. A
pass without clearing rows drops pieces that lie wholly in the picture; it is the only kind
that may begin with squares above its base.

A pass may also **carry**: it leaves squares of any type in the row above what it prints,
and the next pass that clears rows has its base there, fills that row and clears it.
Squares of such a row are not squares of the picture, so they are kept under numbers of
their own (:func:`carried_row`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = [
    "CARRIED",
    "PICTURE",
    "PassShape",
    "Stack",
    "carried_row",
    "is_carried",
    "plain",
    "row_carried",
    "stacks",
]

PICTURE = -1
"""In a stack: the next row of the picture."""

CARRIED = -2
"""In a stack: a row that the pass begins and the next one clears."""

_FIRST_CARRIED = 1 << 16  # above every row of every board


def carried_row(y: int) -> int:
    """Return the number under which squares are kept that a later pass clears in row ``y``."""
    return _FIRST_CARRIED + y


def is_carried(row: int) -> bool:
    """Whether a row's number is one of :func:`carried_row`."""
    return row >= _FIRST_CARRIED


def row_carried(row: int) -> int:
    """Return ``y`` from ``carried_row(y)``."""
    return row - _FIRST_CARRIED


@dataclass(frozen=True, slots=True, order=True)
class Stack:
    """Rows of a pass from its base upwards.

    The text form has a letter for each row: ``p`` the next picture row, ``c`` a clearing
    row, and on top perhaps ``b``, a row that the pass begins and carries. Clearing rows
    complete from below; where they do not, digits say in which order they do.

    Attributes
    ----------
    rows : tuple of int
        For each row :data:`PICTURE`, :data:`CARRIED`, or the number of a clearing row in the
        order in which they complete, from 0.

    Raises
    ------
    ValueError
        If the clearing rows are not numbered 0, 1, 2, ... in some order, or a row is carried
        that is not the top one.

    Examples
    --------
    >>> Stack.parse("ccpb")
    Stack(rows=(0, 1, -1, -2))
    >>> str(Stack.parse("10p")), str(Stack.parse("01p"))
    ('10p', 'ccp')
    """

    rows: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if sorted(self._clearing) != list(range(len(self._clearing))):
            raise ValueError(f"clearing rows complete as {self._clearing}")
        if CARRIED in self.rows[:-1] or any(row < CARRIED for row in self.rows):
            raise ValueError(f"{self.rows} is no stack")

    @classmethod
    def parse(cls, text: str) -> Stack:
        """Read the text form; at most ten rows can be numbered.

        Raises
        ------
        ValueError
            If the text has other letters, or says no stack.
        """
        if "c" in text and any(letter.isdecimal() for letter in text):
            raise ValueError(f"{text!r}: clearing rows are either numbered or not")
        rows: list[int] = []
        for letter in text:
            if letter == "c":
                rows.append(sum(row >= 0 for row in rows))
            elif letter in "pb":
                rows.append(PICTURE if letter == "p" else CARRIED)
            else:
                rows.append(int(letter))
        return cls(tuple(rows))

    def __str__(self) -> str:
        letters = {PICTURE: "p", CARRIED: "b"}
        if self.completes_from_below:
            return "".join(letters.get(row, "c") for row in self.rows)
        return "".join(letters.get(row, str(row)) for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __add__(self, other: Stack) -> Stack:
        """Put rows that do not clear on top."""
        return Stack(self.rows + other.rows)

    @property
    def _clearing(self) -> list[int]:
        return [row for row in self.rows if row >= 0]

    @property
    def lines(self) -> int:
        """How many rows clear."""
        return len(self._clearing)

    @property
    def picture_rows(self) -> int:
        """How many rows belong to the picture."""
        return self.rows.count(PICTURE)

    @property
    def carries(self) -> bool:
        """Whether the top row is begun only."""
        return CARRIED in self.rows[-1:]

    @property
    def completes_from_below(self) -> bool:
        """Whether each clearing row goes before those above it."""
        return self._clearing == list(range(self.lines))


def stacks(*texts: str) -> tuple[Stack, ...]:
    """Read several stacks."""
    return tuple(map(Stack.parse, texts))


def plain(*lines: int) -> tuple[Stack, ...]:
    """Return stacks of so many clearing rows each, and nothing else.

    >>> [str(stack) for stack in plain(3, 1)]
    ['ccc', 'c']
    """
    return tuple(Stack(tuple(range(height))) for height in lines)


@dataclass(frozen=True, slots=True)
class PassShape:
    """The shape of a pass.

    Attributes
    ----------
    base : int
        The lowest picture row above a clearing row; the first that must be empty.
    below : int
        Picture rows below the base that the pass can print in.
    stack : Stack
        The rows from the base upwards.
    bridging : bool
        Whether pieces may lie across or under rows that have gone.
    """

    base: int
    below: int
    stack: Stack = Stack()
    bridging: bool = True

    @property
    def lines(self) -> int:
        """How many rows the pass clears."""
        return self.stack.lines

    @property
    def lowest(self) -> int:
        """The picture row at the bottom."""
        return self.base - self.below

    def rows(self) -> tuple[int, ...]:
        """Return the virtual rows, lowest first.

        A picture row is ``y >= 0``; a clearing row ``~r``, where ``r`` numbers the clearing
        rows in the order in which they complete; a carried row is :func:`carried_row`.

        >>> PassShape(5, 2, Stack.parse("ccp")).rows()
        (3, 4, -1, -2, 5)
        >>> PassShape(5, 2, Stack.parse("10p")).rows()
        (3, 4, -2, -1, 5)
        """
        listed = list(range(self.base - self.below, self.base))
        picture = self.base
        for row in self.stack.rows:
            if row == PICTURE:
                listed.append(picture)
                picture += 1
            elif row == CARRIED:
                listed.append(carried_row(picture))
            else:
                listed.append(~row)
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
        below = min(self.below, self.base)
        stack = self.stack
        if stack.carries and self.base + stack.picture_rows >= rows:
            return None
        while stack.rows[-1:] == (PICTURE,) and (
            self.base + stack.picture_rows > rows or self.base + len(stack) > height
        ):
            stack = Stack(stack.rows[:-1])
        if self.base + len(stack) > height or (not stack.rows and not below):
            return None
        return replace(self, below=below, stack=stack)
